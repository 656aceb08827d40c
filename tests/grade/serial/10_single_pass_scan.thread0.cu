// SPDX-License-Identifier: MIT
// Thread 0 counts and writes its tile.
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

// Returns the tile of this block, to all its threads.
static __device__ unsigned draw_tile(status_word *state) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = (unsigned)atomicAdd(state, 1ull);
  __syncthreads();
  return ticket;
}

// The sum of `count` over the warp, to all lanes.
static __device__ unsigned sum_of_warp(unsigned count) {
  for (unsigned s = 16; s > 0; s /= 2) count += __shfl_xor_sync(FULL_MASK, count, s);
  return count;
}

// The exclusive prefix of `tile`: how many are kept in all tiles before it. A whole warp calls
// this.
static __device__ unsigned look_back(const status_word *state, unsigned tile) {
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
}

extern "C" __global__ void keep_larger(const float *in, float *out, unsigned *n_kept,
                                       status_word *state, unsigned n, float t) {
  const unsigned tile = draw_tile(state), first = tile * blockDim.x;
  unsigned total = 0;
  if (threadIdx.x == 0)
    for (unsigned i = first; i < n && i < first + blockDim.x; i++) total += in[i] > t;
  if (threadIdx.x >= 32) return;
  if (threadIdx.x == 0) publish(state, tile, AGGREGATE, total);
  const unsigned prefix = look_back(state, tile);
  if (threadIdx.x) return;
  publish(state, tile, INCLUSIVE_PREFIX, prefix + total);
  if (first + blockDim.x >= n) *n_kept = prefix + total;
  unsigned place = prefix;
  for (unsigned i = first; i < n && i < first + blockDim.x; i++)
    if (in[i] > t) out[place++] = in[i];
}
