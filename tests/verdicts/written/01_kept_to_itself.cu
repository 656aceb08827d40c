// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>
extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  const unsigned tid = threadIdx.x;
  const unsigned gid = blockIdx.x * blockDim.x + tid;
  float mine = -INFINITY;
  if (gid < n) mine = fmaxf(mine, in[gid]);
  values[tid] = mine;
  unsigned m = blockDim.x;
  while (m > 1) {
    __syncthreads();
    const unsigned h = (m + 1) / 2;
    if (tid < m - h) {
      mine = fmaxf(mine, values[tid + h]); // wrong: order
    }
    m = h;
  }
  if (tid == 0) maxima[blockIdx.x] = mine;
}
