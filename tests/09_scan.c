// SPDX-License-Identifier: MIT
// 09_scan.c - judges lesson 09's kernels: the scan of one tile a block. The result of every element
// has an error bound of its own, depth * u * sum of |x_j| up to it, and integers are exact.
#include "09_scan.h"

typedef struct tile_scan {
  const char *signature;
  unsigned per_thread;
  bool exclusive, ints, power_of_two;
} tile_scan;

enum { HILLIS_STEELE, BLELLOCH, WARP_SCAN, FOUR_EACH, FOUR_INTS, N_SCANS };
static const tile_scan scans[N_SCANS] = {
    {.signature = "hillis_steele(const float *in, float *out, float *sums, unsigned n)",
     .per_thread = 1},
    {.signature = "blelloch(const float *in, float *out, float *sums, unsigned n)",
     .per_thread = 1,
     .exclusive = true,
     .power_of_two = true},
    {.signature = "warp_scan(const float *in, float *out, float *sums, unsigned n)",
     .per_thread = 1},
    {.signature = "four_each(const float *in, float *out, float *sums, unsigned n)",
     .per_thread = 4},
    {.signature = "four_ints(const int *in, int *out, int *sums, unsigned n)",
     .per_thread = 4,
     .ints = true},
};

typedef struct scan_case {
  unsigned n, block, offset;
  bool exact;    // integer-valued
  bool in_place; // the output is the input
  const float *x;
  const char *about;
} scan_case;

static const double deepest = 20.0; // additions in a row: blelloch up and down 1,024 places

static void judge_value(wb_judge *judge, const scan_case *one, const char *array, unsigned index,
                        double expected, double sum_abs, float got) {
  double bound = one->exact ? 0.0 : wb_bound_sum(deepest, sum_abs);
  if (!is_right(expected, (double)got, bound))
    wb_judge_fail(judge, "%s[%u]: expected %.9g, got %.9g (bound %.3g)", array, index, expected,
                  (double)got, bound);
}

// The ints of an int scan are those of the case's floats.
static float value_at(const tile_scan *s, const void *array, unsigned i) {
  return s->ints ? (float)((const int32_t *)array)[i] : ((const float *)array)[i];
}

static void judge_scan(wb_judge *judge, const tile_scan *s, const scan_case *one, const void *out,
                       const void *sums) {
  unsigned tile = s->per_thread * one->block;
  for (unsigned b = 0; b < parts_for(one->n, tile); b++) {
    double sum = 0.0, sum_abs = 0.0;
    for (unsigned i = b * tile; i < (b + 1) * tile && i < one->n; i++) {
      double before = sum, abs_before = sum_abs;
      sum += (double)one->x[i];
      sum_abs += fabs((double)one->x[i]);
      judge_value(judge, one, "out", i, s->exclusive ? before : sum,
                  s->exclusive ? abs_before : sum_abs, value_at(s, out, i));
    }
    judge_value(judge, one, "sums", b, sum, sum_abs, value_at(s, sums, b));
  }
}

static void run_scan(wb_judge *judge, const tile_scan *s, const scan_case *one) {
  unsigned n = one->n, tile = s->per_thread * one->block, grid = parts_for(n, tile);
  wb_kernel kernel = wb_judge_kernel(judge, s->signature);
  int32_t *ints = wb_judge_host(judge, n * sizeof *ints);
  if (s->ints)
    for (unsigned i = 0; i < n; i++) ints[i] = (int32_t)one->x[i];
  const void *data = s->ints ? (const void *)ints : (const void *)one->x;
  void *out = wb_judge_output(judge, "out", n * sizeof(float));
  void *sums = wb_judge_output(judge, "sums", grid * sizeof(float));
  void *in = out;
  if (one->in_place) wb_judge_put(judge, out, data);
  else in = wb_judge_input(judge, "in", data, n * sizeof(float), one->offset * sizeof(float));
  void *arguments[] = {&in, &out, &sums, &n};
  wb_judge_case(judge, "n = %u, %s", n, one->about);
  wb_judge_launch(judge, &kernel, grid, one->block, (tile + tile / 32) * sizeof(float), arguments);
  judge_scan(judge, s, one, wb_judge_get(judge, out), wb_judge_get(judge, sums));
}

static void run_integers(wb_judge *judge, const tile_scan *s, scan_case one) {
  one.x = integers(judge, one.n), one.exact = true, one.about = "integers of both signs";
  run_scan(judge, s, &one);
  wb_judge_release(judge);
}

static bool takes(const tile_scan *s, unsigned block) {
  return !s->power_of_two || (block & (block - 1)) == 0;
}

static void lesson_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {256, 1024, 0, 1, 2, 31, 32, 33, 255, 257, 1023, 1025, 7919};
  for (size_t k = 0; k < N_SCANS; k++)
    for (size_t b = 0; b < COUNT(blocks); b++)
      for (size_t i = 0; i < COUNT(sizes) && takes(&scans[k], blocks[b]); i++)
        run_integers(judge, &scans[k], (scan_case){.n = sizes[i], .block = blocks[b]});
}

static void lesson_mixed(wb_judge *judge) {
  for (size_t k = 0; k < FOUR_INTS; k++)
    for (unsigned block = 32; block <= 1024; block *= 2) {
      scan_case one = {.n = 3 * block + 5, .block = block, .about = "fractions of both signs"};
      float *x = wb_judge_host(judge, one.n * sizeof *x);
      wb_fill_floats(WB_INPUT_MIXED, x, one.n, wb_judge_seed(judge));
      one.x = x;
      run_scan(judge, &scans[k], &one);
      wb_judge_release(judge);
    }
}

static void lesson_positions(wb_judge *judge) {
  for (size_t k = 0; k < N_SCANS; k++)
    for (unsigned hot = 0; hot < 300; hot++) {
      float *x = one_hot(judge, 300, hot);
      run_scan(
          judge, &scans[k],
          &(scan_case){.n = 300, .block = 64, .exact = true, .x = x, .about = "all zero but one"});
      wb_judge_release(judge);
    }
}

// What comes before a NaN or an infinity, and other tiles, must not notice.
static void lesson_specials(wb_judge *judge) {
  for (size_t k = 0; k < FOUR_INTS; k++)
    for (size_t v = 0; v < COUNT(special_values); v++)
      for (unsigned at = 0; at < 1024; at += 61) {
        float *x = integers(judge, 1024);
        x[at] = special_values[v];
        run_scan(judge, &scans[k],
                 &(scan_case){.n = 1024,
                              .block = 64,
                              .exact = true,
                              .x = x,
                              .about = "a NaN, an infinity or -0"});
        wb_judge_release(judge);
      }
}

static void lesson_bounds(wb_judge *judge) {
  for (size_t k = 0; k < N_SCANS; k++)
    for (int guards = 0; guards < 2; guards++)
      for (unsigned offset = 0; offset < 5; offset++)
        for (unsigned n = 509; n <= 514; n++) {
          wb_judge_guards(judge, guards);
          run_integers(judge, &scans[k], (scan_case){.n = n, .block = 64, .offset = offset});
        }
}

static void lesson_in_place(wb_judge *judge) {
  for (size_t k = 0; k < N_SCANS; k++)
    for (unsigned n = 0; n < 2000; n += 333)
      run_integers(judge, &scans[k], (scan_case){.n = n, .block = 128, .in_place = true});
}

#ifdef WORKBOOK_SIMT
static const char *const by_hand = "the hand calculation in tests/09_scan.c says otherwise";

static void run_tiles(wb_judge *judge, const tile_scan *s, unsigned n_tiles, unsigned block) {
  scan_case one = {.n = n_tiles * s->per_thread * block,
                   .block = block,
                   .exact = true,
                   .about = "integers of both signs"};
  one.x = integers(judge, one.n);
  run_scan(judge, s, &one);
}

static void expect_no_conflicts(wb_judge *judge) {
  const simt_counters *c = wb_judge_counters(judge);
  if (c->shared_load_wavefronts != c->shared_load_ideal ||
      c->shared_store_wavefronts != c->shared_store_ideal)
    wb_judge_fail(judge, "there are bank conflicts, in spite of the padding");
}

// A block of B = 32 W threads, L = log2(B) steps.
//
// hillis_steele: step d adds in the B - d threads t >= d: B L - (1 + 2 + 4 … B/2) = B L - (B - 1)
// additions; two barriers a step, and one before.
//
// blelloch: B/2 + B/4 … + 1 = B - 1 additions up, as many down; one barrier before each of the 2 L
// steps, one before the result is read. Padding: no bank conflicts (lesson 02).
//
// warp_scan: two barriers; 5 shuffles for each warp and one more to pass on what is before, 5 for
// the sums of the warps: 6 W + 5. Additions: 5 in a warp's scan (all lanes, or those with a left
// neighbour that far: the compiler's choice), 1 for the warps before, 1 for the element: at most 7
// B
// + 5 * 32.
//
// four_each: the same for every four elements, besides 3 to add them up and 4 for the results, less
// the one that warp_scan needs: (6 + 7) B + 5 * 32 for 4 B elements. Two more barriers. Every
// request to memory is of 32 neighbouring elements, 4 sectors, and free of bank conflicts.
static void lesson_counters(wb_judge *judge) {
  enum { TILES = 3 };
  for (unsigned block = 32, steps = 5; block <= 1024; block *= 2, steps++) {
    uint64_t warps = block / LANES;
    run_tiles(judge, &scans[HILLIS_STEELE], TILES, block);
    wb_judge_counter_is(judge, "fp32_lanes", TILES * (uint64_t)(block * steps - (block - 1)),
                        by_hand);
    wb_judge_counter_is(judge, "block_barriers", TILES * (1 + 2 * steps), by_hand);
    run_tiles(judge, &scans[BLELLOCH], TILES, block);
    wb_judge_counter_is(judge, "fp32_lanes", TILES * 2 * (uint64_t)(block - 1), by_hand);
    wb_judge_counter_is(judge, "block_barriers", TILES * (2 * steps + 1), by_hand);
    expect_no_conflicts(judge);
    run_tiles(judge, &scans[WARP_SCAN], TILES, block);
    wb_judge_counter_is(judge, "shuffles", TILES * (6 * warps + 5), by_hand);
    wb_judge_counter_is(judge, "block_barriers", TILES * 2, by_hand);
    wb_judge_counter_at_most(judge, "fp32_lanes", TILES * (7 * (uint64_t)block + 5 * LANES),
                             by_hand);
    run_tiles(judge, &scans[FOUR_EACH], TILES, block);
    wb_judge_counter_is(judge, "shuffles", TILES * (6 * warps + 5), by_hand);
    wb_judge_counter_is(judge, "block_barriers", TILES * 4, by_hand);
    wb_judge_counter_is(judge, "global_load_requests", TILES * 4 * warps, by_hand);
    wb_judge_counter_is(judge, "global_load_sectors", TILES * 16 * warps, by_hand);
    expect_no_conflicts(judge);
    wb_judge_counter_at_most(judge, "fp32_lanes", TILES * (13 * (uint64_t)block + 5 * LANES),
                             by_hand);
    wb_judge_release(judge);
  }
}

// The same for 256 threads with the numbers written out.
static void lesson_numbers(wb_judge *judge) {
  run_tiles(judge, &scans[HILLIS_STEELE], 1, 256);
  wb_judge_counter_is(judge, "fp32_lanes", 1793, "256 * 8 - 255: 7 an element");
  wb_judge_counter_is(judge, "block_barriers", 17, "1 + 2 * 8");
  run_tiles(judge, &scans[BLELLOCH], 1, 256);
  wb_judge_counter_is(judge, "fp32_lanes", 510, "2 * 255: 2 an element");
}
#endif

static const wb_check lesson_checks[] = {
    {"sizes", 1, "sizes and block sizes, exact", NULL, lesson_sizes, false},
    {"mixed", 1, "fractions of both signs, within each element's bound", NULL, lesson_mixed, false},
    {"positions", 1, "every element reaches all results behind it", NULL, lesson_positions, false},
    {"specials", 1, "NaN, infinities, -0", NULL, lesson_specials, false},
    {"bounds", 1, "stays inside its arrays, input unchanged", NULL, lesson_bounds, false},
    {"in_place", 1, "in and out may be one array", NULL, lesson_in_place, false},
#ifdef WORKBOOK_SIMT
    {"numbers", 1, "256 threads: 1793 against 510 additions", NULL, lesson_numbers, true},
    {"counters", 1, "additions, barriers and shuffles as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"09_scan", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  static const char *const variants[] = {"below", NULL};
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &compaction_exercise);
}
