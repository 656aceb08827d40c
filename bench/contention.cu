// SPDX-License-Identifier: MIT
// contention.cu - lesson 00's question in detail: how fast are atomic additions when they go to k =
// 1, 4, 16 … 2^20 addresses? With ints, floats, doubles and halves. Unlike in the lesson, the
// kernel leaves the k slots as they are; the harness adds them up to verify them.
//
//   bench/contention [--n 2^26] [--variant float_slots] [--json] …      (--help lists all options)
//
// It is built with the lesson programs (`make programs`), for a GPU or the software GPU; `make
// compare SWEEP=1` and `make measure` run it. Its rows are stored under lesson 00, which quotes
// them.
//
// Not measured: addresses that are chosen by the data (lesson 08), and the order in which a GPU's
// L2 serves requests to different slots.
#include <cuda_fp16.h>

#include "lesson.h"

extern "C" __global__ void add_to_slots(const float *in, float *slots, unsigned n, unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&slots[i % k], in[i]);
}

extern "C" __global__ void add_ints_to_slots(const int *in, int *slots, unsigned n, unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&slots[i % k], in[i]);
}

extern "C" __global__ void add_to_double_slots(const float *in, double *slots, unsigned n,
                                               unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&slots[i % k], (double)in[i]);
}

extern "C" __global__ void count_in_half_slots(__half *slots, unsigned n, unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&slots[i % k], __float2half(1.0f));
}

// k slots of the output, all 0.
template <typename T> static T *clear_slots(wb_launch *l) {
  l->grid = wb_blocks(l->n, l->block);
  cudaMemsetAsync(l->out, 0, l->parameter * sizeof(T));
  return (T *)l->out;
}

static void launch_floats(wb_launch *l) {
  float *slots = clear_slots<float>(l);
  add_to_slots<<<l->grid, l->block>>>(l->in, slots, l->n, l->parameter);
}

static void launch_ints(wb_launch *l) {
  int *slots = clear_slots<int>(l);
  add_ints_to_slots<<<l->grid, l->block>>>(l->in_ints, slots, l->n, l->parameter);
}

static void launch_doubles(wb_launch *l) {
  double *slots = clear_slots<double>(l);
  add_to_double_slots<<<l->grid, l->block>>>(l->in, slots, l->n, l->parameter);
}

static void launch_halves(wb_launch *l) {
  __half *slots = clear_slots<__half>(l);
  count_in_half_slots<<<l->grid, l->block>>>(slots, l->n, l->parameter);
}

// A half has 11 significant bits: counting sticks at 2^11. n % k slots get one more than the rest.
static double half_counts(unsigned n, unsigned k) {
  const double fewer = fmin(n / k, 0x1p11), more = fmin(n / k + 1, 0x1p11);
  return (n % k) * more + (k - n % k) * fewer;
}

enum { SWEEP_TO = 1 << 20 };

// clang-format off
static const wb_variant variants[] = {
    {.name = "float_slots", .summary = "floats over k = 1, 4, 16 ... 2^20 slots",
     .launch = launch_floats, .sweep_to = SWEEP_TO, .group = "contention"},
    {.name = "int_slots", .summary = "ints over k slots", .launch = launch_ints,
     .input = WB_INT, .output = WB_INT, .sweep_to = SWEEP_TO, .group = "contention"},
    {.name = "double_slots", .summary = "floats over k double slots", .launch = launch_doubles,
     .output = WB_DOUBLE, .sweep_to = SWEEP_TO, .group = "contention"},
    {.name = "half_slots", .summary = "ones over k half slots, each of which sticks at 2^11",
     .launch = launch_halves, .output = WB_HALF, .sweep_to = SWEEP_TO, .group = "contention",
     .expect = half_counts},
};

static const wb_lesson lesson = {
    .name = "00_naive_atomic", // the lesson that its rows belong to
    .title = "contention: atomic additions over k addresses",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"G atomics/s", "n", "time_ns"},
                     {"same address", "global_atomic_max_degree", nullptr}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
