// SPDX-License-Identifier: MIT
// Steps for show; lane 0 of each wave adds up what all have stored.
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

  // The value of the lane `distance` places further on; the own value where there is none.
  template <typename number> static __device__ number down(number value, unsigned distance) {
    __shared__ number values[1024]; // one for each thread of the block
    values[threadIdx.x] = value;
    wave::sync();
    number there = value;
    if (lane() + distance < 64) { there = values[threadIdx.x + distance]; }
    wave::sync();
    return there;
  }
};

template <unsigned lanes, typename number> static __device__ number sum_of_wave(number value) {
  unsigned distance = lanes;
  while (distance > 1) {
    distance /= 2;
    value += wave<lanes>::down(value, distance);
  }
  return value;
}

template <unsigned lanes>
static __device__ void numbers(const float *in, float *sums, unsigned *counts, unsigned n) {
  __shared__ float wave_sums[1024 / lanes];
  __shared__ unsigned wave_counts[1024 / lanes];
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned me = wave<lanes>::lane();
  unsigned group = threadIdx.x / lanes;
  float x = 0.0f;
  bool is_number = false;
  if (id < n) {
    x = in[id];
    is_number = !isnan(x);
    if (!is_number) x = 0.0f;
  }
  unsigned votes = __popcll(wave<lanes>::ballot(is_number));
  __shared__ float all[1024];
  all[threadIdx.x] = x;
  wave<lanes>::sync();
  float total = x;
  for (unsigned k = 1; k < 7; k++) x = wave<lanes>::down(x, k);
  if (me == 0)
    for (unsigned k = 1; k < lanes; k++) total += all[threadIdx.x + k];
  if (me == 0) {
    wave_sums[group] = total;
    wave_counts[group] = votes;
  }
  __syncthreads();
  if (group == 0) {
    unsigned slots = blockDim.x / lanes;
    total = sum_of_wave<lanes>(me < slots ? wave_sums[me] : 0.0f);
    votes = sum_of_wave<lanes>(me < slots ? wave_counts[me] : 0u);
    if (me == 0) {
      sums[blockIdx.x] = total;
      counts[blockIdx.x] = votes;
    }
  }
}

extern "C" __global__ void numbers_32(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<32>(in, sums, counts, n);
}
extern "C" __global__ void numbers_64(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<64>(in, sums, counts, n);
}
