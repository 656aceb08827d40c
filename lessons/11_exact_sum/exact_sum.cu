// SPDX-License-Identifier: MIT
// Lesson 11, beyond the ten: one sum, the same bits everywhere.
//
// Question: the lessons before this one give seven different sums of the same floats. Which is the
// right one, and can a GPU find it, whatever the order of its threads?
//
// Idea: the right one is the exact sum, rounded once. A float is a whole number of 2^-149; whole
// numbers may be added in any order, and atomics are harmless again.
//   global   each element's significand to 64-bit digits in global memory, by its exponent: atomics
//   columns  16 counters for each thread, in shared memory, as doubles; added up at the end
//   vectors  the same with 16 bytes per load, and the last block rounds
//   window   8 elements to one double, as long as a check proves that it lost nothing
// To be compared (VARIANT=nearly), none of them always right:
//   any_order, fixed_order   plain floats; one atomic per block, and the blocks' sums in order
//   neumaier, pairs          floats, and what each addition lost
//   scaled                   whole numbers of one unit, in two passes
//
// Predict before you run: what does being exact cost?
#include "compensated.cuh"
#include "cub_sum.h"
#include "lesson.h"
#include "window.cuh"

// The exact ones: the sum of in[n] to *out, correctly rounded. `state` is all zeros before and
// after. blockDim.x is a multiple of 32.

//! [global]
extern "C" __global__ void global(const float *in, float *out, exact_state<float> *state,
                                  size_t n) {
  unsigned seen = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * (size_t)blockDim.x) {
    const parts_of<float> p(in[i]);
    const long long v = (long long)p.significand;
    seen |= p.seen;
    add_whole(state, p.negative ? -v : v, p.field);
  }
  note_seen(state, seen);
  finish(state, out, n == 0);
}
//! [global]

//! [doubles_sum]
extern "C" __global__ void sum_of_doubles(const double *in, double *out, exact_state<double> *state,
                                          size_t n) {
  const size_t step = gridDim.x * (size_t)blockDim.x;
  unsigned seen = 0;
  clear_columns<word_columns>();
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
    word_columns::add(in[i], &seen);
  fold<word_columns>(state, seen, false);
  finish(state, out, n == 0);
}
//! [doubles_sum]

//! [dot]
// a[0] * b[0] + a[1] * b[1] + ... to *out, rounded once. Two significands of 24 bits make one of
// 48, and two exponents of 8 bits one of 9: every product of two floats is a double, exactly.
extern "C" __global__ void dot_of_floats(const float *a, const float *b, double *out,
                                         exact_state<double> *state, size_t n) {
  const size_t step = gridDim.x * (size_t)blockDim.x;
  unsigned seen = 0;
  clear_columns<word_columns>();
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
    word_columns::add((double)a[i] * (double)b[i], &seen);
  fold<word_columns>(state, seen, false);
  finish(state, out, n == 0);
}
//! [dot]

extern "C" __global__ void __launch_bounds__(1024)
    sum_by_vectors(const float *in, float *out, exact_state<float> *state, size_t n) {
  add_share<8, false>(in, n, state);
  finish(state, out, n == 0);
}
extern "C" __global__ void __launch_bounds__(1024)
    sum_by_window(const float *in, float *out, exact_state<float> *state, size_t n) {
  add_share<2, true>(in, n, state);
  finish(state, out, n == 0);
}

static __device__ exact_state<float> state_kept; // zero when the program starts, and after a launch
static exact_state<float> *state_of_device() {
  static void *state = nullptr;
  if (state == nullptr) WB_OK(cudaGetSymbolAddress(&state, state_kept));
  return (exact_state<float> *)state;
}
typedef void (*exact_kernel)(const float *, float *, exact_state<float> *, size_t);

static unsigned few_blocks(const wb_launch *l) {
  const unsigned wanted = wb_blocks(l->n, 16 * l->block);
  const unsigned most = wb_multiprocessors() * (2048 / l->block);
  return wanted < most ? wanted : most;
}
// As many blocks as fit on the device together, each with `bytes` of shared memory per thread.
static void run_exact(wb_launch *l, exact_kernel kernel, unsigned bytes, unsigned each) {
  int fit = 0;
  const int shared_bytes = (int)(l->block * bytes);
  if (!WB_OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  shared_bytes)) ||
      !WB_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, (int)l->block,
                                                           (size_t)shared_bytes)))
    return; // the error is reported, and the output is wrong
  const unsigned wanted = wb_blocks(l->n, each * l->block), most = fit * wb_multiprocessors();
  l->grid = wanted < most ? wanted : most;
  kernel<<<l->grid, l->block, (size_t)shared_bytes>>>(l->in, (float *)l->out, state_of_device(),
                                                      l->n);
}
enum { COLUMN_BYTES = GROUPS * sizeof(double), MOST_EACH = 1 << 13, SUMS = 2 * GROUPS + 1 };
static void launch_global(wb_launch *l) { run_exact(l, global, 0, 1); }
static void launch_columns(wb_launch *l) {
  unsigned long long *sums = (unsigned long long *)l->scratch;
  const size_t bytes = l->block * COLUMN_BYTES;
  l->grid = few_blocks(l);
  if (l->grid < wb_blocks(l->n, MOST_EACH * l->block))
    l->grid = wb_blocks(l->n, MOST_EACH * l->block);
  WB_OK(cudaMemsetAsync(sums, 0, SUMS * sizeof *sums));
  WB_OK(cudaFuncSetAttribute(columns, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
  columns<<<l->grid, l->block, bytes>>>(l->in, sums, l->n);
  round_sums<<<1, 32>>>(sums, (float *)l->out, state_of_device(), l->n);
}
static void launch_vectors(wb_launch *l) { run_exact(l, sum_by_vectors, COLUMN_BYTES, 32); }
static void launch_window(wb_launch *l) { run_exact(l, sum_by_window, COLUMN_BYTES, 32); }

template <typename kind> static void run_sum(wb_launch *l) {
  l->grid = few_blocks(l);
  sum_blocks<kind><<<l->grid, l->block>>>(l->in, (float2 *)l->scratch, l->n);
  sum_partials<kind><<<1, l->block>>>((const float2 *)l->scratch, (float *)l->out, l->grid);
}
static void launch_any(wb_launch *l) {
  l->grid = few_blocks(l);
  WB_OK(cudaMemsetAsync(l->out, 0, sizeof(float)));
  sum_in_any_order<<<l->grid, l->block>>>(l->in, (float *)l->out, l->n);
}
static void launch_scaled(wb_launch *l) {
  unsigned *found = (unsigned *)l->scratch; // a word for the largest, two for the sum
  l->grid = few_blocks(l);
  WB_OK(cudaMemsetAsync(found, 0, 4 * sizeof(unsigned)));
  find_largest<<<l->grid, l->block>>>(l->in, found, l->n);
  sum_scaled<<<l->grid, l->block>>>(l->in, found, l->n);
  write_scaled<<<1, 1>>>(found, (float *)l->out);
}

static const char *too_wide(unsigned n, unsigned block) {
  int most = 0;
  (void)n;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  return (int)(block * COLUMN_BYTES) <= most ? nullptr
                                             : "needs more shared memory than a block has";
}
// What has no order has no longest chain either; what keeps the errors has two roundings.
static double two_roundings(unsigned n, unsigned block) { return (void)n, (void)block, 1.0; }

// clang-format off
#define EXACT(name_, summary_, launch_, refuse_)                                                  \
  {.name = name_, .summary = summary_, .launch = launch_, .refuse = refuse_, .rounded = true}
#define NEARLY(name_, summary_, launch_, depth_)                                                  \
  {.name = name_, .summary = summary_, .launch = launch_, .group = "nearly", .depth = depth_}
static const wb_variant variants[] = {
    EXACT("global", "64-bit counters in global memory", launch_global, nullptr),
    EXACT("columns", "16 counters per thread, in shared memory", launch_columns, too_wide),
    EXACT("vectors", "16 bytes per load; the last block rounds", launch_vectors, too_wide),
    EXACT("window", "8 elements to one double, while it loses nothing", launch_window, too_wide),
    WB_CUB_SUM
    NEARLY("any_order", "floats; one atomic per block", launch_any, nullptr),
    NEARLY("fixed_order", "floats; the blocks' sums in order", run_sum<plain_sum>, nullptr),
    NEARLY("neumaier", "the sum, and what was lost", run_sum<neumaier_sum>, two_roundings),
    NEARLY("pairs", "two floats, 48 bits", run_sum<pair_sum>, two_roundings),
    NEARLY("scaled", "whole numbers of one unit, in two passes", launch_scaled, two_roundings),
};

static const wb_lesson lesson = {
    .name = "11_exact_sum", .title = "one sum, the same bits everywhere",
    .taught = "Whole numbers add up in any order.",
    .variants = variants, .n_variants = WB_COUNT(variants),
    .explanations = {{"global adds", "global_atomic_lanes", nullptr}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
