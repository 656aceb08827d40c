// SPDX-License-Identifier: MIT
/// @file trace.h
/// What the lanes of one block did, step by step, as JSON lines: the format is in the tutor's
/// README.
#ifndef TUTOR_TRACE_H
#define TUTOR_TRACE_H

#include <stdio.h>

#include "engine/engine.h"

/// Steps through a launch that has begun, for at most `n_steps` instructions of its first block,
/// and writes each. The launch is left where it then stands. Write errors stay in `out`.
void tutor_trace(FILE *out, simt_run *run, unsigned long n_steps);

#endif
