// SPDX-License-Identifier: MIT
// device/operands.h - which operands an instruction reads and writes, and in which role. This is
// the only place that knows; all code that follows values through a kernel uses it (register
// allocation, load-time analyses, undefined values).
#ifndef SIMT_DEVICE_OPERANDS_H
#define SIMT_DEVICE_OPERANDS_H

#include <stddef.h>

#include "device/instruction.h"

typedef enum simt_role {
  SIMT_ROLE_VALUE,   // read: the results are computed from it
  SIMT_ROLE_ADDRESS, // read: where memory is accessed
  SIMT_ROLE_STORED,  // read: goes to memory
  SIMT_ROLE_SYNC,    // read: barrier, thread count, member mask
  SIMT_ROLE_GUARD,   // read: decides whether the lane executes the instruction
  SIMT_ROLE_RESULT   // written
} simt_role;

typedef struct simt_operand_role {
  uint8_t role;   // simt_role
  uint8_t offset; // of the slot's field in simt_instr
} simt_operand_role;

// The operands of all instructions of a form (isa_form, simt_form), those that are read first. A
// field may hold SIMT_NO_SLOT.
const simt_operand_role *simt_roles_of(uint8_t form, uint32_t *n);

// What a lane-wise instruction computes; ISA_OPERATION_OTHER for those made by the decoder.
static inline isa_operation simt_operation_of(const simt_instr *in) {
  return in->id < ISA_ID_COUNT ? isa_rows[in->id].operation : ISA_OPERATION_OTHER;
}

// An instruction of a form all of whose operands are SIMT_NO_SLOT; a branch leads nowhere.
simt_instr simt_blank_instr(uint8_t form);

static inline uint32_t *simt_operand_field(simt_instr *in, simt_operand_role operand) {
  return (uint32_t *)(void *)((uint8_t *)in + operand.offset);
}

static inline uint32_t simt_operand_slot(const simt_instr *in, simt_operand_role operand) {
  return *(const uint32_t *)(const void *)((const uint8_t *)in + operand.offset);
}

#endif
