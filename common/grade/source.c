// SPDX-License-Identifier: MIT
// source.c - reading one submitted file safely.
// Invariant: nothing is opened that could block (FIFO, device) and no link is followed.
#define _GNU_SOURCE
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int grade_source_open_folder(int parent, const char *name, grade_diag *diag) {
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 && (errno == ELOOP || errno == ENOTDIR))
    grade_fail(diag, GRADE_IO_ERROR, "not a folder (links are not followed)");
  else if (folder < 0) grade_fail(diag, GRADE_IO_ERROR, "cannot open it: %s", strerror(errno));
  return folder;
}

static grade_state refuse(grade_diag *diag, const char *file, const char *why) {
  grade_fail(diag, GRADE_IO_ERROR, "%s %s", file, why);
  return GRADE_REFUSED;
}

// What the name is, before it is opened.
static grade_state inspect(int folder, const char *file, grade_diag *diag) {
  struct stat info;
  if (fstatat(folder, file, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      return grade_fail(diag, GRADE_IO_ERROR, "%s: %s", file, strerror(errno)), GRADE_NOT_JUDGED;
    grade_fail(diag, GRADE_IO_ERROR, "there is no %s", file);
    return GRADE_MISSING;
  }
  if (S_ISLNK(info.st_mode)) return refuse(diag, file, "is a link, not a file");
  if (!S_ISREG(info.st_mode)) return refuse(diag, file, "is not a regular file");
  if (info.st_size > GRADE_SOURCE_MAX_BYTES) return refuse(diag, file, "is larger than 1 MiB");
  if (info.st_size == 0) return refuse(diag, file, "is empty");
  return GRADE_JUDGED;
}

// Reads at most one byte more than is allowed.
static size_t read_all(int fd, char *text, size_t limit_bytes) {
  size_t used = 0;
  while (used < limit_bytes) {
    ssize_t n = read(fd, text + used, limit_bytes - used);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    used += (size_t)n;
  }
  return used;
}

static size_t normalise(char *text, size_t size_bytes) {
  size_t from = size_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, to = 0;
  for (; from < size_bytes; from++)
    if (text[from] != '\r' || from + 1 == size_bytes || text[from + 1] != '\n')
      text[to++] = text[from];
  text[to] = '\0';
  return to;
}

static grade_state read_file(int folder, const char *file, char **text, size_t *size_bytes,
                             grade_diag *diag) {
  grade_state state = inspect(folder, file, diag);
  if (state != GRADE_JUDGED) return state;
  struct stat info;
  int fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    if (fd >= 0) close(fd);
    grade_fail(diag, GRADE_IO_ERROR, "%s cannot be read: %s", file, strerror(errno));
    return GRADE_NOT_JUDGED;
  }
  *text = malloc(GRADE_SOURCE_MAX_BYTES + 2);
  *size_bytes = *text ? read_all(fd, *text, GRADE_SOURCE_MAX_BYTES + 1) : 0;
  close(fd);
  if (!*text) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory"), GRADE_NOT_JUDGED;
  if (*size_bytes > GRADE_SOURCE_MAX_BYTES) state = refuse(diag, file, "is larger than 1 MiB");
  else if (memchr(*text, '\0', *size_bytes))
    state = refuse(diag, file, "is not text (it has NUL bytes)");
  else *size_bytes = normalise(*text, *size_bytes);
  if (state == GRADE_JUDGED) return state;
  free(*text);
  *text = NULL;
  return state;
}

grade_state grade_source_read(int folder, const char *file, char **text, size_t *size_bytes,
                              grade_diag *diag) {
  *text = NULL;
  grade_state state = read_file(folder, file, text, size_bytes, diag);
  if (state != GRADE_MISSING) return state;
  int inner = openat(folder, "exercises", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0) return state;
  state = read_file(inner, file, text, size_bytes, diag);
  close(inner);
  return state;
}
