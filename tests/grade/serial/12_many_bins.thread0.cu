// SPDX-License-Identifier: MIT
// Exercise 12 by one thread of each block: right, and none of the others does anything.
#include <cuda_runtime.h>

extern __shared__ unsigned words[];

extern "C" __global__ void narrow_bins(const unsigned *in, unsigned *bins, unsigned n_bins,
                                       unsigned n) {
  if (threadIdx.x != 0) return;
  for (unsigned w = 0; w < (n_bins + 3) / 4; w++) words[w] = 0;
  for (unsigned first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x)
    for (unsigned i = first; i < n && i < first + blockDim.x; i++) {
      const unsigned v = in[i], shift = v % 4 * 8;
      if ((words[v / 4] >> shift & 255) == 255) {
        atomicAdd(&bins[v], 256u);
        words[v / 4] -= 255u << shift;
      } else {
        words[v / 4] += 1u << shift;
      }
    }
  for (unsigned v = 0; v < n_bins; v++) {
    const unsigned count = words[v / 4] >> v % 4 * 8 & 255;
    if (count > 0) atomicAdd(&bins[v], count);
  }
}
