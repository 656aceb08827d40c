// SPDX-License-Identifier: MIT
// decode/decode.c - from a parsed PTX function to a flat array of dense instructions.
//
// Calls are expanded in place, `ret` in a called function becomes a jump behind the call; functions
// with bodies of their own (decode/bodies.c) follow the kernel's code. Then
// control flow is analysed, a marker is put before every basic block, and decode/slots.c gives
// every virtual operand its place in the register file. What cannot run is refused, with opcode and
// line.
#include "decode/decode.h"

#include <string.h>

#include "decode/analysis/analysis.h"
#include "decode/builder.h"
#include "decode/layout.h"
#include "device/operands.h"
#include "lanes/table.h"

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

// An instruction of another row, for operations that reduce to a move or an addition.
simt_instr simt_decode_as_row(const context *c, isa_id id) {
  simt_instr in = simt_decode_blank(c, ISA_LANES, c->op.row->klass);
  in.id = (uint16_t)id;
  in.lanes = simt_lanes_of(id);
  return in;
}
// ---- control flow ------------------------------------------------------------------------------

// Branch targets are PTX instruction indices until simt_decode_expand() knows the dense ones.
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

// ---- barriers and warp-level operations --------------------------------------------------------

static bool is_constant(const context *c, uint32_t operand) {
  if (operand == SIMT_NO_SLOT) return true;
  const simt_operand *o = &c->b->operands[operand];
  return !o->is_register && o->fill.kind == SIMT_FILL_CONSTANT;
}

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
  in.barrier.is_constant = is_constant(c, in.a) && is_constant(c, in.b);
  return simt_decode_emit(c->b, &in);
}

static simt_status decode_cluster_barrier(const context *c) {
  simt_instr in = simt_decode_from_op(c);
  if (c->instr->n_operands)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "a cluster's barrier takes no operands");
  in.cluster.is_aligned = c->op.aligned;
  in.cluster.is_relaxed = c->op.order == ISA_RELAXED;
  c->b->kernel->uses_cluster_barrier = c->b->kernel->order_matters = true;
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
  TRY(simt_decode_second(c, &in.collective.second_d));
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
  TRY(simt_decode_refuse_parts(c));
  bool done = false;
  if (c->frame->contraction) TRY(simt_decode_contracted(c, c->frame->contraction, &done));
  if (!done) TRY(simt_decode_folded(c, &done));
  if (done) return SIMT_OK;
  switch (c->op.row->form) {
  case ISA_LANES:
  case ISA_SETP: return simt_decode_lanes(c);
  case ISA_PACK: return simt_decode_pack(c, true);
  case ISA_UNPACK: return simt_decode_pack(c, false);
  case ISA_LOAD: return simt_decode_load_store(c, true);
  case ISA_STORE: return simt_decode_load_store(c, false);
  case ISA_ATOM: return simt_decode_atomic(c, false);
  case ISA_RED: return simt_decode_atomic(c, true);
  case ISA_CVTA: return simt_decode_cvta(c);
  case ISA_ISSPACEP: return simt_decode_isspacep(c);
  case ISA_TEXTURE:
  case ISA_SURFACE_LOAD:
  case ISA_SURFACE_STORE: return simt_decode_texture(c);
  case ISA_ASYNC_COPY: return simt_decode_async_copy(c);
  case ISA_BULK_COPY: return simt_decode_bulk_copy(c);
  case ISA_ASYNC_COMMIT:
  case ISA_ASYNC_WAIT: return simt_decode_async_group(c);
  case ISA_MBARRIER: return simt_decode_mbarrier(c);
  case ISA_ELECT: return simt_decode_elect(c);
  case ISA_LOGIC: return simt_decode_logic(c);
  case ISA_BRANCH: return decode_branch(c);
  case ISA_BRANCH_TABLE: return simt_decode_branch_table(c);
  case ISA_CALL: return simt_decode_call(c);
  case ISA_RETURN:
  case ISA_EXIT: return decode_return(c);
  case ISA_BARRIER:
  case ISA_BARRIER_RED:
  case ISA_BARRIER_ARRIVE: return decode_barrier(c);
  case ISA_CLUSTER_ARRIVE:
  case ISA_CLUSTER_WAIT: return decode_cluster_barrier(c);
  case ISA_WARP_SYNC:
  case ISA_SHUFFLE:
  case ISA_VOTE:
  case ISA_MATCH:
  case ISA_REDUX: return decode_collective(c);
  default: return decode_simple(c);
  }
}

// ---- one function's body, at one place in the kernel -------------------------------------------

simt_status simt_decode_expand(builder *b, const ptx_function *function, const call_site *site) {
  function_frame *frame;
  if (b->n_expanded++ == DECODE_MAX_EXPANSIONS)
    return simt_fail(b->diag, SIMT_OUT_OF_RESOURCES, "kernel '%s' makes more than %d calls",
                     b->kernel->name, DECODE_MAX_EXPANSIONS);
  TRY(simt_builder_frame(b, function, &frame));
  if (!frame->contraction_known) TRY(simt_contraction_of(b, function, &frame->contraction));
  frame->contraction_known = true;
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

// Code may run off its end where the compiler knows that control never gets there (after a call
// that does not return): a thread that gets there leaves the kernel.
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
  TRY(simt_decode_expand(b, k->function, NULL));
  TRY(end_with_exit(b));
  TRY(simt_decode_bodies(b));
  TRY(simt_decode_blocks(b, &cfg));
  TRY(simt_place_bodies(b, &cfg));
  TRY(simt_analyse(b->arena, k, b->operands, b->n_operands, b->diag));
  TRY(simt_assign_slots(b->arena, k, &cfg, b->operands, b->n_operands, b->diag));
  TRY(simt_decode_registers(b));
  k->local_bytes = (uint32_t)b->roots[0].local_bytes;
  return SIMT_OK;
}

simt_status simt_decode_kernel(simt_module *module, simt_kernel *kernel, simt_diag *diag) {
  builder b = {.module = module, .kernel = kernel, .arena = &module->arena, .diag = diag};
  simt_arena_limit(&b.scratch, DECODE_SCRATCH_LIMIT_BYTES);
  simt_status status = build(&b);
  simt_arena_free(&b.scratch);
  return status;
}
