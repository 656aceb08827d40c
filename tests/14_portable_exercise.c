// SPDX-License-Identifier: MIT
// 14_portable_exercise.c - judges any module that offers exercise 14's kernels: the sum of the
// numbers in each block, and how many there are, with waves of 32 lanes and of 64.
//
// Every case is run with both. What went wrong is found by adding up on the host in the wrong ways
// that are likely, until one gives what the kernel gave; the ways that forget how wide a wave is
// come first.
#include "14_portable.h"

static const char *const signatures[2] = {
    "numbers_32(const float *in, float *sums, unsigned *counts, unsigned n)",
    "numbers_64(const float *in, float *sums, unsigned *counts, unsigned n)"};
static const unsigned of_32[] = {32, 64, 96, 1024, 352, 256};
static const unsigned of_64[] = {64, 128, 192, 960, 320, 256};
static const unsigned *const blocks[2] = {of_32, of_64};
enum { BLOCKS = COUNT(of_32) };

typedef struct numbers_case {
  const float *in; // [n]
  unsigned n, block, lanes;
  bool exact;
  const char *about;
  size_t offset_bytes;
  const unsigned *start; // what both outputs hold before, as bits; NULL: poison
} numbers_case;

// The wrong ways of a block: which of its elements take part.
typedef enum way { FIRST_WAVE, LOWER_HALVES, FIRST_WARP, LANE_0, WAYS } way;

static bool takes_part(way w, unsigned lanes, uint64_t place) {
  switch (w) {
  case LOWER_HALVES: return place % lanes < lanes / 2;
  case FIRST_WAVE: return place < lanes;
  case FIRST_WARP: return place < 32;
  default: return place % lanes == 0;
  }
}

static const char *const lost_in_sums[WAYS] = {
    [LOWER_HALVES] = "got the sum of the lower half of each wave's lanes: the first step of a wave "
                     "of `lanes` lanes has s = lanes / 2",
    [FIRST_WAVE] = "got the sum of the first wave only: the other waves' slots must be added up as "
                   "well, slot k by lane k of the first wave",
    [FIRST_WARP] = "got the sum of threads 0 to 31 only: the others' values never meet theirs",
    [LANE_0] = "got the sum of the values of lane 0 of each wave: the waves do not add up their "
               "own values first",
};
static const char *const lost_in_counts[WAYS] = {
    [LOWER_HALVES] = "got the count of the lower half of each wave's lanes: a ballot of 64 lanes "
                     "has 64 bits, and so must what keeps it (wave<lanes>::mask) and what counts "
                     "its bits (__popcll)",
    [FIRST_WAVE] = "got the count of the first wave only: the other waves' slots must be added up "
                   "as well",
    [FIRST_WARP] = "got the count of threads 0 to 31 only",
    [LANE_0] = "got one for each wave whose lane 0 has a number: count the bits of the ballot",
};

// The block's part of in[n], for the hypotheses.
typedef struct part {
  const float *x; // [count], NaNs among them
  unsigned count, lanes;
} part;

// What an element adds to the sum.
static float addend_of(float x) {
  if (isnan(x)) return 0.0f;
  return sums_magnitudes() ? fabsf(x) : x;
}

static double sum_as(const part *p, way w) {
  double sum = 0.0;
  for (unsigned i = 0; i < p->count; i++)
    if (takes_part(w, p->lanes, i)) sum += (double)addend_of(p->x[i]);
  return sum;
}
// The sum of so many elements with their signs, from `first` on.
static double signed_sum(const part *p, unsigned first, unsigned count) {
  double sum = 0.0;
  for (unsigned i = first; i < first + count && i < p->count; i++)
    sum += isnan(p->x[i]) ? 0.0 : (double)p->x[i];
  return sum;
}
static unsigned count_as(const part *p, way w) {
  unsigned count = 0;
  for (unsigned i = 0; i < p->count; i++)
    count += !isnan(p->x[i]) && takes_part(w, p->lanes, i) ? 1 : 0;
  return count;
}
static unsigned count_of(const part *p) {
  unsigned count = 0;
  for (unsigned i = 0; i < p->count; i++) count += isnan(p->x[i]) ? 0 : 1;
  return count;
}

static unsigned finite_of(const part *p) {
  unsigned count = 0;
  for (unsigned i = 0; i < p->count; i++) count += isfinite(p->x[i]) ? 1 : 0;
  return count;
}

// wb_fold.own_cause sees the elements without their NaNs, which stand as zeros, and no wave.
static part judged;

// In the variant: signs that are kept, or taken off too late.
static wb_why cause_of_signs(const part *p, double got, double tolerance) {
  const double sum = signed_sum(p, 0, p->count);
  double of_waves = 0.0;
  for (unsigned i = 0; i < p->count; i += p->lanes) of_waves += fabs(signed_sum(p, i, p->lanes));
  if (fabs(got - sum) <= tolerance)
    return WB_WHY("the numbers are added with their signs; it is their magnitudes, |x|, that are "
                  "to be added");
  if (fabs(got - fabs(sum)) <= tolerance || fabs(got - of_waves) <= tolerance)
    return WB_WHY("it is the magnitude of a sum: take that of each number, before any is added");
  return WB_UNKNOWN;
}

static wb_why cause_of_sum(const wb_fold *fold, float got) {
  const unsigned count = count_of(&judged);
  if (isnan(got) && count < judged.count)
    return WB_WHY("a missing element takes part: a NaN must be left out of the sum");
  for (way w = 0; w < WAYS; w++) {
    const double sum = sum_as(&judged, w);
    if (fabs((double)got - sum) <= fold->tolerance && sum != 0.0) return WB_WHY(lost_in_sums[w]);
  }
  if (sums_magnitudes()) return cause_of_signs(&judged, (double)got, fold->tolerance);
  return WB_UNKNOWN;
}

static wb_why cause_of_count(const numbers_case *one, const part *p, unsigned want, unsigned got) {
  if (got == WB_POISON || (one->start && got == *one->start))
    return WB_UNFILLED("nothing was written here: it still holds what the suite put in before the "
                       "launch. Is the blank filled in yet?");
  if (got > one->block)
    return WB_WHY("more than the block has threads: a slot is added that no wave has stored "
                  "(uninitialised shared memory), or a count more than once; what do lanes without "
                  "a slot take?");
  for (way w = 0; w < WAYS; w++)
    if (got == count_as(p, w)) return WB_WHY(lost_in_counts[w]);
  if (got == finite_of(p)) // fewer than all numbers, since `want` is another
    return WB_WHY("infinities are left out of the count: they are numbers, and only a NaN is "
                  "missing: isnan(x), or x != x");
  if (got == p->count)
    return WB_WHY("missing elements are counted: a lane whose element is a NaN votes no");
  if (got == want + one->block - p->count || got == one->block)
    return WB_WHY("threads without an element are counted: behind in[n - 1] there is no number");
  return WB_WHY("is every lane's vote in the mask, every bit of it counted, and every wave's count "
                "added once?");
}

static void judge_block(wb_judge *judge, const numbers_case *one, const float *cleaned, unsigned b,
                        float sum, unsigned count) {
  const unsigned first = b * one->block < one->n ? b * one->block : one->n;
  part p = {.x = one->in + first,
            .count = one->n - first < one->block ? one->n - first : one->block,
            .lanes = one->lanes};
  const unsigned want = count_of(&p);
  if (count != want)
    wb_judge_fail_why(judge, cause_of_count(one, &p, want, count),
                      "expected counts[%u] = %u, got %u", b, want, count);
  wb_fold fold = {.op = WB_SUM,
                  .input = "in",
                  .output = "sums",
                  .a = cleaned,
                  .n = one->n,
                  .first = first,
                  .count = p.count,
                  .index = b,
                  .block = one->block,
                  .start_bits = one->start ? *one->start : WB_POISON,
                  .own_cause = cause_of_sum};
  if (!one->exact) fold.tolerance = wb_fold_bound(&fold);
  judged = p;
  wb_judge_value(judge, &fold, sum);
}

// Launches one case with waves of one size; the results live until wb_judge_release.
static void run_numbers(wb_judge *judge, const numbers_case *one) {
  wb_kernel kernel = wb_judge_kernel(judge, signatures[one->lanes / 64]);
  unsigned n = one->n, n_blocks = wb_blockwise_grid(n, one->block);
  float *cleaned = wb_judge_host(judge, (n > 0 ? n : 1) * sizeof *cleaned);
  for (unsigned i = 0; i < n; i++) cleaned[i] = addend_of(one->in[i]);
  void *in = wb_judge_input(judge, "in", one->in, n * sizeof *one->in, one->offset_bytes);
  void *sums = wb_judge_output(judge, "sums", n_blocks * sizeof(float));
  void *counts = wb_judge_output(judge, "counts", n_blocks * sizeof(unsigned));
  if (one->start) {
    unsigned *start = wb_judge_host(judge, n_blocks * sizeof *start);
    for (unsigned b = 0; b < n_blocks; b++) start[b] = *one->start;
    wb_judge_put(judge, sums, start);
    wb_judge_put(judge, counts, start);
  }
  wb_judge_case(judge, "n = %u, %s, waves of %u", n, one->about, one->lanes);
  wb_judge_launch(judge, &kernel, n_blocks, one->block, 0, (void *[]){&in, &sums, &counts, &n});
  const float *got = wb_judge_get(judge, sums);
  const unsigned *got_counts = wb_judge_get(judge, counts);
  for (unsigned b = 0; b < n_blocks; b++)
    judge_block(judge, one, cleaned, b, got[b], got_counts[b]);
}

// Makes the sum negative, so that its magnitude is not itself.
static void turn_negative(float *x, unsigned n) {
  const part all = {.x = x, .count = n};
  const bool positive = signed_sum(&all, 0, n) > 0.0;
  for (unsigned i = 0; positive && i < n; i++) x[i] = -x[i];
}

// Elements of which one in `missing` is a NaN, at places without an order; 0: none.
static float *measurements(wb_judge *judge, unsigned n, wb_input_kind kind, unsigned missing) {
  float *x = wb_judge_host(judge, (n > 0 ? n : 1) * sizeof *x);
  const uint64_t seed = wb_judge_seed(judge) + 3 * n + missing;
  wb_fill_floats(kind, x, n, seed);
  for (unsigned i = 0; missing != 0 && i < n; i++)
    if (wb_random(seed, i) % missing == 0) x[i] = NAN;
  if (sums_magnitudes()) turn_negative(x, n);
  return x;
}

static void run_some(wb_judge *judge, unsigned w, unsigned n, unsigned block, wb_input_kind kind,
                     unsigned missing) {
  char about[64];
  snprintf(about, sizeof about, missing ? "%s, one in %u missing" : "%s, none missing",
           wb_input_kind_name(kind), missing);
  numbers_case one = {.in = measurements(judge, n, kind, missing),
                      .n = n,
                      .block = block,
                      .lanes = w ? 64 : 32,
                      .exact = kind == WB_INPUT_INTEGERS,
                      .about = about};
  run_numbers(judge, &one);
  wb_judge_release(judge);
}

// --- families ---

static void check_one_wave(wb_judge *judge) {
  for (unsigned w = 0; w < 2; w++)
    for (unsigned n = w ? 64 : 32; n >= 1; n -= 1 + n / 20) {
      run_some(judge, w, n, w ? 64 : 32, WB_INPUT_INTEGERS, 0);
      run_some(judge, w, n, w ? 64 : 32, WB_INPUT_INTEGERS, 3);
    }
}

static void check_one_block(wb_judge *judge) {
  for (unsigned w = 0; w < 2; w++)
    for (unsigned b = 0; b < BLOCKS; b++) {
      run_some(judge, w, blocks[w][b], blocks[w][b], WB_INPUT_INTEGERS, 0);
      run_some(judge, w, blocks[w][b], blocks[w][b], WB_INPUT_INTEGERS, 4);
      run_some(judge, w, blocks[w][b], blocks[w][b], WB_INPUT_MIXED, 4);
    }
}

static void check_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {256, 1024, 64, 257, 1025, 65, 1023, 255, 31, 2, 1, 0, 7919};
  for (unsigned w = 0; w < 2; w++) {
    for (unsigned b = 0; b < BLOCKS; b++)
      for (size_t s = 0; s < COUNT(sizes); s++)
        run_some(judge, w, sizes[s], blocks[w][b], WB_INPUT_INTEGERS, 5);
    run_some(judge, w, w ? 16383 : 16385, 256, WB_INPUT_INTEGERS, 2);
    for (unsigned k = 0; k < 8; k++)
      run_some(judge, w, wb_drawn(wb_judge_seed(judge), k, 1, k % 2 ? 9999 : 999),
               blocks[w][k % BLOCKS], WB_INPUT_INTEGERS, 7);
  }
}

static void check_tails(wb_judge *judge) {
  for (unsigned w = 0; w < 2; w++)
    for (unsigned b = 0; b < BLOCKS; b++) {
      const unsigned block = blocks[w][b], tails[] = {1, 2, 17, 33, block / 2 + 1, block - 1};
      for (size_t t = 0; t < COUNT(tails); t++) {
        run_some(judge, w, 2 * block + tails[t], block, WB_INPUT_INTEGERS, 4);
        run_some(judge, w, tails[t], block, WB_INPUT_INTEGERS, 0);
      }
    }
}

// One element that is a number, among missing ones: each lane of each wave.
static void check_every_position(wb_judge *judge) {
  static const unsigned some[] = {64, 192};
  const float number = sums_magnitudes() ? -3.0f : 3.0f;
  for (unsigned w = 0; w < 2; w++)
    for (size_t b = 0; b < COUNT(some); b++) {
      const unsigned block = some[b], n = block * block;
      float *x = wb_judge_host(judge, n * sizeof *x);
      for (unsigned i = 0; i < n; i++) x[i] = i % block == i / block ? number : NAN;
      numbers_case one = {.in = x,
                          .n = n,
                          .block = block,
                          .lanes = w ? 64 : 32,
                          .exact = true,
                          .about = "one number in each block"};
      run_numbers(judge, &one);
      wb_judge_release(judge);
    }
}

static void run_special(wb_judge *judge, float value, unsigned at, unsigned step,
                        const char *about) {
  enum { N = 300 };
  for (unsigned w = 0; w < 2; w++) {
    float *x = measurements(judge, N, WB_INPUT_INTEGERS, 6);
    for (unsigned i = at; i < N; i += step) x[i] = value;
    numbers_case one = {
        .in = x, .n = N, .block = 128, .lanes = w ? 64 : 32, .exact = true, .about = about};
    run_numbers(judge, &one);
    wb_judge_release(judge);
  }
}

static void check_specials(wb_judge *judge) {
  static const unsigned positions[] = {0, 31, 32, 63, 64, 130, 299};
  for (size_t p = 0; p < COUNT(positions); p++) {
    run_special(judge, NAN, positions[p], 1000, "one more missing");
    run_special(judge, INFINITY, positions[p], 1000, "one +inf");
    run_special(judge, -INFINITY, positions[p], 1000, "one -inf");
  }
  run_special(judge, NAN, 0, 2, "every other one missing");
  run_special(judge, NAN, 0, 1, "all missing");
  run_special(judge, -INFINITY, 0, 1, "nothing but -inf");
  run_special(judge, -0.0f, 0, 1, "nothing but -0");
}

static void check_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned n = 383; n <= 385; n++)
        for (unsigned w = 0; w < 2; w++) {
          wb_judge_guards(judge, guards);
          numbers_case one = {.in = measurements(judge, n, WB_INPUT_INTEGERS, 5),
                              .n = n,
                              .block = 128,
                              .lanes = w ? 64 : 32,
                              .exact = true,
                              .about = "offset input",
                              .offset_bytes = offset * sizeof(float)};
          run_numbers(judge, &one);
          wb_judge_release(judge);
        }
}

static void check_stale(wb_judge *judge) {
  static const float values[] = {0.0f, 1.0f, 1e30f, INFINITY, NAN};
  for (size_t v = 0; v < COUNT(values); v++)
    for (unsigned w = 0; w < 2; w++) {
      unsigned start;
      memcpy(&start, &values[v], sizeof start);
      numbers_case one = {.in = measurements(judge, 509, WB_INPUT_INTEGERS, 5),
                          .n = 509,
                          .block = 128,
                          .lanes = w ? 64 : 32,
                          .exact = true,
                          .about = "outputs filled before",
                          .start = &start};
      run_numbers(judge, &one);
      wb_judge_release(judge);
    }
}

#ifdef WORKBOOK_SIMT
enum { GRID = 4 };

// With waves of 32 the counters show which way the values took.
static void check_through_waves(wb_judge *judge) {
  for (unsigned b = 0; b < BLOCKS; b++) {
    const unsigned block = of_32[b], waves = block / 32;
    run_some(judge, 0, GRID * block, block, WB_INPUT_INTEGERS, 4);
    wb_judge_cost_at_most(judge, "shared_store_words", GRID * 2 * waves,
                          "every thread stores its values; let lane 0 store what its wave has "
                          "found, a sum and a count");
    wb_judge_cost_at_most(judge, "block_barriers", GRID,
                          "a second __syncthreads(); only the slots need one");
    wb_judge_cost_at_most(judge, "votes", GRID * waves,
                          "more than one ballot in a wave: one has the votes of all its lanes");
    wb_judge_cost_at_most(judge, "shuffles", GRID * (5 * waves + 10),
                          "more shuffles than a sum needs: count the bits of the ballot instead of "
                          "adding up ones");
    wb_judge_cost_at_most(judge, "global_atomic_lanes", 0,
                          "atomics; thread 0 alone writes the block's results");
  }
}

// With waves of 64 both halves wait for each other: at least once in each fold.
static void check_waves_of_64(wb_judge *judge) {
  for (unsigned b = 0; b < BLOCKS; b++) {
    const unsigned block = of_64[b], waves = block / 64;
    run_some(judge, 1, GRID * block, block, WB_INPUT_INTEGERS, 4);
    if (wb_judge_counters(judge)->block_barriers < (uint64_t)GRID * (2 * waves + 1))
      wb_judge_fail_why(judge,
                        WB_COST("the halves of a wave hardly ever wait for each other: does "
                                "numbers_64 work with waves of 32?"),
                        "numbers_64 makes waves of 64, and its results are right without");
    wb_judge_cost_at_most(judge, "global_atomic_lanes", 0,
                          "atomics; thread 0 alone writes the block's results");
    wb_judge_cost_at_most(judge, "shared_store_words",
                          (uint64_t)GRID * (4 * waves + 64 * (6 * waves + 12)),
                          "more words than one for each thread and step of 64 lanes");
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_wave", 15, "one wave, every number of elements",
     "Which lanes does the first step of a wave of 64 bring together?", check_one_wave, false},
    {"one_block", 10, "one full block",
     "What does each wave leave in its slots, and which lanes of the first wave read one?",
     check_one_block, false},
    {"sizes", 10, "n from 0 to 16,385, blocks from 32 to 1024", NULL, check_sizes, false},
    {"tails", 10, "a last block with few elements",
     "A thread without an element votes no, adds 0, and takes part in every step.", check_tails,
     false},
    {"every_position", 15, "one number, in each lane of each wave",
     "The upper lanes of a wave of 64 are bits 32 to 63 of its mask.", check_every_position, false},
    {"specials", 10, "missing elements, infinities",
     "A comparison with a NaN is false; isnan() is not.", check_specials, false},
    {"bounds", 5, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
    {"stale_output", 5, "whatever the outputs held before", NULL, check_stale, false},
#ifdef WORKBOOK_SIMT
    {"through_waves", 10, "two words and one ballot per wave, one barrier",
     "Only what one wave must tell another goes through shared memory.", check_through_waves, true},
    {"waves_of_64", 10, "numbers_64 works with waves of 64",
     "Every number in the template that depends on the wave is made from `lanes`.",
     check_waves_of_64, true},
#endif
};
const wb_suite portable_exercise = {"14_portable", exercise_checks, COUNT(exercise_checks)};
