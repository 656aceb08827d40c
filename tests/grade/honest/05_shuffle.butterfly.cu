// SPDX-License-Identifier: MIT
// A butterfly in place of shuffles downwards; every warp folds the slots.
#include <cuda_runtime.h>
#include <math.h>

static __device__ void fold(float *value, unsigned *index) {
#pragma unroll
  for (unsigned s = 1; s < 32; s *= 2) {
    const float other = __shfl_xor_sync(0xffffffff, *value, s);
    const unsigned place = __shfl_xor_sync(0xffffffff, *index, s);
    if (other > *value || (other == *value && place < *index)) *value = other, *index = place;
  }
}

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32];
  __shared__ unsigned places[32];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float value = -INFINITY;
  unsigned index = n;
  if (i < n && in[i] >= value) value = in[i], index = i;
  fold(&value, &index);
  if (t % 32 == 0) values[t / 32] = value, places[t / 32] = index;
  __syncthreads();
  if (t >= 32) return;
  value = t < blockDim.x / 32 ? values[t] : -INFINITY;
  index = t < blockDim.x / 32 ? places[t] : n;
  fold(&value, &index);
  if (t == 0) maxima[blockIdx.x] = value, indices[blockIdx.x] = index;
}
