// SPDX-License-Identifier: MIT
// Lesson 07: cooperative groups, from the lanes of a warp to the whole grid.
//
// Question: masks and lane numbers say which threads work together, and hide it. Can code name the
// group? And can a whole grid synchronise, so that one launch is enough?
//
// Idea: a group is a value that knows its threads; functions take it, and its threads can wait.
//   shuffles   lesson 06's unrolled loop in two launches, with lesson 05's block_reduce
//   tiles      the same with thread_block_tile<32>: size, rank and shuffles belong to the group
//   reduce     the same with cg::reduce: the loop is the library's
//   grid_sync  one launch: partial sums, grid.sync(), block 0 adds them up. The barrier waits for
//              *every* block, so all must be on the device at once: a cooperative launch.
//   too_large  one block more than fits: the launch is refused, and the program shows how
//
// Predict before you run: what do the tiles cost? Is one launch with a grid barrier faster than
// two launches without?
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <stdio.h>
#include "block_reduce.h" // lesson 05's
#include "passes.h"       // lesson 06's unrolled loop

namespace cg = cooperative_groups;

// The first three kernels: in[n] to one partial sum per block, out[gridDim.x]; whole warps.
//! [shuffles]
extern "C" __global__ void shuffle_sum(const float *in, float *out, unsigned n) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x, n_threads = gridDim.x * blockDim.x;
  const float sum = wb_block_reduce(wb_unrolled_sum(in, n, me, n_threads));
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
//! [shuffles]

//! [any_group]
template <typename Group> // a block or the whole grid: the loop need not know
static __device__ float share_of_sum(const Group &group, const float *x, unsigned n) {
  return wb_unrolled_sum(x, n, (unsigned)group.thread_rank(), (unsigned)group.size());
}
//! [any_group]

//! [tiles]
typedef cg::thread_block_tile<32> warp_tile;

static __device__ float by_hand(const warp_tile &tile, float value) {
  for (unsigned s = tile.size() / 2; s > 0; s /= 2) value += tile.shfl_xor(value, s);
  return value;
}

template <float (*sum_of_tile)(const warp_tile &tile, float value)>
static __device__ float block_sum(const cg::thread_block &block, float value) {
  __shared__ float slots[32];
  const warp_tile tile = cg::tiled_partition<32>(block);
  const unsigned rank = tile.thread_rank();
  value = sum_of_tile(tile, value);
  block.sync(); // threads may still be reading the slots, from the call before
  if (rank == 0) slots[tile.meta_group_rank()] = value;
  block.sync(); // every slot is written
  return sum_of_tile(tile, rank < tile.meta_group_size() ? slots[rank] : 0.0f);
}

extern "C" __global__ void tile_sum(const float *in, float *out, unsigned n) {
  const cg::thread_block block = cg::this_thread_block();
  const float sum = block_sum<by_hand>(block, share_of_sum(cg::this_grid(), in, n));
  if (block.thread_rank() == 0) out[blockIdx.x] = sum;
}
//! [tiles]

//! [reduce]
static __device__ float by_library(const warp_tile &tile, float value) {
  return cg::reduce(tile, value, cg::plus<float>());
}
//! [reduce]

extern "C" __global__ void reduce_sum(const float *in, float *out, unsigned n) {
  const cg::thread_block block = cg::this_thread_block();
  const float sum = block_sum<by_library>(block, share_of_sum(cg::this_grid(), in, n));
  if (block.thread_rank() == 0) out[blockIdx.x] = sum;
}

//! [grid]
extern "C" __global__ void grid_sum(const float *in, float *partials, float *out, unsigned n) {
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  float sum = block_sum<by_library>(block, share_of_sum(grid, in, n));
  if (block.thread_rank() == 0) partials[blockIdx.x] = sum;
  grid.sync(); // every partial sum is written, and every block can read it
  if (blockIdx.x > 0) return;
  sum = block_sum<by_library>(block, share_of_sum(block, partials, gridDim.x));
  if (block.thread_rank() == 0) *out = sum;
}
//! [grid]

//! [fit]
// Blocks of grid_sum that the device holds at once.
static unsigned blocks_that_fit(unsigned block) {
  static int each = 0; // per multiprocessor; asked once: the query takes as long as a launch
  if (each == 0)
    WB_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, grid_sum, (int)block, 0));
  return wb_multiprocessors() * (unsigned)each;
}

static cudaError_t launch_together(wb_launch *l) {
  void *arguments[] = {&l->in, &l->scratch, &l->out, &l->n};
  return cudaLaunchCooperativeKernel(grid_sum, l->grid, l->block, arguments);
}
//! [fit]

// For all variants: as many blocks as fit, but no thread with fewer than 32 elements.
static unsigned grid_for(unsigned n, unsigned block) {
  const unsigned fit = blocks_that_fit(block), needed = wb_blocks(n, 32 * block);
  return needed < fit ? needed : fit;
}

static void two_passes(wb_block_sum kernel, wb_launch *l) {
  l->grid = grid_for(l->n, l->block);
  kernel<<<l->grid, l->block>>>(l->in, l->scratch, l->n);
  kernel<<<1, l->block>>>(l->scratch, (float *)l->out, l->grid);
}
static void launch_shuffles(wb_launch *l) { two_passes(shuffle_sum, l); }
static void launch_tiles(wb_launch *l) { two_passes(tile_sum, l); }
static void launch_reduce(wb_launch *l) { two_passes(reduce_sum, l); }

static void launch_grid_sync(wb_launch *l) {
  l->grid = grid_for(l->n, l->block);
  WB_OK(launch_together(l));
}

//! [too_large]
static const char *refused_by_device(unsigned, unsigned block) {
  static char reason[160];
  wb_launch l = {.block = block, .grid = blocks_that_fit(block) + 1};
  const cudaError_t error = launch_together(&l);
  cudaGetLastError(); // expected: cleared, so that no later call reports it
  snprintf(reason, sizeof reason, "%u blocks, and %u fit:\n  %s: %s", l.grid, l.grid - 1,
           cudaGetErrorName(error), cudaGetErrorString(error));
  return error == cudaErrorCooperativeLaunchTooLarge ? reason : nullptr;
}
//! [too_large]

// A thread's chain and ten steps in its block, then the same over the partial sums.
static double depth(unsigned n, unsigned block) {
  const unsigned grid = grid_for(n, block);
  return n / (grid * block) + 1 + 10 + grid / block + 1 + 10;
}

// clang-format off
static const wb_variant variants[] = {
    {.name = "shuffles", .summary = "lesson 06's unrolled loop, lesson 05's shuffles, two launches",
     .launch = launch_shuffles, .depth = depth},
    {.name = "tiles", .summary = "the same, with thread_block_tile<32> for the warp",
     .launch = launch_tiles, .depth = depth},
    {.name = "reduce", .summary = "the same, with cg::reduce for the loop",
     .launch = launch_reduce, .depth = depth},
    {.name = "grid_sync", .summary = "one cooperative launch: partial sums, grid.sync(), total",
     .launch = launch_grid_sync, .depth = depth},
    {.name = "too_large", .summary = "one block more than fits: the launch is refused",
     .launch = launch_grid_sync, .refuse = refused_by_device},
};

static const wb_lesson lesson = {
    .name = "07_cooperative_groups",
    .title = "cooperative groups: tiles, and a grid that waits for itself",
    .taught = "A barrier for the whole grid: one launch.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"launches", "launches", nullptr}, {"grid syncs", "grid_syncs", nullptr}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
