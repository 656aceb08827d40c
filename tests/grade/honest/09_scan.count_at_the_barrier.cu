// SPDX-License-Identifier: MIT
// The barrier itself counts for count_kept: it adds up what all warps vote.
#include <cuda_runtime.h>

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int total = __syncthreads_count(i < n && in[i] > t);
  if (threadIdx.x == 0) counts[blockIdx.x] = (unsigned)total;
}
extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  __shared__ unsigned of_warp[32];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const float x = i < n ? in[i] : t;
  const unsigned kept = __ballot_sync(0xffffffff, x > t);
  if (lane == 0) of_warp[threadIdx.x / 32] = __popc(kept);
  __syncthreads();
  unsigned place = offsets[blockIdx.x] + __popc(kept & ((1u << lane) - 1));
  for (unsigned w = 0; w < threadIdx.x / 32; w++) place += of_warp[w];
  if (x > t) out[place] = x;
}
