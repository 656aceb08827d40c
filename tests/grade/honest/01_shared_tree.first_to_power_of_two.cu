// SPDX-License-Identifier: MIT
// What is beyond the largest power of two is folded in first; then the halves are whole.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float cell[];
  const unsigned me = threadIdx.x, all = blockDim.x, at = blockIdx.x * all + me;
  float mine = -INFINITY;
  if (at < n) mine = fmaxf(mine, in[at]);
  cell[me] = mine;
  __syncthreads();
  unsigned width = 1u << (31 - __clz(all));
  if (me + width < all) cell[me] = fmaxf(cell[me], cell[me + width]);
  __syncthreads();
  while (width >>= 1) {
    if (me < width) {
      const float there = cell[me + width];
      if (there > cell[me]) cell[me] = there;
    }
    __syncthreads();
  }
  if (me == 0) maxima[blockIdx.x] = *cell;
}
