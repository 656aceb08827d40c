// SPDX-License-Identifier: MIT
// 09_scan.h - what the two halves of lesson 09's suite share: the lesson's own kernels are judged
// in 09_scan.c, the exercise's in 09_scan_exercise.c.
#ifndef SCAN_SUITE_H
#define SCAN_SUITE_H

#include "inputs.h"
#include "judge.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LANES = 32 };

extern const wb_suite compaction_exercise;

static const unsigned blocks[] = {256, 32, 96, 64, 512, 1024};

static inline unsigned blocks_for(unsigned n, unsigned per_block) {
  unsigned n_blocks = n / per_block + (n % per_block != 0);
  return n_blocks ? n_blocks : 1;
}

#endif
