// SPDX-License-Identifier: MIT
// In the last warp all lanes stay in the fold, around a ring: what the upper ones hold is not used.
#include <cuda_runtime.h>

extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float values[];
  float *sum = values, *square = values + blockDim.x;
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float a = i < n ? in[i] : 0.0f, b = a * a;
  sum[t] = a;
  square[t] = b;
  for (unsigned s = blockDim.x / 2; s >= 32; s /= 2) {
    __syncthreads();
    if (t < s) {
      sum[t] = a += sum[t + s];
      square[t] = b += square[t + s];
    }
  }
  if (t >= 32) return;
  for (unsigned s = 16; s > 0; s /= 2) {
    __syncwarp();
    const float c = sum[t ^ s], d = square[t ^ s];
    __syncwarp();
    sum[t] = a += c;
    square[t] = b += d;
  }
  if (t == 0) {
    sums[blockIdx.x] = a;
    squares[blockIdx.x] = b;
  }
}
