// SPDX-License-Identifier: MIT
// All threads read, and one counts for its block what they have stored.
#include <cuda_runtime.h>

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[256];
  __shared__ unsigned char seen[1024];
  for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) counts[k] = 0;
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned b = blockIdx.x * blockDim.x; b < n; b += step) {
    __syncthreads();
    if (b + threadIdx.x < n) seen[threadIdx.x] = in[b + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
      for (unsigned k = 0; k < blockDim.x && b + k < n; k++) counts[seen[k]]++;
  }
  __syncthreads();
  for (unsigned v = threadIdx.x; v < 256; v += blockDim.x)
    if (counts[v]) atomicAdd(&bins[v], counts[v]);
}
