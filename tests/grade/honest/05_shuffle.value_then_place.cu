// SPDX-License-Identifier: MIT
// The largest value by a butterfly first, then the least place that holds it by a second one.
#include <cuda_runtime.h>
#include <math.h>

static __device__ void best_of_warp(float *value, unsigned *index) {
  float best = *value;
  for (unsigned s = 16; s > 0; s /= 2) best = fmaxf(best, __shfl_xor_sync(0xffffffff, best, s));
  unsigned place = *value == best ? *index : 0xffffffff;
  for (unsigned s = 16; s > 0; s /= 2) {
    const unsigned other = __shfl_xor_sync(0xffffffff, place, s);
    place = other < place ? other : place;
  }
  *value = best;
  *index = place;
}

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32];
  __shared__ unsigned places[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  unsigned index = i < n && in[i] == value ? i : n; // not of a NaN
  best_of_warp(&value, &index);
  if (lane == 0) {
    values[warp] = value;
    places[warp] = index;
  }
  __syncthreads();
  if (warp > 0) return;
  value = lane < n_warps ? values[lane] : -INFINITY;
  index = lane < n_warps ? places[lane] : n;
  best_of_warp(&value, &index);
  if (lane == 0) {
    maxima[blockIdx.x] = value;
    indices[blockIdx.x] = index;
  }
}
