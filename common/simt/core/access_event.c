// SPDX-License-Identifier: MIT
// core/access_event.c - see core/access_event.h.
#include "core/access_event.h"

#include "core/access_fault.h"
#include "core/undefined.h"

static bool is_float_atomic(const simt_instr *in) {
  return (in->form == ISA_ATOM || in->form == ISA_RED) && ptx_type_is_float(isa_rows[in->id].type);
}

// Registers with what is stored or combined. For a compare-and-swap: what it would store.
static void describe_data(const simt_warp *w, const simt_instr *in, simt_access *event) {
  if (in->form == ISA_LOAD) return;
  if (in->form != ISA_STORE) {
    event->data[0] = w->regs + (in->c != SIMT_NO_SLOT ? in->c : in->b);
    return;
  }
  for (uint32_t i = 0; i < in->memory.vector; i++) event->data[i] = w->regs + in->memory.data[i];
}

// Whether undefined values that this access moves can be followed.
static bool can_follow(const simt_core *core, const simt_warp *w, const simt_instr *in) {
  if (!core->reports_undefined || core->kernel->makes_calls) return false;
  return in->form == ISA_LOAD || (in->form == ISA_STORE && w->undefined.n_slots);
}

// `owner`: as in simt_access. `memory`: the byte at address 0 of the space, or NULL.
static simt_access event_of(const simt_warp *w, const simt_instr *in, uint8_t space, uint32_t owner,
                            const simt_addresses *a, uint32_t mask, uint32_t width,
                            const uint8_t *memory) {
  simt_access event = {.pc = in->pc,
                       .mask = mask,
                       .block = w->block->index,
                       .warp = w->index,
                       .owner = owner,
                       .width_bytes = width,
                       .space = space,
                       .is_volatile = in->memory.order != ISA_WEAK,
                       .order = in->memory.order,
                       .scope = in->memory.scope,
                       .lane_bytes = in->memory.data_bytes,
                       .vector =
                           in->form == ISA_ATOM || in->form == ISA_RED ? 1 : in->memory.vector,
                       .memory = memory,
                       .discards_result = in->memory.discards,
                       .address = a->at};
  event.kind = in->form == ISA_LOAD ? SIMT_LOAD : in->form == ISA_STORE ? SIMT_STORE : SIMT_ATOMIC;
  if (event.kind == SIMT_ATOMIC) event.is_float = is_float_atomic(in);
  const uint64_t span = a->high - a->low + width;
  if (span <= UINT32_MAX) event.span_bytes = (uint32_t)span;
  if (!a->uniform && !a->contiguous) event.same_sector = a->same_sector;
  event.pattern = a->uniform      ? SIMT_PATTERN_UNIFORM
                  : a->contiguous ? SIMT_PATTERN_CONTIGUOUS
                                  : SIMT_PATTERN_ANY;
  describe_data(w, in, &event);
  return event;
}

void simt_notify_access(simt_core *core, simt_warp *w, const simt_instr *in, uint8_t space,
                        uint32_t owner, const simt_addresses *a, uint32_t mask, uint32_t width,
                        const uint8_t *memory) {
  if (!core->n_observers) return;
  simt_access event = event_of(w, in, space, owner, a, mask, width, memory);
  simt_access_undefined undefined = {0};
  if (can_follow(core, w, in)) event.undefined = &undefined;
  if (event.undefined && event.kind == SIMT_STORE) simt_undefined_store(w, in, mask, &undefined);
  SIMT_NOTIFY(core, access, &event);
  if (event.undefined && event.kind == SIMT_LOAD) simt_undefined_load(core, w, in, &undefined);
}

void simt_announce_copy(simt_core *core, simt_warp *warp, const simt_instr *store, uint32_t mask) {
  simt_addresses a;
  const uint32_t width = (uint32_t)store->memory.width_bytes * store->memory.vector;
  const simt_block *block = warp->block;
  const uint64_t start = core->cluster_blocks == 1 ? 0 : block->shared_address;
  core->address(warp->regs, store, mask, width, &a);
  for (int lane = 0; lane < SIMT_LANES; lane++) a.at[lane] -= start;
  for (SIMT_EACH_LANE(lane, mask))
    if (simt_is_outside(a.at[lane], width, core->shared_bytes)) return; // a fault when it is made
  const simt_access event =
      event_of(warp, store, PTX_SPACE_SHARED, 0, &a, mask, width, block->shared);
  SIMT_NOTIFY(core, copy_begin, &event);
}
