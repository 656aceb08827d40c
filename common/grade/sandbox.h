// SPDX-License-Identifier: MIT
/// @file sandbox.h
/// Runs one program under limits and comes back, whatever the program does: time, memory,
/// file-size, descriptor and process limits, a clean environment, no inherited descriptors, stdin
/// from /dev/null, bounded output, and an end to every descendant. What it can reach is fence.h's.
#ifndef GRADE_SANDBOX_H
#define GRADE_SANDBOX_H

#include "command.h"
#include "grade.h"

typedef enum grade_end {
  GRADE_EXITED,    ///< by itself: `code` is its exit status
  GRADE_SIGNALLED, ///< `code` is the signal
  GRADE_TIMED_OUT, ///< stopped: a limit of processor time, or it waited for nothing
} grade_end;

typedef struct grade_run {
  grade_end end;
  int code;
  double seconds, cpu_s; ///< on the wall; of processors, with all that it has waited for
  char *output;          ///< stdout and stderr, NUL-terminated, malloc'ed; embedded NULs become '?'
  bool output_cut;
} grade_run;

/// GRADE_NOT_STARTED when the program could not be run at all. On GRADE_OK the caller frees
/// run->output. Every child process of the caller is ended when this returns: one run at a time.
grade_status grade_sandbox_run(const grade_command *command, grade_run *run, grade_diag *diag);

#endif
