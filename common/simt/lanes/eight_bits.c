// SPDX-License-Identifier: MIT
// lanes/eight_bits.c - lane functions that convert floats of 8 bits, two of them in 16 bits.
//
// E4M3 has no infinity and one NaN of each sign, E5M2 is the upper half of an f16. Numbers are
// rounded to nearest even, what is too large becomes the largest number (.satfinite), and every
// NaN 0x7f. Source: PTX ISA 9.7.9.21.
#include "lanes/lanes.h"

typedef struct eight_format {
  int32_t digits, bias; // of the mantissa, of the exponent
  float largest;
  uint32_t largest_bits;
} eight_format;

static const eight_format e4m3 = {3, 7, 448.0f, 0x7e};
static const eight_format e5m2 = {2, 15, 57344.0f, 0x7b};

static inline uint32_t narrowed(float x, const eight_format *to) {
  const uint32_t bits = lanes_bits_f32(x), sign = bits >> 24 & 0x80u;
  const float size = lanes_f32_of_bits(bits & 0x7fffffffu);
  if (x != x) return 0x7f;
  if (size >= to->largest) return sign | to->largest_bits;
  int32_t exponent = (int32_t)(bits >> 23 & 0xffu) - 127;
  if (exponent < 1 - to->bias) exponent = 1 - to->bias;
  // In units of the last place, which adding 2^23 rounds to.
  const float scale = lanes_f32_of_bits((uint32_t)(127 + to->digits - exponent) << 23);
  const uint32_t units = lanes_bits_f32(size * scale + 0x1p23f) & 0xffu;
  return sign | (((uint32_t)(exponent + to->bias - 1) << to->digits) + units);
}

static inline uint32_t pair(uint32_t high, uint32_t low) { return high << 8 | low; }

static inline uint32_t narrowed_pair(uint32_t halves, const eight_format *to) {
  return pair(narrowed(simt_float_of_f16((uint16_t)(halves >> 16)), to),
              narrowed(simt_float_of_f16((uint16_t)halves), to));
}

static inline uint32_t widened_e4m3(uint32_t x) { // f16 has room for all of them
  const uint32_t sign = (x & 0x80u) << 8, size = x & 0x7fu;
  if (size == 0x7f) return 0x7fff;
  if (size >= 8) return sign | ((size << 7) + (8u << 10));
  return sign | simt_f16_of_float((float)size * 0x1p-9f);
}

static inline uint32_t widened_e5m2(uint32_t x) { return (x & 0x7fu) > 0x7cu ? 0x7fff : x << 8; }

#define EIGHT_BITS(T)                                                                              \
  LANES_FN(cvt_##T##x2_f32){LANES_BINARY_BODY(                                                     \
      u32, f32, f32, pair(narrowed(a, &T), narrowed(b, &T)))} LANES_FN(cvt_##T##x2_f16x2){         \
      LANES_UNARY_BODY(u32, u32, narrowed_pair(a, &T))} LANES_FN(cvt_f16x2_##T##x2) {              \
    LANES_UNARY_BODY(u32, u32, widened_##T(a >> 8 & 0xffu) << 16 | widened_##T(a & 0xffu))         \
  }
EIGHT_BITS(e4m3)
EIGHT_BITS(e5m2)
