// SPDX-License-Identifier: MIT
// lanes/atomic.c - one lane's atomic read-modify-write. The interpreter runs one instruction at a
// time, so atomicity comes for free; what matters here is the arithmetic of each type.
// Float additions round to nearest even. Additions of f32 in global memory flush subnormal inputs
// and results to zeros of their sign; in shared memory, and for every other type, they keep them.
// Source: PTX ISA, atom and red ("current implementation"); the same on an H200
// (tests/simt/opcode_kernels.def).
#include "lanes/atomic.h"

#include <math.h>
#include <string.h>

#include "lanes/half.h"
#include "lanes/mbarrier.h"

static uint64_t integer(isa_atomic op, uint64_t old, uint64_t b, uint64_t c, uint64_t ones,
                        bool is_signed) {
  // Signed values are compared as unsigned ones with the sign bit flipped.
  uint64_t flip = is_signed ? (ones >> 1) + 1 : 0;
  switch (op) {
  case ISA_ATOM_ADD: return (old + b) & ones;
  case ISA_ATOM_MIN: return (old ^ flip) < (b ^ flip) ? old : b;
  case ISA_ATOM_MAX: return (old ^ flip) > (b ^ flip) ? old : b;
  case ISA_ATOM_AND: return old & b;
  case ISA_ATOM_OR: return old | b;
  case ISA_ATOM_XOR: return old ^ b;
  case ISA_ATOM_EXCH: return b;
  case ISA_ATOM_CAS: return old == b ? c : old;
  case ISA_ATOM_INC: return old >= b ? 0 : old + 1;
  case ISA_ATOM_DEC: return old == 0 || old > b ? b : old - 1;
  default: break;
  }
  return old;
}

static uint32_t flushed(uint32_t bits) {
  return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static uint64_t add_f32(uint64_t old, uint64_t b, bool flushes) {
  uint32_t bits[2] = {(uint32_t)old, (uint32_t)b}, result;
  if (flushes) bits[0] = flushed(bits[0]), bits[1] = flushed(bits[1]);
  float x[2];
  memcpy(x, bits, sizeof x);
  x[0] += x[1];
  if (isnan(x[0])) return 0x7fffffff;
  memcpy(&result, x, sizeof result);
  return flushes ? flushed(result) : result;
}

// In global memory a NaN keeps its bits, and the operand's has precedence over the cell's.
// Elsewhere it is as with add.f64: the cell's has precedence, and it is quieted.
static uint64_t add_f64(uint64_t old, uint64_t b, bool is_global) {
  const uint64_t quiet = UINT64_C(0x0008000000000000);
  uint64_t bits[2] = {old, b}, result;
  double x[2];
  memcpy(x, bits, sizeof x);
  if (is_global && (isnan(x[0]) || isnan(x[1]))) return isnan(x[1]) ? b : old;
  if (isnan(x[0])) return old | quiet;
  if (isnan(x[1])) return b | quiet;
  x[0] += x[1];
  if (isnan(x[0])) return UINT64_C(0xfff8000000000000);
  memcpy(&result, x, sizeof result);
  return result;
}

static uint64_t add_f16(uint64_t old, uint64_t b) {
  double sum = simt_add_to_odd(simt_float_of_f16((uint16_t)old), simt_float_of_f16((uint16_t)b));
  return simt_f16_of_double(sum, ISA_RN);
}

static uint64_t add_bf16(uint64_t old, uint64_t b) {
  double sum = simt_add_to_odd(simt_float_of_bf16((uint16_t)old), simt_float_of_bf16((uint16_t)b));
  return simt_bf16_of_double(sum, ISA_RN);
}

// The smaller or the larger of two halves, as min and max have them: a NaN is not chosen, and -0 is
// less than +0.
static uint64_t extreme(float x, float y, uint64_t old, uint64_t b, bool is_min) {
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y) ? 0x7fff : isnan(x) ? b : old;
  const bool is_less = x < y || (x == y && signbit(x));
  return is_less == is_min ? old : b;
}

static uint64_t half(isa_atomic op, uint64_t old, uint64_t b, bool is_bf16) {
  old &= 0xffff, b &= 0xffff;
  if (op == ISA_ATOM_ADD) return is_bf16 ? add_bf16(old, b) : add_f16(old, b);
  const uint16_t x = (uint16_t)old, y = (uint16_t)b;
  return is_bf16 ? extreme(simt_float_of_bf16(x), simt_float_of_bf16(y), old, b, op == ISA_ATOM_MIN)
                 : extreme(simt_float_of_f16(x), simt_float_of_f16(y), old, b, op == ISA_ATOM_MIN);
}

static uint64_t half_pair(isa_atomic op, uint64_t old, uint64_t b, bool is_bf16) {
  return half(op, old, b, is_bf16) | half(op, old >> 16, b >> 16, is_bf16) << 16;
}

static uint64_t combine(ptx_type type, isa_atomic op, uint64_t old, uint64_t b, uint64_t c,
                        bool is_global) {
  switch (type) {
  case PTX_F32:
    return op == ISA_ATOM_ADD ? add_f32(old, b, is_global)
                              : integer(op, old, b, c, UINT32_MAX, false);
  case PTX_F64:
    return op == ISA_ATOM_ADD ? add_f64(old, b, is_global)
                              : integer(op, old, b, c, UINT64_MAX, false);
  case PTX_F16: return half(op, old, b, false);
  case PTX_BF16: return half(op, old, b, true);
  case PTX_F16X2: return half_pair(op, old, b, false);
  case PTX_BF16X2: return half_pair(op, old, b, true);
  case PTX_B16: return integer(op, old, b & 0xffff, c & 0xffff, 0xffff, false);
  case PTX_S32: return integer(op, old, b, c, UINT32_MAX, true);
  case PTX_S64: return integer(op, old, b, c, UINT64_MAX, true);
  case PTX_B64:
  case PTX_U64: return integer(op, old, b, c, UINT64_MAX, false);
  default: return integer(op, old, b, c, UINT32_MAX, false);
  }
}

uint64_t simt_atomic_apply(uint16_t id, uint8_t *cell, uint64_t b, uint64_t c, uint8_t operation,
                           bool is_global) {
  ptx_type type = isa_rows[id].type;
  uint32_t size = ptx_type_size_bytes(type);
  uint64_t old = 0;
  memcpy(&old, cell, size); // little-endian hosts only, as PTX itself is little-endian
  uint64_t value = simt_is_mbarrier(operation)
                       ? simt_mbarrier_apply((isa_atomic)operation, old, b)
                       : combine(type, (isa_atomic)operation, old, b, c, is_global);
  memcpy(cell, &value, size);
  return old;
}
