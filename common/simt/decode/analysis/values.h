// SPDX-License-Identifier: MIT
// decode/analysis/values.h - the virtual operands of a kernel and the instructions that read them,
// and how facts about operands spread from instruction to instruction.
#ifndef SIMT_DECODE_VALUES_H
#define SIMT_DECODE_VALUES_H

#include "decode/decode.h"
#include "device/operands.h"

typedef struct simt_values {
  simt_arena *scratch;
  const simt_kernel *kernel;
  const simt_operand *operands; // [n_operands]
  uint32_t n_operands;
  // The instructions that read operand i, as value, address or guard, are
  // uses[first_use[i] … first_use[i + 1] - 1], in order.
  uint32_t *first_use, *uses;
  // Those that write it are definitions[first_definition[i] … first_definition[i + 1] - 1]; one
  // may occur twice.
  uint32_t *first_definition, *definitions;
  uint32_t *queue; // [n_code] ring of instructions to visit
  bool *is_queued; // [n_code]
  uint32_t head, n_queued;
} simt_values;

bool simt_values_build(simt_values *values, simt_arena *scratch, const simt_kernel *kernel,
                       const simt_operand *operands, uint32_t n_operands);

static inline bool simt_value_is_read(const simt_values *values, uint32_t operand) {
  return values->first_use[operand] < values->first_use[operand + 1];
}

// The only instruction that writes the operand, or NULL.
const simt_instr *simt_definition(const simt_values *values, uint32_t operand);

// Visits every instruction, in order, and then again each one that reads an operand which
// simt_values_changed() was called for, until there is none. With facts that only ever grow this
// takes time in proportion to the code, and the order of visits does not matter.
typedef void (*simt_values_visit)(simt_values *values, const simt_instr *in, void *data);
void simt_values_settle(simt_values *values, simt_values_visit visit, void *data);
void simt_values_changed(simt_values *values, uint32_t operand);

static inline bool simt_is_access(const simt_instr *in) {
  return in->form == ISA_LOAD || in->form == ISA_STORE || in->form == ISA_ATOM ||
         in->form == ISA_RED;
}

#endif
