// SPDX-License-Identifier: MIT
/// @file job.h
/// What is asked of the grading of a class, and what came of it.
#ifndef GRADE_JOB_H
#define GRADE_JOB_H

#include "grade.h"

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

#endif
