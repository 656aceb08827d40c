// SPDX-License-Identifier: MIT
// decode/fold.c - approximations of constants, which ptxas computes itself.
//
// rsqrt.approx, sqrt.approx, ex2.approx, lg2.approx, sin.approx and cos.approx of a constant are
// replaced by the exact value, rounded to nearest: an H100 prints 1/sqrt(2) as 0x1.6a09e6p-1 where
// the argument stands in the code, and as 0x1.6a09e4p-1, which its multi-function unit gives, where
// it comes from memory (tests/simt/programs/folded_constants.cu). Zeros, subnormal numbers,
// infinities and NaN are left to the unit. rcp.approx and tanh.approx are not folded by ptxas.
#include <math.h>
#include <string.h>

#include "decode/builder.h"

// What a register holds that nothing but one `mov` of a constant writes.
static bool is_only_constant(const context *c, int32_t r, uint32_t *bits) {
  const ptx_function *f = c->function;
  uint32_t n_found = 0;
  isa_op op;
  isa_refusal refusal;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    const ptx_instr *in = &f->instrs[i];
    if (!in->n_operands || in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].reg != r)
      continue;
    const bool moves = in->n_operands == 2 && in->guard < 0 &&
                       in->operands[1].kind == PTX_OPERAND_F32 &&
                       isa_lookup(&c->b->module->isa, in, &op, &refusal) == SIMT_OK &&
                       op.row->operation == ISA_OPERATION_MOVE;
    if (!moves || ++n_found > 1) return false;
    *bits = (uint32_t)in->operands[1].bits;
  }
  return n_found == 1;
}

static bool constant_argument(const context *c, float *x) {
  const ptx_operand *operand = &c->instr->operands[1];
  uint32_t bits = (uint32_t)operand->bits;
  if (operand->kind == PTX_OPERAND_REGISTER) {
    if (!is_only_constant(c, operand->reg, &bits)) return false;
  } else if (operand->kind != PTX_OPERAND_F32) {
    return false;
  }
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
  if (!constant_argument(c, &x) || !isnormal(x)) return SIMT_OK;
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
