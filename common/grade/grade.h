// SPDX-License-Identifier: MIT
/// @file grade.h
/// What the grader knows about one exercise of one submission, and the statuses of its functions.
///
/// The grader compiles a submission's *device side only* to PTX and lets a trusted suite launch its
/// kernels; a submission's host code never runs. Only the suite writes verdicts, and a verdict that
/// does not match the suite's plan exactly is a grader error: never a pass and never a zero.
#ifndef GRADE_H
#define GRADE_H

#include <stdbool.h>
#include <stddef.h>

enum {
  GRADE_NAME_BYTES = 64,
  GRADE_TEXT_BYTES = 1024,
  GRADE_JUDGE_BYTES = 65,
  GRADE_VISIBILITY_BYTES = 20
};

typedef enum grade_status {
  GRADE_OK = 0,
  GRADE_NO_MEMORY,
  GRADE_IO_ERROR,   ///< a file of the grader's own could not be read or written
  GRADE_BAD_RECORD, ///< the suite's records do not match its plan
  GRADE_NOT_STARTED ///< a program of the grader's own could not be started
} grade_status;

/// Caller-owned explanation of a failure; always NUL-terminated, truncated when too long.
typedef struct grade_diag {
  char text[GRADE_TEXT_BYTES];
} grade_diag;

/// Fills `diag` (may be NULL) printf-style and returns `status`.
grade_status grade_fail(grade_diag *diag, grade_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

typedef enum grade_outcome { GRADE_PASSED, GRADE_FAILED, GRADE_GRADER_ERROR } grade_outcome;
const char *grade_outcome_name(grade_outcome outcome); ///< "pass", "fail", "grader_error"

/// One planned check and its verdict. All strings are owned by the check; NULL: none.
typedef struct grade_check {
  char name[GRADE_NAME_BYTES];
  unsigned max_points, points;
  grade_outcome outcome;
  char *about, *reason; ///< what holds when it passes; what happened when it did not
  /// Of the failure, as the suite records it (common/workbook/judge_report.c): the cause's name,
  /// what explains it, where it is, the earlier check that fails for the same cause, the next step.
  char *cause, *explanation, *file, *same_as, *hint;
  unsigned line; ///< 0: unknown
  bool hidden;   ///< the plan's: a student learns the verdict, not the reason
  char visibility[GRADE_VISIBILITY_BYTES]; ///< the plan's word: shown, hidden, after_due
} grade_check;

typedef enum grade_state {
  GRADE_JUDGED,       ///< the suite has run
  GRADE_MISSING,      ///< no such file: 0 points
  GRADE_REFUSED,      ///< not a regular file, too large, includes a solution, ...: 0 points
  GRADE_NOT_COMPILED, ///< 0 points
  GRADE_NOT_JUDGED    ///< the grader's own fault: no points, no zero
} grade_state;
const char *grade_state_name(grade_state state); ///< "judged", "missing", ...

/// One exercise of one submission.
typedef struct grade_exercise {
  char name[GRADE_NAME_BYTES]; ///< "01_shared_tree"
  /// Hash (hash.h) of all that its verdicts depend on besides the submission: the plan's; "" where
  /// it has not been worked out.
  char judge[GRADE_JUDGE_BYTES];
  char counts[GRADE_JUDGE_BYTES]; ///< names the solution's counts (judge.h); "": there are none
  grade_state state;
  char *message;       ///< why it is not judged, or NULL; owned
  grade_check *checks; ///< [n_checks], the plan's order; owned
  size_t n_checks;
  double cpu_s; ///< processor time of compiler and suite; no verdict depends on it
  char *ptx;    ///< the module's instructions, to be compared with others'; NULL: none; owned
  char *source; ///< of a table's row: the text as it is now; NULL: none; owned
} grade_exercise;

/// Frees all that a verdict says; the plan's part stays.
void grade_check_forget(grade_check *check);
void grade_exercise_free(grade_exercise *exercise);
unsigned grade_exercise_points(const grade_exercise *exercise);
unsigned grade_exercise_max_points(const grade_exercise *exercise);
/// Whether any verdict in it is a grader error: then its points are not final.
bool grade_exercise_has_grader_error(const grade_exercise *exercise);
/// Gives every check of the plan the same verdict: 0 points and `reason`.
grade_status grade_exercise_decide(grade_exercise *exercise, grade_state state, const char *reason);

/// malloc'ed copy, or NULL.
char *grade_copy(const char *text);

#endif
