// SPDX-License-Identifier: MIT
// Exercise 09: stream compaction. Keep the elements that are larger than t, in their order.
//
// An element goes behind all kept elements that stand before it. How many those are is an exclusive
// scan of zeros and ones. It takes three launches, as in the lesson, and the middle one is done for
// you:
//
//   count_kept   block b counts how many of in[b * blockDim.x .. (b + 1) * blockDim.x) are kept
//   (scan)       offsets[b] = counts[0] + … + counts[b - 1]
//   write_kept   block b writes those it keeps to out[offsets[b]], out[offsets[b] + 1] …
//
// Inside a warp the scan of zeros and ones is one instruction. All 32 lanes call it together:
//
//   unsigned kept = __ballot_sync(FULL_MASK, keep);
//
// Bit k of `kept` says whether lane k keeps its element. __popc(word) is the number of ones in it.
//
// What must hold:
//   - x is kept if x > t. A NaN is not larger than anything.
//   - Blocks of 32, 64, 96 … 1024 threads. The last block may be partly filled; n may be 0.
//   - Nothing is written to `out` but the kept elements; `in` stays as it is.
//   - At most three barriers per block in each kernel, and no atomics: they keep no order.
#include <cuda_runtime.h>

static const unsigned FULL_MASK = 0xffffffff; // all lanes of a warp, one bit each

// For the threads of a block together: how many threads before this one keep their element.
// *total: how many of the whole block.
static __device__ unsigned kept_before(bool keep, unsigned *total) {
  __shared__ unsigned warp_kept[32]; // [warps]
  // TODO 1: let the warp vote: how many lanes below this one keep theirs, how many in all?
  //   one lane of each warp stores the warp's number in warp_kept; wait for all
  //   add the numbers of the warps before this one; *total is the sum of all
  (void)keep;
  (void)warp_kept;
  *total = 0;
  return 0;
}

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  // TODO 2: does this thread have an element, and is it kept? One thread writes the block's total.
  unsigned total;
  kept_before(false, &total);
  (void)in;
  (void)counts;
  (void)n;
  (void)t;
}

extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  // TODO 3: the same question again; a thread that keeps its element writes it to its place
  (void)in;
  (void)offsets;
  (void)out;
  (void)n;
  (void)t;
}
