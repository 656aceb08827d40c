// SPDX-License-Identifier: MIT
// Warp 0 adds up 32 words at a time; barriers and waits as wanted, with nothing between them.
#include <cuda_runtime.h>

extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float values[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? in[i] : 0.0f;
  for (unsigned s = blockDim.x / 2; s > 32; s /= 2) __syncthreads();
  __syncthreads();
  if (t >= 32) return;
  float sum = 0, square = 0;
  for (unsigned k = t; k < blockDim.x; k += 32) {
    sum += values[k];
    square += values[k] * values[k];
  }
  values[t] = sum;
  values[t + blockDim.x] = square;
  for (unsigned s = 16; s > 0; s /= 2) {
    __syncwarp();
    if (t < s) {
      values[t] += values[t + s];
      values[t + blockDim.x] += values[t + s + blockDim.x];
    }
  }
  if (t == 0) {
    sums[blockIdx.x] = values[0];
    squares[blockIdx.x] = values[blockDim.x];
  }
}
