// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
typedef unsigned long long status_word;
enum { INVALID, AGGREGATE, INCLUSIVE_PREFIX };
enum { FIRST_TILE = 16 };
static const unsigned FULL_MASK = 0xffffffff;
static __device__ void publish(status_word *state, unsigned tile, unsigned status, unsigned count) {
  *(volatile status_word *)(state + FIRST_TILE + tile) = (status_word)status << 32 | count;
}
static __device__ unsigned read_status(const status_word *state, unsigned tile, unsigned *count) {
  const status_word w = *(const volatile status_word *)(state + FIRST_TILE + tile);
  *count = (unsigned)w;
  return (unsigned)(w >> 32);
}
static __device__ unsigned kept_before(bool keep, unsigned *total) {
  __shared__ unsigned warp_kept[32];
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
static __device__ unsigned sum_of_warp(unsigned count) {
  for (unsigned s = 16; s > 0; s /= 2) count += __shfl_xor_sync(FULL_MASK, count, s);
  return count;
}
static __device__ unsigned draw_tile(status_word *state) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) mine = (unsigned)atomicAdd(&state[0], 1ull);
  __syncthreads();
  return mine;
}
static __device__ unsigned look_back(const status_word *state, unsigned tile) {
  int at = (int)tile - 1 - (int)(threadIdx.x & 31);
  unsigned found = 0;
  while (true) {
    unsigned what = INCLUSIVE_PREFIX, c = 0;
    if (at >= 0) {
      do what = read_status(state, at, &c);
      while (what == INVALID);
    }
    unsigned done = __ballot_sync(FULL_MASK, what == INCLUSIVE_PREFIX);
    unsigned last = done ? __ffs(done) : 31; // wrong: index
    found += sum_of_warp((threadIdx.x & 31) <= last ? c : 0);
    if (done) return found;
    at -= 32;
  }
}
extern "C" __global__ void keep_larger(const float *in, float *out, unsigned *n_kept,
                                       status_word *state, unsigned n, float t) {
  unsigned tile = draw_tile(state), i = tile * blockDim.x + threadIdx.x;
  bool keep = i < n && in[i] > t;
  unsigned total;
  unsigned rank = kept_before(keep, &total);
  __shared__ unsigned start;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) publish(state, tile, AGGREGATE, total);
    unsigned before = look_back(state, tile);
    if (threadIdx.x == 0) {
      start = before;
      publish(state, tile, INCLUSIVE_PREFIX, before + total);
      if (i + blockDim.x >= n) *n_kept = before + total;
    }
  }
  __syncthreads();
  if (keep) out[start + rank] = in[i];
}
