// SPDX-License-Identifier: MIT
// decode/cfg.h - control flow: basic blocks and their immediate post-dominators.
//
// Works on an abstract program (one kind and one target per instruction), so that it knows neither
// PTX nor dense instructions and can be tested by hand-worked graphs.
#ifndef SIMT_CFG_H
#define SIMT_CFG_H

#include "base/arena.h"
#include "base/status.h"

typedef enum simt_cfg_kind {
  SIMT_CFG_PLAIN,   // goes on with the next instruction
  SIMT_CFG_BRANCH,  // to its target or to the next instruction
  SIMT_CFG_JUMP,    // to its target
  SIMT_CFG_END,     // leaves the program: exit, ret, trap
  SIMT_CFG_COND_END // guarded exit or ret: leaves, or goes on for the lanes not guarded
} simt_cfg_kind;

typedef struct simt_cfg_block {
  uint32_t first, n_instrs;
  uint32_t successors[2]; // the branch's target first; one entry when both are the same block
  uint32_t n_successors;  // leaving the program is not a successor
  int32_t post_dominator; // block index of the immediate post-dominator, or -1: the exit
  bool reachable;         // from instruction 0
} simt_cfg_block;

typedef struct simt_cfg {
  simt_cfg_block *blocks; // [n_blocks], in the order of their first instructions
  uint32_t n_blocks;
  uint32_t *block_of; // [n_instrs]
} simt_cfg;

// Builds the graph of `n_instrs` instructions: kinds[n_instrs] holds simt_cfg_kind, targets[i] an
// instruction index where kinds[i] is BRANCH or JUMP (ignored elsewhere). Everything made belongs
// to `arena`. Unreachable code is part of the graph.
//
// A group of blocks that cannot leave the program (an infinite loop) is taken to leave it from its
// last block in program order, so that every block has a post-dominator.
//
// SIMT_SYNTAX_ERROR "control falls off the end" when an instruction leads to index n_instrs (or
// n_instrs is 0); SIMT_INVALID_ARGUMENT for a target beyond that or an unknown kind.
simt_status simt_cfg_build(simt_arena *arena, uint32_t n_instrs, const uint8_t *kinds,
                           const uint32_t *targets, simt_cfg *cfg, simt_diag *diag);

#endif
