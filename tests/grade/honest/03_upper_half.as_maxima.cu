// SPDX-License-Identifier: MIT
// The minimum is the maximum of -x: one fold for two arrays.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float v[];
  const unsigned t = threadIdx.x, w = blockDim.x;
  const unsigned i = blockIdx.x * 2 * w + t;
  float a = -INFINITY, b = -INFINITY;
  for (unsigned k = 0; k < 2; k++)
    if (i + k * w < n) {
      const float x = in[i + k * w];
      a = fmaxf(a, -x);
      b = fmaxf(b, x);
    }
  v[t] = a;
  v[t + w] = b;
  for (unsigned s = w / 2; s > 0; s /= 2) {
    __syncthreads();
    if (t < s)
      for (unsigned k = 0; k <= w; k += w) v[k + t] = fmaxf(v[k + t], v[k + t + s]);
  }
  if (t == 0) {
    minima[blockIdx.x] = -v[0];
    maxima[blockIdx.x] = v[w];
  }
}
