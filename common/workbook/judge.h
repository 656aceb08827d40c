// SPDX-License-Identifier: MIT
// judge.h - what a Check suite needs to judge any module that offers an exercise's kernels.
//
// A suite is a table of checks. Every check runs in a process of its own (a device fault is
// sticky), loads the module under test by path, launches its kernels by name and either returns
// or fails with a complete explanation: what was launched, what was expected and got, where, and
// the most likely cause. The module is device code only; launch code, inputs and expectations are
// the suite's. The same suite judges the lesson's own kernels, a stub, a solution or a mutant.
//
// Environment (arguments win):
//   WB_MODULE   path of the module: PTX, cubin or fat binary           (--module PATH)
//   WB_SOURCE   path of its source, only to be named on the first line (--source PATH)
//   WB_RESULTS  where one JSON object per planned check is written: a path, or "fd:N"
//   WB_RIGHT    path of a right program's source: where the judged one (SIMT_SOURCE) differs from
//   it
//               in one place, the verdict names that place
//   WB_COMPILER compiler with which small changes of the judged program (SIMT_SOURCE) are tried
//               where a check fails: the line of one that helps is named (software GPU only)
//   WB_SEED     base of all random inputs, default 1
//   WB_OUTPUT   file for what the kernels print, with a line before it that names the launch
//   WB_REPORT   file for the whole report as an HTML page
//   WB_VERBOSE  set: every check with all that is known; else one cause, one place, one next step
//   WB_JOBS     how many checks run at the same time, default 1
//   WB_GUARDS   set: guard zones around every array, as on a GPU, also on the software GPU
//   WB_LIMIT_S  limit of one check in seconds of processor time, default 20
//   WB_FORK     no: all checks in one process, without limits; for tools that look into a process
//               of a module that is right (after a device fault the checks that follow fail, too)
//
// Not modelled: hostile host code. The module must hold device code only; on the software GPU that
// code is interpreted and therefore bounded, on a real GPU it is trusted with the device.
#ifndef WB_JUDGE_H
#define WB_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef WORKBOOK_SIMT
#include "simt.h"
#endif

typedef struct wb_judge wb_judge;

// One check: points are all or nothing. A check that needs counters is planned only on the
// software GPU, so that a plan never promises what the backend cannot judge.
typedef struct wb_check {
  const char *name; // unique in its suite, [a-z0-9_]
  unsigned points;
  const char *about; // what holds when it passes: "the last, partly filled block is right"
  const char *hint;  // where to look when it does not, or NULL
  void (*run)(wb_judge *judge);
  bool needs_counters;
} wb_check;

enum { WB_VARIANT_BYTES = 32 };

typedef struct wb_suite {
  const char *exercise;   // "01_shared_tree"
  const wb_check *checks; // [n_checks]
  size_t n_checks;
} wb_suite;

// The whole of main(): `--suite lesson|exercise` (default exercise), `--plan`, `--only CHECK`,
// `--module`, `--source`, `--help`. Returns 0 when every planned check passed, 1 when one failed, 2
// when nothing was judged (usage, no module, results not writable), 3 when the judge broke down: it
// cannot load the module, ran out of memory, a check's process ended without a verdict, the results
// are not whole. A check that could not be judged is an ERROR, never a pass and never a failure.
int wb_judge_main(int argc, char **argv, const wb_suite *lesson, const wb_suite *exercise);

// Variants of the exercise that the suite can judge as well, NULL-terminated; called before
// wb_judge_main. Which one is judged, the rubric says (rubric.h).
void wb_judge_offers(const char *const *variants);
bool wb_judge_is_variant(const char *name); // what is judged now; "": as it is published

// Why a check failed or could not be judged: a row of causes.def each.
typedef enum wb_cause {
#define WB_CAUSE(identifier, name, weight) WB_CAUSE_##identifier,
#include "causes.def"
#undef WB_CAUSE
  WB_CAUSE_COUNT
} wb_cause;
const char *wb_cause_name(wb_cause cause); // as records say it: "tail_lost"

// A cause with what explains it to a student, one or two sentences, and the next step, one
// sentence; either may be NULL. Copied where it is used.
typedef struct wb_why {
  wb_cause cause;
  const char *text, *next;
} wb_why;
// A mistake that only this exercise's suite knows; what makes a right kernel cost too much; an
// empty blank; nothing that is known.
#define WB_WHY(text) ((wb_why){WB_CAUSE_LESSON, (text), NULL})
#define WB_WHY_NEXT(text, next) ((wb_why){WB_CAUSE_LESSON, (text), (next)})
// The same, where experiments have shown that it is this one, and none of those that look alike.
#define WB_WHY_CONVERTED(text) ((wb_why){WB_CAUSE_CONVERTED, (text), NULL})
#define WB_WHY_TESTED(text) ((wb_why){WB_CAUSE_TESTED, (text), NULL})
#define WB_COST(text) ((wb_why){WB_CAUSE_COST, (text), NULL})
#define WB_UNFILLED(text) ((wb_why){WB_CAUSE_UNFILLED, (text), NULL})
#define WB_UNKNOWN ((wb_why){WB_CAUSE_NONE, NULL, NULL})

// --- inside a check -------------------------------------------------------------------------
// All of these end the check with an explanation when they cannot do their work. Memory they
// return belongs to the judge and lives until wb_judge_release or the end of the check.

// The kernel `signature` names, e.g. "block_max(const float *in, float *maxima, size_t n)".
typedef struct wb_kernel {
  const char *signature;
  char name[64];
  cudaKernel_t handle;
} wb_kernel;
wb_kernel wb_judge_kernel(wb_judge *judge, const char *signature);

// Base of the inputs of this check: WB_SEED mixed with the names of exercise and check.
uint64_t wb_judge_seed(const wb_judge *judge);

// Zeroed host memory.
void *wb_judge_host(wb_judge *judge, size_t size_bytes);

// Device copy of `data`, which the launch must leave as it is. The payload starts `offset_bytes`
// after an address that is aligned to 256 bytes. Before it and, with guards, after it lies bait:
// WB_BAIT in every word.
void *wb_judge_input(wb_judge *judge, const char *name, const void *data, size_t size_bytes,
                     size_t offset_bytes);

// Device memory to be written by the launch, full of WB_POISON, guarded likewise.
void *wb_judge_output(wb_judge *judge, const char *name, size_t size_bytes);
// Puts `data` (as many bytes as the buffer has) into an output before the next launch.
void wb_judge_put(wb_judge *judge, void *device, const void *data);
// Host copy of an output.
const void *wb_judge_get(wb_judge *judge, void *device);

// Words that no right answer contains: ~7.2e37 in outputs, ~1.7e38 around all buffers.
#define WB_POISON UINT32_C(0x7e57c0de)
#define WB_BAIT UINT32_C(0x7f000000)
// What the software GPU fills uninitialised memory with.
#define WB_UNINITIALISED UINT32_C(0xa5a5a5a5)

enum { WB_LANES = 32 }; // of a warp

// Guard zones around the buffers made from now on: on, words outside the arrays are part of the
// allocation and checked after each launch; off, the allocation ends where the array ends. The
// software GPU's own bounds make "off" the stricter there, so that is its default.
void wb_judge_guards(wb_judge *judge, bool on);

// Says what the next launches are about, printf-style: "n = 257, all values negative".
void wb_judge_case(wb_judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What a device fault means in the launches that follow, of so many threads per block, where the
// suite knows more than the judge; `cause` may be NULL, or return a why without text.
typedef wb_why (*wb_fault_cause)(wb_cause cause, unsigned block);
void wb_judge_fault_cause(wb_judge *judge, wb_fault_cause cause);

#ifdef WORKBOOK_SIMT
// Memory that host and device share, zeros at first, until the end of the check's process.
void *wb_judge_managed(wb_judge *judge, size_t size_bytes);
// A launch that is to wait for memory that nothing changes. False: it ended. After it only managed
// memory can be read, and the check must end.
bool wb_judge_launch_waits(wb_judge *judge, const wb_kernel *kernel, unsigned grid, unsigned block,
                           void **arguments);
#endif

// Launches, waits, and checks guard zones and inputs. `arguments`: [number of parameters].
void wb_judge_launch(wb_judge *judge, const wb_kernel *kernel, unsigned grid, unsigned block,
                     size_t shared_bytes, void **arguments);

// The launches of this check from now on only tell causes of a failure apart: what they cost is not
// compared with the solution, which does not make them.
void wb_judge_experiment(wb_judge *judge);

// The same as a cooperative launch: all blocks are on the device at once and may wait for each
// other with grid.sync(). Refused when they do not fit.
void wb_judge_launch_together(wb_judge *judge, const wb_kernel *kernel, unsigned grid,
                              unsigned block, size_t shared_bytes, void **arguments);

// The same in clusters of so many blocks; `grid` is a multiple of that.
void wb_judge_launch_clusters(wb_judge *judge, const wb_kernel *kernel, unsigned grid,
                              unsigned block, size_t shared_bytes, unsigned cluster,
                              void **arguments);

// Frees every buffer and host array of the check so far: call it between cases.
void wb_judge_release(wb_judge *judge);

// Ends the check as failed. The text of the latest launch and case is put before the message, which
// says what was expected and got; the likely cause goes to `why`, never into the message.
void wb_judge_fail(wb_judge *judge, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void wb_judge_fail_why(wb_judge *judge, wb_why why, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

#ifdef WORKBOOK_SIMT
// Counters of the latest launch.
const simt_counters *wb_judge_counters(wb_judge *judge);
// Fails unless the counter has exactly (at most) the value; `meaning` says where that comes from.
void wb_judge_counter_is(wb_judge *judge, const char *counter, uint64_t want, const char *meaning);
void wb_judge_counter_at_most(wb_judge *judge, const char *counter, uint64_t limit,
                              const char *meaning);
// The same where an exercise asks for it; `cause` is the mistake that likely makes it cost more.
void wb_judge_cost_is(wb_judge *judge, const char *counter, uint64_t want, const char *cause);
void wb_judge_cost_at_most(wb_judge *judge, const char *counter, uint64_t limit, const char *cause);
// The place of the failure that follows is the line that costs most of what the counter counts.
void wb_judge_blame_line(wb_judge *judge, const char *counter);
#endif

// --- wrong values: what went wrong ----------------------------------------------------------

typedef enum wb_operator { WB_MAX, WB_SUM, WB_DOT, WB_MIN } wb_operator;

// Whether the launch wrote an output element, or others of its array only. Unknown on a GPU, and
// without initcheck.
typedef enum wb_written { WB_WRITTEN_UNKNOWN, WB_WRITTEN_HERE, WB_WRITTEN_ELSEWHERE } wb_written;

// What one output element stands for: `op` over input elements [first, first + count).
typedef struct wb_fold {
  wb_operator op;
  const char *input, *output; // parameter names, for messages
  const float *a, *b;         // [n] host copies; b for WB_DOT only, a itself for squares
  uint64_t n;
  uint64_t first, count;
  uint64_t index;      // of the output element
  unsigned block;      // threads per block
  unsigned per_thread; // elements a thread takes, blockDim.x apart; 0: 1
  unsigned start_bits; // what the output held before the launch (WB_POISON by default)
  bool takes_start;    // the output's old value takes part (a running maximum)
  bool has_previous;
  float previous;        // what an earlier launch left in this place
  wb_written written;    // filled in by wb_judge_value
  double tolerance;      // |got - expected| up to this is right; 0: equal values
  const char *when_lost; // the next step when an element was lost and no more is known; or NULL
  // The suite's own idea of what went wrong, asked before all others: a cause, or WB_UNKNOWN. Or
  // NULL.
  wb_why (*own_cause)(const struct wb_fold *fold, float got);
} wb_fold;

// NaN never wins a maximum or minimum; sums and dot products are taken in double.
double wb_fold_expected(const wb_fold *fold);
// The error bound of a sum of floats in any order: count * 2^-24 * sum of |terms|.
double wb_fold_bound(const wb_fold *fold);
// The most likely cause of `got`; WB_UNKNOWN when nothing fits. Its text may lie in `out`.
wb_why wb_diagnose(const wb_fold *fold, float got, char *out, size_t out_bytes);

// Fails with expected, got and diagnosis unless `got` is right (NaN is right only for NaN).
void wb_judge_value(wb_judge *judge, const wb_fold *fold, float got);
// The same for per-block results: output b covers [b * span, min(n, (b + 1) * span)) with span =
// block * per_thread. `fold` gives all but first, count and index. The tolerance is wb_fold_bound
// for sums, 0 when `exact`.
void wb_judge_blocks(wb_judge *judge, const wb_fold *fold, const float *got, uint64_t n_blocks,
                     bool exact);

#endif
