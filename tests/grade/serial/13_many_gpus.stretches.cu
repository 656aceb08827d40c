// SPDX-License-Identifier: MIT
// Each thread takes a stretch of its own: neighbours read far apart.
#include <cuda_runtime.h>

extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  const bool halving = step < levels;
  const unsigned last = halving ? step : 2 * levels - 1 - step;
  const unsigned whose = halving ? rank : rank ^ 1u << last;
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  unsigned first = 0, end = n;
  for (unsigned k = 0; k <= last; k++) {
    const unsigned middle = first + (end - first) / 2;
    if (whose >> k & 1) first = middle;
    else end = middle;
  }
  const unsigned each = (end - first + all - 1) / all;
  for (unsigned i = first + me * each; i < end && i < first + (me + 1) * each; i++)
    mine[i] = halving ? mine[i] + other[i] : other[i];
}
