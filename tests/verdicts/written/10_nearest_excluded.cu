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

static __device__ unsigned draw_tile(status_word *state) {
  __shared__ unsigned drawn;
  if (!threadIdx.x) drawn = (unsigned)atomicAdd(&state[0], 1ull);
  __syncthreads();
  return drawn;
}

static __device__ unsigned sum_of_warp(unsigned count) {
  for (int d = 1; d < 32; d *= 2) count += __shfl_xor_sync(FULL_MASK, count, d);
  return count;
}

static __device__ unsigned look_back(const status_word *state, unsigned tile) {
  int lane = threadIdx.x & 31;
  int at = (int)tile - 1 - lane;
  unsigned found = 0;
  while (true) {
    unsigned status = INCLUSIVE_PREFIX;
    unsigned count = 0;
    do {
      if (at >= 0) status = read_status(state, at, &count);
    } while (__ballot_sync(FULL_MASK, status == INVALID) != 0);
    unsigned ends = __ballot_sync(FULL_MASK, status == INCLUSIVE_PREFIX);
    int nearest = ends ? __ffs(ends) - 1 : 32;
    unsigned mine = lane < nearest ? count : 0; // wrong: bound: nearest INCLUSIVE_PREFIX is missing
    found += sum_of_warp(mine);
    if (nearest < 32) break;
    at -= 32;
  }
  return found;
}

extern "C" __global__ void keep_larger(const float *in, float *out, unsigned *n_kept,
                                       status_word *state, unsigned n, float t) {
  __shared__ unsigned offset;
  unsigned tile = draw_tile(state);
  unsigned pos = tile * blockDim.x + threadIdx.x;
  bool keep = pos < n && in[pos] > t;
  unsigned total;
  unsigned rank = kept_before(keep, &total);
  if (threadIdx.x == 0) publish(state, tile, AGGREGATE, total);
  if (threadIdx.x < 32) {
    unsigned ahead = look_back(state, tile);
    if (threadIdx.x == 0) {
      offset = ahead;
      publish(state, tile, INCLUSIVE_PREFIX, ahead + total);
      bool is_last = (tile + 1) * blockDim.x >= n;
      if (is_last) *n_kept = ahead + total;
    }
  }
  __syncthreads();
  if (keep) out[offset + rank] = in[pos];
}
