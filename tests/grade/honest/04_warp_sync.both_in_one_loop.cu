// SPDX-License-Identifier: MIT
// Both folds in the same steps, values in registers.
#include <cuda_runtime.h>

extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float values[];
  float *sum = values, *square = values + blockDim.x;
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
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
  if (t >= 32) return;
  float a = sum[t], b = square[t];
  if (blockDim.x > 32) {
    a += sum[t + 32];
    b += square[t + 32];
  }
  for (unsigned s = 16; s > 0; s /= 2) {
    sum[t] = a;
    square[t] = b;
    __syncwarp();
    if (t < s) {
      a += sum[t + s];
      b += square[t + s];
    }
    __syncwarp();
  }
  if (t == 0) {
    sums[blockIdx.x] = a;
    squares[blockIdx.x] = b;
  }
}
