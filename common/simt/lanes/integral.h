// SPDX-License-Identifier: MIT
// lanes/integral.h - rounding of a float to a whole number, so that a loop over lanes is
// vectorised: without branches, and without an instruction that SSE2 lacks.
#ifndef SIMT_INTEGRAL_H
#define SIMT_INTEGRAL_H

#include "lanes/lanes.h"

// A magnitude below `large` loses its fraction, to nearest even, when `large` is added; a larger
// one has none. Of NaN and infinity nothing changes.
#define LANES_INTEGRAL(T, magnitude_of, with_sign, large)                                          \
  static inline T lanes_integral_##T(T a, isa_rounding rounding) {                                 \
    const T magnitude = magnitude_of(a), nearest = (magnitude + (large)) - (large);                \
    const T lower = nearest > magnitude ? nearest - 1 : nearest;                                   \
    const T upper = lower < magnitude ? lower + 1 : lower;                                         \
    const T down = a < 0 ? upper : lower, up = a < 0 ? lower : upper;                              \
    const T whole = rounding == ISA_RN   ? nearest                                                 \
                    : rounding == ISA_RZ ? lower                                                   \
                    : rounding == ISA_RM ? down                                                    \
                                         : up;                                                     \
    return magnitude < (large) ? with_sign(whole, a) : a;                                          \
  }
LANES_INTEGRAL(float, fabsf, copysignf, 0x1p23f)
LANES_INTEGRAL(double, fabs, copysign, 0x1p52)

#endif
