// SPDX-License-Identifier: MIT
// Warp 0 of each block does it all, 32 elements at a time.
#include <cuda_runtime.h>

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  unsigned first = blockIdx.x * blockDim.x, kept = 0;
  if (threadIdx.x >= 32) return;
  for (unsigned k = threadIdx.x; k < blockDim.x; k += 32)
    kept += __popc(__ballot_sync(0xffffffffu, first + k < n && in[first + k] > t));
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  unsigned first = blockIdx.x * blockDim.x, place = offsets[blockIdx.x];
  if (threadIdx.x >= 32) return;
  for (unsigned k = threadIdx.x; k < blockDim.x; k += 32) {
    float x = first + k < n ? in[first + k] : t;
    unsigned kept = __ballot_sync(0xffffffffu, x > t);
    if (x > t) out[place + __popc(kept & ((1u << threadIdx.x) - 1))] = x;
    place += __popc(kept);
  }
}
