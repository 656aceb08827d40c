// SPDX-License-Identifier: MIT
// source.c - reading one submitted file safely.
// Invariant: nothing is opened that could block (FIFO, device) and no link is followed.
#define _GNU_SOURCE
#include "source.h"

#include "search.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
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

// The file's name as it was handed in, made safe to be shown.
static void say(grade_diag *diag, const char *what, const char *path, const char *more) {
  char safe[2 * GRADE_FOUND_BYTES];
  grade_text_safe(safe, sizeof safe, path);
  size_t used = strlen(diag->text);
  snprintf(diag->text + used, sizeof diag->text - used, "%s%s%s%s", used ? "; " : "", what, safe,
           more);
}

// UTF-16 by its byte-order mark, as an editor on Windows saves it.
static bool is_wide(const char *text, size_t size_bytes) {
  return size_bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
}

static size_t put_utf8(char *to, uint32_t code) {
  if (code < 0x80) return to[0] = (char)code, 1;
  if (code < 0x800)
    return to[0] = (char)(0xc0 | code >> 6), to[1] = (char)(0x80 | (code & 0x3f)), 2;
  size_t n = code < 0x10000 ? 3 : 4;
  to[0] = (char)((n == 3 ? 0xe0 : 0xf0) | code >> 6 * (n - 1));
  for (size_t i = 1; i < n; i++) to[i] = (char)(0x80 | (code >> 6 * (n - 1 - i) & 0x3f));
  return n;
}

// The same text as UTF-8, malloc'ed; `text` is freed. NULL: out of memory.
static char *narrow(char *text, size_t *size_bytes) {
  const unsigned char *from = (const unsigned char *)text;
  bool little = from[0] == 0xff;
  char *out = malloc(2 * *size_bytes + 8);
  size_t n = 0;
  uint32_t high = 0;
  for (size_t i = 2; out && i + 1 < *size_bytes; i += 2) {
    uint32_t unit =
        little ? from[i] | (uint32_t)from[i + 1] << 8 : (uint32_t)from[i] << 8 | from[i + 1];
    if (unit >= 0xd800 && unit < 0xdc00) high = unit;
    else if (unit >= 0xdc00 && unit < 0xe000)
      n += high ? put_utf8(out + n, 0x10000 + ((high & 0x3ff) << 10 | (unit & 0x3ff))) : 0,
          high = 0;
    else n += put_utf8(out + n, unit);
  }
  free(text);
  *size_bytes = n;
  if (out) out[n] = '\0';
  return out;
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
  else if (is_wide(*text, *size_bytes)) {
    *text = narrow(*text, size_bytes);
    if (!*text) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory"), GRADE_NOT_JUDGED;
    say(diag, "was UTF-16", "", "");
  }
  if (state == GRADE_JUDGED && memchr(*text, '\0', *size_bytes))
    state = refuse(diag, file, "is not text (it has NUL bytes)");
  if (state == GRADE_JUDGED) *size_bytes = normalise(*text, *size_bytes);
  if (state == GRADE_JUDGED) return state;
  free(*text);
  *text = NULL;
  return state;
}

// What was not found at its place may be near it.
static grade_state read_nearby(int folder, const char *file, char **text, size_t *size_bytes,
                               grade_diag *diag) {
  grade_found found;
  grade_diag missing = *diag;
  grade_search(folder, file, &found);
  diag->text[0] = '\0';
  if (found.n == 1) {
    grade_state state = read_file(folder, found.path, text, size_bytes, diag);
    if (state == GRADE_JUDGED) say(diag, "taken from ", found.path, "");
    return state;
  }
  if (found.n > 1) {
    say(diag, "several files could be meant: ", found.path, "");
    say(diag, "and ", found.other, "");
    return GRADE_NOT_JUDGED;
  }
  if (*found.archive) {
    say(diag, "the archive ", found.archive, " has not been unpacked");
    return GRADE_NOT_JUDGED;
  }
  *diag = missing;
  return GRADE_MISSING;
}

grade_state grade_source_read(int folder, const char *file, char **text, size_t *size_bytes,
                              grade_diag *diag) {
  *text = NULL;
  diag->text[0] = '\0';
  grade_state state = read_file(folder, file, text, size_bytes, diag);
  if (state != GRADE_MISSING || folder == AT_FDCWD) return state;
  return read_nearby(folder, file, text, size_bytes, diag);
}
