// SPDX-License-Identifier: MIT
// lanes/flush.h - .ftz of a result that is the least normal number: it may have to be zero.
#ifndef SIMT_FLUSH_H
#define SIMT_FLUSH_H

#include "lanes/lanes.h"
#include "lanes/rounding.h"

// The result d of an operation, flushed. A result equal to the least normal number may have been
// rounded up from a smaller one. To tell, the operation is repeated with operands that make its
// result 2^24 times as large, where rounding is finer.
static inline float lanes_flush_result(simt_operation op, isa_rounding rounding, float d, float a,
                                       float b, float c) {
  const float scale = 0x1p24f;
  const bool may_be_lifted = fabsf(d) == 0x1p-126f && (op == SIMT_OP_MUL || op == SIMT_OP_FMA);
  if (__builtin_expect(may_be_lifted, 0)) {
    if (fabsf(a) < fabsf(b)) a *= scale;
    else b *= scale;
    if (fabsf(simt_rounded_f32(op, rounding, a, b, c * scale)) < 0x1p-102f) return copysignf(0, d);
  }
  return lanes_flush_f32(d);
}

#endif
