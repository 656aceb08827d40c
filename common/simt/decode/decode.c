// SPDX-License-Identifier: MIT
// decode/decode.c - from a parsed PTX function to a flat array of dense instructions.
//
// Calls are expanded in place, `ret` in a called function becomes a jump behind the call. Then
// control flow is analysed, a marker is put before every basic block, and decode/slots.c gives
// every virtual operand its place in the register file. Refused, with opcode and line: calls
// through pointers, recursion, functions defined elsewhere (but for vprintf, __assertfail and our
// own __simt_grid_sync).
#include "decode/decode.h"

#include <inttypes.h>
#include <string.h>

#include "decode/analysis/analysis.h"
#include "decode/builder.h"
#include "decode/layout.h"
#include "device/operands.h"
#include "lanes/table.h"

static simt_status expand(builder *b, const ptx_function *function, const call_site *site);

// ---- emitting ----------------------------------------------------------------------------------

simt_status simt_decode_emit(builder *b, const simt_instr *in) {
  if (b->n_code == DECODE_MAX_INSTRUCTIONS)
    return simt_fail(b->diag, SIMT_OUT_OF_RESOURCES,
                     "kernel '%s' grows beyond %d instructions when its calls are expanded",
                     b->kernel->name, DECODE_MAX_INSTRUCTIONS);
  if (b->n_code == b->code_capacity) {
    uint32_t capacity = b->code_capacity ? 2 * b->code_capacity : 256;
    simt_instr *code = SIMT_ARENA_ARRAY(&b->scratch, simt_instr, capacity);
    if (!code)
      return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%s'",
                       b->kernel->name);
    if (b->n_code) memcpy(code, b->code, b->n_code * sizeof *code);
    b->code = code;
    b->code_capacity = capacity;
  }
  b->code[b->n_code] = *in;
  b->code[b->n_code].pc = b->n_code;
  b->n_code++;
  return SIMT_OK;
}

simt_instr simt_decode_blank(const context *c, uint8_t form, simt_class klass) {
  simt_instr in = simt_blank_instr(form);
  in.klass = (uint8_t)klass;
  in.loc = c->instr->loc;
  in.ptx_line = c->instr->line;
  if (c->instr->guard >= 0) {
    in.guard = c->frame->register_base + (uint32_t)c->instr->guard;
    in.guard_negated = c->instr->guard_negated;
  }
  return in;
}

simt_instr simt_decode_from_op(const context *c) {
  const isa_op *op = &c->op;
  simt_instr in = simt_decode_blank(c, (uint8_t)op->row->form, op->row->klass);
  in.id = (uint16_t)op->row->id;
  in.lanes = simt_lanes_of(op->row->id);
  return in;
}

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

// An instruction of another row, for operations that reduce to a move or an addition.
simt_instr simt_decode_as_row(const context *c, isa_id id) {
  simt_instr in = simt_decode_blank(c, ISA_LANES, c->op.row->klass);
  in.id = (uint16_t)id;
  in.lanes = simt_lanes_of(id);
  return in;
}
// ---- lane-wise instructions --------------------------------------------------------------------

static bool is_clock(const context *c) {
  if (c->op.row->operation != ISA_OPERATION_MOVE) return false;
  if (c->instr->n_operands != 2 || c->instr->operands[1].kind != PTX_OPERAND_SPECIAL) return false;
  simt_str name = c->instr->operands[1].name;
  return simt_str_starts(name, "%clock") || simt_str_starts(name, "%globaltimer");
}

// q of d|q, a predicate.
static simt_status decode_second(const context *c, uint32_t *slot) {
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
  if (operand->kind == PTX_OPERAND_SINK) return decode_second(c, &in->arithmetic.second_d);
  TRY(simt_decode_result(c, PTX_PRED, &in->d));
  return decode_second(c, &in->arithmetic.second_d);
}

static simt_status decode_lanes(const context *c) {
  const isa_row *row = c->op.row;
  uint32_t n = c->instr->n_operands - 1;
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
  for (uint32_t i = 0; i < n; i++)
    TRY(simt_decode_source(c, i + 1, types[i], slots[i], negated[i]));
  return simt_decode_emit(c->b, &in);
}

// mov.b64 %rd, {%r1, %r2} and mov.b64 {%r1, %r2}, %rd.
static simt_status decode_pack(const context *c, bool pack) {
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

// ---- control flow ------------------------------------------------------------------------------

// Branch targets are PTX instruction indices until expand() knows the dense ones.
static simt_status decode_branch(const context *c) {
  simt_instr in = simt_decode_from_op(c);
  const ptx_operand *label = c->instr->n_operands == 1 ? &c->instr->operands[0] : NULL;
  if (!label || label->kind != PTX_OPERAND_SYMBOL)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "a branch needs one label");
  int64_t target = ptx_find_label(c->function, label->name);
  if (target < 0)
    return simt_decode_fail(c, SIMT_NOT_FOUND, "label '%.*s' does not exist in this function",
                            SIMT_STR_ARG(label->name));
  in.branch.target = (uint32_t)target;
  in.branch.is_pending = true;
  return simt_decode_emit(c->b, &in);
}

static simt_status decode_return(const context *c) {
  simt_instr in = simt_decode_from_op(c);
  if (c->op.row->form == ISA_RETURN && c->site) {
    const uint16_t id = in.id;
    in = simt_decode_blank(c, ISA_BRANCH, c->op.row->klass);
    in.id = id;
    in.branch.target = c->function->n_instrs; // behind the last instruction: back in the caller
    in.branch.is_pending = true;
  } else if (c->op.row->form == ISA_RETURN) {
    in.form = ISA_EXIT;
  }
  return simt_decode_emit(c->b, &in);
}

static const ptx_operand *call_list(const ptx_instr *instr, bool behind_name) {
  bool named = false;
  for (uint32_t i = 0; i < instr->n_operands; i++) {
    const ptx_operand *operand = &instr->operands[i];
    if (operand->kind == PTX_OPERAND_LIST && named == behind_name) return operand;
    if (operand->kind == PTX_OPERAND_SYMBOL) named = true;
  }
  return NULL;
}

// Stack offsets of the variables in a call's argument or result list.
static simt_status call_offsets(const context *c, const ptx_operand *list, uint32_t n_wanted,
                                const uint64_t **out) {
  uint32_t n = list ? list->n_items : 0;
  if (n != n_wanted)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "the call passes %u values where %u are declared",
                            n, n_wanted);
  uint64_t *offsets = SIMT_ARENA_ARRAY(&c->b->scratch, uint64_t, n + 1);
  if (!offsets) return simt_decode_fail(c, SIMT_OUT_OF_MEMORY, "no memory left");
  for (uint32_t i = 0; i < n; i++) {
    ptx_space space;
    if (list->items[i].kind != PTX_OPERAND_SYMBOL)
      return simt_decode_fail(c, SIMT_UNSUPPORTED, "arguments must be passed in .param variables");
    TRY(simt_decode_symbol(c, list->items[i].name, &space, &offsets[i]));
    if (space != PTX_SPACE_LOCAL)
      return simt_decode_fail(c, SIMT_UNSUPPORTED, "arguments must be passed in .param variables");
  }
  *out = offsets;
  return SIMT_OK;
}

// A load of `bytes` from stack offset `at` into a fresh register.
static simt_status load_argument(const context *c, uint64_t at, uint8_t bytes, uint32_t *id) {
  simt_instr in = simt_decode_blank(c, ISA_LOAD, SIMT_CLASS_PARAMETER);
  TRY(simt_builder_operand(c->b, (simt_operand){.bytes = bytes, .is_register = true}, id));
  in.d = in.memory.data[0] = *id;
  in.memory.width_bytes = in.memory.data_bytes = bytes;
  in.memory.vector = 1;
  in.memory.address_bits = 64;
  in.memory.space = PTX_SPACE_LOCAL;
  TRY(simt_builder_constant(c->b, at, 8, &in.a));
  return simt_decode_emit(c->b, &in);
}

static simt_status call_vprintf(const context *c, const uint64_t *in_at, const uint64_t *out_at) {
  simt_instr in = simt_decode_blank(c, SIMT_FORM_PRINTF, SIMT_CLASS_CONTROL);
  TRY(load_argument(c, in_at[0], 8, &in.a));
  TRY(load_argument(c, in_at[1], 8, &in.b));
  in.print.result_offset = out_at[0];
  c->b->kernel->order_matters = true;
  return simt_decode_emit(c->b, &in);
}

static simt_status call_assertfail(const context *c, const uint64_t *at) {
  simt_instr in = simt_decode_blank(c, SIMT_FORM_ASSERT, SIMT_CLASS_CONTROL);
  TRY(load_argument(c, at[0], 8,
                    &in.assertion.text[0])); // message, file, line, function, size of a character
  TRY(load_argument(c, at[1], 8, &in.assertion.text[1]));
  TRY(load_argument(c, at[2], 4, &in.a));
  TRY(load_argument(c, at[3], 8, &in.assertion.text[2]));
  return simt_decode_emit(c->b, &in);
}

// Functions the software GPU itself provides.
static simt_status call_builtin(const context *c, simt_str name, const uint64_t *in_at,
                                uint32_t n_in, const uint64_t *out_at, uint32_t n_out) {
  if (simt_str_is(name, "vprintf") && n_in == 2 && n_out == 1)
    return call_vprintf(c, in_at, out_at);
  if (simt_str_is(name, "__assertfail") && n_in == 5) return call_assertfail(c, in_at);
  if (simt_str_is(name, "__simt_grid_sync") && n_in == 0) {
    simt_instr in = simt_decode_blank(c, SIMT_FORM_GRID_SYNC, SIMT_CLASS_BARRIER);
    c->b->kernel->order_matters = true;
    return simt_decode_emit(c->b, &in);
  }
  return simt_decode_fail(c, SIMT_UNSUPPORTED,
                          "calls '%.*s', which is not defined in this module%s", SIMT_STR_ARG(name),
                          simt_str_is(name, "malloc") || simt_str_is(name, "free")
                              ? " (the device heap is not supported)"
                              : "");
}

static simt_str callee_name(const ptx_instr *instr) {
  for (uint32_t i = 0; i < instr->n_operands; i++)
    if (instr->operands[i].kind == PTX_OPERAND_SYMBOL) return instr->operands[i].name;
  return (simt_str){0};
}

static simt_status expand_call(const context *c) {
  simt_str name = callee_name(c->instr);
  const ptx_function *callee = simt_decode_callee(c->b->module->ptx, c->instr);
  if (!callee)
    return simt_decode_fail(c, SIMT_UNSUPPORTED,
                            "calls through function pointers are not supported");
  call_site site = {0};
  TRY(call_offsets(c, call_list(c->instr, false), callee->n_returns, &site.return_offset));
  TRY(call_offsets(c, call_list(c->instr, true), callee->n_params, &site.param_offset));
  if (!callee->has_body)
    return call_builtin(c, name, site.param_offset, callee->n_params, site.return_offset,
                        callee->n_returns);
  return expand(c->b, callee, &site);
}

// A guarded call: lanes that do not call jump over the expanded body.
static simt_status decode_call(context *c) {
  if (c->instr->guard < 0) return expand_call(c);
  simt_instr skip = simt_decode_blank(c, ISA_BRANCH, SIMT_CLASS_BRANCH);
  skip.guard_negated = !skip.guard_negated;
  uint32_t at = c->b->n_code;
  TRY(simt_decode_emit(c->b, &skip));
  ptx_instr unguarded = *c->instr;
  unguarded.guard = -1;
  context body = *c;
  body.instr = &unguarded;
  TRY(expand_call(&body));
  c->b->code[at].branch.target = c->b->n_code; // final already
  return SIMT_OK;
}

// ---- barriers and warp-level operations --------------------------------------------------------

static simt_status decode_barrier(const context *c) {
  simt_instr in = simt_decode_from_op(c);
  const ptx_instr *instr = c->instr;
  uint32_t at = 0, end = instr->n_operands;
  in.barrier.is_aligned = c->op.aligned;
  if (c->op.row->form == ISA_BARRIER_RED) { // d, a[, b], {!}p
    in.barrier.reduction = (uint8_t)c->op.barrier_reduction;
    TRY(simt_decode_result(c, in.barrier.reduction == ISA_BOOL_NONE ? PTX_B32 : PTX_PRED, &in.d));
    at++;
    if (end < 3)
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR,
                              "a barrier reduction needs a destination, a barrier and a predicate");
    TRY(simt_decode_source(c, --end, PTX_PRED, &in.c, &in.c_negated));
  }
  if (at < end) TRY(simt_decode_source(c, at++, PTX_B32, &in.a, NULL));
  else TRY(simt_builder_constant(c->b, 0, 4, &in.a));
  if (at < end) TRY(simt_decode_source(c, at, PTX_B32, &in.b, NULL));
  if (c->op.row->form == ISA_BARRIER_ARRIVE && in.b == SIMT_NO_SLOT)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "an arrival needs the number of threads");
  return simt_decode_emit(c->b, &in);
}

static simt_status decode_collective(const context *c) {
  const isa_row *row = c->op.row;
  simt_instr in = simt_decode_from_op(c);
  uint32_t mask_at = c->instr->n_operands - 1;
  if (c->instr->n_operands < 1)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "a member mask is needed");
  TRY(simt_decode_source(c, mask_at, PTX_B32, &in.collective.members, NULL));
  if (row->form == ISA_WARP_SYNC) return simt_decode_emit(c->b, &in);
  bool is_predicate = row->form == ISA_VOTE && c->op.vote != ISA_VOTE_BALLOT;
  if (c->instr->operands[0].kind != PTX_OPERAND_SINK)
    TRY(simt_decode_result(c, is_predicate ? PTX_PRED : PTX_B32, &in.d));
  TRY(decode_second(c, &in.collective.second_d));
  in.collective.value_bytes = row->type == PTX_NO_TYPE ? 4 : simt_decode_lane_bytes(row->type);
  if (row->form == ISA_SHUFFLE) {
    in.collective.operation = (uint8_t)c->op.shuffle;
    TRY(simt_decode_source(c, 1, PTX_B32, &in.a, NULL));
    TRY(simt_decode_source(c, 2, PTX_B32, &in.b, NULL));
    TRY(simt_decode_source(c, 3, PTX_B32, &in.c, NULL));
  } else if (row->form == ISA_VOTE) {
    in.collective.operation = (uint8_t)c->op.vote;
    TRY(simt_decode_source(c, 1, PTX_PRED, &in.a, &in.a_negated));
  } else if (row->form == ISA_MATCH) {
    in.collective.operation = (uint8_t)c->op.match;
    TRY(simt_decode_source(c, 1, row->type, &in.a, NULL));
  } else {
    in.collective.operation = (uint8_t)c->op.redux;
    in.collective.is_signed = row->type == PTX_S32;
    TRY(simt_decode_source(c, 1, PTX_B32, &in.a, NULL));
  }
  return simt_decode_emit(c->b, &in);
}

static simt_status decode_simple(const context *c) {
  const isa_row *row = c->op.row;
  const uint32_t wanted = row->n_sources + (row->d != PTX_NO_TYPE ? 1u : 0u);
  if (c->instr->n_operands != wanted)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "'%.*s' takes %u operands, %u are given",
                            SIMT_STR_ARG(c->instr->opcode), wanted, c->instr->n_operands);
  simt_instr in = simt_decode_from_op(c);
  if (row->form == ISA_ACTIVEMASK) TRY(simt_decode_result(c, PTX_B32, &in.d));
  if (row->form == ISA_FENCE) {
    in.fence.order = (uint8_t)c->op.order;
    in.fence.scope = (uint8_t)c->op.scope;
    c->b->kernel->order_matters = true;
  }
  return simt_decode_emit(c->b, &in);
}

static simt_status decode_instr(context *c) {
  isa_refusal refusal;
  if (isa_lookup(&c->b->module->isa, c->instr, &c->op, &refusal) != SIMT_OK)
    return isa_describe_refusal(c->b->module->ptx, &refusal, c->b->diag);
  switch (c->op.row->form) {
  case ISA_LANES:
  case ISA_SETP: return decode_lanes(c);
  case ISA_PACK: return decode_pack(c, true);
  case ISA_UNPACK: return decode_pack(c, false);
  case ISA_LOAD: return simt_decode_load_store(c, true);
  case ISA_STORE: return simt_decode_load_store(c, false);
  case ISA_ATOM: return simt_decode_atomic(c, false);
  case ISA_RED: return simt_decode_atomic(c, true);
  case ISA_CVTA: return simt_decode_cvta(c);
  case ISA_ISSPACEP: return simt_decode_isspacep(c);
  case ISA_BRANCH: return decode_branch(c);
  case ISA_CALL: return decode_call(c);
  case ISA_RETURN:
  case ISA_EXIT: return decode_return(c);
  case ISA_BARRIER:
  case ISA_BARRIER_RED:
  case ISA_BARRIER_ARRIVE: return decode_barrier(c);
  case ISA_WARP_SYNC:
  case ISA_SHUFFLE:
  case ISA_VOTE:
  case ISA_MATCH:
  case ISA_REDUX: return decode_collective(c);
  default: return decode_simple(c);
  }
}

// ---- one function's body, at one place in the kernel -------------------------------------------

static simt_status expand(builder *b, const ptx_function *function, const call_site *site) {
  function_frame *frame;
  if (b->n_expanded++ == DECODE_MAX_EXPANSIONS)
    return simt_fail(b->diag, SIMT_OUT_OF_RESOURCES, "kernel '%s' makes more than %d calls",
                     b->kernel->name, DECODE_MAX_EXPANSIONS);
  TRY(simt_builder_frame(b, function, &frame));
  uint32_t *start = SIMT_ARENA_ARRAY(&b->scratch, uint32_t, function->n_instrs + 1);
  if (!start)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%s'", b->kernel->name);
  uint32_t first = b->n_code;
  for (uint32_t i = 0; i < function->n_instrs; i++) {
    start[i] = b->n_code;
    context c = {
        .b = b, .frame = frame, .function = function, .site = site, .instr = &function->instrs[i]};
    TRY(decode_instr(&c));
  }
  start[function->n_instrs] = b->n_code;
  for (uint32_t pc = first; pc < b->n_code; pc++) {
    simt_instr *in = &b->code[pc];
    if (in->form != ISA_BRANCH || !in->branch.is_pending) continue;
    in->branch.target = start[in->branch.target];
    in->branch.is_pending = false;
  }
  return SIMT_OK;
}

// ---- a whole kernel -----------------------------------------------------------------------------

// Code may run off its end where the compiler knows that control never gets there (behind a call
// that does not return): a thread that does leaves the kernel.
static simt_status end_with_exit(builder *b) {
  const simt_instr *last = b->n_code ? &b->code[b->n_code - 1] : NULL;
  bool needed = !last || last->form != ISA_EXIT || last->guard != SIMT_NO_SLOT;
  for (uint32_t i = 0; i < b->n_code && !needed; i++) // a label may stand behind the last one
    needed = b->code[i].form == ISA_BRANCH && b->code[i].branch.target == b->n_code;
  if (!needed) return SIMT_OK;
  static const ptx_instr nowhere = {.loc = -1, .guard = -1};
  context c = {.b = b, .function = b->kernel->function, .instr = &nowhere};
  simt_instr leave = simt_decode_blank(&c, ISA_EXIT, SIMT_CLASS_CONTROL);
  return simt_decode_emit(b, &leave);
}

static simt_status build(builder *b) {
  simt_kernel *k = b->kernel;
  simt_cfg cfg;
  TRY(simt_decode_layout(b, k->function));
  TRY(expand(b, k->function, NULL));
  TRY(end_with_exit(b));
  TRY(simt_decode_blocks(b, &cfg));
  TRY(simt_analyse(b->arena, k, b->operands, b->n_operands, b->diag));
  TRY(simt_assign_slots(b->arena, k, &cfg, b->operands, b->n_operands, b->diag));
  TRY(simt_decode_registers(b));
  k->local_bytes = (uint32_t)((b->local_bytes + 15) / 16 * 16);
  return SIMT_OK;
}

simt_status simt_decode_kernel(simt_module *module, simt_kernel *kernel, simt_diag *diag) {
  builder b = {.module = module, .kernel = kernel, .arena = &module->arena, .diag = diag};
  simt_arena_limit(&b.scratch, DECODE_SCRATCH_LIMIT_BYTES);
  simt_status status = build(&b);
  simt_arena_free(&b.scratch);
  return status;
}
