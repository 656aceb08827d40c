// SPDX-License-Identifier: MIT
/// @file job.h
/// A program that runs beside the tutor: what it prints is kept, and it can be ended with all that
/// it started.
#ifndef TUTOR_JOB_H
#define TUTOR_JOB_H

#include <sys/types.h>

#include "tutor.h"

typedef struct tutor_job {
  pid_t pid;          ///< 0: none
  int output, stages; ///< descriptors to poll, -1 when closed
  char *said;         ///< what it printed, NUL-terminated; owned
  size_t n_said;
  char line[32]; ///< the latest line of `stages`
  size_t n_line;
  bool line_whole; ///< its end has come
} tutor_job;

/// Starts argv[0] with the variables of `environment` ("NAME=value", NULL-terminated) besides one's
/// own, in a process group of its own. Its input is empty. WORKBOOK_STAGES names a descriptor on
/// which it may say how far it is, a word per line.
tutor_status tutor_job_start(tutor_job *job, const char *const *argv,
                             const char *const *environment, tutor_diag *diag);
/// Reads what there is. True: a new line of stages is in `line`.
bool tutor_job_read(tutor_job *job);
/// True once it has ended and all is read; `status` is its exit status, 128 + n for signal n.
bool tutor_job_ended(tutor_job *job, int *status);
/// Ends it and its children, and forgets it. Nothing happens when none runs.
void tutor_job_stop(tutor_job *job);

#endif
