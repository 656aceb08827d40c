// SPDX-License-Identifier: MIT
// 04_warp_sync.c - judges lesson 04's kernels, or any module that offers exercise 04's kernel.
//
// Counters are asserted exactly for the lesson's kernels (the hand calculation stands beside them).
// The exercise is a repair: its wrong values are first compared with what the supplied fold would
// give, so that a student learns which of its mistakes is still there.
//
// The lesson's broken folds are not judged: what they give is undefined.
#include "inputs.h"
#include "judge.h"
#include "judge_blockwise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const unsigned blocks[] = {256, 64, 128, 512, 1024, 32};

// --- the exercise: block_moments --------------------------------------------------------------

enum { LANES = WB_LANES, MAX_THREADS = 1024 };

static double slot(const wb_fold *fold, unsigned thread) {
  if (thread >= fold->count) return 0.0;
  double x = (double)fold->a[fold->first + thread];
  return fold->op == WB_DOT ? x * x : x;
}

// What the block's values come to when warp 0 does not wait at the hand-over (it runs first, up to
// the next barrier), or when the lanes of the fold do not wait for each other (all of them load
// before any of them stores), or neither; and when the fold begins with that many values.
static double with_mistakes(const wb_fold *fold, bool waits_for_warps, bool waits_for_lanes,
                            unsigned n_folded) {
  double v[MAX_THREADS];
  unsigned block = fold->block, left = block;
  if (block <= LANES || block > MAX_THREADS) return NAN;
  for (unsigned t = 0; t < block; t++) v[t] = slot(fold, t);
  for (; left > 64; left /= 2) {
    bool last = left == 128;
    for (unsigned t = 0; t < left / 2; t++)
      if (waits_for_warps || !last || t < LANES) v[t] += v[t + left / 2];
  }
  if (!waits_for_warps && block == 64)
    for (unsigned t = LANES; t < 64; t++) v[t] = 0.0; // not stored yet
  double sum = v[0];
  for (unsigned t = 1; t < n_folded; t++) sum += waits_for_lanes || (t & (t - 1)) == 0 ? v[t] : 0.0;
  return sum;
}

static bool is_near(const wb_fold *fold, double value, float got) {
  double slack = fold->tolerance + 1e-6 * fabs(value) + 1e-6;
  return fabs(value - (double)got) <= slack && fabs(value - wb_fold_expected(fold)) > 2 * slack;
}

// Whether threads may have read what others had not written: where races are looked for, one has
// been found.
static bool may_race(void) {
#ifdef WORKBOOK_SIMT
  const char *checkers = getenv("SIMT_CHECK");
  const bool looks = checkers && (strstr(checkers, "all") || strstr(checkers, "race"));
  return !looks || simt_findings_error_count() > 0;
#else
  return true;
#endif
}

// What the published exercise asks for, where its variant is asked for: fold->a is |x|.
static double squares(const wb_fold *fold) {
  double sum = 0.0;
  for (uint64_t i = 0; i < fold->count; i++)
    sum += (double)fold->a[fold->first + i] * (double)fold->a[fold->first + i];
  return wb_judge_is_variant("magnitudes") ? sum : NAN;
}

static wb_why what_is_left(const wb_fold *fold, float got) {
  const bool races = may_race();
  if (races && is_near(fold, with_mistakes(fold, false, false, 64), got))
    return WB_UNFILLED(
        "this is what the supplied fold gives: warp 0 reads what warp 1 has not written yet, "
        "and its lanes do not wait for each other. Is the blank filled in yet?");
  if (races && is_near(fold, with_mistakes(fold, false, true, 64), got))
    return WB_WHY(
        "warp 0 read what warp 1 had not written yet: is there a __syncthreads() between the "
        "last step of the block and the fold?");
  if (races && is_near(fold, with_mistakes(fold, true, false, 64), got))
    return WB_WHY(
        "lane 0 added values as they were before the fold: is there a __syncwarp() between one "
        "step of it and the next?");
  if (is_near(fold, with_mistakes(fold, true, true, 32), got))
    return WB_WHY(
        "32 of the last 64 values were left out: with more than one warp the fold begins with "
        "64");
  if (is_near(fold, squares(fold), got)) return WB_WHY("x * x is added up in place of |x|");
  return WB_UNKNOWN;
}

static wb_why beyond_one_warp(wb_cause cause, unsigned block) {
  if (cause != WB_CAUSE_SHARED_INDEX || block > LANES) return WB_UNKNOWN;
  return (wb_why){
      cause, "a block of 32 threads has 32 values of each kind, and the fold takes more of them",
      "with how many values does the fold begin when the block is a single warp?"};
}

static size_t two_arrays(unsigned block) { return 2 * block * sizeof(float); }

static const wb_blockwise moments = {
    .signature = "block_moments(const float *in, float *sums, float *squares, unsigned n)",
    .op = WB_SUM,
    .inputs = {"in"},
    .output = "sums",
    .second_op = WB_DOT,
    .second_output = "squares",
    .shared_bytes = two_arrays,
    .own_cause = what_is_left,
    .fault_cause = beyond_one_warp};

// A variant of the exercise. Its second fold is over other values, and one of the same kind.
static const wb_blockwise totals = {
    .signature = "block_totals(const float *in, float *sums, float *magnitudes, unsigned n)",
    .op = WB_SUM,
    .inputs = {"in"},
    .output = "sums",
    .second_op = WB_SUM,
    .second_output = "magnitudes",
    .second_magnitudes = true,
    .shared_bytes = two_arrays,
    .own_cause = what_is_left,
    .fault_cause = beyond_one_warp};
static const char *const variants[] = {"magnitudes", NULL};

static const wb_blockwise *judged(void) {
  return wb_judge_is_variant("magnitudes") ? &totals : &moments;
}

static void check_one_block(wb_judge *judge) { wb_blockwise_one_block(judge, judged(), blocks, 5); }
static void check_one_warp(wb_judge *judge) {
  static const unsigned block_64_first[] = {64, 32};
  wb_blockwise_one_block(judge, judged(), block_64_first, 2);
  wb_blockwise_tails(judge, judged(), block_64_first, 2);
}
static void check_sizes(wb_judge *judge) {
  wb_blockwise_sizes(judge, judged(), blocks, COUNT(blocks));
}
static void check_tails(wb_judge *judge) { wb_blockwise_tails(judge, judged(), blocks, 5); }
static void check_every_position(wb_judge *judge) {
  static const unsigned some[] = {64, 256, 32};
  wb_blockwise_positions(judge, judged(), some, COUNT(some));
}
static void check_specials(wb_judge *judge) { wb_blockwise_specials(judge, judged(), 64); }
static void check_bounds(wb_judge *judge) { wb_blockwise_bounds(judge, judged(), 128); }
static void check_stale(wb_judge *judge) { wb_blockwise_stale(judge, judged(), 128); }

#ifdef WORKBOOK_SIMT
enum { BLOCKS = 4 };

static void check_block_barriers(wb_judge *judge) {
  for (unsigned block = 64; block <= 1024; block *= 2) {
    wb_blockwise_count(judge, judged(), BLOCKS * block, block);
    wb_judge_cost_is(judge, "block_barriers", BLOCKS * (wb_blockwise_steps(block) - 5),
                     "one per block before each step from s = blockDim.x / 2 down to 32: "
                     "__syncthreads() where one warp is left, or one too few at "
                     "the hand-over");
    wb_judge_release(judge);
  }
}

// Between the steps 32, 16, 8, 4, 2, 1 of the fold the lanes have to wait five times. Twice in each
// step (load, wait, store, wait) and in each of two folds makes 24, and all beyond is too much.
static void check_warp_syncs(wb_judge *judge) {
  for (unsigned block = 64; block <= 1024; block *= 2) {
    wb_blockwise_count(judge, judged(), BLOCKS * block, block);
    const simt_counters *c = wb_judge_counters(judge);
    if (c->warp_syncs < BLOCKS * 5)
      wb_judge_fail_why(
          judge,
          WB_COST("the lanes of a warp are trusted to run in step; the results may be "
                  "right here, by luck"),
          "%.3g __syncwarp() per block; 5 at least, one between any two of the steps "
          "32, 16, 8, 4, 2, 1",
          (double)c->warp_syncs / (double)BLOCKS);
    wb_judge_cost_at_most(judge, "warp_syncs", BLOCKS * 24,
                          "warps that have nothing to do with the fold wait in it "
                          "as well; let warp 0 go on alone");
    wb_judge_release(judge);
  }
}

static void check_fold(wb_judge *judge) {
  for (unsigned block = 64; block <= 1024; block *= 2) {
    uint64_t warps = block / LANES;
    wb_blockwise_count(judge, judged(), BLOCKS * block, block);
    wb_judge_counter_at_most(judge, "shuffles", 0, "no shuffles yet: that is lesson 05");
    wb_judge_cost_at_most(judge, "global_atomic_lanes", 0,
                          "atomics; thread 0 alone writes the block's results");
    // Two arrays of the lesson's tree, 2 (W + 4) + 1 each; twice that is allowed. A lane that reads
    // everything needs 64 loads a fold.
    wb_judge_cost_at_most(judge, "shared_load_requests", BLOCKS * (8 * (warps + 4) + 4),
                          "one lane reads the values one after the other; fold "
                          "with as many lanes as there are pairs");
    wb_judge_release(judge);
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_block", 15, "one full block of several warps",
     "Who wrote values[t + 32], and what makes warp 0 wait for it?", check_one_block, false},
    {"sizes", 10, "n from 0 to 65,537, blocks from 32 to 1024",
     "A block of 32 threads has 32 values: what lies at values[t + 32]?", check_sizes, false},
    {"one_warp", 10, "blocks of 64 and of 32 threads",
     "With 32 threads there are 32 values: what lies at values[t + 32]?", check_one_warp, false},
    {"tails", 5, "a last block with few elements", NULL, check_tails, false},
    {"every_position", 10, "every value counts, once", NULL, check_every_position, false},
    {"specials", 5, "infinities, NaN and -0 reach the right block only", NULL, check_specials,
     false},
    {"bounds", 5, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
    {"stale_output", 5, "whatever the outputs held before", NULL, check_stale, false},
#ifdef WORKBOOK_SIMT
    {"block_barriers", 15, "log2(blockDim.x) - 5 block barriers",
     "A block barrier is for several warps. How many take part in the steps 16, 8, 4, 2 and 1?",
     check_block_barriers, true},
    {"warp_syncs", 15, "a __syncwarp() between any two steps of the fold",
     "Each step reads what other lanes wrote in the step before.", check_warp_syncs, true},
    {"fold", 5, "folds with all lanes there are pairs for", NULL, check_fold, true},
#endif
};
static const wb_suite exercise = {"04_warp_sync", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -----------------------------------------------------------------

static size_t nothing(unsigned block) { return block * 0; }

#define TREE(name)                                                                                 \
  {                                                                                                \
    .signature = name "(const float *in, float *out, unsigned n)", .op = WB_SUM, .inputs = {"in"}, \
    .output = "out", .per_thread = 2                                                               \
  }
// unrolled<SIZE>: a template's kernel has a mangled name.
#define UNROLLED(size)                                                                             \
  {                                                                                                \
    .signature = "_Z8unrolledILj" #size "EEvPKfPfj(const float *in, float *out, unsigned n)",      \
    .op = WB_SUM, .inputs = {"in"}, .output = "out", .per_thread = 2, .shared_bytes = nothing      \
  }

enum { FULL_TREE, BARRIER_FIRST, WARP_FOLD };
static const wb_blockwise trees[] = {TREE("first_add_tree"), TREE("barrier_first_tree"),
                                     TREE("warp_fold_tree")};
// In the order of `blocks`: each for one block size only, its shared memory in the kernel.
static const wb_blockwise unrolled[] = {UNROLLED(256), UNROLLED(64),   UNROLLED(128),
                                        UNROLLED(512), UNROLLED(1024), UNROLLED(32)};

typedef void (*family)(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                       size_t n_blocks);

// One family of cases with every kernel and every block size up to `largest`.
static void judge_all(wb_judge *judge, family cases, unsigned largest) {
  for (size_t b = 0; b < COUNT(blocks); b++) {
    if (blocks[b] > largest) continue;
    for (size_t k = 0; k < COUNT(trees); k++) cases(judge, &trees[k], &blocks[b], 1);
    cases(judge, &unrolled[b], &blocks[b], 1);
  }
}
static void lesson_sizes(wb_judge *judge) { judge_all(judge, wb_blockwise_sizes, 1024); }
static void lesson_tails(wb_judge *judge) { judge_all(judge, wb_blockwise_tails, 1024); }
static void lesson_positions(wb_judge *judge) { judge_all(judge, wb_blockwise_positions, 256); }

typedef void (*one_size)(wb_judge *judge, const wb_blockwise *kernel, unsigned block);

static void judge_two_sizes(wb_judge *judge, one_size cases) {
  for (size_t k = 0; k < COUNT(trees); k++) cases(judge, &trees[k], 64);
  cases(judge, &unrolled[1], 64);
  cases(judge, &unrolled[2], 128);
}
static void lesson_specials(wb_judge *judge) { judge_two_sizes(judge, wb_blockwise_specials); }
static void lesson_bounds(wb_judge *judge) { judge_two_sizes(judge, wb_blockwise_bounds); }
static void lesson_stale(wb_judge *judge) { judge_two_sizes(judge, wb_blockwise_stale); }

#ifdef WORKBOOK_SIMT
static const char by_hand[] = "the hand calculation in tests/04_warp_sync.c says otherwise";

// What one block of B = 32 W threads costs, by hand. A step s makes warp 0 .. ceil(s / 32) - 1 load
// twice and store once: W/2 + W/4 + ... + 1 = W - 1 warp-steps while s >= 32, and five of warp 0
// for s = 16 ... 1: W + 4. Besides, W warps store their sums and one loads the result. A step
// diverges when s < 32, and so does the final `if (t == 0)`: 6 branches.
//   first_add      barriers: 1 after the loading, 1 after each of log2(B) steps
//   barrier_first  1 before each of log2(B) steps
//   warp_fold      1 before each of the log2(B) - 5 steps with s >= 32; 5 __syncwarp(). The five
//                  steps have fixed distances, so the compiler writes them out and sees that
//                  `t < s` with s = 1 and `t == 0` are one condition: one branch less
//   unrolled       the same
static void expect_tree(wb_judge *judge, unsigned block, uint64_t n_blocks, uint64_t barriers,
                        uint64_t warp_syncs, uint64_t branches_saved) {
  uint64_t warps = block / LANES;
  wb_judge_counter_is(judge, "block_barriers", barriers * n_blocks, by_hand);
  wb_judge_counter_is(judge, "warp_syncs", warp_syncs * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_load_requests", (2 * (warps + 4) + 1) * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_load_wavefronts", (2 * (warps + 4) + 1) * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_store_requests", (2 * warps + 4) * n_blocks, by_hand);
  wb_judge_counter_is(judge, "divergent_branches", (6 - branches_saved) * n_blocks, by_hand);
  wb_judge_counter_is(judge, "global_load_requests", 2 * warps * n_blocks, by_hand);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
  wb_judge_counter_is(judge, "shuffles", 0, by_hand);
}

static void lesson_counters(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (unsigned n_blocks = 1; n_blocks <= 5; n_blocks += 4) {
      unsigned block = blocks[b], n = n_blocks * 2 * block, steps = wb_blockwise_steps(block);
      wb_blockwise_count(judge, &trees[FULL_TREE], n, block);
      expect_tree(judge, block, n_blocks, steps + 1, 0, 0);
      wb_blockwise_count(judge, &trees[BARRIER_FIRST], n, block);
      expect_tree(judge, block, n_blocks, steps, 0, 0);
      wb_blockwise_count(judge, &trees[WARP_FOLD], n, block);
      expect_tree(judge, block, n_blocks, steps - 5, 5, 1);
      wb_blockwise_count(judge, &unrolled[b], n, block);
      expect_tree(judge, block, n_blocks, steps - 5, 5, 1);
      wb_judge_release(judge);
    }
}

// The same for 256 threads with the numbers written out, and what a loop costs besides.
static void lesson_numbers(wb_judge *judge) {
  static const uint64_t barriers[] = {9, 8, 3, 3};
  uint64_t instructions[4];
  for (size_t k = 0; k < 4; k++) {
    wb_blockwise_count(judge, k < 3 ? &trees[k] : &unrolled[0], 512, 256);
    wb_judge_counter_is(judge, "block_barriers", barriers[k], "256 threads: 9, 8, 3, 3");
    instructions[k] = wb_judge_counters(judge)->warp_instructions;
    if (k > 0 && instructions[k] >= instructions[k - 1])
      wb_judge_fail(judge, "%llu warp instructions, and %llu in the version before: it must fall",
                    (unsigned long long)instructions[k], (unsigned long long)instructions[k - 1]);
  }
}
#endif

static const wb_check lesson_checks[] = {
    {"sizes", 1, "sizes, block sizes, exact and mixed inputs", NULL, lesson_sizes, false},
    {"tails", 1, "a last block with few elements", NULL, lesson_tails, false},
    {"positions", 1, "every position counts", NULL, lesson_positions, false},
    {"specials", 1, "infinities, NaN, -0", NULL, lesson_specials, false},
    {"bounds", 1, "stays inside its arrays, input unchanged", NULL, lesson_bounds, false},
    {"stale_output", 1, "whatever the output held before", NULL, lesson_stale, false},
#ifdef WORKBOOK_SIMT
    {"numbers", 1, "256 threads: 9, 8, 3 and 3 block barriers", NULL, lesson_numbers, true},
    {"counters", 1, "barriers, divergence and shared memory as by hand", NULL, lesson_counters,
     true},
#endif
};
static const wb_suite lesson = {"04_warp_sync", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &exercise);
}
