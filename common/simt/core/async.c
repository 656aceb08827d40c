// SPDX-License-Identifier: MIT
// core/async.c - cp.async: copies from global to shared memory that the threads wait for.
//
// The source is read when the copy is issued; the data arrives in shared memory when its thread
// waits for it, which is as late as PTX allows. So a missing wait is visible: as a wrong value, and
// as a read of uninitialised memory or a race, because the store happens, and is seen by checkers,
// at the wait. Data that is never waited for never arrives.
#include "core/async.h"

#include <string.h>

#include "core/access.h"

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

// The data that was read arrives in shared memory, for the lanes of `mask`.
static bool arrive(simt_core *core, simt_warp *w, const simt_async_copy *copy, uint32_t mask) {
  enum { ADDRESSES = SIMT_LANES * sizeof(uint64_t), WORDS = SIMT_LANES * sizeof(uint32_t) };
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
  return simt_exec_store(core, w, &store, mask);
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
  }
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
