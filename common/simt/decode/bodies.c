// SPDX-License-Identifier: MIT
// decode/bodies.c - functions with code of their own in a kernel: those that recurse, and all whose
// address is taken in a kernel that calls through a pointer.
//
// A body's results, arguments and variables, and those of all that is expanded into it, lie in one
// frame of the thread's local memory. Where it begins is known only while the kernel runs: the
// kernel's own frame is at 0, a callee's lies behind its caller's. Caller and callee agree on the
// first part of it: results, then arguments, each in order and aligned as declared. What the caller
// needs afterwards is kept by the core (core/calls.c).
#include <inttypes.h>

#include "decode/builder.h"
#include "decode/layout.h"

enum { FRAME_ALIGN_BYTES = 16 };

static uint64_t align_up(uint64_t value, uint64_t alignment) {
  return alignment ? (value + alignment - 1) / alignment * alignment : value;
}

// Offsets of `n` items behind `at`; returns where they end.
static uint64_t lay_out(const ptx_param *items, uint32_t n, uint64_t at, uint64_t *offsets) {
  for (uint32_t i = 0; i < n; i++) {
    offsets[i] = align_up(at, items[i].align_bytes);
    at = offsets[i] + items[i].size_bytes;
  }
  return at;
}

static uint32_t mix(uint32_t hash, uint32_t value) { return (hash ^ value) * 16777619u; }

uint32_t simt_signature(const ptx_param *returns, uint32_t n_returns, const ptx_param *params,
                        uint32_t n_params) {
  uint32_t hash = mix(2166136261u, n_returns);
  for (uint32_t i = 0; i < n_returns; i++) hash = mix(hash, returns[i].size_bytes);
  for (uint32_t i = 0; i < n_params; i++) hash = mix(hash, params[i].size_bytes + 1);
  return hash;
}

simt_status simt_builder_root(builder *b, const ptx_function *f, uint32_t *root) {
  for (*root = 0; *root < b->n_roots; ++*root)
    if (b->roots[*root].function == f) return SIMT_OK;
  code_root *roots = simt_builder_grow(b, b->roots, b->n_roots, &b->root_capacity, sizeof *roots);
  uint64_t *returns = SIMT_ARENA_ARRAY(&b->scratch, uint64_t, f->n_returns + 1);
  uint64_t *params = SIMT_ARENA_ARRAY(&b->scratch, uint64_t, f->n_params + 1);
  if (!roots || !returns || !params)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode the kernel");
  b->roots = roots;
  code_root *r = &roots[b->n_roots++];
  *r = (code_root){.function = f, .site = {.param_offset = params, .return_offset = returns}};
  if (f->is_entry) return SIMT_OK;
  r->signature = simt_signature(f->returns, f->n_returns, f->params, f->n_params);
  r->local_bytes = lay_out(f->returns, f->n_returns, 0, returns);
  r->local_bytes = lay_out(f->params, f->n_params, r->local_bytes, params);
  if (r->local_bytes < FRAME_ALIGN_BYTES) r->local_bytes = FRAME_ALIGN_BYTES;
  return SIMT_OK;
}

// ---- addresses in the running frame ------------------------------------------------------------

simt_status simt_decode_frame_base(const context *c, uint32_t *id) {
  *id = SIMT_NO_SLOT;
  if (!c->b->root) return SIMT_OK;
  return simt_builder_fill(c->b, (simt_fill){.kind = SIMT_FILL_FRAME, .bytes = 8}, id);
}

simt_status simt_decode_local_address(const context *c, uint64_t offset, uint8_t bytes,
                                      uint32_t *id) {
  uint32_t base;
  TRY(simt_decode_frame_base(c, &base));
  if (base == SIMT_NO_SLOT) return simt_builder_constant(c->b, offset, bytes, id);
  if (bytes != 8)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "a local address of %u bytes", bytes);
  simt_instr in = simt_decode_as_row(c, ISA_ADD_U64);
  in.klass = SIMT_CLASS_INTEGER;
  in.guard = SIMT_NO_SLOT;
  in.a = base;
  TRY(simt_builder_constant(c->b, offset, 8, &in.b));
  TRY(simt_builder_operand(c->b, (simt_operand){.bytes = 8, .is_register = true}, id));
  in.d = *id;
  return simt_decode_emit(c->b, &in);
}

// A load or store of `bytes` between a register and offset `at` of the running frame.
static simt_status move_part(const context *c, uint8_t form, uint32_t reg, uint64_t at,
                             uint8_t bytes) {
  simt_instr in = simt_decode_blank(c, form, SIMT_CLASS_PARAMETER);
  in.memory.data[0] = reg;
  if (form == ISA_LOAD) in.d = reg;
  in.memory.width_bytes = bytes;
  in.memory.data_bytes = bytes < 4 ? 4 : bytes;
  in.memory.vector = 1;
  in.memory.address_bits = 64;
  in.memory.space = PTX_SPACE_LOCAL;
  uint32_t base;
  TRY(simt_decode_frame_base(c, &base));
  if (base == SIMT_NO_SLOT) {
    TRY(simt_builder_constant(c->b, at, 8, &in.a));
    return simt_decode_emit(c->b, &in);
  }
  in.a = base;
  in.memory.offset = (int64_t)at;
  return simt_decode_emit(c->b, &in);
}

static simt_status copy(const context *c, uint64_t from, uint64_t to, uint32_t bytes) {
  while (bytes) {
    uint8_t part = 8;
    while (part > bytes || from % part || to % part) part /= 2;
    uint32_t reg;
    const uint8_t lane_bytes = part < 4 ? 4 : part;
    TRY(simt_builder_operand(c->b, (simt_operand){.bytes = lane_bytes, .is_register = true}, &reg));
    TRY(move_part(c, ISA_LOAD, reg, from, part));
    TRY(move_part(c, ISA_STORE, reg, to, part));
    from += part, to += part, bytes -= part;
  }
  return SIMT_OK;
}

// ---- calls -------------------------------------------------------------------------------------

// Variables of the caller that hold a call's arguments or results.
typedef struct passing {
  ptx_param *items;       // their sizes, [n]
  uint64_t *here, *there; // in the caller's frame, in the callee's
  uint32_t n;
} passing;

static simt_status pass(const context *c, const ptx_operand *list, passing *p) {
  simt_arena *scratch = &c->b->scratch;
  p->n = list ? list->n_items : 0;
  p->items = SIMT_ARENA_ARRAY(scratch, ptx_param, p->n + 1);
  p->here = SIMT_ARENA_ARRAY(scratch, uint64_t, p->n + 1);
  p->there = SIMT_ARENA_ARRAY(scratch, uint64_t, p->n + 1);
  if (!p->items || !p->here || !p->there)
    return simt_decode_fail(c, SIMT_OUT_OF_MEMORY, "no memory left");
  for (uint32_t i = 0; i < p->n; i++) {
    const ptx_variable *v = NULL;
    if (list->items[i].kind == PTX_OPERAND_SYMBOL)
      v = ptx_find_variable(c->function->variables, c->function->n_variables, list->items[i].name);
    if (!v || v->space != PTX_SPACE_PARAM)
      return simt_decode_fail(c, SIMT_UNSUPPORTED, "arguments must be passed in .param variables");
    p->items[i] = (ptx_param){.align_bytes = v->align_bytes, .size_bytes = (uint32_t)v->size_bytes};
    p->here[i] = c->frame->variable_offset[v - c->function->variables];
  }
  return SIMT_OK;
}

static simt_status emit_call(const context *c, const ptx_function *callee, uint32_t signature) {
  simt_instr in = simt_decode_blank(c, SIMT_FORM_CALL, SIMT_CLASS_CONTROL);
  c->b->kernel->makes_calls = true;
  in.call.body = SIMT_NO_BODY;
  in.call.signature = signature;
  in.call.frame_bytes = (uint32_t)c->b->roots[c->b->root].local_bytes;
  TRY(simt_builder_fill(c->b, (simt_fill){.kind = SIMT_FILL_FRAME, .bytes = 8}, &in.c));
  if (callee) {
    uint32_t root;
    TRY(simt_builder_root(c->b, callee, &root));
    in.call.body = root - 1;
  } else {
    for (uint32_t i = 0; i < c->instr->n_operands; i++)
      if (c->instr->operands[i].kind == PTX_OPERAND_REGISTER)
        TRY(simt_decode_source(c, i, PTX_B64, &in.a, NULL));
    if (in.a == SIMT_NO_SLOT)
      return simt_decode_fail(c, SIMT_UNSUPPORTED,
                              "the call's target is not a function of this module");
  }
  return simt_decode_emit(c->b, &in);
}

simt_status simt_decode_true_call(const context *c, const ptx_function *callee) {
  passing results, arguments;
  TRY(pass(c, simt_decode_call_list(c->instr, false), &results));
  TRY(pass(c, simt_decode_call_list(c->instr, true), &arguments));
  const uint32_t signature = simt_signature(results.items, results.n, arguments.items, arguments.n);
  if (callee && signature != simt_signature(callee->returns, callee->n_returns, callee->params,
                                            callee->n_params))
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR,
                            "the call passes other arguments than '%.*s' declares",
                            SIMT_STR_ARG(callee->name));
  const uint64_t frame = c->b->roots[c->b->root].local_bytes;
  const uint64_t end = lay_out(results.items, results.n, 0, results.there);
  lay_out(arguments.items, arguments.n, end, arguments.there);
  for (uint32_t i = 0; i < arguments.n; i++)
    TRY(copy(c, arguments.here[i], frame + arguments.there[i], arguments.items[i].size_bytes));
  TRY(emit_call(c, callee, signature));
  for (uint32_t i = 0; i < results.n; i++)
    TRY(copy(c, frame + results.there[i], results.here[i], results.items[i].size_bytes));
  return SIMT_OK;
}

// ---- bodies ------------------------------------------------------------------------------------

simt_status simt_decode_bodies(builder *b) {
  static const ptx_instr nowhere = {.loc = -1, .guard = -1};
  for (uint32_t i = 1; i < b->n_roots; i++) {
    const ptx_function *f = b->roots[i].function;
    b->root = i;
    b->roots[i].start = b->n_code;
    TRY(simt_decode_expand(b, f, &b->roots[i].site));
    context c = {.b = b, .function = f, .instr = &nowhere};
    simt_instr back = simt_decode_blank(&c, SIMT_FORM_RETURN, SIMT_CLASS_CONTROL);
    if (f->n_instrs) back.loc = f->instrs[f->n_instrs - 1].loc;
    back.ptx_line = f->n_instrs ? f->instrs[f->n_instrs - 1].line : f->line;
    TRY(simt_builder_fill(b, (simt_fill){.kind = SIMT_FILL_FRAME, .bytes = 8}, &back.c));
    TRY(simt_decode_emit(b, &back));
  }
  b->root = 0;
  return SIMT_OK;
}

simt_status simt_place_bodies(builder *b, const simt_cfg *cfg) {
  simt_kernel *k = b->kernel;
  k->n_bodies = b->n_roots - 1;
  k->bodies = SIMT_ARENA_ARRAY(b->arena, simt_body, b->n_roots);
  if (!k->bodies) return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode it");
  for (uint32_t i = 0; i < k->n_bodies; i++) {
    const code_root *r = &b->roots[i + 1];
    const uint32_t block = cfg->block_of[r->start];
    k->bodies[i] = (simt_body){.function = r->function,
                               .pc = cfg->blocks[block].first + block,
                               .frame_bytes = (uint32_t)r->local_bytes,
                               .signature = r->signature};
  }
  return SIMT_OK;
}
