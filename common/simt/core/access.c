// SPDX-License-Identifier: MIT
// core/access.c - loads, stores and atomics of a warp: state spaces, bounds, alignment, and the
// one event per access that observers see.
//
// Every access is checked. The usual case, all lanes inside the allocation this instruction touched
// last, costs two comparisons for the whole warp. An access that is wrong in any lane has no
// effect, and its fault names the lowest such lane. core/transfer.c moves the data.
// Not modelled: caches.
#include "core/access.h"

#include <string.h>

#include "core/access_event.h"
#include "core/access_fault.h"
#include "core/state.h"
#include "core/transfer.h"

// ---- reach: from device addresses to host bytes ------------------------------------------------

static bool set_reach(simt_core *core, const simt_instr *in, simt_reach *reach,
                      const simt_allocation *a) {
  *reach = (simt_reach){.low = a->address,
                        .high = a->address + a->size_bytes,
                        .host = (uint8_t *)((uintptr_t)a->host - (uintptr_t)a->address),
                        .read_only = simt_is_read_only(a)};
  if (in->form != ISA_LOAD && !simt_speculation_is_shared(core->speculation))
    simt_memory_change(core->heap, a->address, 1);
  if (!core->speculation || a->address == core->workspace ||
      simt_speculation_touch(core->speculation, core->thread, a, in->form != ISA_LOAD, &reach->log))
    return true;
  *reach = (simt_reach){0}; // this thread must not continue
  return false;
}

static bool covers(const simt_reach *reach, uint64_t low, uint64_t high, uint32_t width) {
  // low > high: contiguous lanes whose addresses wrap around.
  return low <= high && low >= reach->low && high < reach->high && width <= reach->high - high;
}

// Host bytes of a device address within `reach`.
static uint8_t *host_of(const simt_reach *reach, uint64_t address) {
  return (uint8_t *)((uintptr_t)reach->host + (uintptr_t)address);
}

static __attribute__((noinline)) bool find_reach(simt_core *core, const simt_instr *in,
                                                 simt_reach *reach, uint64_t low, uint64_t high,
                                                 uint32_t width) {
  const simt_allocation *a = simt_memory_find(core->memory, low, 1);
  return a && set_reach(core, in, reach, a) && covers(reach, low, high, width);
}

// Makes core->reach[pc] cover [low, high + width) if one allocation does.
static inline bool reach_all(simt_core *core, const simt_instr *in, uint64_t low, uint64_t high,
                             uint32_t width) {
  simt_reach *reach = &core->reach[in->pc];
  return covers(reach, low, high, width) || find_reach(core, in, reach, low, high, width);
}

// ---- one state space ---------------------------------------------------------------------------

static bool check_writable(simt_core *core, simt_warp *w, const simt_instr *in,
                           const simt_reach *reach, const simt_addresses *a, uint32_t mask) {
  if (!reach->read_only || in->form == ISA_LOAD) return true;
  return simt_fault_read_only(core, w, in, a, mask);
}

// What a store overwrites is saved and noted first, where notes are kept.
static bool log_store(simt_core *core, const simt_instr *in, const simt_reach *reach,
                      const simt_addresses *a, uint32_t mask, uint32_t width) {
  if (!core->speculation || in->form == ISA_LOAD) return true;
  if (a->contiguous)
    return simt_speculation_write(core->speculation, &reach->log, a->low,
                                  (uint64_t)width * SIMT_LANES);
  for (SIMT_EACH_LANE(lane, mask))
    if (!simt_speculation_write(core->speculation, &reach->log, a->at[lane], width)) return false;
  return true;
}

// Neighbouring warps read lines that lie far apart, which the host's prefetcher does not foresee.
// The observers' work hides part of the latency.
static inline void prefetch(const uint8_t *bytes) {
  enum { HOST_LINE_BYTES = 64 };
  __builtin_prefetch(bytes);
  __builtin_prefetch(bytes + HOST_LINE_BYTES); // 32 words are two lines
}

static bool global_access(simt_core *core, simt_warp *w, const simt_instr *in,
                          const simt_addresses *a, uint32_t mask, uint32_t width) {
  if (reach_all(core, in, a->low, a->high, width)) {
    const simt_reach *reach = &core->reach[in->pc];
    if (!check_writable(core, w, in, reach, a, mask) || !log_store(core, in, reach, a, mask, width))
      return false;
    simt_place p = {.base = host_of(reach, a->low), .low = a->low, .is_visible = true};
    prefetch(p.base);
    simt_notify_access(core, w, in, PTX_SPACE_GLOBAL, 0, a, mask, width, reach->host);
    simt_transfer(core, w, in, a, &p, mask);
    return true;
  }
  for (SIMT_EACH_LANE(lane, mask)) { // first all checks, then all effects
    if (!reach_all(core, in, a->at[lane], a->at[lane], width))
      return simt_fault_global(core, w, in, (int)lane, a, mask, width);
    if (!check_writable(core, w, in, &core->reach[in->pc], a, 1u << lane)) return false;
  }
  simt_notify_access(core, w, in, PTX_SPACE_GLOBAL, 0, a, mask, width, NULL);
  simt_addresses one = *a;
  one.contiguous = false;
  for (SIMT_EACH_LANE(lane, mask)) { // lanes in different allocations
    // Another host thread may have given up since the check.
    if (!reach_all(core, in, a->at[lane], a->at[lane], width)) return false;
    const simt_reach *reach = &core->reach[in->pc];
    if (!log_store(core, in, reach, &one, 1u << lane, width)) return false;
    simt_place p = {.base = host_of(reach, a->at[lane]), .low = a->at[lane], .is_visible = true};
    simt_transfer(core, w, in, &one, &p, 1u << lane);
  }
  return true;
}

static uint64_t window_bytes(const simt_core *core, uint8_t space) {
  return space == PTX_SPACE_SHARED  ? core->shared_bytes
         : space == PTX_SPACE_LOCAL ? core->local_bytes
                                    : core->kernel->function->param_bytes;
}

// Shared, local and parameter memory: offsets into one array (per lane for local memory).
static bool window_access(simt_core *core, simt_warp *w, const simt_instr *in, simt_addresses *a,
                          uint32_t mask, uint32_t width, uint8_t space, uint64_t window) {
  if (window) {
    for (int lane = 0; lane < SIMT_LANES; lane++) a->at[lane] -= window;
    a->low -= window;
    a->high -= window;
  }
  uint64_t size = window_bytes(core, space);
  if (a->high >= size || width > size - a->high || a->low > a->high) {
    for (SIMT_EACH_LANE(lane, mask))
      if (simt_is_outside(a->at[lane], width, size))
        return simt_fault_window(core, w, in, (int)lane, space, a, mask, width, size);
  }
  if (space == PTX_SPACE_PARAM && in->form != ISA_LOAD)
    return simt_fault_parameter_store(core, w, in, a, mask, width);
  simt_place p = {.low = 0};
  if (space == PTX_SPACE_SHARED)
    p.base = w->block->shared, p.is_visible = true, p.generic = SIMT_SHARED_WINDOW;
  else if (space == PTX_SPACE_LOCAL) p.base = w->local, p.lane_stride = core->local_bytes;
  else p.base = (uint8_t *)(uintptr_t)core->launch->params;
  // Argument passing of expanded calls lies in local memory too, but is no memory traffic.
  if (space != PTX_SPACE_PARAM && in->klass != SIMT_CLASS_PARAMETER)
    simt_notify_access(core, w, in, space, 0, a, mask, width,
                       space == PTX_SPACE_SHARED ? p.base : NULL);
  simt_transfer(core, w, in, a, &p, mask);
  return true;
}

// ---- the shared memory of a cluster's blocks ---------------------------------------------------

// The lanes of `mask` all reach the shared memory of `owner`; *a has addresses of .shared::cluster.
static void access_block(simt_core *core, simt_warp *w, const simt_instr *in,
                         const simt_addresses *a, uint32_t mask, uint32_t width,
                         const simt_block *owner) {
  simt_addresses there = *a;
  bool is_whole = mask == SIMT_FULL_MASK && a->contiguous;
  for (int lane = 0; lane < SIMT_LANES; lane++) there.at[lane] -= owner->shared_address;
  there.contiguous = is_whole;
  there.low = there.at[__builtin_ctz(mask)];
  there.high = UINT64_MAX; // nothing below asks for it
  simt_place p = {.base = owner->shared,
                  .is_visible = true,
                  .generic = SIMT_SHARED_WINDOW + owner->shared_address};
  simt_notify_access(core, w, in, PTX_SPACE_SHARED, owner == w->block ? 0 : owner->index + 1,
                     &there, mask, width, p.base);
  simt_transfer(core, w, in, &there, &p, mask);
}

// Lanes may reach different blocks. `reaches`: also others than their own.
static __attribute__((noinline)) bool cluster_access(simt_core *core, simt_warp *w,
                                                     const simt_instr *in, const simt_addresses *a,
                                                     uint32_t mask, uint32_t width, bool reaches) {
  for (SIMT_EACH_LANE(lane, mask)) // first all checks, then all effects
    if (simt_is_outside_cluster(core, w, a->at[lane], width, reaches))
      return simt_fault_cluster(core, w, in, a, mask, width, reaches);
  for (uint32_t left = mask; left;) {
    const simt_block *owner = simt_block_at(core, w, a->at[__builtin_ctz(left)]);
    uint32_t there = 0;
    for (SIMT_EACH_LANE(lane, left))
      there |= (uint32_t)(simt_block_at(core, w, a->at[lane]) == owner) << lane;
    access_block(core, w, in, a, there, width, owner);
    left &= ~there;
  }
  return true;
}

// An access to shared memory where there are clusters, or that names them.
static bool shared_access(simt_core *core, simt_warp *w, const simt_instr *in, simt_addresses *a,
                          uint32_t mask, uint32_t width, uint64_t window) {
  for (int lane = 0; lane < SIMT_LANES; lane++) a->at[lane] -= window;
  return cluster_access(core, w, in, a, mask, width, in->memory.space != PTX_SPACE_SHARED);
}

// ---- generic addresses -------------------------------------------------------------------------

static bool space_access(simt_core *core, simt_warp *w, const simt_instr *in, simt_addresses *a,
                         uint32_t mask, uint32_t width, uint8_t space) {
  if (space == PTX_SPACE_GLOBAL) return global_access(core, w, in, a, mask, width);
  if (space == PTX_SPACE_SHARED && core->cluster_blocks > 1)
    return shared_access(core, w, in, a, mask, width, SIMT_SHARED_WINDOW);
  return window_access(core, w, in, a, mask, width, space, simt_window_of(space));
}

// Whether an access of one lane is wrong, by its generic address.
static bool is_wrong(simt_core *core, const simt_warp *w, const simt_instr *in, uint64_t address,
                     uint32_t width) {
  uint8_t space = simt_space_of(address);
  if (space == PTX_SPACE_PARAM && in->form != ISA_LOAD) return true;
  if (space == PTX_SPACE_SHARED)
    return simt_is_outside_cluster(core, w, address - SIMT_SHARED_WINDOW, width, true);
  if (space != PTX_SPACE_GLOBAL)
    return simt_is_outside(address - simt_window_of(space), width, window_bytes(core, space));
  return !reach_all(core, in, address, address, width) ||
         (core->reach[in->pc].read_only && in->form != ISA_LOAD);
}

// The lanes of `mask` whose addresses lie in `space`, as an access of their own.
static bool part_access(simt_core *core, simt_warp *w, const simt_instr *in,
                        const simt_addresses *a, uint32_t mask, uint32_t width, uint8_t space) {
  simt_addresses part = *a;
  uint32_t here = 0;
  part.low = UINT64_MAX, part.high = 0, part.contiguous = part.uniform = false;
  for (SIMT_EACH_LANE(lane, mask)) {
    if (simt_space_of(a->at[lane]) != space) continue;
    here |= 1u << lane;
    if (a->at[lane] < part.low) part.low = a->at[lane];
    if (a->at[lane] > part.high) part.high = a->at[lane];
  }
  return !here || space_access(core, w, in, &part, here, width, space);
}

// Lanes of one generic access may even point into different spaces.
static bool generic_access(simt_core *core, simt_warp *w, const simt_instr *in, simt_addresses *a,
                           uint32_t mask, uint32_t width) {
  uint8_t space = simt_space_of(a->low);
  if (space == simt_space_of(a->high)) return space_access(core, w, in, a, mask, width, space);
  static const uint8_t spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL,
                                   PTX_SPACE_PARAM};
  for (SIMT_EACH_LANE(lane, mask)) // the lowest wrong lane is in the first part that is handled
    if (is_wrong(core, w, in, a->at[lane], width))
      return part_access(core, w, in, a, mask, width, simt_space_of(a->at[lane]));
  for (size_t i = 0; i < sizeof spaces; i++)
    if (!part_access(core, w, in, a, mask, width, spaces[i])) return false;
  return true;
}

// A loop around such accesses may be waiting for another warp: let others run soon.
static void note_spin(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                      uint64_t address) {
  uint32_t split = (uint32_t)__builtin_ctz(mask);
  core->budget -= SIMT_SPIN_COST;
  w->spins++;
  w->rereads += w->last_pc[split] == in->pc && w->last_address[split] == address;
  w->last_pc[split] = in->pc;
  w->last_address[split] = address;
  w->spin_pc = in->pc;
  w->spin_address = address;
}

// Compare-and-swap and exchange are what locks spin on; a discarded sum is not.
static bool may_spin(const simt_instr *in) {
  return in->form == ISA_ATOM ? in->d != SIMT_NO_SLOT
                              : in->form == ISA_LOAD && in->memory.order != ISA_WEAK;
}

static bool access_memory(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  simt_addresses a;
  // The first element of an atomic on a vector is aligned as all of it.
  const uint32_t whole = (uint32_t)in->memory.width_bytes * in->memory.vector;
  const bool is_atomic = in->form != ISA_LOAD && in->form != ISA_STORE;
  const uint32_t width = is_atomic ? in->memory.width_bytes : whole;
  core->address(w->regs, in, mask, width, &a);
  if (may_spin(in)) note_spin(core, w, in, mask, a.low);
  if ((a.bits & (whole - 1)) && !simt_fault_alignment(core, w, in, mask, &a, whole)) return false;
  switch (in->memory.space) {
  case PTX_SPACE_GLOBAL:
  case PTX_SPACE_CONST: return global_access(core, w, in, &a, mask, width);
  case PTX_SPACE_GENERIC: return generic_access(core, w, in, &a, mask, width);
  case PTX_SPACE_SHARED:
    if (core->cluster_blocks == 1)
      return window_access(core, w, in, &a, mask, width, PTX_SPACE_SHARED, 0);
    // fall through
  case PTX_SPACE_SHARED_CLUSTER: return shared_access(core, w, in, &a, mask, width, 0);
  default: return window_access(core, w, in, &a, mask, width, in->memory.space, 0);
  }
}

// ---- entry points ------------------------------------------------------------------------------

bool simt_exec_load(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask) {
  return access_memory(core, warp, in, mask);
}

bool simt_exec_store(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask) {
  core->effects++;
  return access_memory(core, warp, in, mask);
}

bool simt_exec_atomic(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask) {
  return access_memory(core, warp, in, mask);
}

// Constant variables lie in global memory here; a program is told otherwise, as on a GPU.
static uint8_t seen_space(const simt_core *core, uint64_t address) {
  const uint8_t space = simt_space_of(address);
  if (space != PTX_SPACE_GLOBAL) return space;
  const simt_allocation *a = simt_memory_find(core->memory, address, 1);
  return a && a->kind == SIMT_ALLOCATION_CONSTANT ? PTX_SPACE_CONST : PTX_SPACE_GLOBAL;
}

// Whether a generic address lies in the space: of shared memory, in the block's own part of the
// window, or in the whole cluster's.
static bool lies_in(const simt_core *core, const simt_warp *w, uint64_t address, uint8_t space) {
  const bool any = space == PTX_SPACE_SHARED_CLUSTER;
  if (!any && space != PTX_SPACE_SHARED) return seen_space(core, address) == space;
  if (simt_space_of(address) != PTX_SPACE_SHARED) return false;
  const simt_block *owner = simt_block_at(core, w, address - SIMT_SHARED_WINDOW);
  return owner && (any || owner == w->block);
}

void simt_exec_isspacep(const simt_core *core, simt_warp *warp, const simt_instr *in,
                        uint32_t mask) {
  const uint64_t *a = (const uint64_t *)(const void *)(warp->regs + in->a);
  uint32_t *d = (uint32_t *)(void *)(warp->regs + in->d), yes = 0;
  for (SIMT_EACH_LANE(lane, mask))
    yes |= (uint32_t)lies_in(core, warp, a[lane], in->memory.space) << lane;
  *d = (*d & ~mask) | yes;
}

static const uint8_t *shared_bytes_at(const simt_core *core, const simt_warp *w, uint64_t address,
                                      uint64_t size_bytes) {
  const simt_block *owner = simt_block_at(core, w, address - SIMT_SHARED_WINDOW);
  const uint64_t offset = address & (SIMT_SHARED_WINDOW_BYTES - 1), size = core->shared_bytes;
  if (!owner || offset >= size || size_bytes > size - offset) return NULL;
  return owner->shared + offset;
}

const uint8_t *simt_lane_bytes(simt_core *core, simt_warp *warp, int lane, uint64_t address,
                               uint64_t size_bytes) {
  uint8_t space = simt_space_of(address);
  if (space == PTX_SPACE_GLOBAL) return simt_memory_host(core->memory, address, size_bytes);
  if (space == PTX_SPACE_SHARED) return shared_bytes_at(core, warp, address, size_bytes);
  uint64_t offset = address - simt_window_of(space), size = core->local_bytes;
  if (space == PTX_SPACE_PARAM || offset >= size || size_bytes > size - offset) return NULL;
  return warp->local + (size_t)lane * core->local_bytes + offset;
}
