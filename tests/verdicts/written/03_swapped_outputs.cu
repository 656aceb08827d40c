// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float cell[];
  float *upper = cell + blockDim.x;
  const unsigned me = threadIdx.x, at = 2 * blockIdx.x * blockDim.x + me;
  float least = INFINITY, most = -INFINITY;
  for (unsigned k = 0; k < 2; k++)
    if (at + k * blockDim.x < n) {
      const float x = in[at + k * blockDim.x];
      least = fminf(least, x);
      most = fmaxf(most, x);
    }
  cell[me] = least, upper[me] = most;
  unsigned s = blockDim.x;
  do {
    s /= 2;
    __syncthreads();
    if (me < s) {
      least = fminf(least, cell[me + s]), most = fmaxf(most, upper[me + s]);
      cell[me] = least, upper[me] = most;
    }
  } while (s > 1);
  if (me == 0) minima[blockIdx.x] = most, maxima[blockIdx.x] = least; // wrong: index
}
