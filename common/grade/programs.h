// SPDX-License-Identifier: MIT
/// @file programs.h
/// Calls of the compiler and of a suite in the work folder. Private to the judging of an exercise.
#ifndef GRADE_PROGRAMS_H
#define GRADE_PROGRAMS_H

#include "grade.h"
#include "hash.h"
#include "sandbox.h"
#include "setup.h"

enum { GRADE_PATH_BYTES = 4096, GRADE_RESULT_BYTES = 64 << 20 };

/// "folder/nameending"; false: too long.
bool grade_path(char out[GRADE_PATH_BYTES], const char *folder, const char *name,
                const char *ending);

/// Any bytes; false: errno says why not.
bool grade_work_write(const char *path, const char *text, size_t size_bytes);
/// The whole file, NUL-terminated, malloc'ed, or NULL. NULs inside become '?', which no record
/// survives.
char *grade_work_read(const char *path, size_t limit_bytes);
/// Removes every file that an exercise may leave in the work folder.
bool grade_work_empty(const grade_setup *setup);

/// Compiles [work]/`source` to [work]/module.ptx; what it has read is in [work]/module.d.
grade_status grade_run_compiler(const grade_setup *setup, const char *source, int forward,
                                grade_run *run, grade_diag *diag);

/// Adds the compiler to a hash: its file, simtcc's parts, headers. False: one cannot be read
/// (errno).
bool grade_hash_compiler(const grade_setup *setup, grade_hash *hash);

/// Lets simtcc precompile its headers to [work]/headers.pch, which makes each compilation several
/// times as fast; false: it cannot, and compiles without.
bool grade_precompile(const grade_setup *setup, char path[GRADE_PATH_BYTES]);

/// The base of an exercise's random inputs: public, or from the instructor's key.
uint64_t grade_seed_of(const grade_setup *setup, const char *exercise);
/// The rubric's path, if there is one.
bool grade_has_rubric(const grade_setup *setup, const char *exercise, char path[GRADE_PATH_BYTES]);

typedef enum grade_suite_mode {
  GRADE_SUITE_PLAN,   ///< lists the checks
  GRADE_SUITE_RECORD, ///< of the solution: writes [work]/solution.counts
  GRADE_SUITE_JUDGE   ///< judges [work]/module.ptx, writes [work]/results.jsonl
} grade_suite_mode;

typedef struct grade_suite_call {
  const char *exercise, *shown;
  const char *counts; ///< the solution's (grade_exercise.counts); "": none
  grade_suite_mode mode;
} grade_suite_call;

grade_status grade_run_suite(const grade_setup *setup, const grade_suite_call *call, grade_run *run,
                             grade_diag *diag);

#endif
