// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
__device__ float block_sum(float v) {
  __shared__ float part[32];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  float s = 0.0f;
  for (int k = 0; k < blockDim.x / 32; k++) s += part[k];
  return s;
}
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  const float *row = in + (size_t)blockIdx.x * columns;
  float *dst = out + (size_t)blockIdx.x * columns;
  float q = 0.0f;
  const float4 *row4 = (const float4 *)row;
  for (unsigned c = threadIdx.x; c < columns / 4; c += blockDim.x) {
    float4 x = row4[c]; // wrong: index
    q += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
  }
  for (unsigned c = columns / 4 * 4 + threadIdx.x; c < columns; c += blockDim.x)
    q += row[c] * row[c];
  float r = rsqrtf(block_sum(q) / columns + epsilon);
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) dst[c] = row[c] * r * weight[c];
}
