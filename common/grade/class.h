// SPDX-License-Identifier: MIT
/// @file class.h
/// Judges a folder of submissions, one folder a student, each student in a process of its own.
#ifndef GRADE_CLASS_H
#define GRADE_CLASS_H

#include "judge.h"

typedef struct grade_class {
  const char *submissions;     ///< folder with one folder per student
  const char *out;             ///< grades.csv and students/ are written here
  const char *student;         ///< only this one, or NULL
  const grade_exercise *plans; ///< [n_plans], what is judged
  size_t n_plans;
  unsigned jobs; ///< students judged at the same time, at least 1
} grade_class;

typedef struct grade_class_result {
  size_t n_students, n_grader_errors;
} grade_class_result;

/// Judges all. A submission that cannot be judged is a row that says so; only the grader's own
/// trouble (no folder, nothing to write to) is a failure.
grade_status grade_class_run(const grade_class *job, const grade_setup *setup,
                             grade_class_result *result, grade_diag *diag);

#endif
