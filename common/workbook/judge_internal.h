// SPDX-License-Identifier: MIT
// judge_internal.h - what the two halves of the judge share: the parent that plans and reports
// (judge.c, judge_report.c) and the child that runs one check on the device (the other judge_*.c).
//
// The verdict of a check is a record in memory that both processes see: the child fills it, the
// parent reads it. Nothing is read out of messages.
#ifndef WB_JUDGE_INTERNAL_H
#define WB_JUDGE_INTERNAL_H

#include "judge.h"

#include <stdio.h>
#include <sys/types.h>

// WB_REPORT_BYTES of WB_TEXT_BYTES are for what the checkers say.
enum { WB_MAX_BUFFERS = 16, WB_TEXT_BYTES = 9000, WB_REPORT_BYTES = 2800, WB_CAUSE_BYTES = 1200 };

typedef enum wb_outcome { WB_NO_RESULT, WB_PASSED, WB_FAILED, WB_BROKEN } wb_outcome;

// What became of one check. Texts are NUL-terminated.
typedef struct wb_verdict {
  wb_outcome outcome; // WB_NO_RESULT until the check's process has decided; written last
  wb_cause cause;
  bool launched;                    // the kernel under test was, at least once
  char reason[WB_TEXT_BYTES];       // what was launched, expected, got, and what the checkers found
  char explanation[WB_CAUSE_BYTES]; // of the cause, for a student; "" when none is known
  char finding[40]; // WB_CAUSE_CHECKERS: its kind, "race_write_after_write"; else ""
  char file[256];   // the place in the source; "" when unknown
  unsigned line;
} wb_verdict;

// One planned check with its verdict.
typedef struct wb_record {
  const wb_check *check;
  wb_verdict *verdict;
  const wb_check *same_as; // the first failing check with the same cause, or NULL
} wb_record;

typedef struct wb_buffer {
  const char *name;
  unsigned char *allocation; // device
  unsigned char *payload;    // device: allocation + front_bytes
  size_t front_bytes, size_bytes, back_bytes;
  unsigned char *expected; // host: the whole allocation as it must be (outputs: guards only)
  bool is_input;
} wb_buffer;

typedef struct wb_host_block {
  struct wb_host_block *next;
  max_align_t data[];
} wb_host_block;

struct wb_judge {
  const char *module_path;
  const wb_suite *suite;
  const wb_check *check;
  wb_verdict *verdict;
  uint64_t base_seed;
  cudaLibrary_t library;
  bool loaded, guards, launched;
  off_t said_from; // end of the file that stderr goes to when the check began; -1: no file
  wb_buffer buffers[WB_MAX_BUFFERS];
  size_t n_buffers;
  wb_host_block *host_blocks;
  char case_text[256];
  char launch_text[256];
#ifdef WORKBOOK_SIMT
  simt_counters counters;
  unsigned n_launches; // so far, of this check
#endif
};

// --- the child --------------------------------------------------------------------------------

// Prepares `judge` for one check in this process; no CUDA call is made before the check makes one.
void wb_judge_open(wb_judge *judge, const wb_suite *suite, const wb_check *check,
                   const char *module_path, uint64_t base_seed, wb_verdict *verdict);
// The check has met nothing wrong: passes it, unless the checkers object.
void wb_judge_close(wb_judge *judge);
// From now on, `verdict` fails for its time limit when `limit_s` seconds have passed, and the
// process ends.
void wb_judge_limit(wb_verdict *verdict, double limit_s);
// Ends the check because the judge itself cannot go on: an error, no failure of the kernel.
void wb_judge_break(wb_judge *judge, wb_cause cause, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
// Ends the check when a CUDA call failed while doing `what`: `kernels_own` says whether the kernel
// under test may be why; an error of the judge otherwise.
void wb_judge_must(wb_judge *judge, cudaError_t error, const char *what, bool kernels_own);
// What the runtime said about the latest failure, "" when it said nothing: only to be shown.
const char *wb_judge_said(const wb_judge *judge);
// Why a kernel failed with `error`: by the fault's record, where there is one.
wb_why wb_fault_why(cudaError_t error);

// Whether counters can be compared with what was worked out by hand: not on a GPU, and not under a
// hostile schedule, where lanes of a warp need not run together.
bool wb_counts_hold(void);

// --- the rubric (judge_rules.c) ----------------------------------------------------------------

// Reads what the environment names. False: it does not fit the suite, which has been said.
bool wb_rules_open(const wb_suite *suite);
// Gives the planned checks the rubric's points and adds the technique, for which there is room
// behind them. Returns the number of records.
size_t wb_rules_plan(wb_record *records, size_t n_records);
// "shown", "hidden", "after_due"; NULL: there is no rubric.
const char *wb_rules_visibility(const char *check);
// The verdict of the technique, when all other checks have theirs.
void wb_rules_settle(wb_record *records, size_t n_records);
#ifdef WORKBOOK_SIMT
// In a check's process, after a launch whose counters are known.
void wb_rules_launch(wb_judge *judge, const char *kernel, unsigned grid, unsigned block);
#endif

// --- the report -------------------------------------------------------------------------------

void wb_report_plan(FILE *out, const wb_suite *suite, const wb_record *records, size_t n_records);
// One JSON object per record.
void wb_report_records(FILE *out, const wb_suite *suite, const wb_record *records,
                       size_t n_records);
// For people.
void wb_report_summary(const wb_record *records, size_t n_records);
// Finds for every failing check the first one that fails for the same reason.
void wb_report_relate(wb_record *records, size_t n_records);

#endif
