// SPDX-License-Identifier: MIT
// decode/analysis/values.c - see decode/analysis/values.h.
#include "decode/analysis/values.h"

// Calls `note` for every operand that an instruction reads, as often as it reads it.
static void each_read(const simt_instr *in, void (*note)(simt_values *, uint32_t, uint32_t),
                      simt_values *values) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t operand = simt_operand_slot(in, roles[i]);
    if (roles[i].role != SIMT_ROLE_RESULT && operand != SIMT_NO_SLOT) note(values, operand, in->pc);
  }
}

static void count(simt_values *values, uint32_t operand, uint32_t pc) {
  (void)pc;
  values->first_use[operand + 1]++;
}

// While filling, first_use[i + 1] is where the next use of operand i goes; in the end it is where
// they end.
static void place(simt_values *values, uint32_t operand, uint32_t pc) {
  values->uses[values->first_use[operand + 1]++] = pc;
}

bool simt_values_build(simt_values *values, simt_arena *scratch, const simt_kernel *kernel,
                       const simt_operand *operands, uint32_t n_operands) {
  *values = (simt_values){
      .scratch = scratch, .kernel = kernel, .operands = operands, .n_operands = n_operands};
  values->first_use = SIMT_ARENA_ARRAY(scratch, uint32_t, n_operands + 2);
  values->queue = SIMT_ARENA_ARRAY(scratch, uint32_t, kernel->n_code + 1);
  values->is_queued = SIMT_ARENA_ARRAY(scratch, bool, kernel->n_code + 1);
  if (!values->first_use || !values->queue || !values->is_queued) return false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) each_read(&kernel->code[pc], count, values);
  uint32_t n = 0;
  for (uint32_t i = 0; i <= n_operands; i++) {
    uint32_t of_this = values->first_use[i + 1];
    values->first_use[i + 1] = n; // where the uses of operand i begin
    n += of_this;
  }
  values->uses = SIMT_ARENA_ARRAY(scratch, uint32_t, n + 1);
  if (!values->uses) return false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) each_read(&kernel->code[pc], place, values);
  return true;
}

static void enqueue(simt_values *values, uint32_t pc) {
  if (values->is_queued[pc]) return;
  values->is_queued[pc] = true;
  uint32_t at = values->head + values->n_queued++;
  values->queue[at < values->kernel->n_code ? at : at - values->kernel->n_code] = pc;
}

void simt_values_changed(simt_values *values, uint32_t operand) {
  for (uint32_t i = values->first_use[operand]; i < values->first_use[operand + 1]; i++)
    enqueue(values, values->uses[i]);
}

void simt_values_settle(simt_values *values, simt_values_visit visit, void *data) {
  const simt_kernel *kernel = values->kernel;
  values->head = values->n_queued = 0;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (kernel->code[pc].form != SIMT_FORM_MARKER) enqueue(values, pc);
  while (values->n_queued) {
    uint32_t pc = values->queue[values->head];
    values->head = values->head + 1 < kernel->n_code ? values->head + 1 : 0;
    values->n_queued--;
    values->is_queued[pc] = false;
    visit(values, &kernel->code[pc], data);
  }
}
