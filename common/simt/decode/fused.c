// SPDX-License-Identifier: MIT
// decode/fused.c - products and sums that contract.c has found to be fused, decoded: the factors
// are kept where the product stood, the sum becomes a fused multiply-add.
#include "decode/contraction.h"

// A copy of an operand, or with `row` its negation as the function unit would read it.
static simt_status copied(const context *c, const fused_type *type, uint16_t row, uint32_t *id) {
  simt_instr in = simt_decode_as_row(c, row);
  if (row == type->neg) in.arithmetic.ftz = c->op.ftz;
  in.a = *id;
  TRY(simt_builder_operand(c->b, (simt_operand){.bytes = type->bytes, .is_register = true}, &in.d));
  *id = in.d;
  return simt_decode_emit(c->b, &in);
}

// One part of a quotient: the dividend or the divisor's reciprocal, both scaled.
static simt_status quotient_part(const context *c, instr_facts facts, simt_quotient_part part,
                                 uint32_t *id) {
  const bool is_full = facts.quotient != QUOTIENT_APPROX;
  simt_instr in = simt_decode_as_row(c, is_full ? ISA_DIV_FULL_F32 : ISA_DIV_APPROX_F32);
  in.arithmetic.ftz = c->op.ftz;
  in.arithmetic.part = (uint8_t)part;
  if (facts.quotient == QUOTIENT_RECIPROCAL) {
    const uint32_t one_bits = 0x3f800000;
    TRY(simt_builder_constant(c->b, one_bits, 4, &in.a));
    TRY(simt_decode_source(c, 1, PTX_F32, &in.b, NULL));
  } else {
    TRY(simt_decode_source(c, 1, PTX_F32, &in.a, NULL));
    TRY(simt_decode_source(c, 2, PTX_F32, &in.b, NULL));
  }
  TRY(simt_builder_operand(c->b, (simt_operand){.bytes = 4, .is_register = true}, &in.d));
  *id = in.d;
  return simt_decode_emit(c->b, &in);
}

static simt_status decode_quotient(const context *c, simt_contraction *plan, instr_facts facts) {
  uint32_t *factors = plan->factors[c->instr->operands[0].reg];
  TRY(quotient_part(c, facts, SIMT_QUOTIENT_DIVIDEND, &factors[0]));
  return quotient_part(c, facts, SIMT_QUOTIENT_INVERSE, &factors[1]);
}

static simt_status decode_product(const context *c, simt_contraction *plan,
                                  const fused_type *type) {
  const int32_t r = c->instr->operands[0].reg;
  for (uint32_t k = 0; k < 2; k++) {
    TRY(simt_decode_source(c, k + 1, type->type, &plan->factors[r][k], NULL));
    if (plan->keeps_factors[r]) TRY(copied(c, type, type->mov, &plan->factors[r][k]));
  }
  return SIMT_OK;
}

static simt_status decode_sum(const context *c, const simt_contraction *plan, instr_facts sum) {
  const fused_type *type = fused_type_of(sum);
  const int32_t r = c->instr->operands[sum.taken].reg;
  uint32_t factor = plan->factors[r][0], addend;
  TRY(simt_decode_source(c, 3u - sum.taken, type->type, &addend, NULL));
  if (sum.kind == KIND_SUB) TRY(copied(c, type, type->neg, sum.taken == 1 ? &addend : &factor));
  simt_instr in = simt_decode_as_row(c, type->fma);
  in.arithmetic.rounding = (uint8_t)c->op.rounding;
  in.arithmetic.ftz = c->op.ftz;
  in.a = factor;
  in.b = plan->factors[r][1];
  in.c = addend;
  TRY(simt_decode_result(c, type->type, &in.d));
  return simt_decode_emit(c->b, &in);
}

simt_status simt_decode_contracted(const context *c, simt_contraction *plan, bool *done) {
  const instr_facts facts = plan->instrs[c->instr - c->function->instrs];
  *done = false;
  if (facts.kind == KIND_MUL) {
    const register_facts *product = &plan->registers[c->instr->operands[0].reg];
    if (!product->is_fused) return SIMT_OK;
    *done = !product->is_needed;
    if (facts.quotient) return decode_quotient(c, plan, facts);
    return decode_product(c, plan, fused_type_of(facts));
  }
  *done = is_sum(facts) && facts.taken;
  return *done ? decode_sum(c, plan, facts) : SIMT_OK;
}
