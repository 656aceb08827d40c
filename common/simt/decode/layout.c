// SPDX-License-Identifier: MIT
// decode/layout.c - before a kernel is decoded: which functions it reaches, and where their
// registers, stack variables and shared variables lie. A function that recurses is a root of its
// own (decode/bodies.c), so within a root all of it is fixed.
#include "decode/layout.h"

#include <inttypes.h>
#include <string.h>

#include "decode/builder.h"

static uint64_t align_up(uint64_t value, uint64_t alignment) {
  return alignment ? (value + alignment - 1) / alignment * alignment : value;
}

const shared_place *simt_decode_shared_place(const builder *b, const ptx_variable *variable) {
  for (uint32_t i = 0; i < b->n_shared; i++)
    if (b->shared[i].variable == variable) return &b->shared[i];
  return NULL;
}

// A module-level shared variable gets its place in the block at its first use.
static bool use_symbol(builder *b, simt_str name, uint64_t *dynamic_align) {
  const ptx_variable *v = ptx_find_global(b->module->ptx, name);
  if (!v || v->space != PTX_SPACE_SHARED) return true;
  if (v->is_extern) {
    if (!b->dynamic_name.size) b->dynamic_name = v->name;
    if (*dynamic_align < v->align_bytes) *dynamic_align = v->align_bytes;
    return true;
  }
  if (simt_decode_shared_place(b, v)) return true;
  shared_place *shared =
      simt_builder_grow(b, b->shared, b->n_shared, &b->shared_capacity, sizeof *shared);
  if (!shared) return false;
  b->shared = shared;
  const uint64_t offset = align_up(b->shared_bytes, v->align_bytes);
  b->shared[b->n_shared++] = (shared_place){v, offset};
  b->shared_bytes = offset + v->size_bytes;
  return true;
}

static bool use_operand(builder *b, const ptx_operand *operand, uint64_t *dynamic_align) {
  bool symbol = operand->kind == PTX_OPERAND_SYMBOL ||
                (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_OPERAND_SYMBOL);
  if (symbol && !use_symbol(b, operand->name, dynamic_align)) return false;
  for (uint32_t i = 0; i < operand->n_items; i++)
    if (!use_operand(b, &operand->items[i], dynamic_align)) return false;
  return true;
}

const ptx_function *simt_decode_callee(const ptx_module *ptx, const ptx_instr *instr) {
  for (uint32_t i = 0; i < instr->n_operands; i++) {
    const ptx_operand *operand = &instr->operands[i];
    if (operand->kind == PTX_OPERAND_SYMBOL) return ptx_find_function(ptx, operand->name);
    if (operand->kind == PTX_OPERAND_REGISTER) return NULL; // a call through a pointer
  }
  return NULL;
}

// A call through a pointer may lead to any function whose address is taken.
static simt_status reach_taken(builder *b) {
  if (b->reaches_taken) return SIMT_OK;
  b->reaches_taken = true;
  for (uint32_t i = 0; i < b->module->n_taken; i++) {
    uint32_t root;
    TRY(simt_builder_root(b, &b->module->ptx->functions[b->module->taken[i]], &root));
  }
  return SIMT_OK;
}

static simt_status reach(builder *b, const ptx_function *function, uint64_t *dynamic_align) {
  function_frame *frame;
  uint32_t before = b->n_frames;
  simt_status status = simt_builder_frame(b, function, &frame);
  if (status != SIMT_OK) return status;
  if (b->n_frames == before) { // seen already: still being walked means a cycle
    if (!frame->active) return SIMT_OK;
    return simt_fail(b->diag, SIMT_UNSUPPORTED, "%s:%u: '%.*s' calls itself without a body",
                     b->module->ptx->name, function->line, SIMT_STR_ARG(function->name));
  }
  if (++b->depth > DECODE_MAX_CALL_DEPTH)
    return simt_fail(b->diag, SIMT_UNSUPPORTED, "%s:%u: calls are nested more than %d deep",
                     b->module->ptx->name, function->line, DECODE_MAX_CALL_DEPTH);
  frame->active = true;
  for (uint32_t i = 0; i < function->n_instrs; i++) {
    const ptx_instr *instr = &function->instrs[i];
    for (uint32_t k = 0; k < instr->n_operands; k++)
      if (!use_operand(b, &instr->operands[k], dynamic_align))
        return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode the kernel");
    if (!isa_is_call(instr)) continue;
    const ptx_function *callee = simt_decode_callee(b->module->ptx, instr);
    if (!callee) TRY(reach_taken(b));
    if (!callee || !callee->has_body || callee->is_entry)
      continue; // refused, or a builtin: decode/decode.c decides
    uint32_t root;
    if (simt_is_called(b, callee)) {
      TRY(simt_builder_root(b, callee, &root));
      continue;
    }
    status = reach(b, callee, dynamic_align);
    if (status != SIMT_OK) return status;
  }
  frame->active = false;
  b->depth--;
  return SIMT_OK;
}

// ---- the shared variables of a kernel, for checkers of accesses ---------------------------------

static void add_variable(simt_kernel *k, simt_shared_variable variable) {
  if (k->shared_variables) k->shared_variables[k->n_shared_variables] = variable;
  k->n_shared_variables++;
}

// Whether an earlier frame is of the same function: its shared variables are the same ones.
static bool is_listed(const builder *b, uint32_t frame) {
  for (uint32_t i = 0; b->n_roots > 1 && i < frame; i++)
    if (b->frames[i]->function == b->frames[frame]->function) return true;
  return false;
}

// Those at module level and of every function, each once; without a table they are only counted.
static void list_variables(builder *b) {
  for (uint32_t i = 0; i < b->n_shared; i++) {
    const ptx_variable *v = b->shared[i].variable;
    if (!v->size_bytes) continue;
    add_variable(b->kernel, (simt_shared_variable){.name = v->name,
                                                   .offset_bytes = b->shared[i].offset,
                                                   .size_bytes = v->size_bytes});
  }
  for (uint32_t i = 0; i < b->n_frames; i++) {
    const ptx_function *f = b->frames[i]->function;
    if (is_listed(b, i)) continue;
    for (uint32_t k = 0; k < f->n_variables; k++) {
      const ptx_variable *v = &f->variables[k];
      if (v->space != PTX_SPACE_SHARED || v->is_extern || !v->size_bytes) continue;
      add_variable(b->kernel,
                   (simt_shared_variable){.name = v->name,
                                          .offset_bytes = b->frames[i]->variable_offset[k],
                                          .size_bytes = v->size_bytes});
    }
  }
  if (b->dynamic_name.size)
    add_variable(b->kernel, (simt_shared_variable){.name = b->dynamic_name,
                                                   .offset_bytes = b->dynamic_base,
                                                   .is_dynamic = true});
}

static simt_status make_variables(builder *b) {
  simt_kernel *k = b->kernel;
  list_variables(b);
  // Provenance is a 16-bit number. Arrays beyond its range are not told apart.
  if (!k->n_shared_variables || k->n_shared_variables > INT16_MAX)
    return k->n_shared_variables = 0, SIMT_OK;
  k->shared_variables = SIMT_ARENA_ARRAY(b->arena, simt_shared_variable, k->n_shared_variables);
  if (!k->shared_variables)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode the kernel");
  k->n_shared_variables = 0;
  list_variables(b);
  return SIMT_OK;
}

// The kernel, then every body that it turns out to need.
static simt_status reach_roots(builder *b, const ptx_function *kernel, uint64_t *dynamic_align) {
  uint32_t root;
  TRY(simt_builder_root(b, kernel, &root));
  for (uint32_t i = 0; i < b->n_roots; i++) { // it grows
    b->root = i;
    b->local_bytes = b->roots[i].local_bytes;
    TRY(reach(b, b->roots[i].function, dynamic_align));
    b->roots[i].local_bytes = align_up(b->local_bytes, 16);
  }
  b->root = 0;
  return SIMT_OK;
}

simt_status simt_decode_layout(builder *b, const ptx_function *kernel) {
  uint64_t dynamic_align = 16;
  simt_status status = reach_roots(b, kernel, &dynamic_align);
  if (status == SIMT_OK && b->shared_bytes > SIMT_SHARED_WINDOW_BYTES)
    return simt_fail(b->diag, SIMT_OUT_OF_RESOURCES,
                     "kernel '%s' declares %" PRIu64
                     " bytes of shared memory; the limit is %" PRIu64,
                     b->kernel->name, b->shared_bytes, SIMT_SHARED_WINDOW_BYTES);
  b->kernel->static_shared_bytes = b->shared_bytes;
  b->kernel->dynamic_base = b->dynamic_base = align_up(b->shared_bytes, dynamic_align);
  return status == SIMT_OK ? make_variables(b) : status;
}
