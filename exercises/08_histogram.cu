// SPDX-License-Identifier: MIT
// Exercise 08: how often does each byte occur?
//
// The lesson counts ints. Where one int was, there are four bytes: a load of sixteen bytes brings
// sixteen samples, and the memory no longer hides the time that the counters take. So let no thread
// queue there:
//
//   - A copy of the counts for each lane of a warp. Copy c of value v is counts[v * COPIES + c]: it
//     lies in bank c, whatever the value, and no two lanes of a warp ever meet (lesson 02). Other
//     warps use the same copies, so that counting takes an atomicAdd all the same.
//   - Text, images and zero-filled files have the same byte many times in a row. Count equal
//     neighbours first, and add their number with one atomic. Whether all of a thread's sixteen
//     bytes are equal is quickly checked.
//
// There is another way, with one byte per lane: a warp calls __match_any_sync(0xffffffffu, value)
// together, and every lane learns which lanes (one bit each) hold the same value as it does. It is
// accepted too. Which of the two is faster? The chapter has the measurement.
//
// What must hold after the launch of byte_histogram:
//   - bins[v] has grown by the number of bytes in in[0 .. n) that are v, for v = 0 … 255. What it
//     held before stays counted: the host puts zeros there, or the counts of another file.
//   - Any number of blocks, also one; blocks of 32, 64, 96 … 1024 threads. n may be 0, or end
//     in the middle of a warp. `in` may have any address; a uint4 must lie at a multiple of 16.
//   - The threads of a block count in `counts`; each block adds to each bin at most once.
//   - Where r neighbouring bytes are equal they take at most r / 8 + 32 atomics.
#include <cuda_runtime.h>

enum { BINS = 256, COPIES = 32 };

// Counts the sixteen bytes of `group` in the copy that `mine` points to: mine[v * COPIES] for v.
static __device__ void count_group(unsigned *mine, uint4 group) {
  // TODO 1: sixteen equal bytes: one atomic that adds 16. Else one for each byte. The lowest byte
  //   of a word w is w & 255, the next w >> 8 & 255 …
  (void)mine;
  (void)group;
}

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[BINS * COPIES];
  // TODO 2: set all counts to 0, however many threads there are; wait for all

  // TODO 3: the bytes before the first multiple of 16 one by one, then group after group, two loads
  //   under way (the lesson's `vector` has four), then the bytes after the last whole group
  (void)count_group;
  (void)in;
  (void)n;
  (void)counts;

  // TODO 4: when all have counted: add up each value's copies and add the sum to its bin; a sum of
  //   0 needs no atomic. (32 threads with 32 values would all read the same bank: begin with
  //   another copy in each thread.)
  (void)bins;
}
