// SPDX-License-Identifier: MIT
/// @file block_reduce.h
/// Lesson 05's block_reduce, kept for the lessons after it (a test holds that it is the same text).
/// Device code, .cu only.
#ifndef WB_BLOCK_REDUCE_H
#define WB_BLOCK_REDUCE_H

#include "warp.h"

/// The sum over the warp, the same bits in every lane. All 32 lanes must call it.
static __device__ inline float wb_warp_reduce(float value) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) value += __shfl_xor_sync(FULL_MASK, value, s);
  return value;
}

/// The sum over the block, to every thread of it. All threads must call it, as often as they like;
/// blockDim.x is a multiple of 32. Two barriers, one word of shared memory for each warp.
static __device__ inline float wb_block_reduce(float value) {
  __shared__ float slots[WARP_SIZE]; // one per warp: a block has at most 32
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  value = wb_warp_reduce(value);
  __syncthreads(); // threads may still be reading the slots, from the call before
  if (lane == 0) slots[warp] = value;
  __syncthreads(); // every slot is written
  return wb_warp_reduce(lane < blockDim.x / WARP_SIZE ? slots[lane] : 0.0f);
}

#endif
