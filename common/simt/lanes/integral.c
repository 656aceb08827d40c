// SPDX-License-Identifier: MIT
// lanes/integral.c - lane functions of conversions that keep the type: cvt.rni.f32.f32 and its kin,
// which floorf(), rintf() and truncf() are, and cvt.sat.f32.f32, of which expf() is full.
#include "lanes/integral.h"

#include "lanes/lanes.h"

static inline float kept_f32(float x, bool saturates, bool flushes) {
  const float d = lanes_flush_if(flushes, x);
  return saturates ? lanes_saturate_f32(d) : lanes_canonical_f32(d);
}
static inline float read_f32(float x, bool flushes) { return lanes_flush_if(flushes, x); }

static inline double kept_f64(double x, bool saturates, bool flushes) {
  const double clamped = x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
  (void)flushes;
  return saturates ? clamped : lanes_nan_f64(x, x, x, x);
}
static inline double read_f64(double x, bool flushes) {
  (void)flushes;
  return x;
}

#define ROUNDED_TO(T, C, direction)                                                                \
  LANES_UNARY_BODY(T, T, kept_##T(lanes_integral_##C(read_##T(a, ftz), direction), sat, ftz))
#define CVT_SAME(T, C)                                                                             \
  LANES_FN(cvt_##T##_##T) {                                                                        \
    const bool sat = in->arithmetic.saturate, ftz = in->arithmetic.ftz;                            \
    if (!in->arithmetic.rounds_to_integer) {                                                       \
      LANES_UNARY_BODY(T, T, kept_##T(read_##T(a, ftz), sat, ftz))                                 \
      return;                                                                                      \
    }                                                                                              \
    switch ((isa_rounding)in->arithmetic.rounding) {                                               \
    case ISA_RN: ROUNDED_TO(T, C, ISA_RN) break;                                                   \
    case ISA_RZ: ROUNDED_TO(T, C, ISA_RZ) break;                                                   \
    case ISA_RM: ROUNDED_TO(T, C, ISA_RM) break;                                                   \
    case ISA_RP: ROUNDED_TO(T, C, ISA_RP) break;                                                   \
    }                                                                                              \
  }
CVT_SAME(f32, float)
CVT_SAME(f64, double)
