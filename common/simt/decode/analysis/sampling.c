// SPDX-License-Identifier: MIT
// decode/analysis/sampling.c - whether some of a launch's blocks may run in place of all: what the
// engine's sampling (engine/sample.c) asks of the code.
#include "decode/analysis/analysis.h"

// ---- Blocks that have nothing to do with each other.

static bool is_visible(const simt_instr *in) {
  return in->memory.space != PTX_SPACE_SHARED && in->memory.space != PTX_SPACE_LOCAL &&
         in->memory.space != PTX_SPACE_PARAM && in->memory.space != PTX_SPACE_CONST;
}

// What a block may learn of another one by, or what shows that it has run at all. An atomic whose
// result no instruction reads tells its block nothing.
static bool meets_other_blocks(const simt_instr *in) {
  switch (in->form) {
  case ISA_LOAD:
  case ISA_STORE: return is_visible(in) && in->memory.order != ISA_WEAK;
  case ISA_ATOM:
  case ISA_RED: return is_visible(in) && !in->memory.is_unread;
  case ISA_FENCE:
  case ISA_TRAP:
  case ISA_CALL:
  case ISA_SURFACE_LOAD:
  case ISA_SURFACE_STORE:
  case SIMT_FORM_CLOCK:
  case SIMT_FORM_CALL:
  case SIMT_FORM_HEAP:
  case SIMT_FORM_DEVICE_CALL:
  case SIMT_FORM_GRID_SYNC:
  case ISA_CLUSTER_ARRIVE:
  case ISA_CLUSTER_WAIT:
  case SIMT_FORM_ASSERT:
  case SIMT_FORM_PRINTF: return true;
  default: return false;
  }
}

bool simt_blocks_are_alone(const simt_kernel *kernel) {
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (meets_other_blocks(&kernel->code[pc])) return false;
  return true;
}

// ---- Values from memory that decide what is done, or where.

static bool reads_memory(const simt_instr *in) {
  if (in->form == ISA_ATOM || in->form == ISA_TEXTURE || in->form == ISA_SURFACE_LOAD) return true;
  return in->form == ISA_LOAD && in->memory.space != PTX_SPACE_PARAM &&
         in->memory.space != PTX_SPACE_CONST;
}

typedef struct tracked {
  bool *comes_from_memory; // [n_operands]
  bool decides;
} tracked;

static void follow(simt_values *values, const simt_instr *in, void *data) {
  tracked *t = data;
  bool result = reads_memory(in);
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t slot = simt_operand_slot(in, roles[i]);
    if (roles[i].role == SIMT_ROLE_RESULT || slot == SIMT_NO_SLOT || !t->comes_from_memory[slot])
      continue;
    result = true;
    t->decides |= roles[i].role == SIMT_ROLE_ADDRESS || roles[i].role == SIMT_ROLE_GUARD ||
                  roles[i].role == SIMT_ROLE_SYNC || in->form == ISA_BRANCH ||
                  in->form == ISA_BRANCH_TABLE;
  }
  for (uint32_t i = 0; i < n && result; i++) {
    uint32_t slot = simt_operand_slot(in, roles[i]);
    if (roles[i].role != SIMT_ROLE_RESULT || slot == SIMT_NO_SLOT || t->comes_from_memory[slot])
      continue;
    t->comes_from_memory[slot] = true;
    simt_values_changed(values, slot);
  }
}

bool simt_loads_decide(simt_values *values, bool *result) {
  tracked t = {SIMT_ARENA_ARRAY(values->scratch, bool, values->n_operands + 1), false};
  if (!t.comes_from_memory) return false;
  simt_values_settle(values, follow, &t);
  *result = t.decides;
  return true;
}
