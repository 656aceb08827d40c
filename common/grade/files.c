// SPDX-License-Identifier: MIT
// files.c - the grader's own files.
// Invariant: what is at a final name was complete when it got that name.
#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool write_all(int fd, const char *text, size_t n_bytes) {
  while (n_bytes > 0) {
    ssize_t n = write(fd, text, n_bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text += n;
    n_bytes -= (size_t)n;
  }
  return true;
}

grade_status grade_file_write(const char *path, const char *text, grade_diag *diag) {
  char *part = NULL;
  if (asprintf(&part, "%s.%ld.part", path, (long)getpid()) < 0)
    return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool written = fd >= 0 && write_all(fd, text, strlen(text)) && fsync(fd) == 0;
  int error = errno;
  if (fd >= 0 && close(fd) != 0 && written) written = false, error = errno;
  if (written && rename(part, path) != 0) written = false, error = errno;
  if (!written) unlink(part);
  free(part);
  return written ? GRADE_OK
                 : grade_fail(diag, GRADE_IO_ERROR, "cannot write %s: %s", path, strerror(error));
}

char *grade_file_read(const char *path, size_t limit_bytes) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
  if (fd >= 0 && !file) close(fd);
  if (!file) return NULL;
  char *text = NULL;
  size_t n = 0;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size <= limit_bytes)
    text = malloc((size_t)info.st_size + 1);
  if (text) n = fread(text, 1, (size_t)info.st_size, file);
  bool whole = text && n == (size_t)info.st_size && !memchr(text, '\0', n);
  fclose(file);
  if (whole) text[n] = '\0';
  else free(text);
  return whole ? text : NULL;
}

grade_status grade_folder_make(const char *path, grade_diag *diag) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return GRADE_OK;
  return grade_fail(diag, GRADE_IO_ERROR, "cannot make %s: %s", path, strerror(errno));
}

int grade_folder_lock(const char *path, grade_diag *diag) {
  char *name = NULL;
  if (asprintf(&name, "%s/.lock", path) < 0)
    return grade_fail(diag, GRADE_NO_MEMORY, "out of memory"), -1;
  int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  free(name);
  // What a killed grader leaves running ends in moments.
  for (int round = 0; fd >= 0 && round < 60; round++) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    if (errno != EWOULDBLOCK) break;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  if (fd >= 0 && errno == EWOULDBLOCK)
    grade_fail(diag, GRADE_IO_ERROR,
               "another grader is at work in %s; wait for it, or name "
               "another folder for the results",
               path);
  else grade_fail(diag, GRADE_IO_ERROR, "cannot lock %s: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return -1;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info, (void)place;
  if (kind == FTW_DNR) chmod(path, 0700);
  return remove(path), 0;
}

void grade_folder_remove(const char *path) { nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS); }

uint64_t grade_folder_room(const char *path) {
  struct statvfs info;
  if (statvfs(path, &info) != 0) return 0;
  return (uint64_t)info.f_bavail * info.f_frsize;
}

// Waits until no process has the other end of `alive` open, then removes the folder. Processes that
// are just ending may still write there.
static void remove_when_alone(const char *path, int alive) {
  enum { MAX_ROUNDS = 100 };
  char byte;
  setsid();
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  for (int fd = 0; fd < 1024; fd++)
    if (fd != alive) close(fd);
  while (read(alive, &byte, 1) < 0 && errno == EINTR) {}
  for (int round = 0; round < MAX_ROUNDS && access(path, F_OK) == 0; round++) {
    if (round > 0) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    grade_folder_remove(path);
  }
  _exit(0);
}

grade_status grade_folder_make_temporary(char *path, grade_diag *diag) {
  int alive[2]; // the writing end stays open as long as this process or a fork of it lives
  if (pipe2(alive, O_CLOEXEC) != 0)
    return grade_fail(diag, GRADE_NOT_STARTED, "no pipe: %s", strerror(errno));
  if (!mkdtemp(path)) {
    close(alive[0]);
    close(alive[1]);
    return grade_fail(diag, GRADE_IO_ERROR, "cannot make %s: %s", path, strerror(errno));
  }
  pid_t child = fork();
  if (child ==
      0) { // its child has no parent here: grade_sandbox_run ends all that are this process's
    if (fork() == 0) remove_when_alone(path, alive[0]);
    _exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
  close(alive[0]);
  return GRADE_OK;
}
