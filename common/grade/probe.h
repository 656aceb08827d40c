// SPDX-License-Identifier: MIT
/// @file probe.h
/// Which fence works on this machine: each rung is tried by a program before it is relied on.
#ifndef GRADE_PROBE_H
#define GRADE_PROBE_H

#include "grade.h"

/// Tries the rungs of fence.h from the best one on, or `wanted` alone, each by a program that must
/// not be able to read a file of `work`'s which it was not given. Sets the rung for all that is run
/// with grade_command.fenced. GRADE_NOT_STARTED: the wanted one does not work, or there is no such.
grade_status grade_fence_choose(const char *wanted, const char *work, grade_diag *diag);

#endif
