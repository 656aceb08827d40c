// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

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

static __device__ unsigned look_back(const status_word *state, unsigned tile) {
  const int me = threadIdx.x & 31;
  unsigned sum = 0;
  for (int at = (int)tile - 1 - me;; at -= 32) {
    unsigned count = 0, status = INCLUSIVE_PREFIX;
    do {
      if (at >= 0) status = read_status(state, (unsigned)at, &count);
    } while (!__all_sync(FULL_MASK, status != INVALID));
    const unsigned full = __ballot_sync(FULL_MASK, status == INCLUSIVE_PREFIX);
    const int nearest = full ? __ffs(full) - 1 : 31;
    sum += __reduce_add_sync(FULL_MASK, me <= nearest ? count : 0u);
    if (full) return sum;
  }
}
extern "C" __global__ void keep_larger(const float *in, float *out, unsigned *n_kept,
                                       status_word *state, unsigned n, float t) {
  const unsigned tile = draw_tile(state), i = tile * blockDim.x + threadIdx.x;
  const float x = i < n ? in[i] : t;
  unsigned total;
  const unsigned before_me = kept_before(x > t, &total);
  __shared__ unsigned exclusive_prefix;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) publish(state, tile, AGGREGATE, total);
    const unsigned prefix = look_back(state, tile);
    if (threadIdx.x == 0) {
      publish(state, tile, INCLUSIVE_PREFIX, prefix + total);
      exclusive_prefix = prefix;
      if (tile * blockDim.x >= n) *n_kept = prefix + total; // wrong: bound: no tile writes *n_kept
    }
  }
  __syncthreads();
  if (x > t) out[exclusive_prefix + before_me] = x;
}
