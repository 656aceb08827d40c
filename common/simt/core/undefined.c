// SPDX-License-Identifier: MIT
// core/undefined.c - see core/undefined.h. One word of 32 lane bits per register slot, and one with
// the origin of the latest such value in it.
#include "core/undefined.h"

#include <string.h>

#include "core/state.h"
#include "device/operands.h"
#include "lanes/collective.h"

static uint32_t lanes_of(const simt_warp *w, uint32_t slot) {
  return slot == SIMT_NO_SLOT ? 0 : w->undefined.lanes[slot / 4];
}

static void set(simt_warp *w, uint32_t slot, uint32_t mask, uint32_t bits) {
  if (slot == SIMT_NO_SLOT) return;
  uint32_t *lanes = &w->undefined.lanes[slot / 4], before = *lanes;
  *lanes = (before & ~mask) | (bits & mask);
  if (*lanes && !before) w->undefined.n_slots++;
  if (!*lanes && before) w->undefined.n_slots--;
}

static uint32_t origin_of(const simt_warp *w, uint32_t slot) {
  return w->undefined.origins[slot / 4];
}

static bool is_loaded(const simt_warp *w, uint32_t slot) {
  return lanes_of(w, slot) && origin_of(w, slot);
}

static void set_from(simt_warp *w, uint32_t slot, uint32_t mask, uint32_t bits, uint32_t origin) {
  set(w, slot, mask, bits);
  if (slot != SIMT_NO_SLOT && bits & mask) w->undefined.origins[slot / 4] = origin;
}

void simt_undefined_clear(simt_warp *w, uint32_t slot, uint32_t mask) {
  if (w->undefined.n_slots) set(w, slot, mask, 0);
}

// Reports that `lanes` use an undefined value at `in`; then takes the register as defined, so that
// one mistake is one finding.
static void report(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t slot,
                   uint32_t lanes, simt_undefined_use use) {
  lanes &= lanes_of(w, slot);
  if (!lanes) return;
  const simt_undefined_origin *from = &w->undefined.origin;
  simt_undefined_event event = {.origin = origin_of(w, slot),
                                .shuffle_pc = from->pc,
                                .pc = in->pc,
                                .block = w->block->index,
                                .warp = w->index,
                                .members = from->members,
                                .shuffle_lane = from->lane,
                                .source_lane = from->source,
                                .lanes = lanes,
                                .use = (uint8_t)use};
  SIMT_NOTIFY(core, undefined, &event);
  set(w, slot, lanes, 0);
}

// The lanes in which the guard, or a value from which the results are computed, is undefined.
static uint32_t any_source(const simt_warp *w, const simt_instr *in) {
  uint32_t n, lanes = 0;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++)
    if (roles[i].role == SIMT_ROLE_VALUE || roles[i].role == SIMT_ROLE_GUARD)
      lanes |= lanes_of(w, simt_operand_slot(in, roles[i]));
  return lanes;
}

// Where they come from: of several sources, the first.
static uint32_t origin_of_sources(const simt_warp *w, const simt_instr *in) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t slot = simt_operand_slot(in, roles[i]);
    if (roles[i].role != SIMT_ROLE_RESULT && is_loaded(w, slot)) return origin_of(w, slot);
  }
  return 0;
}

static void set_results(simt_warp *w, const simt_instr *in, uint32_t mask, uint32_t bits) {
  uint32_t n, origin = bits & mask ? origin_of_sources(w, in) : 0;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++)
    if (roles[i].role == SIMT_ROLE_RESULT)
      set_from(w, simt_operand_slot(in, roles[i]), mask, bits, origin);
}

static uint32_t predicate(const simt_warp *w, uint32_t slot, bool negated) {
  uint32_t p = *(const uint32_t *)(const void *)(w->regs + slot);
  return negated ? ~p : p;
}

// The lanes in which a lane-wise result is undefined. A selection depends only on the value it
// takes, and a false operand decides an `and` whatever the other is.
static uint32_t result(const simt_warp *w, const simt_instr *in) {
  uint32_t a = lanes_of(w, in->a), b = lanes_of(w, in->b), guard = lanes_of(w, in->guard);
  const isa_operation operation = simt_operation_of(in);
  if (operation == ISA_OPERATION_SELECT) {
    uint32_t p = predicate(w, in->c, in->c_negated);
    return guard | lanes_of(w, in->c) | (p & a) | (~p & b);
  }
  const bool is_or = operation == ISA_OPERATION_OR;
  if ((is_or || operation == ISA_OPERATION_AND) && isa_rows[in->id].type == PTX_PRED) {
    uint32_t deciding = is_or ? SIMT_FULL_MASK : 0;
    uint32_t x = predicate(w, in->a, in->a_negated) ^ ~deciding;
    uint32_t y = predicate(w, in->b, in->b_negated) ^ ~deciding;
    return guard | ((a | b) & ~(x & ~a) & ~(y & ~b));
  }
  return any_source(w, in);
}

// Whether lanes store into their own local memory; unoptimised code does so by generic addresses.
static bool is_local(const simt_warp *w, const simt_instr *in, uint32_t mask) {
  if (in->memory.space != PTX_SPACE_GENERIC || in->a == SIMT_NO_SLOT ||
      in->memory.address_bits != 64 || !mask)
    return in->memory.space == PTX_SPACE_LOCAL;
  const uint64_t *a = (const uint64_t *)(const void *)(w->regs + in->a);
  uint64_t address = a[__builtin_ctz(mask)] + (uint64_t)in->memory.offset;
  return address - SIMT_LOCAL_WINDOW < SIMT_LOCAL_WINDOW_BYTES;
}

static void access(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                   uint32_t active) {
  report(core, w, in, in->guard, active, SIMT_USE_BRANCH);
  report(core, w, in, in->a, mask, SIMT_USE_ADDRESS);
  bool kept = in->klass == SIMT_CLASS_PARAMETER || is_local(w, in, mask);
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t slot = simt_operand_slot(in, roles[i]);
    if (roles[i].role != SIMT_ROLE_STORED) continue;
    if (in->form != ISA_STORE || kept == is_loaded(w, slot))
      report(core, w, in, slot, mask, SIMT_USE_STORED);
  }
  set_results(w, in, mask, 0);
}

// An instruction of another kind: what it reads of loaded values counts as used.
static void other(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                  uint32_t active) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t slot = simt_operand_slot(in, roles[i]);
    bool guards = roles[i].role == SIMT_ROLE_GUARD;
    if (roles[i].role != SIMT_ROLE_RESULT && is_loaded(w, slot))
      report(core, w, in, slot, guards ? active : mask, guards ? SIMT_USE_BRANCH : SIMT_USE_STORED);
  }
  set_results(w, in, mask, 0);
}

void simt_undefined_step(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                         uint32_t active) {
  // Where the guard is undefined, so is what the registers hold then, written or not.
  const uint32_t written = mask | (lanes_of(w, in->guard) & active);
  switch (in->form) {
  case ISA_LANES: {
    uint32_t lanes = result(w, in);
    set_from(w, in->d, written, lanes, lanes & written ? origin_of_sources(w, in) : 0);
    break;
  }
  case ISA_SETP:
  case ISA_PACK:
  case ISA_UNPACK: set_results(w, in, written, any_source(w, in)); break;
  case ISA_LOAD:
  case ISA_STORE:
  case ISA_ATOM:
  case ISA_RED: access(core, w, in, mask, active); break;
  case ISA_BRANCH:
  case ISA_EXIT: report(core, w, in, in->guard, active, SIMT_USE_BRANCH); break;
  case ISA_ISSPACEP:
  case ISA_ACTIVEMASK:
  case SIMT_FORM_CLOCK: set_results(w, in, mask, 0); break;
  case ISA_SHUFFLE:
  case ISA_VOTE:
  case ISA_MATCH:
  case ISA_REDUX: break; // when their lanes have come together
  default: other(core, w, in, mask, active);
  }
}

// ---- memory ------------------------------------------------------------------------------------

static bool make_room(simt_core *core, simt_warp *w) {
  size_t n = core->kernel->register_bytes / 4 + 1;
  if (!w->undefined.lanes) w->undefined.lanes = SIMT_ARENA_ARRAY(&core->arena, uint32_t, n);
  if (!w->undefined.origins) w->undefined.origins = SIMT_ARENA_ARRAY(&core->arena, uint32_t, n);
  return w->undefined.lanes && w->undefined.origins;
}

void simt_undefined_load(simt_core *core, simt_warp *w, const simt_instr *in,
                         const simt_access_undefined *loaded) {
  for (uint32_t i = 0; i < in->memory.vector; i++) {
    uint32_t lanes = loaded->lanes[i];
    if (lanes && make_room(core, w))
      set_from(w, in->memory.data[i], lanes, lanes, loaded->origin[i]);
  }
}

void simt_undefined_store(const simt_warp *w, const simt_instr *in, uint32_t mask,
                          simt_access_undefined *stored) {
  for (uint32_t i = 0; i < in->memory.vector; i++) {
    uint32_t slot = in->memory.data[i];
    if (!is_loaded(w, slot)) continue;
    stored->lanes[i] = lanes_of(w, slot) & mask;
    stored->origin[i] = origin_of(w, slot);
  }
}

// ---- warp-wide operations ----------------------------------------------------------------------

bool simt_undefined_shuffle(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                            uint32_t members) {
  uint8_t source[SIMT_LANES];
  uint32_t absent = 0, moved = 0;
  simt_shuffle_sources(w->regs, in, mask, source);
  for (SIMT_EACH_LANE(lane, mask)) absent |= (uint32_t) !(mask >> source[lane] & 1) << lane;
  if (!absent && !w->undefined.n_slots) return true;
  if (!make_room(core, w)) return false;
  if (is_loaded(w, in->b)) report(core, w, in, in->b, mask, SIMT_USE_COLLECTIVE);
  uint32_t before = lanes_of(w, in->a);
  for (SIMT_EACH_LANE(lane, mask)) moved |= (before >> source[lane] & 1) << lane;
  if (absent) {
    uint32_t first = (uint32_t)__builtin_ctz(absent);
    w->undefined.origin = (simt_undefined_origin){
        .pc = in->pc, .members = members, .lane = (uint8_t)first, .source = source[first]};
  }
  set_from(w, in->d, mask, moved | absent, absent ? 0 : moved ? origin_of(w, in->a) : 0);
  set(w, in->collective.second_d, mask, 0);
  return true;
}

void simt_undefined_collective(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  if (!w->undefined.n_slots) return;
  report(core, w, in, in->a, mask, SIMT_USE_COLLECTIVE);
  set_results(w, in, mask, 0);
}
