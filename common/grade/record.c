// SPDX-License-Identifier: MIT
// record.c - JSON lines of the suite in, verdicts out.
// Invariant: a check passes only by one well-formed record of its own with full points.
#include "record.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct line_reader {
  const char *at;
  unsigned number; // of the line last given
} line_reader;

// The next non-empty line's object. False at the end of the text; *object NULL: not JSON.
static bool next_object(line_reader *reader, cJSON **object) {
  while (*reader->at) {
    const char *start = reader->at;
    size_t length = strcspn(start, "\n");
    reader->at += length + (start[length] == '\n');
    reader->number++;
    if (strspn(start, " \t\r") >= length) continue;
    const char *end = NULL;
    *object = cJSON_ParseWithLengthOpts(start, length, &end, false);
    if (*object &&
        (!cJSON_IsObject(*object) || strspn(end, " \t\r") < (size_t)(start + length - end))) {
      cJSON_Delete(*object);
      *object = NULL;
    }
    return true;
  }
  return false;
}

static const char *text_of(const cJSON *object, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

// Points as a small whole number; false for anything else.
static bool points_of(const cJSON *object, const char *key, unsigned *points) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  double value = cJSON_IsNumber(item) ? cJSON_GetNumberValue(item) : -1;
  if (!(value >= 0 && value <= 100000)) return false;
  *points = (unsigned)value;
  return (double)*points == value;
}

static grade_check *find_check(const grade_exercise *exercise, const char *name) {
  for (size_t i = 0; name && i < exercise->n_checks; i++)
    if (strcmp(exercise->checks[i].name, name) == 0) return &exercise->checks[i];
  return NULL;
}

static bool is_of(const grade_exercise *exercise, const cJSON *object) {
  const char *name = text_of(object, "exercise");
  return name && strcmp(name, exercise->name) == 0;
}

static grade_status add_planned(grade_exercise *exercise, const cJSON *object, grade_diag *diag,
                                unsigned line) {
  const char *name = text_of(object, "check"), *about = text_of(object, "about");
  grade_check check = {.outcome = GRADE_GRADER_ERROR};
  if (!object || !is_of(exercise, object) || !name || strlen(name) >= sizeof check.name ||
      !points_of(object, "max_points", &check.max_points))
    return grade_fail(diag, GRADE_BAD_RECORD, "line %u of the plan is not a planned check of %s",
                      line, exercise->name);
  if (find_check(exercise, name))
    return grade_fail(diag, GRADE_BAD_RECORD, "the plan names '%s' twice", name);
  grade_check *checks =
      realloc(exercise->checks, (exercise->n_checks + 1) * sizeof *exercise->checks);
  if (!checks) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  exercise->checks = checks;
  memcpy(check.name, name, strlen(name) + 1);
  const char *visibility = text_of(object, "visibility");
  check.hidden = visibility && strcmp(visibility, "shown") != 0;
  snprintf(check.visibility, sizeof check.visibility, "%s", visibility ? visibility : "shown");
  check.about = grade_copy(about ? about : "");
  checks[exercise->n_checks++] = check;
  return check.about ? GRADE_OK : grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
}

grade_status grade_plan_read(grade_exercise *exercise, const char *text, grade_diag *diag) {
  line_reader reader = {.at = text};
  cJSON *object = NULL;
  while (next_object(&reader, &object)) {
    grade_status status = add_planned(exercise, object, diag, reader.number);
    cJSON_Delete(object);
    if (status) return status;
  }
  if (exercise->n_checks == 0)
    return grade_fail(diag, GRADE_BAD_RECORD, "the suite of %s plans no checks", exercise->name);
  return GRADE_OK;
}

grade_status grade_plan_copy(grade_exercise *to, const grade_exercise *from) {
  memcpy(to->name, from->name, sizeof to->name);
  memcpy(to->judge, from->judge, sizeof to->judge);
  memcpy(to->counts, from->counts, sizeof to->counts);
  to->checks = calloc(from->n_checks ? from->n_checks : 1, sizeof *to->checks);
  if (!to->checks) return GRADE_NO_MEMORY;
  for (size_t i = 0; i < from->n_checks; i++) {
    grade_check *check = &to->checks[to->n_checks++];
    *check = (grade_check){.max_points = from->checks[i].max_points,
                           .outcome = GRADE_GRADER_ERROR,
                           .hidden = from->checks[i].hidden};
    memcpy(check->name, from->checks[i].name, sizeof check->name);
    memcpy(check->visibility, from->checks[i].visibility, sizeof check->visibility);
    check->about = grade_copy(from->checks[i].about);
    if (!check->about) return GRADE_NO_MEMORY;
  }
  return GRADE_OK;
}

// Makes one check a grader error; what it had is forgotten.
static void distrust(grade_check *check, const char *why) {
  check->outcome = GRADE_GRADER_ERROR;
  grade_check_forget(check);
  check->reason = grade_copy(why);
}

static char *copy_of(const cJSON *object, const char *key) {
  const char *text = text_of(object, key);
  return text && *text ? grade_copy(text) : NULL;
}

static void take_texts(grade_check *check, const cJSON *object) {
  check->reason = copy_of(object, "reason");
  check->cause = copy_of(object, "cause");
  check->explanation = copy_of(object, "explanation");
  check->file = copy_of(object, "file");
  check->same_as = copy_of(object, "same_as");
  check->hint = copy_of(object, "hint");
  if (!points_of(object, "line", &check->line)) check->line = 0;
}

// Whether status and points agree with each other and with the plan.
static bool take_verdict(grade_check *check, const cJSON *object) {
  unsigned points = 0, max_points = 0;
  const char *status = text_of(object, "status");
  if (!status || !points_of(object, "points", &points) ||
      !points_of(object, "max_points", &max_points) || max_points != check->max_points)
    return false;
  if (strcmp(status, "pass") == 0 && points == max_points) check->outcome = GRADE_PASSED;
  else if (strcmp(status, "fail") == 0 && points < max_points + (max_points == 0))
    check->outcome = GRADE_FAILED;
  else if (strcmp(status, "error") == 0 && points == 0) check->outcome = GRADE_GRADER_ERROR;
  else return false;
  grade_check_forget(check);
  check->points = points;
  take_texts(check, object);
  return true;
}

static grade_status distrust_all(grade_exercise *exercise, grade_diag *diag, unsigned line) {
  for (size_t i = 0; i < exercise->n_checks; i++)
    distrust(&exercise->checks[i], "the suite's records cannot be trusted");
  return grade_fail(diag, GRADE_BAD_RECORD,
                    "line %u of the results is no record of a planned check", line);
}

grade_status grade_records_read(grade_exercise *exercise, const char *text, grade_diag *diag) {
  line_reader reader = {.at = text};
  cJSON *object = NULL;
  bool *seen = calloc(exercise->n_checks + 1, sizeof *seen);
  if (!seen) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  grade_status status = GRADE_OK;
  while (!status && next_object(&reader, &object)) {
    grade_check *check =
        object && is_of(exercise, object) ? find_check(exercise, text_of(object, "check")) : NULL;
    size_t index = check ? (size_t)(check - exercise->checks) : 0;
    if (!check) status = distrust_all(exercise, diag, reader.number);
    else if (seen[index]) distrust(check, "the suite gave more than one record for this check");
    else if (!take_verdict(check, object)) distrust(check, "the suite's record makes no sense");
    if (check) seen[index] = true;
    cJSON_Delete(object);
  }
  for (size_t i = 0; !status && i < exercise->n_checks; i++)
    if (!seen[i]) distrust(&exercise->checks[i], "the suite gave no record for this check");
  free(seen);
  if (!status) exercise->state = GRADE_JUDGED;
  return status;
}
