// SPDX-License-Identifier: MIT
// A tree of one or more steps, and one thread reads what is left, four words at a time.
#include <cuda_runtime.h>
#include <math.h>
extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float v[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  v[t] = i < n ? fmaxf(in[i], -INFINITY) : -INFINITY;
  __syncthreads();
  unsigned left = blockDim.x;
  while (left > 128 || left == blockDim.x && left > 1) {
    unsigned h = (left + 1) / 2;
    if (t + h < left) v[t] = fmaxf(v[t], v[t + h]);
    __syncthreads();
    left = h;
  }
  if (t == 0) {
    float m = v[0];
    unsigned k = 0;
    for (; k + 4 <= left; k += 4) {
      float4 q = *(float4 *)(v + k);
      m = fmaxf(m, fmaxf(fmaxf(q.x, q.y), fmaxf(q.z, q.w)));
    }
    for (; k < left; k++) m = fmaxf(m, v[k]);
    maxima[blockIdx.x] = m;
  }
}
