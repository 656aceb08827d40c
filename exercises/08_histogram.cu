// SPDX-License-Identifier: MIT
// Exercise 08: how often does each byte occur, when bytes repeat?
//
// Text, images and zero-filled files have the same byte many times in a row. Counting every byte by
// an atomic of its own then sends a whole warp to one counter. Count equal neighbours first, and
// add their number with one atomic.
//
// There is an instruction for that. A warp calls it together:
//
//   unsigned same = __match_any_sync(0xffffffffu, value);
//
// and every lane learns which lanes (one bit each, lane 0 the lowest) hold the same value as it
// does, itself among them. __popc(same) is their number, __ffs(same) - 1 the lowest of them. (If
// you prefer, let each thread walk over 16 bytes in a row and count how long a byte repeats.)
//
// What must hold after the launch of byte_histogram:
//   - bins[v] has grown by the number of bytes in in[0 .. n) that are v, for v = 0 … 255. What it
//     held before stays counted: whoever launches puts zeros there, or the counts of another file.
//   - Any number of blocks, also one; blocks of 32, 64, 96 … 1024 threads. n may be 0, or end in the
//     middle of a warp. `in` may have any address.
//   - The threads of a block count in `counts`; each block adds to each bin at most once.
//   - Where 32 neighbouring bytes are equal they take at most four atomics.
#include <cuda_runtime.h>

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[256];
  // TODO 1: set all 256 counts to 0, however many threads there are; wait for all

  // TODO 2: warp after warp takes 32 bytes, until there are none left: lanes with the same byte find
  //   each other, and one of them adds their number. Lanes past the end take part all the same
  //   (the match needs the whole warp), but must not be counted.
  (void)in;
  (void)n;
  (void)counts;

  // TODO 3: when all have counted: add the block's counts to the bins; a count of 0 needs no atomic
  (void)bins;
}
