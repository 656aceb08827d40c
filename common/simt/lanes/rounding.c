// SPDX-License-Identifier: MIT
// lanes/rounding.c - directed rounding by the processor's own rounding mode.
//
// Operands and results are volatile, so that no operation is folded or moves across the change of
// mode, whatever the compiler believes about rounding modes.
#include "lanes/rounding.h"

#include <fenv.h>
#include <math.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#ifdef FE_UPWARD

const bool simt_has_rounding_modes = true;

// fesetround() also sets the mode of the x87 unit, which nothing here uses and which takes time.
#if defined(__x86_64__)
int simt_round_as(isa_rounding rounding) {
  static const unsigned modes[] = {[ISA_RN] = _MM_ROUND_NEAREST,
                                   [ISA_RZ] = _MM_ROUND_TOWARD_ZERO,
                                   [ISA_RM] = _MM_ROUND_DOWN,
                                   [ISA_RP] = _MM_ROUND_UP};
  const unsigned before = _mm_getcsr();
  _mm_setcsr((before & ~(unsigned)_MM_ROUND_MASK) | modes[rounding]);
  return (int)before;
}
void simt_round_back(int before) { _mm_setcsr((unsigned)before); }
#else
static int mode_of(isa_rounding rounding) {
  switch (rounding) {
  case ISA_RN: return FE_TONEAREST;
  case ISA_RZ: return FE_TOWARDZERO;
  case ISA_RM: return FE_DOWNWARD;
  case ISA_RP: return FE_UPWARD;
  }
  return FE_TONEAREST;
}

int simt_round_as(isa_rounding rounding) {
  const int before = fegetround();
  fesetround(mode_of(rounding));
  return before;
}
void simt_round_back(int before) { fesetround(before); }
#endif

#define ROUNDED(suffix, T, fma_function, sqrt_function)                                            \
  T simt_rounded_##suffix(simt_operation op, isa_rounding rounding, T a, T b, T c) {               \
    volatile T x = a, y = b, z = c, result = 0;                                                    \
    const int before = simt_round_as(rounding);                                                    \
    switch (op) {                                                                                  \
    case SIMT_OP_ADD: result = x + y; break;                                                       \
    case SIMT_OP_SUB: result = x - y; break;                                                       \
    case SIMT_OP_MUL: result = x * y; break;                                                       \
    case SIMT_OP_FMA: result = fma_function(x, y, z); break;                                       \
    case SIMT_OP_DIV: result = x / y; break;                                                       \
    case SIMT_OP_SQRT: result = sqrt_function(x); break;                                           \
    }                                                                                              \
    simt_round_back(before);                                                                       \
    return result;                                                                                 \
  }
ROUNDED(f32, float, fmaf, sqrtf)
ROUNDED(f64, double, fma, sqrt)

#else // no rounding modes

const bool simt_has_rounding_modes = false;
int simt_round_as(isa_rounding rounding) { return (int)rounding; }
void simt_round_back(int before) { (void)before; }

float simt_rounded_f32(simt_operation op, isa_rounding rounding, float a, float b, float c) {
  return simt_soft_rounded_f32(op, rounding, a, b, c);
}
double simt_rounded_f64(simt_operation op, isa_rounding rounding, double a, double b, double c) {
  return simt_soft_rounded_f64(op, rounding, a, b, c);
}

#endif
