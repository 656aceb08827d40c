// SPDX-License-Identifier: MIT
/// @file lesson.h
/// What a lesson program hands to the harness: a table of variants. The harness does the rest:
/// arguments, inputs, poisoned outputs, verification, timing, counters, the table or JSON.
///
///     static const wb_variant variants[] = {{.name = "modulo", .launch = modulo, …}, …};
///     static const wb_lesson lesson = {.name = "01_shared_tree", .variants = variants, …};
///     int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
///
/// Every variant is run on two inputs, integer-valued (the result must be exact) and mixed sign
/// (the result must lie within the error bound of the method's depth); the second one is timed, and
/// on a GPU judged once more after the timing.
#ifndef WB_LESSON_H
#define WB_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_check.h"
#include "inputs.h"    // wb_samples
#include "reference.h" // wb_depth_passes and its kind, for wb_variant.depth

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wb_type { WB_FLOAT, WB_INT, WB_DOUBLE, WB_HALF } wb_type; ///< WB_HALF: outputs only

/// What the output must be, and with it how many elements it has.
typedef enum wb_result {
  WB_RESULT_SUM,            ///< one sum of the input (a sweep: slots that add up to it)
  WB_RESULT_HISTOGRAM,      ///< [n_bins] ints: how often each value occurs; input: WB_INT samples
  WB_RESULT_INCLUSIVE_SCAN, ///< [n]: in[0] + … + in[i], every element within a bound of its own
  WB_RESULT_EXCLUSIVE_SCAN, ///< [n]: in[0] + … + in[i - 1]; out[0] is 0
  WB_RESULT_ROW_SUMS,       ///< [ceil(n / WB_ROW)]: the sum of each row; the last may be shorter
  WB_RESULT_ACROSS          ///< [shares.width] on each GPU: the sum of all shares' elements i
} wb_result;

enum { WB_ROW = 2048 };      ///< elements of a row
enum { WB_MAX_DEVICES = 8 }; ///< GPUs that a lesson can use

/// The input as it lies on several GPUs, for lessons that ask for them (wb_lesson.devices). GPU d
/// holds elements d * width … of in[n], the last one zeros after the n-th. What is `of[d]` lies in
/// the memory of GPU d. While a launch function is called and when it returns, GPU 0 is current.
typedef struct wb_shares {
  unsigned devices;                ///< GPUs that take part: 0 … devices - 1
  unsigned width;                  ///< ceil(n / devices)
  bool peers;                      ///< every GPU can access every other one's memory, and may
  const float *in[WB_MAX_DEVICES]; ///< [width] each
  float *out[WB_MAX_DEVICES];      ///< [width] each, poisoned; out[0] is wb_launch.out
  float *room[WB_MAX_DEVICES];     ///< [WB_SHARE_ROOM] each, poisoned: for partial sums
  float *host;                     ///< [WB_SHARE_ROOM] of the host's memory, page-locked
  const float *in_host;            ///< [devices * width] all of it there, where the lesson asks
} wb_shares;
enum { WB_SHARE_ROOM = 1 << 14 };

/// What one launch function gets. All pointers are device memory.
typedef struct wb_launch {
  unsigned n;         ///< elements
  unsigned block;     ///< threads per block, 32 … 1024; a variant that takes others says so here
  unsigned parameter; ///< the variant's parameter, or the present step of its sweep
  const float *in;    ///< [n], element-aligned only (--offset); NULL when the input is int
  unsigned n_bins;    ///< of a histogram
  const int *in_ints; ///< [n], when the variant's input is WB_INT; else NULL
  void *out;          ///< [n_out] of the variant's output type, poisoned: nothing is zeroed for you
  float *scratch;     ///< [wb_scratch_elements(n, block)] or the variant's own number, poisoned
  unsigned grid;      ///< to be set by the launch function: blocks of its (first) launch
  wb_shares shares;   ///< devices is 0 unless the lesson asks for several
} wb_launch;

/// ceil(n / block), at least 1: a grid must not be empty, and n = 0 still has to write its 0.
static inline unsigned wb_blocks(unsigned n, unsigned block) {
  unsigned blocks = n / block + (n % block != 0);
  return blocks != 0 ? blocks : 1;
}
/// GPUs that the lesson uses: what wb_launch.shares.devices will be.
unsigned wb_devices_used(void);
/// Multiprocessors of the device; asked once.
unsigned wb_multiprocessors(void);
/// 4-byte elements of scratch: room for the partial sums of every pass, one after the other.
size_t wb_scratch_elements(unsigned n, unsigned block);

typedef struct wb_variant {
  const char *name;
  const char *summary;               ///< one line for --list
  void (*launch)(wb_launch *launch); ///< enqueues all work of one run; must not synchronise
  wb_type input, output;             ///< input: WB_FLOAT or WB_INT
  wb_result result;                  ///< a scan's output has the type of its input
  wb_samples samples;                ///< the input of a histogram
  unsigned n_bins;                   ///< of a histogram; 0: WB_BINS
  unsigned parameter;
  /// Rows at parameter 1, 4, 16, … sweep_to, each with its parameter as output elements, whose
  /// sum is verified. Not part of `--variant all`, unless there are only sweeps.
  unsigned sweep_to;
  const char *group; ///< `--variant GROUP` runs all variants of a group; or NULL
  /// Longest chain of additions, for the error bound (of a scan: for each element's). NULL: n - 1
  /// (any order).
  double (*depth)(unsigned n, unsigned block);
  /// 4-byte elements of scratch, when it takes more than wb_scratch_elements() gives. Or NULL.
  size_t (*scratch_elements)(unsigned n, unsigned n_bins);
  /// Reason not to run with these, e.g. "needs a power-of-two block"; NULL: it can run. Or NULL.
  const char *(*refuse)(unsigned n, unsigned block);
  /// The result when it is not the sum of the input (a demonstration); equality is asked for. Or
  /// NULL.
  double (*expect)(unsigned n, unsigned parameter);
  /// Shows a mistake: run only when asked for by name, never as part of `--variant all`.
  bool on_request;
  bool is_yardstick; ///< NVIDIA's library doing the same: the others are compared with it
  bool rounded;      ///< one float: the exact sum, correctly rounded; equal bits are asked for
  bool any_block;    ///< works with a last warp that is not full; else --block is a multiple of 32
} wb_variant;

/// A number that explains the difference between the variants: sums of counters (simt_counters.def)
/// and of `n` and `time_ns`, as "a+b", over another such sum (NULL: 1). Empty where the backend
/// does not count.
typedef struct wb_explanation {
  const char *label; ///< column heading, at most 11 characters
  const char *numerator, *denominator;
} wb_explanation;

enum { WB_MAX_EXPLANATIONS = 2 };

typedef struct wb_lesson {
  const char *name; ///< "01_shared_tree"
  const char *title;
  const char *taught; ///< what the step from the first variant to the best shows, at most 44 bytes
  const wb_variant *variants; ///< [n_variants], each improving on the one before
  size_t n_variants;
  wb_explanation explanations[WB_MAX_EXPLANATIONS]; ///< unused ones have a NULL label
  /// Which of them count float operations: empty for a variant that takes integers.
  bool of_floats[WB_MAX_EXPLANATIONS];
  /// 0: one GPU. Else the lesson uses all there are, up to WB_MAX_DEVICES, and the software GPU has
  /// this many unless SIMT_DEVICES says otherwise.
  unsigned devices;
  bool from_host; ///< of several GPUs: the input also lies in page-locked memory of the host
} wb_lesson;

#define WB_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/// Runs a lesson program. Returns the process's exit code: 0 only if every result was verified,
/// 1 a wrong result or a CUDA error, 2 bad arguments.
int wb_lesson_main(int argc, char **argv, const wb_lesson *lesson);

#ifdef __cplusplus
}
#endif
#endif
