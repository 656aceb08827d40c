// SPDX-License-Identifier: MIT
/// @file block_reduce.h
/// Lesson 05's block_reduce, kept for the lessons after it. Device code, .cu only.
#ifndef WB_BLOCK_REDUCE_H
#define WB_BLOCK_REDUCE_H

/// The sum over the warp, the same bits in every lane. All 32 lanes must call it.
static __device__ inline float wb_warp_reduce(float value) {
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffffu, value, s);
  return value;
}

/// The sum over the block, to every thread of it. All threads must call it, as often as they like;
/// blockDim.x is a multiple of 32. Two barriers, one word of shared memory for each warp.
static __device__ inline float wb_block_reduce(float value) {
  __shared__ float slots[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  value = wb_warp_reduce(value);
  __syncthreads(); // the slots may still be being read, from the call before
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  return wb_warp_reduce(lane < n_warps ? slots[lane] : 0.0f);
}

#endif
