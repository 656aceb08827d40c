// SPDX-License-Identifier: MIT
// Exercise 12: four counters in a word, and no count lost.
//
// A block's shared memory has room for 58,000 counters of 32 bits. Of 8 bits it holds four times as
// many: four in each word of `words`, those of bins 4 w to 4 w + 3 in words[w], the first in the
// lowest 8 bits. Eight bits count to 255, though, and a bin may have millions of samples.
//
//   words[w]      bin 4 w + 3 | bin 4 w + 2 | bin 4 w + 1 | bin 4 w
//   adding 1 to bin 4 w + 1 is adding 0x100 to the word
//
// At 255 the counter goes back to 0, and 1 is carried into its neighbour, which has not been asked.
// But atomicAdd returns the word as it was, so that the thread knows exactly what its own addition
// did, to its own counter and to the others. No other thread can have done that. So it settles the
// difference in global memory at once, and at any moment
//
//   bins[v] + the counter of bin v = the samples counted so far that are v
//
// (if there is one block; and modulo 2^32: for a while a bin may be "-1").
//
// What must hold after the launch of narrow_bins:
//   - bins[v] has grown by the number of samples in in[0 .. n) that are v, for v = 0 … n_bins - 1.
//     What it held before stays counted.
//   - Any number of bins from 1, also 5 or 1,001; any number of blocks; blocks of 32, 64 … 1024
//     threads; n from 0.
//   - Shared memory: (n_bins + 3) / 4 words, and no more. The last of them may have counters that
//     belong to no bin.
//   - Each block adds to each bin at most once at the end; before that only where a counter
//     overflows.
#include <cuda_runtime.h>

extern __shared__ unsigned words[]; // [(n_bins + 3) / 4], four counters each

// The counter of bin v went from 255 to 0, and `old` is what its word was before. Enters in `bins`
// what that did to it and to its neighbours.
static __device__ void settle(unsigned old, unsigned v, unsigned *bins, unsigned n_bins) {
  // BLANK: 256 samples of v are no longer in its counter. Its upper neighbour got one too many,
  // BLANK: and if that was full, too, the one after it, and so on to the upper end of the word,
  // BLANK: where the carry is lost. (-1 is 0xffffffffu. A counter without a bin needs nothing.)
  atomicAdd(&bins[v], 256u);
  for (unsigned k = v % 4 + 1; k < 4; k++) {
    const unsigned neighbour = v / 4 * 4 + k;
    const bool was_full = (old >> 8 * k & 255) == 255; // 255 became 0, and it should be 255
    if (neighbour < n_bins) atomicAdd(&bins[neighbour], was_full ? 255u : 0xffffffffu);
    if (!was_full) return;
  }
  // STUB: (void)old;
  // STUB: (void)v;
  // STUB: (void)bins;
  // STUB: (void)n_bins;
  // END BLANK
}

extern "C" __global__ void narrow_bins(const unsigned *in, unsigned *bins, unsigned n_bins,
                                       unsigned n) {
  // BLANK: set all words to 0, however many there are; wait for all
  for (unsigned w = threadIdx.x; w < (n_bins + 3) / 4; w += blockDim.x) words[w] = 0;
  __syncthreads();
  // END BLANK

  // BLANK: the grid's threads walk over the samples; each adds 1 to the counter of its sample, and
  // BLANK: settles if it was full
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i], shift = v % 4 * 8, old = atomicAdd(&words[v / 4], 1u << shift);
    if ((old >> shift & 255) == 255) settle(old, v, bins, n_bins);
  }
  // STUB: (void)in;
  // STUB: (void)n;
  // STUB: (void)settle;
  // STUB: (void)words;
  // END BLANK

  // BLANK: when all have counted: add each counter that is not 0 to its bin
  __syncthreads();
  for (unsigned v = threadIdx.x; v < n_bins; v += blockDim.x) {
    const unsigned count = words[v / 4] >> v % 4 * 8 & 255;
    if (count > 0) atomicAdd(&bins[v], count);
  }
  // STUB: (void)bins;
  // STUB: (void)n_bins;
  // END BLANK
}
