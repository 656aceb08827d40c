// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>
static __device__ void fold(float &v, unsigned &at) {
  for (int d = 16; d > 0; d >>= 1) {
    float ov = __shfl_down_sync(0xffffffffu, v, d);
    unsigned oa = __shfl_down_sync(0xffffffffu, at, d);
    if (ov > v || (ov == v && oa < at)) {
      v = ov;
      at = oa;
    }
  }
}
extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float best[32];
  __shared__ unsigned where[32];
  unsigned tid = threadIdx.x, gid = blockIdx.x * blockDim.x + tid;
  float v = -INFINITY;
  unsigned at = n;
  if (gid < n && in[gid] > v) {
    v = in[gid];
    at = gid;
  }
  fold(v, at);
  if ((tid & 31) == 0) {
    best[tid >> 5] = v;
    where[tid >> 5] = at;
  }
  __syncthreads();
  if (tid < 32) {
    v = best[tid]; // wrong: guard
    at = where[tid];
    fold(v, at);
    if (tid == 0) {
      maxima[blockIdx.x] = v;
      indices[blockIdx.x] = at;
    }
  }
}
