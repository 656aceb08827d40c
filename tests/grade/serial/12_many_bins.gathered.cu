// SPDX-License-Identifier: MIT
// All threads read; one per block counts what they have stored.
#include <cuda_runtime.h>

extern __shared__ unsigned words[];

extern "C" __global__ void narrow_bins(const unsigned *in, unsigned *bins, unsigned n_bins,
                                       unsigned n) {
  __shared__ unsigned seen[1024];
  for (unsigned w = threadIdx.x; w < (n_bins + 3) / 4; w += blockDim.x) words[w] = 0;
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned b = blockIdx.x * blockDim.x; b < n; b += step) {
    __syncthreads();
    if (b + threadIdx.x < n) seen[threadIdx.x] = in[b + threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; threadIdx.x == 0 && k < blockDim.x && b + k < n; k++) {
      const unsigned v = seen[k], shift = v % 4 * 8, old = words[v / 4];
      if ((old >> shift & 255) == 255) {
        words[v / 4] = old & ~(255u << shift);
        atomicAdd(&bins[v], 256u);
      } else if (k % 32 == 0) atomicAdd(&words[v / 4], 1u << shift);
      else words[v / 4] = old + (1u << shift);
    }
  }
  __syncthreads();
  for (unsigned v = threadIdx.x; v < n_bins; v += blockDim.x) {
    const unsigned count = words[v / 4] >> v % 4 * 8 & 255;
    if (count > 0) atomicAdd(&bins[v], count);
  }
}
