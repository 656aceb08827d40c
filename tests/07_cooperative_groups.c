// SPDX-License-Identifier: MIT
// 07_cooperative_groups.c - judges lesson 07's own kernels.
//
// Counters are asserted exactly; the hand calculation stands beside them. Not modelled: the order
// in which blocks of a real grid reach the barrier; the software GPU lets them arrive one after the
// other.
#include "07_cooperative_groups.h"

// --- the lesson's own kernels -------------------------------------------------------------------

static size_t no_shared_bytes(unsigned block) {
  (void)block;
  return 0;
}

// With one block for every blockDim.x elements, block b folds its own elements only.
static const wb_blockwise sums[] = {
    {.signature = "shuffle_sum(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .shared_bytes = no_shared_bytes},
    {.signature = "tile_sum(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .shared_bytes = no_shared_bytes},
    {.signature = "reduce_sum(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .shared_bytes = no_shared_bytes},
};
static const unsigned blocks[] = {32, 64, 96, 1024, 256};

static void lesson_sizes(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(sums); k++)
    wb_blockwise_sizes(judge, &sums[k], blocks, COUNT(blocks));
}
static void lesson_positions(wb_judge *judge) {
  static const unsigned some[] = {32, 96, 256};
  for (size_t k = 0; k < COUNT(sums); k++)
    wb_blockwise_positions(judge, &sums[k], some, COUNT(some));
}
static void lesson_specials(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(sums); k++) wb_blockwise_specials(judge, &sums[k], 64);
}
static void lesson_bounds(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(sums); k++) wb_blockwise_bounds(judge, &sums[k], 128);
}
static void lesson_stale(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(sums); k++) wb_blockwise_stale(judge, &sums[k], 128);
}

static const char grid_sum[] = "grid_sum(const float *in, float *partials, float *out, unsigned n)";

typedef struct sum_case {
  const float *in; // [n]
  unsigned n, grid, block;
  bool exact;
  size_t offset_bytes;
} sum_case;

// A thread's own chain, ten levels in its block; the same again for the partial sums.
static double depth_of(const sum_case *one) {
  return one->n / (one->grid * one->block) + one->grid / one->block + 22.0;
}

static float judge_total(wb_judge *judge, const sum_case *one, const void *got) {
  float total = *(const float *)got;
  wb_fold fold = {.op = WB_SUM,
                  .input = "in",
                  .output = "out",
                  .a = one->in,
                  .n = one->n,
                  .count = one->n,
                  .block = one->block,
                  .start_bits = WB_POISON,
                  .tolerance =
                      one->exact ? 0.0 : wb_bound_sum(depth_of(one), wb_sum_abs(one->in, one->n))};
  wb_judge_value(judge, &fold, total);
  return total;
}

// One launch of kernel `sums[k]`: its partial sums, on the device.
static void *one_pass(wb_judge *judge, size_t k, void *in, unsigned n, unsigned grid,
                      unsigned block, const char *output) {
  wb_kernel kernel = wb_judge_kernel(judge, sums[k].signature);
  void *out = wb_judge_output(judge, output, grid * sizeof(float));
  void *arguments[] = {&in, &out, &n};
  wb_judge_launch(judge, &kernel, grid, block, 0, arguments);
  return out;
}

static float sum_in_two_passes(wb_judge *judge, size_t k, const sum_case *one) {
  void *in = wb_judge_input(judge, "in", one->in, one->n * sizeof(float), one->offset_bytes);
  void *partials = one_pass(judge, k, in, one->n, one->grid, one->block, "partials");
  void *out = one_pass(judge, k, partials, one->grid, 1, one->block, "out");
  return judge_total(judge, one, wb_judge_get(judge, out));
}

static float sum_together(wb_judge *judge, const sum_case *one) {
  wb_kernel kernel = wb_judge_kernel(judge, grid_sum);
  unsigned n = one->n;
  void *in = wb_judge_input(judge, "in", one->in, n * sizeof(float), one->offset_bytes);
  void *partials = wb_judge_output(judge, "partials", one->grid * sizeof(float));
  void *out = wb_judge_output(judge, "out", sizeof(float));
  void *arguments[] = {&in, &partials, &out, &n};
  wb_judge_launch_together(judge, &kernel, one->grid, one->block, 0, arguments);
  return judge_total(judge, one, wb_judge_get(judge, out));
}

static void sum_all_ways(wb_judge *judge, const sum_case *one) {
  float first = sum_together(judge, one);
  for (size_t k = 0; k < COUNT(sums); k++) sum_in_two_passes(judge, k, one);
  float again = sum_together(judge, one);
  if (memcmp(&first, &again, sizeof first) != 0 && !isnan(first))
    wb_judge_fail(judge, "the same input gave %.9g first and then %.9g", (double)first,
                  (double)again);
  wb_judge_release(judge);
}

// Grids smaller and larger than the input asks for.
static void lesson_grids(wb_judge *judge) {
  static const unsigned sizes[] = {0, 1, 2, 31, 32, 33, 255, 257, 1023, 1025, 7919, 65537};
  static const unsigned grids[] = {1, 2, 7, 40};
  for (size_t s = 0; s < COUNT(sizes); s++)
    for (size_t g = 0; g < COUNT(grids); g++)
      for (int exact = 0; exact < 2; exact++) {
        unsigned n = sizes[s];
        float *x = wb_judge_host(judge, n * sizeof *x);
        wb_fill_floats(exact ? WB_INPUT_INTEGERS : WB_INPUT_MIXED, x, n,
                       wb_judge_seed(judge) + n + g);
        wb_judge_case(judge, "n = %u in %u blocks", n, grids[g]);
        sum_case one = {.in = x,
                        .n = n,
                        .grid = grids[g],
                        .block = blocks[(s + g) % COUNT(blocks)],
                        .exact = exact != 0,
                        .offset_bytes = s % 4 * sizeof(float)};
        sum_all_ways(judge, &one);
      }
}

// The one element that is not 0 at every index: full rounds of eight loads, and a tail.
static void lesson_total_positions(wb_judge *judge) {
  enum { BLOCK = 32, GRID = 2, N = BLOCK * GRID * 9 + 5 };
  for (unsigned at = 0; at < N; at += at < 70 || at > N - 70 ? 1 : 13) {
    float *x = wb_judge_host(judge, N * sizeof *x);
    wb_fill_one_hot(x, N, at, (float)(at + 1), 0.0f);
    wb_judge_case(judge, "n = %d, all 0 but in[%u] = %u", N, at, at + 1);
    sum_case one = {.in = x, .n = N, .grid = GRID, .block = BLOCK, .exact = true};
    sum_all_ways(judge, &one);
  }
}

static void lesson_total_specials(wb_judge *judge) {
  static const float values[] = {NAN, INFINITY, -INFINITY, -0.0f};
  enum { N = 1000 };
  for (size_t v = 0; v < COUNT(values); v++)
    for (unsigned at = 0; at < N; at += 333) {
      float *x = wb_judge_host(judge, N * sizeof *x);
      wb_fill_floats(WB_INPUT_INTEGERS, x, N, wb_judge_seed(judge));
      x[at] = values[v];
      wb_judge_case(judge, "n = %d, in[%u] = %g", N, at, (double)values[v]);
      sum_case one = {.in = x, .n = N, .grid = 3, .block = 64, .exact = true};
      sum_all_ways(judge, &one);
    }
}

// One block more than the device holds is refused, as many as it holds are not.
static void lesson_too_large(wb_judge *judge) {
  enum { BLOCK = 1024 };
  wb_kernel kernel = wb_judge_kernel(judge, grid_sum);
  int n_multiprocessors = 0, each = 0;
  cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, (const void *)kernel.handle, BLOCK, 0);
  unsigned fit = (unsigned)(n_multiprocessors * each), n = 0;
  if (fit == 0) wb_judge_fail(judge, "no block of %d threads fits on the device", BLOCK);
  void *nothing = NULL, *arguments[] = {&nothing, &nothing, &nothing, &n};
  cudaError_t error = cudaLaunchCooperativeKernel(
      (const void *)kernel.handle, (dim3){fit + 1, 1, 1}, (dim3){BLOCK, 1, 1}, arguments, 0, NULL);
  if (error != cudaErrorCooperativeLaunchTooLarge)
    wb_judge_fail(judge, "%u blocks fit, and a cooperative launch of one more gave %s", fit,
                  cudaGetErrorName(error));
  if (cudaGetLastError() != error || cudaGetLastError() != cudaSuccess)
    wb_judge_fail(judge, "the refused launch is not the last error, or stays it");
  float *x = wb_judge_host(judge, 5000 * sizeof *x);
  wb_fill_floats(WB_INPUT_INTEGERS, x, 5000, wb_judge_seed(judge));
  wb_judge_case(judge, "as many blocks as fit");
  sum_case one = {.in = x, .n = 5000, .grid = fit, .block = BLOCK, .exact = true};
  sum_together(judge, &one);
}

#ifdef WORKBOOK_SIMT
static const char by_hand[] = "the hand calculation in tests/07_cooperative_groups.c says "
                              "otherwise";

// What one block of W warps does in one block sum: every warp five shuffles, twice; two barriers; W
// words stored into shared memory, and W loaded by each of the W warps.
static void expect_block_sums(wb_judge *judge, uint64_t n_block_sums, uint64_t n_warps) {
  wb_judge_counter_is(judge, "shuffles", n_block_sums * 10 * n_warps, by_hand);
  wb_judge_counter_is(judge, "block_barriers", 2 * n_block_sums, by_hand);
  wb_judge_counter_is(judge, "shared_store_words", n_block_sums * n_warps, by_hand);
  wb_judge_counter_is(judge, "shared_load_words", n_block_sums * n_warps * n_warps, by_hand);
  wb_judge_counter_is(judge, "global_store_requests", n_block_sums, by_hand);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
}

// Two launches against one with one grid-wide barrier. In that one the first block makes one block
// sum more, in which all its warps take part, and reads the partial sums.
static void lesson_counters(wb_judge *judge) {
  enum { N = 10000 };
  float *x = wb_judge_host(judge, N * sizeof *x);
  wb_fill_floats(WB_INPUT_INTEGERS, x, N, wb_judge_seed(judge));
  void *in = wb_judge_input(judge, "in", x, N * sizeof *x, 0);
  for (size_t k = 0; k < COUNT(sums); k++) {
    one_pass(judge, k, in, N, 5, 256, "partials");
    wb_judge_counter_is(judge, "global_load_bytes", N * sizeof(float), by_hand);
    wb_judge_counter_is(judge, "launches", 1, "one pass is one launch, and a sum takes two");
    wb_judge_counter_is(judge, "grid_syncs", 0, by_hand);
    expect_block_sums(judge, 5, 8);
  }
  wb_judge_release(judge);
  x = wb_judge_host(judge, N * sizeof *x);
  wb_fill_floats(WB_INPUT_INTEGERS, x, N, wb_judge_seed(judge));
  for (unsigned block = 64; block <= 1024; block *= 4) {
    sum_case one = {.in = x, .n = N, .grid = 5, .block = block, .exact = true};
    sum_together(judge, &one);
    wb_judge_counter_is(judge, "launches", 1, "partial sums and total in one launch");
    wb_judge_counter_is(judge, "grid_syncs", 1, "one barrier between partial sums and total");
    wb_judge_counter_is(judge, "global_load_bytes", (N + 5) * sizeof(float), by_hand);
    expect_block_sums(judge, 5 + 1, block / LANES);
  }
}
#endif

static const wb_check lesson_checks[] = {
    {"sizes", 1, "sizes, block sizes, exact and mixed inputs", NULL, lesson_sizes, false},
    {"positions", 1, "every position counts", NULL, lesson_positions, false},
    {"specials", 1, "infinities, NaN, -0", NULL, lesson_specials, false},
    {"bounds", 1, "stays inside its arrays, input unchanged", NULL, lesson_bounds, false},
    {"stale_output", 1, "whatever the output held before", NULL, lesson_stale, false},
    {"grids", 1, "the total, in two launches and in one", NULL, lesson_grids, false},
    {"total_positions", 1, "the total holds every element", NULL, lesson_total_positions, false},
    {"total_specials", 1, "infinities, NaN, -0 in the total", NULL, lesson_total_specials, false},
    {"too_large", 1, "a grid that does not fit is refused", NULL, lesson_too_large, false},
#ifdef WORKBOOK_SIMT
    {"counters", 1, "launches, grid barriers and shuffles as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"07_cooperative_groups", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  static const char *const variants[] = {"base_two", NULL}; // of the exercise
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &softmax_exercise);
}
