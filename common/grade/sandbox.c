// SPDX-License-Identifier: MIT
// sandbox.c - one child process under resource limits (Linux).
//
// Invariants: a program ends by itself or by its own limits, never because a busy machine gave it
// no processor; when grade_sandbox_run returns, the caller has no children. Descendants that leave
// their process group are adopted (subreaper) and ended too.
// Not here: what a program can reach (fence.c).
#define _GNU_SOURCE
#include "sandbox.h"

#include "fence.h"
#include "tree_time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 8192, POLL_MS = 50, MAX_PROCESSES = 512, MAX_DESCRIPTORS = 256 };

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Of all children that have ended: those of a wrapper that did not wait for them are adopted.
static double children_cpu_s(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

// The group that is running, for end_with_group: a killed grader leaves nothing behind that runs.
static volatile pid_t running_group;
static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_ENDING = sizeof ending_signals / sizeof *ending_signals };

static void end_with_group(int number) {
  if (running_group > 0) kill(-running_group, SIGKILL);
  signal(number, SIG_DFL);
  raise(number);
}

static void watch_signals(struct sigaction old[N_ENDING]) {
  struct sigaction action = {.sa_handler = end_with_group, .sa_flags = SA_NODEFER};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < N_ENDING; i++) sigaction(ending_signals[i], &action, &old[i]);
}

static void forget_signals(const struct sigaction old[N_ENDING]) {
  running_group = 0;
  for (size_t i = 0; i < N_ENDING; i++) sigaction(ending_signals[i], &old[i], NULL);
}

// --- the child ---------------------------------------------------------------------------------

static void limit(int resource, uint64_t value) {
  struct rlimit old, wanted = {value, value};
  if (getrlimit((__rlimit_resource_t)resource, &old) == 0 && old.rlim_max != RLIM_INFINITY &&
      wanted.rlim_max > old.rlim_max)
    wanted.rlim_cur = wanted.rlim_max = old.rlim_max;
  setrlimit((__rlimit_resource_t)resource, &wanted);
}

static void apply_limits(const grade_limits *limits) {
  limit(RLIMIT_CORE, 0);
  setrlimit(RLIMIT_CPU, &(struct rlimit){limits->cpu_s, limits->cpu_s + 1}); // first SIGXCPU
  limit(RLIMIT_FSIZE, limits->file_bytes);
  limit(RLIMIT_NOFILE, MAX_DESCRIPTORS);
  if (geteuid() != 0) { // counts the user's processes everywhere: leave room for the others
    struct rlimit old;
    if (getrlimit(RLIMIT_NPROC, &old) == 0 && old.rlim_cur == RLIM_INFINITY)
      limit(RLIMIT_NPROC, 8 * MAX_PROCESSES);
  }
  if (limits->memory_bytes) limit(RLIMIT_AS, limits->memory_bytes);
}

static void close_inherited(int keep) {
  if (close_range(3, (unsigned)keep - 1, 0) == 0 && close_range((unsigned)keep + 1, ~0u, 0) == 0)
    return;
  for (int fd = 3; fd < 1024; fd++) // a kernel before 5.9
    if (fd != keep) close(fd);
}

// Never returns. `report` tells the parent errno when the program cannot be run.
static void run_child(const grade_command *command, const char **argv, pid_t parent, int output,
                      int report) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // should the grader be killed without a chance to act
  if (getppid() != parent) _exit(126);
  for (size_t i = 0; i < N_ENDING; i++) signal(ending_signals[i], SIG_DFL);
  int null = open("/dev/null", O_RDONLY);
  if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(126);
  int high = fcntl(report, F_DUPFD_CLOEXEC, 100);
  if (high < 0) _exit(126);
  close_inherited(high);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  umask(077);
  if (!command->directory || chdir(command->directory) == 0) {
    apply_limits(&command->limits);
    if (!command->fenced || grade_fence_enter(command))
      execve(argv[0], (char *const *)argv, (char *const *)command->environment);
  }
  int error = errno;
  ssize_t ignored = write(high, &error, sizeof error);
  (void)ignored;
  _exit(127);
}

// --- the parent --------------------------------------------------------------------------------

typedef struct collector {
  char *text;
  size_t used, capacity;
  uint64_t limit;
  bool cut;
  int forward;
} collector;

static void forward_all(int fd, const char *bytes, size_t n) {
  while (n > 0) {
    ssize_t written = write(fd, bytes, n);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes += written;
    n -= (size_t)written;
  }
}

static void collect(collector *c, const char *bytes, size_t n) {
  if (c->used + n > c->limit) {
    n = (size_t)(c->limit - c->used);
    c->cut = true;
  }
  if (c->forward >= 0) forward_all(c->forward, bytes, n);
  if (c->used + n + 1 > c->capacity) {
    size_t capacity = 2 * (c->used + n + 1);
    char *text = realloc(c->text, capacity);
    if (!text) {
      c->cut = true;
      return;
    }
    c->text = text;
    c->capacity = capacity;
  }
  for (size_t i = 0; i < n; i++) c->text[c->used++] = bytes[i] ? bytes[i] : '?';
}

// Reads what there is. False at the end of the output.
static bool drain(collector *c, int fd) {
  char bytes[READ_BYTES];
  for (;;) {
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n > 0) collect(c, bytes, (size_t)n);
    else if (n == 0) return false;
    else if (errno != EINTR) return errno == EAGAIN;
  }
}

// Ends and reaps every child and adopted grandchild of this process.
static void end_descendants(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
  for (int round = 0; round < 1000; round++) {
    FILE *children = fopen(path, "re");
    long pid = 0;
    while (children && fscanf(children, "%ld", &pid) == 1) kill((pid_t)pid, SIGKILL);
    if (children) fclose(children);
    pid_t reaped;
    while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0) {}
    if (reaped < 0) return; // no children left
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
}

// How long the program has waited for nothing, as far as it was looked at.
typedef struct watch {
  double looked_s, idle_s;
} watch;

// Whether its limits are over: none of its processes could go on for so long, or all of them have
// computed for so long. What waits for a processor is not idle, and at most most_s count between
// two looks.
static bool is_over(watch *w, pid_t child, const grade_limits *limits) {
  static const double every_s = 0.05, most_s = 0.2;
  double now = now_s(), since_s = now - w->looked_s;
  if (since_s < every_s) return false;
  w->looked_s = now;
  grade_tree_time time = grade_tree_time_of(child);
  if (!time.awake) w->idle_s += since_s < most_s ? since_s : most_s;
  return w->idle_s > limits->idle_s ||
         (limits->all_cpu_s > 0 && time.cpu_s > (double)limits->all_cpu_s);
}

static void stop(pid_t child) {
  kill(child, SIGTERM); // lets a suite end the check that it has forked
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  kill(-child, SIGKILL);
}

// What the status of a program that was not stopped from here says of its end.
static void take_status(const grade_command *command, int status, double cpu_s, grade_run *run) {
  // A shell in between makes an exit status of the limit's signal.
  bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  bool stopped = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
  // The kernel applies its limit to ticks, which on a busy machine run ahead of the accounted time.
  if (stopped || (failed && cpu_s > 0.75 * (double)command->limits.cpu_s)) {
    run->end = GRADE_TIMED_OUT;
    return;
  }
  run->end = WIFSIGNALED(status) ? GRADE_SIGNALLED : GRADE_EXITED;
  run->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  // bubblewrap passes a signal on as a shell does.
  bool wrapped = command->fenced && grade_fence_current() == GRADE_FENCE_BUBBLEWRAP;
  if (wrapped && run->end == GRADE_EXITED && run->code > 128) {
    run->end = GRADE_SIGNALLED;
    run->code -= 128;
  }
}

// Waits until the child ends or its time is up; collects its output meanwhile.
static void attend(pid_t child, int output, const grade_command *command, collector *c,
                   grade_run *run) {
  double start = now_s();
  watch w = {.looked_s = start};
  bool open = true;
  int status = 0;
  struct rusage usage = {.ru_utime = {0}};
  while (run->end != GRADE_TIMED_OUT) {
    struct pollfd poll_fd = {.fd = open ? output : -1, .events = POLLIN};
    poll(&poll_fd, 1, POLL_MS);
    if (open) open = drain(c, output);
    if (wait4(child, &status, WNOHANG, &usage) == child) break;
    if (is_over(&w, child, &command->limits)) {
      stop(child);
      wait4(child, &status, 0, &usage);
      run->end = GRADE_TIMED_OUT;
    }
    // Output closed, process alive: without poll's wait, sleep.
    if (!open) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  run->seconds = now_s() - start;
  kill(-child, SIGKILL);
  end_descendants();
  if (open) drain(c, output);
  double cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  if (run->end != GRADE_TIMED_OUT) take_status(command, status, cpu_s, run);
}

grade_status grade_sandbox_run(const grade_command *command, grade_run *run, grade_diag *diag) {
  *run = (grade_run){.end = GRADE_EXITED};
  int output[2] = {-1, -1}, report[2] = {-1, -1};
  const char **argv = grade_fence_argv(command);
  if (!argv) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  // Not a pipe: who opens one's own output again (/dev/fd/1) would wait there for text for ever.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, output) || shutdown(output[1], SHUT_RD) ||
      pipe2(report, O_CLOEXEC)) {
    for (int i = 0; i < 2; i++)
      if (output[i] >= 0) close(output[i]);
    free(argv);
    return grade_fail(diag, GRADE_NOT_STARTED, "no pipe: %s", strerror(errno));
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  double cpu_before_s = children_cpu_s();
  struct sigaction old[N_ENDING];
  watch_signals(old);
  pid_t parent = getpid(), child = fork();
  if (child == 0) run_child(command, argv, parent, output[1], report[1]);
  free(argv);
  close(output[1]);
  close(report[1]);
  int error = child < 0 ? errno : 0;
  collector c = {.limit = command->limits.output_bytes, .forward = command->forward};
  if (child > 0) {
    setpgid(child, child); // whichever of us is first
    running_group = child;
    ssize_t n = read(report[0], &error, sizeof error); // ends when the program has started
    if (n <= 0) error = 0;
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    attend(child, output[0], command, &c, run);
    run->cpu_s = children_cpu_s() - cpu_before_s;
  }
  forget_signals(old);
  close(output[0]);
  close(report[0]);
  run->output = c.text ? c.text : calloc(1, 1);
  if (c.text) c.text[c.used] = '\0';
  run->output_cut = c.cut;
  if (run->output && !error && child > 0) return GRADE_OK;
  free(run->output);
  run->output = NULL;
  return grade_fail(diag, GRADE_NOT_STARTED, "%s: %s", command->argv[0],
                    error ? strerror(error) : "out of memory");
}
