// SPDX-License-Identifier: MIT
// Lesson 04: no block barrier for a single warp.
//
// Question: in the last five steps of the tree only warp 0 works, and all warps wait. For whom?
//
// Idea: a barrier is needed where one thread reads what another one wrote, and it need be no wider
// than these two. Within one warp __syncwarp() is wide enough.
//
//   full_tree      lesson 03's first_add, unchanged: a barrier after every step
//   barrier_first  a barrier *before* every step: no thread needed the one after the last step
//   warp_fold      block barriers while several warps take part, then __syncwarp() in warp 0 alone
//   unrolled       the same with a block size known at compile time: no loop is left
//   broken_fold, volatile_fold  the famous old trick, no __syncwarp(): WRONG, only on request
//
// Predict before you run: how many block barriers does each version take with 256 threads? And
// what do the last two print, here and on a GPU?
#include "passes.h"
#include "warp.h" // WARP_SIZE

// Every kernel here: in[n] to one partial sum per block, out[gridDim.x]; blockDim.x is a power of
// two. Shared memory: one float per thread.

extern "C" __global__ void first_add_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * (2 * blockDim.x) + t;
  float sum = i < n ? in[i] : 0.0f; // two loads, the first addition between them
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  tile[t] = sum;
  __syncthreads(); // the tile is complete
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s];
    __syncthreads(); // what this step wrote is there before the next one reads it
  }
  if (t == 0) out[blockIdx.x] = tile[0]; // the partial sum of the block
}

// The loading, which is the same from here on.
static __device__ float first_add(const float *in, unsigned n, unsigned block_size) {
  const unsigned i = blockIdx.x * (2 * block_size) + threadIdx.x;
  float sum = i < n ? in[i] : 0.0f;
  if (i + block_size < n) sum += in[i + block_size];
  return sum;
}

//! [barrier_first]
extern "C" __global__ void barrier_first_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  tile[t] = first_add(in, n, blockDim.x);
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads(); // what was written before is there
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
//! [barrier_first]

//! [warp_fold]
extern "C" __global__ void warp_fold_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  tile[t] = first_add(in, n, blockDim.x);
  for (unsigned s = blockDim.x / 2; s >= WARP_SIZE; s /= 2) { // several warps add
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t >= WARP_SIZE) return; // warp 0 is left, and synchronises with itself alone
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) {
    __syncwarp();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
//! [warp_fold]

//! [unrolled]
template <unsigned block_size>
__global__ void __launch_bounds__(block_size) unrolled(const float *in, float *out, unsigned n) {
  __shared__ float tile[block_size];
  const unsigned t = threadIdx.x;
  tile[t] = first_add(in, n, block_size);
#pragma unroll
  for (unsigned s = block_size / 2; s >= WARP_SIZE; s /= 2) { // several warps add
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t >= WARP_SIZE) return; // warp 0 is left, and synchronises with itself alone
#pragma unroll
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) {
    __syncwarp();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
//! [unrolled]

// DO NOT COPY. Between one line and the next other lanes must have stored what this lane is going
// to load, and nothing tells the compiler (place = float) or the hardware (both) to wait for that.
//! [broken_fold]
template <typename place> static __device__ void broken(const float *in, float *out, unsigned n) {
  extern __shared__ float values[]; // another name: C++ linkage, as templates have
  const unsigned t = threadIdx.x;
  values[t] = first_add(in, n, blockDim.x);
  for (unsigned s = blockDim.x / 2; s >= WARP_SIZE; s /= 2) {
    __syncthreads();
    if (t < s) values[t] += values[t + s];
  }
  if (t >= WARP_SIZE) return;
  place *tile = values;
  tile[t] += tile[t + 16]; // all 32 lanes: what lanes 16 and up make here is never used
  tile[t] += tile[t + 8];
  tile[t] += tile[t + 4];
  tile[t] += tile[t + 2];
  tile[t] += tile[t + 1];
  if (t == 0) out[blockIdx.x] = tile[0];
}
//! [broken_fold]
extern "C" __global__ void broken_fold_tree(const float *in, float *out, unsigned n) {
  broken<float>(in, out, n);
}
extern "C" __global__ void volatile_fold_tree(const float *in, float *out, unsigned n) {
  broken<volatile float>(in, out, n);
}

static void sum(wb_block_sum kernel, wb_launch *l) {
  wb_sum_in_passes(kernel, l, 2 * l->block, l->block);
}
static void launch_full_tree(wb_launch *l) { sum(first_add_tree, l); }
static void launch_barrier_first(wb_launch *l) { sum(barrier_first_tree, l); }
static void launch_warp_fold(wb_launch *l) { sum(warp_fold_tree, l); }
static void launch_broken_fold(wb_launch *l) { sum(broken_fold_tree, l); }
static void launch_volatile_fold(wb_launch *l) { sum(volatile_fold_tree, l); }

static void launch_unrolled(wb_launch *l) {
  static const wb_block_sum kernels[] = {unrolled<32>,  unrolled<64>,  unrolled<128>,
                                         unrolled<256>, unrolled<512>, unrolled<1024>};
  unsigned which = 0;
  while (32u << which < l->block) which++;
  sum(kernels[which], l);
}

static double depth(unsigned n, unsigned block) { return wb_depth_item_passes(n, block, 2); }

static const char *needs_two_warps(unsigned n, unsigned block) {
  return block == 32 ? "the trick needs two warps: 64, 128 ... 1024 threads"
                     : wb_needs_power_of_two(n, block);
}

// clang-format off
static const wb_variant variants[] = {
    {.name = "full_tree", .summary = "lesson 03's first_add: a barrier after every step",
     .launch = launch_full_tree, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "barrier_first", .summary = "a barrier before every step: one less",
     .launch = launch_barrier_first, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "warp_fold", .summary = "__syncwarp() as soon as one warp is left",
     .launch = launch_warp_fold, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "unrolled", .summary = "the same, the block size known to the compiler",
     .launch = launch_unrolled, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "broken_fold", .summary = "WRONG ON PURPOSE: no synchronisation in the last warp",
     .launch = launch_broken_fold, .depth = depth, .refuse = needs_two_warps, .on_request = true},
    {.name = "volatile_fold", .summary = "WRONG ON PURPOSE: the same with volatile; may be lucky",
     .launch = launch_volatile_fold, .depth = depth, .refuse = needs_two_warps, .on_request = true},
};

static const wb_lesson lesson = {
    .name = "04_warp_sync",
    .title = "no block barrier for a single warp",
    .taught = "Within a warp no block barrier is needed.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"barriers", "block_barriers", nullptr},
                     {"warp instr", "warp_instructions", nullptr}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
