// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

static __device__ void fold(float *values, unsigned count) {
  const unsigned lane = threadIdx.x;
  float mine = values[lane];
  for (unsigned d = count >> 1; d >= 1; d >>= 1) {
    if (lane < d) {
      mine += values[lane + d];
      values[lane] = mine;
    }
    __syncwarp();
  }
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
  __syncthreads();
  for (unsigned d = blockDim.x >> 1; d >= 64; d >>= 1) {
    if (tid < d) { // wrong: barrier
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
