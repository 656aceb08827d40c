// SPDX-License-Identifier: MIT
// report.c - results for people (80 columns) and for programs (JSON).
#define _GNU_SOURCE
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files.h"
#include "fence.h"
#include "store.h"

enum { COLUMNS = 80 };

static void write_file(void *file, const char *text, size_t n_bytes) {
  fwrite(text, 1, n_bytes, (FILE *)file);
}

// Every line indented.
static void print_wrapped(FILE *out, int indent, const char *text) {
  const simt_sink sink = {.write = write_file, .data = out};
  simt_print_wrapped(&sink, text, COLUMNS, indent, indent);
}

// The first line of what happened, and its cause, unless an earlier check has shown the same one.
static void print_reason(FILE *out, const grade_check *check) {
  char text[1400];
  snprintf(text, sizeof text, "%.*s%s%s%s", (int)strcspn(check->reason, "\n"), check->reason,
           check->same_as ? " (same cause as " : "", check->same_as ? check->same_as : "",
           check->same_as ? ")" : "");
  print_wrapped(out, 6, text);
  if (!check->explanation || check->same_as) return;
  snprintf(text, sizeof text, "likely cause: %.*s", (int)strcspn(check->explanation, "\n"),
           check->explanation);
  print_wrapped(out, 6, text);
}

static void print_exercise(FILE *out, const grade_exercise *exercise) {
  char points[64];
  if (grade_exercise_has_grader_error(exercise)) snprintf(points, sizeof points, "not judged");
  else
    snprintf(points, sizeof points, "%u of %u points", grade_exercise_points(exercise),
             grade_exercise_max_points(exercise));
  fprintf(out, "%-40s %38s\n", exercise->name, points);
  if (exercise->message) print_wrapped(out, 4, exercise->message);
  if (exercise->state != GRADE_JUDGED) return;
  for (size_t i = 0; i < exercise->n_checks; i++) {
    const grade_check *check = &exercise->checks[i];
    static const char *const marks[] = {"ok", "FAIL", "ERROR"};
    fprintf(out, "  %-5s %-20s %3u/%-3u %s\n", marks[check->outcome], check->name, check->points,
            check->max_points, check->about ? check->about : "");
    if (check->outcome != GRADE_PASSED && check->hidden) fputs("      (why is not shown)\n", out);
    else if (check->outcome != GRADE_PASSED && check->reason) print_reason(out, check);
  }
}

void grade_report_table(FILE *out, const grade_submission *submission) {
  unsigned points = 0, max_points = 0;
  bool error = false;
  for (size_t i = 0; i < submission->n_exercises; i++) {
    print_exercise(out, &submission->exercises[i]);
    points += grade_exercise_points(&submission->exercises[i]);
    max_points += grade_exercise_max_points(&submission->exercises[i]);
    error = error || grade_exercise_has_grader_error(&submission->exercises[i]);
  }
  char total[64];
  snprintf(total, sizeof total, "%u of %u points", points, max_points);
  fprintf(out, "%-40s %38s\n", "Together", total);
  if (error)
    fputs("Some checks could not be judged: that is the grader's fault, not the submission's.\n",
          out);
}

// --- JSON ----------------------------------------------------------------------------------------

cJSON *grade_report_json(const grade_submission *submission, const char *seed) {
  unsigned points = 0, max_points = 0, errors = 0;
  cJSON *json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "student", submission->student);
  if (submission->id) cJSON_AddStringToObject(json, "id", submission->id);
  if (submission->status) cJSON_AddStringToObject(json, "status", submission->status);
  cJSON_AddStringToObject(json, "sandbox", grade_fence_name(grade_fence_current()));
  cJSON_AddStringToObject(json, "seed", seed);
  cJSON *exercises = cJSON_AddArrayToObject(json, "exercises");
  for (size_t i = 0; i < submission->n_exercises; i++) {
    const grade_exercise *exercise = &submission->exercises[i];
    points += grade_exercise_points(exercise);
    max_points += grade_exercise_max_points(exercise);
    errors += grade_exercise_has_grader_error(exercise);
    cJSON_AddItemToArray(exercises, grade_exercise_to_json(exercise));
  }
  cJSON_AddNumberToObject(json, "points", points);
  cJSON_AddNumberToObject(json, "max_points", max_points);
  cJSON_AddNumberToObject(json, "grader_errors", errors);
  return json;
}

// --- files ---------------------------------------------------------------------------------------

grade_status grade_report_write_json(const char *path, const cJSON *json, grade_diag *diag) {
  char *text = json ? cJSON_Print(json) : NULL;
  if (!text) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  grade_status status = grade_file_write(path, text, diag);
  cJSON_free(text);
  return status;
}
