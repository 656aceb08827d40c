// SPDX-License-Identifier: MIT
// Each thread takes a stretch of the samples for itself: neighbours read far apart.
#include <cuda_runtime.h>

extern __shared__ unsigned words[];

extern "C" __global__ void narrow_bins(const unsigned *in, unsigned *bins, unsigned n_bins,
                                       unsigned n) {
  for (unsigned w = threadIdx.x; w < (n_bins + 3) / 4; w += blockDim.x) words[w] = 0;
  __syncthreads();
  const unsigned all = gridDim.x * blockDim.x, each = (n + all - 1) / all;
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (unsigned i = first; i < n && i < first + each; i++) {
    const unsigned v = in[i], shift = v % 4 * 8, old = atomicAdd(&words[v / 4], 1u << shift);
    if ((old >> shift & 255) != 255) continue;
    atomicAdd(&bins[v], 256u);
    for (unsigned k = v % 4 + 1; k < 4; k++) {
      const unsigned neighbour = v / 4 * 4 + k;
      const bool was_full = (old >> 8 * k & 255) == 255;
      if (neighbour < n_bins) atomicAdd(&bins[neighbour], was_full ? 255u : 0xffffffffu);
      if (!was_full) break;
    }
  }
  __syncthreads();
  for (unsigned v = threadIdx.x; v < n_bins; v += blockDim.x) {
    const unsigned count = words[v / 4] >> v % 4 * 8 & 255;
    if (count > 0) atomicAdd(&bins[v], count);
  }
}
