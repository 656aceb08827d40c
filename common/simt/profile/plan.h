// SPDX-License-Identifier: MIT
// profile/plan.h - a kernel's instructions as the timing model sees them: per basic block the steps
// that cost something, in the order in which an assembler would put them, each with its unit, its
// cost and the registers it waits for.
//
// The order: within a basic block every instruction goes as far up as what it needs allows, as if
// the machine were infinitely wide. So independent loads come first and are in flight together, as
// assemblers for in-order machines see to. Loads do not pass stores, and nothing passes a barrier.
// Moves, address conversions and reads of parameters and special registers cost nothing; a product
// whose only use is an address sum is one instruction with it.
// A short loop of one basic block that counts by a constant is unrolled four times, as nvcc does
// where clang does not (clang's own unrolling is in the PTX already). Not modelled: what else an
// assembler does across basic blocks, register pressure and spilling.
#ifndef SIMT_PLAN_H
#define SIMT_PLAN_H

#include "base/arena.h"
#include "profile/model.h"

typedef enum simt_step_kind {
  SIMT_STEP_COMPUTE,
  SIMT_STEP_MEMORY,
  SIMT_STEP_MATCH, // its costs are those among 32 different values
  SIMT_STEP_BARRIER,
  SIMT_STEP_GRID_SYNC
} simt_step_kind;

typedef struct simt_step {
  uint32_t pc;
  uint32_t operands;  // index of the first in simt_plan.operands: sources, then results
  uint8_t kind, unit; // simt_step_kind, simt_unit
  uint8_t n_sources, n_results;
  uint16_t memory;     // of MEMORY and MATCH: which one of its basic block's, over all copies
  double issue_cycles; // of the warp's scheduler
  double busy_cycles;  // of the unit
  double latency;      // until the results can be used; of MEMORY steps: not known here; of
                       // barriers: beyond the block's own
} simt_step;

enum { SIMT_UNROLLED = 4 };

typedef struct simt_plan {
  simt_step *steps;
  uint32_t *first; // [n_code_blocks + 1] of a basic block's steps
  uint32_t
      *unrolled; // [n_code_blocks + 1] the same for SIMT_UNROLLED turns of a loop; most are empty
  uint16_t *operands;
  uint32_t n_code_blocks, n_registers;
  uint32_t *memory_index; // [n_code] which of its basic block's MEMORY and MATCH steps this one is
  uint32_t *turn_back; // [n_code_blocks] the block with which an unrolled loop goes back, or itself
  uint32_t *n_memory;  // [n_code_blocks] MEMORY and MATCH steps of a basic block
  uint32_t most_memory; // of one with all copies
  simt_arena arena;     // holds all of it
} simt_plan;

// False: out of memory, or the code is not known. The plan is then empty; free it in any case.
bool simt_plan_make(simt_plan *plan, const simt_model_device *device, const simt_launch_info *info);
void simt_plan_free(simt_plan *plan);

// The kind of a machine instruction; SIMT_OP_COUNT: it costs nothing.
simt_machine_op simt_machine_op_of(const simt_instr *in);

#endif
