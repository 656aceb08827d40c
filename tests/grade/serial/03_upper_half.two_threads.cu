// SPDX-License-Identifier: MIT
// One thread looks for the minimum, another one for the maximum.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float v[];
  unsigned t = threadIdx.x, w = blockDim.x, i = blockIdx.x * 2 * w + t;
  v[t] = i < n ? in[i] : NAN;
  v[t + w] = i + w < n ? in[i + w] : NAN;
  __syncthreads();
  if (t == 0) {
    float m = INFINITY;
    for (unsigned k = 0; k < 2 * w; k++) m = fminf(m, v[k]);
    minima[blockIdx.x] = m;
  }
  if (t == w - 1) {
    float m = -INFINITY;
    for (unsigned k = 0; k < 2 * w; k++) m = fmaxf(m, v[k]);
    maxima[blockIdx.x] = m;
  }
}
