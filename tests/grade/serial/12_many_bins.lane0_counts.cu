// SPDX-License-Identifier: MIT
// Each warp counts its samples one after the other.
#include <cuda_runtime.h>

extern __shared__ unsigned words[];

static __device__ void settle(unsigned old, unsigned v, unsigned *bins, unsigned n_bins) {
  atomicAdd(bins + v, 256);
  unsigned place = v % 4;
  while (++place < 4) {
    const unsigned next = v - v % 4 + place;
    const unsigned held = (old >> (8 * place)) & 0xff;
    if (held < 255) {
      if (next < n_bins) atomicAdd(bins + next, (unsigned)-1);
      break;
    }
    if (next < n_bins) atomicAdd(bins + next, 255);
  }
}

extern "C" __global__ void narrow_bins(const unsigned *in, unsigned *bins, unsigned n_bins,
                                       unsigned n) {
  const unsigned n_words = (n_bins + 3) / 4;
  for (unsigned w = threadIdx.x; w < n_words; w += blockDim.x) { words[w] = 0; }
  __syncthreads();
  const unsigned all = gridDim.x * blockDim.x;
  for (unsigned id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += all) {
    unsigned sample = in[id];
    const unsigned active = __activemask();
    for (unsigned left = active; left != 0; left &= left - 1) {
      sample = __shfl_sync(active, in[id], __ffs(left) - 1);
      if (threadIdx.x % 32 != __ffs(active) - 1) continue;
      const unsigned place = 8 * (sample & 3);
      const unsigned old = atomicAdd(words + sample / 4, 1u << place);
      if (((old >> place) & 0xff) == 0xff) { settle(old, sample, bins, n_bins); }
    }
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < n_bins; b += blockDim.x) {
    const unsigned held = (words[b / 4] >> (8 * (b % 4))) & 0xff;
    if (held) atomicAdd(bins + b, held);
  }
}
