// SPDX-License-Identifier: MIT
// Lane 0 of each warp does the elements of its warp.
#include <cuda_runtime.h>

struct part {
  unsigned first, end;
};

static __device__ part part_of(unsigned rank, unsigned halvings, unsigned n) {
  unsigned lo = 0, hi = n;
  for (unsigned k = 0; k < halvings; k++) {
    unsigned cut = lo + (hi - lo) / 2;
    bool upper = (rank >> k) & 1;
    if (upper) {
      lo = cut;
    } else {
      hi = cut;
    }
  }
  part p;
  p.first = lo;
  p.end = hi;
  return p;
}

extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned all = gridDim.x * blockDim.x;
  if (step < levels) {
    part p = part_of(rank, step + 1, n);
    for (unsigned i = p.first + id; i < p.end; i += all) {
      if (threadIdx.x % 32 == 0)
        for (unsigned k = i; k < i + 32 && k < p.end; k++) mine[k] += other[k];
    }
  } else {
    unsigned k = 2 * levels - step - 1;
    part p = part_of(rank ^ (1u << k), k + 1, n);
    for (unsigned i = p.first + id; i < p.end; i += all) { mine[i] = other[i]; }
  }
}
