// SPDX-License-Identifier: MIT
// 07_cooperative_groups.h - what the two halves of lesson 07's suite share: the lesson's own
// kernels are judged in 07_cooperative_groups.c, the exercise's in
// 07_cooperative_groups_exercise.c.
#ifndef COOPERATIVE_GROUPS_SUITE_H
#define COOPERATIVE_GROUPS_SUITE_H

#include "inputs.h"
#include "judge.h"
#include "judge_blockwise.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LANES = 32 };

extern const wb_suite softmax_exercise;

#endif
