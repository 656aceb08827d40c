// SPDX-License-Identifier: MIT
// core/fill.c - writes constants, parameters and special registers into a warp's register file
// before it runs. Most are written once per warp context; only the block's coordinates change.
#include "core/fill.h"

#include <string.h>

#include "core/state.h"

static uint64_t lane_thread(const simt_warp *w, uint32_t lane) {
  return (uint64_t)w->index * SIMT_LANES + lane;
}

static uint64_t param_value(const simt_core *core, const simt_fill *f) {
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)core->launch->params + f->value,
         f->param_bytes <= 8 ? f->param_bytes : 8);
  if (!f->param_signed || f->param_bytes >= 8) return value;
  uint32_t shift = 64 - 8u * f->param_bytes;
  return (uint64_t)((int64_t)(value << shift) >> shift);
}

static uint64_t cluster_value(const simt_core *core, const simt_block *block, uint8_t kind) {
  const uint32_t *cluster = core->cluster;
  switch (kind) {
  case SIMT_FILL_CLUSTERID_X:
  case SIMT_FILL_CLUSTERID_Y:
  case SIMT_FILL_CLUSTERID_Z:
    return block->at[kind - SIMT_FILL_CLUSTERID_X] / cluster[kind - SIMT_FILL_CLUSTERID_X];
  case SIMT_FILL_CLUSTER_CTAID_X:
  case SIMT_FILL_CLUSTER_CTAID_Y:
  case SIMT_FILL_CLUSTER_CTAID_Z:
    return block->at[kind - SIMT_FILL_CLUSTER_CTAID_X] % cluster[kind - SIMT_FILL_CLUSTER_CTAID_X];
  case SIMT_FILL_CLUSTER_RANK: return block->rank;
  case SIMT_FILL_CLUSTER_NCTAID_X:
  case SIMT_FILL_CLUSTER_NCTAID_Y:
  case SIMT_FILL_CLUSTER_NCTAID_Z: return cluster[kind - SIMT_FILL_CLUSTER_NCTAID_X];
  case SIMT_FILL_CLUSTER_SIZE: return core->cluster_blocks;
  case SIMT_FILL_NCLUSTERID_X:
  case SIMT_FILL_NCLUSTERID_Y:
  case SIMT_FILL_NCLUSTERID_Z:
    return core->launch->grid[kind - SIMT_FILL_NCLUSTERID_X] /
           cluster[kind - SIMT_FILL_NCLUSTERID_X];
  case SIMT_FILL_IS_CLUSTER: return core->launch->cluster[0] != 0;
  default: return 0; // %smid, %gridid
  }
}

static uint64_t uniform_value(const simt_core *core, const simt_warp *w, const simt_fill *f) {
  const simt_launch *l = core->launch;
  const uint32_t *at = w->block->at;
  switch (f->kind) {
  case SIMT_FILL_CONSTANT: return f->value + (f->is_shared ? w->block->shared_address : 0);
  case SIMT_FILL_PARAM: return param_value(core, f);
  case SIMT_FILL_CTAID_X:
  case SIMT_FILL_CTAID_Y:
  case SIMT_FILL_CTAID_Z: return at[f->kind - SIMT_FILL_CTAID_X];
  case SIMT_FILL_NTID_X:
  case SIMT_FILL_NTID_Y:
  case SIMT_FILL_NTID_Z: return l->block[f->kind - SIMT_FILL_NTID_X];
  case SIMT_FILL_NCTAID_X:
  case SIMT_FILL_NCTAID_Y:
  case SIMT_FILL_NCTAID_Z: return l->grid[f->kind - SIMT_FILL_NCTAID_X];
  case SIMT_FILL_WARPID: return w->index;
  case SIMT_FILL_NWARPID: return 64; // of a multiprocessor
  case SIMT_FILL_NSMID: return 1;    // kernels see one multiprocessor
  case SIMT_FILL_DYNAMIC_SHARED: return l->dynamic_shared_bytes;
  case SIMT_FILL_TOTAL_SHARED: // as allocated
    return (core->reserved_shared + 127) / 128 * 128 + f->value;
  case SIMT_FILL_RESERVED_SHARED:
    return core->reserved_shared + f->value + w->block->shared_address;
  case SIMT_FILL_WORKSPACE_HIGH: return core->workspace >> 32;
  case SIMT_FILL_WORKSPACE_LOW: return core->workspace & UINT32_MAX;
  default: return cluster_value(core, w->block, f->kind);
  }
}

static uint64_t lane_value(const simt_core *core, const simt_warp *w, const simt_fill *f,
                           uint32_t lane) {
  const uint32_t *block = core->launch->block;
  switch (f->kind) {
  case SIMT_FILL_TID_X: return lane_thread(w, lane) % block[0];
  case SIMT_FILL_TID_Y: return lane_thread(w, lane) / block[0] % block[1];
  case SIMT_FILL_TID_Z: return lane_thread(w, lane) / block[0] / block[1];
  case SIMT_FILL_LANEID: return lane;
  case SIMT_FILL_LANEMASK_EQ: return 1u << lane;
  case SIMT_FILL_LANEMASK_LT: return (1u << lane) - 1;
  case SIMT_FILL_LANEMASK_LE: return ((1u << lane) - 1) | 1u << lane;
  case SIMT_FILL_LANEMASK_GT: return ~(((1u << lane) - 1) | 1u << lane);
  case SIMT_FILL_LANEMASK_GE: return ~((1u << lane) - 1);
  default: return 0;
  }
}

static bool differs_by_lane(uint8_t kind) {
  return (kind >= SIMT_FILL_TID_X && kind <= SIMT_FILL_TID_Z) || kind == SIMT_FILL_LANEID ||
         (kind >= SIMT_FILL_LANEMASK_EQ && kind <= SIMT_FILL_LANEMASK_GE);
}

static void write_fill(const simt_core *core, simt_warp *w, const simt_fill *f) {
  bool by_lane = differs_by_lane(f->kind);
  uint64_t value = by_lane ? 0 : uniform_value(core, w, f);
  uint8_t *slot = w->regs + f->slot;
  if (f->bytes == 0) { // a constant predicate
    *(uint32_t *)(void *)slot = value ? SIMT_FULL_MASK : 0;
    return;
  }
  for (uint32_t lane = 0; lane < SIMT_LANES; lane++) {
    if (by_lane) value = lane_value(core, w, f, lane);
    if (f->bytes == 4) ((uint32_t *)(void *)slot)[lane] = (uint32_t)value;
    else ((uint64_t *)(void *)slot)[lane * (f->bytes / 8u)] = value; // upper halves stay zero
  }
}

void simt_fill_warp(const simt_core *core, simt_warp *warp) {
  for (uint32_t i = 0; i < core->kernel->n_fills; i++)
    write_fill(core, warp, &core->kernel->fills[i]);
}

static inline bool differs_by_block(const simt_core *core, const simt_fill *f) {
  if (f->kind == SIMT_FILL_CONSTANT) return f->is_shared && core->cluster_blocks > 1;
  bool is_place = (f->kind >= SIMT_FILL_CTAID_X && f->kind <= SIMT_FILL_CTAID_Z) ||
                  (f->kind >= SIMT_FILL_CLUSTERID_X && f->kind <= SIMT_FILL_CLUSTER_RANK);
  return is_place || f->kind == SIMT_FILL_FRAME || f->kind == SIMT_FILL_RESERVED_SHARED;
}

void simt_fill_block(const simt_core *core, simt_warp *warp) {
  for (uint32_t i = 0; i < core->kernel->n_fills; i++) {
    const simt_fill *f = &core->kernel->fills[i];
    if (differs_by_block(core, f)) write_fill(core, warp, f);
  }
}
