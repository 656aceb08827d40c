// SPDX-License-Identifier: MIT
// judge_blockwise.h - checks that every kernel must stand which reduces its input block by block:
// block b of the grid folds elements [b * span, (b + 1) * span) into output element b, with span =
// block * per_thread.
//
// Each function runs one family of cases and fails the check at the first wrong value. Lessons'
// kernels and exercises' kernels are judged by the same families.
#ifndef WB_JUDGE_BLOCKWISE_H
#define WB_JUDGE_BLOCKWISE_H

#include "judge.h"

// A kernel (const float *in [, const float *in2], float *out [, float *out2], unsigned n).
typedef struct wb_blockwise {
  const char *signature;
  wb_operator op;
  const char *inputs[2]; // parameter names; the second for WB_DOT only
  const char *output;
  size_t (*shared_bytes)(unsigned block); // dynamic shared memory; NULL: one float per thread
  unsigned per_thread;                    // elements a thread takes, blockDim.x apart; 0: 1
  const char *second_output;              // a second result of the same elements, or NULL:
  wb_operator second_op;                  // WB_DOT with one input: the sum of squares
  wb_why (*own_cause)(const wb_fold *fold, float got); // see wb_fold; or NULL
  bool magnitudes;                                     // of the elements, |x|, are folded
  bool second_magnitudes;                              // in the second result alone
  wb_fault_cause fault_cause;                          // or NULL
} wb_blockwise;

typedef enum wb_blockwise_data {
  WB_DATA_EXACT,    // integer-valued, both signs: the result must be exact
  WB_DATA_MIXED,    // fractions of both signs: within the error bound (max: exact)
  WB_DATA_NEGATIVE, // all below 0: an identity of 0 shows
  WB_DATA_RISING,   // negative and rising, every other element far lower: a lost end, or a lost
                    // half of the elements, shows as such
  WB_DATA_ONE_HOT,  // block b has its one large element at position b % block
                    // (for a minimum its one low element as well, at the mirrored position)
  WB_DATA_GIVEN,    // the caller's arrays
  WB_DATA_POSITIVE  // all above 0: a minimum's identity of 0 shows
} wb_blockwise_data;

typedef struct wb_blockwise_case {
  unsigned n, block;
  wb_blockwise_data data;
  const float *a, *b;  // WB_DATA_GIVEN: [n]
  const char *about;   // WB_DATA_GIVEN: "a NaN at index 3"
  size_t offset_bytes; // of the inputs, from an address aligned to 256 bytes
  const float *start;  // [blocks] what the output holds before, all alike; NULL: poison
} wb_blockwise_case;

unsigned wb_blockwise_grid(unsigned n, unsigned block); // at least one block, also for n = 0

// Launches one case and judges every block's results. Returns those of the first output, which live
// until wb_judge_release.
const float *wb_blockwise_run(wb_judge *judge, const wb_blockwise *kernel,
                              const wb_blockwise_case *one);

#ifdef WORKBOOK_SIMT
// One right case, so that its counters can be asked for.
void wb_blockwise_count(wb_judge *judge, const wb_blockwise *kernel, unsigned n, unsigned block);
// Halvings from a power of two to 1.
unsigned wb_blockwise_steps(unsigned power_of_two);

// What a tree over shared memory in which the threads with work are neighbours stays below, in the
// latest launch; it needs no atomics.
typedef struct wb_tree_limits {
  uint64_t barriers, shared_loads; // requests of warps
  const char *barriers_cause;      // why there may be more barriers
} wb_tree_limits;
void wb_blockwise_is_tree(wb_judge *judge, const wb_tree_limits *limits);
#endif

// Sizes 0, 1, 2, around 32, 256 and 1024, an odd prime, and 65,537, with these block sizes.
void wb_blockwise_sizes(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                        size_t n_blocks);
// One full block, so that a first failure is a simple one.
void wb_blockwise_one_block(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                            size_t n_blocks);
// Full blocks and a last one of a single element, of all but one, and of a few.
void wb_blockwise_tails(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                        size_t n_blocks);
// Every position of a block holds the deciding element once.
void wb_blockwise_positions(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                            size_t n_blocks);
// +inf, -inf, NaN and -0, alone and together, at several positions.
void wb_blockwise_specials(wb_judge *judge, const wb_blockwise *kernel, unsigned block);
// Inputs at every alignment of a float; exact allocations and guard zones.
void wb_blockwise_bounds(wb_judge *judge, const wb_blockwise *kernel, unsigned block);
// Outputs that hold something before, among it an earlier right answer; the same bits every time.
void wb_blockwise_stale(wb_judge *judge, const wb_blockwise *kernel, unsigned block);

#endif
