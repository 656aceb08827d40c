// SPDX-License-Identifier: MIT
/// @file command.h
/// A program that is to be run under limits: what sandbox.h runs, and what fence.h encloses.
#ifndef GRADE_COMMAND_H
#define GRADE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

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
  bool fenced;                    ///< behind the fence that was chosen (probe.h)
  const char *const *readable;    ///< fenced: NULL-terminated; what it may read besides the system
  int forward;                    ///< descriptor that also gets the output as it comes, or -1
  grade_limits limits;
} grade_command;

#endif
