// SPDX-License-Identifier: MIT
// 06_grid_stride.h - what the two halves of lesson 06's suite share: the lesson's own kernels are
// judged in 06_grid_stride.c, the exercise's in 06_grid_stride_exercise.c.
#ifndef GRID_STRIDE_SUITE_H
#define GRID_STRIDE_SUITE_H

#include "inputs.h"
#include "judge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern const wb_suite rms_norm_exercise;

#endif
