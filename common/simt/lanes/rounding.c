// SPDX-License-Identifier: MIT
// lanes/rounding.c - directed rounding by the processor's own rounding mode.
//
// Operands and results are volatile, so that no operation is folded or moves across the change of
// mode, whatever the compiler believes about rounding modes. Slow, and rarely needed.
#include "lanes/rounding.h"

#include <fenv.h>
#include <math.h>

#ifdef FE_UPWARD

static int mode_of(isa_rounding rounding) {
  switch (rounding) {
  case ISA_RN: return FE_TONEAREST;
  case ISA_RZ: return FE_TOWARDZERO;
  case ISA_RM: return FE_DOWNWARD;
  case ISA_RP: return FE_UPWARD;
  }
  return FE_TONEAREST;
}

#define ROUNDED(suffix, T, fma_function, sqrt_function)                                            \
  T simt_rounded_##suffix(simt_operation op, isa_rounding rounding, T a, T b, T c) {               \
    volatile T x = a, y = b, z = c, result = 0;                                                    \
    const int before = fegetround();                                                               \
    if (before != mode_of(rounding)) fesetround(mode_of(rounding));                                \
    switch (op) {                                                                                  \
    case SIMT_OP_ADD: result = x + y; break;                                                       \
    case SIMT_OP_SUB: result = x - y; break;                                                       \
    case SIMT_OP_MUL: result = x * y; break;                                                       \
    case SIMT_OP_FMA: result = fma_function(x, y, z); break;                                       \
    case SIMT_OP_DIV: result = x / y; break;                                                       \
    case SIMT_OP_SQRT: result = sqrt_function(x); break;                                           \
    }                                                                                              \
    if (before != mode_of(rounding)) fesetround(before);                                           \
    return result;                                                                                 \
  }
ROUNDED(f32, float, fmaf, sqrtf)
ROUNDED(f64, double, fma, sqrt)

#else // no rounding modes

float simt_rounded_f32(simt_operation op, isa_rounding rounding, float a, float b, float c) {
  return simt_soft_rounded_f32(op, rounding, a, b, c);
}
double simt_rounded_f64(simt_operation op, isa_rounding rounding, double a, double b, double c) {
  return simt_soft_rounded_f64(op, rounding, a, b, c);
}

#endif
