// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

template <unsigned s> static __device__ void steps(volatile float *values, float mine) {
  if (threadIdx.x < s)
    values[threadIdx.x] = mine + values[threadIdx.x + s]; // wrong: order: keeps its old value
  __syncwarp();
  if constexpr (s > 1) steps<s / 2>(values, mine);
}
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
  if (blockDim.x > 32) {
    __syncthreads();
    if (t >= 32) return;
    steps<32>(sum, sum[t]);
    steps<32>(square, square[t]);
  } else {
    __syncwarp();
    steps<16>(sum, sum[t]);
    steps<16>(square, square[t]);
  }
  if (t > 0) return;
  sums[blockIdx.x] = *sum;
  squares[blockIdx.x] = *square;
}
