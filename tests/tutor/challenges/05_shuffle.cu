// SPDX-License-Identifier: MIT
// Exercise 05 with its challenge met: shuffles for the value, one vote for the lane that holds it.
#include <cuda_runtime.h>
#include <math.h>

// To be called by all 32 lanes: the largest of their values, to all of them.
static __device__ float warp_max(float value) {
  for (unsigned s = 16; s > 0; s /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, s));
  return value;
}

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32]; // one slot per warp
  __shared__ unsigned places[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float mine = i < n ? in[i] : NAN;
  float largest = warp_max(fmaxf(-INFINITY, mine));
  unsigned holders = __ballot_sync(~0u, mine == largest); // a NaN equals nothing
  if (lane == 0) {
    values[warp] = largest;
    places[warp] = holders ? i + (unsigned)__ffs((int)holders) - 1 : n;
  }
  __syncthreads();
  if (warp > 0) return;
  const float value = lane < n_warps ? values[lane] : -INFINITY;
  const unsigned place = lane < n_warps ? places[lane] : n;
  largest = warp_max(value);
  holders = __ballot_sync(~0u, place < n && value == largest);
  if (lane == (holders ? (unsigned)__ffs((int)holders) - 1 : 0)) {
    maxima[blockIdx.x] = largest;
    indices[blockIdx.x] = holders ? place : n;
  }
}
