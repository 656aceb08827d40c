// SPDX-License-Identifier: MIT
// All threads read and vote; one of each block places what they have stored.
#include <cuda_runtime.h>

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  __shared__ unsigned total;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const unsigned kept = __ballot_sync(0xffffffff, i < n && in[i] > t);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, __popc(kept));
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}
extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  __shared__ float4 groups[256];
  float *seen = (float *)groups;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = i < n ? in[i] : t;
  seen[threadIdx.x] = x;
  __syncthreads();
  if (!__any_sync(0xffffffff, x > t) && threadIdx.x >= 32) return;
  if (threadIdx.x > 0) return;
  unsigned place = offsets[blockIdx.x];
  for (unsigned g = 0; g < blockDim.x / 4; g++) {
    const float4 y = groups[g];
    if (y.x > t) out[place++] = y.x;
    if (y.y > t) out[place++] = y.y;
    if (y.z > t) out[place++] = y.z;
    if (y.w > t) out[place++] = y.w;
  }
}
