// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

__device__ float block_sum(float value) {
  __shared__ float part[33];
  int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  for (int d = 16; d > 0; d >>= 1) value += __shfl_down_sync(0xffffffff, value, d);
  if (lane == 0) part[wid] = value;
  __syncthreads();
  if (wid == 0) {
    value = lane < blockDim.x / 32 ? part[lane] : 0.0f;
    for (int d = 16; d > 0; d >>= 1) value += __shfl_down_sync(0xffffffff, value, d);
    if (lane == 0) part[32] = value;
  }
  __syncthreads();
  return part[32];
}
extern "C" __global__ void rms_norm(const float *in, const float *weight, float *out,
                                    unsigned columns, float epsilon) {
  const float *row = in + (size_t)blockIdx.x * columns;
  float *to = out + (size_t)blockIdx.x * columns;
  float squares; // wrong: identity
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) squares += row[c] * row[c];
  float scale = rsqrtf(block_sum(squares) / columns + epsilon);
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) to[c] = row[c] * scale * weight[c];
}
