// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

__device__ void atomic_max_float(float *address, float value) {
  int *p = (int *)address;
  int old = *(volatile int *)p;
  do {
    if (!(value > __int_as_float(old))) return;
    int want = old;
    old = atomicCAS(p, want, __float_as_int(value));
    if (old == want) break;
  } while (true);
}

extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  unsigned total = gridDim.x * blockDim.x;
  for (unsigned id = blockDim.x * blockIdx.x + threadIdx.y; id < n; id += total) { // wrong: index
    float x = in[id];
    atomic_max_float(result, x);
  }
}
