// SPDX-License-Identifier: MIT
// 10_single_pass_scan.h - what the two halves of lesson 10's suite share: the lesson's own kernels
// are judged in 10_single_pass_scan.c, the exercise's in 10_single_pass_scan_exercise.c.
//
// How a block looks back depends on what the blocks before it have published so far, which no
// launch can be made to repeat. So the suite prepares the status words itself: tiles 0 to k - 1
// count as done, each with a word of the suite's choosing, the ticket counter is k, and the launch
// goes on from there. That gives every situation but one, a word that is still invalid, on every
// device and under every schedule; for that one the blocks of a launch must run side by side, as on
// a GPU and under the software GPU's random schedules. Launching the tiles in portions shows
// whether tiles are drawn: block 0 of the second launch is not tile 0.
#ifndef SINGLE_PASS_SCAN_SUITE_H
#define SINGLE_PASS_SCAN_SUITE_H

#define _POSIX_C_SOURCE 200809L // setenv; this header comes first

#include "judge.h"
#include "reference.h"
#include "scan_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TILE = 16 };
typedef enum status { INVALID, AGGREGATE, INCLUSIVE_PREFIX } status;

extern const wb_suite single_pass_exercise;

// On the software GPU, for this check's process, which has made no CUDA call yet: the order in
// which threads run, unless one was asked for; a sweep over several gives way, since its counts are
// those of lockstep. On a GPU blocks run side by side anyway.
static inline void schedule_by(const char *schedule) {
#ifdef WORKBOOK_SIMT
  const char *asked = getenv("SIMT_SCHEDULE");
  setenv("SIMT_SCHEDULE", schedule, asked && strncmp(asked, "sweep", 5) == 0);
#else
  (void)schedule;
#endif
}

#endif
