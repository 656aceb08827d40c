// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

// All lanes of a wave must call its functions together.
template <unsigned lanes> struct wave;

template <> struct wave<32> { // a warp: the hardware has it all
  typedef unsigned mask;      // one bit for each lane
  static __device__ unsigned lane() { return threadIdx.x % 32; }
  static __device__ void sync() { __syncwarp(); }
  static __device__ mask ballot(bool yes) { return __ballot_sync(0xffffffff, yes); }
  template <typename number> static __device__ number down(number value, unsigned distance) {
    return __shfl_down_sync(0xffffffff, value, distance);
  }
};

template <> struct wave<64> { // two warps, its halves
  typedef unsigned long long mask;
  static __device__ unsigned lane() { return threadIdx.x % 64; }

  static __device__ void sync() { // both halves wait
    asm volatile("barrier.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
  }

  static __device__ mask ballot(bool yes) {
    __shared__ unsigned halves[32]; // of the block's waves, two each
    const unsigned half = threadIdx.x / 32, votes = __ballot_sync(0xffffffff, yes);
    if (threadIdx.x % 32 == 0) halves[half] = votes;
    wave::sync(); // both halves have stored
    const mask upper = halves[half | 1], lower = halves[half & ~1u];
    wave::sync(); // and have read: the next call may store
    return upper << 32 | lower;
  }

  template <typename number> static __device__ number down(number value, unsigned distance) {
    __shared__ number values[1024];
    const unsigned me = threadIdx.x;
    values[me] = value;
    number other = value; // wrong: barrier
    if (lane() < 64 - distance) other = values[me + distance];
    wave::sync();
    return other;
  }
};

template <unsigned lanes, typename number> static __device__ number sum_of_wave(number value) {
  unsigned distance = lanes;
  while (distance > 1) {
    distance = distance / 2;
    number other = wave<lanes>::down(value, distance);
    value = value + other;
  }
  return value;
}

template <unsigned lanes>
static __device__ void numbers(const float *in, float *sums, unsigned *counts, unsigned n) {
  __shared__ float wave_sums[1024 / lanes];
  __shared__ unsigned wave_counts[1024 / lanes];
  const unsigned pos = blockIdx.x * blockDim.x + threadIdx.x;
  bool is_number = false;
  float value = 0;
  if (pos < n) {
    is_number = !isnan(in[pos]);
    if (is_number) value = in[pos];
  }
  typename wave<lanes>::mask votes = wave<lanes>::ballot(is_number);
  value = sum_of_wave<lanes>(value);
  if (threadIdx.x % lanes == 0) {
    wave_sums[threadIdx.x / lanes] = value;
    wave_counts[threadIdx.x / lanes] = __popcll(votes);
  }
  __syncthreads();
  if (threadIdx.x < lanes) {
    const bool used = threadIdx.x < blockDim.x / lanes;
    float sum = used ? wave_sums[threadIdx.x] : 0.0f;
    unsigned count = used ? wave_counts[threadIdx.x] : 0;
    sum = sum_of_wave<lanes>(sum);
    count = sum_of_wave<lanes>(count);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
  }
}

extern "C" __global__ void numbers_32(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<32>(in, sums, counts, n);
}
extern "C" __global__ void numbers_64(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<64>(in, sums, counts, n);
}
