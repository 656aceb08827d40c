// SPDX-License-Identifier: MIT
// tree.c - a folder built from names that are not trusted.
// Invariant: every step is one openat without following links, so that nothing that lies in the
// tree can lead a later name out of it.
#define _GNU_SOURCE
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 12, NAME_BYTES = 256, BLOCK_BYTES = 65536 };

// Enters `name` [n bytes] below the folder, which is closed.
static int step(int folder, const char *name, size_t n) {
  char part[NAME_BYTES];
  bool bad = n >= sizeof part || (n == 1 && name[0] == '.') || (n == 2 && !memcmp(name, "..", 2));
  int inner = -1, error = EINVAL;
  if (!bad) {
    memcpy(part, name, n);
    part[n] = '\0';
    if (mkdirat(folder, part, 0700) == 0 || errno == EEXIST)
      inner = openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    error = errno;
  }
  close(folder);
  errno = error;
  return inner;
}

int grade_tree_folder(int root, const char *path) {
  int folder = fcntl(root, F_DUPFD_CLOEXEC, 3);
  for (unsigned depth = 0; folder >= 0 && *path; depth++) {
    size_t n = strcspn(path, "/");
    if (n == 0 || depth == MAX_DEPTH) {
      close(folder);
      return errno = EINVAL, -1;
    }
    folder = step(folder, path, n);
    path += n + (path[n] == '/');
  }
  return folder;
}

static bool copy_bytes(int from, int to, size_t limit_bytes) {
  static char block[BLOCK_BYTES];
  while (limit_bytes > 0) {
    ssize_t n = read(from, block, limit_bytes < sizeof block ? limit_bytes : sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    for (ssize_t done = 0, one; done < n; done += one)
      if ((one = write(to, block + done, (size_t)(n - done))) <= 0) return false;
    limit_bytes -= (size_t)n;
  }
  return true;
}

// A link or a special file keeps its kind: a link to nowhere, else an empty FIFO.
static bool copy_kind(int folder, const char *name, mode_t mode) {
  if (S_ISLNK(mode)) return symlinkat("nowhere", folder, name) == 0;
  return mkfifoat(folder, name, 0600) == 0;
}

bool grade_tree_copy(int root, const char *path, int from_folder, const char *from,
                     size_t limit_bytes) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *parent = grade_copy(path);
  struct stat info;
  bool copied = false;
  if (!parent || fstatat(from_folder, from, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return free(parent), false;
  parent[slash ? slash - path : 0] = '\0';
  int folder = !*name || strcmp(name, "..") == 0 ? -1 : grade_tree_folder(root, parent);
  free(parent);
  if (folder < 0) return false;
  if (!S_ISREG(info.st_mode)) copied = copy_kind(folder, name, info.st_mode);
  else {
    int in = openat(from_folder, from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool readable = in >= 0 || errno != EACCES;
    int out = readable && in < 0 ? -1
                                 : openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                                          readable ? 0600 : 0); // unreadable stays unreadable
    copied = out >= 0 && (!readable || copy_bytes(in, out, limit_bytes));
    if (in >= 0) close(in);
    if (out >= 0) close(out);
  }
  close(folder);
  return copied;
}
