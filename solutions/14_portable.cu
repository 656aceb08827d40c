// SPDX-License-Identifier: MIT
// Exercise 14: one block reduction, for waves of 32 lanes and of 64.
//
// in[n] are measurements; a NaN stands for one that is missing. Block b looks at
// in[b * blockDim.x .. (b + 1) * blockDim.x). It writes the sum of the numbers among them to
// sums[b], and how many there are to counts[b].
//
// Two kernels are made from one template: numbers_32 with waves of 32 lanes, which are warps, and
// numbers_64 with waves of 64, which are two warps each. On a GPU with warps of 64 lanes only
// wave<64> would be written anew.
//
// What must hold after a launch of either:
//   - Blocks are whole waves: 32 to 1024 threads for numbers_32, 64 to 960 for numbers_64.
//     They need not be powers of two.
//   - The last block may have fewer elements than threads; n may be 0. A block without
//     numbers gives 0 and 0. Infinities are numbers. The input stays as it is.
//   - The template knows how many lanes there are from `lanes`, and from nothing else.
//   - Each wave adds up its own values first, by wave<lanes>::down, and counts with one ballot. It
//     stores one sum and one count, and the block has one __syncthreads(). No atomics.
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
    // BLANK: store the value, and read that of the other lane. Which two waits does that take?
    values[threadIdx.x] = value;
    wave::sync();
    const number other = values[threadIdx.x + (lane() + distance < 64 ? distance : 0)];
    wave::sync();
    return other;
    // STUB: (void)values;
    // STUB: (void)distance;
    // STUB: return value;
    // END BLANK
  }
};

// The sum over the wave, in lane 0; leftovers in the others.
template <unsigned lanes, typename number> static __device__ number sum_of_wave(number value) {
  // BLANK: fold: how far apart are the lanes of the first step?
  for (unsigned s = lanes / 2; s > 0; s /= 2) value += wave<lanes>::down(value, s);
  return value;
  // STUB: return value;
  // END BLANK
}

template <unsigned lanes>
static __device__ void numbers(const float *in, float *sums, unsigned *counts, unsigned n) {
  __shared__ float wave_sums[1024 / lanes]; // one slot for each wave of the block
  __shared__ unsigned wave_counts[1024 / lanes];
  // BLANK: this thread's element, if there is one; a ballot says in which lanes it is a number
  // BLANK: every wave adds up its own; its lane 0 stores sum and count; wait for all
  // BLANK: the first wave adds up the slots, and thread 0 writes the block's results
  const unsigned lane = wave<lanes>::lane(), which = threadIdx.x / lanes;
  const unsigned n_waves = blockDim.x / lanes;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = i < n ? in[i] : NAN;
  const typename wave<lanes>::mask votes = wave<lanes>::ballot(!isnan(x));
  float sum = sum_of_wave<lanes>(isnan(x) ? 0.0f : x);
  if (lane == 0) {
    wave_sums[which] = sum;
    wave_counts[which] = __popcll(votes);
  }
  __syncthreads();
  if (which > 0) return;
  sum = sum_of_wave<lanes>(lane < n_waves ? wave_sums[lane] : 0.0f);
  const unsigned count = sum_of_wave<lanes>(lane < n_waves ? wave_counts[lane] : 0u);
  if (lane == 0) {
    sums[blockIdx.x] = sum;
    counts[blockIdx.x] = count;
  }
  // STUB: (void)wave_sums;
  // STUB: (void)wave_counts;
  // STUB: (void)sum_of_wave<lanes, float>;
  // STUB: (void)in;
  // STUB: (void)sums;
  // STUB: (void)counts;
  // STUB: (void)n;
  // END BLANK
}

extern "C" __global__ void numbers_32(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<32>(in, sums, counts, n);
}
extern "C" __global__ void numbers_64(const float *in, float *sums, unsigned *counts, unsigned n) {
  numbers<64>(in, sums, counts, n);
}
