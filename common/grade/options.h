// SPDX-License-Identifier: MIT
/// @file options.h
/// The grader's command line.
#ifndef GRADE_OPTIONS_H
#define GRADE_OPTIONS_H

#include <stdbool.h>

/// As given; NULL: not given.
typedef struct grade_options {
  const char *build, *exercises, *submissions, *out, *student, *only, *source, *one, *keep;
  const char *roster, *key, *rubrics, *force, *shard, *fence, *allow_unsafe, *merge, *exercise;
  const char *compiler, *headers, *unpacker, *suites, *jobs, *seed, *compile_s, *check_s, *suite_s,
      *student_s, *memory_mib;
  const char *compiler_arguments, *names, *check, *schedule, *results, *stages;
} grade_options;

/// 0 to go on, 1 for a clean end (--help), 2 for wrong use, which has been explained.
int grade_options_parse(grade_options *options, int argc, char **argv);

/// A whole or decimal number of at least `least`, or the fallback when the option was not given.
/// False: it is none, which has been explained.
bool grade_options_number(const char *name, const char *text, double least, double fallback,
                          double *value);

/// "3/8": shard 3 of 8. NULL is "1/1". False: it is no shard, which has been explained.
bool grade_options_shard(const char *text, unsigned *shard, unsigned *n_shards);

/// "yes" or "no"; NULL is no. False: neither, which has been explained.
bool grade_options_choice(const char *name, const char *text, bool *value);

#endif
