// SPDX-License-Identifier: MIT
// Waves add up as they should; lane 0 counts its wave's votes one after the other.
#include <cuda_runtime.h>
#include <math.h>

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
    const number other = values[threadIdx.x + (lane() + distance < 64 ? distance : 0)];
    wave::sync();
    return other;
  }
};

// The sum over the wave, in lane 0; leftovers in the others.
template <unsigned lanes, typename number> static __device__ number sum_of_wave(number value) {
  for (unsigned s = lanes / 2; s > 0; s /= 2) value += wave<lanes>::down(value, s);
  return value;
}

template <unsigned lanes>
static __device__ void numbers(const float *in, float *sums, unsigned *counts, unsigned n) {
  __shared__ float wave_sums[1024 / lanes];
  __shared__ unsigned wave_counts[1024 / lanes];
  const unsigned lane = wave<lanes>::lane(), which = threadIdx.x / lanes;
  const unsigned n_waves = blockDim.x / lanes;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = i < n ? in[i] : NAN;
  const typename wave<lanes>::mask votes = wave<lanes>::ballot(!isnan(x));
  float sum = sum_of_wave<lanes>(isnan(x) ? 0.0f : x);
  if (lane == 0) {
    unsigned count = 0;
    for (unsigned k = 0; k < lanes; k++) count += votes >> k & 1;
    wave_sums[which] = sum;
    wave_counts[which] = count;
  }
  __syncthreads();
  if (which > 0) return;
  sum = sum_of_wave<lanes>(lane < n_waves ? wave_sums[lane] : 0.0f);
  const unsigned count = sum_of_wave<lanes>(lane < n_waves ? wave_counts[lane] : 0u);
  if (lane == 0) {
    sums[blockIdx.x] = sum;
    counts[blockIdx.x] = count;
  }
}
extern "C" __global__ void numbers_32(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<32>(in, sums, counts, n);
}
extern "C" __global__ void numbers_64(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<64>(in, sums, counts, n);
}
