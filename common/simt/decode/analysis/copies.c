// SPDX-License-Identifier: MIT
// decode/analysis/copies.c - loads whose value is only stored again: compilers copy whole
// structures like this. Such a load is not a use: bytes that no thread has written matter where the
// copy is used.
//
// The rule: the register of a loaded element is written by this load alone, and is read only by
// plain stores of it to global or shared memory, at most as wide as it was loaded. Not followed:
// moves between registers, local memory, parameters of calls. There a load counts as a use.
//
// A bit-field is written by loading the word that it lies in, clearing its bits with a constant
// mask (or inserting them with bfi), combining the rest with new bits by `or`, and storing the word
// where it came from. That load is no use either. Which of the word's bits stay uninitialised is
// not followed: the store counts as writing all of them. `word |= bit` alone keeps every bit, and
// its load is a use.
#include "decode/analysis/analysis.h"

typedef struct definitions { // of every operand
  uint32_t *n;               // [n_operands] instructions that write it
  uint32_t *pc, *element;    // [n_operands] the last that does; of a load: which element it is
} definitions;

static bool is_plain(const simt_instr *in) {
  uint8_t space = in->memory.space;
  return in->memory.order == ISA_WEAK && in->klass != SIMT_CLASS_PARAMETER &&
         (space == PTX_SPACE_GLOBAL || space == PTX_SPACE_SHARED || space == PTX_SPACE_GENERIC);
}

static void define(definitions *d, const simt_instr *in) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t operand = simt_operand_slot(in, roles[i]);
    if (roles[i].role != SIMT_ROLE_RESULT || operand == SIMT_NO_SLOT) continue;
    if (d->n[operand] && d->pc[operand] == in->pc) continue; // a field and its alias
    d->n[operand]++;
    d->pc[operand] = in->pc;
  }
  for (uint32_t i = 0; i < in->memory.vector && in->form == ISA_LOAD; i++)
    if (in->memory.data[i] != SIMT_NO_SLOT) d->element[in->memory.data[i]] = i;
}

// Whether `in` only stores the operand as it is.
static bool only_stores(const simt_instr *in, uint32_t operand, uint32_t width_bytes) {
  return in->form == ISA_STORE && is_plain(in) && in->a != operand && in->guard != operand &&
         in->memory.width_bytes <= width_bytes;
}

static bool is_copied(const simt_values *v, const definitions *d, const simt_instr *load,
                      uint32_t element) {
  uint32_t operand = load->memory.data[element];
  if (operand == SIMT_NO_SLOT || d->n[operand] != 1 || !simt_value_is_read(v, operand))
    return false;
  for (uint32_t i = v->first_use[operand]; i < v->first_use[operand + 1]; i++)
    if (!only_stores(&v->kernel->code[v->uses[i]], operand, load->memory.width_bytes)) return false;
  return true;
}

// What a bit-field's new word is made with.
static bool inserts_bits(const simt_values *v, const simt_instr *in, uint32_t operand,
                         bool *clears) {
  if (in->form != ISA_LANES || in->guard != SIMT_NO_SLOT) return false;
  uint32_t other = in->a == operand ? in->b : in->a;
  switch (simt_operation_of(in)) {
  case ISA_OPERATION_AND:
    *clears = true;
    return other != SIMT_NO_SLOT && !v->operands[other].is_register;
  case ISA_OPERATION_OR: return true;
  case ISA_OPERATION_BIT_FIELD:
    *clears = true;
    return in->b == operand && in->arithmetic.fourth != SIMT_NO_SLOT; // bfi: into b
  default: return false;
  }
}

static bool stores_back(const simt_instr *in, const simt_instr *load, uint32_t operand) {
  return only_stores(in, operand, load->memory.width_bytes) && in->a == load->a &&
         in->memory.offset == load->memory.offset && in->memory.vector == 1 &&
         in->memory.width_bytes == load->memory.width_bytes;
}

// Whether the loaded word, with bits of it replaced, goes back to where it came from.
static bool is_inserted_into(const simt_values *v, const definitions *d, const simt_instr *load) {
  uint32_t operand = load->memory.data[0];
  bool clears = false;
  if (load->memory.vector != 1 || load->a == SIMT_NO_SLOT) return false;
  for (uint32_t n = 0; n < v->kernel->n_code; n++) { // each step is a later instruction's result
    if (operand == SIMT_NO_SLOT || d->n[operand] != 1 ||
        v->first_use[operand + 1] != v->first_use[operand] + 1)
      return false; // one use, of the one value that it ever has
    const simt_instr *in = &v->kernel->code[v->uses[v->first_use[operand]]];
    if (stores_back(in, load, operand)) return clears;
    if (!inserts_bits(v, in, operand, &clears)) return false;
    operand = in->d;
  }
  return false;
}

// Notes, of a store, which of its elements are copies.
static void note_sources(const simt_kernel *kernel, const definitions *d, const simt_instr *store,
                         const uint8_t *copied, uint32_t *sources) {
  for (uint32_t i = 0; i < SIMT_COPY_ELEMENTS; i++) {
    uint32_t operand = i < store->memory.vector ? store->memory.data[i] : SIMT_NO_SLOT;
    bool is_copy = operand != SIMT_NO_SLOT && d->n[operand] == 1 &&
                   kernel->code[d->pc[operand]].form == ISA_LOAD &&
                   copied[d->pc[operand]] >> d->element[operand] & 1;
    sources[i] = is_copy ? d->pc[operand] * SIMT_COPY_ELEMENTS + d->element[operand] : SIMT_NO_COPY;
  }
}

bool simt_find_copies(const simt_values *values, simt_arena *arena, simt_kernel *kernel) {
  if (kernel->makes_calls) return true; // a load may run again before its store does
  definitions d = {SIMT_ARENA_ARRAY(values->scratch, uint32_t, values->n_operands + 1),
                   SIMT_ARENA_ARRAY(values->scratch, uint32_t, values->n_operands + 1),
                   SIMT_ARENA_ARRAY(values->scratch, uint32_t, values->n_operands + 1)};
  uint8_t *copied = SIMT_ARENA_ARRAY(arena, uint8_t, kernel->n_code + 1);
  if (!d.n || !d.pc || !d.element || !copied) return false;
  bool any = false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) define(&d, &kernel->code[pc]);
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) {
    const simt_instr *in = &kernel->code[pc];
    if (in->form != ISA_LOAD || !is_plain(in)) continue;
    for (uint32_t i = 0; i < in->memory.vector; i++)
      copied[pc] |= (uint8_t)(is_copied(values, &d, in, i) << i);
    copied[pc] |= is_inserted_into(values, &d, in);
    any |= copied[pc] != 0;
  }
  if (!any) return true;
  uint32_t *sources = SIMT_ARENA_ARRAY(arena, uint32_t, kernel->n_code * SIMT_COPY_ELEMENTS);
  if (!sources) return false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (kernel->code[pc].form == ISA_STORE)
      note_sources(kernel, &d, &kernel->code[pc], copied, &sources[pc * SIMT_COPY_ELEMENTS]);
  kernel->facts.copied = copied;
  kernel->facts.copy_sources = sources;
  return true;
}
