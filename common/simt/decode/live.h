// SPDX-License-Identifier: MIT
// decode/live.h - from where to where every register of a kernel lives.
#ifndef SIMT_LIVE_H
#define SIMT_LIVE_H

#include "decode/cfg.h"
#include "decode/decode.h"

typedef struct simt_interval {
  uint32_t first, last; // instruction indices; first > last: never used
} simt_interval;

typedef struct simt_liveness {
  simt_interval *intervals; // [n_operands] registers and fills; of a fill only whether it is used
  bool *at_entry;           // [n_operands] registers that may be read before they are written
  uint64_t n_steps;         // edges of the control flow that were followed, for all registers
} simt_liveness;

// Of the kernel's operands, whose ids stand in its code's fields. What is made belongs to `arena`.
// False: out of memory.
bool simt_find_liveness(simt_arena *arena, const simt_kernel *kernel, const simt_cfg *cfg,
                        const simt_operand *operands, uint32_t n_operands, simt_liveness *out);

#endif
