// SPDX-License-Identifier: MIT
// lesson_jobs.h - what lesson.c, lesson_run.c and lesson_rows.c share: the lines of the table that
// a lesson's program prints. Private to them.
#ifndef WORKBOOK_LESSON_JOBS_H
#define WORKBOOK_LESSON_JOBS_H

#include "output.h"
#include "session.h"

// One line of the table: a variant with one parameter.
typedef struct wb_job {
  wb_run run;
  wb_row row;
  char refusal[96]; // why it cannot run; "" when it can
  bool too_slow;    // that is why
  bool done;
} wb_job;

// Whether one input serves both variants.
bool wb_same_input(const wb_variant *a, const wb_variant *b);

// Runs, judges and, on a GPU, times jobs that read the same input; all must be of one session.
// False on an error, which has been printed.
bool wb_run_together(wb_job **jobs, unsigned n_jobs);

// Prints the row of jobs[index], or why it could not run; nothing when it was not run. Its rates
// compare it with other jobs that are done.
void wb_print_job(wb_session *s, wb_job *jobs, unsigned n_jobs, unsigned index);

#endif
