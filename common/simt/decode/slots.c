// SPDX-License-Identifier: MIT
// decode/slots.c - from virtual operands to places in a warp's register file.
//
// A register lives from its first definition to its last use, stretched over every basic block in
// which it is live (decode/live.c); two registers whose stretches do not overlap may share a slot.
// This keeps the working set of a warp in the processor's first-level cache. Registers that may be
// read before they are written are listed, so that they read as zero.
// The analysis is per thread, as lanes never touch each other's part of a slot; the one exception,
// shuffles, read a register at the very instruction where it is live.
#include "decode/live.h"
#include "device/operands.h"

static const size_t SCRATCH_LIMIT_BYTES = (size_t)4 << 30;
enum { SLOT_ALIGN_BYTES = 64, RESERVED_BYTES = 64, SCRATCH_BYTES = 5 * 256, N_SIZES = 4 };

typedef struct analysis {
  simt_arena scratch;
  simt_kernel *kernel;
  simt_operand *operands;
  uint32_t n_operands;
  simt_liveness live;
} analysis;

static bool is_used(const analysis *a, uint32_t operand) {
  return a->live.intervals[operand].first <= a->live.intervals[operand].last;
}

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
    if (!a->operands[i].is_register || !is_used(a, i)) continue;
    for (int k = 0; k < 2; k++) {
      uint32_t at = k == 0 ? a->live.intervals[i].first : a->live.intervals[i].last + 1;
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
    if (operand->is_register || !is_used(a, i)) continue;
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
    if (!a->operands[i].is_register || !a->live.at_entry[i]) continue;
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
    const simt_interval *interval = &a->live.intervals[i];
    if (!a->operands[i].is_register || interval->first > pc || interval->last <= pc) continue;
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

// Operands become their slots in the code.
static void patch(analysis *a) {
  for (uint32_t pc = 0; pc < a->kernel->n_code; pc++) {
    uint32_t n;
    simt_instr *in = &a->kernel->code[pc];
    const simt_operand_role *roles = simt_roles_of(in->form, &n);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t *field = simt_operand_field(in, roles[i]);
      if (*field != SIMT_NO_SLOT) *field = a->operands[*field].slot;
    }
  }
}

static bool assign(analysis *a, simt_arena *arena, const simt_cfg *cfg) {
  if (!simt_find_liveness(&a->scratch, a->kernel, cfg, a->operands, a->n_operands, &a->live))
    return false;
  for (uint32_t i = 0; i < a->n_operands; i++) {
    a->operands[i].first = a->live.intervals[i].first;
    a->operands[i].last = a->live.intervals[i].last;
  }
  allocator al = {.end_bytes = RESERVED_BYTES};
  if (!place_fills(a, arena, &al) || !scan(a, &al) || !list_zero_slots(a, arena) ||
      !list_saved(a, arena))
    return false;
  patch(a);
  a->kernel->scratch_slot = al.end_bytes;
  a->kernel->register_bytes = al.end_bytes + SCRATCH_BYTES;
  return true;
}

simt_status simt_assign_slots(simt_arena *arena, simt_kernel *kernel, const simt_cfg *cfg,
                              simt_operand *operands, uint32_t n_operands, simt_diag *diag) {
  analysis a = {.kernel = kernel, .operands = operands, .n_operands = n_operands};
  simt_arena_limit(&a.scratch, SCRATCH_LIMIT_BYTES);
  bool done = assign(&a, arena, cfg);
  simt_arena_free(&a.scratch);
  return done ? SIMT_OK
              : simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%s'", kernel->name);
}
