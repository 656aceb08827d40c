// SPDX-License-Identifier: MIT
// simd.h - two or four small integers in a word: CUDA's __v… functions, the dot products __dp4a and
// __dp2a, and the minima and maxima of three. Written as loops over the parts; what a part gets is
// as the CUDA maths API says.
#ifndef SIMT_CUDA_SIMD_H
#define SIMT_CUDA_SIMD_H

#include "device.h"

// Part `i` of `bits` bits, as a signed or an unsigned number.
SIMT_DEVICE int simt_part_s(unsigned word, int i, int bits) {
  return (int)(word << (32 - bits - i * bits)) >> (32 - bits);
}
SIMT_DEVICE int simt_part_u(unsigned word, int i, int bits) {
  return (int)(word << (32 - bits - i * bits) >> (32 - bits));
}
SIMT_DEVICE int simt_clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
SIMT_DEVICE int simt_larger(int a, int b) { return a > b ? a : b; }
SIMT_DEVICE int simt_smaller(int a, int b) { return a < b ? a : b; }
SIMT_DEVICE int simt_absolute(int a) { return a < 0 ? -a : a; }

// name(a, b): every part becomes the low bits of `value`, which may use the parts' numbers x and y
// and `top`, 2 to the power of a part's bits.
#define SIMT_WORDS(name, n, sign, value)                                                           \
  SIMT_DEVICE unsigned name(unsigned a, unsigned b) {                                              \
    constexpr int bits = 32 / n, top = 1 << bits;                                                  \
    unsigned word = 0;                                                                             \
    for (int i = 0; i < n; i++) {                                                                  \
      const int x = simt_part_##sign(a, i, bits), y = simt_part_##sign(b, i, bits);                \
      word |= ((unsigned)(value) & (unsigned)(top - 1)) << (i * bits);                             \
      (void)y;                                                                                     \
    }                                                                                              \
    return word;                                                                                   \
  }
#define SIMT_PAIR_OF_WIDTHS(prefix, suffix, sign, value)                                           \
  SIMT_WORDS(prefix##suffix##2, 2, sign, value)                                                    \
  SIMT_WORDS(prefix##suffix##4, 4, sign, value)
#define SIMT_BOTH_SIGNS(prefix, value)                                                             \
  SIMT_PAIR_OF_WIDTHS(prefix, s, s, value)                                                         \
  SIMT_PAIR_OF_WIDTHS(prefix, u, u, value)

SIMT_PAIR_OF_WIDTHS(__vadd, , u, x + y)
SIMT_PAIR_OF_WIDTHS(__vsub, , u, x - y)
SIMT_PAIR_OF_WIDTHS(__vadd, ss, s, simt_clamp(x + y, -top / 2, top / 2 - 1))
SIMT_PAIR_OF_WIDTHS(__vsub, ss, s, simt_clamp(x - y, -top / 2, top / 2 - 1))
SIMT_PAIR_OF_WIDTHS(__vadd, us, u, simt_clamp(x + y, 0, top - 1))
SIMT_PAIR_OF_WIDTHS(__vsub, us, u, simt_clamp(x - y, 0, top - 1))
SIMT_PAIR_OF_WIDTHS(__vhadd, u, u, (x + y) >> 1)
SIMT_PAIR_OF_WIDTHS(__vavg, u, u, (x + y + 1) >> 1)
SIMT_PAIR_OF_WIDTHS(__vavg, s, s, (x + y + (x + y >= 0)) >> 1) // a half rounds away from zero
SIMT_PAIR_OF_WIDTHS(__vabsdiff, s, s, simt_absolute(x - y))
SIMT_PAIR_OF_WIDTHS(__vabsdiff, u, u, simt_absolute(x - y))
SIMT_BOTH_SIGNS(__vmin, simt_smaller(x, y))
SIMT_BOTH_SIGNS(__vmax, simt_larger(x, y))
SIMT_PAIR_OF_WIDTHS(__vcmp, eq, u, x == y ? -1 : 0)
SIMT_PAIR_OF_WIDTHS(__vcmp, ne, u, x != y ? -1 : 0)
SIMT_BOTH_SIGNS(__vcmpgt, x > y ? -1 : 0)
SIMT_BOTH_SIGNS(__vcmpge, x >= y ? -1 : 0)
SIMT_BOTH_SIGNS(__vcmplt, x < y ? -1 : 0)
SIMT_BOTH_SIGNS(__vcmple, x <= y ? -1 : 0)
SIMT_PAIR_OF_WIDTHS(__vset, eq, u, x == y)
SIMT_PAIR_OF_WIDTHS(__vset, ne, u, x != y)
SIMT_BOTH_SIGNS(__vsetgt, x > y)
SIMT_BOTH_SIGNS(__vsetge, x >= y)
SIMT_BOTH_SIGNS(__vsetlt, x < y)
SIMT_BOTH_SIGNS(__vsetle, x <= y)

// Of one word.
#define SIMT_ALONE(name, value)                                                                    \
  SIMT_PAIR_OF_WIDTHS(simt_##name, , s, value)                                                     \
  SIMT_DEVICE unsigned __##name##2(unsigned a) { return simt_##name##2(a, 0); }                    \
  SIMT_DEVICE unsigned __##name##4(unsigned a) { return simt_##name##4(a, 0); }
SIMT_ALONE(vabs, simt_absolute(x))
SIMT_ALONE(vabsss, simt_smaller(simt_absolute(x), top / 2 - 1))
SIMT_ALONE(vneg, -x)
SIMT_ALONE(vnegss, simt_smaller(-x, top / 2 - 1))
#undef SIMT_ALONE

// Sums of absolute differences.
#define SIMT_SUM_OF_PARTS(name, n, sign)                                                           \
  SIMT_DEVICE unsigned name(unsigned a, unsigned b) {                                              \
    unsigned sum = 0;                                                                              \
    for (int i = 0; i < n; i++)                                                                    \
      sum += (unsigned)simt_absolute(simt_part_##sign(a, i, 32 / n) -                              \
                                     simt_part_##sign(b, i, 32 / n));                              \
    return sum;                                                                                    \
  }
SIMT_SUM_OF_PARTS(__vsads2, 2, s)
SIMT_SUM_OF_PARTS(__vsads4, 4, s)
SIMT_SUM_OF_PARTS(__vsadu2, 2, u)
SIMT_SUM_OF_PARTS(__vsadu4, 4, u)
#undef SIMT_SUM_OF_PARTS

// ---- Dot products with accumulation: four bytes with four, or two halves with two bytes.
SIMT_DEVICE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++)
    c = (int)((unsigned)c +
              (unsigned)(simt_part_s((unsigned)a, i, 8) * simt_part_s((unsigned)b, i, 8)));
  return c;
}
SIMT_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; i++) c += (unsigned)(simt_part_u(a, i, 8) * simt_part_u(b, i, 8));
  return c;
}
#define SIMT_DP2A(name, first)                                                                     \
  SIMT_DEVICE int name(int a, int b, int c) {                                                      \
    for (int i = 0; i < 2; i++)                                                                    \
      c = (int)((unsigned)c + (unsigned)(simt_part_s((unsigned)a, i, 16) *                         \
                                         simt_part_s((unsigned)b, first + i, 8)));                 \
    return c;                                                                                      \
  }                                                                                                \
  SIMT_DEVICE unsigned name(unsigned a, unsigned b, unsigned c) {                                  \
    for (int i = 0; i < 2; i++)                                                                    \
      c += (unsigned)(simt_part_u(a, i, 16) * simt_part_u(b, first + i, 8));                       \
    return c;                                                                                      \
  }
SIMT_DP2A(__dp2a_lo, 0)
SIMT_DP2A(__dp2a_hi, 2)
#undef SIMT_DP2A
SIMT_DEVICE unsigned simt_word(char4 v) { return __builtin_bit_cast(unsigned, v); }
SIMT_DEVICE unsigned simt_word(uchar4 v) { return __builtin_bit_cast(unsigned, v); }
SIMT_DEVICE unsigned simt_word(short2 v) { return __builtin_bit_cast(unsigned, v); }
SIMT_DEVICE unsigned simt_word(ushort2 v) { return __builtin_bit_cast(unsigned, v); }
#define SIMT_DOT(name, type, a_type, b_type)                                                       \
  SIMT_DEVICE type name(a_type a, b_type b, type c) {                                              \
    return name((type)simt_word(a), (type)simt_word(b), c);                                        \
  }
SIMT_DOT(__dp4a, int, char4, char4)
SIMT_DOT(__dp4a, unsigned, uchar4, uchar4)
SIMT_DOT(__dp2a_lo, int, short2, char4)
SIMT_DOT(__dp2a_lo, unsigned, ushort2, uchar4)
SIMT_DOT(__dp2a_hi, int, short2, char4)
SIMT_DOT(__dp2a_hi, unsigned, ushort2, uchar4)
#undef SIMT_DOT

// ---- The largest and smallest of three, with and without a floor at 0.
#define SIMT_OF_THREE(type, suffix, first, best)                                                   \
  SIMT_DEVICE type __vi##best##3_##suffix(type a, type b, type c) {                                \
    const type m = a first b ? a : b;                                                              \
    return m first c ? m : c;                                                                      \
  }                                                                                                \
  SIMT_DEVICE type __viadd##best##_##suffix(type a, type b, type c) {                              \
    const type m = (type)((unsigned)a + (unsigned)b);                                              \
    return m first c ? m : c;                                                                      \
  }
SIMT_OF_THREE(int, s32, >, max)
SIMT_OF_THREE(int, s32, <, min)
SIMT_OF_THREE(unsigned, u32, >, max)
SIMT_OF_THREE(unsigned, u32, <, min)
#undef SIMT_OF_THREE
SIMT_DEVICE int __vimax_s32_relu(int a, int b) { return simt_larger(simt_larger(a, b), 0); }
SIMT_DEVICE int __vimin_s32_relu(int a, int b) { return simt_larger(simt_smaller(a, b), 0); }
SIMT_DEVICE int __vimax3_s32_relu(int a, int b, int c) {
  return simt_larger(__vimax3_s32(a, b, c), 0);
}
SIMT_DEVICE int __vimin3_s32_relu(int a, int b, int c) {
  return simt_larger(__vimin3_s32(a, b, c), 0);
}

SIMT_DEVICE int __viaddmax_s32_relu(int a, int b, int c) {
  return simt_larger(__viaddmax_s32(a, b, c), 0);
}
SIMT_DEVICE int __viaddmin_s32_relu(int a, int b, int c) {
  return simt_larger(__viaddmin_s32(a, b, c), 0);
}
// The same of pairs; a sum of two parts keeps 16 bits.
SIMT_WORDS(__vimax_s16x2_relu, 2, s, simt_larger(simt_larger(x, y), 0))
SIMT_WORDS(__vimin_s16x2_relu, 2, s, simt_larger(simt_smaller(x, y), 0))
#define SIMT_PAIRS_OF_THREE(sign, best, combine)                                                   \
  SIMT_DEVICE unsigned __vi##best##3_##sign##16x2(unsigned a, unsigned b, unsigned c) {            \
    return combine(combine(a, b), c);                                                              \
  }                                                                                                \
  SIMT_DEVICE unsigned __viadd##best##_##sign##16x2(unsigned a, unsigned b, unsigned c) {          \
    return combine(__vadd2(a, b), c);                                                              \
  }
SIMT_PAIRS_OF_THREE(s, max, __vmaxs2)
SIMT_PAIRS_OF_THREE(s, min, __vmins2)
SIMT_PAIRS_OF_THREE(u, max, __vmaxu2)
SIMT_PAIRS_OF_THREE(u, min, __vminu2)
#undef SIMT_PAIRS_OF_THREE
#define SIMT_RECTIFIED(name)                                                                       \
  SIMT_DEVICE unsigned name##_relu(unsigned a, unsigned b, unsigned c) {                           \
    return __vmaxs2(name(a, b, c), 0);                                                             \
  }
SIMT_RECTIFIED(__vimax3_s16x2)
SIMT_RECTIFIED(__vimin3_s16x2)
SIMT_RECTIFIED(__viaddmax_s16x2)
SIMT_RECTIFIED(__viaddmin_s16x2)
#undef SIMT_RECTIFIED

// ---- The larger or smaller of two, and whether it is the first; of equal ones it is.
#define SIMT_WHICH(best, compare)                                                                  \
  SIMT_DEVICE int __vib##best##_s32(int a, int b, bool *first) {                                   \
    return (*first = a compare b) ? a : b;                                                         \
  }                                                                                                \
  SIMT_DEVICE unsigned __vib##best##_u32(unsigned a, unsigned b, bool *first) {                    \
    return (*first = a compare b) ? a : b;                                                         \
  }                                                                                                \
  SIMT_DEVICE unsigned __vib##best##_s16x2(unsigned a, unsigned b, bool *high, bool *low) {        \
    *high = simt_part_s(a, 1, 16) compare simt_part_s(b, 1, 16);                                   \
    *low = simt_part_s(a, 0, 16) compare simt_part_s(b, 0, 16);                                    \
    return __v##best##s2(a, b);                                                                    \
  }                                                                                                \
  SIMT_DEVICE unsigned __vib##best##_u16x2(unsigned a, unsigned b, bool *high, bool *low) {        \
    *high = simt_part_u(a, 1, 16) compare simt_part_u(b, 1, 16);                                   \
    *low = simt_part_u(a, 0, 16) compare simt_part_u(b, 0, 16);                                    \
    return __v##best##u2(a, b);                                                                    \
  }
SIMT_WHICH(max, >=)
SIMT_WHICH(min, <=)
#undef SIMT_WHICH

#undef SIMT_BOTH_SIGNS
#undef SIMT_PAIR_OF_WIDTHS
#undef SIMT_WORDS
#endif
