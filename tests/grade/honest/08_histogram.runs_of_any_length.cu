// SPDX-License-Identifier: MIT
// Copies for each lane, in rows; runs of any length counted while walking over the sixteen bytes.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned table[256][32];
  for (unsigned k = threadIdx.x; k < 8192; k += blockDim.x) table[k >> 5][k & 31] = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x & 31, me = blockIdx.x * blockDim.x + threadIdx.x,
                 step = gridDim.x * blockDim.x;
  for (unsigned g = me; g * 16 < n; g += step) {
    unsigned was = in[g * 16], run = 0, end = g * 16 + 16 < n ? g * 16 + 16 : n;
    for (unsigned i = g * 16; i < end; i++) {
      const unsigned v = in[i];
      if (v == was) {
        run++;
        continue;
      }
      atomicAdd(&table[was][lane], run);
      was = v, run = 1;
    }
    atomicAdd(&table[was][lane], run);
  }
  __syncthreads();
  for (unsigned v = threadIdx.x; v < 256; v += blockDim.x) {
    unsigned sum = 0;
    for (unsigned c = 0; c < 32; c++) sum += table[v][(c + v) & 31];
    if (sum) atomicAdd(bins + v, sum);
  }
}
