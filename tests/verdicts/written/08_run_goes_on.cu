// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[256];
  for (unsigned v = threadIdx.x; v < 256; v += blockDim.x) counts[v] = 0;
  __syncthreads();

  for (unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * 16; first < n;
       first += gridDim.x * blockDim.x * 16) {
    const unsigned end = n - first < 16 ? n : first + 16;
    unsigned run = 0;
    for (unsigned i = first; i < end; i++) {
      run++;
      if (i + 1 < end && in[i + 1] == in[i]) continue;
      atomicAdd(&counts[in[i]], run);
    } // wrong: order
  }

  __syncthreads();
  for (unsigned v = threadIdx.x; v < 256; v += blockDim.x)
    if (counts[v] > 0) atomicAdd(&bins[v], counts[v]);
}
