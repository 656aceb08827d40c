// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
__device__ unsigned lock = 0;
__device__ void atomic_max_float(float *address, float value) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0u, 1u) == 0u) {
      if (value > *address) *address = value; // wrong: atomic
      lock = 0;
      done = true;
    }
  }
}
extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n) atomic_max_float(result, in[idx]);
}
