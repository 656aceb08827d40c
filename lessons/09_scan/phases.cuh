// SPDX-License-Identifier: MIT
// From tiles to the whole array, in three phases: scan each tile, scan the tiles' sums, add to each
// tile what stands before it. The same for all four ways to scan a tile.
#ifndef SCAN_PHASES_CUH
#define SCAN_PHASES_CUH

#include "lesson.h"

//! [three_phases]
// Phase 3. Block b works on tile b + 1: there is nothing to add to tile 0.
template <typename T>
static __global__ void add_before(T *out, const T *before, unsigned n, unsigned tile) {
  const unsigned first = (blockIdx.x + 1) * tile, end = n - first < tile ? n : first + tile;
  const T sum = before[blockIdx.x];
  for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x) out[i] += sum;
}

// Phase 1 is the lesson's: it scans each tile of `tile` elements and stores the tile's sum.
template <typename T> using tile_scan = void (*)(const T *in, T *out, T *sums, unsigned n);

// `sums` has room for the sums of the tiles, of the tiles of these sums, and so on. Returns the
// number of tiles. An exclusive scan of the sums is one place off: skip = 1.
template <typename T>
static unsigned scan_in_phases(tile_scan<T> kernel, unsigned tile, unsigned skip, const T *in,
                               T *out, T *sums, unsigned n, unsigned block) {
  const unsigned n_tiles = wb_blocks(n, tile);
  kernel<<<n_tiles, block, (tile + tile / 32) * sizeof(T)>>>(in, out, sums, n);
  if (n_tiles == 1) return 1;
  // Phase 2: the sums are an array like any other, scanned in place.
  scan_in_phases(kernel, tile, skip, sums, sums, sums + n_tiles, n_tiles, block);
  add_before<<<n_tiles - 1, block>>>(out, sums + skip, n, tile);
  return n_tiles;
}
//! [three_phases]

#endif
