// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

static __device__ void fold(float *values, unsigned count) {
  unsigned lane = threadIdx.x & 31;
  for (int d = count / 2; d; d >>= 1) {
    if (lane < d) values[lane] += values[lane + d];
    __syncwarp();
  }
}

extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float values[];
  float *sum = values, *square = values + blockDim.x;
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  const float x = i < n ? in[i] : 0.0f;
  sum[t] = x;
  square[t] = x * x;
  for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
    __syncthreads();
    if (t < s) {
      sum[t] += sum[t + s];
      square[t] += square[t + s];
    }
  }
  __syncthreads();
  if (t < 32) {
    unsigned count = min(blockDim.x, 32); // wrong: constant
    fold(sum, count);
    fold(square, count);
  }
  if (t == 0) {
    sums[blockIdx.x] = sum[0];
    squares[blockIdx.x] = square[0];
  }
}
