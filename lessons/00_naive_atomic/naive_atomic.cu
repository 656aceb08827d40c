// SPDX-License-Identifier: MIT
// Lesson 00: one atomicAdd per element.
//
// Question: what does it cost to let every thread add its element to one and the same address?
//
// Idea: atomicAdd makes "read, add, write back" indivisible, so any number of threads may add to
// one word and nothing is lost. The price is a queue: the memory system serves the operations on
// one address one after the other. Spread the queue over k addresses and k queues move at once;
// then the k slots must be added up, which is a queue of k again. (The k slots alone, and other
// types: bench/contention.cu.)
//
// Predict before you run: with n elements and k slots the two queues are n / k and k long. Which k
// is best? And: is a queue of ints any faster than a queue of floats?
//
// One more thing goes wrong here, silently: a float has 24 significant bits, so
// 16,777,216 + 1 rounds back to 16,777,216. An accumulator that has come this far sticks.
#include "lesson.h"

//! [one_address]
extern "C" __global__ void add_to_one(const float *in, float *sum, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}
//! [one_address]

//! [spread]
extern "C" __global__ void add_to_slots(const float *in, float *slots, unsigned n, unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&slots[i % k], in[i]);
}
//! [spread]

// The compiler may add up the ints of a warp first and send one atomic for all of them: the order
// of int additions cannot be seen in the result. With floats it can, so every lane's own must go.
//! [int_one_address]
extern "C" __global__ void add_ints_to_one(const int *in, int *sum, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}
//! [int_one_address]

//! [sticks]
extern "C" __global__ void set_float(float *sum, float value) { *sum = value; }

extern "C" __global__ void count_in_float(float *sum, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, 1.0f);
}
//! [sticks]

//! [launch]
static void launch_one_address(wb_launch *l) {
  l->grid = wb_blocks(l->n, l->block);
  cudaMemsetAsync(l->out, 0, sizeof(float));
  add_to_one<<<l->grid, l->block>>>(l->in, (float *)l->out, l->n);
}
//! [launch]

//! [launch_spread]
static void launch_spread(wb_launch *l) {
  const unsigned k = l->parameter;
  l->grid = wb_blocks(l->n, l->block);
  cudaMemsetAsync(l->scratch, 0, k * sizeof(float));
  cudaMemsetAsync(l->out, 0, sizeof(float));
  add_to_slots<<<l->grid, l->block>>>(l->in, l->scratch, l->n, k);
  add_to_one<<<wb_blocks(k, l->block), l->block>>>(l->scratch, (float *)l->out, k);
}
//! [launch_spread]

static void launch_ints(wb_launch *l) {
  l->grid = wb_blocks(l->n, l->block);
  cudaMemsetAsync(l->out, 0, sizeof(int));
  add_ints_to_one<<<l->grid, l->block>>>(l->in_ints, (int *)l->out, l->n);
}

// Counts n ones, starting n / 2 short of 2^24 (or at 0), and should end n / 2 beyond it.
static float sticky_start(unsigned n) {
  return n < (1u << 25) ? (float)((1u << 24) - n / 2) : 0.0f;
}

static double where_it_sticks(unsigned n, unsigned) {
  return n > 0 ? 0x1p24 : (double)sticky_start(n);
}

static void launch_sticking(wb_launch *l) {
  l->grid = wb_blocks(l->n, l->block);
  set_float<<<1, 1>>>((float *)l->out, sticky_start(l->n));
  count_in_float<<<l->grid, l->block>>>((float *)l->out, l->n);
}

// clang-format off
static const wb_variant variants[] = {
    {.name = "one_address", .summary = "every float to one address", .launch = launch_one_address},
    {.name = "spread_32", .summary = "over 32 slots, then the slots to one address",
     .launch = launch_spread, .parameter = 32},
    {.name = "spread_1024", .summary = "over 1,024 slots, then the slots to one address",
     .launch = launch_spread, .parameter = 1024},
    {.name = "spread_32768", .summary = "over 32,768 slots, then the slots to one address",
     .launch = launch_spread, .parameter = 32768},
    {.name = "int_one_address", .summary = "every int to one address",
     .launch = launch_ints, .input = WB_INT, .output = WB_INT, .group = "int"},
    {.name = "sticks_at_2_24", .summary = "counts ones in a float, past 2^24: it must stick",
     .launch = launch_sticking, .group = "limit", .expect = where_it_sticks},
};

static const wb_lesson lesson = {
    .name = "00_naive_atomic",
    .title = "one atomicAdd per element",
    .taught = "One address takes one add at a time.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"G atomics/s", "n", "time_ns"},
                     {"same address", "global_atomic_max_degree", nullptr}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
