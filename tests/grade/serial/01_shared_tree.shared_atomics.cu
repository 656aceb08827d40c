// SPDX-License-Identifier: MIT
// All threads change one word in shared memory, one after the other, beside values that are only
// stored.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  __shared__ float best;
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  if (t == 0) best = -INFINITY;
  __syncthreads();
  float x = ((volatile float *)values)[t];
  if (x >= 0) atomicMax((int *)&best, __float_as_int(x));
  else atomicMin((unsigned *)&best, __float_as_uint(x));
  __syncthreads();
  if (t == 0) maxima[blockIdx.x] = best;
}
