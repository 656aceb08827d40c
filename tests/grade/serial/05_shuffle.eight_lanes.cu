// SPDX-License-Identifier: MIT
// Eight lanes of each warp look through four elements each.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32];
  __shared__ unsigned places[32];
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32,
           i = blockIdx.x * blockDim.x + threadIdx.x;
  float b = -INFINITY;
  unsigned w = n;
  if (lane < 8)
    for (unsigned k = 0; k < 4; k++) {
      unsigned at = i - lane + 4 * lane + k;
      if (at < n && (in[at] > b || (in[at] == b && at < w))) b = in[at], w = at;
    }
  for (int s = 4; s; s /= 2) {
    float o = __shfl_down_sync(0xffffffff, b, s);
    unsigned p = __shfl_down_sync(0xffffffff, w, s);
    if (o > b || (o == b && p < w)) b = o, w = p;
  }
  if (lane == 0) values[warp] = b, places[warp] = w;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned k = 1; k < blockDim.x / 32; k++)
      if (values[k] > b || (values[k] == b && places[k] < w)) b = values[k], w = places[k];
    maxima[blockIdx.x] = b;
    indices[blockIdx.x] = w;
  }
}
