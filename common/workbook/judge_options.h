// SPDX-License-Identifier: MIT
// judge_options.h - what a suite is asked to do: its command line and environment. Strings belong
// to argv and the environment.
#ifndef WB_JUDGE_OPTIONS_H
#define WB_JUDGE_OPTIONS_H

#include <stdio.h>

#include "judge.h"

enum { WB_MOST_JOBS = 64 };

typedef struct wb_options {
  const wb_suite *suite;
  const char *module_path, *source_path, *results, *output, *report, *only;
  uint64_t seed;
  double limit_s, suite_s; // processor time: of one check; of all of them
  unsigned n_jobs;         // 1 to WB_MOST_JOBS
  bool plan, help, verbose, shares_process;
} wb_options;

// The environment first, then the arguments. False: one of them is wrong, which has been said.
bool wb_options_read(wb_options *options, int argc, char **argv, const wb_suite *lesson,
                     const wb_suite *exercise);
void wb_options_usage(FILE *out, const char *program);

#endif
