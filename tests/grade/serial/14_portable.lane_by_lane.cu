// SPDX-License-Identifier: MIT
// Waves of 32 ask their lanes one after the other; of 64, one lane adds up what all have stored.
#include <cuda_runtime.h>
#include <math.h>

static __device__ void wait64() {
  asm volatile("barrier.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
}
extern "C" __global__ void numbers_32(const float *in, float *sums, unsigned *counts, unsigned n) {
  __shared__ float wave_sums[32];
  __shared__ unsigned wave_counts[32];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const float x = i < n ? in[i] : NAN;
  const unsigned votes = __ballot_sync(0xffffffff, !isnan(x));
  float sum = 0;
  for (unsigned k = 0; k < 32; k++) {
    const float other = __shfl_sync(0xffffffff, x, k);
    if (votes >> k & 1) sum += other;
  }
  if (lane == 0) wave_sums[threadIdx.x / 32] = sum, wave_counts[threadIdx.x / 32] = __popc(votes);
  __syncthreads();
  if (threadIdx.x > 0) return;
  unsigned count = 0;
  sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; w++) sum += wave_sums[w], count += wave_counts[w];
  sums[blockIdx.x] = sum;
  counts[blockIdx.x] = count;
}
extern "C" __global__ void numbers_64(const float *in, float *sums, unsigned *counts, unsigned n) {
  __shared__ float4 stored[256];
  __shared__ float wave_sums[16];
  __shared__ unsigned wave_counts[32];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  const float x = i < n ? in[i] : NAN;
  const unsigned votes = __ballot_sync(0xffffffff, !isnan(x));
  if (t % 32 == 0) wave_counts[t / 32] = __popc(votes);
  ((float *)stored)[t] = isnan(x) ? 0 : x;
  wait64();
  float sum = 0;
  if (t % 64 == 0) {
    for (unsigned k = t / 4; k < t / 4 + 16; k++)
      sum += stored[k].x + stored[k].y + stored[k].z + stored[k].w;
    wave_sums[t / 64] = sum;
  }
  for (unsigned k = 0; k < 4; k++) wait64();
  __syncthreads();
  if (t > 0) return;
  unsigned count = 0;
  sum = 0;
  for (unsigned w = 0; w < blockDim.x / 64; w++)
    sum += wave_sums[w], count += wave_counts[2 * w] + wave_counts[2 * w + 1];
  sums[blockIdx.x] = sum;
  counts[blockIdx.x] = count;
}
