// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

static const unsigned FULL_MASK = 0xffffffff;

static __device__ unsigned kept_before(bool keep, unsigned *total) {
  __shared__ unsigned per_warp[32];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5, warps = blockDim.x >> 5;
  unsigned votes = __ballot_sync(FULL_MASK, keep);
  if (lane == 31) per_warp[w] = __popc(votes);
  __syncthreads();
  unsigned ahead = 0, sum = 0;
  for (int k = 0; k < warps; k++) {
    if (k == w) ahead = sum;
    sum += per_warp[k];
  }
  *total = sum;
  return ahead + __popc(votes & ~(FULL_MASK << lane));
}

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  unsigned k = blockIdx.x * blockDim.x + threadIdx.x, sum;
  bool keep = false;
  if (k < n) keep = in[k] > t;
  kept_before(keep, &sum);
  if (threadIdx.x == 0) counts[blockIdx.x] = sum;
}

extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  unsigned k = blockIdx.x * blockDim.x + threadIdx.x, sum;
  bool keep = false;
  if (k < n) keep = in[k] >= t; // wrong: operator: elements that equal t
  unsigned to = kept_before(keep, &sum);
  if (keep) out[offsets[blockIdx.x] + to] = in[k];
}
