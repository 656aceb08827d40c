// SPDX-License-Identifier: MIT
// results.c - reads the grader's results.json.
#define _GNU_SOURCE
#include "results.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT_BYTES = 8 << 20 };

static const char *text_of(const cJSON *object, const char *key) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
  return text ? text : "";
}

// A whole number from 0 to a million; anything else is 0.
static unsigned number_of(const cJSON *object, const char *key) {
  double value = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, key));
  return value >= 0 && value <= 1e6 ? (unsigned)value : 0;
}

static bool copy(char **out, const cJSON *object, const char *key) {
  *out = strdup(text_of(object, key));
  return *out != NULL;
}

static bool outcome_of(const cJSON *object, tutor_outcome *outcome) {
  static const char *const names[] = {"pass", "fail", "grader_error"};
  const char *status = text_of(object, "status");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(status, names[i]) == 0) return *outcome = (tutor_outcome)i, true;
  return false;
}

static tutor_status read_check(tutor_check *check, const cJSON *json, const char *name,
                               tutor_diag *diag) {
  if (!copy(&check->name, json, "check") || !copy(&check->about, json, "about") ||
      !copy(&check->reason, json, "reason") || !copy(&check->explanation, json, "explanation") ||
      !copy(&check->file, json, "file") || !copy(&check->same_as, json, "same_as") ||
      !copy(&check->hint, json, "hint"))
    return tutor_fail(diag, TUTOR_NO_MEMORY, "out of memory");
  check->points = number_of(json, "points");
  check->max_points = number_of(json, "max_points");
  check->line = number_of(json, "line");
  if (*check->name && outcome_of(json, &check->outcome)) return TUTOR_OK;
  return tutor_fail(diag, TUTOR_BAD_INPUT, "%s: a check without a name or a status", name);
}

static tutor_status read_exercise(tutor_result *result, const cJSON *json, const char *name,
                                  tutor_diag *diag) {
  const cJSON *checks = cJSON_GetObjectItemCaseSensitive(json, "checks"), *check;
  int n = snprintf(result->name, sizeof result->name, "%s", text_of(json, "exercise"));
  if (n <= 0 || (size_t)n >= sizeof result->name || !cJSON_IsArray(checks))
    return tutor_fail(diag, TUTOR_BAD_INPUT, "%s: an exercise without a name or checks", name);
  result->judged = strcmp(text_of(json, "state"), "judged") == 0;
  result->grader_error = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "grader_error"));
  result->points = number_of(json, "points");
  result->max_points = number_of(json, "max_points");
  size_t n_checks = (size_t)cJSON_GetArraySize(checks);
  result->checks = calloc(n_checks + 1, sizeof *result->checks);
  if (!result->checks || !copy(&result->message, json, "message"))
    return tutor_fail(diag, TUTOR_NO_MEMORY, "out of memory");
  cJSON_ArrayForEach (check, checks) {
    tutor_status status = read_check(&result->checks[result->n_checks++], check, name, diag);
    if (status) return status;
  }
  return TUTOR_OK;
}

static tutor_status read_exercises(tutor_results *results, const cJSON *json, const char *name,
                                   tutor_diag *diag) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "exercises"), *exercise;
  if (!cJSON_IsArray(list))
    return tutor_fail(diag, TUTOR_BAD_INPUT, "%s: no list of exercises", name);
  results->exercises = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *results->exercises);
  if (!results->exercises) return tutor_fail(diag, TUTOR_NO_MEMORY, "out of memory");
  cJSON_ArrayForEach (exercise, list) {
    tutor_result *result = &results->exercises[results->n_exercises++];
    tutor_status status = read_exercise(result, exercise, name, diag);
    if (status) return status;
  }
  return TUTOR_OK;
}

tutor_status tutor_results_parse(tutor_results *results, const char *text, const char *name,
                                 tutor_diag *diag) {
  *results = (tutor_results){0};
  cJSON *json = cJSON_Parse(text);
  if (!json) return tutor_fail(diag, TUTOR_BAD_INPUT, "%s is not JSON", name);
  tutor_status status = read_exercises(results, json, name, diag);
  cJSON_Delete(json);
  return status;
}

tutor_status tutor_results_read(tutor_results *results, const char *path, tutor_diag *diag) {
  *results = (tutor_results){0};
  FILE *file = fopen(path, "re");
  if (!file) return tutor_fail(diag, TUTOR_IO_ERROR, "cannot read %s: %s", path, strerror(errno));
  char *text = malloc(FILE_LIMIT_BYTES + 1);
  size_t n = text ? fread(text, 1, FILE_LIMIT_BYTES, file) : 0;
  fclose(file);
  if (!text) return tutor_fail(diag, TUTOR_NO_MEMORY, "out of memory");
  text[n] = '\0';
  tutor_status status = tutor_results_parse(results, text, path, diag);
  free(text);
  return status;
}

static void free_check(tutor_check *check) {
  char *const texts[] = {check->name, check->about,   check->reason, check->explanation,
                         check->file, check->same_as, check->hint};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
}

void tutor_results_free(tutor_results *results) {
  for (size_t i = 0; i < results->n_exercises; i++) {
    tutor_result *result = &results->exercises[i];
    for (size_t k = 0; k < result->n_checks; k++) free_check(&result->checks[k]);
    free(result->checks);
    free(result->message);
  }
  free(results->exercises);
  *results = (tutor_results){0};
}

bool tutor_result_passed(const tutor_result *result) {
  bool passed = result->judged && !result->grader_error && result->n_checks > 0;
  for (size_t i = 0; i < result->n_checks; i++)
    passed = passed && result->checks[i].outcome == TUTOR_PASSED;
  return passed;
}
