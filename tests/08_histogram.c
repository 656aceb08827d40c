// SPDX-License-Identifier: MIT
// 08_histogram.c - judges lesson 08's kernels (int samples), or any module that offers exercise
// 08's kernel (bytes).
//
// Both count into 256 bins that are added to, so they stand the same cases. Counts are exact: there
// is no tolerance anywhere. Inputs are such that a lost, doubled or wrongly sorted element shows in
// some bin.
#define _POSIX_C_SOURCE 200809L // setenv

#include "08_histogram.h"
#include "inputs.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SHORTEST = 500 }; // of the long runs

// --- inputs and right answers -----------------------------------------------------------------

static const char *pattern_name(pattern one) {
  static const char *const names[] = {"all values alike often",    "skewed values",
                                      "all values equal",          "runs of equal values",
                                      "long runs of equal values", "four values again and again",
                                      "0, 1, 2 ... 255, 0, 1 ...", "all 7 but one"};
  return names[one];
}

static void fill(unsigned char *x, const tally_case *one, uint64_t seed) {
  for (unsigned i = 0, left = 0, value = 0; i < one->n; i++) {
    uint64_t random = wb_random(seed, i);
    unsigned rank = 0;
    switch (one->pattern) {
    case UNIFORM: x[i] = (unsigned char)(random >> 56); break;
    case SKEWED:
      while (rank < 40 && (random >> rank & 1)) rank++;
      x[i] = (unsigned char)(250 + 41 * rank);
      break;
    case EQUAL: x[i] = 129; break;
    case RUNS:
    case LONG_RUNS:
      if (left == 0) {
        value = (unsigned)(random >> 56);
        left = (unsigned)(one->pattern == RUNS ? 1 + random % 100 : SHORTEST + random % 1000);
      }
      left--;
      x[i] = (unsigned char)value;
      break;
    case PIXELS: x[i] = (unsigned char)(wb_random(seed, i % 4) >> 56); break;
    case ROUND: x[i] = (unsigned char)i; break;
    case ONE_HOT: x[i] = i == one->hot ? 200 : 7; break;
    }
  }
}

// --- one case ---------------------------------------------------------------------------------

static void run(wb_judge *judge, const tally *t, tally_case one) {
  wb_kernel kernel = wb_judge_kernel(judge, t->signature);
  unsigned n = one.n;
  unsigned char *x = wb_judge_host(judge, n);
  unsigned char *own_bins = wb_judge_host(judge, n);
  int32_t *wide = wb_judge_host(judge, n * sizeof *wide);
  fill(x, &one, wb_random(wb_judge_seed(judge), (uint64_t)n * 64 + one.pattern));
  for (unsigned i = 0; i < n; i++) wide[i] = x[i];
  for (unsigned i = 0; i < n; i++) own_bins[i] = t->negative ? (unsigned char)~x[i] : x[i];
  uint32_t start[BINS];
  for (unsigned b = 0; b < BINS; b++) start[b] = start_of(&one, b);
  void *in = wb_judge_input(judge, "in", t->element_bytes == 1 ? (void *)x : (void *)wide,
                            (size_t)n * t->element_bytes, (size_t)one.offset * t->element_bytes);
  void *bins = wb_judge_output(judge, "bins", sizeof start);
  wb_judge_put(judge, bins, start);
  void *arguments[] = {&in, &bins, &n};
  wb_judge_case(judge, "n = %u, %s%s", n, pattern_name(one.pattern),
                one.counted ? ", bins hold counts already" : "");
  wb_judge_launch(judge, &kernel, one.grid, one.block,
                  t->shared_bytes ? t->shared_bytes(one.block) : 0, arguments);
  evidence e = {.tally = t, .one = &one, .x = own_bins, .got = wb_judge_get(judge, bins)};
  judge_bins(judge, &e);
}

static unsigned grid_for(const tally *t, unsigned n, unsigned block, unsigned wanted) {
  unsigned cover = n / block + (n % block != 0);
  return t->one_each ? (cover ? cover : 1) : wanted;
}

static void run_one(wb_judge *judge, const tally *t, unsigned n, unsigned grid, unsigned block,
                    pattern kind) {
  run(judge, t,
      (tally_case){.n = n, .grid = grid_for(t, n, block, grid), .block = block, .pattern = kind});
  wb_judge_release(judge);
}

// --- families ---------------------------------------------------------------------------------

static const unsigned blocks[] = {256, 32, 96, 64, 512, 1024};

static void one_block(wb_judge *judge, const tally *t) {
  for (pattern p = UNIFORM; p <= ROUND; p++) run_one(judge, t, 256, 1, 256, p);
  for (size_t b = 0; b < COUNT(blocks); b++) run_one(judge, t, blocks[b], 1, blocks[b], UNIFORM);
}

static void sizes(wb_judge *judge, const tally *t) {
  static const unsigned small[] = {256, 1024, 257, 1025, 33, 1023, 255, 31, 32, 2, 1, 0, 7919};
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (size_t s = 0; s < COUNT(small); s++) run_one(judge, t, small[s], 3, blocks[b], UNIFORM);
  run_one(judge, t, 16385, 7, 128, SKEWED);
  run_one(judge, t, 65537, 5, 256, RUNS);
}

static void patterns(wb_judge *judge, const tally *t) {
  for (pattern p = UNIFORM; p <= ROUND; p++)
    for (unsigned grid = 1; grid <= 5; grid += 2) {
      run_one(judge, t, 5000, grid, 128, p);
      run_one(judge, t, 4096, grid, 256, p);
    }
}

static void positions(wb_judge *judge, const tally *t) {
  static const unsigned n = 101;
  for (unsigned hot = 0; hot < n; hot++) {
    run(judge, t,
        (tally_case){.n = n,
                     .grid = grid_for(t, n, 64, 1),
                     .block = 64,
                     .pattern = ONE_HOT,
                     .hot = hot,
                     .offset = hot % 16});
    wb_judge_release(judge);
  }
}

// At every address; with guards, where less shows, at some.
static void bounds(wb_judge *judge, const tally *t) {
  static const unsigned sizes[] = {0, 1, 15, 16, 17, 69};
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 16; offset += guards ? 5 : 1)
      for (size_t s = 0; s < COUNT(sizes); s++) {
        if (sizes[s] <= 1 && offset % 5 != 0) continue; // no whole group, wherever it begins
        wb_judge_guards(judge, guards);
        run(judge, t,
            (tally_case){.n = sizes[s],
                         .grid = grid_for(t, sizes[s], 64, 2),
                         .block = 64,
                         .pattern = SKEWED,
                         .offset = offset});
        wb_judge_release(judge);
      }
}

static void counted_before(wb_judge *judge, const tally *t) {
  for (unsigned n = 0; n <= 3000; n += 1000) {
    run(judge, t,
        (tally_case){.n = n,
                     .grid = grid_for(t, n, 128, 3),
                     .block = 128,
                     .pattern = SKEWED,
                     .counted = true});
    wb_judge_release(judge);
  }
}

// --- the exercise: byte_histogram -------------------------------------------------------------

static const tally bytes = {
    .signature = "byte_histogram(const unsigned char *in, unsigned *bins, unsigned n)",
    .element_bytes = 1};

// A variant of the exercise.
static const tally negative = {
    .signature = "negative_histogram(const unsigned char *in, unsigned *bins, unsigned n)",
    .element_bytes = 1,
    .negative = true};
static const char *const variants[] = {"negative", NULL};

static const tally *judged(void) { return wb_judge_is_variant("negative") ? &negative : &bytes; }

static void check_one_block(wb_judge *judge) { one_block(judge, judged()); }
static void check_sizes(wb_judge *judge) {
  sizes(judge, judged());
  for (unsigned k = 0; k < 8; k++)
    run_one(judge, judged(), wb_drawn(wb_judge_seed(judge), k, 1, 9999), 1 + k % 4, 256, UNIFORM);
}
// Warps in any order: two that change one count at a time must not lose a byte. On a GPU they run
// side by side anyway. (The check is a process of its own, which has made no CUDA call yet.)
static void check_patterns(wb_judge *judge) {
#ifdef WORKBOOK_SIMT
  setenv("SIMT_SCHEDULE", "random:1", 0); // unless another was asked for
#endif
  patterns(judge, judged());
}
static void check_positions(wb_judge *judge) { positions(judge, judged()); }
static void check_bounds(wb_judge *judge) { bounds(judge, judged()); }
static void check_counted_before(wb_judge *judge) { counted_before(judge, judged()); }

#ifdef WORKBOOK_SIMT
static void check_private(wb_judge *judge) {
  for (unsigned grid = 1; grid <= 8; grid *= 2)
    for (pattern p = UNIFORM; p <= ROUND; p++) {
      run_one(judge, judged(), grid == 1 ? 20000 : 8000, grid, 256, p);
      wb_judge_cost_at_most(judge, "global_atomic_lanes", BINS * grid,
                            "every byte goes to the bins in global memory; count "
                            "in `counts` first, and let each block add each bin once");
      wb_judge_cost_at_most(judge, "shared_load_wavefronts",
                            4 * wb_judge_counters(judge)->shared_load_ideal + 64,
                            "in the merge the lanes of a warp read the same bank; let each thread "
                            "begin with another copy");
    }
}

// r equal neighbours: one atomic for 32 with a match; one for 16 where a thread looks at its own,
// and up to 15 single bytes at either end. In long runs, at any address.
static void check_merged(wb_judge *judge) {
  static const char *const cause =
      "one atomic for every byte; equal neighbours must be counted first and added "
      "together";
  enum { N = 16384, N_RUNS = N / SHORTEST + 1 };
  for (unsigned offset = 0; offset < 16; offset += 5) {
    run(judge, judged(),
        (tally_case){.n = N, .grid = 2, .block = 256, .pattern = EQUAL, .offset = offset});
    wb_judge_cost_at_most(judge, "shared_atomic_lanes", N / 8 + 32, cause);
    run(judge, judged(),
        (tally_case){.n = N, .grid = 4, .block = 128, .pattern = LONG_RUNS, .offset = offset});
    wb_judge_cost_at_most(judge, "shared_atomic_lanes", N / 8 + 32 * N_RUNS, cause);
    wb_judge_release(judge);
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_block", 10, "as many bytes as threads, one block",
     "Is every count 0 before the first byte is counted, and complete before it is added up?",
     check_one_block, false},
    {"sizes", 15, "n from 0 to 65,537, blocks from 32 to 1024 threads",
     "256 counts, but how many threads? And who counts the bytes beyond one for each thread?",
     check_sizes, false},
    {"patterns", 15, "uniform, skewed and equal bytes, and runs of them", NULL, check_patterns,
     false},
    {"every_position", 10, "every byte counts, once", NULL, check_positions, false},
    {"bounds", 10, "stays inside its arrays, input unchanged, any address", NULL, check_bounds,
     false},
    {"counted_before", 10, "adds to what the bins held", NULL, check_counted_before, false},
#ifdef WORKBOOK_SIMT
    {"private_counts", 15, "each block adds to each bin at most once", NULL, check_private, true},
    {"merged", 15, "equal neighbours take one atomic together",
     "How does a thread see that its sixteen bytes are equal? (With __match_any_sync: which lane "
     "of a group adds, and how much?)",
     check_merged, true},
#endif
};
static const wb_suite exercise = {"08_histogram", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -----------------------------------------------------------------

static size_t warp_copies_bytes(unsigned block) { return block / 32 * BINS * sizeof(int); }

enum { GLOBAL, BLOCK, WARP, LANE, VECTOR, N_TALLIES };
static const tally tallies[N_TALLIES] = {
    {.signature = "global_bins(const int *in, int *bins, unsigned n)",
     .element_bytes = 4,
     .one_each = true},
    {.signature = "block_bins(const int *in, int *bins, unsigned n)", .element_bytes = 4},
    {.signature = "warp_bins(const int *in, int *bins, unsigned n)",
     .element_bytes = 4,
     .shared_bytes = warp_copies_bytes},
    {.signature = "lane_bins(const int *in, int *bins, unsigned n)", .element_bytes = 4},
    {.signature = "vector_bins(const int *in, int *bins, unsigned n)", .element_bytes = 4},
};

static void for_all(wb_judge *judge, void (*family)(wb_judge *, const tally *)) {
  for (size_t k = 0; k < N_TALLIES; k++) family(judge, &tallies[k]);
}
static void lesson_one_block(wb_judge *judge) { for_all(judge, one_block); }
static void lesson_sizes(wb_judge *judge) { for_all(judge, sizes); }
static void lesson_patterns(wb_judge *judge) { for_all(judge, patterns); }
static void lesson_positions(wb_judge *judge) { for_all(judge, positions); }
static void lesson_bounds(wb_judge *judge) { for_all(judge, bounds); }
static void lesson_counted_before(wb_judge *judge) { for_all(judge, counted_before); }

#ifdef WORKBOOK_SIMT
static const char *const by_hand = "the hand calculation in tests/08_histogram.c says otherwise";

// N samples in G blocks of B = 256 threads, N a multiple of G B. Globally: one atomic a sample, by
// N / 32 warps; on equal samples all N meet in one bin. Privately, on 0, 1, 2 … 255 again and
// again: each block meets all values and adds 256 bins; on equal samples one bin, so that G
// additions meet in it. In shared memory: an atomic for each sample; on equal samples 32 lanes meet
// in one counter (as many passes), with eight copies 4 in each. Loads: one a sample, or one for
// four.
static void lesson_counters(wb_judge *judge) {
  enum { N = 16384, B = 256, G = 4 };
  run_one(judge, &tallies[GLOBAL], N, 0, B, EQUAL);
  wb_judge_counter_is(judge, "global_atomic_lanes", N, by_hand);
  wb_judge_counter_is(judge, "global_atomic_max_degree", N, by_hand);
  wb_judge_counter_is(judge, "global_atomic_requests", N / LANES, by_hand);
  run_one(judge, &tallies[GLOBAL], N, 0, B, ROUND);
  wb_judge_counter_is(judge, "global_atomic_lanes", N, by_hand);
  wb_judge_counter_is(judge, "global_atomic_max_degree", N / BINS, by_hand);
  for (unsigned k = BLOCK; k <= VECTOR; k++) {
    bool has_copies = k == LANE || k == VECTOR;
    run_one(judge, &tallies[k], N, G, B, ROUND);
    wb_judge_counter_is(judge, "global_atomic_lanes", BINS * G, by_hand);
    wb_judge_counter_is(judge, "global_atomic_max_degree", G, by_hand);
    wb_judge_counter_is(judge, "shared_atomic_lanes", N, by_hand);
    wb_judge_counter_is(judge, "global_load_bytes", N * sizeof(int), by_hand);
    wb_judge_counter_is(judge, "global_load_requests", k == VECTOR ? N / LANES / 4 : N / LANES,
                        by_hand);
    run_one(judge, &tallies[k], N, G, B, EQUAL);
    wb_judge_counter_is(judge, "global_atomic_lanes", G, by_hand);
    wb_judge_counter_is(judge, "global_atomic_max_degree", G, by_hand);
    wb_judge_counter_is(judge, "shared_atomic_lanes", N, by_hand);
    wb_judge_counter_is(judge, "shared_atomic_max_degree", has_copies ? 4 : LANES, by_hand);
    wb_judge_counter_is(judge, "shared_atomic_passes", has_copies ? N / 8 : N, by_hand);
  }
}
#endif

static const wb_check lesson_checks[] = {
    {"one_block", 1, "one block, every pattern", NULL, lesson_one_block, false},
    {"sizes", 1, "sizes, grids and block sizes", NULL, lesson_sizes, false},
    {"patterns", 1, "uniform, skewed, equal, runs", NULL, lesson_patterns, false},
    {"positions", 1, "every position counts", NULL, lesson_positions, false},
    {"bounds", 1, "stays inside its arrays, any address", NULL, lesson_bounds, false},
    {"counted_before", 1, "adds to what the bins held", NULL, lesson_counted_before, false},
#ifdef WORKBOOK_SIMT
    {"counters", 1, "atomics and queues as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"08_histogram", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &exercise);
}
