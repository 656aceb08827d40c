// SPDX-License-Identifier: MIT
// decode/call.c - calls, expanded in place, and the functions that the software GPU itself
// provides: vprintf, __assertfail, malloc, free, cudaGraphSetConditional and the __simt_grid_sync
// of our cooperative_groups.h. Arguments and results travel through the caller's local memory.
// Recursion and calls through pointers are in decode/bodies.c, CUDA's runtime in
// decode/device_calls.c. Refused: functions defined elsewhere.
#include <string.h>

#include "decode/builder.h"
#include "decode/device_calls.h"
#include "decode/layout.h"

const ptx_operand *simt_decode_call_list(const ptx_instr *instr, bool behind_name) {
  bool named = false;
  for (uint32_t i = 0; i < instr->n_operands; i++) {
    const ptx_operand *operand = &instr->operands[i];
    if (operand->kind == PTX_OPERAND_LIST && named == behind_name) return operand;
    if (operand->kind == PTX_OPERAND_SYMBOL || operand->kind == PTX_OPERAND_REGISTER) named = true;
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

// A load or store of register `id` at stack offset `at`.
static simt_status frame_access(const context *c, uint8_t form, uint64_t at, uint8_t bytes,
                                uint32_t id) {
  simt_instr in = simt_decode_blank(c, form, SIMT_CLASS_PARAMETER);
  if (form == ISA_LOAD) in.d = id;
  in.memory.data[0] = id;
  in.memory.width_bytes = in.memory.data_bytes = bytes;
  in.memory.vector = 1;
  in.memory.address_bits = 64;
  in.memory.space = PTX_SPACE_LOCAL;
  TRY(simt_decode_frame_base(c, &in.a));
  if (in.a != SIMT_NO_SLOT) in.memory.offset = (int64_t)at;
  else TRY(simt_builder_constant(c->b, at, 8, &in.a));
  return simt_decode_emit(c->b, &in);
}

simt_status simt_decode_argument(const context *c, uint64_t at, uint8_t bytes, uint32_t *id) {
  TRY(simt_builder_operand(c->b, (simt_operand){.bytes = bytes, .is_register = true}, id));
  return frame_access(c, ISA_LOAD, at, bytes, *id);
}

simt_status simt_decode_store_result(const context *c, uint64_t at, uint8_t bytes, uint32_t id) {
  return frame_access(c, ISA_STORE, at, bytes, id);
}

static simt_status call_vprintf(const context *c, const uint64_t *in_at, const uint64_t *out_at) {
  simt_instr in = simt_decode_blank(c, SIMT_FORM_PRINTF, SIMT_CLASS_CONTROL);
  TRY(simt_decode_argument(c, in_at[0], 8, &in.a));
  TRY(simt_decode_argument(c, in_at[1], 8, &in.b));
  TRY(simt_decode_frame_base(c, &in.c));
  in.print.result_offset = out_at[0];
  c->b->kernel->order_matters = c->b->kernel->prints = true;
  return simt_decode_emit(c->b, &in);
}

static simt_status call_assertfail(const context *c, const uint64_t *at) {
  simt_instr in = simt_decode_blank(c, SIMT_FORM_ASSERT, SIMT_CLASS_CONTROL);
  TRY(simt_decode_argument(
      c, at[0], 8,
      &in.assertion.text[0])); // message, file, line, function, size of a character
  TRY(simt_decode_argument(c, at[1], 8, &in.assertion.text[1]));
  TRY(simt_decode_argument(c, at[2], 4, &in.a));
  TRY(simt_decode_argument(c, at[3], 8, &in.assertion.text[2]));
  return simt_decode_emit(c->b, &in);
}

// malloc(size), aligned malloc(size, alignment) and free(address): `n_in` and `is_malloc` tell.
static simt_status call_heap(const context *c, const uint64_t *in_at, uint32_t n_in,
                             const uint64_t *out_at, bool is_malloc) {
  simt_instr in = simt_decode_blank(c, SIMT_FORM_HEAP, SIMT_CLASS_CONTROL);
  TRY(simt_decode_argument(c, in_at[0], 8, &in.a));
  if (n_in == 2) TRY(simt_decode_argument(c, in_at[1], 8, &in.b));
  if (is_malloc)
    TRY(simt_builder_operand(c->b, (simt_operand){.bytes = 8, .is_register = true}, &in.d));
  c->b->kernel->order_matters = c->b->kernel->uses_heap = true;
  TRY(simt_decode_emit(c->b, &in));
  return is_malloc ? frame_access(c, ISA_STORE, out_at[0], 8, in.d) : SIMT_OK;
}

// A condition of a graph is a word of global memory, and its handle the word's address.
static simt_status set_condition(const context *c, const uint64_t *in_at) {
  simt_instr in = simt_decode_blank(c, ISA_STORE, SIMT_CLASS_GLOBAL);
  TRY(simt_decode_argument(c, in_at[0], 8, &in.a));
  TRY(simt_decode_argument(c, in_at[1], 4, &in.memory.data[0]));
  in.memory.width_bytes = in.memory.data_bytes = 4;
  in.memory.vector = 1;
  in.memory.address_bits = 64;
  in.memory.space = PTX_SPACE_GLOBAL;
  return simt_decode_emit(c->b, &in);
}

const char *simt_decode_nowhere(const context *c) {
  return c->b->module->ptx->n_units > 1 ? "in none of the program's files"
                                        : "nowhere in this module";
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
  if (simt_str_is(name, "cudaGraphSetConditional") && n_in == 2) return set_condition(c, in_at);
  if (simt_str_is(name, "malloc") && n_in == 1 && n_out == 1)
    return call_heap(c, in_at, n_in, out_at, true);
  if (simt_str_is(name, "__cuda_syscall_aligned_malloc") && n_in == 2 && n_out == 1)
    return call_heap(c, in_at, n_in, out_at, true);
  if (simt_str_is(name, "free") && n_in == 1) return call_heap(c, in_at, n_in, out_at, false);
  const simt_device_call call = simt_device_call_find(name);
  if (call < SIMT_DEVICE_CALL_COUNT && n_out == 1 &&
      n_in == strlen(simt_device_call_rows[call].arguments))
    return simt_decode_device_call(c, call, in_at, out_at);
  TRY(simt_decode_refuse_device_call(c, name));
  return simt_decode_fail(c, SIMT_UNSUPPORTED, "calls '%.*s', which is defined %s",
                          SIMT_STR_ARG(name), simt_decode_nowhere(c));
}

static simt_str callee_name(const ptx_instr *instr) {
  for (uint32_t i = 0; i < instr->n_operands; i++)
    if (instr->operands[i].kind == PTX_OPERAND_SYMBOL) return instr->operands[i].name;
  return (simt_str){0};
}

static simt_status expand_call(const context *c) {
  simt_str name = callee_name(c->instr);
  const ptx_function *callee = simt_decode_callee(c->b->module->ptx, c->instr);
  if (callee && callee->is_entry)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "'%.*s' is a kernel: device code cannot call it",
                            SIMT_STR_ARG(callee->name));
  if (!callee || (callee->has_body && simt_is_called(c->b, callee)))
    return simt_decode_true_call(c, callee);
  call_site site = {0};
  TRY(call_offsets(c, simt_decode_call_list(c->instr, false), callee->n_returns,
                   &site.return_offset));
  TRY(call_offsets(c, simt_decode_call_list(c->instr, true), callee->n_params, &site.param_offset));
  if (!callee->has_body)
    return call_builtin(c, name, site.param_offset, callee->n_params, site.return_offset,
                        callee->n_returns);
  return simt_decode_expand(c->b, callee, &site);
}

// A guarded call: lanes that do not call jump over the expanded body.
simt_status simt_decode_call(const context *c) {
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
