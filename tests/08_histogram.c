// SPDX-License-Identifier: MIT
// 08_histogram.c - judges lesson 08's kernels (int samples), or any module that offers exercise
// 08's kernel (bytes).
//
// Both count into 256 bins that are added to, so they stand the same cases. Counts are exact: there
// is no tolerance anywhere. Inputs are such that a lost, doubled or wrongly sorted element shows in
// some bin, and the text below tries the classic mistakes until one gives the very same bins.
#include "inputs.h"
#include "judge.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { BINS = 256, LANES = 32 };
#define UNWRITTEN_WORD UINT32_C(0xa5a5a5a5) // the software GPU's fill of memory nobody wrote

typedef struct tally {
  const char *signature;
  unsigned element_bytes;                 // 4: int samples, 1: bytes
  bool one_each;                          // one element a thread: the grid must cover the input
  size_t (*shared_bytes)(unsigned block); // dynamic; NULL: none
} tally;

typedef enum pattern {
  UNIFORM, // every value about as often
  SKEWED,  // half of the elements have one value, a quarter another …
  EQUAL,   // all the same, and not 0
  RUNS,    // one value 1 to 100 times, then another
  ROUND,   // 0, 1, 2 … 255, 0, 1 …
  ONE_HOT  // all 7, but one: 200
} pattern;

typedef struct tally_case {
  unsigned n, grid, block;
  pattern pattern;
  unsigned hot;    // ONE_HOT: which
  unsigned offset; // of the input, in elements
  bool counted;    // the bins hold counts already
} tally_case;

// --- inputs and right answers -----------------------------------------------------------------

static const char *pattern_name(pattern one) {
  static const char *const names[] = {"all values alike often", "skewed values", "all values equal",
                                      "runs of equal values", "0, 1, 2 ... 255, 0, 1 ...",
                                      "all 7 but one"};
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
      if (left == 0) value = (unsigned)(random >> 56), left = 1 + (unsigned)(random % 100);
      left--;
      x[i] = (unsigned char)value;
      break;
    case ROUND: x[i] = (unsigned char)i; break;
    case ONE_HOT: x[i] = i == one->hot ? 200 : 7; break;
    }
  }
}

static uint32_t start_of(const tally_case *one, unsigned bin) {
  return one->counted ? 1000 + 3 * bin : 0;
}

// --- what went wrong --------------------------------------------------------------------------

typedef struct evidence {
  const tally *tally;
  const tally_case *one;
  const unsigned char *x;
  const uint32_t *got; // [BINS]
  uint32_t bins[BINS]; // of the hypothesis at hand
} evidence;

static void begin(evidence *e) {
  for (unsigned b = 0; b < BINS; b++) e->bins[b] = start_of(e->one, b);
}
static bool fits(const evidence *e) { return memcmp(e->bins, e->got, sizeof e->bins) == 0; }
static void take(evidence *e, unsigned first, unsigned end) {
  for (unsigned i = first; i < end && i < e->one->n; i++) e->bins[e->x[i]]++;
}

// What 32 neighbours add when `each` is added by one of every group of equals (or, `all`, by every
// lane of it): 1, or the group's size.
static bool groups_fit(evidence *e, bool size, bool all) {
  begin(e);
  for (unsigned first = 0; first < e->one->n; first += LANES) {
    unsigned in_group[BINS] = {0}, end = first + LANES < e->one->n ? first + LANES : e->one->n;
    for (unsigned i = first; i < end; i++) in_group[e->x[i]]++;
    for (unsigned b = 0; b < BINS; b++)
      e->bins[b] += in_group[b] == 0 ? 0 : (size ? in_group[b] : 1) * (all ? in_group[b] : 1);
  }
  return fits(e);
}

static bool tail_lost(evidence *e, unsigned unit) {
  begin(e);
  take(e, 0, e->one->n / unit * unit);
  return e->one->n % unit != 0 && fits(e);
}

// Only what block `which` meets when the grid strides over the input.
static bool one_block_alone(evidence *e, unsigned which) {
  unsigned step = e->one->grid * e->one->block;
  begin(e);
  for (unsigned first = which * e->one->block; first < e->one->n; first += step)
    take(e, first, first + e->one->block);
  return e->one->grid > 1 && fits(e);
}

static bool old_counts_lost(evidence *e) {
  memset(e->bins, 0, sizeof e->bins);
  take(e, 0, e->one->n);
  return e->one->counted && fits(e);
}

static bool all_twice(evidence *e) {
  begin(e);
  take(e, 0, e->one->n);
  take(e, 0, e->one->n);
  return fits(e);
}

static bool only_first_round(evidence *e) {
  begin(e);
  take(e, 0, e->one->grid * e->one->block);
  return fits(e);
}

static bool high_bins_lost(evidence *e) {
  begin(e);
  take(e, 0, e->one->n);
  for (unsigned b = e->one->block; b < BINS; b++) e->bins[b] = start_of(e->one, b);
  return fits(e);
}

// Block b begins at its own elements, but goes on through those of the others.
static bool stride_of_one_block(evidence *e) {
  begin(e);
  for (unsigned b = 0; b < e->one->grid; b++) take(e, b * e->one->block, e->one->n);
  return fits(e);
}

// Some bin holds the rubbish that shared memory begins with, once for each block.
static bool rubbish(evidence *e) {
  begin(e);
  take(e, 0, e->one->n);
  for (unsigned b = 0; b < BINS; b++)
    if (e->got[b] - e->bins[b] == e->one->grid * UNWRITTEN_WORD) return true;
  return false;
}

// One bin has too much, by less than a warp for each warp of the grid; all others are right.
static bool phantom_elements(evidence *e, unsigned *bin) {
  unsigned n_wrong = 0;
  begin(e);
  take(e, 0, e->one->n);
  for (unsigned b = 0; b < BINS; b++)
    if (e->got[b] != e->bins[b]) n_wrong++, *bin = b;
  return n_wrong == 1 && e->got[*bin] > e->bins[*bin];
}

static void balance(const evidence *e, char *text, size_t text_bytes) {
  int64_t sum = 0;
  for (unsigned b = 0; b < BINS; b++) sum += (int64_t)e->got[b] - start_of(e->one, b);
  if (sum == (int64_t)e->one->n)
    snprintf(text, text_bytes,
             "%u elements were counted, as many as there are, but in wrong bins", e->one->n);
  else
    snprintf(text, text_bytes,
             "of %u elements %lld were counted. Is there a __syncthreads() between clearing and "
             "counting, and another before the counts are added to the bins? Is every count an "
             "atomicAdd?",
             e->one->n, (long long)sum);
}

static void diagnose(evidence *e, char *text, size_t text_bytes) {
  unsigned bin = 0;
  begin(e);
  if (fits(e))
    snprintf(text, text_bytes,
             "nothing was added: the bins are as they were. Is the blank filled in yet?");
  else if (old_counts_lost(e))
    snprintf(text, text_bytes,
             "what the bins held before is gone: add to them (atomicAdd), do not overwrite them");
  else if (rubbish(e))
    snprintf(text, text_bytes,
             "the block's counts did not begin at 0: shared memory holds rubbish until it is "
             "written. Are all 256 set, also by a block of fewer threads?");
  else if (all_twice(e)) snprintf(text, text_bytes, "every element was counted twice");
  else if (groups_fit(e, false, false))
    snprintf(text, text_bytes,
             "a group of equal bytes counts as one: add the number of its lanes, __popc(same)");
  else if (groups_fit(e, true, true))
    snprintf(text, text_bytes,
             "every lane of a group adds the group's size: only one of them may");
  else if (only_first_round(e))
    snprintf(text, text_bytes,
             "each thread counts once only: with more elements than threads it must go on, "
             "gridDim.x * blockDim.x further, until n");
  else if (tail_lost(e, LANES) || tail_lost(e, 4) || tail_lost(e, 16) ||
           tail_lost(e, e->one->block))
    snprintf(text, text_bytes, "the last few elements are missing: is the tail counted?");
  else if (high_bins_lost(e))
    snprintf(text, text_bytes,
             "the bins from %u on got nothing: there are 256 of them, but a block may have fewer "
             "threads",
             e->one->block);
  else if (stride_of_one_block(e))
    snprintf(text, text_bytes,
             "a block goes on with elements that are another block's: the next one is gridDim.x * "
             "blockDim.x further");
  else if (one_block_alone(e, 0) || one_block_alone(e, e->one->grid - 1))
    snprintf(text, text_bytes,
             "only one block's counts are there: add to the bins (atomicAdd), do not overwrite "
             "them");
  else if (phantom_elements(e, &bin))
    snprintf(text, text_bytes,
             "bin %u alone has too much: are lanes without an element counted as a value of %u?",
             bin, bin);
  else balance(e, text, text_bytes);
}

static void judge_bins(wb_judge *judge, evidence *e) {
  begin(e);
  take(e, 0, e->one->n);
  if (fits(e)) return;
  unsigned first = 0, n_wrong = 0;
  for (unsigned b = BINS; b-- > 0;)
    if (e->got[b] != e->bins[b]) first = b, n_wrong++;
  uint32_t expected = e->bins[first];
  char text[600];
  diagnose(e, text, sizeof text);
  wb_judge_fail(judge, "%u of 256 bins are wrong; bins[%u]: expected %u, got %u\nlikely cause: %s",
                n_wrong, first, expected, e->got[first], text);
}

// --- one case ---------------------------------------------------------------------------------

static void run(wb_judge *judge, const tally *t, tally_case one) {
  wb_kernel kernel = wb_judge_kernel(judge, t->signature);
  unsigned n = one.n;
  unsigned char *x = wb_judge_host(judge, n);
  int32_t *wide = wb_judge_host(judge, n * sizeof *wide);
  fill(x, &one, wb_random(wb_judge_seed(judge), (uint64_t)n * 64 + one.pattern));
  for (unsigned i = 0; i < n; i++) wide[i] = x[i];
  uint32_t start[BINS];
  for (unsigned b = 0; b < BINS; b++) start[b] = start_of(&one, b);
  void *in = wb_judge_input(judge, "in", t->element_bytes == 1 ? (void *)x : (void *)wide,
                            (size_t)n * t->element_bytes, (size_t)one.offset * t->element_bytes);
  void *bins = wb_judge_output(judge, "bins", sizeof start);
  wb_judge_put(judge, bins, start);
  void *arguments[] = {&in, &bins, &n};
  wb_judge_case(judge, "n = %u, %s%s", n, pattern_name(one.pattern),
                one.counted ? ", bins hold counts already" : "");
  wb_judge_launch(judge, &kernel, one.grid, one.block, t->shared_bytes ? t->shared_bytes(one.block)
                                                                       : 0, arguments);
  evidence e = {.tally = t, .one = &one, .x = x, .got = wb_judge_get(judge, bins)};
  judge_bins(judge, &e);
}

static unsigned grid_for(const tally *t, unsigned n, unsigned block, unsigned wanted) {
  unsigned cover = n / block + (n % block != 0);
  return t->one_each ? (cover ? cover : 1) : wanted;
}

static void run_one(wb_judge *judge, const tally *t, unsigned n, unsigned grid, unsigned block,
                    pattern kind) {
  run(judge, t, (tally_case){.n = n, .grid = grid_for(t, n, block, grid), .block = block,
                             .pattern = kind});
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
  run_one(judge, t, 65535, 7, 128, SKEWED);
  run_one(judge, t, 65537, 5, 256, RUNS);
  run_one(judge, t, 1u << 18, 16, 256, UNIFORM);
}

static void patterns(wb_judge *judge, const tally *t) {
  for (pattern p = UNIFORM; p <= ROUND; p++)
    for (unsigned grid = 1; grid <= 5; grid += 2) {
      run_one(judge, t, 5000, grid, 128, p);
      run_one(judge, t, 4096, grid, 256, p);
    }
}

static void positions(wb_judge *judge, const tally *t) {
  static const unsigned n = 133;
  for (unsigned hot = 0; hot < n; hot++) {
    run(judge, t, (tally_case){.n = n, .grid = grid_for(t, n, 64, 1), .block = 64,
                               .pattern = ONE_HOT, .hot = hot});
    wb_judge_release(judge);
  }
}

static void bounds(wb_judge *judge, const tally *t) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 8; offset++)
      for (unsigned n = 0; n < 200; n += n < 8 ? 1 : 61) {
        wb_judge_guards(judge, guards);
        run(judge, t, (tally_case){.n = n, .grid = grid_for(t, n, 64, 2), .block = 64,
                                   .pattern = SKEWED, .offset = offset});
        wb_judge_release(judge);
      }
}

static void counted_before(wb_judge *judge, const tally *t) {
  for (unsigned n = 0; n <= 3000; n += 1000) {
    run(judge, t, (tally_case){.n = n, .grid = grid_for(t, n, 128, 3), .block = 128,
                               .pattern = SKEWED, .counted = true});
    wb_judge_release(judge);
  }
}

// --- the exercise: byte_histogram -------------------------------------------------------------

static const tally bytes = {
    .signature = "byte_histogram(const unsigned char *in, unsigned *bins, unsigned n)",
    .element_bytes = 1};

static void check_one_block(wb_judge *judge) { one_block(judge, &bytes); }
static void check_sizes(wb_judge *judge) { sizes(judge, &bytes); }
static void check_patterns(wb_judge *judge) { patterns(judge, &bytes); }
static void check_positions(wb_judge *judge) { positions(judge, &bytes); }
static void check_bounds(wb_judge *judge) { bounds(judge, &bytes); }
static void check_counted_before(wb_judge *judge) { counted_before(judge, &bytes); }

#ifdef WORKBOOK_SIMT
static void check_private(wb_judge *judge) {
  for (unsigned grid = 1; grid <= 8; grid *= 2)
    for (pattern p = UNIFORM; p <= ROUND; p++) {
      run_one(judge, &bytes, 20000, grid, 256, p);
      wb_judge_counter_at_most(judge, "global_atomic_lanes", BINS * grid,
                               "likely cause: every byte goes to the bins in global memory; count "
                               "in `counts` first, and let each block add each bin once");
    }
}

// 32 equal neighbours: one atomic with a match, up to three where threads walk over 16 bytes each.
static void check_merged(wb_judge *judge) {
  static const char *const meaning =
      "likely cause: one atomic for every byte; equal neighbours must be counted first and added "
      "together";
  enum { N = 16384 };
  run_one(judge, &bytes, N, 2, 256, EQUAL);
  wb_judge_counter_at_most(judge, "shared_atomic_lanes", N / 8, meaning);
  run_one(judge, &bytes, N, 4, 128, RUNS); // about 50 bytes long
  wb_judge_counter_at_most(judge, "shared_atomic_lanes", N / 6, meaning);
}
#endif

static const wb_check exercise_checks[] = {
    {"one_block", 10, "as many bytes as threads, one block",
     "Is every count 0 before the first byte is counted, and complete before it is added up?",
     check_one_block, false},
    {"sizes", 15, "n from 0 to 2^18, blocks from 32 to 1024 threads",
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
     "With __match_any_sync: which lane of a group adds, and how much?", check_merged, true},
#endif
};
static const wb_suite exercise = {"08_histogram", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -----------------------------------------------------------------

static size_t warp_copies_bytes(unsigned block) { return block / 32 * BINS * sizeof(int); }

enum { GLOBAL, BLOCK, WARP, LANE, VECTOR, N_TALLIES };
static const tally tallies[N_TALLIES] = {
    {.signature = "global_bins(const int *in, int *bins, unsigned n)", .element_bytes = 4,
     .one_each = true},
    {.signature = "block_bins(const int *in, int *bins, unsigned n)", .element_bytes = 4},
    {.signature = "warp_bins(const int *in, int *bins, unsigned n)", .element_bytes = 4,
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
// N / 32 warps; on equal samples all N meet in one bin. Privately, on 0, 1, 2 … 255 again and again:
// each block meets all values and adds 256 bins; on equal samples one bin, so that G additions meet
// in it. In shared memory: an atomic for each sample; on equal samples 32 lanes meet in one counter
// (as many passes), with eight copies 4 in each. Loads: one a sample, or one for four.
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

int main(int argc, char **argv) { return wb_judge_main(argc, argv, &lesson, &exercise); }
