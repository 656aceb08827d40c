// SPDX-License-Identifier: MIT
// core/async.c - cp.async: copies from global to shared memory that the threads wait for.
//
// The source is read when the copy is issued; the data arrives in shared memory when its thread
// waits for it, which is as late as PTX allows. So a missing wait is visible: as a wrong value, and
// as a read of uninitialised memory or a race, because the store happens, and is seen by checkers,
// at the wait. Data that is never waited for never arrives. A real GPU may store at any time from
// the issue on, so racecheck also learns of that.
//
// cp.async.bulk: a copy, or a reduction, of any size by one thread, made when it is issued; the
// mbarrier that counts its bytes orders it before what other threads do.
#include "core/async.h"

#include <string.h>

#include "core/access.h"
#include "core/access_event.h"
#include "core/fault.h"

struct simt_async_copy {
  simt_async_copy *next;
  uint32_t pc, mask;            // lanes whose copy has not arrived
  uint32_t group[SIMT_LANES];   // how many groups the lane had committed before
  uint64_t at[SIMT_LANES];      // offset in shared memory
  uint32_t data[4][SIMT_LANES]; // words
};

void simt_async_start(simt_warp *warp) {
  if (!warp->copies) return;
  memset(warp->groups, 0, sizeof warp->groups);
  simt_async_copy **end = &warp->free_copies;
  while (*end) end = &(*end)->next;
  *end = warp->copies;
  warp->copies = NULL;
}

static simt_async_copy *add_copy(simt_core *core, simt_warp *w) {
  simt_async_copy *copy = w->free_copies;
  if (copy) w->free_copies = copy->next;
  else copy = SIMT_ARENA_NEW(&core->arena, simt_async_copy);
  if (!copy) return NULL;
  copy->next = NULL;
  simt_async_copy **end = &w->copies;
  while (*end) end = &(*end)->next;
  return *end = copy;
}

// The scratch registers: addresses, then words of data.
enum { ADDRESSES = SIMT_LANES * sizeof(uint64_t), WORDS = SIMT_LANES * sizeof(uint32_t) };

// The copy as a store of what was read, from the scratch registers.
static simt_instr store_of(const simt_core *core, simt_warp *w, const simt_async_copy *copy) {
  const uint32_t scratch = core->kernel->scratch_slot;
  simt_instr store = core->kernel->code[copy->pc];
  store.form = ISA_STORE;
  store.a = scratch;
  store.memory.address_bits = 64;
  store.memory.offset = 0;
  memcpy(w->regs + scratch, copy->at, ADDRESSES);
  for (uint32_t i = 0; i < store.memory.vector; i++) {
    store.memory.data[i] = scratch + ADDRESSES + i * WORDS;
    memcpy(w->regs + store.memory.data[i], copy->data[i], WORDS);
  }
  return store;
}

// The data that was read arrives in shared memory, for the lanes of `mask`.
static bool arrive(simt_core *core, simt_warp *w, const simt_async_copy *copy, uint32_t mask) {
  const simt_instr store = store_of(core, w, copy);
  return simt_exec_store(core, w, &store, mask);
}

// Reads `size` bytes, fewer than the copy has, of a lane's source; the rest is zero.
static bool read_part(simt_core *core, simt_warp *w, simt_async_copy *copy, const simt_instr *in,
                      uint32_t lane, uint32_t size) {
  const uint32_t scratch = core->kernel->scratch_slot, word = scratch + ADDRESSES;
  const uint64_t from = ((const uint64_t *)(const void *)(w->regs + in->c))[lane];
  simt_instr load = *in;
  load.form = ISA_LOAD;
  load.a = scratch;
  load.d = load.memory.data[0] = word;
  load.memory.space = PTX_SPACE_GLOBAL;
  load.memory.vector = 1;
  load.memory.address_bits = 64;
  load.memory.offset = 0;
  for (uint32_t at = 0, step; at < size; at += step) {
    step = size - at >= 4 ? 4 : 1;
    load.memory.width_bytes = (uint8_t)step;
    ((uint64_t *)(void *)(w->regs + scratch))[lane] = from + at;
    if (!simt_exec_load(core, w, &load, 1u << lane)) return false;
    const uint32_t bits = ((const uint32_t *)(const void *)(w->regs + word))[lane];
    copy->data[at / 4][lane] |= bits << at % 4 * 8;
  }
  return true;
}

bool simt_exec_async_copy(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  simt_async_copy *copy = add_copy(core, w);
  if (!copy) return true; // out of memory: it never arrives
  copy->pc = in->pc;
  copy->mask = mask;
  for (SIMT_EACH_LANE(lane, mask)) {
    uint64_t address = in->memory.address_bits == 64
                           ? ((const uint64_t *)(const void *)(w->regs + in->a))[lane]
                           : ((const uint32_t *)(const void *)(w->regs + in->a))[lane];
    copy->at[lane] = address + (uint64_t)in->memory.offset;
    copy->group[lane] = w->groups[lane];
    for (uint32_t i = 0; i < in->memory.vector; i++)
      copy->data[i][lane] = ((const uint32_t *)(const void *)(w->regs + in->memory.data[i]))[lane];
    if (in->b == SIMT_NO_SLOT) continue;
    const uint32_t size = ((const uint32_t *)(const void *)(w->regs + in->b))[lane];
    if (size < 4u * in->memory.vector && !read_part(core, w, copy, in, lane, size)) return false;
  }
  if (!core->reports_copies) return true;
  const simt_instr store = store_of(core, w, copy);
  simt_announce_copy(core, w, &store, mask);
  return true;
}

void simt_exec_async_commit(simt_warp *w, uint32_t mask) {
  for (SIMT_EACH_LANE(lane, mask)) w->groups[lane]++;
}

// Lanes of `mask` whose copy is not among the ones that may still be in flight.
static uint32_t due(const simt_warp *w, const simt_async_copy *copy, uint32_t mask, uint32_t keep) {
  uint32_t lanes = 0;
  for (SIMT_EACH_LANE(lane, mask & copy->mask)) {
    bool is_due = keep == SIMT_ASYNC_ALL || copy->group[lane] + keep < w->groups[lane];
    lanes |= (uint32_t)is_due << lane;
  }
  return lanes;
}

bool simt_exec_async_wait(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  simt_async_copy **at = &w->copies;
  while (*at) {
    simt_async_copy *copy = *at;
    const uint32_t lanes = due(w, copy, mask, in->async.keep);
    if (lanes && !arrive(core, w, copy, lanes)) return false;
    copy->mask &= ~lanes;
    if (copy->mask) {
      at = &copy->next;
      continue;
    }
    *at = copy->next;
    copy->next = w->free_copies;
    w->free_copies = copy;
  }
  return true;
}

bool simt_exec_bulk_copy(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  enum { STEP_BYTES = 16 }; // sizes and addresses are multiples of it
  const uint32_t scratch = core->kernel->scratch_slot;
  const uint64_t *to = (const uint64_t *)(const void *)(w->regs + in->a);
  const uint64_t *from = (const uint64_t *)(const void *)(w->regs + in->b);
  const uint32_t *size = (const uint32_t *)(const void *)(w->regs + in->c);
  uint64_t *address = (uint64_t *)(void *)(w->regs + scratch);
  simt_instr load = *in;
  load.form = ISA_LOAD;
  load.a = scratch;
  load.memory.space = in->memory.from_space;
  for (uint32_t i = 0; i < load.memory.vector; i++)
    load.memory.data[i] = scratch + ADDRESSES + i * WORDS;
  load.d = load.memory.data[0];
  const bool reduces = in->memory.vector == 1; // into what is there
  const uint32_t step = reduces ? in->memory.width_bytes : STEP_BYTES;
  simt_instr store = load;
  store.form = reduces ? ISA_RED : ISA_STORE;
  store.b = load.d;
  store.d = store.c = SIMT_NO_SLOT;
  store.memory.space = in->memory.space;
  for (SIMT_EACH_LANE(lane, mask)) {
    if (size[lane] % STEP_BYTES)
      return simt_fault(core, w, in, (int)lane, SIMT_MISALIGNED_ADDRESS,
                        "a bulk copy of %u bytes: the size must be a multiple of %d", size[lane],
                        STEP_BYTES);
    for (uint32_t at = 0; at < size[lane]; at += step) {
      address[lane] = from[lane] + at;
      if (!simt_exec_load(core, w, &load, 1u << lane)) return false;
      address[lane] = to[lane] + at;
      if (reduces ? !simt_exec_atomic(core, w, &store, 1u << lane)
                  : !simt_exec_store(core, w, &store, 1u << lane))
        return false;
    }
  }
  return true;
}
