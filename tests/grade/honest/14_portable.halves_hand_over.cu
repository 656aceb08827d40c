// SPDX-License-Identifier: MIT
// In a wave of 64 only the first step goes through shared memory; the rest stays in its halves.
#include <cuda_runtime.h>
#include <math.h>

template <unsigned lanes, typename number> static __device__ number fold(number value) {
  __shared__ number upper[1024];
  if (lanes == 64) {
    upper[threadIdx.x] = value;
    asm volatile("barrier.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
    value += upper[threadIdx.x ^ 32];
    asm volatile("barrier.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
  }
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xffffffff, value, s);
  return value;
}
template <unsigned lanes>
static __device__ void numbers(const float *in, float *sums, unsigned *counts, unsigned n) {
  __shared__ float wave_sums[1024 / lanes];
  __shared__ unsigned wave_counts[1024 / lanes], votes[32];
  const unsigned t = threadIdx.x, lane = t % lanes, which = t / lanes,
                 i = blockIdx.x * blockDim.x + t;
  const float x = i < n ? in[i] : NAN;
  const unsigned vote = __ballot_sync(0xffffffff, !isnan(x));
  if (t % 32 == 0) votes[t / 32] = vote;
  float sum = fold<lanes>(isnan(x) ? 0.0f : x);
  if (lane == 0) {
    wave_sums[which] = sum;
    wave_counts[which] = __popc(vote) + (lanes == 64 ? __popc(votes[t / 32 + 1]) : 0);
  }
  __syncthreads();
  if (t >= lanes) return;
  const unsigned n_waves = blockDim.x / lanes;
  sum = fold<lanes>(lane < n_waves ? wave_sums[lane] : 0.0f);
  const unsigned count = fold<lanes>(lane < n_waves ? wave_counts[lane] : 0u);
  if (t == 0) sums[blockIdx.x] = sum, counts[blockIdx.x] = count;
}
extern "C" __global__ void numbers_32(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<32>(in, sums, counts, n);
}
extern "C" __global__ void numbers_64(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<64>(in, sums, counts, n);
}
