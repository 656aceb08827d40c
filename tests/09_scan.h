// SPDX-License-Identifier: MIT
// 09_scan.h - what the two halves of lesson 09's suite share: the lesson's own kernels are judged
// in 09_scan.c, the exercise's in 09_scan_exercise.c.
#ifndef SCAN_SUITE_H
#define SCAN_SUITE_H

#include "judge.h"
#include "reference.h"
#include "scan_inputs.h"

#include <stdio.h>

extern const wb_suite compaction_exercise;

#endif
