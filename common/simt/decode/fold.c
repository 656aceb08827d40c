// SPDX-License-Identifier: MIT
// decode/fold.c - approximations of constants, which ptxas computes itself.
//
// rsqrt.approx, sqrt.approx, ex2.approx, lg2.approx, sin.approx and cos.approx of a constant are
// replaced by the exact value, rounded to nearest: an H100 prints 1/sqrt(2) as 0x1.6a09e6p-1 where
// the argument stands in the code, and as 0x1.6a09e4p-1, which its multi-function unit gives, where
// it comes from memory (tests/simt/programs/folded_constants.cu). Zeros, subnormal numbers,
// infinities and NaN are left to the unit. A constant is also what is computed from constants: nvcc
// does so before, clang leaves expf()'s saturation and its sum rounded down. rcp.approx and
// tanh.approx are not folded by ptxas.
#include <math.h>
#include <string.h>

#include "decode/builder.h"
#include "lanes/rounding.h"

enum { MAX_DEPTH = 12 }; // of expf()'s way to its ex2.approx, and some more

static bool value_of(const context *c, const ptx_operand *operand, int depth, float *x);

// The only instruction that writes a register; NULL: there are several, or it is one that may not.
static const ptx_instr *only_writer(const context *c, int32_t r, isa_op *op) {
  const ptx_function *f = c->function;
  const ptx_instr *found = NULL;
  isa_refusal refusal;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    const ptx_instr *in = &f->instrs[i];
    if (!in->n_operands || in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].reg != r)
      continue;
    if (found || in->guard >= 0) return NULL;
    found = in;
  }
  if (!found || isa_lookup(&c->b->module->isa, found, op, &refusal) != SIMT_OK) return NULL;
  return found;
}

// What a register holds that a constant is moved to, or that is computed from such ones.
static bool register_value(const context *c, int32_t r, int depth, float *x) {
  isa_op op;
  const ptx_instr *in = depth ? only_writer(c, r, &op) : NULL;
  float v[3] = {0};
  if (!in || in->n_operands > 4) return false;
  for (uint32_t k = 1; k < in->n_operands; k++)
    if (!value_of(c, &in->operands[k], depth - 1, &v[k - 1])) return false;
  if (op.row->operation == ISA_OPERATION_MOVE) {
    *x = v[0];
    return in->n_operands == 2;
  }
  const isa_rounding rounding = op.has_rounding ? op.rounding : ISA_RN;
  switch (op.row->id) {
  case ISA_CVT_F32_F32:
    *x = v[0];
    if (op.rounding_to_integer) return false;
    break;
  case ISA_NEG_F32: *x = -v[0]; break;
  case ISA_ADD_F32: *x = simt_rounded_f32(SIMT_OP_ADD, rounding, v[0], v[1], 0); break;
  case ISA_SUB_F32: *x = simt_rounded_f32(SIMT_OP_SUB, rounding, v[0], v[1], 0); break;
  case ISA_MUL_F32: *x = simt_rounded_f32(SIMT_OP_MUL, rounding, v[0], v[1], 0); break;
  case ISA_FMA_F32: *x = simt_rounded_f32(SIMT_OP_FMA, rounding, v[0], v[1], v[2]); break;
  default: return false;
  }
  if (op.saturate) *x = *x > 0 ? fminf(*x, 1) : 0;
  return *x == 0 || isnormal(*x);
}

static bool value_of(const context *c, const ptx_operand *operand, int depth, float *x) {
  const uint32_t bits = (uint32_t)operand->bits;
  if (operand->kind == PTX_OPERAND_REGISTER) return register_value(c, operand->reg, depth, x);
  if (operand->kind != PTX_OPERAND_F32) return false;
  memcpy(x, &bits, sizeof *x);
  return true;
}

simt_status simt_decode_folded(const context *c, bool *done) {
  float x;
  double y;
  double (*function)(double) = NULL;
  switch (c->op.row->id) {
  case ISA_RSQRT_APPROX_F32:
  case ISA_SQRT_APPROX_F32: function = sqrt; break;
  case ISA_EX2_APPROX_F32: function = exp2; break;
  case ISA_LG2_APPROX_F32: function = log2; break;
  case ISA_SIN_APPROX_F32: function = sin; break;
  case ISA_COS_APPROX_F32: function = cos; break;
  default: return SIMT_OK;
  }
  if (!value_of(c, &c->instr->operands[1], MAX_DEPTH, &x) || !isnormal(x)) return SIMT_OK;
  y = function((double)x);
  if (c->op.row->id == ISA_RSQRT_APPROX_F32) y = 1.0 / y;
  const float rounded = (float)y;
  if (!isnormal(rounded)) return SIMT_OK;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  simt_instr in = simt_decode_as_row(c, ISA_MOV_B32);
  TRY(simt_builder_constant(c->b, bits, 4, &in.a));
  TRY(simt_decode_result(c, PTX_F32, &in.d));
  *done = true;
  return simt_decode_emit(c->b, &in);
}
