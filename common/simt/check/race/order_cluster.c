// SPDX-License-Identifier: MIT
// check/race/order_cluster.c - what the barrier of a cluster orders: what its threads had done when
// they arrived happens-before what they do after having waited. See check/race/order.h.
//
// A relaxed arrival hands on nothing. Threads that have left the kernel count as arrived, as at a
// block's barrier. What is handed on only ever grows while the cluster runs: a thread knows all of
// one phase before it arrives in the next.
#include "check/race/order_internal.h"

#include <stdlib.h>
#include <string.h>

struct simt_cluster_order {
  uint32_t cluster; // number in the grid
  bool is_live;
  uint32_t n_ended;        // of its blocks
  simt_clock_map *arrived; // handed on by all arrivals so far
  simt_clock_map *passed;  // by those of completed phases
};

static void clear(simt_clocks *c, simt_cluster_order *k) {
  simt_clock_map_drop(c, k->arrived);
  simt_clock_map_drop(c, k->passed);
  *k = (simt_cluster_order){0};
}

void simt_order_clear_clusters(simt_order *order) {
  for (uint32_t i = 0; i < order->n_clusters; i++) clear(&order->clocks, &order->clusters[i]);
}

static simt_cluster_order *find(const simt_order *order, uint32_t cluster) {
  for (uint32_t i = 0; i < order->n_clusters; i++)
    if (order->clusters[i].is_live && order->clusters[i].cluster == cluster)
      return &order->clusters[i];
  return NULL;
}

static simt_cluster_order *free_place(simt_order *order) {
  for (uint32_t i = 0; i < order->n_clusters; i++)
    if (!order->clusters[i].is_live) return &order->clusters[i];
  simt_cluster_order *all =
      realloc(order->clusters, (order->n_clusters + 1) * sizeof *order->clusters);
  if (!all) return NULL;
  order->clusters = all;
  all[order->n_clusters] = (simt_cluster_order){0};
  return &all[order->n_clusters++];
}

static simt_cluster_order *cluster_of(simt_order *order, uint32_t cluster) {
  simt_cluster_order *k = find(order, cluster);
  if (k || !(k = free_place(order))) {
    order->clocks.is_exhausted |= !k;
    return k;
  }
  k->cluster = cluster;
  k->is_live = true;
  return k;
}

void simt_order_cluster_arrive(simt_order *order, simt_block_order *b,
                               const simt_cluster_event *event) {
  simt_clocks *c = &order->clocks;
  simt_cluster_order *k = cluster_of(order, event->cluster);
  if (!k || event->is_relaxed) return;
  simt_order_advance(order);
  simt_knowledge joined = {0};
  simt_order_join_lanes(order, b, event->warp, event->mask, &joined);
  simt_clock_map *own = simt_clock_map_single(c, b->block, joined.local);
  joined.local = NULL; // the map has it
  simt_clock_map_learn(c, &k->arrived, own);
  simt_clock_map_learn(c, &k->arrived, joined.acquired);
  simt_clock_map_learn(c, &k->arrived, b->all.acquired);
  simt_clock_map_drop(c, own);
  simt_knowledge_forget(c, &joined);
}

void simt_order_cluster_done(simt_order *order, uint32_t cluster) {
  simt_cluster_order *k = cluster_of(order, cluster);
  if (!k) return;
  simt_clock_map_drop(&order->clocks, k->passed);
  k->passed = simt_clock_map_keep(k->arrived);
}

void simt_order_cluster_leave(simt_order *order, simt_block_order *b,
                              const simt_cluster_event *event) {
  simt_cluster_order *k = find(order, event->cluster);
  if (!k || !k->passed) return;
  for (SIMT_EACH_LANE(lane, event->mask)) {
    simt_knowledge *own = simt_order_touch(order, b, event->warp, lane);
    if (own) simt_clock_map_learn(&order->clocks, &own->acquired, k->passed);
  }
}

void simt_order_cluster_end_block(simt_order *order, uint32_t cluster, uint32_t n_blocks) {
  simt_cluster_order *k = cluster_of(order, cluster);
  if (k && ++k->n_ended == n_blocks) clear(&order->clocks, k);
}
