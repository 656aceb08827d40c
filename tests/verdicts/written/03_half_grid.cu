// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>
extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float lo[];
  float *hi = lo + blockDim.x;
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float a = INFINITY, b = -INFINITY;
  for (unsigned k = i; k < n; k += gridDim.x * blockDim.x) { // wrong: index
    a = fminf(a, in[k]);
    b = fmaxf(b, in[k]);
  }
  lo[t] = a;
  hi[t] = b;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d >= 1; d /= 2) {
    if (t < d) {
      lo[t] = fminf(lo[t], lo[t + d]);
      hi[t] = fmaxf(hi[t], hi[t + d]);
    }
    __syncthreads();
  }
  if (t == 0) minima[blockIdx.x] = lo[0], maxima[blockIdx.x] = hi[0];
}
