// SPDX-License-Identifier: MIT
// curand_kernel.h - random numbers in device code: the generators XORWOW (Marsaglia 2003) and
// Philox4x32-10 (Salmon et al. 2011) with the seeding, sequences and offsets that the cuRAND manual
// describes. Integers and uniform numbers are bit for bit the toolkit's; normal ones depend on logf
// and may differ in the last bit.
//
// MRG32k3a is in simt_cuda/curand_more.h, Poisson's distribution in simt_cuda/curand_poisson.h. Not
// here: MTGP32, Sobol' sequences, discrete distributions.
#ifndef SIMT_CURAND_KERNEL_H
#define SIMT_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ // as in the toolkit: programs ask for it

#include "cuda_runtime.h"

typedef struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
} curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

typedef struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE; // the number of the output's words that are used up
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;

typedef struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3]; // the last three numbers of each recurrence, the oldest first
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
} curandStateMRG32k3a_t;
typedef struct curandStateMRG32k3a curandStateMRG32k3a;

#ifdef __CUDACC__ // the host's own files see the types alone
#include "simt_cuda/curand_jumps.h"
// ---- XORWOW: a linear part of 160 bits and a counter.
SIMT_DEVICE void simt_xorwow_step(unsigned *v) {
  const unsigned t = v[0] ^ (v[0] >> 2);
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
// v becomes r(M) v, where M is one step: Horner's rule over the bits of the polynomial r.
SIMT_DEVICE void simt_xorwow_jump(unsigned *v, const unsigned *r) {
  unsigned sum[5] = {0, 0, 0, 0, 0};
  for (int i = 159; i >= 0; i--) {
    simt_xorwow_step(sum);
    const unsigned use = 0u - (r[i / 32] >> (i % 32) & 1u);
    for (int k = 0; k < 5; k++) sum[k] ^= v[k] & use;
  }
  for (int k = 0; k < 5; k++) v[k] = sum[k];
}
SIMT_DEVICE void simt_xorwow_jumps(unsigned *v, const unsigned (*table)[5], unsigned long long n) {
  for (int k = 0; n; k++, n >>= 1)
    if (n & 1) simt_xorwow_jump(v, table[k]);
}
SIMT_DEVICE void skipahead(unsigned long long n, curandStateXORWOW *state) {
  simt_xorwow_jumps(state->v, simt_xorwow_steps, n);
  state->d += 362437u * (unsigned)n;
}
SIMT_DEVICE void skipahead_sequence(unsigned long long n, curandStateXORWOW *state) {
  simt_xorwow_jumps(state->v, simt_xorwow_sequences, n); // 2^67 steps leave d as it is
}
SIMT_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence,
                             unsigned long long offset, curandStateXORWOW *state) {
  const unsigned t0 = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
  const unsigned t1 = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
  *state = {};
  state->d = 6615241u + t1 + t0;
  state->v[0] = 123456789u + t0;
  state->v[1] = 362436069u ^ t0;
  state->v[2] = 521288629u + t1;
  state->v[3] = 88675123u ^ t1;
  state->v[4] = 5783321u + t0;
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}
SIMT_DEVICE unsigned curand(curandStateXORWOW *state) {
  simt_xorwow_step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

// ---- Philox: ten rounds over a counter of 128 bits.
SIMT_DEVICE uint4 curand_Philox4x32_10(uint4 c, uint2 key) {
  for (int round = 0; round < 10; round++) {
    const unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    const unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return c;
}
SIMT_DEVICE void simt_philox_add(uint4 *counter, unsigned long long low, unsigned long long high) {
  const unsigned long long old = (unsigned long long)counter->y << 32 | counter->x, sum = old + low;
  const unsigned long long above =
      ((unsigned long long)counter->w << 32 | counter->z) + high + (sum < old);
  *counter =
      make_uint4((unsigned)sum, (unsigned)(sum >> 32), (unsigned)above, (unsigned)(above >> 32));
}
SIMT_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  state->STATE += (unsigned)(n & 3);
  simt_philox_add(&state->ctr, n / 4 + state->STATE / 4, 0);
  state->STATE %= 4;
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
SIMT_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  simt_philox_add(&state->ctr, 0, n);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
SIMT_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence,
                             unsigned long long offset, curandStatePhilox4_32_10_t *state) {
  *state = {};
  state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}
SIMT_DEVICE unsigned simt_philox_word(const uint4 &v, unsigned i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
SIMT_DEVICE void simt_philox_next(curandStatePhilox4_32_10_t *state) {
  simt_philox_add(&state->ctr, 1, 0);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
SIMT_DEVICE unsigned curand(curandStatePhilox4_32_10_t *state) {
  const unsigned word = simt_philox_word(state->output, state->STATE++);
  if (state->STATE == 4) simt_philox_next(state), state->STATE = 0;
  return word;
}
SIMT_DEVICE uint4 curand4(curandStatePhilox4_32_10_t *state) {
  const uint4 old = state->output;
  simt_philox_next(state);
  unsigned word[4];
  for (unsigned i = 0; i < 4; i++) {
    const unsigned at = state->STATE + i;
    word[i] = at < 4 ? simt_philox_word(old, at) : simt_philox_word(state->output, at - 4);
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

// ---- Distributions: uniform in (0, 1], normal by Box and Muller.
#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
#define CURAND_2POW32_INV_2PI (2.3283064e-10f * 6.2831855f)
SIMT_DEVICE float simt_uniform(unsigned x) {
  return x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f);
}
SIMT_DEVICE double simt_uniform_double(unsigned x, unsigned y) {
  const unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << 21;
  return z * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
}
SIMT_DEVICE float2 simt_normal_pair(unsigned x, unsigned y) {
  const float u = simt_uniform(x);
  const float v = y * CURAND_2POW32_INV_2PI + (CURAND_2POW32_INV_2PI / 2.0f);
  const float s = sqrtf(-2.0f * logf(u));
  float2 pair;
  __sincosf(v, &pair.x, &pair.y);
  pair.x *= s;
  pair.y *= s;
  return pair;
}
SIMT_DEVICE double2 simt_normal_pair_double(uint4 x) {
  const double u = simt_uniform_double(x.x, x.y);
  const unsigned long long z = (unsigned long long)x.z ^ (unsigned long long)x.w << 21;
  const double v = z * (CURAND_2POW53_INV_DOUBLE * 2.0) + CURAND_2POW53_INV_DOUBLE;
  const double s = sqrt(-2.0 * log(u));
  double2 pair;
  pair.x = sinpi(v);
  pair.y = cospi(v);
  pair.x *= s;
  pair.y *= s;
  return pair;
}

SIMT_DEVICE float curand_uniform(curandStateXORWOW *state) { return simt_uniform(curand(state)); }
SIMT_DEVICE float curand_uniform(curandStatePhilox4_32_10_t *state) {
  return simt_uniform(curand(state));
}
SIMT_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  return make_float4(simt_uniform(x.x), simt_uniform(x.y), simt_uniform(x.z), simt_uniform(x.w));
}
SIMT_DEVICE double curand_uniform_double(curandStateXORWOW *state) {
  const unsigned x = curand(state), y = curand(state);
  return simt_uniform_double(x, y);
}
SIMT_DEVICE double curand_uniform_double(curandStatePhilox4_32_10_t *state) {
  return curand(state) * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE;
}
template <typename State> SIMT_DEVICE float2 curand_normal2(State *state) {
  const unsigned x = curand(state), y = curand(state);
  return simt_normal_pair(x, y);
}
// A pair gives two numbers: the second is kept for the next call for the same distribution.
enum { SIMT_KEPT_NORMAL = 1, SIMT_KEPT_LOG_NORMAL = 2 };
template <typename Real, typename DrawPair>
SIMT_DEVICE Real simt_one_of_pair(int *kept, Real *extra, int distribution, DrawPair draw_pair) {
  const bool is_kept = *kept == distribution;
  *kept = is_kept ? 0 : distribution;
  if (is_kept) return *extra;
  const auto pair = draw_pair();
  *extra = pair.y;
  return pair.x;
}
template <typename State> SIMT_DEVICE float curand_normal(State *state) {
  return simt_one_of_pair(&state->boxmuller_flag, &state->boxmuller_extra, SIMT_KEPT_NORMAL,
                          [=] { return curand_normal2(state); });
}
SIMT_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  const float2 first = simt_normal_pair(x.x, x.y), second = simt_normal_pair(x.z, x.w);
  return make_float4(first.x, first.y, second.x, second.y);
}
template <typename State> SIMT_DEVICE double2 curand_normal2_double(State *state) {
  const unsigned x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return simt_normal_pair_double(make_uint4(x, y, z, w));
}
template <typename State> SIMT_DEVICE double curand_normal_double(State *state) {
  return simt_one_of_pair(&state->boxmuller_flag_double, &state->boxmuller_extra_double,
                          SIMT_KEPT_NORMAL, [=] { return curand_normal2_double(state); });
}

#include "simt_cuda/curand_more.h"
#include "simt_cuda/curand_poisson.h"
#endif
#endif
