// SPDX-License-Identifier: MIT
// The whole algorithm in one kernel: tickets, aggregates, decoupled look-back. Four elements per
// thread, one load after the other; status words that are reset before each launch.
#ifndef SINGLE_PASS_SCAN_PLAIN_CUH
#define SINGLE_PASS_SCAN_PLAIN_CUH

#include "status.cuh"
#include "tile.cuh" // scan_of_warp
#include "warp.h"   // WARP_SIZE, FULL_MASK

//! [plain]
extern "C" __global__ void plain(const float *in, float *out, status_word *state, unsigned n) {
  __shared__ unsigned tile;
  __shared__ float warps[WARP_SIZE]; // sums of the warps; then what stands before each
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  if (threadIdx.x == 0) tile = (unsigned)atomicAdd(state, 1ull); // the blocks before have begun
  __syncthreads();
  const unsigned first = 4 * (tile * blockDim.x + threadIdx.x);
  float x[4], sum = 0.0f;
  for (unsigned k = 0; k < 4; k++) x[k] = sum += first + k < n ? in[first + k] : 0.0f;
  const float up_to_me = scan_of_warp(sum), left = __shfl_up_sync(FULL_MASK, up_to_me, 1);
  if (lane == WARP_SIZE - 1) warps[warp] = up_to_me;
  __syncthreads(); // the sum of every warp is there
  if (warp == 0) {
    const float sums = scan_of_warp(lane < blockDim.x / WARP_SIZE ? warps[lane] : 0.0f);
    const float aggregate = __shfl_sync(FULL_MASK, sums, WARP_SIZE - 1);
    status_word *const tiles = state + FIRST_TILE;
    publish(&tiles[tile], AGGREGATE, aggregate);
    float prefix = 0.0f, theirs = 0.0f; // exclusive prefix: what stands before the tile
    for (unsigned t = tile, status = INVALID; t > 0 && status != INCLUSIVE_PREFIX; t--) {
      while ((status = read_status(&tiles[t - 1], &theirs)) == INVALID) {}
      prefix = theirs + prefix;
    }
    publish(&tiles[tile], INCLUSIVE_PREFIX, prefix + aggregate);
    const float before = __shfl_up_sync(FULL_MASK, sums, 1);
    warps[lane] = prefix + (lane > 0 ? before : 0.0f);
  }
  __syncthreads(); // what stands before every warp is there
  const float before_me = warps[warp] + (lane > 0 ? left : 0.0f);
  for (unsigned k = 0; k < 4; k++)
    if (first + k < n) out[first + k] = before_me + x[k];
}
//! [plain]

#endif
