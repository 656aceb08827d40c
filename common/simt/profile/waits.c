// SPDX-License-Identifier: MIT
// profile/waits.c - what the timing model cannot judge: a loop in which a kernel waits for another
// block, that is, a branch of the loop depends on a volatile, relaxed or acquiring load from global
// memory in the same loop; and use of another block's shared memory, which takes its address (mapa)
// in a launch by clusters.
#include <stdlib.h>
#include <string.h>

#include "device/operands.h"
#include "profile/model.h"

// Marks in `on_cycle` the blocks from which control can come back to them.
static void find_cycles(const simt_launch_info *info, bool *on_cycle, bool *seen, uint32_t *stack) {
  for (uint32_t b = 0; b < info->n_code_blocks; b++) {
    uint32_t n = 0;
    memset(seen, 0, info->n_code_blocks * sizeof *seen);
    stack[n++] = b;
    while (n && !on_cycle[b]) {
      const simt_code_block *block = &info->code_blocks[stack[--n]];
      for (uint32_t i = 0; i < block->n_successors; i++) {
        uint32_t next = block->successors[i];
        if (next == b) on_cycle[b] = true;
        if (next >= info->n_code_blocks || seen[next]) continue;
        seen[next] = true;
        stack[n++] = next;
      }
    }
  }
}

static bool is_strong_load(const simt_instr *in) {
  return in->form == ISA_LOAD && in->memory.order != ISA_WEAK &&
         (in->memory.space == PTX_SPACE_GLOBAL || in->memory.space == PTX_SPACE_GENERIC);
}

// One pass: results of what reads a marked slot are marked. Returns whether a branch does.
static bool follow(const simt_launch_info *info, const simt_code_block *block, bool *marked) {
  bool decides = false;
  uint32_t n;
  for (uint32_t pc = block->first_pc; pc < block->first_pc + block->n_instrs; pc++) {
    const simt_instr *in = &info->code[pc];
    const simt_operand_role *roles = simt_roles_of(in->form, &n);
    bool reads = is_strong_load(in);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t slot = simt_operand_slot(in, roles[i]);
      if (roles[i].role != SIMT_ROLE_RESULT && slot != SIMT_NO_SLOT) reads |= marked[slot / 4];
    }
    decides |= reads && in->form == ISA_BRANCH;
    for (uint32_t i = 0; i < n && reads; i++) {
      uint32_t slot = simt_operand_slot(in, roles[i]);
      if (roles[i].role == SIMT_ROLE_RESULT && slot != SIMT_NO_SLOT) marked[slot / 4] = true;
    }
  }
  return decides;
}

static uint32_t count_slots(const simt_launch_info *info) {
  uint32_t most = 0, n;
  for (uint32_t pc = 0; pc < info->n_code; pc++) {
    const simt_operand_role *roles = simt_roles_of(info->code[pc].form, &n);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t slot = simt_operand_slot(&info->code[pc], roles[i]);
      if (slot != SIMT_NO_SLOT && slot > most) most = slot;
    }
  }
  return most / 4 + 1;
}

bool simt_model_waits_for_blocks(const simt_launch_info *info) {
  bool any = false, waits = false;
  for (uint32_t pc = 0; info->code && pc < info->n_code; pc++)
    any |= is_strong_load(&info->code[pc]);
  if (!any) return false;
  uint32_t n = info->n_code_blocks;
  bool *on_cycle = calloc(2 * (size_t)n + count_slots(info), sizeof *on_cycle);
  uint32_t *stack = calloc((size_t)n + 1, sizeof *stack);
  for (int pass = 0; on_cycle && stack && pass < 3 && !waits; pass++) {
    if (pass == 0) find_cycles(info, on_cycle, on_cycle + n, stack);
    for (uint32_t b = 0; b < n; b++)
      if (on_cycle[b]) waits |= follow(info, &info->code_blocks[b], on_cycle + 2 * (size_t)n);
  }
  free(on_cycle);
  free(stack);
  return waits;
}

bool simt_model_uses_cluster_memory(const simt_launch_info *info) {
  for (uint32_t pc = 0; info->code && info->cluster_blocks > 1 && pc < info->n_code; pc++) {
    uint16_t id = info->code[pc].id;
    if (id == ISA_MAPA_U64 || id == ISA_MAPA_SHARED_CLUSTER_U64 ||
        id == ISA_MAPA_SHARED_CLUSTER_U32)
      return true;
  }
  return false;
}
