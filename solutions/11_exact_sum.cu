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
  // BLANK: take the bits apart: sign, exponent field e, fraction; mind the subnormals
  // BLANK: add the significand, shifted by e % 16 and with its sign, to counter e / 16
  const unsigned e = bits >> 23 & 255, fraction = bits & 0x7fffff;
  const long long significand = e != 0 ? (1 << 23) + fraction : 2 * fraction;
  const long long shifted = significand << e % 16;
  counters[e / 16 * blockDim.x + threadIdx.x] += bits >> 31 ? -shifted : shifted;
  // STUB: (void)bits;
  // END BLANK
}

// Sum over the warp, in every lane.
static __device__ long long sum_of_lanes(long long x) {
  for (unsigned s = 16; s > 0; s /= 2) x += __shfl_xor_sync(FULL_MASK, x, s);
  return x;
}

extern "C" __global__ void add_exactly(const float *in, long long *sums, unsigned n) {
  // BLANK: clear this thread's column; let the grid's threads walk over the array and count
  for (unsigned g = 0; g < GROUPS; g++) counters[g * blockDim.x + threadIdx.x] = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    count(in[i]);
  // STUB: (void)in;
  // STUB: (void)n;
  // STUB: (void)count;
  // END BLANK
  // BLANK: wait for all columns. Then warp after warp takes a group: add up its counters, all
  // BLANK: lanes at once, and let one lane add the sum to sums[g]
  // BLANK: (atomicAdd takes unsigned words of 64 bits)
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (unsigned g = threadIdx.x / 32; g < GROUPS; g += blockDim.x / 32) {
    long long sum = 0;
    for (unsigned t = lane; t < blockDim.x; t += 32) sum += counters[g * blockDim.x + t];
    sum = sum_of_lanes(sum);
    if (lane == 0) atomicAdd((unsigned long long *)&sums[g], (unsigned long long)sum);
  }
  // STUB: (void)sums;
  // STUB: (void)sum_of_lanes;
  // END BLANK
}
