// SPDX-License-Identifier: MIT
// Lesson 08's kernel for bytes: one table for the block, one byte a thread.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[256];
  for (unsigned v = threadIdx.x; v < 256; v += blockDim.x) counts[v] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[in[i]], 1u);
  __syncthreads();
  for (unsigned v = threadIdx.x; v < 256; v += blockDim.x)
    if (counts[v]) atomicAdd(&bins[v], counts[v]);
}
