// SPDX-License-Identifier: MIT
// plain.cuh - two counters in a word, in one kernel and nothing else: what minimal.cu has, and what
// counters.cuh does for any width.
#ifndef MANY_BINS_PLAIN_CUH
#define MANY_BINS_PLAIN_CUH

//! [plain]
// The counter of bin v overflowed, 65,535 to 0, and `old` is what its word was. The lower one has
// carried 1 into the upper one, which may have overflowed with that.
static __device__ void settle_half(unsigned old, unsigned v, unsigned *bins, unsigned n_bins) {
  atomicAdd(&bins[v], 65536u);
  if (v % 2 == 0 && v + 1 < n_bins) atomicAdd(&bins[v + 1], old >> 16 == 65535 ? 65535u : 0u - 1);
}

// Adds to bins[n_bins] how often each value occurs in in[n]; all values are below n_bins.
extern "C" __global__ void plain_halves(const unsigned *in, unsigned *bins, unsigned n_bins,
                                        unsigned n) {
  extern __shared__ unsigned halves[]; // [(n_bins + 1) / 2]: bin 2 w in the low half of word w
  for (unsigned w = threadIdx.x; w < (n_bins + 1) / 2; w += blockDim.x) halves[w] = 0;
  __syncthreads(); // every counter is 0 before the first sample is counted
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i], shift = v % 2 * 16, old = atomicAdd(&halves[v / 2], 1u << shift);
    if ((old >> shift & 65535) == 65535) settle_half(old, v, bins, n_bins);
  }
  __syncthreads(); // every sample is counted
  for (unsigned v = threadIdx.x; v < n_bins; v += blockDim.x) {
    const unsigned count = halves[v / 2] >> v % 2 * 16 & 65535;
    if (count > 0) atomicAdd(&bins[v], count);
  }
}
//! [plain]

#endif
