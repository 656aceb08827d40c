// SPDX-License-Identifier: MIT
// profile/merge.c - see profile/merge.h.
//
// An instruction becomes part of another one of its basic block where that alone reads its result,
// which is dead behind it. Each takes in one other: with two it would have four inputs.
#include "profile/merge.h"

#include <stdlib.h>
#include <string.h>

#include "device/operands.h"

typedef enum kind { NEITHER, SUM, LOGIC, SHIFT } kind;

#define NONE UINT32_MAX

typedef struct written { // what a register holds, in the basic block at hand
  uint32_t by;           // pc of the instruction that wrote it; NONE: it comes from outside
  uint32_t reader;       // pc of the one that reads it
  uint32_t n_reads;
} written;

typedef struct merger {
  const simt_launch_info *info;
  const uint16_t *register_of;
  uint32_t n_registers, n_words; // words of a set of registers
  uint64_t *live_in;             // [n_code_blocks][n_words]
  uint64_t *set;                 // [n_words]
  written *now;                  // [n_registers]
  bool *takes;                   // [n_code] has another one as its part
  bool *merged;
} merger;

// ---- operands ----------------------------------------------------------------------------------

enum { MOST_ROLES = 16 };
typedef struct operands {
  uint16_t read[MOST_ROLES], result[MOST_ROLES];
  uint32_t n_read, n_results;
} operands;

static operands operands_of(const merger *g, const simt_instr *in) {
  operands found = {.n_read = 0};
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n && i < MOST_ROLES; i++) {
    uint32_t slot = simt_operand_slot(in, roles[i]);
    uint16_t number = slot == SIMT_NO_SLOT ? 0 : g->register_of[slot / 4];
    if (number == 0) continue;
    if (roles[i].role == SIMT_ROLE_RESULT) found.result[found.n_results++] = number;
    else found.read[found.n_read++] = number;
  }
  return found;
}

static bool has(const uint64_t *set, uint32_t number) {
  return set[number / 64] >> number % 64 & 1;
}
static void add(uint64_t *set, uint32_t number) { set[number / 64] |= UINT64_C(1) << number % 64; }
static void take(uint64_t *set, uint32_t number) {
  set[number / 64] &= ~(UINT64_C(1) << number % 64);
}

// ---- liveness ----------------------------------------------------------------------------------

// What is live behind a basic block, into g->set.
static void live_behind(const merger *g, const simt_code_block *block) {
  memset(g->set, 0, g->n_words * sizeof *g->set);
  for (uint32_t s = 0; s < block->n_successors; s++)
    for (uint32_t w = 0; w < g->n_words; w++)
      g->set[w] |= g->live_in[(size_t)block->successors[s] * g->n_words + w];
}

// One backward step over a basic block; whether more is live at its beginning than was known.
static bool step_back(const merger *g, uint32_t number) {
  const simt_code_block *block = &g->info->code_blocks[number];
  uint64_t *live = &g->live_in[(size_t)number * g->n_words];
  live_behind(g, block);
  for (uint32_t pc = block->first_pc + block->n_instrs; pc-- > block->first_pc;) {
    const simt_instr *in = &g->info->code[pc];
    operands found = operands_of(g, in);
    for (uint32_t i = 0; i < found.n_results && in->guard == SIMT_NO_SLOT; i++)
      take(g->set, found.result[i]);
    for (uint32_t i = 0; i < found.n_read; i++) add(g->set, found.read[i]);
  }
  bool more = memcmp(live, g->set, g->n_words * sizeof *live) != 0;
  memcpy(live, g->set, g->n_words * sizeof *live);
  return more;
}

static void find_live(const merger *g) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t b = g->info->n_code_blocks; b-- > 0;) more |= step_back(g, b);
  }
}

// ---- pairs -------------------------------------------------------------------------------------

static kind kind_of(const merger *g, const simt_instr *in) {
  switch (in->id) {
  case ISA_ADD_U32:
  case ISA_ADD_S32:
  case ISA_SUB_U32:
  case ISA_SUB_S32: return SUM;
  case ISA_AND_B32:
  case ISA_OR_B32:
  case ISA_XOR_B32:
  case ISA_NOT_B32: return LOGIC;
  case ISA_SHL_B32: return g->register_of[in->b / 4] == 0 ? SHIFT : NEITHER; // by a constant
  default: return NEITHER;
  }
}

static bool can_take(kind into, kind from) {
  return into == SUM ? from == SUM || from == SHIFT : into == LOGIC && from == LOGIC;
}

// The value of a register ends here. The instruction that alone has read it may take in the one
// that wrote it.
static void end_value(merger *g, uint32_t number, bool is_live) {
  written w = g->now[number];
  g->now[number] = (written){.by = NONE, .reader = NONE};
  if (is_live || w.by == NONE || w.n_reads != 1 || g->takes[w.reader] || g->takes[w.by]) return;
  const simt_instr *from = &g->info->code[w.by], *into = &g->info->code[w.reader];
  if (from->guard != SIMT_NO_SLOT || !can_take(kind_of(g, into), kind_of(g, from))) return;
  g->merged[w.by] = g->takes[w.reader] = true;
}

static void pair_up(merger *g, const simt_code_block *block) {
  for (uint32_t i = 0; i < g->n_registers; i++) g->now[i] = (written){.by = NONE, .reader = NONE};
  for (uint32_t pc = block->first_pc; pc < block->first_pc + block->n_instrs; pc++) {
    operands found = operands_of(g, &g->info->code[pc]);
    for (uint32_t i = 0; i < found.n_read; i++) {
      written *w = &g->now[found.read[i]];
      w->n_reads++;
      w->reader = pc;
    }
    for (uint32_t i = 0; i < found.n_results; i++) {
      end_value(g, found.result[i], g->info->code[pc].guard != SIMT_NO_SLOT);
      g->now[found.result[i]].by = pc;
    }
  }
  live_behind(g, block);
  for (uint32_t i = 1; i < g->n_registers; i++) end_value(g, i, has(g->set, i));
}

bool simt_find_merged(const simt_launch_info *info, const uint16_t *register_of,
                      uint32_t n_registers, bool *merged) {
  merger g = {.info = info,
              .register_of = register_of,
              .n_registers = n_registers,
              .n_words = n_registers / 64 + 1,
              .merged = merged};
  g.live_in = calloc((size_t)info->n_code_blocks * g.n_words + 1, sizeof *g.live_in);
  g.set = calloc(g.n_words, sizeof *g.set);
  g.now = calloc(n_registers, sizeof *g.now);
  g.takes = calloc((size_t)info->n_code + 1, sizeof *g.takes);
  bool ok = g.live_in && g.set && g.now && g.takes;
  if (ok) {
    find_live(&g);
    for (uint32_t b = 0; b < info->n_code_blocks; b++) pair_up(&g, &info->code_blocks[b]);
  }
  free(g.live_in);
  free(g.set);
  free(g.now);
  free(g.takes);
  return ok;
}
