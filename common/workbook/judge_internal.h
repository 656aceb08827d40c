// SPDX-License-Identifier: MIT
// judge_internal.h - what the two halves of the judge share: the parent that plans and reports
// (judge.c, judge_report.c) and the child that runs one check on the device (the other judge_*.c).
//
// The verdict of a check is a record in memory that both processes see: the child fills it, the
// parent reads it. Nothing is read out of messages.
#ifndef WB_JUDGE_INTERNAL_H
#define WB_JUDGE_INTERNAL_H

#include "judge.h"
#include "nearest.h"

#include <stdio.h>
#include <sys/types.h>

// WB_REPORT_BYTES of WB_TEXT_BYTES are for what the checkers say.
enum {
  WB_MAX_BUFFERS = 24,
  WB_TEXT_BYTES = 9000,
  WB_REPORT_BYTES = 2800,
  WB_CAUSE_BYTES = 1200,
  WB_PRINTED_LINES = 20,
  WB_PRINTED_BYTES = 2400,
  WB_MAX_PRINTED_BYTES = 16 << 20, // by kernels, in one check: a number, and no clock, ends a flood
  WB_IDLE_FACTOR = 10,             // after so many limits, has a check computed at all?
  WB_LAST_FACTOR = 100             // Check ends a process that not even that could end
};

typedef enum wb_outcome { WB_NO_RESULT, WB_PASSED, WB_FAILED, WB_BROKEN } wb_outcome;

// Which hypotheses about a wrong value give just this value, and which another wrong one: a bit
// each (judge_hypotheses.c).
typedef struct wb_evidence {
  uint64_t fits, contradicts;
} wb_evidence;

// What became of one check. Texts are NUL-terminated.
typedef struct wb_verdict {
  wb_outcome outcome; // WB_NO_RESULT until the check's process has decided; written last
  wb_cause cause;
  bool launched;                    // the kernel under test was, at least once
  char reason[WB_TEXT_BYTES];       // what was launched, expected, got, and what the checkers found
  char launch[600], wrong[600];     // the same in short: the launch with its case; what was wrong
  char explanation[WB_CAUSE_BYTES]; // of the cause, for a student; "" when none is known
  char next[WB_CAUSE_BYTES];        // the next step; "" when none is known
  unsigned checker, relation;       // WB_CAUSE_CHECKERS: a simt_checker, a simt_relation
  char finding[40];       // WB_CAUSE_CHECKERS: its kind, "race_write_after_write"; else ""
  char findings[400];     // kinds of all that the checkers found, with a blank between them
  bool wrong_results;     // not only costs too much, and not only because of the checkers
  wb_evidence evidence;   // of the wrong value
  unsigned n_blocks;      // of the launch that failed; 0: there was none
  bool is_consequence;    // another check fails where this cause cannot be (wb_report_weigh)
  bool is_guess;          // the cause is a hypothesis that fits
  bool wants_barrier;     // the cause is a race, and the next step one more barrier
  unsigned n_support;     // in how many checks it does (wb_report_weigh)
  char operator_name[24]; // "maximum": what the wrong value should have been
  char file[256];         // the place in the source; "" when unknown
  unsigned line;
  off_t printed_from;             // where in the check's output that of the latest launch begins
  double cpu_s;                   // processor time until it failed
  size_t n_printed;               // lines that the kernel printed in this launch
  char printed[WB_PRINTED_BYTES]; // the first WB_PRINTED_LINES of them
} wb_verdict;

// One planned check with its verdict.
typedef struct wb_record {
  const wb_check *check;
  wb_verdict *verdict;
  const wb_check *same_as; // the first failing check with the same cause, or NULL
  FILE *printed, *said;    // stdout and stderr of the check's process; NULL: not kept
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
  bool keeps_output;      // stdout is a file of this check's own
  off_t output_from;      // where in it what belongs to this launch begins
  uint64_t printed_bytes; // by kernels, in this check
  off_t said_from;        // end of the file that stderr goes to when the check began; -1: no file
  wb_buffer buffers[WB_MAX_BUFFERS];
  size_t n_buffers;
  wb_host_block *host_blocks;
  char case_text[256];
  char launch_text[256];
  unsigned launch_grid, launch_block; // blocks, and threads per block, of this launch
  wb_fault_cause fault_cause;
#ifdef WORKBOOK_SIMT
  simt_counters counters;
  unsigned n_launches;   // so far, of this check
  bool is_experimenting; // wb_judge_experiment()
  bool has_waited;       // wb_judge_launch_waits(): the checkers' error is what was wanted
  bool is_tried;         // the kernels are those of changed program `tried`
  unsigned tried;
#endif
};

// --- the child --------------------------------------------------------------------------------

// Prepares `judge` for one check in this process; no CUDA call is made before the check makes one.
void wb_judge_open(wb_judge *judge, const wb_suite *suite, const wb_check *check,
                   const char *module_path, uint64_t base_seed, wb_verdict *verdict);
// The check has met nothing wrong: passes it, unless the checkers object.
void wb_judge_close(wb_judge *judge);
// Takes the rubric's variant, "" for none; false: the suite does not offer it.
bool wb_variant_choose(const char *name);
// From now on, `verdict` fails for its time limit when the process has used `limit_s` seconds of
// processor time, or has used none while WB_IDLE_FACTOR times as many have passed; the process
// ends.
void wb_judge_limit(wb_verdict *verdict, double limit_s);
// Ends the check because the judge itself cannot go on: an error, no failure of the kernel.
void wb_judge_break(wb_judge *judge, wb_cause cause, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
// Ends the check if the software GPU's checkers have found anything by now.
void wb_judge_heed_checkers(wb_judge *judge);
// Ends the check when a CUDA call failed while doing `what`: `kernels_own` says whether the kernel
// under test may be why; an error of the judge otherwise.
void wb_judge_must(wb_judge *judge, cudaError_t error, const char *what, bool kernels_own);
// What the runtime said about the latest failure, "" when it said nothing: only to be shown.
const char *wb_judge_said(const wb_judge *judge);
// Whether the launch wrote word `index` of the array `name`.
wb_written wb_judge_written(const wb_judge *judge, const char *name, uint64_t index);
// What the wrong value that is about to fail the check says of all hypotheses.
void wb_judge_weigh(wb_judge *judge, wb_evidence evidence, bool is_guess,
                    const char *operator_name);
// Hypothesis `number` (a bit of wb_evidence) as a cause; its text lies in `out`.
wb_why wb_hypothesis_why(unsigned number, const char *operator_name, char *out, size_t out_bytes);
// Why a kernel failed with `error`: by the fault's record, where there is one.
wb_why wb_fault_why(cudaError_t error);
// The same of a cause that is known.
wb_why wb_fault_of(wb_cause cause);

// Whether counters can be compared with what was worked out by hand: not on a GPU, and not under a
// hostile schedule, where lanes of a warp need not run together.
bool wb_counts_hold(void);

// --- the rubric (judge_rules.c) ----------------------------------------------------------------

// Reads what the environment names. False: it does not fit the suite, which has been said.
bool wb_rules_open(const wb_suite *suite);
// Gives the planned checks the rubric's points and adds the technique, for which there is room
// behind them, but not to one check alone. Returns the number of records.
size_t wb_rules_plan(wb_record *records, size_t n_records, bool one_alone);
// The text, which may be NULL, in the words of the exercise's variant.
const char *wb_rules_words(const char *text);
// "shown", "hidden", "after_due"; NULL: there is no rubric.
const char *wb_rules_visibility(const char *check);
// The verdict of the technique, when all other checks have theirs.
void wb_rules_settle(wb_record *records, size_t n_records);
#ifdef WORKBOOK_SIMT
// In a check's process, after a launch whose counters are known.
void wb_rules_launch(wb_judge *judge, const char *kernel, unsigned grid, unsigned block);
#endif

// --- what kernels print (judge_output.c) ------------------------------------------------------

// In the child, around a launch: names it in the check's output if it prints anything, and keeps
// that file within bounds.
void wb_output_begin(wb_judge *judge);
void wb_output_end(wb_judge *judge);
// Fails a check whose kernels have printed more than WB_MAX_PRINTED_BYTES.
void wb_output_limit(wb_judge *judge);
// In the parent: files for every check's stdout and stderr; false: none could be made.
bool wb_output_open(wb_record *records, size_t n_records);
void wb_output_close(wb_record *records, size_t n_records);
// Sends stdout and stderr of this process into the record's files; the reverse.
typedef struct wb_streams {
  int out, err; // what they were; -1: unchanged
} wb_streams;
wb_streams wb_output_divert(const wb_record *record);
void wb_output_restore(wb_streams before);
// Fills in what the failing launch of each record printed.
void wb_output_quote(wb_record *records, size_t n_records);
// All of it, check by check. Returns the number of lines printed.
size_t wb_output_copy(FILE *out, const wb_record *records, size_t n_records);
void wb_output_show_errors(const wb_record *records, size_t n_records);

// --- the report -------------------------------------------------------------------------------

void wb_report_plan(FILE *out, const wb_suite *suite, const wb_record *records, size_t n_records);
// One JSON object per record.
void wb_report_records(FILE *out, const wb_suite *suite, const wb_record *records,
                       size_t n_records);
// What became of all checks together.
typedef struct wb_total {
  unsigned points, max_points;
  size_t n_passed, n_failed, n_broken;
  const wb_record *reported; // the failure that says most, or NULL: all passed
} wb_total;
wb_total wb_report_total(const wb_record *records, size_t n_records);
// For people: one cause, one place, one next step; with `verbose` all that is known. The verdict
// comes last.
void wb_report_summary(const wb_suite *suite, const wb_record *records, size_t n_records,
                       bool verbose);
// The same as an HTML page of its own.
void wb_report_html(FILE *out, const wb_suite *suite, const wb_record *records, size_t n_records);
// Line `line` of a file without indentation, or "" when it cannot be read. Returns `out`.
const char *wb_report_source(const wb_verdict *verdict, char *out, size_t out_bytes);
// The next step after this failure: the cause's, or the check's hint where no cause is known; NULL.
const char *wb_report_next(const wb_record *record);
// The same; where no more is known, the command that shows more of this exercise.
const char *wb_report_step(const wb_suite *suite, const wb_record *record, char *out,
                           size_t out_bytes);
// A text with a capital, and a full stop where it has no end of its own; NULL gives "".
const char *wb_report_sentence(const char *text, char *out, size_t out_bytes);
// A path without its folders.
const char *wb_report_short_name(const char *path);
// Of what may be guessed from one check's value, keeps what the others' values support most, and
// nothing that they contradict. Where one block alone computes wrong values, races between blocks
// are a consequence.
void wb_report_weigh(wb_record *records, size_t n_records);
// Where the judged program differs from a right one (WB_RIGHT) in one place, the failure that is
// reported is given that place, and loses a cause that cannot come from it.
// The same where one small change makes a failing check pass, if there is a compiler to try it.
void wb_report_nearest(wb_record *records, size_t n_records, const wb_suite *suite, uint64_t seed,
                       unsigned n_jobs);
// Tries such changes of `text` (judge_repair.c). True: `out` is where one helps. Else
// *barriers_refuted: one more barrier was tried before every statement, and none helps.
bool wb_report_repair(wb_record *records, size_t n_records, const wb_suite *suite, uint64_t seed,
                      unsigned n_jobs, const char *text, wb_difference *out,
                      bool *barriers_refuted);
#ifdef WORKBOOK_SIMT
// The line of a fault; of one in code that the exercise supplies, that of the call.
unsigned wb_judge_own_line(const simt_fault_info *fault);
#endif
// Of a failure without a place: the line that the compiler has warned of, if there is one.
void wb_report_warning(wb_verdict *verdict);
// Finds for every failing check the first one that fails for the same reason.
void wb_report_relate(wb_record *records, size_t n_records);

#endif
