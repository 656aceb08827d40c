// SPDX-License-Identifier: MIT
// Exercise 10: stream compaction in one launch. Keep the elements that are larger than t, in their
// order.
//
// It is exercise 09 again, with one kernel in place of three. Each block takes a tile of blockDim.x
// elements and counts those it keeps. Where they go depends on how many are kept in the tiles
// before; it looks back to learn that. The words they leave are in `state`:
//
//   state[0]             how many tickets were drawn. Ticket k means tile k:
//                        in[k * blockDim.x … (k + 1) * blockDim.x)
//   state[FIRST_TILE + k] tile k's word: a flag and a count, see leave() and look()
//
// A tile's word says NOTHING (0) at first; then COUNT_OF_TILE, how many the tile itself keeps; and
// in the end COUNT_UP_TO_END, how many are kept in it and all tiles before it.
//
// What must hold:
//   - x is kept if x > t. A NaN is not larger than anything.
//   - Blocks of 32, 64, 96 … 1024 threads. The last tile may be partly filled, or empty (n = 0).
//   - The last tile writes *n_kept: how many are kept in all. Nothing else is written but the kept
//     elements and the words.
//   - Blocks start in any order. A launch may have fewer blocks than there are tiles; the next one
//     goes on where it stopped.
//   - A block leaves the count of its tile before it waits for anybody.
//   - 32 words are looked at at once, and no more than it takes.
#include <cuda_runtime.h>

typedef unsigned long long word;
enum { NOTHING, COUNT_OF_TILE, COUNT_UP_TO_END };
enum { FIRST_TILE = 16 };
#define ALL_LANES 0xffffffffu

// Flag and count go into memory together, and come from there together.
static __device__ void leave(word *state, unsigned tile, unsigned flag, unsigned count) {
  *(volatile word *)(state + FIRST_TILE + tile) = (word)flag << 32 | count;
}
// Returns the flag.
static __device__ unsigned look(const word *state, unsigned tile, unsigned *count) {
  const word w = *(const volatile word *)(state + FIRST_TILE + tile);
  *count = (unsigned)w;
  return (unsigned)(w >> 32);
}

// Exercise 09's: how many threads of the block before this one keep theirs; *total: of all.
static __device__ unsigned kept_before(bool keep, unsigned *total) {
  __shared__ unsigned warp_kept[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned kept = __ballot_sync(ALL_LANES, keep);
  if (lane == 0) warp_kept[warp] = (unsigned)__popc(kept);
  __syncthreads();
  unsigned before = (unsigned)__popc(kept & ((1u << lane) - 1));
  *total = 0;
  for (unsigned w = 0; w < blockDim.x / 32; w++) {
    if (w < warp) before += warp_kept[w];
    *total += warp_kept[w];
  }
  return before;
}

// The tile of this block, to all its threads.
static __device__ unsigned draw_tile(word *state) {
  // TODO 1: one thread draws a ticket from state[0], with atomicAdd; all threads return it
  //   (shared memory and a barrier)
  (void)state;
  return 0;
}

// The sum of `count` over the warp, to all lanes.
static __device__ unsigned sum_of_warp(unsigned count) {
  for (unsigned s = 16; s > 0; s /= 2) count += __shfl_xor_sync(ALL_LANES, count, s);
  return count;
}

// How many are kept in all tiles before `tile`. A whole warp calls this.
static __device__ unsigned look_back(const word *state, unsigned tile) {
  // TODO 2: lane k looks at the tile k + 1 before this one; again, until no lane is told NOTHING
  //   add up the counts as far as the nearest COUNT_UP_TO_END, that one included
  //   if there is none among the 32, go on with the 32 tiles before them
  //   (a lane that has no tile to look at, for it would be before tile 0: what is its count?)
  (void)state;
  (void)tile;
  return sum_of_warp(0);
}

extern "C" __global__ void keep_larger(const float *in, float *out, unsigned *n_kept, word *state,
                                       unsigned n, float t) {
  const unsigned tile = draw_tile(state), i = tile * blockDim.x + threadIdx.x;
  const float x = i < n ? in[i] : t;
  unsigned total;
  const unsigned before_me = kept_before(x > t, &total);
  // TODO 3: the first warp leaves the tile's count, looks back, and leaves the count up to its end
  //   all threads learn what it found (shared memory and a barrier), and those who keep their
  //   element write it; the last tile of all, not the last block, writes *n_kept
  (void)before_me;
  (void)look_back;
  (void)leave;
  (void)look;
  (void)out;
  (void)n_kept;
}
