// SPDX-License-Identifier: MIT
// 01_shared_tree.c - judges lesson 01's kernels, or any module that offers exercise 01's kernel.
//
// Counters are asserted exactly for the lesson's kernels (the hand calculation stands beside them)
// and as upper bounds for the exercise, where more than one good tree exists.
#include "inputs.h"
#include "judge.h"
#include "judge_blockwise.h"

#include <float.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#ifdef WORKBOOK_SIMT
// Halvings until one of `count` values is left.
static unsigned steps_of(unsigned count) {
  unsigned steps = 0;
  for (; count > 1; count = (count + 1) / 2) steps++;
  return steps;
}
#endif

// --- the exercise: block_max ------------------------------------------------------------------

static const wb_blockwise block_max = {.signature =
                                           "block_max(const float *in, float *maxima, unsigned n)",
                                       .op = WB_MAX,
                                       .inputs = {"in"},
                                       .output = "maxima"};

// Variants of the exercise.
static const wb_blockwise block_min = {.signature =
                                           "block_min(const float *in, float *minima, unsigned n)",
                                       .op = WB_MIN,
                                       .inputs = {"in"},
                                       .output = "minima"};
static const wb_blockwise block_magnitude = {
    .signature = "block_magnitude(const float *in, float *magnitudes, unsigned n)",
    .op = WB_MAX,
    .inputs = {"in"},
    .output = "magnitudes",
    .magnitudes = true};
static const char *const variants[] = {"min", "magnitude", NULL};

static const wb_blockwise *judged(void) {
  if (wb_judge_is_variant("min")) return &block_min;
  return wb_judge_is_variant("magnitude") ? &block_magnitude : &block_max;
}

static const unsigned plain_blocks[] = {32, 64, 1024, 256};
static const unsigned odd_blocks[] = {96,  48,  33,  31,  1,   2,   3,   5,    7,
                                      100, 129, 255, 257, 384, 500, 768, 1000, 1023};

static void check_one_block(wb_judge *judge) {
  wb_blockwise_one_block(judge, judged(), plain_blocks, COUNT(plain_blocks));
}
static void check_sizes(wb_judge *judge) {
  wb_blockwise_sizes(judge, judged(), plain_blocks, COUNT(plain_blocks));
}
static void check_tails(wb_judge *judge) {
  wb_blockwise_tails(judge, judged(), plain_blocks, COUNT(plain_blocks));
}
static void check_any_block_size(wb_judge *judge) {
  wb_blockwise_one_block(judge, judged(), odd_blocks, COUNT(odd_blocks));
  wb_blockwise_tails(judge, judged(), odd_blocks, COUNT(odd_blocks));
}
static void check_every_position(wb_judge *judge) {
  static const unsigned blocks[] = {256, 96, 33, 100};
  wb_blockwise_positions(judge, judged(), blocks, COUNT(blocks));
}

// Blocks without elements, blocks of the lowest values there are; for a minimum of the highest.
static void check_identity(wb_judge *judge) {
  static const float lowest[] = {-FLT_MAX, -INFINITY, -1.0f};
  static const char *const names[] = {"all -FLT_MAX", "all -inf", "all -1"};
  static const char *const highest[] = {"all FLT_MAX", "all +inf", "all 1"};
  static float x[300];
  for (size_t v = 0; v < COUNT(lowest); v++) {
    for (unsigned i = 0; i < 300; i++) x[i] = judged()->op == WB_MIN ? -lowest[v] : lowest[v];
    for (unsigned n = 0; n <= 300; n += 75) {
      wb_blockwise_case one = {.n = n,
                               .block = 128,
                               .data = WB_DATA_GIVEN,
                               .a = x,
                               .about = judged()->op == WB_MIN ? highest[v] : names[v]};
      wb_blockwise_run(judge, judged(), &one);
      wb_judge_release(judge);
    }
  }
}
static void check_specials(wb_judge *judge) { wb_blockwise_specials(judge, judged(), 64); }
static void check_bounds(wb_judge *judge) { wb_blockwise_bounds(judge, judged(), 128); }
static void check_stale(wb_judge *judge) { wb_blockwise_stale(judge, judged(), 96); }

#ifdef WORKBOOK_SIMT
static void check_tree(wb_judge *judge) {
  enum { BLOCKS = 4 };
  for (unsigned block = 64; block <= 1024; block *= 2) {
    unsigned steps = steps_of(block), warps = block / 32;
    wb_blockwise_count(judge, judged(), BLOCKS * block, block);
    // Two loads per warp and step: warps + 5 steps of one warp at most, one to write the result;
    // twice that is allowed. One thread that reads everything needs `block` loads.
    wb_tree_limits limits = {BLOCKS * (steps + 2), BLOCKS * (4 * (warps + 5) + 2),
                             "more barriers than one per halving and two besides"};
    wb_blockwise_is_tree(judge, &limits);
    wb_judge_release(judge);
  }
}

static void check_divergence(wb_judge *judge) {
  enum { BLOCKS = 4 };
  for (unsigned block = 64; block <= 1024; block *= 2) {
    wb_blockwise_count(judge, judged(), BLOCKS * block, block);
    // Neighbouring workers: the last five steps split the first warp, and so does the final store.
    // Twice that is allowed, and once more for each warp: where values are compared by an `if`, a
    // warp all of whose threads work may split as well.
    wb_judge_cost_at_most(judge, "divergent_branches", BLOCKS * (12 + block / 32),
                          "threads that still work are spread over all warps, as "
                          "with t % (2 * s) == 0; let the first threads work");
    wb_judge_release(judge);
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_block", 10, "one full block",
     "Follow 4 threads by hand: what is in values[] after each step, and who waits for whom?",
     check_one_block, false},
    {"sizes", 15, "n from 0 to 65,537, blocks of a power of two", NULL, check_sizes, false},
    {"tails", 10, "a last block with few elements",
     "Which value must a thread without an element hold so that it changes nothing?", check_tails,
     false},
    {"any_block_size", 15, "blocks of 1, 3, 48, 100, 1023 threads",
     "With 5 values left, threads 0 and 1 fold values 3 and 4, and value 2 stays: 3 are left.",
     check_any_block_size, false},
    {"every_position", 10, "the largest element at every thread", NULL, check_every_position,
     false},
    {"identity", 10, "empty blocks and very low values",
     "The identity of the maximum is -INFINITY.", check_identity, false},
    {"specials", 10, "NaN never wins; infinities and zeros are right",
     "fmaxf(x, NaN) is x. Is (x > y ? x : y)?", check_specials, false},
    {"bounds", 5, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
    {"stale_output", 5, "whatever the output held before", NULL, check_stale, false},
#ifdef WORKBOOK_SIMT
    {"tree", 5, "one barrier per step, no atomics, all threads fold", NULL, check_tree, true},
    {"divergence", 5, "neighbouring threads work",
     "Let thread t work where t is below the number of pairs.", check_divergence, true},
#endif
};
static const wb_suite exercise = {"01_shared_tree", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -----------------------------------------------------------------

static const wb_blockwise trees[] = {
    {.signature = "modulo_tree(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out"},
    {.signature = "strided_tree(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out"},
};
static const unsigned tree_blocks[] = {32, 64, 128, 512, 1024, 256};

#include "lesson_trees.h"

#ifdef WORKBOOK_SIMT
// What one block of B = 32 W threads costs, by hand.
typedef struct tree_cost {
  uint64_t divergent, barriers, loads, load_wavefronts, stores, store_wavefronts;
} tree_cost;

// modulo_tree. In step s a warp has workers if a multiple of 2s is among its threads: all W warps
// for s = 1 … 16, then every second, fourth … : W/2 + W/4 + … + 1 = W - 1. In all of these 6W - 1
// warp-steps some lanes work and some do not: the branch diverges. The final `if (t == 0)` is one
// more: 6W. Each warp-step loads twice and stores once; besides, every warp stores its elements and
// one loads the result. A working lane's word is its own number (or that plus s): 32 banks, no
// conflicts.
static tree_cost modulo_cost(unsigned block) {
  uint64_t warps = block / 32, warp_steps = 6 * warps - 1;
  return (tree_cost){.divergent = warp_steps + 1,
                     .barriers = 1 + steps_of(block),
                     .loads = 2 * warp_steps + 1,
                     .load_wavefronts = 2 * warp_steps + 1,
                     .stores = warps + warp_steps,
                     .store_wavefronts = warps + warp_steps};
}

// strided_tree. With d = 2s, A = B/d threads work: ceil(A / 32) warps. The branch splits a warp
// only when A < 32, that is for A = 16, 8, 4, 2, 1: 5, and the final `if` makes 6. A warp's L =
// min(A, 32) lanes touch words d apart, which lie in 32/d banks (one for d >= 32): L / (32/d)
// wavefronts, at least one. The loads of tile[place + s] are the same, shifted by s.
static tree_cost strided_cost(unsigned block) {
  uint64_t warps = block / 32, warp_steps = 0, wavefronts = 0;
  for (unsigned d = 2; d <= block; d *= 2) {
    unsigned active = block / d, busy_warps = (active + 31) / 32, lanes = active < 32 ? active : 32;
    unsigned banks = d < 32 ? 32 / d : 1, degree = lanes > banks ? lanes / banks : 1;
    warp_steps += busy_warps;
    wavefronts += busy_warps * degree;
  }
  return (tree_cost){.divergent = 6,
                     .barriers = 1 + steps_of(block),
                     .loads = 2 * warp_steps + 1,
                     .load_wavefronts = 2 * wavefronts + 1,
                     .stores = warps + warp_steps,
                     .store_wavefronts = warps + wavefronts};
}

static void expect_cost(wb_judge *judge, tree_cost cost, uint64_t n_blocks) {
  const char *by_hand = "the hand calculation in tests/01_shared_tree.c says otherwise";
  wb_judge_counter_is(judge, "divergent_branches", cost.divergent * n_blocks, by_hand);
  wb_judge_counter_is(judge, "block_barriers", cost.barriers * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_load_requests", cost.loads * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_load_wavefronts", cost.load_wavefronts * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_load_ideal", cost.loads * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_store_requests", cost.stores * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_store_wavefronts", cost.store_wavefronts * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_store_ideal", cost.stores * n_blocks, by_hand);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
}

static void lesson_counters(wb_judge *judge) {
  for (unsigned block = 32; block <= 1024; block *= 2)
    for (unsigned n_blocks = 1; n_blocks <= 5; n_blocks += 4) {
      wb_blockwise_count(judge, &trees[0], n_blocks * block, block);
      expect_cost(judge, modulo_cost(block), n_blocks);
      wb_blockwise_count(judge, &trees[1], n_blocks * block, block);
      expect_cost(judge, strided_cost(block), n_blocks);
      wb_judge_release(judge);
    }
}

// The same for 256 threads with the numbers written out: W = 8.
static void lesson_numbers(wb_judge *judge) {
  wb_blockwise_count(judge, &trees[0], 256, 256);
  wb_judge_counter_is(judge, "divergent_branches", 48, "6 W with W = 8 warps");
  wb_judge_counter_is(judge, "block_barriers", 9, "1 + log2(256)");
  wb_blockwise_count(judge, &trees[1], 256, 256);
  wb_judge_counter_is(judge, "divergent_branches", 6, "five last steps and the final if");
  wb_judge_counter_is(judge, "shared_load_requests", 25, "2 (4 + 2 + 1 + 1 + 1 + 1 + 1 + 1) + 1");
  wb_judge_counter_is(judge, "shared_load_wavefronts", 95, "2 (8 + 8 + 8 + 8 + 8 + 4 + 2 + 1) + 1");
}
#endif

static const wb_check lesson_checks[] = {
    LESSON_TREE_CHECKS,
#ifdef WORKBOOK_SIMT
    {"numbers", 1, "256 threads: 48 against 6 divergent branches", NULL, lesson_numbers, true},
    {"counters", 1, "divergence, barriers and banks as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"01_shared_tree", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &exercise);
}
