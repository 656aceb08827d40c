// SPDX-License-Identifier: MIT
// archives.c - the program that reads archives, called; its list, read.
// Invariant: what the list says is used only where it has the form that it must have; the words for
// people are ours.
#define _GNU_SOURCE
#include "archives.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox.h"

enum {
  LIST_BYTES = 64 << 20,
  LEAST_CPU_S = 20,
  MIB_PER_CPU_S = 40, // an archive that is slower than that is made to be
  FILE_MIB = 72
};

typedef struct reason {
  const char *word, *sentence;
} reason;

static const reason left[] = {
    {"name", "not taken: its name is empty or too long"},
    {"absolute", "not taken: its name is an absolute path"},
    {"parent", "not taken: its name leads out of the archive (..)"},
    {"link", "not taken: a link"},
    {"special", "not taken: no regular file"},
    {"large", "not taken: larger than 1 MiB"},
    {"count", "not taken: too many files"},
    {"other", "not taken: no CUDA file"},
};
static const reason stopped[] = {
    {"format", "not unpacked: it is no zip, tar, tar.gz, tar.bz2, tar.xz or 7z archive"},
    {"damaged", "not unpacked: it is damaged"},
    {"encrypted", "not unpacked: it needs a password"},
    {"size", "not unpacked: what is in it is too large"},
    {"limit", "not unpacked: what is in it is too large"},
    {"ratio", "not unpacked: it is made to fill a disk (over 100 times its own size)"},
    {"count", "not unpacked: it holds too many files"},
    {"write", "not unpacked: there is no room for it"},
};

static const char *sentence_of(const reason *reasons, size_t n, const char *word, size_t length) {
  for (size_t i = 0; i < n; i++)
    if (strlen(reasons[i].word) == length && memcmp(reasons[i].word, word, length) == 0)
      return reasons[i].sentence;
  return "not taken";
}

char *grade_read_below(int folder, const char *name, size_t limit_bytes) {
  struct stat info;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return NULL;
  bool fits =
      fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size <= limit_bytes;
  char *text = fits ? malloc((size_t)info.st_size + 1) : NULL;
  size_t used = 0;
  while (text && used < (size_t)info.st_size) {
    ssize_t n = read(fd, text + used, (size_t)info.st_size - used);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    used += (size_t)n;
  }
  close(fd);
  if (text) text[used] = '\0';
  return text;
}

static grade_status run_unpacker(const grade_unpack_call *call, grade_run *run) {
  char number[16];
  grade_diag diag;
  snprintf(number, sizeof number, "%u", call->limit_mib);
  const unsigned cpu_s = LEAST_CPU_S + call->limit_mib / MIB_PER_CPU_S;
  const char *const argv[] = {call->unpacker, call->archive, number, NULL};
  const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};
  const char *const readable[] = {call->unpacker, call->archive, NULL};
  const grade_command command = {.argv = argv,
                                 .environment = environment,
                                 .directory = call->place,
                                 .fenced = true,
                                 .readable = readable,
                                 .forward = -1,
                                 .limits = {.idle_s = cpu_s,
                                            .cpu_s = cpu_s,
                                            .memory_bytes = call->memory_bytes,
                                            .file_bytes = (uint64_t)FILE_MIB << 20,
                                            .output_bytes = 4096}};
  return grade_sandbox_run(&command, run, &diag);
}

// Whether `text` ends with a line "done N". Sets the reason of a line "stopped WORD".
static bool is_whole(const char *text, const char **failure) {
  const char *last = text;
  *failure = NULL;
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    last = line;
    if (strncmp(line, "stopped ", 8) == 0)
      *failure =
          sentence_of(stopped, sizeof stopped / sizeof *stopped, line + 8, strcspn(line + 8, "\n"));
  }
  return strncmp(last, "done ", 5) == 0 && strchr(last, '\n');
}

const char *grade_unpack(grade_unpacked *unpacked, const grade_unpack_call *call) {
  *unpacked = (grade_unpacked){.text = NULL};
  grade_run run;
  if (!*call->unpacker) return "not unpacked: this build has no libarchive";
  if (mkdir(call->place, 0700) != 0) return "not unpacked: there is no room for it";
  if (run_unpacker(call, &run))
    return "not unpacked: the program that reads archives cannot be started";
  free(run.output);
  int folder = open(call->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  unpacked->text = folder >= 0 ? grade_read_below(folder, "list", LIST_BYTES) : NULL;
  unpacked->at = unpacked->text;
  if (folder >= 0) close(folder);
  const char *failure = "not unpacked: the program that reads archives was stopped";
  if (unpacked->text && is_whole(unpacked->text, &failure) && !failure) return NULL;
  free(unpacked->text);
  unpacked->text = NULL;
  return failure ? failure : "not unpacked: the program that reads archives was stopped";
}

static int digit_of(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Undoes the percent-encoding; backslashes, which Windows writes between folders, become slashes.
static void decode(char path[GRADE_ENTRY_BYTES], const char *from, size_t length) {
  size_t n = 0;
  for (size_t i = 0; i < length && n + 1 < GRADE_ENTRY_BYTES; i++) {
    char c = from[i];
    if (c == '%' && i + 2 < length && digit_of(from[i + 1]) >= 0 && digit_of(from[i + 2]) >= 0) {
      c = (char)(16 * digit_of(from[i + 1]) + digit_of(from[i + 2]));
      i += 2;
    }
    path[n++] = c == '\\' ? '/' : c ? c : '?';
  }
  path[n] = '\0';
}

bool grade_unpacked_next(grade_unpacked *unpacked, grade_unpacked_line *line) {
  while (*unpacked->at) {
    const char *text = unpacked->at;
    size_t length = strcspn(text, "\n");
    unpacked->at += length + (text[length] == '\n');
    const char *end = text + length, *word = text + strcspn(text, " \n") + 1;
    if (word >= end) continue;
    const char *name = word + strcspn(word, " \n");
    if (name >= end) continue;
    *line = (grade_unpacked_line){.number = 0};
    decode(line->path, name + 1, (size_t)(end - name - 1));
    if (strncmp(text, "taken ", 6) == 0 && sscanf(word, "%u", &line->number) == 1 && line->number)
      return true;
    line->number = 0;
    line->why = sentence_of(left, sizeof left / sizeof *left, word, (size_t)(name - word));
    line->minor = strncmp(word, "other ", 6) == 0;
    if (strncmp(text, "left ", 5) == 0) return true;
  }
  return false;
}
