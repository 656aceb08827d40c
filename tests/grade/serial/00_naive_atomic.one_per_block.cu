// SPDX-License-Identifier: MIT
// Thread 0 of each block reads the block's part.
#include <cuda_runtime.h>

extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  if (threadIdx.x) return;
  unsigned first = blockIdx.x * blockDim.x;
  float best = -INFINITY;
  for (unsigned i = first; i < n && i < first + blockDim.x; i++) best = fmaxf(best, in[i]);
  unsigned *word = (unsigned *)result, seen = *(volatile unsigned *)word;
  while (best > __uint_as_float(seen)) {
    unsigned before = atomicCAS(word, seen, __float_as_uint(best));
    if (before == seen) break;
    seen = before;
  }
}
