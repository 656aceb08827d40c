// SPDX-License-Identifier: MIT
// Exercise 10: stream compaction in one launch. Keep the elements that are larger than t, in their
// order.
//
// It is exercise 09 again, with one kernel in place of three. Each block takes a tile of blockDim.x
// elements and counts those it keeps. Where they go depends on how many are kept in the tiles
// before; it looks back to learn that. What the tiles publish is in `state`:
//
//   state[0]              how many tickets were drawn. Ticket k means tile k:
//                         in[k * blockDim.x … (k + 1) * blockDim.x)
//   state[FIRST_TILE + k] the status word of tile k: a status and a count, see publish() and
//                         read_status()
//
// A status is INVALID (0) at first; then AGGREGATE: the count is how many elements the tile itself
// keeps; and in the end INCLUSIVE_PREFIX: how many are kept in it and all tiles before it.
//
// What must hold:
//   - x is kept if x > t. A NaN is not larger than anything.
//   - Blocks of 32, 64, 96 … 1024 threads. The last tile may be partly filled, or empty (n = 0).
//   - The last tile writes *n_kept: how many are kept in all. Nothing else is written but the kept
//     elements and the status words.
//   - Blocks start in any order. A launch may have fewer blocks than there are tiles; the next one
//     goes on where it stopped.
//   - A block publishes the aggregate of its tile before it waits for another block.
//   - 32 status words are read at once, and no more than are needed.
#include <cuda_runtime.h>

typedef unsigned long long status_word;
enum { INVALID, AGGREGATE, INCLUSIVE_PREFIX };
enum { FIRST_TILE = 16 };
static const unsigned FULL_MASK = 0xffffffff; // all lanes of a warp, one bit each

// Status and count are stored together and loaded together: they are one word.
static __device__ void publish(status_word *state, unsigned tile, unsigned status, unsigned count) {
  *(volatile status_word *)(state + FIRST_TILE + tile) = (status_word)status << 32 | count;
}
// Returns the status.
static __device__ unsigned read_status(const status_word *state, unsigned tile, unsigned *count) {
  const status_word w = *(const volatile status_word *)(state + FIRST_TILE + tile);
  *count = (unsigned)w;
  return (unsigned)(w >> 32);
}

// Exercise 09's: how many threads of the block before this one keep their element. *total: how many
// of the whole block.
static __device__ unsigned kept_before(bool keep, unsigned *total) {
  __shared__ unsigned warp_kept[32]; // [warps]
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned kept = __ballot_sync(FULL_MASK, keep);
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

// Returns the tile of this block, to all its threads.
static __device__ unsigned draw_tile(status_word *state) {
  // BLANK: one thread draws a ticket from state[0], with atomicAdd; all threads return it
  // BLANK: (shared memory and a barrier)
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = (unsigned)atomicAdd(state, 1ull);
  __syncthreads();
  return ticket;
  // STUB: (void)state;
  // STUB: return 0;
  // END BLANK
}

// The sum of `count` over the warp, to all lanes.
static __device__ unsigned sum_of_warp(unsigned count) {
  for (unsigned s = 16; s > 0; s /= 2) count += __shfl_xor_sync(FULL_MASK, count, s);
  return count;
}

// The exclusive prefix of `tile`: how many are kept in all tiles before it. A whole warp calls
// this.
static __device__ unsigned look_back(const status_word *state, unsigned tile) {
  // BLANK: lane k reads the word of the tile k + 1 before this one; again, until none is INVALID
  // BLANK: add up the counts as far as the nearest INCLUSIVE_PREFIX, that one included
  // BLANK: if there is none among the 32, go on with the 32 tiles before them
  // BLANK: (a lane whose tile would be before tile 0: what are its status and its count?)
  const unsigned lane = threadIdx.x % 32;
  for (unsigned prefix = 0;; tile -= 32) {
    unsigned status, count = 0;
    do {
      status = lane < tile ? read_status(state, tile - 1 - lane, &count) : INCLUSIVE_PREFIX;
    } while (__any_sync(FULL_MASK, status == INVALID));
    const unsigned with_prefix = __ballot_sync(FULL_MASK, status == INCLUSIVE_PREFIX);
    const unsigned lanes_below = (1u << lane) - 1;
    prefix += sum_of_warp((with_prefix & lanes_below) == 0 ? count : 0);
    if (with_prefix != 0) return prefix;
  }
  // STUB: (void)state;
  // STUB: (void)tile;
  // STUB: return sum_of_warp(0);
  // END BLANK
}

extern "C" __global__ void keep_larger(const float *in, float *out, unsigned *n_kept,
                                       status_word *state, unsigned n, float t) {
  const unsigned tile = draw_tile(state), i = tile * blockDim.x + threadIdx.x;
  const float x = i < n ? in[i] : t;
  unsigned total;
  const unsigned before_me = kept_before(x > t, &total);
  // BLANK: the first warp publishes the aggregate, looks back, and publishes the inclusive prefix
  // BLANK: all threads get the exclusive prefix (shared memory and a barrier), and those that keep
  // BLANK: their element write it; the last tile of all, not the last block, writes *n_kept
  __shared__ unsigned exclusive_prefix;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) publish(state, tile, AGGREGATE, total);
    const unsigned prefix = look_back(state, tile);
    if (threadIdx.x == 0) {
      publish(state, tile, INCLUSIVE_PREFIX, prefix + total);
      exclusive_prefix = prefix;
      if ((tile + 1) * blockDim.x >= n) *n_kept = prefix + total;
    }
  }
  __syncthreads();
  if (x > t) out[exclusive_prefix + before_me] = x;
  // STUB: (void)before_me;
  // STUB: (void)look_back;
  // STUB: (void)publish;
  // STUB: (void)read_status;
  // STUB: (void)out;
  // STUB: (void)n_kept;
  // END BLANK
}
