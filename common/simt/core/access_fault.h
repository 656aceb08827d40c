// SPDX-License-Identifier: MIT
// core/access_fault.h - private to the core: the faults of memory accesses, and the windows through
// which generic addresses reach shared, local and parameter memory.
#ifndef SIMT_ACCESS_FAULT_H
#define SIMT_ACCESS_FAULT_H

#include "core/state.h"

// The space of a generic address.
static inline uint8_t simt_space_of(uint64_t address) {
  if (address - SIMT_SHARED_WINDOW < SIMT_CLUSTER_WINDOW_BYTES) return PTX_SPACE_SHARED;
  if (address - SIMT_LOCAL_WINDOW < SIMT_LOCAL_WINDOW_BYTES) return PTX_SPACE_LOCAL;
  if (address - SIMT_PARAM_WINDOW < SIMT_PARAM_WINDOW_BYTES) return PTX_SPACE_PARAM;
  return PTX_SPACE_GLOBAL;
}

static inline uint64_t simt_window_of(uint8_t space) {
  return space == PTX_SPACE_SHARED  ? SIMT_SHARED_WINDOW
         : space == PTX_SPACE_LOCAL ? SIMT_LOCAL_WINDOW
                                    : SIMT_PARAM_WINDOW;
}

// The space that `in` accesses at `address`, as a fault record names it.
simt_fault_space simt_space_at(const simt_instr *in, uint64_t address);

// Whether an access of `width` bytes at `offset` leaves memory of `size` bytes.
static inline bool simt_is_outside(uint64_t offset, uint32_t width, uint64_t size) {
  return offset >= size || width > size - offset;
}

// The block whose shared memory lies at an address of .shared::cluster, or NULL.
static inline const simt_block *simt_block_at(const simt_core *core, const simt_warp *w,
                                              uint64_t address) {
  const uint64_t rank = address >> SIMT_RANK_SHIFT;
  return rank < core->cluster_blocks ? w->block->cluster->blocks[rank] : NULL;
}

// Whether the access of one lane to shared memory, at an address of .shared::cluster, is wrong:
// outside of the memory of a block that is there, or of another block where it may not reach.
static inline bool simt_is_outside_cluster(const simt_core *core, const simt_warp *w,
                                           uint64_t address, uint32_t width, bool reaches) {
  const simt_block *owner = simt_block_at(core, w, address);
  return !owner || (owner != w->block && (!reaches || !owner->alive)) ||
         simt_is_outside(address & (SIMT_SHARED_WINDOW_BYTES - 1), width, core->shared_bytes);
}

// Each reports the fault of the lanes of `mask` whose access is wrong, for the lowest of them (for
// lane `lane` where that is given), and returns false. `width`: bytes per lane.
bool simt_fault_global(simt_core *core, const simt_warp *w, const simt_instr *in, int lane,
                       const simt_addresses *a, uint32_t mask, uint32_t width);
// Shared, local or parameter memory of `size` bytes; addresses are offsets.
bool simt_fault_window(simt_core *core, const simt_warp *w, const simt_instr *in, int lane,
                       uint8_t space, const simt_addresses *a, uint32_t mask, uint32_t width,
                       uint64_t size);
// An access to the shared memory of a cluster: addresses are those of .shared::cluster, `reaches`
// says whether it may leave the block's own.
bool simt_fault_cluster(simt_core *core, const simt_warp *w, const simt_instr *in,
                        const simt_addresses *a, uint32_t mask, uint32_t width, bool reaches);
// True when all addresses turn out to be aligned: the caller knows only that some bits are set.
bool simt_fault_alignment(simt_core *core, const simt_warp *w, const simt_instr *in, uint32_t mask,
                          const simt_addresses *a, uint32_t width);
bool simt_fault_read_only(simt_core *core, const simt_warp *w, const simt_instr *in,
                          const simt_addresses *a, uint32_t mask);
bool simt_fault_parameter_store(simt_core *core, const simt_warp *w, const simt_instr *in,
                                const simt_addresses *a, uint32_t mask, uint32_t width);

#endif
