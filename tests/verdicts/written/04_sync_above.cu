// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
static __device__ void fold(volatile float *values, unsigned count) {
  const unsigned t = threadIdx.x;
  if (count == 64) values[t] += values[t + 32];
  if (t < 16) values[t] += values[t + 16]; // wrong: barrier
  if (t < 8) values[t] += values[t + 8];
  if (t < 4) values[t] += values[t + 4];
  if (t < 2) values[t] += values[t + 2];
  if (t < 1) values[t] += values[t + 1];
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
  if (t >= 32) return;
  fold(sum, blockDim.x >= 64 ? 64 : 32);
  fold(square, blockDim.x >= 64 ? 64 : 32);
  if (t == 0) {
    sums[blockIdx.x] = sum[0];
    squares[blockIdx.x] = square[0];
  }
}
