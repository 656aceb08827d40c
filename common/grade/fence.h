// SPDX-License-Identifier: MIT
/// @file fence.h
/// What a program that handles a submission can reach: the compiler, which reads its source, and
/// the suite, which loads its PTX. Three rungs, of which probe.h takes the best that works here:
///
///   bubblewrap  a root of its own: the system read-only, the work folder at /submission and what
///               the program needs; no network, no other process, seccomp; it dies with the grader
///   landlock    the same files by Landlock, in the system's own name space, and seccomp
///   limits      neither: time, memory and file sizes only
#ifndef GRADE_FENCE_H
#define GRADE_FENCE_H

#include "command.h"

typedef enum grade_fence {
  GRADE_FENCE_LIMITS,
  GRADE_FENCE_LANDLOCK,
  GRADE_FENCE_BUBBLEWRAP
} grade_fence;

const char *grade_fence_name(grade_fence fence); ///< "limits", "landlock", "bubblewrap"

/// The rung for all that is run with grade_command.fenced; at first `limits`. For probe.h, which
/// knows whether it works here.
void grade_fence_set(grade_fence fence);
grade_fence grade_fence_current(void);
/// For people: what the rung keeps in.
const char *grade_fence_about(void);

/// Where a fenced program finds its work folder.
const char *grade_fence_inside(const char *work);

/// The command line that runs a fenced command, malloc'ed, or NULL: out of memory. Its strings are
/// the command's, or live as long as the process.
const char **grade_fence_argv(const grade_command *command);

/// In the child, last before it becomes the program. False: errno says why not.
bool grade_fence_enter(const grade_command *command);

#endif
