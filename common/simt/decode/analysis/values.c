// SPDX-License-Identifier: MIT
// decode/analysis/values.c - see decode/analysis/values.h.
#include "decode/analysis/values.h"

typedef void (*operand_note)(uint32_t *first, uint32_t *list, uint32_t operand, uint32_t pc);

// Calls `note` for every operand that an instruction reads, as often as it reads it.
static void each_read(const simt_instr *in, operand_note note, uint32_t *first, uint32_t *list) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t operand = simt_operand_slot(in, roles[i]);
    if (roles[i].role != SIMT_ROLE_RESULT && operand != SIMT_NO_SLOT)
      note(first, list, operand, in->pc);
  }
}

// ... and for every operand that it writes. (A load has its first result twice.)
static void each_written(const simt_instr *in, operand_note note, uint32_t *first, uint32_t *list) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t operand = simt_operand_slot(in, roles[i]);
    if (roles[i].role == SIMT_ROLE_RESULT && operand != SIMT_NO_SLOT)
      note(first, list, operand, in->pc);
  }
}

static void count(uint32_t *first, uint32_t *list, uint32_t operand, uint32_t pc) {
  (void)list, (void)pc;
  first[operand + 1]++;
}

// While filling, first[i + 1] is where the next entry of operand i goes; in the end it is where
// they end.
static void place(uint32_t *first, uint32_t *list, uint32_t operand, uint32_t pc) {
  list[first[operand + 1]++] = pc;
}

// Where in the code each operand occurs, as `each` finds it: of operand i at list[first[i] ...
// first[i + 1] - 1].
static bool make_list(simt_values *values,
                      void (*each)(const simt_instr *, operand_note, uint32_t *, uint32_t *),
                      uint32_t **first, uint32_t **list) {
  const simt_kernel *kernel = values->kernel;
  *first = SIMT_ARENA_ARRAY(values->scratch, uint32_t, values->n_operands + 2);
  if (!*first) return false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) each(&kernel->code[pc], count, *first, NULL);
  uint32_t n = 0;
  for (uint32_t i = 0; i <= values->n_operands; i++) {
    uint32_t of_this = (*first)[i + 1];
    (*first)[i + 1] = n; // where the entries of operand i begin
    n += of_this;
  }
  *list = SIMT_ARENA_ARRAY(values->scratch, uint32_t, n + 1);
  if (!*list) return false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) each(&kernel->code[pc], place, *first, *list);
  return true;
}

bool simt_values_build(simt_values *values, simt_arena *scratch, const simt_kernel *kernel,
                       const simt_operand *operands, uint32_t n_operands) {
  *values = (simt_values){
      .scratch = scratch, .kernel = kernel, .operands = operands, .n_operands = n_operands};
  values->queue = SIMT_ARENA_ARRAY(scratch, uint32_t, kernel->n_code + 1);
  values->is_queued = SIMT_ARENA_ARRAY(scratch, bool, kernel->n_code + 1);
  return values->queue && values->is_queued &&
         make_list(values, each_read, &values->first_use, &values->uses) &&
         make_list(values, each_written, &values->first_definition, &values->definitions);
}

const simt_instr *simt_definition(const simt_values *values, uint32_t operand) {
  const uint32_t first = values->first_definition[operand];
  const uint32_t end = values->first_definition[operand + 1];
  if (first == end) return NULL;
  for (uint32_t i = first + 1; i < end; i++)
    if (values->definitions[i] != values->definitions[first]) return NULL;
  return &values->kernel->code[values->definitions[first]];
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
