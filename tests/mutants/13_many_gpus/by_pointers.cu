// SPDX-License-Identifier: MIT
// Another form than the solution's: the part's length is halved beside its beginning, and the two
// kinds of steps have a loop each, from the end to the beginning.
#include <cuda_runtime.h>

extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  const bool back = step >= levels;
  const unsigned last = back ? 2 * levels - 1 - step : step;
  unsigned whose = back ? rank ^ (1u << last) : rank, first = 0, count = n;
  for (unsigned k = 0; k <= last; k++, whose /= 2) {
    const unsigned lower = count / 2;
    first += whose % 2 * lower;
    count = whose % 2 ? count - lower : lower;
  }
  const int stride = (int)(gridDim.x * blockDim.x);
  const int me = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  float *to = mine + first;
  const float *from = other + first;
  if (back)
    for (int i = (int)count - 1 - me; i >= 0; i -= stride) to[i] = from[i];
  else
    for (int i = (int)count - 1 - me; i >= 0; i -= stride) to[i] += from[i];
}
