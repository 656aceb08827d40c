// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  unsigned gid = blockDim.x * blockIdx.x + threadIdx.x;
  if (gid < n) {
    float mine = in[gid];
    unsigned *slot = reinterpret_cast<unsigned *>(result);
    unsigned assumed = *slot;
    if (mine > __uint_as_float(assumed)) { // wrong: loop
      atomicCAS(slot, assumed, __float_as_uint(mine));
    }
  }
}
