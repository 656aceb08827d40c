// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float values[];
  float *lo = &values[0];
  float *hi = &values[1024]; // wrong: index
  const unsigned tid = threadIdx.x;
  const unsigned begin = 2 * blockIdx.x * blockDim.x;
  float least = INFINITY, most = -INFINITY;
  for (unsigned k = begin + tid; k < begin + 2 * blockDim.x; k += blockDim.x) {
    if (k < n) {
      const float x = in[k];
      least = fminf(least, x);
      most = fmaxf(most, x);
    }
  }
  lo[tid] = least;
  hi[tid] = most;
  __syncthreads();
  for (unsigned step = blockDim.x >> 1; step != 0; step >>= 1) {
    if (tid < step) {
      lo[tid] = least = fminf(least, lo[tid + step]);
      hi[tid] = most = fmaxf(most, hi[tid + step]);
    }
    __syncthreads();
  }
  if (tid == 0) {
    minima[blockIdx.x] = least;
    maxima[blockIdx.x] = most;
  }
}
