// SPDX-License-Identifier: MIT
// simt_cuda/curand_more.h - the generator MRG32k3a (L'Ecuyer 1999), and further distributions:
// pairs and quadruples of uniform, normal and log-normal numbers. Included by curand_kernel.h.
#ifndef SIMT_CUDA_CURAND_MORE_H
#define SIMT_CUDA_CURAND_MORE_H

#define SIMT_MRG_M1 4294967087ull
#define SIMT_MRG_M2 4294944443ull

struct simt_mrg_matrix {
  unsigned long long a[3][3];
};
SIMT_DEVICE simt_mrg_matrix simt_mrg_product(const simt_mrg_matrix &x, const simt_mrg_matrix &y,
                                             unsigned long long m) {
  simt_mrg_matrix z;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      unsigned long long sum = 0;
      for (int k = 0; k < 3; k++) sum = (sum + x.a[i][k] * y.a[k][j] % m) % m;
      z.a[i][j] = sum;
    }
  return z;
}
// s becomes A to the power of n * 2^shift, times s.
SIMT_DEVICE void simt_mrg_jump(unsigned *s, simt_mrg_matrix a, unsigned long long n, int shift,
                               unsigned long long m) {
  for (int i = 0; n && i < shift; i++) a = simt_mrg_product(a, a, m);
  for (; n; n >>= 1) {
    if (n & 1) {
      unsigned long long next[3];
      for (int i = 0; i < 3; i++)
        next[i] = (a.a[i][0] * s[0] % m + a.a[i][1] * s[1] % m + a.a[i][2] * s[2] % m) % m;
      for (int i = 0; i < 3; i++) s[i] = (unsigned)next[i];
    }
    if (n > 1) a = simt_mrg_product(a, a, m);
  }
}
SIMT_DEVICE void simt_mrg_skip(unsigned long long n, int shift, curandStateMRG32k3a *state) {
  const simt_mrg_matrix a1 = {{{0, 1, 0}, {0, 0, 1}, {SIMT_MRG_M1 - 810728, 1403580, 0}}};
  const simt_mrg_matrix a2 = {{{0, 1, 0}, {0, 0, 1}, {SIMT_MRG_M2 - 1370589, 0, 527612}}};
  simt_mrg_jump(state->s1, a1, n, shift, SIMT_MRG_M1);
  simt_mrg_jump(state->s2, a2, n, shift, SIMT_MRG_M2);
}
SIMT_DEVICE void skipahead(unsigned long long n, curandStateMRG32k3a *state) {
  simt_mrg_skip(n, 0, state);
}
SIMT_DEVICE void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *state) {
  simt_mrg_skip(n, 76, state);
}
SIMT_DEVICE void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *state) {
  simt_mrg_skip(n, 127, state);
}
SIMT_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStateMRG32k3a *state) {
  const unsigned low = (unsigned)seed ^ 0x55555555u, high = (unsigned)(seed >> 32) ^ 0xaaaaaaaau;
  *state = {};
  for (int i = 0; i < 3; i++) {
    const unsigned long long first = i == 1 ? high : low, second = i == 1 ? low : high;
    state->s1[i] = seed ? (unsigned)(first * 12345 % SIMT_MRG_M1) : 12345u;
    state->s2[i] = seed ? (unsigned)(second * 12345 % SIMT_MRG_M2) : 12345u;
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}
// 1 to m1.
SIMT_DEVICE double curand_MRG32k3a(curandStateMRG32k3a *state) {
  unsigned *s = state->s1, *t = state->s2;
  const unsigned long long x =
      (1403580ull * s[1] + (SIMT_MRG_M1 - 810728) * s[0] % SIMT_MRG_M1) % SIMT_MRG_M1;
  const unsigned long long y =
      (527612ull * t[2] + (SIMT_MRG_M2 - 1370589) * t[0] % SIMT_MRG_M2) % SIMT_MRG_M2;
  s[0] = s[1], s[1] = s[2], s[2] = (unsigned)x;
  t[0] = t[1], t[1] = t[2], t[2] = (unsigned)y;
  return (double)(x > y ? x - y : x + SIMT_MRG_M1 - y);
}
#define SIMT_MRG_NORM 2.3283065498378288e-10 // 1 / (m1 - 1)
SIMT_DEVICE unsigned curand(curandStateMRG32k3a *state) {
  return (unsigned)(curand_MRG32k3a(state) * 1.000000048662);
}
SIMT_DEVICE float curand_uniform(curandStateMRG32k3a *state) {
  return (float)(curand_MRG32k3a(state) * SIMT_MRG_NORM);
}
SIMT_DEVICE double curand_uniform_double(curandStateMRG32k3a *state) {
  return curand_MRG32k3a(state) * SIMT_MRG_NORM;
}
SIMT_DEVICE float2 curand_normal2(curandStateMRG32k3a *state) {
  const float x = curand_uniform(state), y = curand_uniform(state) * 6.2831855f;
  const float s = sqrtf(-2.0f * logf(x));
  float2 pair;
  __sincosf(y, &pair.x, &pair.y);
  pair.x *= s;
  pair.y *= s;
  return pair;
}
SIMT_DEVICE double2 curand_normal2_double(curandStateMRG32k3a *state) {
  const double x = curand_uniform_double(state), y = curand_uniform_double(state) * 2.0;
  const double s = sqrt(-2.0 * log(x));
  return make_double2(sinpi(y) * s, cospi(y) * s);
}

// ---- Of every generator.
template <typename State>
SIMT_DEVICE float2 curand_log_normal2(State *state, float mean, float deviation) {
  const float2 v = curand_normal2(state);
  return make_float2(expf(mean + deviation * v.x), expf(mean + deviation * v.y));
}
template <typename State>
SIMT_DEVICE float curand_log_normal(State *state, float mean, float deviation) {
  return simt_one_of_pair(&state->boxmuller_flag, &state->boxmuller_extra, SIMT_KEPT_LOG_NORMAL,
                          [=] { return curand_log_normal2(state, mean, deviation); });
}
template <typename State>
SIMT_DEVICE double2 curand_log_normal2_double(State *state, double mean, double deviation) {
  const double2 v = curand_normal2_double(state);
  return make_double2(exp(mean + deviation * v.x), exp(mean + deviation * v.y));
}
template <typename State>
SIMT_DEVICE double curand_log_normal_double(State *state, double mean, double deviation) {
  return simt_one_of_pair(&state->boxmuller_flag_double, &state->boxmuller_extra_double,
                          SIMT_KEPT_LOG_NORMAL,
                          [=] { return curand_log_normal2_double(state, mean, deviation); });
}
// ---- Of Philox, which makes four words at a time.
SIMT_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean,
                                      float deviation) {
  const float4 v = curand_normal4(state);
  return make_float4(expf(mean + deviation * v.x), expf(mean + deviation * v.y),
                     expf(mean + deviation * v.z), expf(mean + deviation * v.w));
}
SIMT_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  return make_double2(simt_uniform_double(x.x, x.y), simt_uniform_double(x.z, x.w));
}
SIMT_DEVICE double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state) {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
SIMT_DEVICE double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) {
  const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
SIMT_DEVICE double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean,
                                              double deviation) {
  const double4 v = curand_normal4_double(state);
  return make_double4(exp(mean + deviation * v.x), exp(mean + deviation * v.y),
                      exp(mean + deviation * v.z), exp(mean + deviation * v.w));
}

#endif
