// SPDX-License-Identifier: MIT
/// @file record.h
/// The suite's plan and its records, both JSON lines, and the rule that joins them: exactly one
/// record per planned check, or a grader error. Pure functions of their text.
#ifndef GRADE_RECORD_H
#define GRADE_RECORD_H

#include "grade.h"

/// Reads `suite --plan`: lines of {"exercise", "check", "max_points", "about"}. On success
/// exercise->checks is the plan, every check without a verdict yet (GRADE_GRADER_ERROR, 0 points).
/// GRADE_BAD_RECORD when a line is malformed, is another exercise's or repeats a check, or when
/// there is none.
grade_status grade_plan_read(grade_exercise *exercise, const char *text, grade_diag *diag);

/// Copies the plan of `from` (no verdicts) into `to`, which must hold no checks.
grade_status grade_plan_copy(grade_exercise *to, const grade_exercise *from);

/// Reads the suite's records {"exercise", "check", "status", "points", "max_points", "reason"[,
/// "hint"]} into the plan. A missing, duplicate or impossible record makes its check a grader
/// error; an unknown one, or text that is no record, makes every check one (the file cannot be
/// trusted) and gives GRADE_BAD_RECORD.
grade_status grade_records_read(grade_exercise *exercise, const char *text, grade_diag *diag);

#endif
