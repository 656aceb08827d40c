// SPDX-License-Identifier: MIT
// roll.c - who there is in a class.
//
// Invariants: names are opaque and never part of a path that the grader writes; the order does not
// depend on the file system.
#define _GNU_SOURCE
#include "roll.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "hash.h"
#include "layout.h"
#include "text.h"

enum { ROSTER_BYTES = 8 << 20, KEPT_BYTES = 40, HASH_DIGITS = 16, FIELD_BYTES = 1024 };

void grade_student_id(char id[GRADE_ID_BYTES], const char *name) {
  size_t n = 0;
  for (; n < KEPT_BYTES && name[n]; n++) {
    unsigned char c = (unsigned char)name[n];
    bool plain = c < 0x80 && (isalnum(c) || c == '_' || (n > 0 && (c == '.' || c == '-')));
    id[n] = plain ? (char)c : '_';
  }
  id[n] = '\0';
  if (n > 0 && strcmp(id, name) == 0) return;
  grade_hash hash;
  char hex[GRADE_HEX_BYTES];
  grade_hash_begin(&hash);
  grade_hash_text(&hash, name);
  grade_hash_end(&hash, hex);
  snprintf(id + n, GRADE_ID_BYTES - n, "-%.*s", HASH_DIGITS, hex);
}

static grade_status add(grade_roll *roll, const char *name, grade_diag *diag) {
  grade_student *students = realloc(roll->students, (roll->n + 1) * sizeof *students);
  if (!students) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  roll->students = students;
  grade_student *s = &students[roll->n];
  *s = (grade_student){.name = grade_copy(name), .selected = true};
  if (!s->name) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  grade_text_safe(s->shown, sizeof s->shown, name);
  grade_student_id(s->id, name);
  roll->n++;
  return GRADE_OK;
}

static grade_student *find(const grade_roll *roll, const char *name) {
  for (size_t i = 0; i < roll->n; i++)
    if (strcmp(roll->students[i].name, name) == 0) return &roll->students[i];
  return NULL;
}

// --- the roster ----------------------------------------------------------------------------------

// A roster being read: RFC 4180, but that a spreadsheet may have put semicolons or tabs for commas,
// and carriage returns for line ends.
typedef struct roster_text {
  const char *at;
  char separator;
  unsigned line;  // that `at` is in, from 1
  bool is_broken; // the text ended within quotes
} roster_text;

static bool ends_field(const roster_text *r, char c) {
  return !c || c == r->separator || c == '\n' || c == '\r';
}

// Cuts the next field off into `field`. False: the line's last one.
static bool next_field(roster_text *r, char field[FIELD_BYTES]) {
  size_t n = 0;
  bool quoted = *r->at == '"', closed = !quoted;
  if (quoted) r->at++;
  for (; *r->at && (!closed || !ends_field(r, *r->at)); r->at++) {
    if (quoted && !closed && *r->at == '"') {
      if (r->at[1] != '"') {
        closed = true;
        continue;
      }
      r->at++;
    }
    if (n + 1 < FIELD_BYTES) field[n++] = *r->at;
  }
  field[n] = '\0';
  r->is_broken = r->is_broken || !closed;
  const bool more = *r->at == r->separator;
  if (!more) r->line++;
  if (*r->at == '\r' && r->at[1] == '\n') r->at++;
  if (*r->at) r->at++;
  return more;
}

// The number of the column that holds folders' names, or -1.
static int id_column(roster_text *r) {
  char field[FIELD_BYTES];
  int found = -1;
  bool more = true;
  for (int column = 0; more; column++) {
    more = next_field(r, field);
    if (found < 0 && (strcasecmp(field, "id") == 0 || strcasecmp(field, "student") == 0))
      found = column;
  }
  return found;
}

static grade_status read_lines(grade_roll *roll, const char *path, roster_text *r, int wanted,
                               grade_diag *diag) {
  char field[FIELD_BYTES];
  grade_status status = GRADE_OK;
  while (*r->at && !status) {
    char name[FIELD_BYTES] = "";
    bool more = true;
    const unsigned line = r->line;
    for (int column = 0; more; column++) {
      more = next_field(r, field);
      if (column == wanted) memcpy(name, field, sizeof name);
    }
    if (r->is_broken)
      return grade_fail(diag, GRADE_IO_ERROR, "%s:%u: a quote (\") is not closed", path, line);
    if (!*name) continue;
    if (find(roll, name))
      return grade_fail(diag, GRADE_IO_ERROR, "%s:%u: '%s' is on the roster twice", path, line,
                        name);
    status = add(roll, name, diag);
  }
  return status;
}

static grade_status read_roster(grade_roll *roll, const char *path, grade_diag *diag) {
  errno = 0;
  char *text = grade_file_read(path, ROSTER_BYTES);
  if (!text)
    return grade_fail(diag, GRADE_IO_ERROR, "cannot read the roster '%s': %s", path,
                      errno ? strerror(errno) : "it is no text in UTF-8; save it as CSV (UTF-8)");
  const char *start = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
  static const char separators[] = ",;\t";
  roster_text r = {.at = start};
  int wanted = -1;
  for (const char *one = separators; *one && wanted < 0; one++) {
    r = (roster_text){.at = start, .separator = *one, .line = 1};
    wanted = id_column(&r);
  }
  grade_status status =
      wanted < 0 ? grade_fail(diag, GRADE_IO_ERROR,
                              "%s:1: no column of the roster is named 'id' or 'student'; it must "
                              "hold the names of the submissions' folders",
                              path)
                 : read_lines(roll, path, &r, wanted, diag);
  free(text);
  return status;
}

// --- the folder ----------------------------------------------------------------------------------

// Every entry but hidden ones and plain files (a README beside the folders is no submission);
// links, archives and oddities are listed, and said to be what they are later.
static bool is_submission(int folder, const char *name) {
  struct stat info;
  if (name[0] == '.' || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return !S_ISREG(info.st_mode) || grade_layout_is_archive(name);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const grade_student *)a)->name, ((const grade_student *)b)->name);
}

static grade_status read_folder(grade_roll *roll, int folder, bool has_roster, grade_diag *diag) {
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
  if (!dir) return grade_fail(diag, GRADE_IO_ERROR, "cannot list it: %s", strerror(errno));
  grade_status status = GRADE_OK;
  size_t n_listed = roll->n;
  for (struct dirent *entry; !status && (entry = readdir(dir));) {
    if (!is_submission(folder, entry->d_name)) continue;
    grade_student *known = find(roll, entry->d_name);
    if (!known) {
      status = add(roll, entry->d_name, diag);
      if (!status) roll->students[roll->n - 1].unlisted = has_roster;
      known = status ? NULL : &roll->students[roll->n - 1];
    }
    if (known) known->present = true;
  }
  closedir(dir);
  if (roll->n > n_listed)
    qsort(roll->students + n_listed, roll->n - n_listed, sizeof *roll->students, by_name);
  return status;
}

grade_status grade_roll_read(grade_roll *roll, int folder, const char *roster, grade_diag *diag) {
  *roll = (grade_roll){.n = 0};
  grade_status status = roster ? read_roster(roll, roster, diag) : GRADE_OK;
  return status ? status : read_folder(roll, folder, roster != NULL, diag);
}

size_t grade_roll_select(grade_roll *roll, const char *student, unsigned shard, unsigned n_shards) {
  size_t n_present = 0, n_selected = 0;
  for (size_t i = 0; i < roll->n; i++) {
    grade_student *s = &roll->students[i];
    s->selected = s->present && (!student || strcmp(s->name, student) == 0);
    if (s->selected) s->selected = n_present++ % n_shards == shard - 1;
    n_selected += s->selected;
  }
  return n_selected;
}

void grade_roll_free(grade_roll *roll) {
  for (size_t i = 0; i < roll->n; i++) free(roll->students[i].name);
  free(roll->students);
  *roll = (grade_roll){.n = 0};
}
