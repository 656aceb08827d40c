// SPDX-License-Identifier: MIT
// core/transfer.c - carries out a checked access: data between registers and memory, atomics, and
// the orders and delays of hostile schedules.
//
// Where lanes of one store write to the same address, the last one in order wins: the highest lane,
// or the one that the schedule puts last.
#include "core/transfer.h"

#include <string.h>

#include "core/schedule.h"
#include "core/store_buffer.h"
#include "lanes/atomic.h"
#include "lanes/mbarrier.h"

__extension__ typedef unsigned __int128 wide; // an element of 16 bytes

// The slow path, for hostile schedules; the usual path has everything in one function.
#define INLINE static inline __attribute__((always_inline))

// `body` for every lane of the mask; a full one needs no search for the next lane.
#define EACH_LANE(body)                                                                            \
  do {                                                                                             \
    if (mask == SIMT_FULL_MASK) {                                                                  \
      for (uint32_t lane = 0; lane < SIMT_LANES; lane++) body                                      \
    } else {                                                                                       \
      for (SIMT_EACH_LANE(lane, mask)) body                                                        \
    }                                                                                              \
  } while (0)

// One element per lane between the lane's bytes and the data slot. The register may be wider than
// the element; signed loads extend.
#define LOAD_LANES(slot_type, element_type)                                                        \
  do {                                                                                             \
    slot_type *d = (slot_type *)(void *)slot;                                                      \
    EACH_LANE({                                                                                    \
      element_type x;                                                                              \
      memcpy(&x, base + (at[lane] - low) + lane_stride * lane + offset, sizeof x);                 \
      d[lane] = (slot_type)x;                                                                      \
    });                                                                                            \
  } while (0)

#define STORE_LANES(slot_type, element_type)                                                       \
  do {                                                                                             \
    const slot_type *s = (const slot_type *)(const void *)slot;                                    \
    EACH_LANE({                                                                                    \
      element_type x = (element_type)s[lane];                                                      \
      memcpy(base + (at[lane] - low) + lane_stride * lane + offset, &x, sizeof x);                 \
    });                                                                                            \
  } while (0)

static void load_element(const simt_instr *in, uint8_t *slot, const simt_place *p,
                         const uint64_t *at, uint32_t mask, uint32_t offset) {
  const uint8_t *base = p->base;
  const uint64_t low = p->low;
  const size_t lane_stride = p->lane_stride;
  switch (in->memory.width_bytes * 4 + (in->memory.data_bytes == 8) * 2 + in->memory.sign_extend) {
  case 1 * 4 + 0: LOAD_LANES(uint32_t, uint8_t); break;
  case 1 * 4 + 1: LOAD_LANES(uint32_t, int8_t); break;
  case 1 * 4 + 2: LOAD_LANES(uint64_t, uint8_t); break;
  case 1 * 4 + 3: LOAD_LANES(uint64_t, int8_t); break;
  case 2 * 4 + 0: LOAD_LANES(uint32_t, uint16_t); break;
  case 2 * 4 + 1: LOAD_LANES(uint32_t, int16_t); break;
  case 2 * 4 + 2: LOAD_LANES(uint64_t, uint16_t); break;
  case 2 * 4 + 3: LOAD_LANES(uint64_t, int16_t); break;
  case 4 * 4 + 0:
  case 4 * 4 + 1: LOAD_LANES(uint32_t, uint32_t); break;
  case 4 * 4 + 2: LOAD_LANES(uint64_t, uint32_t); break;
  case 4 * 4 + 3: LOAD_LANES(uint64_t, int32_t); break;
  case 8 * 4 + 2:
  case 8 * 4 + 3: LOAD_LANES(uint64_t, uint64_t); break;
  default: LOAD_LANES(wide, wide); break;
  }
}

static void store_element(const simt_instr *in, const uint8_t *slot, const simt_place *p,
                          const uint64_t *at, uint32_t mask, uint32_t offset) {
  uint8_t *base = p->base;
  const uint64_t low = p->low;
  const size_t lane_stride = p->lane_stride;
  switch (in->memory.width_bytes * 2 + (in->memory.data_bytes == 8)) {
  case 1 * 2 + 0: STORE_LANES(uint32_t, uint8_t); break;
  case 1 * 2 + 1: STORE_LANES(uint64_t, uint8_t); break;
  case 2 * 2 + 0: STORE_LANES(uint32_t, uint16_t); break;
  case 2 * 2 + 1: STORE_LANES(uint64_t, uint16_t); break;
  case 4 * 2 + 0: STORE_LANES(uint32_t, uint32_t); break;
  case 4 * 2 + 1: STORE_LANES(uint64_t, uint32_t); break;
  case 8 * 2 + 1: STORE_LANES(uint64_t, uint64_t); break;
  default: STORE_LANES(wide, wide); break;
  }
}

// 32 neighbouring words, the case that matters most, are one copy.
INLINE bool is_plain_copy(const simt_instr *in, const simt_addresses *a, const simt_place *p) {
  return a->contiguous && in->memory.vector == 1 &&
         in->memory.width_bytes == in->memory.data_bytes && !p->lane_stride;
}

// A memcpy of a size that is known only at run time becomes `rep movs` with gcc, which starts
// slowly.
INLINE void copy_words(uint8_t *restrict to, const uint8_t *restrict from, size_t bytes_per_lane) {
  for (size_t i = 0; i < bytes_per_lane; i++)
    memcpy(to + i * SIMT_LANES, from + i * SIMT_LANES, SIMT_LANES);
}

INLINE void copy_plainly(simt_warp *w, const simt_instr *in, const simt_addresses *a,
                         const simt_place *p) {
  if (in->memory.data[0] == SIMT_NO_SLOT) return;
  uint8_t *slot = w->regs + in->memory.data[0], *bytes = p->base + (a->low - p->low);
  if (in->form == ISA_LOAD) copy_words(slot, bytes, in->memory.width_bytes);
  else copy_words(bytes, slot, in->memory.width_bytes);
}

// All lanes read one address, as a loop over the elements of a tile or of a list does: one load,
// repeated in every lane.
static void load_uniform(const simt_instr *in, uint8_t *slot, const simt_place *p,
                         const uint64_t *at, uint32_t offset) {
  load_element(in, slot, p, at, 1u, offset);
  if (in->memory.data_bytes == 4) {
    uint32_t *d = (uint32_t *)(void *)slot;
    const uint32_t x = d[0];
    for (int lane = 1; lane < SIMT_LANES; lane++) d[lane] = x;
  } else if (in->memory.data_bytes == 8) {
    uint64_t *d = (uint64_t *)(void *)slot;
    const uint64_t x = d[0];
    for (int lane = 1; lane < SIMT_LANES; lane++) d[lane] = x;
  } else {
    wide *d = (wide *)(void *)slot;
    const wide x = d[0];
    for (int lane = 1; lane < SIMT_LANES; lane++) d[lane] = x;
  }
}

INLINE void move_data(simt_warp *w, const simt_instr *in, const simt_addresses *a,
                      const simt_place *p, uint32_t mask) {
  if (is_plain_copy(in, a, p)) {
    copy_plainly(w, in, a, p);
    return;
  }
  const bool is_one = a->uniform && mask == SIMT_FULL_MASK && !p->lane_stride;
  for (uint32_t i = 0; i < in->memory.vector; i++) {
    if (in->memory.data[i] == SIMT_NO_SLOT) continue;
    uint8_t *slot = w->regs + in->memory.data[i];
    uint32_t offset = i * in->memory.width_bytes;
    if (in->form == ISA_LOAD && is_one) load_uniform(in, slot, p, a->at, offset);
    else if (in->form == ISA_LOAD) load_element(in, slot, p, a->at, mask, offset);
    else store_element(in, slot, p, a->at, mask, offset);
  }
}

// Whether the word is no longer what it was. A call of memcmp() per lane costs an atomic a tenth.
INLINE bool has_changed(const uint8_t *cell, uint64_t old, uint32_t width_bytes) {
  if (width_bytes != sizeof(uint32_t)) return memcmp(cell, &old, width_bytes) != 0;
  uint32_t now;
  memcpy(&now, cell, sizeof now);
  return now != (uint32_t)old;
}

// Integer sums of 32 bits: what histograms and counters are made of.
INLINE bool adds_words(const simt_instr *in) {
  const ptx_type type = isa_rows[in->id].type;
  return in->memory.operation == ISA_ATOM_ADD && (type == PTX_U32 || type == PTX_S32);
}

// The same as below, without asking in every lane what is to be done.
static void add_words(simt_core *core, simt_warp *w, const simt_instr *in, const simt_addresses *a,
                      const simt_place *p, uint32_t mask) {
  const uint32_t *b = (const uint32_t *)(const void *)(w->regs + in->b);
  uint32_t *d = in->d == SIMT_NO_SLOT ? NULL : (uint32_t *)(void *)(w->regs + in->d);
  for (SIMT_EACH_LANE(lane, mask)) {
    uint8_t *cell = p->base + (a->at[lane] - p->low) + p->lane_stride * lane;
    uint32_t old;
    memcpy(&old, cell, sizeof old);
    const uint32_t sum = old + b[lane];
    memcpy(cell, &sum, sizeof sum);
    core->effects += sum != old;
    if (d) d[lane] = old;
  }
}

// Exchange and compare-and-swap of 16 bytes, the only atomics of that width.
static void swap_wide(simt_core *core, simt_warp *w, const simt_instr *in, const simt_addresses *a,
                      const simt_place *p, uint32_t mask) {
  const bool compares = in->memory.operation == ISA_ATOM_CAS;
  const wide *b = (const wide *)(const void *)(w->regs + in->b);
  const wide *c = compares ? (const wide *)(const void *)(w->regs + in->c) : NULL;
  wide *d = in->d == SIMT_NO_SLOT ? NULL : (wide *)(void *)(w->regs + in->d);
  for (SIMT_EACH_LANE(lane, mask)) {
    uint8_t *cell = p->base + (a->at[lane] - p->low) + p->lane_stride * lane;
    wide old;
    memcpy(&old, cell, sizeof old);
    const wide value = !compares ? b[lane] : old == b[lane] ? c[lane] : old;
    memcpy(cell, &value, sizeof value);
    core->effects += value != old;
    if (d) d[lane] = old;
  }
}

// Moves data or applies an atomic to lanes that all lie in *p.
INLINE void move(simt_core *core, simt_warp *w, const simt_instr *in, const simt_addresses *a,
                 const simt_place *p, uint32_t mask) {
  if (in->form == ISA_LOAD || in->form == ISA_STORE) {
    move_data(w, in, a, p, mask);
    return;
  }
  if (adds_words(in)) {
    add_words(core, w, in, a, p, mask);
    return;
  }
  if (in->memory.data_bytes == sizeof(wide)) {
    swap_wide(core, w, in, a, p, mask);
    return;
  }
  const bool is_64 = in->memory.data_bytes == 8, is_global = p->is_visible && p->generic == 0;
  for (SIMT_EACH_LANE(lane, mask)) { // ascending lanes: one of the orders the hardware allows
    const uint8_t *b = w->regs + in->b + lane * in->memory.data_bytes;
    uint64_t vb = 0, vc = 0;
    memcpy(&vb, b, in->memory.data_bytes);
    if (in->c != SIMT_NO_SLOT)
      memcpy(&vc, w->regs + in->c + lane * in->memory.data_bytes, in->memory.data_bytes);
    uint8_t *cell = p->base + (a->at[lane] - p->low) + p->lane_stride * lane;
    uint64_t old = simt_atomic_apply(in->id, cell, vb, vc, in->memory.operation, is_global);
    core->effects += has_changed(cell, old, in->memory.width_bytes);
    if (simt_is_mbarrier(in->memory.operation))
      old = simt_mbarrier_result((isa_atomic)in->memory.operation, old, vb);
    if (in->d == SIMT_NO_SLOT) continue;
    if (is_64) ((uint64_t *)(void *)(w->regs + in->d))[lane] = old;
    else ((uint32_t *)(void *)(w->regs + in->d))[lane] = (uint32_t)old;
  }
}

static void move_at_once(simt_core *core, simt_warp *w, const simt_instr *in,
                         const simt_addresses *a, const simt_place *p, uint32_t mask) {
  move(core, w, in, a, p, mask);
}

// A store or atomic whose lanes take effect in another order than their numbers'.
static void move_in_order(simt_core *core, simt_warp *w, const simt_instr *in,
                          const simt_addresses *a, const simt_place *p, uint32_t mask) {
  uint8_t lane[SIMT_LANES];
  simt_addresses one = *a;
  one.contiguous = false;
  simt_schedule_lanes(core, lane);
  for (uint32_t i = 0; i < SIMT_LANES; i++)
    if (mask >> lane[i] & 1) move_at_once(core, w, in, &one, p, 1u << lane[i]);
}

// One lane's data between its registers and `bytes`, as if these were at its address.
static void move_lane(simt_warp *w, const simt_instr *in, const simt_addresses *a, uint32_t lane,
                      uint8_t *bytes) {
  simt_addresses one = *a;
  one.contiguous = false;
  simt_place p = {.base = bytes, .low = a->at[lane]};
  move_data(w, in, &one, &p, 1u << lane);
}

// Weak accesses while stores are held back: stores stay with their lane, loads look there first.
static void move_weakly(simt_core *core, simt_warp *w, const simt_instr *in,
                        const simt_addresses *a, const simt_place *p, uint32_t mask) {
  uint32_t width = (uint32_t)in->memory.width_bytes * in->memory.vector;
  uint8_t bytes[4 * 16] = {0};
  if (in->form == ISA_LOAD) move_at_once(core, w, in, a, p, mask);
  for (SIMT_EACH_LANE(lane, mask)) {
    uint64_t address = a->at[lane] + p->generic;
    if (in->form == ISA_STORE) {
      move_lane(w, in, a, lane, bytes);
      simt_hold(core, w, lane, address, bytes, width);
      continue;
    }
    memcpy(bytes, p->base + (a->at[lane] - p->low), width);
    if (simt_held_overlay(w, lane, address, bytes, width)) move_lane(w, in, a, lane, bytes);
  }
}

// Strong accesses go to memory; releasing ones publish everything that the lane has done before.
static void move_strongly(simt_core *core, simt_warp *w, const simt_instr *in,
                          const simt_addresses *a, const simt_place *p, uint32_t mask) {
  uint32_t width = (uint32_t)in->memory.width_bytes * in->memory.vector;
  if (in->memory.order == ISA_RELEASE || in->memory.order == ISA_ACQ_REL ||
      in->memory.order == ISA_SEQ_CST)
    simt_held_publish(core, w, mask, in->memory.scope);
  for (SIMT_EACH_LANE(lane, mask)) simt_held_settle(core, w, lane, a->at[lane] + p->generic, width);
  move_at_once(core, w, in, a, p, mask);
}

static __attribute__((noinline)) void transfer(simt_core *core, simt_warp *w, const simt_instr *in,
                                               const simt_addresses *a, const simt_place *p,
                                               uint32_t mask) {
  if (core->orders_lanes && in->form != ISA_LOAD) move_in_order(core, w, in, a, p, mask);
  else if (!core->holds_stores || !p->is_visible) move(core, w, in, a, p, mask);
  else if (in->memory.order == ISA_WEAK) move_weakly(core, w, in, a, p, mask);
  else move_strongly(core, w, in, a, p, mask);
}

// The most frequent case comes first, and needs neither a stack frame nor saved registers.
void simt_transfer(simt_core *core, simt_warp *w, const simt_instr *in, const simt_addresses *a,
                   const simt_place *p, uint32_t mask) {
  bool moves = in->form == ISA_LOAD || in->form == ISA_STORE;
  if (moves && !core->orders_lanes && !core->holds_stores && is_plain_copy(in, a, p))
    copy_plainly(w, in, a, p);
  else transfer(core, w, in, a, p, mask);
}
