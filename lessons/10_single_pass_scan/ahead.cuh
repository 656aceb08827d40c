// SPDX-License-Identifier: MIT
// A pipeline of two tiles per block, for the last variants of the lesson.
#ifndef SINGLE_PASS_SCAN_AHEAD_CUH
#define SINGLE_PASS_SCAN_AHEAD_CUH

#include "look_back.cuh"
#include "tile.cuh"

//! [ahead]
// A block takes tile after tile. While the next one is loaded and scanned and its aggregate
// published, the present one waits in shared memory; when it looks back, the tiles before it have
// had the time to publish.
template <int ROWS, typename T, T (*look_back)(status_word *, turn, T)>
static __device__ void scan_ahead(const T *in, T *out, status_word *state, unsigned n) {
  extern __shared__ float4 rows[]; // [ROWS][blockDim.x]
  __shared__ status_word ticket;
  __shared__ T warps[WARP_SIZE], before_warp[WARP_SIZE], prefix;
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  const unsigned n_tiles = tiles_of(n, ROWS, blockDim.x), n_tickets = n_tiles + gridDim.x;
  status_word *const tiles = state + FIRST_TILE;
  four<T> row[ROWS], *kept = (four<T> *)(rows + threadIdx.x);
  T aggregate = 0; // of the present tile; in the first warp
  if (threadIdx.x == 0) ticket = draw(state, n_tickets);
  __syncthreads();
  for (turn next = turn_of(ticket), my = {n_tiles, 0};; my = next, next = turn_of(ticket)) {
    const bool more = next.tile < n_tiles, waiting = my.tile < n_tiles;
    if (more) { // 1. load and scan the next tile
      load_tile(row, in, next.tile, n, true);
      const T warp_sum = scan_rows(row);
      if (lane == 0) warps[warp] = warp_sum;
    }
    __syncthreads();
    if (warp == 0) { // 2. publish its aggregate, then look back for the present tile
      share<T> next_share = {};
      if (more) next_share = share_of(warps);
      if (more) publish(tiles, next, AGGREGATE, next_share.sum);
      const T found = waiting ? look_back(tiles, my, aggregate) : T(0);
      if (lane == 0) prefix = found;
      before_warp[lane] = next_share.before;
      aggregate = next_share.sum;
    }
    __syncthreads();
    if (more && threadIdx.x == 0) ticket = draw(state, n_tickets);
    // 3. Finish the present tile; the next one takes its place.
    if (waiting) store_tile<ROWS>(kept, blockDim.x, prefix, out, my.tile, n, true);
    if (!more) return;
#pragma unroll
    for (int r = 0; r < ROWS; r++) kept[r * blockDim.x] = plus(row[r], before_warp[warp]);
    __syncthreads();
  }
}
//! [ahead]

#endif
