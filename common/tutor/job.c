// SPDX-License-Identifier: MIT
// job.c - starting, reading and ending a program.
// Not here: programs that leave their process group. Those of the grader end with it.
#define _GNU_SOURCE
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAID_LIMIT_BYTES = 1 << 20, STAGES_FD = 3, END_MS = 500 };

// In the child. Never returns.
static void become(const char *const *argv, const char *const *environment, int output,
                   int stages) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGPIPE, SIGQUIT};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) signal(usual[i], SIG_DFL);
  int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
      dup2(output, STDERR_FILENO) < 0)
    _exit(126);
  int copy = fcntl(stages, F_DUPFD_CLOEXEC, STAGES_FD + 1); // dup2 onto itself keeps close-on-exec
  if (copy < 0 || dup2(copy, STAGES_FD) < 0) _exit(126);
  for (size_t i = 0; environment[i]; i++) {
    char *variable = strdup(environment[i]); // putenv keeps it
    if (!variable || putenv(variable) != 0) _exit(126);
  }
  setenv("WORKBOOK_STAGES", "3", 1);
  execv(argv[0], (char *const *)(void *)argv);
  _exit(127);
}

static void close_pair(int fds[2]) {
  for (size_t i = 0; i < 2; i++)
    if (fds[i] >= 0) close(fds[i]);
}

tutor_status tutor_job_start(tutor_job *job, const char *const *argv,
                             const char *const *environment, tutor_diag *diag) {
  int output[2] = {-1, -1}, stages[2] = {-1, -1};
  *job = (tutor_job){.output = -1, .stages = -1, .said = calloc(1, 1)};
  pid_t pid = -1;
  if (job->said && pipe2(output, O_CLOEXEC) == 0 && pipe2(stages, O_CLOEXEC) == 0) pid = fork();
  if (pid == 0) become(argv, environment, output[1], stages[1]);
  int error = errno;
  if (pid < 0) {
    close_pair(output);
    close_pair(stages);
    free(job->said);
    *job = (tutor_job){.output = -1, .stages = -1};
    return tutor_fail(diag, TUTOR_IO_ERROR, "cannot start %s: %s", argv[0], strerror(error));
  }
  setpgid(pid, pid); // whichever of us is first
  close(output[1]);
  close(stages[1]);
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  fcntl(stages[0], F_SETFL, O_NONBLOCK);
  job->pid = pid;
  job->output = output[0];
  job->stages = stages[0];
  return TUTOR_OK;
}

static void close_end(int *fd) {
  close(*fd);
  *fd = -1;
}

// Keeps the beginning of the program's output; the rest is read and dropped.
static void keep(tutor_job *job, const char *bytes, size_t n) {
  if (job->n_said + n > SAID_LIMIT_BYTES) return;
  char *said = realloc(job->said, job->n_said + n + 1);
  if (!said) return;
  memcpy(said + job->n_said, bytes, n);
  job->said = said;
  job->n_said += n;
  for (size_t i = job->n_said - n; i < job->n_said; i++)
    if (!said[i]) said[i] = '?';
  said[job->n_said] = '\0';
}

static bool read_stage(tutor_job *job, char byte) {
  if (job->line_whole) job->n_line = 0;
  job->line_whole = byte == '\n';
  if (job->line_whole) job->line[job->n_line] = '\0';
  else if (job->n_line < sizeof job->line - 1) job->line[job->n_line++] = byte;
  return job->line_whole;
}

bool tutor_job_read(tutor_job *job) {
  char bytes[4096];
  bool whole = false;
  ssize_t n;
  while (job->output >= 0 && (n = read(job->output, bytes, sizeof bytes)) >= 0) {
    if (n == 0) close_end(&job->output);
    else keep(job, bytes, (size_t)n);
  }
  while (job->stages >= 0 && !whole && (n = read(job->stages, bytes, 1)) >= 0) {
    if (n == 0) close_end(&job->stages);
    else whole = read_stage(job, bytes[0]);
  }
  return whole;
}

static void forget(tutor_job *job) {
  if (job->output >= 0) close_end(&job->output);
  if (job->stages >= 0) close_end(&job->stages);
  free(job->said);
  *job = (tutor_job){.output = -1, .stages = -1};
}

bool tutor_job_ended(tutor_job *job, int *status) {
  int found;
  if (job->pid <= 0) return false;
  pid_t ended = waitpid(job->pid, &found, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  *status = ended < 0 ? 127 : WIFEXITED(found) ? WEXITSTATUS(found) : 128 + WTERMSIG(found);
  tutor_job_read(job);
  job->pid = 0;
  return true;
}

void tutor_job_stop(tutor_job *job) {
  if (job->pid > 0) {
    kill(-job->pid, SIGTERM);
    bool gone = false;
    for (int waited_ms = 0; waited_ms < END_MS && !gone; waited_ms += 10) {
      gone = waitpid(job->pid, NULL, WNOHANG) != 0;
      if (!gone) usleep(10 * 1000);
    }
    kill(-job->pid, SIGKILL);
    if (!gone) waitpid(job->pid, NULL, 0);
  }
  forget(job);
}
