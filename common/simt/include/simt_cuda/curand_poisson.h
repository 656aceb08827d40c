// SPDX-License-Identifier: MIT
// simt_cuda/curand_poisson.h - Poisson distributed numbers. Included by curand_kernel.h.
//
// Three methods, by the mean, and in each as many uniform numbers as the toolkit takes, so that
// what follows in the sequence is the same: below 64 Knuth's product, above 4000 a rounded normal
// number, between them rejection from a distribution whose sum has a closed form.
#ifndef SIMT_CUDA_CURAND_POISSON_H
#define SIMT_CUDA_CURAND_POISSON_H

template <class State> SIMT_DEVICE unsigned simt_poisson_product(State *state, float limit) {
  unsigned k = 0;
  for (float p = limit * curand_uniform(state); p > 1.0f; p *= curand_uniform(state)) k++;
  return k;
}

// The approximations are the hardware's own: a result depends on their bits.
SIMT_DEVICE float simt_poisson_exp(float x) {
  float y = (float)(x * 1.4426950408889634);
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(y));
  return y;
}
SIMT_DEVICE float simt_poisson_log(float x) {
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
  return (float)(x * 0.6931471805599453);
}
SIMT_DEVICE float simt_poisson_rsqrt(float x) {
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
  return x;
}
SIMT_DEVICE float simt_poisson_rcp(float x) {
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
  return x;
}

// (1 + exp(scale * (mean - x) - shift))^-2 is nearly the probability of less than x events, so its
// inverse turns a uniform number into a candidate.
struct simt_poisson_fit {
  float mean, log_mean, scale, shift;
};
SIMT_DEVICE simt_poisson_fit simt_poisson_fitted(float mean) {
  const float a = simt_poisson_rsqrt(mean - 0.12400979f), b = simt_poisson_rsqrt(mean - 1.9738212f);
  return {mean, simt_poisson_log(mean), 1.4324803f * a + 0.00025361075f,
          0.21096735f * b + 0.94201734f};
}
SIMT_DEVICE float simt_poisson_below(const simt_poisson_fit &fit, float x) {
  const float t = 1.0f + simt_poisson_exp(fit.scale * (fit.mean - x) - fit.shift);
  return simt_poisson_rcp(t * t);
}
SIMT_DEVICE float simt_poisson_candidate(const simt_poisson_fit &fit, float u) {
  const float t = fit.shift + simt_poisson_log(simt_poisson_rsqrt(u) - 1.0f);
  return floorf(-t * simt_poisson_rcp(fit.scale) + fit.mean);
}
template <class State>
SIMT_DEVICE unsigned simt_poisson_rejection(State *state, const simt_poisson_fit &fit) {
  for (;;) {
    const float x = simt_poisson_candidate(fit, curand_uniform(state));
    const float wide = simt_poisson_below(fit, x + 1.0f) - simt_poisson_below(fit, x);
    const float bound = wide * 1.3f, z = curand_uniform(state) * bound;
    const float exact =
        simt_poisson_exp(-fit.mean + x * fit.log_mean - (float)lgamma(floor(1.0 + x)));
    if (z < exact && bound >= 1e-20) return (unsigned)x;
  }
}

SIMT_DEVICE unsigned simt_poisson_rounded(double normal, double mean) {
  return (unsigned)(sqrt(mean) * normal + mean + 0.5);
}

template <class State> SIMT_DEVICE unsigned curand_poisson(State *state, double lambda) {
  if (lambda < 64) return simt_poisson_product(state, expf((float)lambda));
  if (lambda > 4000) return simt_poisson_rounded(curand_normal_double(state), lambda);
  return simt_poisson_rejection(state, simt_poisson_fitted((float)lambda));
}

SIMT_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda) {
  unsigned n[4];
  if (lambda > 4000) {
    const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    return make_uint4(simt_poisson_rounded(a.x, lambda), simt_poisson_rounded(a.y, lambda),
                      simt_poisson_rounded(b.x, lambda), simt_poisson_rounded(b.y, lambda));
  }
  const float limit = expf((float)lambda);
  const simt_poisson_fit fit = simt_poisson_fitted((float)lambda);
  for (unsigned &x : n)
    x = lambda < 64 ? simt_poisson_product(state, limit) : simt_poisson_rejection(state, fit);
  return make_uint4(n[0], n[1], n[2], n[3]);
}

#endif
