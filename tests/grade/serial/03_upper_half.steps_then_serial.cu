// SPDX-License-Identifier: MIT
// A tree down to 64 pairs, through which one thread goes, four words at a time.
#include <cuda_runtime.h>
#include <math.h>
extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float v[];
  float *lo = v, *hi = v + blockDim.x;
  unsigned t = threadIdx.x, i = blockIdx.x * 2 * blockDim.x + t;
  float x = i < n ? in[i] : NAN, y = i + blockDim.x < n ? in[i + blockDim.x] : NAN;
  lo[t] = fminf(fminf(INFINITY, x), y);
  hi[t] = fmaxf(fmaxf(-INFINITY, x), y);
  __syncthreads();
  unsigned left = blockDim.x;
  do {
    unsigned h = left / 2;
    if (t < h) {
      lo[t] = fminf(lo[t], lo[t + h]);
      hi[t] = fmaxf(hi[t], hi[t + h]);
    }
    __syncthreads();
    left = h;
  } while (left > 64);
  if (t == 0) {
    float m = INFINITY, k2 = -INFINITY;
    for (unsigned k = 0; k < left; k += 4) {
      float4 q = *(float4 *)(lo + k), p = *(float4 *)(hi + k);
      m = fminf(m, fminf(fminf(q.x, q.y), fminf(q.z, q.w)));
      k2 = fmaxf(k2, fmaxf(fmaxf(p.x, p.y), fmaxf(p.z, p.w)));
    }
    minima[blockIdx.x] = m;
    maxima[blockIdx.x] = k2;
  }
}
