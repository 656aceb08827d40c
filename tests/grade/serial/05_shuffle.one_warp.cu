// SPDX-License-Identifier: MIT
// Warp 0 alone; the others shuffle for show.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  unsigned first = blockIdx.x * blockDim.x, index = n, t = threadIdx.x;
  float best = -INFINITY;
  if (t < 32)
    for (unsigned i = first + t; i < n && i < first + blockDim.x; i += 32)
      if (in[i] > best || (in[i] == best && i < index)) best = in[i], index = i;
  for (unsigned s = 16; s > 0; s /= 2) {
    float other = __shfl_down_sync(0xffffffffu, best, s);
    unsigned place = __shfl_down_sync(0xffffffffu, index, s);
    if (other > best || (other == best && place < index)) best = other, index = place;
  }
  if (t) return;
  maxima[blockIdx.x] = best;
  indices[blockIdx.x] = index;
}
