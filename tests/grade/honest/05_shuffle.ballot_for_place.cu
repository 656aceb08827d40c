// SPDX-License-Identifier: MIT
// The largest value by a butterfly; a vote finds the first lane that has it.
#include <cuda_runtime.h>
#include <math.h>

static __device__ void best(float *value, unsigned *index) {
  float top = *value;
  for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  const unsigned who = __ballot_sync(0xffffffffu, *value == top);
  *index = __shfl_sync(0xffffffffu, *index, __ffs(who) - 1);
  *value = top;
}
extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32];
  __shared__ unsigned places[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = -INFINITY;
  unsigned index = n;
  if (i < n && in[i] >= value) value = in[i], index = i;
  best(&value, &index);
  if (lane == 0) values[warp] = value, places[warp] = index;
  __syncthreads();
  if (warp > 0) return;
  value = lane < n_warps ? values[lane] : -INFINITY;
  index = lane < n_warps ? places[lane] : n;
  best(&value, &index);
  if (lane == 0) maxima[blockIdx.x] = value, indices[blockIdx.x] = index;
}
