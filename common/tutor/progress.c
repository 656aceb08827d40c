// SPDX-License-Identifier: MIT
// progress.c - the file of what a student has done: reading, changing, and writing it back.
//
// Invariant: every line of `lines` is valid, or a comment, or of a kind that is not known here.
#define _GNU_SOURCE
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILE_LIMIT_BYTES = 1 << 20, LINE_BYTES = 512 };

static const char head[] =
    "# What you have done in the workbook. Copy this file along with your exercises.\nversion 1\n";

// The lines of grade_fail(), for the tutor's own status and diagnostic: it does not link the
// grader.
tutor_status tutor_fail(tutor_diag *diag, tutor_status status, const char *format, ...) {
  if (!diag) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(diag->text, sizeof diag->text, format, arguments);
  va_end(arguments);
  return status;
}

// --- lines ---------------------------------------------------------------------------------------

static tutor_status add_line(tutor_progress *progress, const char *text, size_t n_bytes,
                             tutor_diag *diag) {
  char *line = strndup(text, n_bytes);
  char **lines =
      line ? realloc(progress->lines, (progress->n_lines + 1) * sizeof *progress->lines) : NULL;
  if (!lines) {
    free(line);
    return tutor_fail(diag, TUTOR_NO_MEMORY, "out of memory");
  }
  progress->lines = lines;
  progress->lines[progress->n_lines++] = line;
  return TUTOR_OK;
}

// What follows the word at the beginning of `line`, or NULL when it is another one.
static const char *after_word(const char *line, const char *word) {
  size_t n = strlen(word);
  if (strncmp(line, word, n) != 0) return NULL;
  if (line[n] == '\0') return line + n;
  return line[n] == ' ' ? line + n + 1 : NULL;
}

static bool read_lesson(const char *rest, tutor_lesson_state *state) {
  char word[8] = "", date[12] = "";
  int end = 0;
  *state = (tutor_lesson_state){0};
  bool read = sscanf(rest, "%u of %u %7s %11s%n", &state->points, &state->max_points, word, date,
                     &end) == 4 &&
              rest[end] == '\0' && strlen(date) == TUTOR_DATE_BYTES - 1;
  state->passed = strcmp(word, "passed") == 0;
  if (read) memcpy(state->date, date, TUTOR_DATE_BYTES);
  return read && (state->passed || strcmp(word, "open") == 0) && state->points <= state->max_points;
}

static tutor_status check_line(const char *line, const char *name, size_t number,
                               tutor_diag *diag) {
  const char *rest = after_word(line, "version");
  if (rest && strcmp(rest, "1") != 0)
    return tutor_fail(diag, TUTOR_BAD_INPUT,
                      "%s:%zu: this file has version %.20s, and this workbook knows version 1: "
                      "use the newer workbook, or move the file away to begin anew",
                      name, number, rest);
  rest = after_word(line, "lesson");
  if (!rest) return TUTOR_OK;
  const char *values = strchr(rest, ' ');
  tutor_lesson_state state;
  if (values && read_lesson(values + 1, &state)) return TUTOR_OK;
  return tutor_fail(diag, TUTOR_BAD_INPUT,
                    "%s:%zu: '%.60s' is not 'lesson NAME POINTS of MAX open|passed YEAR-MO-DA': "
                    "mend or remove that line",
                    name, number, line);
}

tutor_status tutor_progress_parse(tutor_progress *progress, const char *text, const char *name,
                                  tutor_diag *diag) {
  *progress = (tutor_progress){0};
  size_t number = 0;
  for (const char *at = text; *at;) {
    size_t n = strcspn(at, "\r\n");
    number++;
    if (n > 0) {
      tutor_status status = add_line(progress, at, n, diag);
      if (!status) status = check_line(progress->lines[progress->n_lines - 1], name, number, diag);
      if (status) return status;
    }
    at += n;
    if (*at == '\r') at++;
    if (*at == '\n') at++;
  }
  return TUTOR_OK;
}

void tutor_progress_free(tutor_progress *progress) {
  for (size_t i = 0; i < progress->n_lines; i++) free(progress->lines[i]);
  free(progress->lines);
  *progress = (tutor_progress){0};
}

// --- the file ------------------------------------------------------------------------------------

tutor_status tutor_progress_read(tutor_progress *progress, const char *path, tutor_diag *diag) {
  *progress = (tutor_progress){0};
  FILE *file = fopen(path, "re");
  if (!file && errno == ENOENT) return tutor_progress_parse(progress, head, path, diag);
  if (!file) return tutor_fail(diag, TUTOR_IO_ERROR, "cannot read %s: %s", path, strerror(errno));
  char *text = malloc(FILE_LIMIT_BYTES + 1);
  size_t n = text ? fread(text, 1, FILE_LIMIT_BYTES, file) : 0;
  int error = ferror(file) ? errno : 0;
  fclose(file);
  tutor_status status = TUTOR_OK;
  if (!text) return tutor_fail(diag, TUTOR_NO_MEMORY, "out of memory");
  text[n] = '\0';
  if (error) status = tutor_fail(diag, TUTOR_IO_ERROR, "cannot read %s: %s", path, strerror(error));
  else if (n == FILE_LIMIT_BYTES || memchr(text, '\0', n))
    status = tutor_fail(diag, TUTOR_BAD_INPUT, "%s is no text file of at most 1 MiB", path);
  else status = tutor_progress_parse(progress, n ? text : head, path, diag);
  free(text);
  return status;
}

static bool write_lines(FILE *file, const tutor_progress *progress) {
  for (size_t i = 0; i < progress->n_lines; i++)
    if (fprintf(file, "%s\n", progress->lines[i]) < 0) return false;
  return fflush(file) == 0 && fsync(fileno(file)) == 0;
}

tutor_status tutor_progress_write(const tutor_progress *progress, const char *path,
                                  tutor_diag *diag) {
  char *part = NULL;
  if (asprintf(&part, "%s.%ld", path, (long)getpid()) < 0)
    return tutor_fail(diag, TUTOR_NO_MEMORY, "out of memory");
  FILE *file = fopen(part, "we");
  bool written = file && write_lines(file, progress);
  int error = errno;
  if (file && fclose(file) != 0 && written) written = false, error = errno;
  if (written && rename(part, path) != 0) written = false, error = errno;
  if (!written) unlink(part);
  free(part);
  if (written) return TUTOR_OK;
  return tutor_fail(diag, TUTOR_IO_ERROR, "cannot write %s: %s; your progress was not recorded",
                    path, strerror(error));
}

// --- facts ---------------------------------------------------------------------------------------

static const char *match(const char *line, const char *kind, const char *key) {
  const char *rest = after_word(line, kind);
  return rest ? after_word(rest, key) : NULL;
}

const char *tutor_progress_find(const tutor_progress *progress, const char *kind, const char *key) {
  const char *found = NULL;
  for (size_t i = 0; i < progress->n_lines; i++) {
    const char *rest = match(progress->lines[i], kind, key);
    if (rest) found = rest;
  }
  return found;
}

tutor_status tutor_progress_set(tutor_progress *progress, const char *kind, const char *key,
                                const char *rest, tutor_diag *diag) {
  char line[LINE_BYTES];
  int n = snprintf(line, sizeof line, "%s %s %s", kind, key, rest);
  if (n < 0 || (size_t)n >= sizeof line)
    return tutor_fail(diag, TUTOR_BAD_INPUT, "'%s %.40s' is too long a line", kind, key);
  for (size_t i = 0; i < progress->n_lines; i++) {
    if (!match(progress->lines[i], kind, key)) continue;
    char *copy = strdup(line);
    if (!copy) return tutor_fail(diag, TUTOR_NO_MEMORY, "out of memory");
    free(progress->lines[i]);
    progress->lines[i] = copy;
    return TUTOR_OK;
  }
  return add_line(progress, line, (size_t)n, diag);
}

tutor_lesson_state tutor_progress_lesson(const tutor_progress *progress, const char *lesson) {
  tutor_lesson_state state = {0};
  const char *rest = tutor_progress_find(progress, "lesson", lesson);
  if (!rest || !read_lesson(rest, &state)) return (tutor_lesson_state){0};
  return state;
}

tutor_status tutor_progress_tried(tutor_progress *progress, const char *lesson, unsigned points,
                                  unsigned max_points, const char *date, tutor_diag *diag) {
  char rest[64];
  tutor_lesson_state before = tutor_progress_lesson(progress, lesson);
  if (before.passed) return TUTOR_OK;
  bool passed = max_points > 0 && points == max_points;
  if (before.max_points == max_points && before.points > points) points = before.points;
  snprintf(rest, sizeof rest, "%u of %u %s %s", points, max_points, passed ? "passed" : "open",
           date);
  return tutor_progress_set(progress, "lesson", lesson, rest, diag);
}

void tutor_today(char out[TUTOR_DATE_BYTES]) {
  time_t now = time(NULL);
  struct tm local;
  if (!localtime_r(&now, &local) || strftime(out, TUTOR_DATE_BYTES, "%Y-%m-%d", &local) == 0)
    memcpy(out, "0000-00-00", TUTOR_DATE_BYTES);
}
