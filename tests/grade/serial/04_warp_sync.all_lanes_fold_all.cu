// SPDX-License-Identifier: MIT
// The tree down to 64 values; then every lane of the first warp adds up all of them for itself.
#include <cuda_runtime.h>

static __device__ float fold(const float *values, unsigned count) {
  float sum = 0;
  for (unsigned k = 0; k < 3; k++) __syncwarp();
  for (unsigned k = 0; k < count; k += 4) {
    const float4 v = *(const float4 *)(values + k);
    sum += v.x + v.y + v.z + v.w;
  }
  return sum;
}

extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float4 groups[];
  float *sum = (float *)groups, *square = sum + blockDim.x;
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
  const unsigned count = blockDim.x > 32 ? 64 : 32;
  const float a = fold(sum, count), b = fold(square, count);
  if (t == 0) {
    sums[blockIdx.x] = a;
    squares[blockIdx.x] = b;
  }
}
