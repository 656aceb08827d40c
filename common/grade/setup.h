// SPDX-License-Identifier: MIT
/// @file setup.h
/// What the judging of every submission has in common: compiler, suites, limits, options.
#ifndef GRADE_SETUP_H
#define GRADE_SETUP_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
