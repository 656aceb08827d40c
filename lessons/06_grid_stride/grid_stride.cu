// SPDX-License-Identifier: MIT
// Lesson 06: the grid-stride loop, and five ways to finish.
//
// Question: the tree costs next to nothing by now. Why is the memory still half idle?
//
// Idea: blocks come and go, and their threads wait for two loads each. Launch as many threads as
// the device holds, once, and let each walk over the array: all side by side, a grid's width at a
// time; with several loads under way before the first addition; with 16 bytes a load. Then the
// partial sums: one more launch, one atomic a block, the last block to be done adds them up, the
// second launch begins before the first has ended, or one block collects them as they come
// (finish.cuh). (And a matrix, row by row: rows.cuh.)
//
// Predict before you run: how many 32-byte sectors does a warp touch in one load, when each thread
// has a stretch of its own, and when all walk together? How many bytes has a warp under way?
#include "block_reduce.h" // lesson 05's
#include "cub_sum.h"
#include "overlap.h"
#include "passes.h"

static __device__ void write_partial(float sum, float *out) {
  sum = wb_block_reduce(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

extern "C" __global__ void butterfly(const float *in, float *out, unsigned n) {
  const unsigned i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
  float sum = i < n ? in[i] : 0.0f;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  write_partial(sum, out);
}

// The share of thread `me` of `n_threads` in the sum of in[n], in four ways.
//! [chunk]
static __device__ float chunk_sum(const float *in, unsigned n, unsigned me, unsigned n_threads) {
  const unsigned chunk = n / n_threads + (n % n_threads != 0), first = me * chunk;
  float sum = 0.0f;
  for (unsigned i = first; i < first + chunk && i < n; i++) sum += in[i];
  return sum;
}
//! [chunk]
//! [strided]
static __device__ float strided_sum(const float *in, unsigned n, unsigned me, unsigned n_threads) {
  float sum = 0.0f;
  for (unsigned i = me; i < n; i += n_threads) sum += in[i];
  return sum;
}
//! [strided]
//! [unrolled]
template <unsigned k>
static __device__ float unrolled_sum(const float *in, unsigned n, unsigned me, unsigned n_threads) {
  float sum = 0.0f, item[k];
  unsigned i = me;
  for (; i + (k - 1) * n_threads < n; i += k * n_threads) {
    for (unsigned j = 0; j < k; j++) item[j] = in[i + j * n_threads]; // k loads, nobody waits
    for (unsigned j = 0; j < k; j++) sum += item[j];
  }
  for (; i < n; i += n_threads) sum += in[i];
  return sum;
}
//! [unrolled]
//! [vectors]
static __device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

static __device__ float vector_sum(const float *in, unsigned n, unsigned me, unsigned n_threads) {
  const unsigned to_boundary = (unsigned)(-(uintptr_t)in / sizeof *in % 4); // of 16 bytes
  const unsigned head = to_boundary < n ? to_boundary : n, n_vectors = (n - head) / 4;
  const float4 *vectors = (const float4 *)(in + head);
  float sum = 0.0f;
  float4 item[4];
  unsigned i = me;
  for (; i + 3 * n_threads < n_vectors; i += 4 * n_threads) {
    for (unsigned j = 0; j < 4; j++) item[j] = vectors[i + j * n_threads];
    for (unsigned j = 0; j < 4; j++) sum += sum_of(item[j]);
  }
  for (unsigned j = 0; j < 3; j++) // up to three are left: these at once as well
    item[j] = i + j * n_threads < n_vectors ? vectors[i + j * n_threads] : float4{0, 0, 0, 0};
  for (unsigned j = 0; j < 3; j++) sum += sum_of(item[j]);
  if (me < head) sum += in[me];                   // up to three before the boundary
  if (me < (n - head) % 4) sum += in[n - 1 - me]; // and up to three at the end
  return sum;
}
//! [vectors]
//! [geometry]
// As many threads as the device holds, but none with fewer than 32 elements.
static unsigned grid_for(unsigned n, unsigned block) {
  const unsigned fit = wb_multiprocessors() * (2048 / block), needed = wb_blocks(n, 32 * block);
  return needed < fit ? needed : fit;
}

static void two_passes(wb_block_sum kernel, wb_launch *l) {
  l->grid = grid_for(l->n, l->block);
  kernel<<<l->grid, l->block>>>(l->in, l->scratch, l->n);
  kernel<<<1, l->block>>>(l->scratch, (float *)l->out, l->grid);
}
//! [geometry]

//! [kernels]
#define GRID_ID blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x // me, n_threads
#define SUM_KERNEL(name, share)                                                     \
  extern "C" __global__ void name(const float *in, float *out, unsigned n) {        \
    write_partial(share(in, n, GRID_ID), out);                                      \
  }                                                                                 \
  static void launch_##name(wb_launch *l) { two_passes(name, l); }
SUM_KERNEL(chunked, chunk_sum)
SUM_KERNEL(grid_stride, strided_sum)
SUM_KERNEL(unroll_4, unrolled_sum<4>)
SUM_KERNEL(unroll_8, unrolled_sum<8>)
SUM_KERNEL(vectors, vector_sum)
//! [kernels]

#include "finish.cuh"
#include "rows.cuh"

static void launch_butterfly(wb_launch *l) { wb_sum_in_passes(butterfly, l, 2 * l->block, 0); }
// A thread's chain and ten steps in its block, then the same over the partial sums.
static double depth(unsigned n, unsigned block) {
  const unsigned grid = grid_for(n, block);
  return n / (grid * block) + 1 + 10 + grid / block + 1 + 10;
}

#define VARIANT(id, words) {.name = #id, .summary = words, .launch = launch_##id, .depth = depth}
#define ROWS(id, words)                                                             \
  {.name = #id, .summary = words, .launch = launch_##id, .result = WB_RESULT_ROW_SUMS, \
   .group = "rows", .depth = row_depth}
static const wb_variant variants[] = {
    VARIANT(butterfly, "lesson 05's block_reduce, two elements a thread, pass after pass"),
    VARIANT(chunked, "a stretch of the array for each thread"),
    VARIANT(grid_stride, "all threads side by side, a grid's width at a time"),
    VARIANT(unroll_4, "four loads under way at a time"),
    VARIANT(unroll_8, "eight"),
    VARIANT(vectors, "four loads of 16 bytes"),
    {.name = "atomic_finish", .summary = "vectors, then one atomicAdd a block",
     .launch = launch_atomic_finish},
    VARIANT(last_block, "vectors; the last block adds up the partial sums"),
    {.name = "overlapped", .summary = "two passes, the next beginning early; grid and block fit n",
     .launch = launch_overlapped, .depth = fitting_depth},
    {.name = "adaptive", .summary = "the same grids; one block collects posted sums as they come",
     .launch = launch_adaptive, .depth = fitting_depth},
    WB_CUB_SUM
    ROWS(block_rows, "the sum of each row of 2,048: a block a row"),
    ROWS(warp_rows, "a warp a row"),
};

static const wb_lesson lesson = {
    .name = "06_grid_stride",
    .title = "every thread walks the array, and five ways to finish",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"sectors/req", "global_load_sectors", "global_load_requests"},
                     {"B in flight", "global_load_bytes", "global_load_groups"}},
};

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
