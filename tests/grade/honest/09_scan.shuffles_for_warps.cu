// SPDX-License-Identifier: MIT
// The warps' numbers are scanned by shuffles in every warp.
#include <cuda_runtime.h>

static __device__ unsigned kept_before(bool keep, unsigned *total) {
  __shared__ unsigned warp_kept[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned kept = __ballot_sync(0xffffffff, keep);
  if (lane == 0) warp_kept[warp] = __popc(kept);
  __syncthreads();
  unsigned sum = lane < blockDim.x / 32 ? warp_kept[lane] : 0;
  for (unsigned s = 1; s < 32; s *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffff, sum, s);
    if (lane >= s) sum += other;
  }
  *total = __shfl_sync(0xffffffff, sum, 31);
  const unsigned before = __shfl_sync(0xffffffff, sum, warp ? warp - 1 : 0);
  return (warp ? before : 0) + __popc(kept & ((1u << lane) - 1));
}

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned total;
  kept_before(i < n && in[i] > t, &total);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool keep = i < n && in[i] > t;
  unsigned total;
  const unsigned place = kept_before(keep, &total) + offsets[blockIdx.x];
  if (keep) out[place] = in[i];
}
