// SPDX-License-Identifier: MIT
/// @file class.h
/// Judges a folder of submissions, one folder a student, each student in a process of its own.
#ifndef GRADE_CLASS_H
#define GRADE_CLASS_H

#include "intake.h"
#include "judge.h"
#include "roll.h"

typedef struct grade_class {
  const char *submissions;     ///< folder with one folder per student, or another of intake.h
  const char *unpacker;        ///< the program that reads archives; NULL: none
  const char *out;             ///< grades.csv, students/ and verdicts/ are written here
  const char *roster;          ///< CSV of who there should be, or NULL
  const char *student;         ///< only this one is judged, or NULL
  const char *only;            ///< only this exercise is judged, or NULL
  const char *const *merged;   ///< NULL-terminated: folders of results whose verdicts count as well
  const grade_exercise *plans; ///< [n_plans], what there is to judge
  size_t n_plans;
  unsigned jobs;            ///< students judged at the same time, at least 1
  unsigned shard, n_shards; ///< this run's part of the students, 1 to n_shards
  bool fresh;               ///< judge also what has a verdict already
  bool judge_nothing;       ///< only put together what has been judged
} grade_class;

typedef struct grade_class_result {
  size_t n_students;      ///< rows of the table
  size_t n_judged;        ///< exercises judged in this run
  size_t n_reused;        ///< exercises whose verdicts were there already
  size_t n_grader_errors; ///< students of this run with a grader error
  size_t n_pending;       ///< students with exercises that no run has judged yet
} grade_class_result;

/// Judges all. A submission that cannot be judged is a row that says so; only the grader's own
/// trouble (no folder, nothing to write to, another grader at work) is a failure. The table is of
/// the whole class, whatever part of it this run has judged.
grade_status grade_class_run(const grade_class *job, const grade_setup *setup,
                             grade_class_result *result, grade_diag *diag);

#endif
