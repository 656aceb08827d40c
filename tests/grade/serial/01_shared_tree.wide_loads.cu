// SPDX-License-Identifier: MIT
// A tree whose result is thrown away, beside one thread that reads everything, four elements at
// once.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  unsigned t = threadIdx.x, first = blockIdx.x * blockDim.x, i = first + t;
  values[t] = i < n ? in[i] : -INFINITY;
  __syncthreads();
  for (unsigned left = blockDim.x; left > 1;) {
    unsigned half = (left + 1) / 2;
    if (t + half < left) values[t] = fmaxf(values[t], values[t + half]);
    __syncthreads();
    left = half;
  }
  if (t) return;
  float best = -INFINITY;
  unsigned end = n - first < blockDim.x ? n : first + blockDim.x;
  if (first >= n) end = first;
  unsigned k = first;
  for (; k < end && ((size_t)(in + k) & 15); k++) best = fmaxf(best, in[k]);
  for (; k + 4 <= end; k += 4) {
    float4 v = *(const float4 *)(in + k);
    best = fmaxf(best, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  for (; k < end; k++) best = fmaxf(best, in[k]);
  maxima[blockIdx.x] = best;
}
