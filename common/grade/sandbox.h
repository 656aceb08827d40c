// SPDX-License-Identifier: MIT
/// @file sandbox.h
/// Runs one program under limits and comes back, whatever the program does: time, memory,
/// file-size, descriptor and process limits, a clean environment, no inherited descriptors, stdin
/// from /dev/null, bounded output, and an end to every descendant. What it can reach is fence.h's.
#ifndef GRADE_SANDBOX_H
#define GRADE_SANDBOX_H

#include <stdint.h>

#include "grade.h"

typedef struct grade_limits {
  double idle_s;         ///< in which none of its processes could go on, had they a processor
  unsigned cpu_s;        ///< of one process
  unsigned all_cpu_s;    ///< of all its processes together; 0: no limit
  uint64_t memory_bytes; ///< address space of one process; 0: no limit
  uint64_t file_bytes;   ///< of one written file
  uint64_t output_bytes; ///< stdout and stderr together that are kept; the rest is thrown away
} grade_limits;

typedef struct grade_command {
  const char *const *argv;        ///< NULL-terminated; argv[0] is a path
  const char *const *environment; ///< NULL-terminated "NAME=value"; nothing else is passed on
  const char *directory;          ///< working directory, or NULL: the caller's
  bool fenced;                    ///< behind the fence that was chosen (fence.h)
  const char *const *readable;    ///< fenced: NULL-terminated; what it may read besides the system
  int forward;                    ///< descriptor that also gets the output as it comes, or -1
  grade_limits limits;
} grade_command;

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
