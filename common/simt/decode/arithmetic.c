// SPDX-License-Identifier: MIT
// decode/arithmetic.c - lane-wise instructions as dense ones: arithmetic, comparisons, conversions,
// moves to and from vectors. A clock advances while the kernel runs, so reading it is a form of its
// own.
#include "decode/builder.h"

static simt_instr arithmetic_from_op(const context *c) {
  const isa_op *op = &c->op;
  simt_instr in = simt_decode_from_op(c);
  in.arithmetic.rounding = (uint8_t)op->rounding;
  in.arithmetic.ftz = op->ftz;
  in.arithmetic.saturate = op->saturate;
  in.arithmetic.rounds_to_integer = op->rounding_to_integer;
  in.arithmetic.compare = (uint8_t)op->compare;
  in.arithmetic.boolean = (uint8_t)op->boolean;
  in.arithmetic.prmt_mode = op->prmt_mode;
  in.arithmetic.test = (uint8_t)op->test;
  return in;
}

static bool is_clock(const context *c) {
  if (c->op.row->operation != ISA_OPERATION_MOVE) return false;
  if (c->instr->n_operands != 2 || c->instr->operands[1].kind != PTX_OPERAND_SPECIAL) return false;
  simt_str name = c->instr->operands[1].name;
  return simt_str_starts(name, "%clock") || simt_str_starts(name, "%globaltimer");
}

// q of d|q, a predicate.
simt_status simt_decode_second(const context *c, uint32_t *slot) {
  const ptx_operand *operand = &c->instr->operands[0];
  if (!operand->has_second || operand->second < 0) return SIMT_OK;
  ptx_type have = c->function->registers[operand->second].type;
  if (have != PTX_PRED)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR,
                            "the second destination is a .%s register, not .pred",
                            ptx_type_name(have));
  return simt_decode_register(c, operand->second, slot);
}

static simt_status decode_clock(const context *c) {
  simt_instr in = simt_decode_blank(c, SIMT_FORM_CLOCK, SIMT_CLASS_MOVE);
  simt_str name = c->instr->operands[1].name;
  in.clock.bytes = simt_decode_register_bytes(c, &c->instr->operands[0]);
  in.clock.upper_half =
      simt_str_starts(name, "%clock_hi") || simt_str_starts(name, "%globaltimer_hi"); // upper half
  TRY(simt_decode_result(c, in.clock.bytes == 8 ? PTX_B64 : PTX_B32, &in.d));
  return simt_decode_emit(c->b, &in);
}

// cvt is the one lane-wise operation whose registers may be wider than its types.
static simt_status decode_convert(const context *c, simt_instr *in) {
  const isa_row *row = c->op.row;
  uint8_t *d_bytes = &in->arithmetic.d_bytes, *a_bytes = &in->arithmetic.a_bytes;
  *d_bytes = simt_decode_lane_bytes(row->d);
  *a_bytes = simt_decode_lane_bytes(row->a);
  uint8_t d = simt_decode_register_bytes(c, &c->instr->operands[0]);
  uint8_t a = c->instr->n_operands > 1 ? simt_decode_register_bytes(c, &c->instr->operands[1]) : 0;
  if (d > *d_bytes) *d_bytes = d;
  if (a > *a_bytes) *a_bytes = a;
  TRY(simt_decode_result(c, *d_bytes == 8 ? PTX_B64 : PTX_B32, &in->d));
  for (uint32_t i = 1; i < c->instr->n_operands && i <= 2; i++) {
    ptx_type type = i == 1 ? row->a : row->b;
    if (i == 1 && *a_bytes > simt_decode_lane_bytes(type)) type = PTX_B64;
    TRY(simt_decode_source(c, i, type, i == 1 ? &in->a : &in->b, NULL));
  }
  return simt_decode_emit(c->b, in);
}

// p|q of a comparison: either may be `_`.
static simt_status decode_predicates(const context *c, simt_instr *in) {
  const ptx_operand *operand = &c->instr->operands[0];
  if (operand->kind == PTX_OPERAND_SINK) return simt_decode_second(c, &in->arithmetic.second_d);
  TRY(simt_decode_result(c, PTX_PRED, &in->d));
  return simt_decode_second(c, &in->arithmetic.second_d);
}

simt_status simt_decode_lanes(const context *c) {
  const isa_row *row = c->op.row;
  uint32_t n = c->instr->n_operands - 1;
  if (simt_decode_is_video(c)) {
    simt_instr video = arithmetic_from_op(c);
    return simt_decode_video(c, &video);
  }
  if (c->instr->n_operands < 1u + row->n_sources || n > 4)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "'%.*s' takes %u source operands, %d are given",
                            SIMT_STR_ARG(c->instr->opcode), row->n_sources, (int)n);
  if (is_clock(c)) return decode_clock(c);
  simt_instr in = arithmetic_from_op(c);
  if (row->operation == ISA_OPERATION_CONVERT) return decode_convert(c, &in);
  const ptx_type third = c->op.boolean != ISA_BOOL_NONE ? PTX_PRED : row->c;
  const ptx_type types[4] = {row->a, row->b, third, PTX_B32};
  uint32_t *slots[4] = {&in.a, &in.b, &in.c, &in.arithmetic.fourth};
  bool *negated[4] = {&in.a_negated, &in.b_negated, &in.c_negated, NULL};
  if (row->form == ISA_SETP) TRY(decode_predicates(c, &in));
  else TRY(simt_decode_result(c, row->d, &in.d));
  for (uint32_t i = 0; i < n && row->n_sources; i++) // without sources: a policy, whatever is asked
    TRY(simt_decode_source(c, i + 1, types[i], slots[i], negated[i]));
  return simt_decode_emit(c->b, &in);
}

// lop3.or d|p, a, b, c, table, q: p is (d != 0) or q, so it is lop3 and setp.
simt_status simt_decode_logic(const context *c) {
  const ptx_instr *instr = c->instr;
  if (instr->n_operands != 6 || !instr->operands[0].has_second)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR,
                            "'lop3' with a predicate takes d|p and 5 sources");
  simt_instr in = simt_decode_as_row(c, ISA_LOP3_B32), set = simt_decode_as_row(c, ISA_SETP_B32);
  uint32_t *slots[4] = {&in.a, &in.b, &in.c, &in.arithmetic.fourth};
  for (uint32_t i = 0; i < 4; i++) TRY(simt_decode_source(c, i + 1, PTX_B32, slots[i], NULL));
  if (instr->operands[0].kind == PTX_OPERAND_SINK)
    TRY(simt_builder_operand(c->b, (simt_operand){.bytes = 4, .is_register = true}, &in.d));
  else TRY(simt_decode_result(c, PTX_B32, &in.d));
  TRY(simt_decode_emit(c->b, &in));
  set.form = ISA_SETP;
  set.arithmetic.second_d = SIMT_NO_SLOT;
  set.arithmetic.compare = ISA_NE;
  set.arithmetic.boolean = c->op.row->id == ISA_LOP3_OR_B32 ? ISA_BOOL_OR : ISA_BOOL_AND;
  set.a = in.d;
  TRY(simt_builder_constant(c->b, 0, 4, &set.b));
  TRY(simt_decode_source(c, 5, PTX_PRED, &set.c, &set.c_negated));
  TRY(simt_decode_second(c, &set.d));
  return set.d == SIMT_NO_SLOT ? SIMT_OK : simt_decode_emit(c->b, &set);
}

// mov.b64 %rd, {%r1, %r2} and mov.b64 {%r1, %r2}, %rd.
simt_status simt_decode_pack(const context *c, bool pack) {
  const isa_row *row = c->op.row;
  simt_instr in = simt_decode_from_op(c);
  const ptx_operand *vector = &c->instr->operands[pack ? 1 : 0];
  if (c->instr->n_operands != 2 || vector->kind != PTX_OPERAND_VECTOR || vector->n_items > 4 ||
      vector->n_items < 2)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "a vector of 2 or 4 registers was expected");
  const uint32_t bytes = ptx_type_size_bytes(row->type) / vector->n_items;
  in.pack.n_elements = (uint8_t)vector->n_items;
  in.pack.element_bytes = (uint8_t)bytes;
  ptx_type element = bytes == 8 ? PTX_B64 : bytes == 4 ? PTX_B32 : PTX_B16;
  if (pack) TRY(simt_decode_result(c, row->type, &in.d));
  else TRY(simt_decode_source(c, 1, row->type, &in.a, NULL));
  for (uint32_t i = 0; i < vector->n_items; i++) {
    bool fits = vector->items[i].kind == PTX_OPERAND_REGISTER ||
                (pack ? vector->items[i].kind != PTX_OPERAND_SINK
                      : vector->items[i].kind == PTX_OPERAND_SINK);
    if (!fits)
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "element %u of the vector must be a register",
                              i + 1);
    TRY(simt_decode_value(c, &vector->items[i], element, &in.pack.element[i]));
  }
  return simt_decode_emit(c->b, &in);
}
