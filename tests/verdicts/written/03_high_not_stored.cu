// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float both[];
  float *mn = both;
  float *mx = &both[blockDim.x];
  const unsigned me = threadIdx.x;
  const unsigned begin = 2 * blockDim.x * blockIdx.x;
  float lo = INFINITY, hi = -INFINITY;
  for (unsigned k = begin + me; k < begin + 2 * blockDim.x; k += blockDim.x) {
    if (k >= n) break;
    lo = fminf(lo, in[k]);
    hi = fmaxf(hi, in[k]);
  }
  mn[me] = lo;
  __syncthreads(); // wrong: order: no thread of the block had written there by then
  for (unsigned w = blockDim.x >> 1; w >= 1; w >>= 1) {
    if (me < w) {
      mn[me] = fminf(mn[me], mn[me + w]);
      mx[me] = fmaxf(mx[me], mx[me + w]);
    }
    __syncthreads();
  }
  if (me == 0) {
    minima[blockIdx.x] = mn[0];
    maxima[blockIdx.x] = mx[0];
  }
}
