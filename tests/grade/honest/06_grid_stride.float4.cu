// SPDX-License-Identifier: MIT
// Four columns at a time where all rows are aligned.
#include <cuda_runtime.h>
static __device__ float warp(float v) {
  for (int m = 1; m < 32; m <<= 1) v += __shfl_xor_sync(~0u, v, m);
  return v;
}
__device__ float block_sum(float v) {
  __shared__ float s[33];
  v = warp(v);
  if (!(threadIdx.x & 31)) s[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = warp(threadIdx.x < blockDim.x >> 5 ? s[threadIdx.x] : 0);
    if (!threadIdx.x) s[32] = v;
  }
  __syncthreads();
  return s[32];
}
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  const float *row = in + (size_t)blockIdx.x * columns;
  float *to = out + (size_t)blockIdx.x * columns, q = 0;
  const bool wide = (((size_t)row | (size_t)to | (size_t)weight) & 15) == 0;
  const unsigned groups = wide ? columns / 4 : 0;
  for (unsigned g = threadIdx.x; g < groups; g += blockDim.x) {
    float4 x = ((const float4 *)row)[g];
    q += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
  }
  for (unsigned c = 4 * groups + threadIdx.x; c < columns; c += blockDim.x) q += row[c] * row[c];
  const float r = 1.0f / sqrtf(block_sum(q) / columns + epsilon);
  for (unsigned g = threadIdx.x; g < groups; g += blockDim.x) {
    float4 x = ((const float4 *)row)[g], w = ((const float4 *)weight)[g];
    ((float4 *)to)[g] = make_float4(x.x * r * w.x, x.y * r * w.y, x.z * r * w.z, x.w * r * w.w);
  }
  for (unsigned c = 4 * groups + threadIdx.x; c < columns; c += blockDim.x)
    to[c] = row[c] * r * weight[c];
}
