// SPDX-License-Identifier: MIT
// What AMD's compiler makes of two things that lesson 14 tells of, and its kernels do not have: a
// block that the compiler knows to be one wave, and the bits of a ballot.
#include <hip/hip_runtime.h>

// 64 threads: one wave of 64 lanes, or two of 32.
__global__ void __launch_bounds__(64) block_of_64(const float *in, float *out) {
  __shared__ float tile[64];
  const unsigned t = threadIdx.x;
  tile[t] = in[64 * blockIdx.x + t];
  for (unsigned s = 32; s > 0; s /= 2) {
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

__global__ void count_positive(const float *in, unsigned *out) {
  const unsigned long long votes = __ballot(in[blockIdx.x * blockDim.x + threadIdx.x] > 0.0f);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, (unsigned)__popcll(votes));
}
