// SPDX-License-Identifier: MIT
// A pipeline of two tiles a block: what the last variants of the lesson do with their blocks.
#ifndef SINGLE_PASS_SCAN_AHEAD_CUH
#define SINGLE_PASS_SCAN_AHEAD_CUH

#include "look_back.cuh"
#include "tile.cuh"

//! [ahead]
// A block takes tile after tile. While the next is fetched, scanned and announced, the present one
// is kept in shared memory; when it looks back, those before it have had the time to leave word.
template <int ROWS, typename T, T (*sum_before)(word *, turn, T)>
static __device__ void scan_ahead(const T *in, T *out, word *state, unsigned n) {
  extern __shared__ float4 rows[]; // [ROWS][blockDim.x]
  __shared__ word ticket;
  __shared__ T warps[32], before_warp[32], before_tile;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned n_tiles = tiles_of(n, ROWS, blockDim.x), n_tickets = n_tiles + gridDim.x;
  word *const tiles = state + FIRST_TILE;
  four<T> row[ROWS], *kept = (four<T> *)(rows + threadIdx.x);
  T sum = 0; // of the present tile; in the first warp
  if (threadIdx.x == 0) ticket = draw(state, n_tickets);
  __syncthreads();
  for (turn next = turn_of(ticket), my = {n_tiles, 0};; my = next, next = turn_of(ticket)) {
    const bool more = next.tile < n_tiles, waiting = my.tile < n_tiles;
    if (more) {
      load_tile(row, in, next.tile, n, true);
      const T warp_sum = scan_rows(row);
      if (lane == 0) warps[warp] = warp_sum;
    }
    __syncthreads();
    if (warp == 0) {
      share<T> next_share = {};
      if (more) next_share = share_of(warps);
      if (more) leave(tiles, next, SUM_OF_TILE, next_share.sum);
      const T found = waiting ? sum_before(tiles, my, sum) : T(0);
      if (lane == 0) before_tile = found;
      before_warp[lane] = next_share.before;
      sum = next_share.sum;
    }
    __syncthreads();
    if (more && threadIdx.x == 0) ticket = draw(state, n_tickets);
    if (waiting) store_tile<ROWS>(kept, blockDim.x, before_tile, out, my.tile, n, true);
    if (!more) return;
#pragma unroll
    for (int r = 0; r < ROWS; r++) kept[r * blockDim.x] = plus(row[r], before_warp[warp]);
    __syncthreads();
  }
}
//! [ahead]

#endif
