// SPDX-License-Identifier: MIT
// Lesson 01: a tree in shared memory.
//
// Question: how can a block add up its elements without a queue?
//
// Idea: pairwise. In step s = 1, 2, 4 ... a thread adds the partial sum s places to its right to
// its own; after log2(block) steps the first place holds the sum of the block. Each block writes
// one partial sum, and the same kernel runs again over the partial sums until one is left.
//
// Two ways to choose the threads that work in step s, with the very same additions:
//   modulo   thread t works where t is a multiple of 2s. Every warp has a few active lanes and
//            many idle ones: in the first five steps *all* warps diverge.
//   strided  thread t works on place 2 * s * t. The workers are the first threads, whole warps of
//            them while there are 32 or more: hardly any divergence. But neighbouring lanes are now
//            2s words apart, and that has a price of its own (lesson 02).
//
// Predict before you run: a block of 256 threads has 8 warps and takes 8 steps. How many branches
// diverge in each version? The table prints the total; divide it by the number of blocks.
#include "lesson.h"

// Every kernel here: in[n] to one partial sum per block, out[gridDim.x]; blockDim.x is a power of
// two, and shared memory holds one float per thread.
typedef void (*block_sum)(const float *in, float *out, unsigned n);

//! [modulo]
extern "C" __global__ void modulo_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f; // load: beyond the end of the array zeros
  __syncthreads();                // the tile is complete
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) tile[t] += tile[t + s];
    __syncthreads(); // what this step wrote is there before the next one reads it
  }
  if (t == 0) out[blockIdx.x] = tile[0]; // the partial sum of the block
}
//! [modulo]

//! [strided]
extern "C" __global__ void strided_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f; // load: beyond the end of the array zeros
  __syncthreads();                // the tile is complete
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned place = 2 * s * t;
    if (place < blockDim.x) tile[place] += tile[place + s];
    __syncthreads(); // what this step wrote is there before the next one reads it
  }
  if (t == 0) out[blockIdx.x] = tile[0]; // the partial sum of the block
}
//! [strided]

// Pass after pass, until one block is enough: n elements become n / block partial sums, then
// n / block^2 ... The sums of one pass are the input of the next; they lie one after the other in
// the scratch memory. No atomics, so the result is the same bits every time.
//! [passes]
static void sum_in_passes(block_sum kernel, wb_launch *l) {
  const float *in = l->in;
  float *partial_sums = l->scratch;
  unsigned left = l->n;
  l->grid = wb_blocks(left, l->block);
  for (;;) {
    const unsigned n_blocks = wb_blocks(left, l->block);
    float *out = n_blocks == 1 ? (float *)l->out : partial_sums;
    kernel<<<n_blocks, l->block, l->block * sizeof(float)>>>(in, out, left);
    if (n_blocks == 1) return;
    in = out;
    partial_sums += n_blocks;
    left = n_blocks;
  }
}
//! [passes]

static void launch_modulo(wb_launch *l) { sum_in_passes(modulo_tree, l); }
static void launch_strided(wb_launch *l) { sum_in_passes(strided_tree, l); }

// Halving works only while the block can be halved; the exercise does without.
static const char *needs_power_of_two(unsigned, unsigned block) {
  return (block & (block - 1)) == 0 ? nullptr : "the tree needs a block of 32, 64, 128 ... 1024";
}

// clang-format off
static const wb_variant variants[] = {
    {.name = "modulo", .summary = "thread t works where t % (2s) == 0: warps diverge",
     .launch = launch_modulo, .depth = wb_depth_passes, .refuse = needs_power_of_two},
    {.name = "strided", .summary = "thread t works on place 2*s*t: the workers are whole warps",
     .launch = launch_strided, .depth = wb_depth_passes, .refuse = needs_power_of_two},
};

static const wb_lesson lesson = {
    .name = "01_shared_tree",
    .title = "a tree in shared memory, and who works in it",
    .taught = "Whole warps work, whole warps rest.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"divergent", "divergent_branches", nullptr},
                     {"wavefr/req", "shared_load_wavefronts+shared_store_wavefronts",
                      "shared_load_requests+shared_store_requests"}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
