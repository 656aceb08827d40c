// SPDX-License-Identifier: MIT
// lesson_jobs.h - what lesson.c, lesson_run.c, lesson_sample.c and lesson_rows.c share: the lines
// of the table that a lesson's program prints. Private to them.
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
  const struct wb_job *smaller; // --sample: the same at the size where all of it runs; or NULL
} wb_job;

// Runs, judges and, on a GPU, times jobs that read the same input; all must be of one session.
// False on an error, which has been printed.
bool wb_run_together(wb_job **jobs, unsigned n_jobs);

// The steps of it, on the software GPU. All of one variant on both inputs, judged.
bool wb_run_whole(wb_job *job);
// One run of the variant on the input that is there: counters, time and what they rest on.
bool wb_run_once(wb_job *job, bool profiled);
// Judges what the last run left. False on a CUDA error.
bool wb_judge_run(wb_job *job, wb_input_kind kind, const char *when);

// --sample (lesson_sample.c): the size at which variants are judged when that of the run is n; and
// one variant at that of the session.
unsigned wb_verified_n(unsigned n);
bool wb_run_sampled(wb_job *job);

// Prints the row of jobs[index], or why it could not run; nothing when it was not run. Its rates
// compare it with other jobs that are done.
void wb_print_job(wb_session *s, wb_job *jobs, unsigned n_jobs, unsigned index);

#endif
