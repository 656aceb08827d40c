// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  bool reducing = step < levels;
  unsigned bit = reducing ? step : step - levels; // wrong: index: undone from the last to the first
  unsigned whose = rank;
  if (!reducing) whose = rank ^ (1 << bit);
  unsigned begin = 0;
  unsigned end = n;
  for (unsigned k = 0; k <= bit; k++) {
    unsigned half = begin + (end - begin) / 2;
    if (whose & (1 << k)) {
      begin = half;
    } else {
      end = half;
    }
  }
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned threads = blockDim.x * gridDim.x;
  for (unsigned i = begin + tid; i < end; i += threads) {
    float theirs = other[i];
    if (reducing) theirs += mine[i];
    mine[i] = theirs;
  }
}
