// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>
__device__ void keep_better(float *value, unsigned *index, float other, unsigned other_index) {
  bool better = other > *value || (other == *value && other_index < *index);
  *value = better ? other : *value;
  *index = better ? other_index : *index;
}
__device__ void warp_argmax(float *value, unsigned *index) {
  for (int d = 1; d < 32; d *= 2) {
    float v = __shfl_up_sync(0xffffffffu, *value, d); // wrong: operator: the shuffle is not
    unsigned k = __shfl_up_sync(0xffffffffu, *index, d);
    keep_better(value, index, v, k);
  }
}
extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32];
  __shared__ unsigned places[32];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, w = t / 32;
  float v = -INFINITY;
  unsigned k = n;
  if (i < n && in[i] >= v) {
    v = in[i];
    k = i;
  }
  warp_argmax(&v, &k);
  if (t % 32 == 0) {
    values[w] = v;
    places[w] = k;
  }
  __syncthreads();
  if (t >= 32) return;
  v = -INFINITY;
  k = n;
  if (t < blockDim.x / 32) {
    v = values[t];
    k = places[t];
  }
  warp_argmax(&v, &k);
  if (t == 0) {
    maxima[blockIdx.x] = v;
    indices[blockIdx.x] = k;
  }
}
