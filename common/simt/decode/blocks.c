// SPDX-License-Identifier: MIT
// decode/blocks.c - basic blocks: control flow is analysed, a marker is put before every block, and
// branches learn their reconvergence points.
#include <string.h>

#include "decode/builder.h"
#include "device/operands.h"

// A guarded exit ends a basic block, but for the lanes that stay it does not leave the region:
// lanes that exit are no longer expected anywhere, so the others may still reconverge after it. The
// analysis sees it as a branch to the next instruction.
static uint8_t flow_kind(const simt_instr *in) {
  bool guarded = in->guard != SIMT_NO_SLOT;
  switch (in->form) {
  case ISA_BRANCH: return guarded ? SIMT_CFG_BRANCH : SIMT_CFG_JUMP;
  case ISA_EXIT:
  case ISA_TRAP: return guarded ? SIMT_CFG_BRANCH : SIMT_CFG_END;
  case SIMT_FORM_CALL: return SIMT_CFG_BRANCH; // to the next one, where a block begins
  case SIMT_FORM_RETURN: return SIMT_CFG_END;
  default: return SIMT_CFG_PLAIN;
  }
}

static simt_status analyse(builder *b, simt_cfg *cfg) {
  uint8_t *kinds = SIMT_ARENA_ARRAY(&b->scratch, uint8_t, b->n_code + 1);
  uint32_t *targets = SIMT_ARENA_ARRAY(&b->scratch, uint32_t, b->n_code + 1);
  if (!kinds || !targets)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%s'", b->kernel->name);
  for (uint32_t i = 0; i < b->n_code; i++) {
    kinds[i] = flow_kind(&b->code[i]);
    targets[i] = b->code[i].form == ISA_BRANCH ? b->code[i].branch.target : i + 1;
  }
  return simt_cfg_build(&b->scratch, b->n_code, kinds, targets, cfg, b->diag);
}

static bool allocate_code(builder *b, const simt_cfg *cfg) {
  simt_kernel *k = b->kernel;
  k->n_code = b->n_code + cfg->n_blocks;
  k->n_blocks = cfg->n_blocks;
  k->code = simt_arena_alloc(b->arena, k->n_code * sizeof *k->code, 64);
  k->code_class = SIMT_ARENA_ARRAY(b->arena, uint8_t, k->n_code);
  k->code_width = SIMT_ARENA_ARRAY(b->arena, uint8_t, k->n_code);
  k->code_loc = SIMT_ARENA_ARRAY(b->arena, int32_t, k->n_code);
  k->code_ptx_line = SIMT_ARENA_ARRAY(b->arena, uint32_t, k->n_code);
  k->blocks = SIMT_ARENA_ARRAY(b->arena, simt_code_block, k->n_blocks);
  return k->code && k->code_class && k->code_width && k->code_loc && k->code_ptx_line && k->blocks;
}

static void place_marker(simt_kernel *k, const simt_cfg_block *source, uint32_t block,
                         const simt_instr *first) {
  const uint32_t pc = source->first + block, n_instrs = source->n_instrs;
  simt_instr *in = &k->code[pc];
  *in = simt_blank_instr(SIMT_FORM_MARKER);
  in->pc = pc;
  in->klass = SIMT_CLASS_MARKER;
  in->marker = (simt_marker){.block = block, .n_instrs = n_instrs};
  in->loc = first->loc;
  in->ptx_line = first->ptx_line;
  k->blocks[block] = (simt_code_block){.first_pc = pc + 1,
                                       .n_instrs = n_instrs,
                                       .successors = {source->successors[0], source->successors[1]},
                                       .n_successors = source->n_successors};
}

// Block i moves i + 1 places down: one marker for itself and each block before it.
static void place_block(builder *b, const simt_cfg *cfg, uint32_t block) {
  simt_kernel *k = b->kernel;
  const simt_cfg_block *source = &cfg->blocks[block];
  place_marker(k, source, block, &b->code[source->first]);
  for (uint32_t i = 0; i < source->n_instrs; i++) {
    simt_instr *in = &k->code[source->first + i + block + 1];
    *in = b->code[source->first + i];
    in->pc = (uint32_t)(in - k->code);
    if (in->form != ISA_BRANCH) continue;
    uint32_t target = cfg->block_of[in->branch.target];
    in->branch.target = cfg->blocks[target].first + target;
    int32_t join = source->post_dominator;
    if (in->guard != SIMT_NO_SLOT && join >= 0)
      in->branch.reconverge = cfg->blocks[join].first + (uint32_t)join;
  }
}

static uint8_t accessed_bytes(const simt_instr *in) {
  const bool accesses =
      in->form == ISA_LOAD || in->form == ISA_STORE || in->form == ISA_ATOM || in->form == ISA_RED;
  return accesses ? (uint8_t)(in->memory.width_bytes * in->memory.vector) : 0;
}

static simt_status place_code(builder *b, const simt_cfg *cfg) {
  simt_kernel *k = b->kernel;
  if (!allocate_code(b, cfg))
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%s'", k->name);
  for (uint32_t i = 0; i < cfg->n_blocks; i++) place_block(b, cfg, i);
  for (uint32_t pc = 0; pc < k->n_code; pc++) {
    k->code_class[pc] = k->code[pc].klass;
    k->code_loc[pc] = k->code[pc].loc;
    k->code_ptx_line[pc] = k->code[pc].ptx_line;
    k->code_width[pc] = accessed_bytes(&k->code[pc]);
  }
  return SIMT_OK;
}

simt_status simt_decode_blocks(builder *b, simt_cfg *cfg) {
  simt_status status = analyse(b, cfg);
  return status == SIMT_OK ? place_code(b, cfg) : status;
}
