// SPDX-License-Identifier: MIT
// decode/live.c - liveness, register by register: from each block that reads a register which it
// has not written, back over the edges until the blocks that write it.
//
// The cost is the number of edges over which registers are live, so that thousands of blocks whose
// registers are their own (a switch of thousands of cases) cost no more than their text; sets of
// all registers for every block would grow as blocks x registers. Nothing recurses.
#include "decode/live.h"

#include "device/operands.h"

// Blocks of an operand, chained: index + 1 of a node, 0 at the end.
typedef struct chains {
  uint32_t *head;         // [n_operands]
  uint32_t *block, *next; // [n_nodes]
  uint32_t n_nodes;
} chains;

typedef struct analysis {
  const simt_kernel *kernel;
  const simt_cfg *cfg;
  const simt_operand *operands;
  uint32_t n_operands;
  simt_liveness *live;
  uint32_t *first_edge, *edges;   // predecessors of block b: edges[first_edge[b] ...]
  chains reads, writes;           // reads: of a value from before the block
  uint32_t *read_in, *written_in; // [n_operands] last block + 1 that did, while blocks are read
  uint32_t *is_live,
      *is_written; // [n_blocks] last register + 1 that is, while registers are walked
  uint32_t *stack; // [n_blocks]
} analysis;

static void stretch(simt_interval *i, uint32_t at) {
  if (at < i->first) i->first = at;
  if (at > i->last) i->last = at;
}

// ---- predecessors ------------------------------------------------------------------------------

static bool reverse_edges(simt_arena *arena, analysis *a) {
  const simt_cfg *cfg = a->cfg;
  const uint32_t n = cfg->n_blocks;
  a->first_edge = SIMT_ARENA_ARRAY(arena, uint32_t, (size_t)n + 2);
  a->edges = SIMT_ARENA_ARRAY(arena, uint32_t, 2 * (size_t)n + 1);
  if (!a->first_edge || !a->edges) return false;
  // Counted two places up, so that after the sums place b + 1 says where b's begin; filling moves
  // it to where they end, which is where those of b + 1 begin.
  for (uint32_t b = 0; b < n; b++)
    for (uint32_t i = 0; i < cfg->blocks[b].n_successors; i++)
      a->first_edge[cfg->blocks[b].successors[i] + 2]++;
  for (uint32_t b = 2; b < n + 2; b++) a->first_edge[b] += a->first_edge[b - 1];
  for (uint32_t b = 0; b < n; b++)
    for (uint32_t i = 0; i < cfg->blocks[b].n_successors; i++)
      a->edges[a->first_edge[cfg->blocks[b].successors[i] + 1]++] = b;
  return true;
}

// ---- what each block reads and writes -----------------------------------------------------------

static void chain(chains *c, uint32_t operand, uint32_t block) {
  const uint32_t node = c->n_nodes++;
  c->block[node] = block;
  c->next[node] = c->head[operand];
  c->head[operand] = node + 1;
}

static void note_read(analysis *a, uint32_t operand, uint32_t block) {
  if (a->written_in[operand] == block + 1 || a->read_in[operand] == block + 1) return;
  a->read_in[operand] = block + 1;
  chain(&a->reads, operand, block);
}

static void note_write(analysis *a, uint32_t operand, uint32_t block, bool guarded) {
  if (guarded) { // does not end the old value's life
    note_read(a, operand, block);
  } else if (a->written_in[operand] != block + 1) {
    a->written_in[operand] = block + 1;
    chain(&a->writes, operand, block);
  }
}

static void read_instruction(analysis *a, const simt_instr *in, uint32_t pc, uint32_t block) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t operand = simt_operand_slot(in, roles[i]);
    if (operand == SIMT_NO_SLOT) continue;
    stretch(&a->live->intervals[operand], pc);
    if (!a->operands[operand].is_register) continue;
    if (roles[i].role == SIMT_ROLE_RESULT) note_write(a, operand, block, in->guard != SIMT_NO_SLOT);
    else note_read(a, operand, block);
  }
}

static void read_blocks(analysis *a) {
  for (uint32_t block = 0; block < a->kernel->n_blocks; block++) {
    const simt_code_block *range = &a->kernel->blocks[block];
    for (uint32_t i = 0; i < range->n_instrs; i++)
      read_instruction(a, &a->kernel->code[range->first_pc + i], range->first_pc + i, block);
  }
}

// ---- one register ------------------------------------------------------------------------------

// A register is live from before a block's first instruction, or to behind its last.
static uint32_t begin_of(const analysis *a, uint32_t block) {
  return a->kernel->blocks[block].first_pc - 1;
}
static uint32_t end_of(const analysis *a, uint32_t block) {
  return a->kernel->blocks[block].first_pc + a->kernel->blocks[block].n_instrs;
}

static void walk(analysis *a, uint32_t operand) {
  simt_interval *interval = &a->live->intervals[operand];
  uint32_t depth = 0;
  for (uint32_t node = a->writes.head[operand]; node; node = a->writes.next[node - 1])
    a->is_written[a->writes.block[node - 1]] = operand + 1;
  for (uint32_t node = a->reads.head[operand]; node; node = a->reads.next[node - 1]) {
    a->is_live[a->reads.block[node - 1]] = operand + 1;
    a->stack[depth++] = a->reads.block[node - 1];
  }
  while (depth > 0) {
    const uint32_t block = a->stack[--depth];
    stretch(interval, begin_of(a, block));
    if (block == 0) a->live->at_entry[operand] = true;
    for (uint32_t e = a->first_edge[block]; e < a->first_edge[block + 1]; e++) {
      const uint32_t before = a->edges[e];
      a->live->n_steps++;
      stretch(interval, end_of(a, before));
      if (a->is_written[before] == operand + 1 || a->is_live[before] == operand + 1) continue;
      a->is_live[before] = operand + 1;
      a->stack[depth++] = before;
    }
  }
}

// ---- all ---------------------------------------------------------------------------------------

// As many nodes as there are operands in the code's fields, at most.
static size_t count_fields(const simt_kernel *kernel) {
  size_t fields = 0;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) {
    uint32_t n;
    simt_roles_of(kernel->code[pc].form, &n);
    fields += n;
  }
  return fields;
}

static bool allocate_chains(simt_arena *arena, chains *c, uint32_t n_operands, size_t n_nodes) {
  c->head = SIMT_ARENA_ARRAY(arena, uint32_t, (size_t)n_operands + 1);
  c->block = SIMT_ARENA_ARRAY(arena, uint32_t, n_nodes + 1);
  c->next = SIMT_ARENA_ARRAY(arena, uint32_t, n_nodes + 1);
  return c->head && c->block && c->next;
}

static bool allocate(simt_arena *arena, analysis *a) {
  const size_t n_operands = (size_t)a->n_operands + 1, n_blocks = (size_t)a->kernel->n_blocks + 1;
  const size_t n_fields = count_fields(a->kernel);
  a->live->intervals = SIMT_ARENA_ARRAY(arena, simt_interval, n_operands);
  a->live->at_entry = SIMT_ARENA_ARRAY(arena, bool, n_operands);
  a->read_in = SIMT_ARENA_ARRAY(arena, uint32_t, n_operands);
  a->written_in = SIMT_ARENA_ARRAY(arena, uint32_t, n_operands);
  a->is_live = SIMT_ARENA_ARRAY(arena, uint32_t, n_blocks);
  a->is_written = SIMT_ARENA_ARRAY(arena, uint32_t, n_blocks);
  a->stack = SIMT_ARENA_ARRAY(arena, uint32_t, n_blocks);
  return a->live->intervals && a->live->at_entry && a->read_in && a->written_in && a->is_live &&
         a->is_written && a->stack && allocate_chains(arena, &a->reads, a->n_operands, n_fields) &&
         allocate_chains(arena, &a->writes, a->n_operands, n_fields);
}

bool simt_find_liveness(simt_arena *arena, const simt_kernel *kernel, const simt_cfg *cfg,
                        const simt_operand *operands, uint32_t n_operands, simt_liveness *out) {
  analysis a = {
      .kernel = kernel, .cfg = cfg, .operands = operands, .n_operands = n_operands, .live = out};
  *out = (simt_liveness){0};
  if (!allocate(arena, &a) || !reverse_edges(arena, &a)) return false;
  for (uint32_t i = 0; i < n_operands; i++) out->intervals[i] = (simt_interval){UINT32_MAX, 0};
  read_blocks(&a);
  for (uint32_t i = 0; i < n_operands; i++) walk(&a, i);
  return true;
}
