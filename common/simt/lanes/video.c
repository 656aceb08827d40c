// SPDX-License-Identifier: MIT
// lanes/video.c - scalar video instructions: an operation on two registers or parts of them, which
// may saturate, and a second one with c, or c with one part replaced. The kernel says at run time
// which (isa_video), so these are loops over the lanes of the mask, not vectors.
// Source: PTX ISA, 9.7.18 (scalar video instructions); the same on an H100
// (tests/simt/programs/video.cu).
#include "lanes/lanes.h"

__extension__ typedef __int128 wide;

static uint32_t bits_of_part(uint8_t part) {
  return part == PTX_PART_ALL ? 32 : part >= PTX_PART_H0 ? 16 : 8;
}

static uint32_t place_of_part(uint8_t part) {
  if (part == PTX_PART_ALL) return 0;
  return part >= PTX_PART_H0 ? 16u * (part - PTX_PART_H0) : 8u * (part - PTX_PART_B0);
}

// The value of a part of a register.
static int64_t part_of(uint32_t x, uint8_t part, bool is_signed) {
  const uint32_t bits = bits_of_part(part);
  const int64_t value = (int64_t)((uint64_t)x >> place_of_part(part) & ((UINT64_C(1) << bits) - 1));
  return is_signed && value >> (bits - 1) ? value - (INT64_C(1) << bits) : value;
}

static wide clamped(wide x, bool is_signed, uint32_t bits) {
  const wide high = (wide)1 << (is_signed ? bits - 1 : bits), low = is_signed ? -high : 0;
  return x < low ? low : x >= high ? high - 1 : x;
}

// The result as one of d's type, combined with c. Minimum and maximum compare numbers of 64 bits,
// as the machine's code does: c extended as d's type says, and the whole result, though of a sum or
// a difference (`is_sum`) only the lower half, extended by its sign even where d has none.
static uint32_t finish(wide exact, uint32_t c, const simt_arithmetic *how, bool is_sum) {
  const isa_video *v = &how->video;
  // ptxas 13 makes a whole sum without a sign saturate at 0 only, and cut off above.
  const bool is_open = is_sum && !v->d_signed && v->d_part == PTX_PART_ALL;
  if (how->saturate && is_open && exact < 0) exact = 0;
  if (how->saturate && !is_open) exact = clamped(exact, v->d_signed, bits_of_part(v->d_part));
  const uint32_t x = (uint32_t)exact;
  const int64_t result = is_sum ? (int32_t)x : (int64_t)exact;
  const bool is_less = v->d_signed ? result < (int32_t)c : (uint64_t)result < c;
  switch (v->second) {
  case ISA_SECOND_ADD: return x + c;
  case ISA_SECOND_MIN: return is_less ? x : c;
  case ISA_SECOND_MAX: return is_less ? c : x;
  default: break;
  }
  if (v->d_part == PTX_PART_ALL) return x;
  const uint32_t ones = ((1u << bits_of_part(v->d_part)) - 1) << place_of_part(v->d_part);
  return (x << place_of_part(v->d_part) & ones) | (c & ~ones);
}

static int64_t shift_count(int64_t b, const isa_video *v) {
  return v->wraps ? b & 31 : b > 32 ? 32 : b;
}

// a + b. Where it saturates to a part of d, ptxas 13 takes parts of the operands without their
// signs.
static int64_t sum_of(uint32_t a, uint32_t b, const simt_arithmetic *how) {
  const isa_video *v = &how->video;
  const bool is_part = how->saturate && v->d_part != PTX_PART_ALL;
  return part_of(a, v->a_part, v->a_signed && !(is_part && v->a_part != PTX_PART_ALL)) +
         part_of(b, v->b_part, v->b_signed && !(is_part && v->b_part != PTX_PART_ALL));
}

// a - b. Where it saturates to a part of a d without a sign, ptxas 13 has cut it off to 32 bits
// before: what is below 0 saturates above.
static int64_t difference_of(int64_t a, int64_t b, const simt_arithmetic *how) {
  const isa_video *v = &how->video;
  const bool is_cut = how->saturate && v->d_part != PTX_PART_ALL && !v->d_signed;
  return is_cut ? (int64_t)(uint32_t)(a - b) : a - b;
}

// a * b + c, of which a difference of signs negates the product and .po adds one: whole operands
// are signed then, whatever their types.
static uint32_t multiply_add(int64_t a, int64_t b, uint32_t c, const simt_arithmetic *how) {
  const isa_video *v = &how->video;
  const bool is_signed =
      v->a_signed || v->b_signed || v->a_minus != v->b_minus || v->c_minus || v->plus_one;
  if (v->plus_one && v->a_part == PTX_PART_ALL) a = (int32_t)a;
  if (v->plus_one && v->b_part == PTX_PART_ALL) b = (int32_t)b;
  wide sum = (wide)a * b;
  if (v->a_minus != v->b_minus) sum = -sum;
  // c keeps its sign where the sum is shifted, although nothing else has one.
  const bool extends_c = is_signed || (v->scale && !how->saturate);
  const wide addend = extends_c ? (wide)(int32_t)c : (wide)c;
  sum += v->c_minus ? -addend : addend;
  sum = (sum + v->plus_one) >> v->scale;
  return (uint32_t)(how->saturate ? clamped(sum, is_signed, 32) : sum);
}

#define VIDEO_LANES(name, value)                                                                   \
  LANES_FN(name) {                                                                                 \
    s_u32 *pd = LANES_SLOT(u32, in->d);                                                            \
    const s_u32 *pa = LANES_SOURCE(u32, in->a), *pb = LANES_SOURCE(u32, in->b);                    \
    const s_u32 *pc = in->c == SIMT_NO_SLOT ? pa : LANES_SOURCE(u32, in->c);                       \
    const simt_arithmetic *how = &in->arithmetic;                                                  \
    const isa_video *v = &how->video;                                                              \
    for (int l = 0; l < SIMT_LANES; l++) {                                                         \
      if (!(mask & lanes_bit[l])) continue;                                                        \
      const int64_t a = part_of(pa[l], v->a_part, v->a_signed);                                    \
      const int64_t b = part_of(pb[l], v->b_part, v->b_signed);                                    \
      pd[l] = (value);                                                                             \
    }                                                                                              \
  }
VIDEO_LANES(vadd, ((void)a, (void)b, finish(sum_of(pa[l], pb[l], how), pc[l], how, true)))
VIDEO_LANES(vsub, finish(difference_of(a, b, how), pc[l], how, true))
VIDEO_LANES(vabsdiff, finish(a < b ? b - a : a - b, pc[l], how, false))
VIDEO_LANES(vmin, finish(a < b ? a : b, pc[l], how, false))
VIDEO_LANES(vmax, finish(a < b ? b : a, pc[l], how, false))
VIDEO_LANES(vshl, finish((wide)a *((wide)1 << shift_count(b, v)), pc[l], how, false))
VIDEO_LANES(vshr, finish(a >> shift_count(b, v), pc[l], how, false))
VIDEO_LANES(vset, finish(lanes_compared(how->compare, a, b), pc[l], how, false))
VIDEO_LANES(vmad, multiply_add(a, b, pc[l], how))
