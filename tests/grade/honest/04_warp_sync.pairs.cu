// SPDX-License-Identifier: MIT
// Sum and square side by side, as pairs; each thread keeps its own pair in registers.
#include <cuda_runtime.h>

extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float2 pairs[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const float x = i < n ? in[i] : 0.0f;
  float2 own = make_float2(x, x * x);
  pairs[t] = own;
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (s >= 32) __syncthreads();
    else if (t < 32) __syncwarp();
    if (t < s) {
      const float2 other = pairs[t + s];
      own.x += other.x;
      own.y += other.y;
      pairs[t] = own;
    }
    if (s == 32 && t >= 32) return;
  }
  if (t > 0) return;
  sums[blockIdx.x] = own.x;
  squares[blockIdx.x] = own.y;
}
