// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

extern __shared__ unsigned words[];

static __device__ bool carried(unsigned old, unsigned base, unsigned k, unsigned *bins,
                               unsigned n_bins) {
  const bool full = (old >> 8 * k & 255) == 255;
  if (base + k < n_bins) atomicAdd(&bins[base + k], full ? 255u : 0xffffffffu);
  return full;
}

static __device__ void settle(unsigned old, unsigned v, unsigned *bins, unsigned n_bins) {
  const unsigned base = v & ~3u;
  atomicAdd(&bins[v], 256u);
  switch (v & 3) {
  case 0:
    if (!carried(old, base, 1, bins, n_bins)) break;
  case 1:
    if (!carried(old, base, 2, bins, n_bins)) break;
  case 2: carried(old, base, 3, bins, n_bins); break;
  default: break;
  }
}

extern "C" __global__ void narrow_bins(const unsigned *in, unsigned *bins, unsigned n_bins,
                                       unsigned n) {
  for (unsigned w = threadIdx.x; w < (n_bins + 3) / 4; w += blockDim.x) words[w] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i], shift = v % 4 * 8, old = atomicAdd(&words[v / 4], 1u << shift);
    if ((old >> shift & 255) == 255) settle(old, v, bins, n_bins);
  }
  __syncthreads();
  for (unsigned v = threadIdx.x; v < n_bins; v += blockDim.x)
    atomicAdd(&bins[v], words[v / 4] >> v % 4 * 8); // wrong: mask
}
