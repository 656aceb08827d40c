// SPDX-License-Identifier: MIT
/// @file report.h
/// What people and programs get to see: a table, results.json, grades.csv.
#ifndef GRADE_REPORT_H
#define GRADE_REPORT_H

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

#include "grade.h"

/// All exercises of one submission.
typedef struct grade_submission {
  const char *student; ///< made safe already; "" for one's own exercises
  const char *id;      ///< the student's name for files; NULL: none
  const char *status;  ///< "judged", "missing", "pending", "grader_error"; NULL: not of a class
  grade_exercise *exercises; ///< [n_exercises]
  size_t n_exercises;
} grade_submission;

/// The 80-column table of one submission, with the reason of each check that failed.
void grade_report_table(FILE *out, const grade_submission *submission);

/// The same as JSON; `seed` names the base of the random inputs. NULL: out of memory.
cJSON *grade_report_json(const grade_submission *submission, const char *seed);

/// Writes JSON to `path` in one step (grade_file_write).
grade_status grade_report_write_json(const char *path, const cJSON *json, grade_diag *diag);

#endif
