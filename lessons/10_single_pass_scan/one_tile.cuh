// SPDX-License-Identifier: MIT
// One tile per block, for the first variants of the lesson.
#ifndef SINGLE_PASS_SCAN_ONE_TILE_CUH
#define SINGLE_PASS_SCAN_ONE_TILE_CUH

#include "look_back.cuh"
#include "tile.cuh"

//! [one_tile]
// The first warp finds the exclusive prefix of the tile; without `vectors`, four bytes per access.
template <int ROWS, typename T, T (*look_back)(status_word *, turn, T)>
static __device__ void scan_tile(const T *in, T *out, status_word *tiles, unsigned n, turn my,
                                 bool vectors) {
  __shared__ T warps[WARP_SIZE]; // sums of the warps; then what stands before each
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  four<T> row[ROWS];
  load_tile(row, in, my.tile, n, vectors);
  const T warp_sum = scan_rows(row);
  if (lane == 0) warps[warp] = warp_sum;
  __syncthreads(); // the sum of every warp is there
  if (warp == 0) {
    const share<T> mine = share_of(warps);
    warps[lane] = look_back(tiles, my, mine.sum) + mine.before;
  }
  __syncthreads(); // what stands before every warp is there
  store_tile<ROWS>(row, 1, warps[warp], out, my.tile, n, vectors);
}

// The same for the tile of the ticket that the block draws.
template <int ROWS, typename T, T (*look_back)(status_word *, turn, T)>
static __device__ void draw_and_scan(const T *in, T *out, status_word *state, unsigned n,
                                     bool vectors) {
  __shared__ status_word ticket;
  if (threadIdx.x == 0) ticket = draw(state, tiles_of(n, ROWS, blockDim.x));
  __syncthreads();
  scan_tile<ROWS, T, look_back>(in, out, state + FIRST_TILE, n, turn_of(ticket), vectors);
}
//! [one_tile]

#endif
