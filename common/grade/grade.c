// SPDX-License-Identifier: MIT
// grade.c - the records of one exercise: totals, names, ownership.
#include "grade.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

grade_status grade_fail(grade_diag *diag, grade_status status, const char *format, ...) {
  if (!diag) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(diag->text, sizeof diag->text, format, arguments);
  va_end(arguments);
  return status;
}

const char *grade_outcome_name(grade_outcome outcome) {
  static const char *const names[] = {"pass", "fail", "grader_error"};
  return names[outcome];
}

const char *grade_state_name(grade_state state) {
  static const char *const names[] = {"judged", "missing", "refused", "not_compiled",
                                      "grader_error"};
  return names[state];
}

char *grade_copy(const char *text) {
  size_t size_bytes = strlen(text) + 1;
  char *copy = malloc(size_bytes);
  if (copy) memcpy(copy, text, size_bytes);
  return copy;
}

void grade_check_forget(grade_check *check) {
  char **const texts[] = {&check->reason, &check->cause,   &check->explanation,
                          &check->file,   &check->same_as, &check->hint};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    free(*texts[i]);
    *texts[i] = NULL;
  }
  check->points = 0;
  check->line = 0;
}

void grade_exercise_free(grade_exercise *exercise) {
  for (size_t i = 0; i < exercise->n_checks; i++) {
    grade_check_forget(&exercise->checks[i]);
    free(exercise->checks[i].about);
  }
  free(exercise->checks);
  free(exercise->message);
  free(exercise->ptx);
  free(exercise->source);
  *exercise = (grade_exercise){.state = GRADE_NOT_JUDGED};
}

unsigned grade_exercise_points(const grade_exercise *exercise) {
  unsigned sum = 0;
  for (size_t i = 0; i < exercise->n_checks; i++) sum += exercise->checks[i].points;
  return sum;
}

unsigned grade_exercise_max_points(const grade_exercise *exercise) {
  unsigned sum = 0;
  for (size_t i = 0; i < exercise->n_checks; i++) sum += exercise->checks[i].max_points;
  return sum;
}

bool grade_exercise_has_grader_error(const grade_exercise *exercise) {
  if (exercise->state == GRADE_NOT_JUDGED) return true;
  for (size_t i = 0; i < exercise->n_checks; i++)
    if (exercise->checks[i].outcome == GRADE_GRADER_ERROR) return true;
  return false;
}

grade_status grade_exercise_decide(grade_exercise *exercise, grade_state state,
                                   const char *reason) {
  exercise->state = state;
  free(exercise->message);
  exercise->message = grade_copy(reason);
  bool complete = exercise->message != NULL;
  for (size_t i = 0; i < exercise->n_checks; i++) {
    grade_check *check = &exercise->checks[i];
    check->outcome = state == GRADE_NOT_JUDGED ? GRADE_GRADER_ERROR : GRADE_FAILED;
    grade_check_forget(check);
    check->reason = grade_copy(reason);
    complete = complete && check->reason;
  }
  return complete ? GRADE_OK : GRADE_NO_MEMORY;
}
