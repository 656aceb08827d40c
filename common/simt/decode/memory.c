// SPDX-License-Identifier: MIT
// decode/memory.c - loads, stores, atomics and address conversions as dense instructions.
// Refused: registers narrower than the access, stores to parameters and constants, vectors of more
// than four elements.
#include "decode/builder.h"

// ---- memory ------------------------------------------------------------------------------------

// ld.param of a kernel parameter by name is a move from a slot filled once per launch.
static bool is_plain_param(const context *c, const simt_instr *in) {
  const ptx_operand *address = &c->instr->operands[1];
  return in->memory.space == PTX_SPACE_PARAM && !c->site && in->memory.vector == 1 &&
         in->memory.data_bytes <= 8 && address->base == PTX_OPERAND_SYMBOL;
}

static simt_status decode_param_move(const context *c, const simt_instr *load) {
  simt_instr in = simt_decode_as_row(c, load->memory.data_bytes == 8 ? ISA_MOV_B64 : ISA_MOV_B32);
  in.klass = SIMT_CLASS_PARAMETER;
  in.d = load->d;
  if (in.d == SIMT_NO_SLOT)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "the result may not go to _");
  ptx_space space;
  uint64_t offset;
  TRY(simt_decode_symbol(c, c->instr->operands[1].name, &space, &offset));
  offset += (uint64_t)load->memory.offset;
  if (offset + load->memory.width_bytes > c->function->param_bytes)
    return simt_decode_fail(c, SIMT_ILLEGAL_ADDRESS, "reads beyond the kernel's parameters");
  simt_fill fill = {.kind = SIMT_FILL_PARAM,
                    .bytes = load->memory.data_bytes,
                    .value = offset,
                    .param_bytes = load->memory.width_bytes,
                    .param_signed = load->memory.sign_extend};
  TRY(simt_builder_fill(c->b, fill, &in.a));
  return simt_decode_emit(c->b, &in);
}

static bool is_signed(ptx_type type) {
  return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

// The data operand of a load or store: one register or constant, or a vector of them.
static simt_status decode_data(const context *c, const ptx_operand *operand, bool is_load,
                               simt_instr *in) {
  const ptx_operand *items = operand->kind == PTX_OPERAND_VECTOR ? operand->items : operand;
  uint32_t n = operand->kind == PTX_OPERAND_VECTOR ? operand->n_items : 1;
  if (n != in->memory.vector || n > 4)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR,
                            "%u data registers are given where .v%u needs %u (at most 4)", n,
                            in->memory.vector, in->memory.vector);
  in->memory.data_bytes = in->memory.width_bytes <= 4 ? 4 : in->memory.width_bytes;
  for (uint32_t i = 0; i < n; i++) { // a register may be wider than the type
    uint8_t bytes = simt_decode_register_bytes(c, &items[i]);
    if (bytes) in->memory.data_bytes = bytes;
  }
  for (uint32_t i = 0; i < n; i++) {
    ptx_type type = in->memory.data_bytes == 16  ? PTX_B128
                    : in->memory.data_bytes == 8 ? PTX_B64
                                                 : PTX_B32;
    if (items[i].kind == PTX_OPERAND_F64 && c->op.row->type == PTX_F32) type = PTX_F32;
    if (is_load && items[i].kind != PTX_OPERAND_REGISTER && items[i].kind != PTX_OPERAND_SINK)
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "a load needs registers to load into");
    TRY(simt_decode_value(c, &items[i], type, &in->memory.data[i]));
  }
  if (in->memory.data_bytes < in->memory.width_bytes)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "the register is narrower than the access");
  if (in->memory.data_bytes == 16 && in->memory.width_bytes != 16)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "a .b128 register needs an access of 16 bytes");
  return SIMT_OK;
}

static uint8_t class_of_space(uint8_t space) {
  switch (space) {
  case PTX_SPACE_SHARED:
  case PTX_SPACE_SHARED_CLUSTER: return SIMT_CLASS_SHARED;
  case PTX_SPACE_LOCAL: return SIMT_CLASS_LOCAL;
  case PTX_SPACE_PARAM:
  case PTX_SPACE_CONST: return SIMT_CLASS_PARAMETER;
  default: return SIMT_CLASS_GLOBAL;
  }
}

static void note_order(const context *c, const simt_instr *in) {
  const uint8_t space = in->memory.space;
  bool visible = space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC;
  if (visible && in->memory.order != ISA_WEAK) c->b->kernel->order_matters = true;
}

// A policy for the cache, the last operand, has no effect.
static simt_instr access_from_op(const context *c) {
  const isa_op *op = &c->op;
  simt_instr in = simt_decode_from_op(c);
  in.memory.width_bytes = (uint8_t)ptx_type_size_bytes(op->row->type);
  in.memory.vector = op->vector ? op->vector : 1;
  in.memory.space = (uint8_t)op->space;
  in.memory.order = (uint8_t)op->order;
  in.memory.scope = (uint8_t)op->scope;
  in.memory.operation = (uint8_t)op->atomic;
  return in;
}

simt_status simt_decode_load_store(const context *c, bool is_load) {
  simt_instr in = access_from_op(c);
  in.memory.sign_extend = is_load && is_signed(c->op.row->type);
  if (c->instr->n_operands < 2)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "an address and a register are needed");
  TRY(decode_data(c, &c->instr->operands[is_load ? 0 : 1], is_load, &in));
  TRY(simt_decode_address(c, is_load ? 1 : 0, &in));
  if (is_load) in.d = in.memory.data[0];
  in.klass =
      c->op.space == PTX_SPACE_PARAM ? SIMT_CLASS_PARAMETER : class_of_space(in.memory.space);
  if (is_load && is_plain_param(c, &in)) return decode_param_move(c, &in);
  if (!is_load && in.memory.space == PTX_SPACE_PARAM)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "kernel parameters cannot be written");
  if (!is_load && in.memory.space == PTX_SPACE_CONST)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "constant memory cannot be written");
  note_order(c, &in);
  return simt_decode_emit(c->b, &in);
}

// Element by element, as the hardware promises no more: those of a result go to registers of their
// own first, because a register may be an operand as well.
static simt_status decode_vector_atomic(const context *c, bool is_red) {
  const ptx_instr *instr = c->instr;
  const ptx_type type = c->op.row->type;
  const uint32_t n = c->op.vector, at = is_red ? 0 : 1;
  const uint32_t bytes = ptx_type_size_bytes(type), most = bytes == 2 ? 8 : 4;
  for (uint32_t i = 0; i < instr->n_operands && i <= at + 1; i++)
    if (i != at && (instr->operands[i].kind != PTX_OPERAND_VECTOR ||
                    instr->operands[i].n_items != n || n > most))
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "a vector of %u registers was expected", n);
  uint32_t old[8];
  simt_instr in = access_from_op(c);
  in.memory.data_bytes = 4;
  in.memory.discards = is_red;
  TRY(simt_decode_address(c, at, &in));
  for (uint32_t i = 0; i < n; i++, in.memory.offset += bytes) {
    TRY(simt_decode_value(c, &instr->operands[at + 1].items[i], type, &in.b));
    if (!is_red) {
      TRY(simt_builder_operand(c->b, (simt_operand){.bytes = 4, .is_register = true}, &old[i]));
      in.d = old[i];
    }
    TRY(simt_decode_emit(c->b, &in));
    in.memory.vector = 1; // the first one is aligned as all of them (core/access.c)
  }
  for (uint32_t i = 0; i < n && !is_red; i++) {
    simt_instr move = simt_decode_as_row(c, ISA_MOV_B32);
    move.a = old[i];
    TRY(simt_decode_value(c, &instr->operands[0].items[i], type, &move.d));
    if (instr->operands[0].items[i].kind == PTX_OPERAND_REGISTER)
      TRY(simt_decode_emit(c->b, &move));
  }
  return SIMT_OK;
}

simt_status simt_decode_atomic(const context *c, bool is_red) {
  if (c->op.row->required & M_VEC) return decode_vector_atomic(c, is_red);
  simt_instr in = access_from_op(c);
  const ptx_type type = c->op.row->type;
  uint32_t at = is_red ? 0 : 1; // operand of the address
  in.memory.data_bytes = simt_decode_lane_bytes(type);
  bool sink = !is_red && c->instr->n_operands && c->instr->operands[0].kind == PTX_OPERAND_SINK;
  if (!is_red && !sink) TRY(simt_decode_result(c, type, &in.d));
  in.memory.discards = in.d == SIMT_NO_SLOT;
  TRY(simt_decode_address(c, at, &in));
  TRY(simt_decode_source(c, at + 1, type, &in.b, NULL));
  if (c->op.atomic == ISA_ATOM_CAS) TRY(simt_decode_source(c, at + 2, type, &in.c, NULL));
  if (in.memory.space != PTX_SPACE_SHARED) c->b->kernel->order_matters = true;
  return simt_decode_emit(c->b, &in);
}

// ---- address conversions -----------------------------------------------------------------------

static uint64_t window_of(const context *c, ptx_space space) {
  if (space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER) return SIMT_SHARED_WINDOW;
  if (space == PTX_SPACE_LOCAL || (space == PTX_SPACE_PARAM && c->site)) return SIMT_LOCAL_WINDOW;
  if (space == PTX_SPACE_PARAM) return SIMT_PARAM_WINDOW;
  return 0; // global and constant addresses are generic addresses
}

simt_status simt_decode_cvta(const context *c) {
  uint64_t window = window_of(c, c->op.space);
  const ptx_type type = c->op.row->type;
  if (ptx_type_size_bytes(type) != 8)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "only 64-bit addresses are supported");
  simt_instr in = simt_decode_as_row(c, window == 0      ? ISA_MOV_B64
                                        : c->op.to_space ? ISA_SUB_U64
                                                         : ISA_ADD_U64);
  TRY(simt_decode_result(c, PTX_B64, &in.d));
  TRY(simt_decode_source(c, 1, PTX_B64, &in.a, NULL));
  if (window) TRY(simt_builder_constant(c->b, window, 8, &in.b));
  return simt_decode_emit(c->b, &in);
}

simt_status simt_decode_isspacep(const context *c) {
  simt_instr in = simt_decode_from_op(c);
  in.memory.space = (uint8_t)c->op.space;
  TRY(simt_decode_result(c, PTX_PRED, &in.d));
  TRY(simt_decode_source(c, 1, PTX_B64, &in.a, NULL));
  return simt_decode_emit(c->b, &in);
}
