// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

struct wave32 {
  enum { lanes = 32 };
};
template <unsigned lanes> static __device__ void wait() {
  if (lanes == 32) __syncwarp();
  else asm volatile("barrier.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
}
template <unsigned lanes> static __device__ unsigned count_yes(bool yes) {
  __shared__ unsigned halves[32];
  const unsigned votes = __ballot_sync(~0u, yes);
  if (lanes == 32) return __popc(votes);
  if (threadIdx.x % 32 == 0) halves[threadIdx.x / 32] = __popc(votes);
  wait<lanes>();
  const unsigned all = halves[threadIdx.x / 64] + halves[threadIdx.x / 64 + 1]; // wrong: index
  wait<lanes>();
  return all;
}
template <unsigned lanes> static __device__ float fold(float x) {
  __shared__ float there[1024];
  const unsigned lane = threadIdx.x % lanes;
  for (unsigned s = lanes / 2; s > 0; s >>= 1) {
    if (s >= 32) {
      there[threadIdx.x] = x;
      wait<lanes>();
      if (lane < s) x += there[threadIdx.x + s];
      wait<lanes>();
    } else x += __shfl_down_sync(~0u, x, s);
  }
  return x;
}
template <unsigned lanes>
static __device__ void numbers(const float *in, float *sums, unsigned *counts, unsigned n) {
  __shared__ float slot_sum[1024 / lanes];
  __shared__ unsigned slot_count[1024 / lanes];
  const unsigned t = threadIdx.x, which = t / lanes, i = blockIdx.x * blockDim.x + t;
  const float x = i < n ? in[i] : NAN;
  const bool is_number = x == x;
  const unsigned count = count_yes<lanes>(is_number);
  const float sum = fold<lanes>(is_number ? x : 0.0f);
  if (t % lanes == 0) slot_sum[which] = sum, slot_count[which] = count;
  __syncthreads();
  if (which) return;
  const bool has = t < blockDim.x / lanes;
  const float all = fold<lanes>(has ? slot_sum[t] : 0.0f);
  const float numbers = fold<lanes>(has ? (float)slot_count[t] : 0.0f);
  if (t == 0) sums[blockIdx.x] = all, counts[blockIdx.x] = (unsigned)numbers;
}
extern "C" __global__ void numbers_32(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<32>(in, sums, counts, n);
}
extern "C" __global__ void numbers_64(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<64>(in, sums, counts, n);
}
