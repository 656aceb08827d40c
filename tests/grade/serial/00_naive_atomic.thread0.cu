// SPDX-License-Identifier: MIT
// Thread 0 of the grid reads everything.
#include <cuda_runtime.h>

extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  if (blockIdx.x || threadIdx.x) return;
  float best = *result;
  for (unsigned i = 0; i < n; i++)
    if (in[i] > best) best = in[i];
  atomicExch(result, best);
}
