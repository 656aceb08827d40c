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
  // BLANK: sixteen equal bytes: one atomic that adds 16. Else one for each byte. The lowest byte
  // BLANK: of a word w is w & 255, the next w >> 8 & 255 …
  const unsigned words[4] = {group.x, group.y, group.z, group.w};
  const unsigned four = (group.x & 255) * 0x01010101u; // the first byte, four times
  if (group.x == four && group.y == four && group.z == four && group.w == four)
    atomicAdd(&mine[(group.x & 255) * COPIES], 16u);
  else
    for (unsigned j = 0; j < 16; j++)
      atomicAdd(&mine[(words[j / 4] >> j % 4 * 8 & 255) * COPIES], 1u);
  // STUB: (void)mine;
  // STUB: (void)group;
  // END BLANK
}

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[BINS * COPIES];
  // BLANK: set all counts to 0, however many threads there are; wait for all
  for (unsigned k = threadIdx.x; k < BINS * COPIES; k += blockDim.x) counts[k] = 0;
  __syncthreads();
  // END BLANK

  // BLANK: the bytes before the first multiple of 16 one by one, then group after group, two loads
  // BLANK: under way (the lesson's `vector` has four), then the bytes after the last whole group
  unsigned *mine = &counts[threadIdx.x % COPIES];
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  const unsigned ahead = (unsigned)(-(size_t)in % 16), head = ahead < n ? ahead : n;
  const uint4 *groups = (const uint4 *)(in + head);
  const unsigned n_groups = (n - head) / 16, done = head + 16 * n_groups;
  unsigned g = first;
  for (; g + step < n_groups; g += 2 * step) {
    const uint4 group = groups[g], another = groups[g + step];
    count_group(mine, group);
    count_group(mine, another);
  }
  if (g < n_groups) count_group(mine, groups[g]);
  if (first < head) atomicAdd(&mine[in[first] * COPIES], 1u);
  if (first < n - done) atomicAdd(&mine[in[done + first] * COPIES], 1u);
  // STUB: (void)count_group;
  // STUB: (void)in;
  // STUB: (void)n;
  // STUB: (void)counts;
  // END BLANK

  // BLANK: when all have counted: add up each value's copies and add the sum to its bin; a sum of
  // BLANK: 0 needs no atomic. (32 threads with 32 values would all read the same bank: begin with
  // BLANK: another copy in each thread.)
  __syncthreads();
  for (unsigned v = threadIdx.x; v < BINS; v += blockDim.x) {
    unsigned count = 0;
    for (unsigned c = 0; c < COPIES; c++) count += counts[v * COPIES + (v + c) % COPIES];
    if (count > 0) atomicAdd(&bins[v], count);
  }
  // STUB: (void)bins;
  // END BLANK
}
