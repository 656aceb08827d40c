// SPDX-License-Identifier: MIT
// 03_upper_half.c - judges lesson 03's kernels, or any module that offers exercise 03's kernel.
//
// Counters are asserted exactly for the lesson's kernels (the hand calculation stands beside them);
// for the exercise the bytes loaded are exact and the tree has upper bounds.
#include "inputs.h"
#include "judge.h"
#include "judge_blockwise.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const unsigned tree_blocks[] = {256, 32, 64, 128, 512, 1024};

// --- the exercise: block_min_max --------------------------------------------------------------

static size_t two_arrays(unsigned block) { return 2 * block * sizeof(float); }

static const wb_blockwise min_max = {
    .signature = "block_min_max(const float *in, float *minima, float *maxima, unsigned n)",
    .op = WB_MIN,
    .inputs = {"in"},
    .output = "minima",
    .second_op = WB_MAX,
    .second_output = "maxima",
    .per_thread = 2,
    .shared_bytes = two_arrays};

// A variant of the exercise.
static const wb_blockwise magnitudes = {
    .signature = "block_magnitudes(const float *in, float *least, float *most, unsigned n)",
    .op = WB_MIN,
    .inputs = {"in"},
    .output = "least",
    .second_op = WB_MAX,
    .second_output = "most",
    .per_thread = 2,
    .shared_bytes = two_arrays,
    .magnitudes = true};
static const char *const variants[] = {"magnitudes", NULL};

static const wb_blockwise *judged(void) {
  return wb_judge_is_variant("magnitudes") ? &magnitudes : &min_max;
}

static void check_one_block(wb_judge *judge) {
  wb_blockwise_one_block(judge, judged(), tree_blocks, COUNT(tree_blocks));
}
static void check_sizes(wb_judge *judge) {
  wb_blockwise_sizes(judge, judged(), tree_blocks, COUNT(tree_blocks));
}
static void check_tails(wb_judge *judge) {
  wb_blockwise_tails(judge, judged(), tree_blocks, COUNT(tree_blocks));
}
static void check_every_position(wb_judge *judge) {
  static const unsigned some[] = {32, 64, 256};
  wb_blockwise_positions(judge, judged(), some, COUNT(some));
}
static void check_specials(wb_judge *judge) { wb_blockwise_specials(judge, judged(), 64); }
static void check_bounds(wb_judge *judge) { wb_blockwise_bounds(judge, judged(), 128); }
static void check_stale(wb_judge *judge) { wb_blockwise_stale(judge, judged(), 128); }

#ifdef WORKBOOK_SIMT
static void check_one_pass(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(tree_blocks); b++) {
    unsigned n = 4 * 2 * tree_blocks[b];
    wb_blockwise_count(judge, judged(), n, tree_blocks[b]);
    wb_judge_cost_at_most(judge, "global_load_bytes", (uint64_t)n * sizeof(float),
                          "an element is loaded for the minimum and again for the "
                          "maximum; keep it in a register");
    // A warp's 32 neighbouring floats lie in 4 sectors of 32 bytes.
    wb_judge_cost_at_most(judge, "global_load_sectors", n / 8,
                          "a thread takes elements 2t and 2t + 1; take t and t + "
                          "blockDim.x, so that neighbouring threads load neighbouring elements");
    wb_judge_release(judge);
  }
}

static void check_tree(wb_judge *judge) {
  enum { BLOCKS = 4 };
  for (unsigned block = 64; block <= 1024; block *= 2) {
    wb_blockwise_count(judge, judged(), BLOCKS * 2 * block, block);
    // Two trees of the lesson's kind, 2 (W + 4) + 1 each; twice that is allowed. One thread that
    // reads everything needs 2 * block loads.
    unsigned steps = wb_blockwise_steps(block), warps = block / 32;
    wb_tree_limits limits = {BLOCKS * (steps + 2), BLOCKS * (8 * (warps + 4) + 4),
                             "two trees one after the other; fold both arrays in the "
                             "same step, and one barrier serves both"};
    wb_blockwise_is_tree(judge, &limits);
    const simt_counters *c = wb_judge_counters(judge);
    uint64_t conflicts = c->shared_load_wavefronts - c->shared_load_ideal +
                         c->shared_store_wavefronts - c->shared_store_ideal;
    if (conflicts > 0)
      wb_judge_fail_why(judge,
                        WB_COST("minimum and maximum side by side at words 2t and 2t + 1; let each "
                                "have an array of its own"),
                        "%llu bank conflicts in shared memory; 0 allowed",
                        (unsigned long long)conflicts);
    wb_judge_release(judge);
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_block", 15, "one full block",
     "Follow 4 threads and 8 elements by hand: who loads which two, and what is then folded?",
     check_one_block, false},
    {"sizes", 15, "n from 0 to 65,537, blocks from 32 to 1024",
     "Where does a block begin, and has each of a thread's two loads a bound of its own?",
     check_sizes, false},
    {"tails", 15, "a last block with few elements",
     "A thread may have no second element, or none at all. Which value changes no minimum?",
     check_tails, false},
    {"every_position", 10, "the smallest and the largest element at every place", NULL,
     check_every_position, false},
    {"specials", 10, "NaN never wins; infinities and zeros are right",
     "fminf(x, NaN) is x. Is (x < y ? x : y)?", check_specials, false},
    {"bounds", 5, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
    {"stale_output", 5, "whatever the outputs held before", NULL, check_stale, false},
#ifdef WORKBOOK_SIMT
    {"one_pass", 15, "every element is loaded once, neighbours together",
     "Load into two variables first; all the rest is done with these.", check_one_pass, true},
    {"tree", 10, "one barrier per step, no atomics, no bank conflicts", NULL, check_tree, true},
#endif
};
static const wb_suite exercise = {"03_upper_half", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -----------------------------------------------------------------

enum { SEQUENTIAL, FIRST_ADD, ITEMS_4, ITEMS_8 };
static const wb_blockwise trees[] = {
    {.signature = "sequential_tree(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out"},
    {.signature = "first_add_tree(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .per_thread = 2},
    {.signature = "items_4_tree(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .per_thread = 4},
    {.signature = "items_8_tree(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .per_thread = 8},
};

#include "lesson_trees.h"

#ifdef WORKBOOK_SIMT
// What n elements cost, by hand, with k a thread and blocks of B = 32 W threads: n / (k B) blocks.
// Each loads k W requests of 32 neighbouring floats, 4 sectors each, and then runs the tree of
// lesson 02: 1 + log2(B) barriers, 2 (W + 4) + 1 shared loads, W + (W + 4) stores, 6 branches that
// diverge. So the loads of n elements are the same for every k, and all the rest goes with 1 / k.
static void expect_cost(wb_judge *judge, unsigned n, unsigned block, unsigned k) {
  const char *by_hand = "the hand calculation in tests/03_upper_half.c says otherwise";
  uint64_t n_blocks = n / (k * block), warps = block / 32;
  wb_judge_counter_is(judge, "blocks", n_blocks, by_hand);
  wb_judge_counter_is(judge, "block_barriers", (1 + wb_blockwise_steps(block)) * n_blocks, by_hand);
  wb_judge_counter_is(judge, "global_load_requests", n / 32, by_hand);
  wb_judge_counter_is(judge, "global_load_sectors", n / 8, by_hand);
  wb_judge_counter_is(judge, "global_load_bytes", (uint64_t)n * 4, by_hand);
  wb_judge_counter_is(judge, "shared_load_requests", (2 * (warps + 4) + 1) * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_load_wavefronts", (2 * (warps + 4) + 1) * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_store_requests", (2 * warps + 4) * n_blocks, by_hand);
  wb_judge_counter_is(judge, "divergent_branches", 6 * n_blocks, by_hand);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
}

static void lesson_counters(wb_judge *judge) {
  for (unsigned block = 32; block <= 1024; block *= 2)
    for (size_t k = 0; k < COUNT(trees); k++) {
      wb_blockwise_count(judge, &trees[k], 16 * block, block);
      expect_cost(judge, 16 * block, block, per_thread(k));
      wb_judge_release(judge);
    }
}

// The same for 2^14 elements and 256 threads with the numbers written out.
static void lesson_numbers(wb_judge *judge) {
  static const uint64_t n_blocks[] = {64, 32, 16, 8}, n_barriers[] = {576, 288, 144, 72};
  for (size_t k = 0; k < COUNT(trees); k++) {
    wb_blockwise_count(judge, &trees[k], 1 << 14, 256);
    wb_judge_counter_is(judge, "blocks", n_blocks[k], "2^14 / (256 k)");
    wb_judge_counter_is(judge, "block_barriers", n_barriers[k], "9 for each block");
  }
}

// Lanes at work per warp instruction: how many instructions the compiler makes of a step cannot be
// derived by hand, but the tree's five narrow steps weigh less the more full-width loads there are.
static void lesson_active_lanes(wb_judge *judge) {
  for (unsigned block = 64; block <= 1024; block *= 4) {
    double before = 0.0;
    for (size_t k = 0; k < COUNT(trees); k++) {
      wb_blockwise_count(judge, &trees[k], 32 * block, block);
      const simt_counters *c = wb_judge_counters(judge);
      double lanes = (double)c->lane_instructions / (double)c->warp_instructions;
      if (!(lanes > before && lanes <= 32.0))
        wb_judge_fail(
            judge,
            "%.3f active lanes per instruction with %u elements per thread, and %.3f with "
            "fewer: it must rise",
            lanes, per_thread(k), before);
      before = lanes;
      wb_judge_release(judge);
    }
  }
}
#endif

static const wb_check lesson_checks[] = {
    LESSON_TREE_CHECKS,
#ifdef WORKBOOK_SIMT
    {"numbers", 1, "blocks and barriers halve", NULL, lesson_numbers, true},
    {"counters", 1, "loads, barriers and shared memory as by hand", NULL, lesson_counters, true},
    {"active_lanes", 1, "more lanes at work per instruction", NULL, lesson_active_lanes, true},
#endif
};
static const wb_suite lesson = {"03_upper_half", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &exercise);
}
