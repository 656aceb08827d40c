// SPDX-License-Identifier: MIT
// core/cluster.c - clusters: blocks that are resident together, and their barrier.
//
// The barrier has two halves. A thread arrives, and later waits until all threads of the cluster
// that have not left the kernel have arrived, too; only then may it arrive again. An arrival
// releases what the thread has done, unless it is relaxed, and a wait acquires. Without a cluster
// size a block is a cluster of its own.
// Source: PTX ISA, barrier.cluster, and the special registers %clusterid … %cluster_nctarank.
#include "core/cluster.h"

#include "core/fault.h"
#include "core/splits.h"
#include "core/store_buffer.h"

// ---- blocks ------------------------------------------------------------------------------------

bool simt_cluster_make(simt_core *core, simt_block **blocks) {
  simt_cluster *cluster = SIMT_ARENA_NEW(&core->arena, simt_cluster);
  if (!cluster) return false;
  cluster->blocks = SIMT_ARENA_ARRAY(&core->arena, simt_block *, core->cluster_blocks);
  if (!cluster->blocks) return false;
  for (uint32_t rank = 0; rank < core->cluster_blocks; rank++) {
    simt_block *block = cluster->blocks[rank] = blocks[rank];
    block->cluster = cluster;
    block->rank = rank;
    block->shared_address = (uint64_t)rank << SIMT_RANK_SHIFT;
  }
  return true;
}

void simt_cluster_place(const simt_core *core, simt_block *block, uint64_t number) {
  const uint32_t *grid = core->launch->grid, *size = core->cluster;
  uint64_t left = number;
  uint32_t rank = block->rank;
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t clusters = grid[i] / size[i];
    block->at[i] = (uint32_t)(left % clusters) * size[i] + rank % size[i];
    left /= clusters;
    rank /= size[i];
  }
  block->index = block->at[0] + grid[0] * (block->at[1] + grid[1] * block->at[2]);
  if (block->rank) return;
  block->cluster->number = (uint32_t)number;
  block->cluster->arrived = 0;
}

uint32_t simt_cluster_living(const simt_core *core, const simt_cluster *cluster) {
  uint32_t n = 0;
  for (uint32_t rank = 0; rank < core->cluster_blocks; rank++) n += cluster->blocks[rank]->alive;
  return n;
}

// ---- the barrier -------------------------------------------------------------------------------

static simt_cluster_event event_of(const simt_warp *w, uint32_t pc, uint32_t lanes) {
  return (simt_cluster_event){.pc = pc,
                              .block = w->block->index,
                              .warp = w->index,
                              .mask = lanes,
                              .cluster = w->block->cluster->number};
}

static void leave(simt_core *core, simt_warp *w, uint32_t pc, uint32_t lanes) {
  w->cluster_passed &= ~lanes;
  simt_cluster_event event = event_of(w, pc, lanes);
  SIMT_NOTIFY(core, cluster_leave, &event);
}

static void wake(simt_core *core, simt_warp *w) {
  bool woken = false;
  for (uint32_t k = 0; k < w->n_splits; k++) {
    simt_split *s = &w->splits[k];
    if (s->state != SIMT_AT_CLUSTER) continue;
    leave(core, w, s->pc, s->mask);
    simt_split_wake(s);
    woken = true;
  }
  if (woken && w->n_splits > 1) simt_split_merge(w);
}

static void complete(simt_core *core, simt_cluster *cluster) {
  const simt_block *first = cluster->blocks[0];
  cluster->arrived = 0;
  core->effects++;
  core->barriers++;
  SIMT_NOTIFY(core, cluster_done, cluster->number);
  SIMT_NOTIFY(core, sync, SIMT_SYNC_CLUSTER, cluster->pc, first->index, 0, 0);
  for (uint32_t rank = 0; rank < core->cluster_blocks; rank++)
    for (uint32_t i = 0; i < cluster->blocks[rank]->n_warps; i++) {
      simt_warp *w = &cluster->blocks[rank]->warps[i];
      w->cluster_passed |= w->cluster_arrived;
      w->cluster_arrived = 0;
      wake(core, w);
    }
}

static void settle(simt_core *core, simt_cluster *cluster) {
  if (cluster->arrived && cluster->arrived == simt_cluster_living(core, cluster))
    complete(core, cluster);
}

static bool fault(simt_core *core, const simt_warp *w, const simt_instr *in, uint32_t lanes,
                  const char *text) {
  return simt_fault_with(core, w, in, __builtin_ctz(lanes), SIMT_INVALID_BARRIER,
                         &(simt_fault_info){.wait = SIMT_WAIT_CLUSTER, .faulting_lanes = lanes},
                         "%s", text);
}

bool simt_arrive_at_cluster(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                            uint32_t lanes) {
  simt_cluster *cluster = w->block->cluster;
  uint32_t again = lanes & (w->cluster_arrived | w->cluster_passed);
  if (again)
    return fault(core, w, in, again,
                 "a thread arrives at its cluster's barrier again without having waited for the "
                 "arrival before: every barrier_arrive() needs its barrier_wait()");
  if (!in->cluster.is_relaxed) simt_held_publish(core, w, lanes, ISA_SCOPE_CLUSTER);
  if (!cluster->arrived) cluster->pc = in->pc;
  w->cluster_arrived |= lanes;
  cluster->arrived += simt_count_lanes(lanes);
  w->splits[*at].pc = in->pc + 1;
  simt_cluster_event event = event_of(w, in->pc, lanes);
  event.is_relaxed = in->cluster.is_relaxed;
  SIMT_NOTIFY(core, cluster_arrive, &event);
  settle(core, cluster);
  return true;
}

bool simt_wait_for_cluster(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                           uint32_t lanes) {
  uint32_t never = lanes & ~(w->cluster_arrived | w->cluster_passed);
  if (never)
    return fault(core, w, in, never,
                 "a thread waits at its cluster's barrier without having arrived there: call "
                 "barrier_arrive() first, or sync(), which does both");
  // Diverged lanes that meet here may wait for different phases.
  uint32_t blocked = lanes & w->cluster_arrived;
  if (lanes & ~blocked) leave(core, w, in->pc, lanes & ~blocked);
  if (blocked) simt_split_hold(w, at, blocked, SIMT_AT_CLUSTER, in->pc);
  else w->splits[*at].pc = in->pc + 1;
  return true;
}

void simt_exit_from_cluster(simt_core *core, simt_warp *w, uint32_t lanes) {
  simt_cluster *cluster = w->block->cluster;
  cluster->arrived -= simt_count_lanes(lanes & w->cluster_arrived);
  w->cluster_arrived &= ~lanes;
  w->cluster_passed &= ~lanes;
  settle(core, cluster);
}
