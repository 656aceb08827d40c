// SPDX-License-Identifier: MIT
// What the lesson improves on: lesson 09's three phases, with this lesson's tile.
#ifndef SINGLE_PASS_SCAN_PHASES_CUH
#define SINGLE_PASS_SCAN_PHASES_CUH

#include "one_tile.cuh" // scan_tile

// In place of looking back: stores the aggregate. What stands before the tile is added in phase 3.
template <typename T> static __device__ T store_aggregate(status_word *sums, turn my, T aggregate) {
  if (threadIdx.x == 0) ((T *)sums)[my.tile] = aggregate;
  return T(0);
}

extern "C" __global__ void tile_sums(const float *in, float *out, float *sums, unsigned n) {
  scan_tile<ROWS, float, store_aggregate>(in, out, (status_word *)sums, n, turn{blockIdx.x, 0},
                                          false);
}

// Lesson 09's, unchanged. Block b works on tile b + 1: there is nothing to add to tile 0.
template <typename T>
static __global__ void add_before(T *out, const T *before, unsigned n, unsigned tile) {
  const unsigned first = (blockIdx.x + 1) * tile, end = n - first < tile ? n : first + tile;
  const T sum = before[blockIdx.x];
  for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x) out[i] += sum;
}

static unsigned phases(const float *in, float *out, float *sums, unsigned n, unsigned block) {
  const unsigned n_tiles = tiles_of(n, ROWS, block);
  tile_sums<<<n_tiles, block>>>(in, out, sums, n); // 1: each tile
  if (n_tiles == 1) return 1;
  phases(sums, sums, sums + n_tiles, n_tiles, block); // 2: the sums, in place
  add_before<<<n_tiles - 1, block>>>(out, sums, n, tile_elements(ROWS, block)); // 3
  return n_tiles;
}

static void launch_phases(wb_launch *l) {
  l->grid = phases(l->in, (float *)l->out, l->scratch, l->n, l->block);
}

static double phases_depth(unsigned n, unsigned block) {
  return wb_depth_scan(n, tile_elements(ROWS, block), 15 + ROWS);
}

#endif
