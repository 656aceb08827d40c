// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

__device__ float block_sum(float value) {
  __shared__ float warp_sums[32];
  __shared__ float total;
  const unsigned lane = threadIdx.x & 31u, wid = threadIdx.x >> 5;
  for (unsigned s = 1; s < 32; s *= 2) value += __shfl_down_sync(0xffffffff, value, s);
  if (lane == 0) warp_sums[wid] = value;
  __syncthreads();
  if (wid == 0) {
    float v = 0.0f;
    if (lane < blockDim.x / 32) v = warp_sums[lane];
    for (unsigned s = 1; s < 32; s *= 2) v += __shfl_down_sync(0xffffffff, v, s);
    if (lane == 0) total = v;
  }
  __syncthreads();
  return total;
}

extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  const size_t row = (size_t)blockIdx.x * columns;
  float squares = 0.0f;
  unsigned c = threadIdx.x;
  while (c < columns) {
    const float x = in[row + c];
    squares += x * x;
    c += blockDim.x;
  }
  const float all = block_sum(squares);
  const float scale = 1.0f / (all / columns + epsilon); // wrong: order: the root is missing
  for (c = threadIdx.x; c < columns; c += blockDim.x)
    out[row + c] = in[row + c] * scale * weight[c];
}
