// SPDX-License-Identifier: MIT
// store.c - one file per verdict: [folder]/<key>.json.
//
// Invariants: a file is written whole (grade_file_write) and names its key, its student and its
// exercise, which are compared when it is read; a digest of the verdict finds damage. Whatever is
// not exactly right counts as absent, and the submission is judged again.
#define _GNU_SOURCE
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "text.h"

enum { VERDICT_BYTES = 16 << 20, NAME_BYTES = 1100 };

void grade_store_key(grade_subject *subject, const grade_exercise *exercise) {
  grade_hash hash;
  grade_hash_begin(&hash);
  grade_hash_text(&hash, "verdict 1");
  grade_hash_text(&hash, subject->student);
  grade_hash_text(&hash, exercise->name);
  grade_hash_text(&hash, subject->judge);
  grade_hash_number(&hash, subject->size_bytes);
  grade_hash_bytes(&hash, subject->text, subject->size_bytes);
  grade_hash_end(&hash, subject->key);
}

static char *path_of(const char *folder, const grade_subject *subject) {
  char *path = NULL;
  return asprintf(&path, "%s/%s.json", folder, subject->key) < 0 ? NULL : path;
}

void grade_store_forget(const char *folder, const grade_subject *subject) {
  char *path = path_of(folder, subject);
  if (path) unlink(path);
  free(path);
}

// --- an exercise as JSON -----------------------------------------------------------------------

static void add_text(cJSON *json, const char *key, const char *text) {
  if (text) cJSON_AddStringToObject(json, key, text);
}

static cJSON *json_check(const char *exercise, const grade_check *check) {
  cJSON *json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "exercise", exercise);
  cJSON_AddStringToObject(json, "check", check->name);
  cJSON_AddStringToObject(json, "status", grade_outcome_name(check->outcome));
  cJSON_AddNumberToObject(json, "points", check->points);
  cJSON_AddNumberToObject(json, "max_points", check->max_points);
  cJSON_AddStringToObject(json, "visibility", check->visibility);
  cJSON_AddStringToObject(json, "about", check->about ? check->about : "");
  cJSON_AddStringToObject(json, "reason", check->reason ? check->reason : "");
  add_text(json, "cause", check->cause);
  add_text(json, "explanation", check->explanation);
  add_text(json, "file", check->file);
  if (check->line) cJSON_AddNumberToObject(json, "line", check->line);
  add_text(json, "same_as", check->same_as);
  add_text(json, "hint", check->hint);
  return json;
}

cJSON *grade_exercise_to_json(const grade_exercise *exercise) {
  cJSON *json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "exercise", exercise->name);
  cJSON_AddStringToObject(json, "state", grade_state_name(exercise->state));
  cJSON_AddNumberToObject(json, "points", grade_exercise_points(exercise));
  cJSON_AddNumberToObject(json, "max_points", grade_exercise_max_points(exercise));
  cJSON_AddBoolToObject(json, "grader_error", grade_exercise_has_grader_error(exercise));
  cJSON_AddStringToObject(json, "message", exercise->message ? exercise->message : "");
  cJSON *checks = cJSON_AddArrayToObject(json, "checks");
  for (size_t i = 0; i < exercise->n_checks; i++)
    cJSON_AddItemToArray(checks, json_check(exercise->name, &exercise->checks[i]));
  return json;
}

// --- back ----------------------------------------------------------------------------------------

static const char *text_of(const cJSON *json, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
}

static bool is_text(const cJSON *json, const char *key, const char *wanted) {
  const char *text = text_of(json, key);
  return text && strcmp(text, wanted) == 0;
}

static bool number_of(const cJSON *json, const char *key, unsigned *value) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
  double number = cJSON_IsNumber(item) ? cJSON_GetNumberValue(item) : -1;
  if (!(number >= 0 && number <= 1e6)) return false;
  *value = (unsigned)number;
  return (double)*value == number;
}

static bool take(char **to, const cJSON *json, const char *key) {
  const char *text = text_of(json, key);
  *to = text && *text ? grade_copy(text) : NULL;
  return *to || !text || !*text;
}

static bool read_outcome(const cJSON *json, grade_outcome *outcome) {
  for (int o = GRADE_PASSED; o <= GRADE_GRADER_ERROR; o++)
    if (is_text(json, "status", grade_outcome_name((grade_outcome)o))) {
      *outcome = (grade_outcome)o;
      return true;
    }
  return false;
}

// `check` has its plan's name and maximum.
static bool read_check(grade_check *check, const cJSON *json) {
  unsigned max_points = 0;
  if (!is_text(json, "check", check->name) || !number_of(json, "max_points", &max_points) ||
      !number_of(json, "points", &check->points) || max_points != check->max_points ||
      check->points > max_points || !read_outcome(json, &check->outcome))
    return false;
  if (cJSON_HasObjectItem(json, "line") && !number_of(json, "line", &check->line)) return false;
  bool whole = take(&check->reason, json, "reason");
  whole = take(&check->cause, json, "cause") && whole;
  whole = take(&check->explanation, json, "explanation") && whole;
  whole = take(&check->file, json, "file") && whole;
  whole = take(&check->same_as, json, "same_as") && whole;
  return take(&check->hint, json, "hint") && whole;
}

static bool read_state(const cJSON *json, grade_state *state) {
  for (int s = GRADE_JUDGED; s <= GRADE_NOT_JUDGED; s++)
    if (is_text(json, "state", grade_state_name((grade_state)s))) {
      *state = (grade_state)s;
      return true;
    }
  return false;
}

static void forget_verdicts(grade_exercise *exercise) {
  for (size_t i = 0; i < exercise->n_checks; i++) {
    grade_check_forget(&exercise->checks[i]);
    exercise->checks[i].outcome = GRADE_GRADER_ERROR;
  }
  free(exercise->message);
  free(exercise->ptx);
  exercise->message = exercise->ptx = NULL;
  exercise->state = GRADE_NOT_JUDGED;
}

static bool read_exercise(grade_exercise *exercise, const cJSON *json) {
  const cJSON *checks = cJSON_GetObjectItemCaseSensitive(json, "checks"), *one = NULL;
  bool fits = is_text(json, "exercise", exercise->name) && read_state(json, &exercise->state) &&
              take(&exercise->message, json, "message") &&
              (size_t)cJSON_GetArraySize(checks) == exercise->n_checks;
  size_t i = 0;
  cJSON_ArrayForEach (one, checks) {
    fits = fits && i < exercise->n_checks && read_check(&exercise->checks[i], one);
    i++;
  }
  if (!fits) forget_verdicts(exercise);
  return fits;
}

// --- files ---------------------------------------------------------------------------------------

static void digest_of(const cJSON *verdict, const char *ptx, char hex[GRADE_HEX_BYTES]) {
  grade_hash hash;
  char *text = cJSON_PrintUnformatted(verdict);
  grade_hash_begin(&hash);
  grade_hash_text(&hash, text);
  grade_hash_text(&hash, ptx);
  grade_hash_end(&hash, hex);
  cJSON_free(text);
}

grade_status grade_store_save(const char *folder, const grade_subject *subject,
                              const grade_exercise *exercise, grade_diag *diag) {
  char digest[GRADE_HEX_BYTES], student[NAME_BYTES], *path = path_of(folder, subject);
  cJSON *json = cJSON_CreateObject(), *verdict = grade_exercise_to_json(exercise);
  digest_of(verdict, exercise->ptx, digest);
  cJSON_AddStringToObject(json, "key", subject->key);
  cJSON_AddStringToObject(json, "student",
                          grade_text_safe(student, sizeof student, subject->student));
  cJSON_AddStringToObject(json, "digest", digest);
  cJSON_AddNumberToObject(json, "cpu_s", exercise->cpu_s);
  add_text(json, "ptx", exercise->ptx);
  cJSON_AddItemToObject(json, "verdict", verdict);
  char *text = cJSON_Print(json);
  grade_status status = path && text ? grade_file_write(path, text, diag)
                                     : grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  cJSON_free(text);
  cJSON_Delete(json);
  free(path);
  return status;
}

bool grade_store_load(const char *folder, const grade_subject *subject, grade_exercise *exercise) {
  char digest[GRADE_HEX_BYTES], student[NAME_BYTES], *path = path_of(folder, subject);
  char *text = path ? grade_file_read(path, VERDICT_BYTES) : NULL;
  cJSON *json = text ? cJSON_Parse(text) : NULL;
  const cJSON *verdict = cJSON_GetObjectItemCaseSensitive(json, "verdict");
  bool found = cJSON_IsObject(verdict) && is_text(json, "key", subject->key) &&
               is_text(json, "student", grade_text_safe(student, sizeof student, subject->student));
  if (found) {
    digest_of(verdict, text_of(json, "ptx"), digest);
    found = is_text(json, "digest", digest) && read_exercise(exercise, verdict);
    found = found && take(&exercise->ptx, json, "ptx");
    const cJSON *cpu_s = cJSON_GetObjectItemCaseSensitive(json, "cpu_s");
    exercise->cpu_s = cJSON_IsNumber(cpu_s) ? cJSON_GetNumberValue(cpu_s) : 0;
  }
  cJSON_Delete(json);
  free(text);
  free(path);
  return found;
}
