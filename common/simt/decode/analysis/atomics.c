// SPDX-License-Identifier: MIT
// decode/analysis/atomics.c - what the atomics of a kernel depend on: whether the lanes of a warp
// all name one address, and whether the order in which atomics happen can show in what the kernel
// computes.
#include "decode/analysis/analysis.h"

// ---- uniformity: can a value differ between the lanes of a warp? --------------------------------

static bool is_per_lane(const simt_operand *o) {
  if (o->is_register) return false; // until shown
  switch (o->fill.kind) {
  case SIMT_FILL_TID_X:
  case SIMT_FILL_TID_Y:
  case SIMT_FILL_TID_Z:
  case SIMT_FILL_LANEID:
  case SIMT_FILL_LANEMASK_EQ:
  case SIMT_FILL_LANEMASK_LT:
  case SIMT_FILL_LANEMASK_LE:
  case SIMT_FILL_LANEMASK_GT:
  case SIMT_FILL_LANEMASK_GE: return true;
  default: return false;
  }
}

// Loads (except of parameters), atomics, shuffles and clocks may give every lane a different value;
// everything else gives equal results for equal operands.
static bool gives_each_lane_its_own(const simt_instr *in) {
  switch (in->form) {
  case ISA_LOAD: return in->memory.space != PTX_SPACE_PARAM;
  case ISA_ATOM:
  case ISA_SHUFFLE:
  case SIMT_FORM_CLOCK: return true;
  default: return false;
  }
}

static void spread(simt_values *values, const simt_instr *in, void *data) {
  bool *varies = data, result = gives_each_lane_its_own(in);
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n && !result; i++) {
    uint32_t slot = simt_operand_slot(in, roles[i]);
    result = roles[i].role != SIMT_ROLE_RESULT && slot != SIMT_NO_SLOT && varies[slot];
  }
  for (uint32_t i = 0; i < n && result; i++) {
    uint32_t slot = simt_operand_slot(in, roles[i]);
    if (roles[i].role != SIMT_ROLE_RESULT || slot == SIMT_NO_SLOT || varies[slot]) continue;
    varies[slot] = true;
    simt_values_changed(values, slot);
  }
}

static bool is_global_atomic(const simt_instr *in) {
  return (in->form == ISA_ATOM || in->form == ISA_RED) && in->memory.space != PTX_SPACE_SHARED;
}

bool simt_atomics_are_uniform(simt_values *values, bool *result) {
  const simt_kernel *kernel = values->kernel;
  bool any = false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) any |= is_global_atomic(&kernel->code[pc]);
  *result = true;
  if (!any) return true;
  bool *varies = SIMT_ARENA_ARRAY(values->scratch, bool, values->n_operands + 1);
  if (!varies) return false;
  for (uint32_t i = 0; i < values->n_operands; i++) varies[i] = is_per_lane(&values->operands[i]);
  simt_values_settle(values, spread, varies);
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) {
    const simt_instr *in = &kernel->code[pc];
    if (is_global_atomic(in) && in->a != SIMT_NO_SLOT && varies[in->a]) *result = false;
  }
  return true;
}

// ---- order --------------------------------------------------------------------------------------

// Sums of floats are rounded in the order of their terms; what an atomic returns shows which
// lane came first.
bool simt_atomics_show_order(const simt_values *values, simt_kernel *kernel) {
  bool shows = false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) {
    simt_instr *in = &kernel->code[pc];
    if (in->form != ISA_ATOM && in->form != ISA_RED) continue;
    in->memory.is_unread = in->d == SIMT_NO_SLOT || !simt_value_is_read(values, in->d);
    shows |= ptx_type_is_float(isa_rows[in->id].type) || !in->memory.is_unread;
  }
  return shows;
}
