// SPDX-License-Identifier: MIT
// Waits as wanted; four lanes add up what is left, lane 0 their sums.
#include <cuda_runtime.h>

static __device__ void fold(float *values, unsigned count) {
  const unsigned lane = threadIdx.x;
  float mine = 0;
  for (unsigned k = 0; k < 6; k++) __syncwarp();
  if (lane < 4)
    for (unsigned k = lane; k < count; k += 4) mine += values[k];
  __syncwarp();
  if (lane < 4) values[lane] = mine;
  __syncwarp();
  if (lane == 0) values[0] += values[1] + values[2] + values[3];
}

extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float values[];
  float *sum = values, *square = values + blockDim.x;
  const unsigned tid = threadIdx.x;
  const unsigned pos = blockIdx.x * blockDim.x + tid;
  float x = 0.0f;
  if (pos < n) x = in[pos];
  sum[tid] = x;
  square[tid] = x * x;
  for (unsigned d = blockDim.x >> 1; d >= 64; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      sum[tid] += sum[tid + d];
      square[tid] += square[tid + d];
    }
  }
  __syncthreads();
  if (tid < 32) {
    const unsigned left = min(blockDim.x, 64);
    fold(sum, left);
    fold(square, left);
    if (tid == 0) {
      sums[blockIdx.x] = sum[0];
      squares[blockIdx.x] = square[0];
    }
  }
}
