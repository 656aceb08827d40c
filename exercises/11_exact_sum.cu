// SPDX-License-Identifier: MIT
// Exercise 11: the superaccumulator. Add floats up without losing a bit, in any order.
//
// A float's bits are a sign, 8 bits of exponent field e and 23 bits of fraction. Its value is
//
//   significand * 2^e * 2^-150    significand = 2^23 + fraction, where e is not 0
//                                 significand = 2 * fraction, where e is 0 (a subnormal)
//
// Sixteen exponent fields share a counter of 64 bits: counter g has those with e / 16 == g, each
// significand shifted left by e % 16. These are whole numbers, and their sums are exact:
//
//   sums[g] += the counters g of all threads
//
// Each thread counts in a column of its own, in shared memory: its counter g is
// counters[g * blockDim.x + threadIdx.x]. When all have counted, the columns are added up.
//
// What must hold:
//   - Every element of in[0 .. n) is added exactly once, whatever the grid. `sums` may hold
//     sums already: add to them. (Other blocks do so, too.)
//   - Blocks of 32, 64, 96 … 384 threads; n from 0 to 2^20. Infinities and NaNs do not occur.
//   - Each block adds to global memory at most 16 times.
//   - Shared memory: counters[16 * blockDim.x], and no bank conflicts.
#include <cuda_runtime.h>

static const unsigned FULL_MASK = 0xffffffff; // all lanes of a warp, one bit each
enum { GROUPS = 16 };

extern __shared__ long long counters[]; // [GROUPS][blockDim.x]

// Adds x to this thread's column.
static __device__ void count(float x) {
  const unsigned bits = __float_as_uint(x);
  // TODO 1: take the bits apart: sign, exponent field e, fraction; mind the subnormals
  //   add the significand, shifted by e % 16 and with its sign, to counter e / 16
  (void)bits;
}

// Sum over the warp, in every lane.
static __device__ long long sum_of_lanes(long long x) {
  for (unsigned s = 16; s > 0; s /= 2) x += __shfl_xor_sync(FULL_MASK, x, s);
  return x;
}

extern "C" __global__ void add_exactly(const float *in, long long *sums, unsigned n) {
  // TODO 2: clear this thread's column; let the grid's threads walk over the array and count
  (void)in;
  (void)n;
  (void)count;
  // TODO 3: wait for all columns. Then warp after warp takes a group: add up its counters, all
  //   lanes at once, and let one lane add the sum to sums[g]
  //   (atomicAdd takes unsigned words of 64 bits)
  (void)sums;
  (void)sum_of_lanes;
}
