// SPDX-License-Identifier: MIT
// lanes/atomic.h - one lane's atomic read-modify-write.
#ifndef SIMT_LANES_ATOMIC_H
#define SIMT_LANES_ATOMIC_H

#include "device/instruction.h"

// Applies the atomic of opcode row `id` to `*cell`; `operation` is an isa_atomic, `c` the new value
// of a compare-and-swap, `is_global` whether the cell is in global memory (float additions flush
// subnormals there). Returns the old value.
uint64_t simt_atomic_apply(uint16_t id, uint8_t *cell, uint64_t b, uint64_t c, uint8_t operation,
                           bool is_global);

#endif
