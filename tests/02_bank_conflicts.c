// SPDX-License-Identifier: MIT
// 02_bank_conflicts.c - judges lesson 02's kernels, or any module that offers exercise 02's kernel.
//
// Counters are asserted exactly for the lesson's kernels (the hand calculation stands beside them);
// for the exercise the one that matters is exact as well: no bank conflicts.
#include "inputs.h"
#include "judge.h"
#include "judge_blockwise.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const unsigned tree_blocks[] = {32, 64, 128, 512, 1024, 256};

// --- the exercise: dot_partials ---------------------------------------------------------------

static const wb_blockwise dot = {
    .signature = "dot_partials(const float *a, const float *b, float *partials, unsigned n)",
    .op = WB_DOT,
    .inputs = {"a", "b"},
    .output = "partials"};

// A variant of the exercise.
static const wb_blockwise absolute = {
    .signature = "absolute_partials(const float *a, const float *b, float *partials, unsigned n)",
    .op = WB_DOT,
    .inputs = {"a", "b"},
    .output = "partials",
    .magnitudes = true};
static const char *const variants[] = {"absolute", NULL};

static const wb_blockwise *judged(void) {
  return wb_judge_is_variant("absolute") ? &absolute : &dot;
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
  static const unsigned some[] = {32, 256, 512};
  wb_blockwise_positions(judge, judged(), some, COUNT(some));
}
static void check_specials(wb_judge *judge) { wb_blockwise_specials(judge, judged(), 64); }
static void check_bounds(wb_judge *judge) { wb_blockwise_bounds(judge, judged(), 128); }
static void check_stale(wb_judge *judge) { wb_blockwise_stale(judge, judged(), 128); }

#ifdef WORKBOOK_SIMT
static void check_no_conflicts(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(tree_blocks); b++) {
    wb_blockwise_count(judge, judged(), 4 * tree_blocks[b] - 5, tree_blocks[b]);
    const simt_counters *c = wb_judge_counters(judge);
    uint64_t loads = c->shared_load_wavefronts - c->shared_load_ideal;
    uint64_t stores = c->shared_store_wavefronts - c->shared_store_ideal;
    if (loads + stores == 0) {
      wb_judge_release(judge);
      continue;
    }
    wb_judge_blame_line(judge, "shared_load_wavefronts");
    wb_judge_fail_why(judge,
                      WB_COST("lanes at words 2, 4, 8 ... apart share a bank (word % 32); let "
                              "thread t fold word t + half onto word t"),
                      "%llu bank conflicts in loads and %llu in stores; 0 allowed",
                      (unsigned long long)loads, (unsigned long long)stores);
  }
}

static void check_tree(wb_judge *judge) {
  enum { BLOCKS = 4 };
  for (unsigned block = 64; block <= 1024; block *= 2) {
    wb_blockwise_count(judge, judged(), BLOCKS * block, block);
    // As in a tree with neighbouring workers, 2 (W + 4) + 1, twice. One thread that reads
    // everything needs `block` loads.
    unsigned steps = wb_blockwise_steps(block), warps = block / 32;
    wb_tree_limits limits = {BLOCKS * (steps + 2), BLOCKS * (4 * (warps + 4) + 2),
                             "more barriers than one per halving and two besides"};
    wb_blockwise_is_tree(judge, &limits);
    wb_judge_release(judge);
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_block", 15, "one full block",
     "Follow 4 threads by hand: what is in values[] after each step, and who waits for whom?",
     check_one_block, false},
    {"sizes", 15, "n from 0 to 65,537, blocks from 32 to 1024",
     "What does a thread without an element store, and does it touch a[i] and b[i]?", check_sizes,
     false},
    {"tails", 10, "a last block with few elements",
     "Which product must a thread without an element hold so that it changes nothing?", check_tails,
     false},
    {"every_position", 10, "every product counts, once", NULL, check_every_position, false},
    {"specials", 10, "infinities, NaN and -0 reach the right block only", NULL, check_specials,
     false},
    {"bounds", 5, "stays inside its arrays, inputs unchanged", NULL, check_bounds, false},
    {"stale_output", 10, "whatever the output held before", NULL, check_stale, false},
#ifdef WORKBOOK_SIMT
    {"no_conflicts", 20, "0 bank conflicts",
     "In which banks do lanes 0, 1, 2 ... of a warp read in the first step of your loop?",
     check_no_conflicts, true},
    {"tree", 5, "one barrier per step, no atomics, all threads fold", NULL, check_tree, true},
#endif
};
static const wb_suite exercise = {"02_bank_conflicts", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -----------------------------------------------------------------

static size_t padded_bytes(unsigned block) { return (block + block / 32) * sizeof(float); }

enum { STRIDED, SEQUENTIAL, PADDED };
static const wb_blockwise trees[] = {
    {.signature = "strided_tree(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out"},
    {.signature = "sequential_tree(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out"},
    {.signature = "padded_tree(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .shared_bytes = padded_bytes},
};

#include "lesson_trees.h"

#ifdef WORKBOOK_SIMT
// What one block of B = 32 W threads costs, by hand. All three trees have A = B/2, B/4 … 1 workers
// in their steps, ceil(A / 32) warps: W/2 + W/4 + … + 1 = W - 1 warp-steps while A >= 32, and 5
// with one warp for A = 16 … 1: W + 4 together (B = 32: 5). The branch splits a warp only in those
// 5, and in the final `if (t == 0)`: 6. A warp-step loads twice and stores once; besides, W warps
// store their elements and one loads the result: 2 (W + 4) + 1 loads, W + (W + 4) stores. Barriers:
// 1 + log2(B).
//
// Wavefronts. sequential: lanes at consecutive words, so one per request. padded: for d = 2s <= 32
// a row of 32 words holds 32/d lanes, and each row is shifted by one bank, so that 32 lanes meet 32
// banks; for d > 32 lane t's word is d t + d t / 32, its bank (d/32) t mod 32, and there are at
// most 32 / (d/32) lanes left, all different: one per request. (+ s stays within the row or shifts
// all alike.) strided: L = min(A, 32) lanes over 32/d banks (one for d >= 32), L / (32/d) each.
static uint64_t strided_wavefronts(unsigned block) {
  uint64_t wavefronts = 0;
  for (unsigned d = 2; d <= block; d *= 2) {
    unsigned active = block / d, busy_warps = (active + 31) / 32, lanes = active < 32 ? active : 32;
    unsigned banks = d < 32 ? 32 / d : 1;
    wavefronts += busy_warps * (lanes > banks ? lanes / banks : 1);
  }
  return wavefronts;
}

static void expect_tree(wb_judge *judge, unsigned block, uint64_t step_wavefronts,
                        uint64_t n_blocks) {
  const char *by_hand = "the hand calculation in tests/02_bank_conflicts.c says otherwise";
  uint64_t warps = block / 32, loads = 2 * (warps + 4) + 1, stores = 2 * warps + 4;
  wb_judge_counter_is(judge, "divergent_branches", 6 * n_blocks, by_hand);
  wb_judge_counter_is(judge, "block_barriers", (1 + wb_blockwise_steps(block)) * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_load_requests", loads * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_load_ideal", loads * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_load_wavefronts", (2 * step_wavefronts + 1) * n_blocks,
                      by_hand);
  wb_judge_counter_is(judge, "shared_store_requests", stores * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_store_ideal", stores * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shared_store_wavefronts", (warps + step_wavefronts) * n_blocks,
                      by_hand);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
}

static void lesson_counters(wb_judge *judge) {
  for (unsigned block = 32; block <= 1024; block *= 2)
    for (unsigned n_blocks = 1; n_blocks <= 5; n_blocks += 4) {
      uint64_t conflict_free = block / 32 + 4;
      wb_blockwise_count(judge, &trees[STRIDED], n_blocks * block, block);
      expect_tree(judge, block, strided_wavefronts(block), n_blocks);
      wb_blockwise_count(judge, &trees[SEQUENTIAL], n_blocks * block, block);
      expect_tree(judge, block, conflict_free, n_blocks);
      wb_blockwise_count(judge, &trees[PADDED], n_blocks * block, block);
      expect_tree(judge, block, conflict_free, n_blocks);
      wb_judge_release(judge);
    }
}
#endif

static const wb_check lesson_checks[] = {
    LESSON_TREE_CHECKS,
#ifdef WORKBOOK_SIMT
    {"counters", 1, "divergence, barriers and banks as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"02_bank_conflicts", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &exercise);
}
