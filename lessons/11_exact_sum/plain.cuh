// SPDX-License-Identifier: MIT
// plain.cuh - the exact sum in one short kernel: 16 counters for each thread. What the blocks leave
// is to be carried and rounded: by round_sums here, by the host in minimal.cu.
#ifndef EXACT_SUM_PLAIN_CUH
#define EXACT_SUM_PLAIN_CUH

#include "accumulator.cuh"

//! [whole_part]
enum { GROUP = 16, GROUPS = 256 / GROUP }; // a float's exponent fields, 16 to a counter

// A counter as a whole number of 2^(16 group - 150). seen: 1 +infinity, 2 -infinity, 4 NaN, 8 for
// what is not -0.
static __device__ long long whole_part(unsigned group, double counter, unsigned *seen) {
  if (__double_as_longlong(counter) != __double_as_longlong(-0.0)) *seen |= 8;
  if (counter != counter) *seen |= 4;
  if (fabs(counter) > 1e300) *seen |= counter > 0 ? 1 : 2;
  if (!(fabs(counter) <= 1e300)) return 0;
  const int scale = 1023 + 150 - GROUP * (int)group; // exponent field of 2^(150 - 16 group)
  return __double2ll_rn(counter * __hiloint2double(scale << 20, 0));
}
//! [whole_part]

static __device__ long long warp_total(long long x) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) x += __shfl_xor_sync(FULL_MASK, x, s);
  return x;
}

//! [columns]
// Adds in[n] to sums[2 * GROUPS + 1], which are 0 at first: of each group the low 32 bits and the
// rest, and at the end what was seen. A thread may take up to 2^13 elements: a significand of 24
// bits, 16 exponents and 2^13 of them make 52 bits; a double holds 53, so that no addition rounds.
extern "C" __global__ void columns(const float *in, unsigned long long *sums, size_t n) {
  extern __shared__ double counters[]; // [GROUPS][blockDim.x]
  const unsigned t = threadIdx.x, lane = t % WARP_SIZE;
  unsigned seen = 0;
  for (unsigned g = 0; g < GROUPS; g++) counters[g * blockDim.x + t] = -0.0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + t; i < n; i += gridDim.x * (size_t)blockDim.x)
    counters[(__float_as_uint(in[i]) >> 27 & 15) * blockDim.x + t] += (double)in[i];
  __syncthreads(); // all columns are complete; a warp adds up one group after the other
  for (unsigned g = t / WARP_SIZE; g < GROUPS; g += blockDim.x / WARP_SIZE) {
    long long low = 0, high = 0;
    for (unsigned c = lane; c < blockDim.x; c += WARP_SIZE) {
      const long long v = whole_part(g, counters[g * blockDim.x + c], &seen);
      low += (unsigned)v;
      high += v >> 32;
    }
    low = warp_total(low), high = warp_total(high);
    if (lane == 0 && low != 0) atomicAdd(&sums[2 * g], (unsigned long long)low);
    if (lane == 0 && high != 0) atomicAdd(&sums[2 * g + 1], (unsigned long long)high);
  }
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) seen |= __shfl_xor_sync(FULL_MASK, seen, s);
  if (lane == 0 && seen != 0) atomicOr(&sums[2 * GROUPS], (unsigned long long)seen);
}
//! [columns]

// One block: carries, and rounds.
extern "C" __global__ void round_sums(const unsigned long long *sums, float *out,
                                      exact_state<float> *state, size_t n) {
  for (unsigned k = threadIdx.x; k < 2 * GROUPS; k += blockDim.x)
    add_whole(state, (long long)sums[k], GROUP * (k / 2) + 32 * (k % 2));
  if (threadIdx.x == 0) atomicOr(&state->seen, (unsigned)sums[2 * GROUPS]);
  finish(state, out, n == 0);
}

#endif
