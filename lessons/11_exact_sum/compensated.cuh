// SPDX-License-Identifier: MIT
// compensated.cuh - sums of floats that are nearly right: the plain one, and two that keep what
// each addition loses. All are added up in the same order: a thread's elements, a block's threads
// by a butterfly, the blocks' sums by one block. Another block or grid is another order.
#ifndef EXACT_SUM_COMPENSATED_CUH
#define EXACT_SUM_COMPENSATED_CUH

#include "lesson.h"
#include "warp.h"

//! [two_sum]
// sum = a + b, rounded; the result is what the rounding lost: a + b = sum + error, exactly.
static __device__ float two_sum(float a, float b, float *sum) {
  const float s = a + b, of_b = s - a, of_a = s - of_b;
  *sum = s;
  return (a - of_a) + (b - of_b);
}
//! [two_sum]

//! [kinds]
struct plain_sum { // second stays 0
  float first, second;
  __device__ void add(float x) { first += x; }
  __device__ void join(plain_sum other) { first += other.first; }
};
struct neumaier_sum { // the sum, and all that was lost, added up by itself
  float first, second;
  __device__ void add(float x) { second += two_sum(first, x, &first); }
  __device__ void join(neumaier_sum other) { add(other.first), second += other.second; }
};
struct pair_sum { // a number of 48 bits as two floats: the second is smaller than the first's ulp
  float first, second;
  __device__ void add(float x) {
    const float lost = two_sum(first, x, &first) + second;
    second = two_sum(first, lost, &first);
  }
  __device__ void join(pair_sum other) { add(other.first), add(other.second); }
};
//! [kinds]

template <typename kind> static __device__ kind joined_by_block(kind mine) {
  __shared__ float firsts[WARP_SIZE], seconds[WARP_SIZE];
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  for (unsigned level = 0; level < 2; level++) {
    for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) {
      const kind other = {__shfl_down_sync(FULL_MASK, mine.first, s),
                          __shfl_down_sync(FULL_MASK, mine.second, s)};
      if (lane + s < WARP_SIZE) mine.join(other);
    }
    if (level == 1) break;
    if (lane == 0) firsts[warp] = mine.first, seconds[warp] = mine.second;
    __syncthreads();
    const bool there = lane < blockDim.x / WARP_SIZE;
    mine = {there ? firsts[lane] : 0.0f, there ? seconds[lane] : 0.0f};
  }
  return mine;
}

template <typename kind>
static __global__ void sum_blocks(const float *in, float2 *partials, unsigned n) {
  kind mine = {0.0f, 0.0f};
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine.add(in[i]);
  mine = joined_by_block(mine);
  if (threadIdx.x == 0) partials[blockIdx.x] = {mine.first, mine.second};
}
template <typename kind>
static __global__ void sum_partials(const float2 *partials, float *out, unsigned n) {
  kind mine = {0.0f, 0.0f};
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) mine.join({partials[i].x, partials[i].y});
  mine = joined_by_block(mine);
  if (threadIdx.x == 0) *out = mine.first + mine.second;
}

// One atomic per block, in whatever order the blocks end.
static __global__ void sum_in_any_order(const float *in, float *out, unsigned n) {
  plain_sum mine = {0.0f, 0.0f};
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine.add(in[i]);
  mine = joined_by_block(mine);
  if (threadIdx.x == 0) atomicAdd(out, mine.first);
}

//! [scaled]
// Two passes. The first finds the largest exponent field; the second adds whole numbers of one
// unit, so small that 2^32 elements cannot overflow 63 bits. The order does not matter; bits below
// the unit are lost. found[0]: the largest |x|, as bits; found[1] and [2]: the sum, as a whole
// number.
static __global__ void find_largest(const float *in, unsigned *found, unsigned n) {
  unsigned largest = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    largest = max(largest, __float_as_uint(in[i]) & 0x7fffffff);
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2)
    largest = max(largest, __shfl_xor_sync(FULL_MASK, largest, s));
  if (threadIdx.x % WARP_SIZE == 0) atomicMax(found, largest);
}
static __device__ double power_of_two(int exponent) {
  return __hiloint2double((exponent + 1023) << 20, 0);
}
static __global__ void sum_scaled(const float *in, unsigned *found, unsigned n) {
  const int exponent = (int)(found[0] >> 23) - 126; // all |x| are below 2^exponent
  const double units = power_of_two(30 - exponent); // … and with 30 bits, 2^32 of them below 2^62
  long long sum = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += __double2ll_rn((double)in[i] * units);
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) sum += __shfl_xor_sync(FULL_MASK, sum, s);
  if (threadIdx.x % WARP_SIZE == 0)
    atomicAdd((unsigned long long *)&found[2], (unsigned long long)sum);
}
static __global__ void write_scaled(const unsigned *found, float *out) {
  const int exponent = (int)(found[0] >> 23) - 126;
  *out = (float)((double)*(const long long *)&found[2] * power_of_two(exponent - 30));
}
//! [scaled]

#endif
