// SPDX-License-Identifier: MIT
// decode/slots.c - from virtual operands to places in a warp's register file.
//
// A register lives from its first definition to its last use, stretched over every basic block in
// which it is live; two registers whose stretches do not overlap may share a slot. This keeps the
// working set of a warp in the processor's first-level cache. Registers that may be read before
// they are written are listed, so that they read as zero.
// The analysis is per thread, as lanes never touch each other's part of a slot; the one exception,
// shuffles, read a register at the very instruction where it is live.
#include <string.h>

#include "decode/decode.h"
#include "device/operands.h"

static const size_t SCRATCH_LIMIT_BYTES = (size_t)4 << 30; // the sets grow as blocks x registers
enum { SLOT_ALIGN_BYTES = 64, RESERVED_BYTES = 64, SCRATCH_BYTES = 5 * 256, N_SIZES = 4 };

typedef struct interval {
  uint32_t first, last; // instruction indices; first > last: never used
} interval;

typedef struct analysis {
  simt_arena scratch;
  simt_kernel *kernel;
  const simt_cfg *cfg;
  simt_operand *operands;
  uint32_t n_operands, n_words;
  uint64_t *live_in, *live_out, *used, *defined; // [n_blocks][n_words] bit sets of operands
  interval *intervals;                           // [n_operands]
} analysis;

typedef void (*slot_visitor)(analysis *a, uint32_t *field, bool is_definition, void *data);

// Calls `visit` for every operand in use; those that are read first.
static void each_field(analysis *a, simt_instr *in, slot_visitor visit, void *data) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t *field = simt_operand_field(in, roles[i]);
    if (*field != SIMT_NO_SLOT) visit(a, field, roles[i].role == SIMT_ROLE_RESULT, data);
  }
}

// ---- liveness ----------------------------------------------------------------------------------

static bool has(const uint64_t *set, uint32_t bit) { return set[bit / 64] >> (bit % 64) & 1; }
static void add(uint64_t *set, uint32_t bit) { set[bit / 64] |= UINT64_C(1) << (bit % 64); }

typedef struct gather_state {
  uint64_t *used, *defined;
  bool guarded; // a guarded definition does not end the old value's life
} gather_state;

static void gather_field(analysis *a, uint32_t *field, bool is_definition, void *data) {
  gather_state *g = data;
  (void)a;
  if (!is_definition && !has(g->defined, *field)) add(g->used, *field);
  if (is_definition && g->guarded && !has(g->defined, *field)) add(g->used, *field);
  if (is_definition && !g->guarded) add(g->defined, *field);
}

static void gather(analysis *a) {
  for (uint32_t block = 0; block < a->kernel->n_blocks; block++) {
    const simt_code_block *range = &a->kernel->blocks[block];
    gather_state g = {.used = a->used + (size_t)block * a->n_words,
                      .defined = a->defined + (size_t)block * a->n_words};
    for (uint32_t i = 0; i < range->n_instrs; i++) {
      simt_instr *in = &a->kernel->code[range->first_pc + i];
      g.guarded = in->guard != SIMT_NO_SLOT;
      each_field(a, in, gather_field, &g);
    }
  }
}

// live_out = union of successors' live_in; live_in = used + (live_out - defined). To a fixed point.
static bool flow_block(analysis *a, uint32_t block) {
  const simt_cfg_block *b = &a->cfg->blocks[block];
  size_t row = (size_t)block * a->n_words;
  bool changed = false;
  for (uint32_t w = 0; w < a->n_words; w++) {
    uint64_t out = 0;
    for (uint32_t s = 0; s < b->n_successors; s++)
      out |= a->live_in[(size_t)b->successors[s] * a->n_words + w];
    uint64_t in = a->used[row + w] | (out & ~a->defined[row + w]);
    changed |= in != a->live_in[row + w] || out != a->live_out[row + w];
    a->live_in[row + w] = in;
    a->live_out[row + w] = out;
  }
  return changed;
}

static void flow(analysis *a) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t block = a->kernel->n_blocks; block-- > 0;) changed |= flow_block(a, block);
  }
}

// ---- intervals ---------------------------------------------------------------------------------

static void stretch(interval *i, uint32_t at) {
  if (at < i->first) i->first = at;
  if (at > i->last) i->last = at;
}

static void touch_field(analysis *a, uint32_t *field, bool is_definition, void *data) {
  (void)is_definition;
  stretch(&a->intervals[*field], *(uint32_t *)data);
}

static void find_intervals(analysis *a) {
  for (uint32_t i = 0; i < a->n_operands; i++) a->intervals[i] = (interval){UINT32_MAX, 0};
  for (uint32_t block = 0; block < a->kernel->n_blocks; block++) {
    const simt_code_block *range = &a->kernel->blocks[block];
    uint32_t begin = range->first_pc - 1, end = range->first_pc + range->n_instrs;
    for (uint32_t pc = range->first_pc; pc < end; pc++)
      each_field(a, &a->kernel->code[pc], touch_field, &pc);
    for (uint32_t i = 0; i < a->n_operands; i++) {
      if (has(a->live_in + (size_t)block * a->n_words, i)) stretch(&a->intervals[i], begin);
      if (has(a->live_out + (size_t)block * a->n_words, i)) stretch(&a->intervals[i], end);
    }
  }
}

// ---- slots -------------------------------------------------------------------------------------

static int size_class(uint8_t bytes) {
  return bytes == 0 ? 0 : bytes == 4 ? 1 : bytes == 8 ? 2 : 3;
}
static uint32_t slot_bytes(int size) { return size == 0 ? 4 : 128u << (size - 1); }

typedef struct event_list {
  uint32_t *head, *next; // by instruction: operands whose interval begins (or ends) there, chained
} event_list;

static bool build_events(analysis *a, event_list *starts, event_list *ends) {
  uint32_t n_pcs = a->kernel->n_code + 2;
  event_list *lists[] = {starts, ends};
  for (int k = 0; k < 2; k++) {
    lists[k]->head = SIMT_ARENA_ARRAY(&a->scratch, uint32_t, n_pcs);
    lists[k]->next = SIMT_ARENA_ARRAY(&a->scratch, uint32_t, a->n_operands + 1);
    if (!lists[k]->head || !lists[k]->next) return false;
  }
  for (uint32_t i = a->n_operands; i-- > 0;) { // chains in ascending order of operand
    if (!a->operands[i].is_register || a->intervals[i].first > a->intervals[i].last) continue;
    for (int k = 0; k < 2; k++) {
      uint32_t at = k == 0 ? a->intervals[i].first : a->intervals[i].last + 1;
      lists[k]->next[i] = lists[k]->head[at];
      lists[k]->head[at] = i + 1;
    }
  }
  return true;
}

typedef struct allocator {
  uint32_t *free[N_SIZES]; // stacks of free slots
  uint32_t n_free[N_SIZES];
  uint32_t end_bytes;                       // of the register file so far
  uint32_t predicates_left, next_predicate; // predicates are carved from 64-byte lines
} allocator;

static uint32_t take_slot(allocator *al, int size) {
  if (al->n_free[size]) return al->free[size][--al->n_free[size]];
  if (size == 0) {
    if (!al->predicates_left) {
      al->next_predicate = al->end_bytes;
      al->end_bytes += SLOT_ALIGN_BYTES;
      al->predicates_left = SLOT_ALIGN_BYTES / 4;
    }
    al->predicates_left--;
    uint32_t slot = al->next_predicate;
    al->next_predicate += 4;
    return slot;
  }
  uint32_t slot = al->end_bytes;
  al->end_bytes += slot_bytes(size);
  return slot;
}

static bool scan(analysis *a, allocator *al) {
  event_list starts, ends;
  if (!build_events(a, &starts, &ends)) return false;
  for (int s = 0; s < N_SIZES; s++) {
    al->free[s] = SIMT_ARENA_ARRAY(&a->scratch, uint32_t, a->n_operands + 1);
    if (!al->free[s]) return false;
  }
  uint32_t live_words = 0, most = 0;
  for (uint32_t pc = 0; pc < a->kernel->n_code + 2; pc++) {
    for (uint32_t e = ends.head[pc]; e; e = ends.next[e - 1]) {
      int size = size_class(a->operands[e - 1].bytes);
      al->free[size][al->n_free[size]++] = a->operands[e - 1].slot;
      live_words -= a->operands[e - 1].bytes / 4;
    }
    for (uint32_t s = starts.head[pc]; s; s = starts.next[s - 1]) {
      a->operands[s - 1].slot = take_slot(al, size_class(a->operands[s - 1].bytes));
      live_words += a->operands[s - 1].bytes / 4;
    }
    if (live_words > most) most = live_words;
  }
  // What a compiler needs in addition (addresses, spills of predicates) is not known here.
  a->kernel->registers_per_thread = most < 16 ? 16 : (most + 7) / 8 * 8;
  a->kernel->facts.registers = a->kernel->registers_per_thread;
  return true;
}

// Fills keep a slot of their own, as most are written only once; so they are placed before any
// slot can be handed back.
static bool place_fills(analysis *a, simt_arena *arena, allocator *al) {
  simt_kernel *k = a->kernel;
  k->fills = SIMT_ARENA_ARRAY(arena, simt_fill, a->n_operands + 1);
  if (!k->fills) return false;
  for (uint32_t i = 0; i < a->n_operands; i++) {
    simt_operand *operand = &a->operands[i];
    if (operand->is_register || a->intervals[i].first > a->intervals[i].last) continue;
    operand->slot = operand->fill.slot = take_slot(al, size_class(operand->bytes));
    k->fills[k->n_fills++] = operand->fill;
  }
  return true;
}

static bool list_zero_slots(analysis *a, simt_arena *arena) {
  simt_kernel *k = a->kernel;
  k->zero_slots = SIMT_ARENA_ARRAY(arena, uint32_t, 2 * (size_t)a->n_operands + 2);
  if (!k->zero_slots) return false;
  for (uint32_t i = 0; i < a->n_operands; i++) {
    if (!a->operands[i].is_register || !has(a->live_in, i)) continue;
    k->zero_slots[2 * k->n_zero_slots] = a->operands[i].slot;
    k->zero_slots[2 * k->n_zero_slots + 1] = slot_bytes(size_class(a->operands[i].bytes));
    k->n_zero_slots++;
  }
  return true;
}

// Registers that are live across a call and that its callee may overwrite.
static uint32_t saved_at(const analysis *a, uint32_t pc, simt_saved *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->n_operands; i++) {
    if (!a->operands[i].is_register || a->intervals[i].first > pc || a->intervals[i].last <= pc)
      continue;
    if (out) out[n] = (simt_saved){a->operands[i].slot, a->operands[i].bytes};
    n++;
  }
  return n;
}

static bool list_saved(analysis *a, simt_arena *arena) {
  simt_kernel *k = a->kernel;
  if (!k->makes_calls) return true;
  for (uint32_t pc = 0; pc < k->n_code; pc++)
    if (k->code[pc].form == SIMT_FORM_CALL) k->n_saved += saved_at(a, pc, NULL);
  k->saved = SIMT_ARENA_ARRAY(arena, simt_saved, k->n_saved + 1);
  if (!k->saved) return false;
  uint32_t n = 0;
  for (uint32_t pc = 0; pc < k->n_code; pc++) {
    simt_instr *in = &k->code[pc];
    if (in->form != SIMT_FORM_CALL) continue;
    in->call.first_saved = n;
    n += in->call.n_saved = saved_at(a, pc, k->saved + n);
  }
  return true;
}

static void patch_field(analysis *a, uint32_t *field, bool is_definition, void *data) {
  (void)is_definition, (void)data;
  *field = a->operands[*field].slot;
}

static bool allocate_sets(analysis *a) {
  size_t words = (size_t)a->kernel->n_blocks * a->n_words;
  a->live_in = SIMT_ARENA_ARRAY(&a->scratch, uint64_t, words);
  a->live_out = SIMT_ARENA_ARRAY(&a->scratch, uint64_t, words);
  a->used = SIMT_ARENA_ARRAY(&a->scratch, uint64_t, words);
  a->defined = SIMT_ARENA_ARRAY(&a->scratch, uint64_t, words);
  a->intervals = SIMT_ARENA_ARRAY(&a->scratch, interval, a->n_operands + 1);
  return a->live_in && a->live_out && a->used && a->defined && a->intervals;
}

static bool assign(analysis *a, simt_arena *arena) {
  if (!allocate_sets(a)) return false;
  gather(a);
  flow(a);
  find_intervals(a);
  for (uint32_t i = 0; i < a->n_operands; i++)
    a->operands[i].first = a->intervals[i].first, a->operands[i].last = a->intervals[i].last;
  allocator al = {.end_bytes = RESERVED_BYTES};
  if (!place_fills(a, arena, &al) || !scan(a, &al) || !list_zero_slots(a, arena) ||
      !list_saved(a, arena))
    return false;
  for (uint32_t pc = 0; pc < a->kernel->n_code; pc++)
    each_field(a, &a->kernel->code[pc], patch_field, NULL);
  a->kernel->scratch_slot = al.end_bytes;
  a->kernel->register_bytes = al.end_bytes + SCRATCH_BYTES;
  return true;
}

simt_status simt_assign_slots(simt_arena *arena, simt_kernel *kernel, const simt_cfg *cfg,
                              simt_operand *operands, uint32_t n_operands, simt_diag *diag) {
  analysis a = {.kernel = kernel,
                .cfg = cfg,
                .operands = operands,
                .n_operands = n_operands,
                .n_words = (n_operands + 63) / 64};
  simt_arena_limit(&a.scratch, SCRATCH_LIMIT_BYTES);
  bool done = assign(&a, arena);
  simt_arena_free(&a.scratch);
  return done ? SIMT_OK
              : simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%s'", kernel->name);
}
