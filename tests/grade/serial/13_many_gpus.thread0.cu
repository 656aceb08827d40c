// SPDX-License-Identifier: MIT
// Thread 0 of block 0 does the whole step.
#include <cuda_runtime.h>

extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  const bool halving = step < levels;
  const unsigned last = halving ? step : 2 * levels - 1 - step;
  const unsigned whose = halving ? rank : rank ^ 1u << last;
  unsigned first = 0, end = n;
  for (unsigned k = 0; k <= last; k++) {
    const unsigned middle = first + (end - first) / 2;
    if (whose >> k & 1) first = middle;
    else end = middle;
  }
  for (unsigned i = first; i < end; i++) mine[i] = halving ? mine[i] + other[i] : other[i];
}
