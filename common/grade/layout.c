// SPDX-License-Identifier: MIT
// layout.c - names as Moodle, Canvas and Gradescope write them.
// Not handled: platforms whose pages have been changed by an administrator.
#define _GNU_SOURCE
#include "layout.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const archive_endings[] = {
    ".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".zip", ".tar", ".7z", ".gz", ".rar", ".bz2", ".xz"};
enum { N_ENDINGS = sizeof archive_endings / sizeof *archive_endings };

static bool ends_with(const char *name, const char *ending) {
  size_t length = strlen(name), n = strlen(ending);
  return length >= n && strcasecmp(name + length - n, ending) == 0;
}

static size_t without_archive_ending(const char *name) {
  for (size_t i = 0; i < N_ENDINGS; i++)
    if (ends_with(name, archive_endings[i])) return strlen(name) - strlen(archive_endings[i]);
  return 0;
}

bool grade_layout_is_archive(const char *name) { return without_archive_ending(name) > 0; }

bool grade_layout_is_source(const char *name) {
  return ends_with(name, ".cu") || ends_with(name, ".cu.txt");
}

static bool set_owner(grade_owner *owner, const char *name, size_t length, const char *file) {
  if (length == 0 || length >= GRADE_OWNER_BYTES || strlen(file) >= GRADE_OWNER_BYTES) return false;
  if (name[0] == '.') return false;
  memcpy(owner->student, name, length);
  owner->student[length] = '\0';
  snprintf(owner->file, sizeof owner->file, "%s", file);
  return true;
}

static bool is_moodle(const char *name, grade_owner *owner) {
  static const char mark[] = "_assignsubmission_";
  const char *found = strstr(name, mark);
  if (!found) return false;
  const char *file = found + strlen(mark);
  file += strcspn(file, "_"); // "file", "onlinetext"
  return set_owner(owner, name, (size_t)(found - name), *file ? file + 1 : file);
}

// The length of a number that an underscore ends, with that, or 0.
static size_t number_field(const char *at) {
  size_t n = 0;
  while (isdigit((unsigned char)at[n])) n++;
  return n > 0 && at[n] == '_' ? n + 1 : 0;
}

static bool is_canvas(const char *name, grade_owner *owner) {
  size_t length = strcspn(name, "_");
  if (length == 0 || !name[length]) return false;
  const char *rest = name + length + 1;
  bool late = strncmp(rest, "LATE_", 5) == 0;
  if (late) rest += 5;
  size_t user = number_field(rest), submission = user ? number_field(rest + user) : 0;
  if (!submission || !rest[user + submission]) return false;
  char student[GRADE_OWNER_BYTES];
  int n = snprintf(student, sizeof student, "%.*s_%.*s", (int)length, name, (int)user - 1, rest);
  owner->late = late;
  return n < (int)sizeof student &&
         set_owner(owner, student, strlen(student), rest + user + submission);
}

bool grade_layout_owner(const char *name, bool is_folder, grade_owner *owner) {
  *owner = (grade_owner){.late = false};
  if (is_moodle(name, owner)) return is_folder == !*owner->file;
  if (is_folder) return set_owner(owner, name, strlen(name), "");
  if (is_canvas(name, owner)) return true;
  *owner = (grade_owner){.late = false};
  return set_owner(owner, name, without_archive_ending(name), name);
}

// --- Gradescope's list ---------------------------------------------------------------------------

// The value of "  :key: value" in this line, its quotes undone; "" where there is none.
static void value_of(const char *line, const char *key, char value[GRADE_OWNER_BYTES]) {
  size_t n = strcspn(line, "\n"), length = strlen(key);
  const char *at = line + strspn(line, " -"), *end = line + n;
  *value = '\0';
  if (strncmp(at, key, length) != 0) return;
  at += length;
  while (at < end && *at == ' ') at++;
  while (end > at && isspace((unsigned char)end[-1])) end--;
  if (end - at >= 2 && (*at == '\'' || *at == '"') && end[-1] == *at) at++, end--;
  if ((size_t)(end - at) < GRADE_OWNER_BYTES && !memchr(at, '/', (size_t)(end - at)) && *at != '.')
    snprintf(value, GRADE_OWNER_BYTES, "%.*s", (int)(end - at), at);
}

static const char *line_after(const char *line) {
  line += strcspn(line, "\n");
  return line + (*line == '\n');
}

// A submitter is the lines from one "- " to the next, at the same or a smaller indentation.
static bool read_submitter(const char **at, char student[GRADE_OWNER_BYTES]) {
  static const char *const keys[] = {":sid:", ":email:", ":name:"};
  char values[3][GRADE_OWNER_BYTES] = {"", "", ""}, value[GRADE_OWNER_BYTES];
  size_t indent = strspn(*at, " ");
  const char *line = *at;
  do {
    for (size_t k = 0; k < 3; k++) {
      value_of(line, keys[k], value);
      if (*value) memcpy(values[k], value, sizeof value);
    }
    line = line_after(line);
  } while (*line && strspn(line, " ") > indent);
  *at = line;
  for (size_t k = 0; k < 3; k++)
    if (*values[k]) return memcpy(student, values[k], sizeof values[k]), true;
  return false;
}

bool grade_layout_next_submitter(const char **at, char folder[GRADE_OWNER_BYTES],
                                 char student[GRADE_OWNER_BYTES]) {
  while (**at) {
    size_t n = strcspn(*at, ":\n");
    if (strncmp(*at, "submission_", 11) == 0 && (*at)[n] == ':' && n < GRADE_OWNER_BYTES) {
      memcpy(folder, *at, n);
      folder[n] = '\0';
    }
    // Of a submission, what follows its submitters is not about people.
    if (strncmp(*at, "  :", 3) == 0 && strncmp(*at, "  :submitters:", 14) != 0) *folder = '\0';
    if (*folder && strncmp(*at + strspn(*at, " "), "- :", 3) == 0) {
      if (read_submitter(at, student)) return true;
    } else *at = line_after(*at);
  }
  return false;
}
