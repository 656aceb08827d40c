// SPDX-License-Identifier: MIT
// decode/video.c - the operands of video instructions: parts of registers (%r1.b2, %r1.b7531),
// signs of a vmad (-%r1), and c, which is given where it is combined with the result or keeps its
// other parts. No other instruction has such operands.
#include "decode/builder.h"

static bool is_video(const isa_row *row) { return (row->required & M_VIDEO) != 0; }

simt_status simt_decode_refuse_parts(const context *c) {
  if (is_video(c->op.row)) return SIMT_OK;
  for (uint32_t i = 0; i < c->instr->n_operands; i++) {
    const ptx_operand *operand = &c->instr->operands[i];
    for (uint32_t k = 0; k <= operand->n_items; k++) {
      const ptx_operand *one = k ? &operand->items[k - 1] : operand;
      if (!one->part_kind && !one->minus) continue;
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "operand %u: only video instructions take %s",
                              i + 1,
                              one->minus ? "a register with a sign" : "a part of a register");
    }
  }
  return SIMT_OK;
}

bool simt_decode_is_video(const context *c) { return is_video(c->op.row); }

// What may be written at each operand: d, a, b and c, which may also be there without need.
static simt_status check_operands(const context *c, bool is_mad, bool has_c) {
  const uint32_t wanted = has_c ? 4 : 3;
  if (c->instr->n_operands != wanted && c->instr->n_operands != 4)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "'%.*s' takes %u operands here, %u are given",
                            SIMT_STR_ARG(c->instr->opcode), wanted, c->instr->n_operands);
  for (uint32_t i = 0; i < wanted; i++) {
    const ptx_operand *operand = &c->instr->operands[i];
    const bool may_be_part = i == 1 || i == 2 || (i == 0 && !is_mad);
    const bool may_have_sign = is_mad && i > 0 && !c->op.video.plus_one;
    if (operand->part_kind && operand->part == PTX_PART_ALL)
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR,
                              "operand %u must be one part, .b0 to .b3 or .h0 "
                              "and .h1",
                              i + 1);
    if (operand->part != PTX_PART_ALL && !may_be_part)
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "operand %u must be a whole register", i + 1);
    if (operand->minus && !may_have_sign)
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "operand %u may not have a sign", i + 1);
  }
  return SIMT_OK;
}

// ---- of several parts

// The parts that a source names.
static simt_status source_parts(const context *c, uint32_t index, uint32_t n, uint16_t *parts) {
  const ptx_operand *operand = &c->instr->operands[index];
  if (operand->part_kind) *parts = operand->parts;
  if (!operand->part_kind || (operand->part_kind == (n == 2 ? 'h' : 'b') && operand->n_parts == n))
    return SIMT_OK;
  return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "operand %u must name %u parts: %s", index + 1, n,
                          n == 2 ? ".h10" : ".b3210");
}

// The parts of d that are written: bits.
static simt_status result_parts(const context *c, uint32_t n, uint8_t *parts) {
  const ptx_operand *d = &c->instr->operands[0];
  if (!d->part_kind) return SIMT_OK;
  bool fits = d->part_kind == (n == 2 ? 'h' : 'b');
  *parts = 0;
  for (uint32_t i = 0; i < d->n_parts && fits; i++) {
    const uint32_t bit = 1u << (d->parts >> 4 * i & 0xf);
    fits = bit < 1u << n && bit > *parts; // from the lowest upwards
    *parts = (uint8_t)(*parts | bit);
  }
  return fits ? SIMT_OK
              : simt_decode_fail(c, SIMT_SYNTAX_ERROR, "operand 1 must name parts such as %s",
                                 n == 2 ? ".h1 or .h10" : ".b2 or .b310");
}

static simt_status decode_several(const context *c, uint32_t n, simt_instr *in) {
  isa_video *video = &in->arithmetic.video;
  *video = c->op.video;
  if (c->instr->n_operands != 4)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "'%.*s' takes 4 operands, %u are given",
                            SIMT_STR_ARG(c->instr->opcode), c->instr->n_operands);
  for (uint32_t i = 0; i < 4; i++)
    if (c->instr->operands[i].minus || (i == 3 && c->instr->operands[i].part_kind))
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "operand %u must be a whole register", i + 1);
  TRY(result_parts(c, n, &video->d_parts));
  TRY(source_parts(c, 1, n, &video->a_parts));
  TRY(source_parts(c, 2, n, &video->b_parts));
  TRY(simt_decode_result(c, PTX_B32, &in->d));
  TRY(simt_decode_source(c, 1, PTX_B32, &in->a, NULL));
  TRY(simt_decode_source(c, 2, PTX_B32, &in->b, NULL));
  TRY(simt_decode_source(c, 3, PTX_B32, &in->c, NULL));
  return simt_decode_emit(c->b, in);
}

// Completes *in, which has all that the suffixes say.
simt_status simt_decode_video(const context *c, simt_instr *in) {
  if (c->op.video.n_parts) return decode_several(c, c->op.video.n_parts, in);
  const bool is_mad = c->op.row->id == ISA_VMAD;
  const ptx_operand *operands = c->instr->operands;
  isa_video *video = &in->arithmetic.video;
  *video = c->op.video;
  video->d_part = c->instr->n_operands ? operands[0].part : PTX_PART_ALL;
  const bool has_second = video->second != ISA_SECOND_NONE;
  const bool has_c = is_mad || has_second || video->d_part != PTX_PART_ALL;
  TRY(check_operands(c, is_mad, has_c));
  if (has_second && video->d_part != PTX_PART_ALL)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR,
                            "a second operation gives a whole register, not a part");
  video->a_part = operands[1].part;
  video->b_part = operands[2].part;
  video->a_minus = operands[1].minus;
  video->b_minus = operands[2].minus;
  video->c_minus = has_c && operands[3].minus;
  TRY(simt_decode_result(c, PTX_B32, &in->d));
  TRY(simt_decode_source(c, 1, PTX_B32, &in->a, NULL));
  TRY(simt_decode_source(c, 2, PTX_B32, &in->b, NULL));
  if (has_c) TRY(simt_decode_source(c, 3, PTX_B32, &in->c, NULL));
  return simt_decode_emit(c->b, in);
}
