// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

__device__ void atomic_max_float(float *address, float value) {
  unsigned *bits = (unsigned *)address;
  unsigned old = *(volatile unsigned *)bits, assumed;
  do {
    assumed = old;
    if (!(value > __uint_as_float(assumed))) return;
    old = atomicExch(bits, __float_as_uint(value)); // wrong: atomic
  } while (old != assumed);
}

extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float x = in[id];
  atomic_max_float(result, x);
}
