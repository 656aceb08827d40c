// SPDX-License-Identifier: MIT
// Lesson 06: the grid-stride loop, and five ways to finish.
//
// Question: the tree costs next to nothing by now. Why is the memory still half idle?
//
// Idea: blocks come and go, and their threads wait for two loads each. Launch as many threads as
// the device holds, once, and let each walk over the array: all side by side, a grid's width at a
// time (the grid-stride loop); with several loads in flight before the first addition; with 16
// bytes per load. Then the partial sums: one more launch, one atomic per block, the last block to
// finish adds them up, the second launch begins before the first has ended, or one block collects
// them as they come (finish.cuh). (And a matrix, row by row: rows.cuh.)
//
// Predict before you run: how many 32-byte sectors does a warp touch in one load, when each thread
// has a stretch of its own, and when all walk together? How many bytes does a warp have in flight?
#include "block_reduce.h" // lesson 05's
#include "cub_sum.h"
#include "overlap.h"
#include "passes.h"

// This thread among all threads of the grid, and how many they are.
static __device__ unsigned grid_rank() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ unsigned grid_size() { return gridDim.x * blockDim.x; }

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
    for (unsigned j = 0; j < k; j++) item[j] = in[i + j * n_threads]; // k loads in flight
    for (unsigned j = 0; j < k; j++) sum += item[j];
  }
  for (; i < n; i += n_threads) sum += in[i]; // up to k - 1 are left
  return sum;
}
//! [unrolled]
//! [vectors]
static __device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

static __device__ float vector_sum(const float *in, unsigned n, unsigned me, unsigned n_threads) {
  // A float4 lies at a multiple of 16 bytes: `head` elements come before the first one.
  const unsigned to_boundary = (unsigned)(-(uintptr_t)in / sizeof *in % 4);
  const unsigned head = to_boundary < n ? to_boundary : n, n_vectors = (n - head) / 4;
  const float4 *vectors = (const float4 *)(in + head);
  float sum = 0.0f;
  float4 item[4];
  unsigned i = me;
  for (; i + 3 * n_threads < n_vectors; i += 4 * n_threads) {
    for (unsigned j = 0; j < 4; j++) item[j] = vectors[i + j * n_threads]; // 64 bytes in flight
    for (unsigned j = 0; j < 4; j++) sum += sum_of(item[j]);
  }
  for (unsigned j = 0; j < 3; j++) // up to three are left: these in flight together as well
    item[j] = i + j * n_threads < n_vectors ? vectors[i + j * n_threads] : float4{0, 0, 0, 0};
  for (unsigned j = 0; j < 3; j++) sum += sum_of(item[j]);
  if (me < head) sum += in[me];                   // up to three before the boundary
  if (me < (n - head) % 4) sum += in[n - 1 - me]; // and up to three at the end
  return sum;
}
//! [vectors]
//! [geometry]
// As many threads as the device holds, but no thread with fewer than 32 elements.
static unsigned grid_for(unsigned n, unsigned block) {
  const unsigned fit = wb_multiprocessors() * (2048 / block), needed = wb_blocks(n, 32 * block);
  return needed < fit ? needed : fit;
}

static void two_passes(wb_block_sum kernel, wb_launch *l) {
  l->grid = grid_for(l->n, l->block);
  kernel<<<l->grid, l->block>>>(l->in, l->scratch, l->n);        // one partial sum per block
  kernel<<<1, l->block>>>(l->scratch, (float *)l->out, l->grid); // and one block for these
}
//! [geometry]

//! [kernels]
extern "C" __global__ void chunked(const float *in, float *out, unsigned n) {
  write_partial(chunk_sum(in, n, grid_rank(), grid_size()), out);
}
extern "C" __global__ void grid_stride(const float *in, float *out, unsigned n) {
  write_partial(strided_sum(in, n, grid_rank(), grid_size()), out);
}
extern "C" __global__ void unroll_4(const float *in, float *out, unsigned n) {
  write_partial(unrolled_sum<4>(in, n, grid_rank(), grid_size()), out);
}
extern "C" __global__ void unroll_8(const float *in, float *out, unsigned n) {
  write_partial(unrolled_sum<8>(in, n, grid_rank(), grid_size()), out);
}
extern "C" __global__ void vectors(const float *in, float *out, unsigned n) {
  write_partial(vector_sum(in, n, grid_rank(), grid_size()), out);
}
//! [kernels]

#include "finish.cuh"
#include "rows.cuh"

static void launch_butterfly(wb_launch *l) { wb_sum_in_passes(butterfly, l, 2 * l->block, 0); }
static void launch_chunked(wb_launch *l) { two_passes(chunked, l); }
static void launch_grid_stride(wb_launch *l) { two_passes(grid_stride, l); }
static void launch_unroll_4(wb_launch *l) { two_passes(unroll_4, l); }
static void launch_unroll_8(wb_launch *l) { two_passes(unroll_8, l); }
static void launch_vectors(wb_launch *l) { two_passes(vectors, l); }

// A thread's chain and ten steps in its block, then the same over the partial sums.
static double depth(unsigned n, unsigned block) {
  const unsigned grid = grid_for(n, block);
  return n / (grid * block) + 1 + 10 + grid / block + 1 + 10;
}

// clang-format off
static const wb_variant variants[] = {
    {.name = "butterfly", .summary = "lesson 05's block_reduce, two elements per thread, in passes",
     .launch = launch_butterfly, .depth = depth},
    {.name = "chunked", .summary = "a stretch of the array for each thread",
     .launch = launch_chunked, .depth = depth},
    {.name = "grid_stride", .summary = "all threads side by side, a grid's width at a time",
     .launch = launch_grid_stride, .depth = depth},
    {.name = "unroll_4", .summary = "four loads in flight", .launch = launch_unroll_4,
     .depth = depth},
    {.name = "unroll_8", .summary = "eight", .launch = launch_unroll_8, .depth = depth},
    {.name = "vectors", .summary = "four loads of 16 bytes", .launch = launch_vectors,
     .depth = depth},
    {.name = "atomic_finish", .summary = "vectors, then one atomicAdd per block",
     .launch = launch_atomic_finish},
    {.name = "last_block", .summary = "vectors; the last block adds up the partial sums",
     .launch = launch_last_block, .depth = depth},
    {.name = "overlapped", .summary = "two passes, the next beginning early; grid and block fit n",
     .launch = launch_overlapped, .depth = fitting_depth},
    {.name = "adaptive", .summary = "the same grids; one block collects posted sums as they come",
     .launch = launch_adaptive, .depth = fitting_depth},
    WB_CUB_SUM
    {.name = "block_rows", .summary = "the sum of each row of 2,048: one block per row",
     .launch = launch_block_rows, .result = WB_RESULT_ROW_SUMS, .group = "rows",
     .depth = row_depth},
    {.name = "warp_rows", .summary = "one warp per row", .launch = launch_warp_rows,
     .result = WB_RESULT_ROW_SUMS, .group = "rows", .depth = row_depth},
};

static const wb_lesson lesson = {
    .name = "06_grid_stride",
    .title = "every thread walks the array, and five ways to finish",
    .taught = "Few blocks walk all data with wide loads.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"sectors/req", "global_load_sectors", "global_load_requests"},
                     {"B in flight", "global_load_bytes", "global_load_groups"}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
