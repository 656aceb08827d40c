// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float buf[];
  float *lo = buf;
  float *hi = buf + blockDim.x;
  int tid = threadIdx.x;
  int p = blockIdx.x * blockDim.x * 2 + tid;
  int q = p + blockDim.x;
  float mn = INFINITY, mx = -INFINITY;
  if (p < n) mn = fminf(mn, in[p]), mx = fmaxf(mx, in[p]);
  if (q < n) mn = fminf(mn, in[q]), mx = fmaxf(mx, in[q]);
  lo[tid] = mn;
  hi[tid] = mx;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (tid < k) {
      lo[tid] = fminf(lo[tid], lo[tid + k * 2]); // wrong: index
      hi[tid] = fmaxf(hi[tid], hi[tid + k]);
    }
    __syncthreads();
  }
  if (!tid) minima[blockIdx.x] = lo[0], maxima[blockIdx.x] = hi[0];
}
