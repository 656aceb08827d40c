// SPDX-License-Identifier: MIT
// decode/functions.c - facts about a module's functions, found before its kernels are decoded:
// which recurse, and which have their address taken, in code or in an initialiser.
//
// A function that closes a cycle of direct calls gets a body of its own, so that expanding the
// others comes to an end. The walk keeps its own stack: a chain of calls may be long. An address is
// a number beyond the parameter window that no allocation has; it means something only in its own
// module. Kernels have one too, by which device code launches them.
#include <string.h>

#include "decode/builder.h"
#include "decode/layout.h"

#define FUNCTION_BASE UINT64_C(0x400000000)
enum { FUNCTION_STEP = 16, WHITE = 0, GREY, BLACK };

uint64_t simt_function_address(const simt_module *module, simt_str name) {
  const ptx_function *f = ptx_find_function(module->ptx, name);
  if (!f || (f->is_entry && !f->has_body)) return 0;
  return FUNCTION_BASE + FUNCTION_STEP * (uint64_t)(1 + (f - module->ptx->functions));
}

const ptx_function *simt_function_at(const simt_module *module, uint64_t address) {
  const uint64_t at = address - FUNCTION_BASE, index = at / FUNCTION_STEP;
  if (address < FUNCTION_BASE || at % FUNCTION_STEP || !index || index > module->ptx->n_functions)
    return NULL;
  return &module->ptx->functions[index - 1];
}

// ---- addresses that are taken ------------------------------------------------------------------

typedef struct taking {
  simt_module *module;
  bool *taken; // [n_functions]
} taking;

static void take(const taking *t, simt_str name) {
  const ptx_function *f = name.size ? ptx_find_function(t->module->ptx, name) : NULL;
  if (f && !f->is_entry) t->taken[f - t->module->ptx->functions] = true;
}

static void take_from(const taking *t, const ptx_function *f) {
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    const ptx_instr *instr = &f->instrs[i];
    if (isa_is_call(instr)) continue;
    for (uint32_t k = 0; k < instr->n_operands; k++)
      if (instr->operands[k].kind == PTX_OPERAND_SYMBOL) take(t, instr->operands[k].name);
  }
}

static simt_status list_taken(taking *t, simt_diag *diag) {
  simt_module *m = t->module;
  const ptx_module *ptx = m->ptx;
  for (uint32_t i = 0; i < ptx->n_variables; i++)
    for (uint32_t r = 0; r < ptx->variables[i].n_relocs; r++)
      take(t, ptx->variables[i].relocs[r].symbol);
  for (uint32_t i = 0; i < ptx->n_functions; i++) take_from(t, &ptx->functions[i]);
  m->taken = SIMT_ARENA_ARRAY(&m->arena, uint32_t, ptx->n_functions + 1);
  if (!m->taken) return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to load the module");
  for (uint32_t i = 0; i < ptx->n_functions; i++)
    if (t->taken[i] && ptx->functions[i].has_body) m->taken[m->n_taken++] = i;
  return SIMT_OK;
}

// ---- cycles of direct calls --------------------------------------------------------------------

typedef struct visit {
  uint32_t function, next; // next: the instruction to look at
} visit;

// The function that the visited one calls next, or NULL when it has no more calls.
static const ptx_function *next_callee(const ptx_module *ptx, visit *v) {
  const ptx_function *f = &ptx->functions[v->function];
  while (v->next < f->n_instrs) {
    const ptx_instr *instr = &f->instrs[v->next++];
    const ptx_function *callee = isa_is_call(instr) ? simt_decode_callee(ptx, instr) : NULL;
    if (callee && callee->has_body && !callee->is_entry) return callee;
  }
  return NULL;
}

static void walk_from(const simt_module *m, uint32_t root, uint8_t *colour, visit *stack) {
  uint32_t n = 0;
  stack[n++] = (visit){root, 0};
  colour[root] = GREY;
  while (n) {
    const ptx_function *callee = next_callee(m->ptx, &stack[n - 1]);
    if (!callee) {
      colour[stack[--n].function] = BLACK;
      continue;
    }
    const uint32_t to = (uint32_t)(callee - m->ptx->functions);
    if (colour[to] == GREY) m->is_called[to] = true;
    if (colour[to] != WHITE) continue;
    colour[to] = GREY;
    stack[n++] = (visit){to, 0};
  }
}

static simt_status find_all(simt_module *m, simt_arena *scratch, simt_diag *diag) {
  const uint32_t n = m->ptx->n_functions;
  taking t = {.module = m, .taken = SIMT_ARENA_ARRAY(scratch, bool, n + 1)};
  uint8_t *colour = SIMT_ARENA_ARRAY(scratch, uint8_t, n + 1);
  visit *stack = SIMT_ARENA_ARRAY(scratch, visit, n + 1);
  m->is_called = SIMT_ARENA_ARRAY(&m->arena, bool, n + 1);
  if (!t.taken || !colour || !stack || !m->is_called)
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to load the module");
  TRY(list_taken(&t, diag));
  for (uint32_t i = 0; i < n; i++)
    if (colour[i] == WHITE) walk_from(m, i, colour, stack);
  return SIMT_OK;
}

simt_status simt_find_functions(simt_module *module, simt_diag *diag) {
  simt_arena scratch = {0};
  simt_arena_limit(&scratch, DECODE_SCRATCH_LIMIT_BYTES);
  simt_status status = find_all(module, &scratch, diag);
  simt_arena_free(&scratch);
  return status;
}
