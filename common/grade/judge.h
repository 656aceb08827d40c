// SPDX-License-Identifier: MIT
/// @file judge.h
/// Judges one exercise: plan, copy, compile the device side, run the trusted suite, read records.
#ifndef GRADE_JUDGE_H
#define GRADE_JUDGE_H

#include <stdint.h>

#include "grade.h"

enum { GRADE_MAX_COMPILER_ARGUMENTS = 8 };

/// What does not change between submissions. All strings outlive the judging.
typedef struct grade_setup {
  const char *compiler;                                         ///< path of simtcc or nvcc
  const char *compiler_arguments[GRADE_MAX_COMPILER_ARGUMENTS]; ///< NULL-terminated, e.g. "-ptx"
  /// Folder of NN_name.rubric (common/workbook/rubric.h) and NN_name.cu, the solution whose counts
  /// the rubric's rules are about; NULL, or no such file: the suite's own points and no technique.
  const char *rubrics;
  const char *counts;      ///< folder where the solutions' counts are kept, by what they depend on
  const char *headers;     ///< folder of the compiler's own headers, or NULL
  const char *precompiled; ///< simtcc's headers, precompiled (grade_precompile); NULL: they are not
  const char *suites;      ///< folder of the suites, [suites]/NN_name
  const char *work;        ///< folder for this process's files; emptied for every exercise
  uint64_t seed;           ///< base of all random inputs, unless there is a key
  const char *key; ///< hash of the instructor's key, from which each exercise's seed is made; NULL
  const char *seed_name; ///< what results say of it: "1", or the key's fingerprint
  const char *versions;  ///< hash of compiler, headers and grader; NULL: verdicts are not stored
  double compile_s, check_s, suite_s,
      student_s;                ///< processor time: compiler, one check, whole suite
  uint64_t memory_bytes;        ///< of the compiler and of the suite; 0: no limit
  const char *check, *schedule; ///< of the software GPU: SIMT_CHECK, SIMT_SCHEDULE; NULL: neither
  int forward;      ///< descriptor that sees compiler and suite output as it comes, or -1
  int stages;       ///< descriptor that gets the line "compiling" and the line "judging", or -1
  const char *one;  ///< this check alone; NULL: all that are planned
  const char *keep; ///< folder that gets the suite's records, its report and what kernels printed
  bool verbose;     ///< say all that is known, not one cause
  unsigned jobs;    ///< checks that a suite runs at the same time; 0: 1
} grade_setup;

/// Asks the suite `name` for its plan, and works out what its verdicts depend on (plan->judge).
/// GRADE_NOT_STARTED when there is no such suite.
grade_status grade_judge_plan(const grade_setup *setup, const char *name, grade_exercise *plan,
                              grade_diag *diag);

/// Judges `text` [size_bytes], known to people as `shown`. `exercise` holds the plan and gets the
/// verdicts. Whatever happens is in `exercise`; this never fails.
void grade_judge_text(const grade_setup *setup, grade_exercise *exercise, const char *shown,
                      const char *text, size_t size_bytes);

/// Judges NN_name.cu of a folder (see grade_source_read). `label` stands before the file's name
/// where people read it, e.g. "exercises/".
void grade_judge_folder(const grade_setup *setup, grade_exercise *exercise, int folder,
                        const char *label);

#endif
