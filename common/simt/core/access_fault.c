// SPDX-License-Identifier: MIT
// core/access_fault.c - the faults of memory accesses: which lanes, how far from which allocation.
#include "core/access_fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "core/fault.h"

static const char *verb_of(const simt_instr *in) {
  return in->form == ISA_LOAD ? "load" : in->form == ISA_STORE ? "store" : "atomic";
}

static const char *space_name(uint8_t space) {
  switch (space) {
  case PTX_SPACE_SHARED: return "shared";
  case PTX_SPACE_LOCAL: return "local";
  case PTX_SPACE_PARAM: return "parameter";
  case PTX_SPACE_CONST: return "constant";
  default: return "global";
  }
}

static simt_fault_space public_space(uint8_t space) {
  switch (space) {
  case PTX_SPACE_SHARED:
  case PTX_SPACE_SHARED_CLUSTER: return SIMT_SPACE_SHARED;
  case PTX_SPACE_LOCAL: return SIMT_SPACE_LOCAL;
  case PTX_SPACE_PARAM: return SIMT_SPACE_PARAMETER;
  case PTX_SPACE_CONST: return SIMT_SPACE_CONSTANT;
  default: return SIMT_SPACE_GLOBAL;
  }
}

simt_fault_space simt_space_at(const simt_instr *in, uint64_t address) {
  uint8_t space = in->memory.space;
  return public_space(space == PTX_SPACE_GENERIC ? simt_space_of(address) : space);
}

static void describe_nearest(const simt_core *core, uint64_t address, simt_fault_info *f) {
  simt_nearest near = simt_memory_nearest(core->memory, address);
  const simt_allocation *a = near.allocation;
  if (!a) return;
  f->has_allocation = 1;
  f->is_freed = near.is_freed;
  f->distance_bytes = near.distance_bytes;
  f->allocation_address = a->address;
  f->allocation_bytes = a->size_bytes;
  f->allocation_number = a->serial;
  if (a->name)
    simt_display_variable(a->name, strlen(a->name), f->allocation_name, sizeof f->allocation_name);
}

bool simt_fault_global(simt_core *core, const simt_warp *w, const simt_instr *in, int lane,
                       const simt_addresses *a, uint32_t mask, uint32_t width) {
  char why[512];
  uint64_t address = a->at[lane];
  simt_fault_info facts = {
      .space = simt_space_at(in, address), .address = address, .width_bytes = width};
  describe_nearest(core, address, &facts);
  for (SIMT_EACH_LANE(l, mask))
    if (!simt_memory_find(core->memory, a->at[l], width)) facts.faulting_lanes |= 1u << l;
  simt_memory_explain(core->memory, address, width, why, sizeof why);
  const simt_status status = simt_memory_fault_of(core->memory, address);
  return simt_fault_with(
      core, w, in, lane, status, &facts, "%sglobal %s of %u bytes at 0x%" PRIx64 ": %s",
      status == SIMT_PEER_MEMORY ? "" : "out-of-bounds ", verb_of(in), width, address, why);
}

// The shared array at the end of shared memory beyond which an offset runs.
static void name_shared_array(const simt_kernel *k, int64_t offset, simt_fault_info *f) {
  const simt_shared_variable *best = NULL;
  for (uint32_t i = 0; i < k->n_shared_variables; i++) {
    const simt_shared_variable *v = &k->shared_variables[i];
    bool is_nearer = !best || (offset < 0 ? v->offset_bytes < best->offset_bytes
                                          : v->offset_bytes > best->offset_bytes);
    if (is_nearer) best = v;
  }
  if (best)
    simt_display_variable(best->name.at, best->name.size, f->allocation_name,
                          sizeof f->allocation_name);
}

// Offsets are 32 bits wide in most code: there -8 arrives as 2^32 - 8.
static int64_t signed_offset(uint64_t address) {
  bool has_wrapped = address >> 32 == 0 && address > UINT32_MAX - SIMT_SHARED_WINDOW_BYTES;
  return has_wrapped ? (int64_t)(int32_t)address : (int64_t)address;
}

// For an offset in shared, local or parameter memory of `size` bytes.
static simt_fault_info window_facts(const simt_core *core, uint8_t space, uint64_t address,
                                    uint32_t width, uint64_t size) {
  int64_t offset = signed_offset(address);
  simt_fault_info f = {.space = public_space(space),
                       .address = (uint64_t)offset,
                       .width_bytes = width,
                       .has_allocation = 1,
                       .allocation_bytes = size};
  if (offset < 0) f.distance_bytes = offset;
  else if (address >= size) f.distance_bytes = (int64_t)(address - size) + 1;
  if (space == PTX_SPACE_SHARED) name_shared_array(core->kernel, offset, &f);
  return f;
}

bool simt_fault_window(simt_core *core, const simt_warp *w, const simt_instr *in, int lane,
                       uint8_t space, const simt_addresses *a, uint32_t mask, uint32_t width,
                       uint64_t size) {
  simt_fault_info facts = window_facts(core, space, a->at[lane], width, size);
  for (SIMT_EACH_LANE(l, mask))
    if (simt_is_outside(a->at[l], width, size)) facts.faulting_lanes |= 1u << l;
  return simt_fault_with(core, w, in, lane, SIMT_ILLEGAL_ADDRESS, &facts,
                         "out-of-bounds %s %s of %u bytes at offset %" PRId64
                         ": the %s has %" PRIu64 " bytes of %s memory",
                         space_name(space), verb_of(in), width, (int64_t)facts.address,
                         space == PTX_SPACE_SHARED  ? "block"
                         : space == PTX_SPACE_LOCAL ? "thread"
                                                    : "kernel",
                         size, space_name(space));
}

// An offset that is too small leads into the part of the window before the block's own.
static bool is_near_own(const simt_warp *w, uint64_t address) {
  enum { NEAR_BYTES = 1 << 20 };
  int32_t distance = (int32_t)(uint32_t)(address - w->block->shared_address);
  return distance >= -NEAR_BYTES && distance < (int32_t)SIMT_SHARED_WINDOW_BYTES;
}

// The offset of every lane in its own block's memory, however wrong.
static bool fault_own(simt_core *core, const simt_warp *w, const simt_instr *in,
                      const simt_addresses *a, uint32_t wrong, uint32_t width) {
  simt_addresses own = *a;
  for (SIMT_EACH_LANE(lane, wrong))
    own.at[lane] = (uint64_t)(int64_t)(int32_t)(uint32_t)(a->at[lane] - w->block->shared_address);
  return simt_fault_window(core, w, in, __builtin_ctz(wrong), PTX_SPACE_SHARED, &own, wrong, width,
                           core->shared_bytes);
}

// The memory of another block: there is none of that rank, or it has exited, or the instruction
// does not reach it, or the offset is too large. Writes why into `out`. An H200 tells offsets apart
// by whether any block could have them.
static simt_status explain_cluster(const simt_core *core, const simt_warp *w, uint64_t address,
                                   bool reaches, char *out, size_t size) {
  enum { SHARED_BYTES_OF_AN_SM = 228 * 1024 };
  const uint64_t offset = address & (SIMT_SHARED_WINDOW_BYTES - 1);
  const simt_block *owner = simt_block_at(core, w, address);
  if (!owner) {
    snprintf(out, size, "there is no such block: the cluster has %u, ranks 0 to %u",
             core->cluster_blocks, core->cluster_blocks - 1);
    return SIMT_CLUSTER_ADDRESS;
  }
  if (!reaches) {
    snprintf(out, size,
             "this instruction (.shared) reaches the memory of its own block only, rank %u; use "
             ".shared::cluster, or a generic pointer such as map_shared_rank() returns",
             w->block->rank);
    return SIMT_OWN_MEMORY_ONLY;
  }
  if (!owner->alive) {
    snprintf(out, size,
             "all threads of that block have left the kernel, and its shared memory ended with "
             "them; let every block wait at cluster.sync() until the others no longer need it");
    return SIMT_BLOCK_EXITED;
  }
  snprintf(out, size, "offset %" PRIu64 " lies outside; the block has %" PRIu64 " bytes", offset,
           core->shared_bytes);
  return offset < SHARED_BYTES_OF_AN_SM ? SIMT_CLUSTER_ADDRESS : SIMT_ILLEGAL_ADDRESS;
}

bool simt_fault_cluster(simt_core *core, const simt_warp *w, const simt_instr *in,
                        const simt_addresses *a, uint32_t mask, uint32_t width, bool reaches) {
  char why[300];
  uint32_t wrong = 0;
  for (SIMT_EACH_LANE(lane, mask))
    wrong |= (uint32_t)simt_is_outside_cluster(core, w, a->at[lane], width, reaches) << lane;
  const int first = __builtin_ctz(wrong);
  const uint64_t address = a->at[first], offset = address & (SIMT_SHARED_WINDOW_BYTES - 1);
  if (is_near_own(w, address)) return fault_own(core, w, in, a, wrong, width);
  simt_fault_info facts = {.space = SIMT_SPACE_SHARED,
                           .address = offset,
                           .width_bytes = width,
                           .faulting_lanes = wrong,
                           .memory_rank = (uint32_t)(address >> SIMT_RANK_SHIFT)};
  const simt_block *owner = simt_block_at(core, w, address);
  facts.has_allocation = owner != NULL;
  facts.allocation_bytes = owner ? core->shared_bytes : 0;
  if (owner && offset >= core->shared_bytes)
    facts.distance_bytes = (int64_t)(offset - core->shared_bytes) + 1;
  const simt_status status = explain_cluster(core, w, address, reaches, why, sizeof why);
  return simt_fault_with(core, w, in, first, status, &facts,
                         "%s of %u bytes in the shared memory of block %u of the cluster: %s",
                         verb_of(in), width, facts.memory_rank, why);
}

bool simt_fault_alignment(simt_core *core, const simt_warp *w, const simt_instr *in, uint32_t mask,
                          const simt_addresses *a, uint32_t width) {
  simt_fault_info facts = {.width_bytes = width};
  for (SIMT_EACH_LANE(lane, mask))
    if (a->at[lane] % width) facts.faulting_lanes |= 1u << lane;
  if (!facts.faulting_lanes) return true;
  int lane = __builtin_ctz(facts.faulting_lanes);
  facts.address = a->at[lane];
  facts.space = simt_space_at(in, facts.address);
  if (facts.space == SIMT_SPACE_GLOBAL || facts.space == SIMT_SPACE_CONSTANT)
    describe_nearest(core, facts.address, &facts);
  else if (in->memory.space == PTX_SPACE_GENERIC)
    facts.address -= simt_window_of(simt_space_of(facts.address));
  return simt_fault_with(core, w, in, lane, SIMT_MISALIGNED_ADDRESS, &facts,
                         "misaligned %s of %u bytes at 0x%" PRIx64
                         ": the address is not a multiple of %u",
                         verb_of(in), width, a->at[lane], width);
}

bool simt_fault_read_only(simt_core *core, const simt_warp *w, const simt_instr *in,
                          const simt_addresses *a, uint32_t mask) {
  int lane = __builtin_ctz(mask);
  simt_fault_info facts = {
      .space = SIMT_SPACE_CONSTANT, .address = a->at[lane], .faulting_lanes = mask};
  facts.width_bytes = (uint32_t)in->memory.width_bytes * in->memory.vector;
  describe_nearest(core, facts.address, &facts);
  const simt_allocation *hit = simt_memory_find(core->memory, facts.address, 1);
  const bool is_registered = hit && hit->kind == SIMT_ALLOCATION_REGISTERED;
  if (is_registered) facts.space = SIMT_SPACE_GLOBAL;
  return simt_fault_with(core, w, in, lane, SIMT_READ_ONLY_MEMORY, &facts, "%s",
                         is_registered ? "memory that was registered as read-only cannot be "
                                         "written by a kernel"
                                       : "constant memory cannot be written by a kernel");
}

bool simt_fault_parameter_store(simt_core *core, const simt_warp *w, const simt_instr *in,
                                const simt_addresses *a, uint32_t mask, uint32_t width) {
  int lane = __builtin_ctz(mask);
  simt_fault_info facts =
      window_facts(core, PTX_SPACE_PARAM, a->at[lane], width, core->kernel->function->param_bytes);
  facts.kind = SIMT_FAULT_READ_ONLY;
  facts.faulting_lanes = mask;
  return simt_fault_with(core, w, in, lane, SIMT_ILLEGAL_ADDRESS, &facts,
                         "kernel parameters cannot be written");
}
