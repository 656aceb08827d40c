// SPDX-License-Identifier: MIT
// lanes/video_parts.c - video instructions of two and four parts: an operation on halves or bytes
// chosen from a and b, which may saturate; the results replace parts of c or are added to it. Loops
// over the lanes of the mask, as in video.c.
// Source: PTX ISA, 9.7.18 (SIMD video instructions); the same on an H100
// (tests/simt/programs/video.cu).
#include "lanes/lanes.h"

typedef enum parts_operation { ADD, SUB, AVRG, ABSDIFF, MIN, MAX, SET } parts_operation;

// Part `index` of {b, a}, which are `bits` wide.
static inline int32_t part_at(uint64_t both, uint32_t index, uint32_t bits, bool is_signed) {
  const uint32_t x = (uint32_t)(both >> index * bits) & ((1u << bits) - 1);
  return is_signed && x >> (bits - 1) ? (int32_t)x - (1 << bits) : (int32_t)x;
}

static inline int32_t operate(parts_operation operation, int32_t a, int32_t b, uint8_t compare) {
  switch (operation) {
  case ADD: return a + b;
  case SUB: return a - b;
  case AVRG: return (a + b + (a + b >= 0)) >> 1;
  case ABSDIFF: return a < b ? b - a : a - b;
  case MIN: return a < b ? a : b;
  case MAX: return a < b ? b : a;
  default: break;
  }
  return lanes_compared(compare, a, b);
}

static inline int32_t saturated(int32_t x, uint32_t bits, bool is_signed) {
  const int32_t high = (1 << (is_signed ? bits - 1 : bits)) - 1, low = is_signed ? -high - 1 : 0;
  return x < low ? low : x > high ? high : x;
}

static inline uint32_t combine(parts_operation operation, uint32_t n, uint32_t a, uint32_t b,
                               uint32_t c, const simt_arithmetic *how) {
  const isa_video *v = &how->video;
  const uint32_t bits = 32 / n, ones = (1u << bits) - 1;
  const uint64_t both = (uint64_t)b << 32 | a;
  uint32_t d = c;
  for (uint32_t i = 0; i < n; i++) {
    if (!(v->d_parts >> i & 1)) continue;
    const int32_t x = part_at(both, v->a_parts >> 4 * i & 0xf, bits, v->a_signed);
    const int32_t y = part_at(both, v->b_parts >> 4 * i & 0xf, bits, v->b_signed);
    int32_t t = operate(operation, x, y, how->compare);
    if (how->saturate) t = saturated(t, bits, v->d_signed);
    if (v->second == ISA_SECOND_ADD) d += (uint32_t)t;
    else d = (d & ~(ones << i * bits)) | ((uint32_t)t & ones) << i * bits;
  }
  return d;
}

#define PARTS_LANES(name, operation, n)                                                            \
  LANES_FN(name##n) {                                                                              \
    s_u32 *pd = LANES_SLOT(u32, in->d);                                                            \
    const s_u32 *pa = LANES_SOURCE(u32, in->a), *pb = LANES_SOURCE(u32, in->b);                    \
    const s_u32 *pc = LANES_SOURCE(u32, in->c);                                                    \
    for (int l = 0; l < SIMT_LANES; l++)                                                           \
      if (mask & lanes_bit[l])                                                                     \
        pd[l] = combine(operation, n, pa[l], pb[l], pc[l], &in->arithmetic);                       \
  }
#define BOTH_WIDTHS(name, operation) PARTS_LANES(name, operation, 2) PARTS_LANES(name, operation, 4)
BOTH_WIDTHS(vadd, ADD)
BOTH_WIDTHS(vsub, SUB)
BOTH_WIDTHS(vavrg, AVRG)
BOTH_WIDTHS(vabsdiff, ABSDIFF)
BOTH_WIDTHS(vmin, MIN)
BOTH_WIDTHS(vmax, MAX)
BOTH_WIDTHS(vset, SET)
