// SPDX-License-Identifier: MIT
// Exercise 09 with its challenge met: a barrier that counts, so that count_kept needs no shared
// memory.
#include <cuda_runtime.h>

static const unsigned FULL_MASK = 0xffffffff; // all lanes of a warp, one bit each

// For the threads of a block together: how many threads before this one keep their element.
// *total: how many of the whole block.
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

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned total = (unsigned)__syncthreads_count(i < n && in[i] > t);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = i < n ? in[i] : t;
  unsigned total;
  const unsigned place = offsets[blockIdx.x] + kept_before(x > t, &total);
  if (x > t) out[place] = x;
}
