// SPDX-License-Identifier: MIT
// decode/cfg.c - basic blocks and immediate post-dominators.
//
// Post-dominators are dominators of the reversed graph with a virtual exit as its root, found by
// the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm"). Blocks that
// cannot reach the exit are tied to it first: one per strongly connected group without a way out,
// found by Tarjan's algorithm. Nothing recurses; besides the iteration everything is linear.
// Not modelled: calls (plain instructions here).
#include "decode/cfg.h"

#include <string.h>

#define NONE UINT32_MAX

// Working memory, in the caller's arena. Index n_blocks is the virtual exit.
typedef struct work {
  const simt_cfg *cfg;
  bool *leaves;         // [n_blocks] has an edge to the exit
  uint32_t *first_edge; // [n_blocks + 2] predecessors of block b: edges[first_edge[b] ...]
  uint32_t *edges;      // [n_edges]
  uint32_t *stack;      // [n_blocks + 1]
  uint32_t *next;       // [n_blocks + 1] per-block progress of a depth-first walk
  uint32_t *number;     // [n_blocks + 1] postorder number in the reversed graph, or NONE
  uint32_t *order;      // [n_blocks + 1] blocks by that number
  uint32_t *dominator;  // [n_blocks + 1]
} work;

static simt_status falls_off(simt_diag *diag, uint32_t instr) {
  return simt_fail(diag, SIMT_SYNTAX_ERROR, "control falls off the end after instruction %u",
                   instr);
}

static simt_status check(uint32_t n, const uint8_t *kinds, const uint32_t *targets,
                         simt_diag *diag) {
  if (n == 0)
    return simt_fail(diag, SIMT_SYNTAX_ERROR, "control falls off the end: no instructions");
  if (n > INT32_MAX)
    return simt_fail(diag, SIMT_INVALID_ARGUMENT, "%u instructions are too many", n);
  for (uint32_t i = 0; i < n; i++) {
    if (kinds[i] > SIMT_CFG_COND_END)
      return simt_fail(diag, SIMT_INVALID_ARGUMENT, "instruction %u: unknown kind %u", i, kinds[i]);
    bool has_target = kinds[i] == SIMT_CFG_BRANCH || kinds[i] == SIMT_CFG_JUMP;
    if (has_target && targets[i] > n)
      return simt_fail(diag, SIMT_INVALID_ARGUMENT, "instruction %u: target %u of %u", i,
                       targets[i], n);
    bool goes_on = kinds[i] != SIMT_CFG_JUMP && kinds[i] != SIMT_CFG_END;
    if ((has_target && targets[i] == n) || (goes_on && i + 1 == n)) return falls_off(diag, i);
  }
  return SIMT_OK;
}

// Marks leaders in block_of, then numbers the blocks. False: out of memory.
static bool cut_blocks(simt_arena *arena, uint32_t n, const uint8_t *kinds, const uint32_t *targets,
                       simt_cfg *cfg) {
  uint32_t *block_of = SIMT_ARENA_ARRAY(arena, uint32_t, n);
  if (block_of == NULL) return false;
  block_of[0] = 1;
  for (uint32_t i = 0; i < n; i++) {
    if (kinds[i] == SIMT_CFG_BRANCH || kinds[i] == SIMT_CFG_JUMP) block_of[targets[i]] = 1;
    if (kinds[i] != SIMT_CFG_PLAIN && i + 1 < n) block_of[i + 1] = 1;
  }
  uint32_t n_blocks = 0;
  for (uint32_t i = 0; i < n; i++) n_blocks += block_of[i];
  simt_cfg_block *blocks = SIMT_ARENA_ARRAY(arena, simt_cfg_block, n_blocks);
  if (blocks == NULL) return false;
  uint32_t block = NONE; // the first leader makes it 0
  for (uint32_t i = 0; i < n; i++) {
    if (block_of[i] == 1) blocks[++block].first = i;
    block_of[i] = block;
    blocks[block].n_instrs++;
  }
  *cfg = (simt_cfg){blocks, n_blocks, block_of};
  return true;
}

static void add_successor(simt_cfg_block *block, uint32_t successor) {
  if (block->n_successors == 1 && block->successors[0] == successor) return;
  block->successors[block->n_successors++] = successor;
}

static void link_blocks(const uint8_t *kinds, const uint32_t *targets, simt_cfg *cfg,
                        bool *leaves) {
  for (uint32_t b = 0; b < cfg->n_blocks; b++) {
    simt_cfg_block *block = &cfg->blocks[b];
    uint32_t last = block->first + block->n_instrs - 1;
    uint8_t kind = kinds[last];
    if (kind == SIMT_CFG_BRANCH || kind == SIMT_CFG_JUMP)
      add_successor(block, cfg->block_of[targets[last]]);
    if (kind != SIMT_CFG_JUMP && kind != SIMT_CFG_END)
      add_successor(block, cfg->block_of[last + 1]);
    leaves[b] = kind == SIMT_CFG_END || kind == SIMT_CFG_COND_END;
  }
}

static void mark_reachable(simt_cfg *cfg, uint32_t *stack) {
  uint32_t depth = 1;
  stack[0] = 0;
  cfg->blocks[0].reachable = true;
  while (depth > 0) {
    const simt_cfg_block *block = &cfg->blocks[stack[--depth]];
    for (uint32_t i = 0; i < block->n_successors; i++) {
      simt_cfg_block *successor = &cfg->blocks[block->successors[i]];
      if (successor->reachable) continue;
      successor->reachable = true;
      stack[depth++] = block->successors[i];
    }
  }
}

// Tarjan's algorithm, iterative. A component that is complete and that no edge leaves, neither to
// another component nor out of the program, is an infinite loop: its last block gets an edge to the
// exit.
typedef struct tarjan {
  uint32_t *index, *low;        // [n_blocks], NONE: not visited
  uint32_t *members, n_members; // the component stack
  bool *on_stack, *escapes;     // escapes: an edge out of the component, or out of the program
  uint32_t n_visited;
} tarjan;

static void close_component(work *w, tarjan *t, uint32_t root) {
  bool escapes = false;
  uint32_t last = root, first_member = t->n_members, member;
  do {
    member = t->members[--first_member];
    if (member > last) last = member;
    escapes = escapes || t->escapes[member];
    t->on_stack[member] = false;
  } while (member != root);
  t->n_members = first_member;
  if (!escapes) w->leaves[last] = true;
}

static void enter_block(work *w, tarjan *t, uint32_t block) {
  t->index[block] = t->low[block] = t->n_visited++;
  t->members[t->n_members++] = block;
  t->on_stack[block] = true;
  t->escapes[block] = w->leaves[block];
  w->next[block] = 0;
}

static void walk_components(work *w, tarjan *t, uint32_t start) {
  uint32_t depth = 0;
  enter_block(w, t, start);
  w->stack[depth++] = start;
  while (depth > 0) {
    uint32_t b = w->stack[depth - 1];
    const simt_cfg_block *block = &w->cfg->blocks[b];
    if (w->next[b] < block->n_successors) {
      uint32_t successor = block->successors[w->next[b]];
      if (t->index[successor] == NONE) {
        enter_block(w, t, successor);
        w->stack[depth++] = successor; // this edge is looked at again when it returns
        continue;
      }
      if (!t->on_stack[successor]) t->escapes[b] = true;
      else if (t->low[successor] < t->low[b]) t->low[b] = t->low[successor];
      w->next[b]++;
      continue;
    }
    if (t->low[b] == t->index[b]) close_component(w, t, b);
    depth--;
  }
}

static bool tie_infinite_loops(simt_arena *arena, work *w) {
  uint32_t n = w->cfg->n_blocks;
  tarjan t = {.index = SIMT_ARENA_ARRAY(arena, uint32_t, n),
              .low = SIMT_ARENA_ARRAY(arena, uint32_t, n),
              .members = SIMT_ARENA_ARRAY(arena, uint32_t, n),
              .on_stack = SIMT_ARENA_ARRAY(arena, bool, n),
              .escapes = SIMT_ARENA_ARRAY(arena, bool, n)};
  if (!t.index || !t.low || !t.members || !t.on_stack || !t.escapes) return false;
  for (uint32_t b = 0; b < n; b++) t.index[b] = NONE;
  for (uint32_t b = 0; b < n; b++)
    if (t.index[b] == NONE) walk_components(w, &t, b);
  return true;
}

// Predecessor lists: the edges of the reversed graph, with the virtual exit as block n_blocks.
static bool reverse_edges(simt_arena *arena, work *w) {
  const simt_cfg *cfg = w->cfg;
  uint32_t n = cfg->n_blocks, n_edges = 0;
  for (uint32_t b = 0; b < n; b++) {
    for (uint32_t i = 0; i < cfg->blocks[b].n_successors; i++)
      w->first_edge[cfg->blocks[b].successors[i] + 1]++;
    w->first_edge[n + 1] += w->leaves[b];
  }
  for (uint32_t b = 0; b <= n; b++) w->first_edge[b + 1] += w->first_edge[b];
  n_edges = w->first_edge[n + 1];
  w->edges = SIMT_ARENA_ARRAY(arena, uint32_t, n_edges);
  if (w->edges == NULL) return false;
  for (uint32_t b = 0; b <= n; b++) w->next[b] = w->first_edge[b];
  for (uint32_t b = 0; b < n; b++) {
    for (uint32_t i = 0; i < cfg->blocks[b].n_successors; i++)
      w->edges[w->next[cfg->blocks[b].successors[i]]++] = b;
    if (w->leaves[b]) w->edges[w->next[n]++] = b;
  }
  return true;
}

// Postorder numbers of a depth-first walk of the reversed graph from the exit, which comes last.
static void number_blocks(work *w) {
  uint32_t n = w->cfg->n_blocks, depth = 1, numbered = 0;
  for (uint32_t b = 0; b <= n; b++) {
    w->number[b] = NONE;
    w->next[b] = w->first_edge[b];
  }
  bool *seen = w->leaves; // no longer needed once the edges are reversed
  memset(seen, 0, n * sizeof *seen);
  w->stack[0] = n;
  while (depth > 0) {
    uint32_t b = w->stack[depth - 1];
    if (w->next[b] < w->first_edge[b + 1]) {
      uint32_t predecessor = w->edges[w->next[b]++];
      if (seen[predecessor]) continue;
      seen[predecessor] = true;
      w->stack[depth++] = predecessor;
    } else {
      w->order[numbered] = b;
      w->number[b] = numbered++;
      depth--;
    }
  }
}

static uint32_t common_dominator(const work *w, uint32_t a, uint32_t b) {
  while (a != b) {
    while (w->number[a] < w->number[b]) a = w->dominator[a];
    while (w->number[b] < w->number[a]) b = w->dominator[b];
  }
  return a;
}

// One block's dominator from those of its successors that have one; `leaves` edges go to the exit.
static uint32_t meet(const work *w, const bool *leaves, uint32_t b) {
  const simt_cfg_block *block = &w->cfg->blocks[b];
  uint32_t met = leaves[b] ? w->cfg->n_blocks : NONE;
  for (uint32_t i = 0; i < block->n_successors; i++) {
    uint32_t successor = block->successors[i];
    if (w->dominator[successor] == NONE) continue;
    met = met == NONE ? successor : common_dominator(w, met, successor);
  }
  return met;
}

static void find_dominators(work *w, const bool *leaves) {
  uint32_t n = w->cfg->n_blocks;
  for (uint32_t b = 0; b < n; b++) w->dominator[b] = NONE;
  w->dominator[n] = n;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = n; i-- > 0;) { // reverse postorder without the exit, which is number n
      uint32_t b = w->order[i], met = meet(w, leaves, b);
      if (met == w->dominator[b]) continue;
      w->dominator[b] = met;
      changed = true;
    }
  }
}

static bool find_post_dominators(simt_arena *arena, simt_cfg *cfg, work *w) {
  uint32_t n = cfg->n_blocks;
  bool *leaves = SIMT_ARENA_ARRAY(arena, bool, n);
  if (leaves == NULL || !tie_infinite_loops(arena, w)) return false;
  memcpy(leaves, w->leaves, n * sizeof *leaves);
  if (!reverse_edges(arena, w)) return false;
  number_blocks(w);
  find_dominators(w, leaves);
  for (uint32_t b = 0; b < n; b++)
    cfg->blocks[b].post_dominator = w->dominator[b] == n ? -1 : (int32_t)w->dominator[b];
  return true;
}

static bool make_work(simt_arena *arena, const simt_cfg *cfg, work *w) {
  uint32_t n = cfg->n_blocks;
  *w = (work){.cfg = cfg,
              .leaves = SIMT_ARENA_ARRAY(arena, bool, n),
              .first_edge = SIMT_ARENA_ARRAY(arena, uint32_t, (size_t)n + 2),
              .stack = SIMT_ARENA_ARRAY(arena, uint32_t, (size_t)n + 1),
              .next = SIMT_ARENA_ARRAY(arena, uint32_t, (size_t)n + 1),
              .number = SIMT_ARENA_ARRAY(arena, uint32_t, (size_t)n + 1),
              .order = SIMT_ARENA_ARRAY(arena, uint32_t, (size_t)n + 1),
              .dominator = SIMT_ARENA_ARRAY(arena, uint32_t, (size_t)n + 1)};
  return w->leaves && w->first_edge && w->stack && w->next && w->number && w->order && w->dominator;
}

simt_status simt_cfg_build(simt_arena *arena, uint32_t n_instrs, const uint8_t *kinds,
                           const uint32_t *targets, simt_cfg *cfg, simt_diag *diag) {
  *cfg = (simt_cfg){0};
  simt_status status = check(n_instrs, kinds, targets, diag);
  if (status != SIMT_OK) return status;
  work w;
  bool done = cut_blocks(arena, n_instrs, kinds, targets, cfg) && make_work(arena, cfg, &w);
  if (done) {
    link_blocks(kinds, targets, cfg, w.leaves);
    mark_reachable(cfg, w.stack);
    done = find_post_dominators(arena, cfg, &w);
  }
  if (done) return SIMT_OK;
  *cfg = (simt_cfg){0};
  return simt_fail(diag, SIMT_OUT_OF_MEMORY, "out of memory for %u instructions", n_instrs);
}
