// SPDX-License-Identifier: MIT
// check/race/clusters.c - racecheck in launches with clusters, whose blocks reach each other's
// shared memory. That is watched as memory of the whole grid: every block's has addresses of its
// own, far above those of the device, which do not come again in a launch. The barrier of a
// cluster: check/race/order_cluster.c.
#include "check/race/race_internal.h"

static bool has_clusters(const simt_race *r) { return r->info.cluster_blocks > 1; }

static uint64_t base_of(uint32_t block) {
  return (UINT64_C(1) << 60) + (uint64_t)block * SIMT_SHARED_WINDOW_BYTES;
}

uint32_t simt_race_cluster(const simt_launch_info *l, uint32_t block) {
  const uint32_t *grid = l->grid, *size = l->cluster;
  const uint32_t x = block % grid[0], y = block / grid[0] % grid[1], z = block / grid[0] / grid[1];
  return x / size[0] + grid[0] / size[0] * (y / size[1] + grid[1] / size[1] * (z / size[2]));
}

const simt_access *simt_race_move(const simt_access *a, simt_access *moved, uint64_t *addresses) {
  const uint64_t base = base_of(simt_owner_of(a));
  *moved = *a;
  for (uint32_t lane = 0; lane < SIMT_LANES; lane++) addresses[lane] = base + a->address[lane];
  moved->address = addresses;
  if (a->memory) moved->memory = (const uint8_t *)((uintptr_t)a->memory - (uintptr_t)base);
  return moved;
}

void simt_race_end_in_cluster(simt_race *r, uint32_t block) {
  if (!has_clusters(r) || r->is_off) return;
  simt_order_cluster_end_block(&r->order, simt_race_cluster(&r->info, block),
                               r->info.cluster_blocks);
  // The shadow of their shared memory goes when no block runs: one look at all pages is not cheap.
  if (!r->order.n_live && r->global_pool.used_bytes > r->global_pool.limit_bytes / 8)
    simt_shadow_forget(r->global, base_of(0), r->info.n_blocks * SIMT_SHARED_WINDOW_BYTES);
}

static void on_cluster_arrive(simt_observer *self, const simt_cluster_event *event) {
  simt_race *r = (simt_race *)self;
  simt_block_order *b = simt_race_block(r, event->block);
  if (b) simt_order_cluster_arrive(&r->order, b, event);
}

static void on_cluster_done(simt_observer *self, uint32_t cluster) {
  simt_race *r = (simt_race *)self;
  if (!r->is_off) simt_order_cluster_done(&r->order, cluster);
}

static void on_cluster_leave(simt_observer *self, const simt_cluster_event *event) {
  simt_race *r = (simt_race *)self;
  simt_block_order *b = simt_race_block(r, event->block);
  if (b) simt_order_cluster_leave(&r->order, b, event);
}

// At the barrier of a cluster, threads that have left count as arrived.
static void on_leave(simt_observer *self, uint32_t pc, uint32_t block, uint32_t warp,
                     uint32_t mask) {
  simt_race *r = (simt_race *)self;
  if (!has_clusters(r)) return;
  simt_block_order *b = simt_race_block(r, block);
  const simt_cluster_event event = {.pc = pc,
                                    .block = block,
                                    .warp = warp,
                                    .mask = mask,
                                    .cluster = simt_race_cluster(&r->info, block)};
  if (b) simt_order_cluster_arrive(&r->order, b, &event);
}

void simt_race_watch_clusters(simt_observer *observer) {
  observer->cluster_arrive = on_cluster_arrive;
  observer->cluster_done = on_cluster_done;
  observer->cluster_leave = on_cluster_leave;
  observer->exit = on_leave;
}
