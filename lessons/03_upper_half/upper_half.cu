// SPDX-License-Identifier: MIT
// Lesson 03: the idle upper half.
//
// Question: in a tree over 256 values at most 128 threads ever add. What is the upper half for?
//
// Idea: its threads load one element each, and then only wait at barriers. Let a thread make its
// first addition while it loads: two elements, added on the way into shared memory.
// The same tree now serves twice as many elements, with half the blocks. What is good for two may
// be good for more.
//
//   sequential  lesson 02's best version, unchanged: one element per thread
//   first_add   two elements per thread, blockDim.x apart, so that lanes stay side by side
//   items_4     four elements per thread, by a loop that the compiler unrolls
//   items_8     eight
//
// Predict before you run: what happens to the number of barriers, and what to the share of active
// lanes in an instruction? By how much does the time fall with each doubling, and does
// that ever end?
#include "passes.h"

// Every kernel here: in[n] to one partial sum per block, out[gridDim.x]; blockDim.x is a power of
// two. Shared memory: one float per thread.

//! [sequential]
extern "C" __global__ void sequential_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f; // load: beyond the end of the array zeros
  __syncthreads();                // the tile is complete
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s];
    __syncthreads(); // what this step wrote is there before the next one reads it
  }
  if (t == 0) out[blockIdx.x] = tile[0]; // the partial sum of the block
}
//! [sequential]

//! [first_add]
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
//! [first_add]

//! [items]
template <unsigned k> static __device__ void items_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float sums[]; // another name: C++ linkage, as templates have
  const unsigned t = threadIdx.x;
  const unsigned first = blockIdx.x * (k * blockDim.x) + t;
  float sum = 0.0f;
#pragma unroll
  for (unsigned j = 0; j < k; j++) { // k loads and additions, blockDim.x apart
    const unsigned i = first + j * blockDim.x;
    if (i < n) sum += in[i];
  }
  sums[t] = sum;
  __syncthreads(); // from here on as above
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}
//! [items]

//! [wrappers]
extern "C" __global__ void items_4_tree(const float *in, float *out, unsigned n) {
  items_tree<4>(in, out, n);
}

extern "C" __global__ void items_8_tree(const float *in, float *out, unsigned n) {
  items_tree<8>(in, out, n);
}
//! [wrappers]

// Pass after pass as in lesson 01, but a block takes more elements than it has threads.
static void launch_sequential(wb_launch *l) {
  wb_sum_in_passes(sequential_tree, l, l->block, l->block);
}
//! [launch_first_add]
static void launch_first_add(wb_launch *l) {
  wb_sum_in_passes(first_add_tree, l, 2 * l->block, l->block);
}
//! [launch_first_add]
static void launch_items_4(wb_launch *l) {
  wb_sum_in_passes(items_4_tree, l, 4 * l->block, l->block);
}
static void launch_items_8(wb_launch *l) {
  wb_sum_in_passes(items_8_tree, l, 8 * l->block, l->block);
}

// Longest chains of additions: those of a thread, then those of the tree; in each pass.
static double depth_2(unsigned n, unsigned block) { return wb_depth_item_passes(n, block, 2); }
static double depth_4(unsigned n, unsigned block) { return wb_depth_item_passes(n, block, 4); }
static double depth_8(unsigned n, unsigned block) { return wb_depth_item_passes(n, block, 8); }

// clang-format off
static const wb_variant variants[] = {
    {.name = "sequential", .summary = "lesson 02's best version: one element per thread",
     .launch = launch_sequential, .depth = wb_depth_passes, .refuse = wb_needs_power_of_two},
    {.name = "first_add", .summary = "two elements per thread, added while loading",
     .launch = launch_first_add, .depth = depth_2, .refuse = wb_needs_power_of_two},
    {.name = "items_4", .summary = "four elements per thread",
     .launch = launch_items_4, .depth = depth_4, .refuse = wb_needs_power_of_two},
    {.name = "items_8", .summary = "eight elements per thread",
     .launch = launch_items_8, .depth = depth_8, .refuse = wb_needs_power_of_two},
};

static const wb_lesson lesson = {
    .name = "03_upper_half",
    .title = "the first addition while loading, and more of them",
    .taught = "A thread adds several before the tree.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"barriers", "block_barriers", nullptr},
                     {"lanes/instr", "lane_instructions", "warp_instructions"}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
