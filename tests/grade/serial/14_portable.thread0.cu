// SPDX-License-Identifier: MIT
// One thread does the work of the block, whatever the size of a wave.
#include <cuda_runtime.h>
#include <math.h>

static __device__ void alone(const float *in, float *sums, unsigned *counts, unsigned n) {
  if (threadIdx.x > 0) return;
  float sum = 0.0f;
  unsigned count = 0;
  for (unsigned i = blockIdx.x * blockDim.x; i < n && i < (blockIdx.x + 1) * blockDim.x; i++)
    if (!isnan(in[i])) sum += in[i], count++;
  sums[blockIdx.x] = sum;
  counts[blockIdx.x] = count;
}
extern "C" __global__ void numbers_32(const float *in, float *sums, unsigned *counts, unsigned n) {
  alone(in, sums, counts, n);
}
extern "C" __global__ void numbers_64(const float *in, float *sums, unsigned *counts, unsigned n) {
  alone(in, sums, counts, n);
}
