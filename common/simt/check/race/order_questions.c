// SPDX-License-Identifier: MIT
// check/race/order_questions.c - what racecheck asks of the order: whether two accesses are
// ordered, and whether a wider scope would have ordered them.
#include "check/race/order_internal.h"

static bool map_knows(const simt_order *order, const simt_clock_map *map, uint32_t block,
                      uint32_t thread, uint32_t stamp) {
  const simt_clock *clock = map ? simt_clock_map_find(&order->clocks, map, block) : NULL;
  return clock && stamp < simt_clock_of(clock, thread);
}

// Knowledge beyond the floors and beyond the thread itself.
static bool knows(const simt_order *order, const simt_block_order *b, const simt_knowledge *k,
                  uint32_t by_block, uint32_t thread, uint32_t stamp) {
  if (map_knows(order, b->all.acquired, by_block, thread, stamp)) return true;
  if (!k) return false;
  if (by_block == b->block && k->local && stamp < simt_clock_of(k->local, thread)) return true;
  return map_knows(order, k->acquired, by_block, thread, stamp);
}

bool simt_order_unordered(const simt_order *order, const simt_block_order *b, uint32_t warp,
                          uint32_t lanes, const simt_earlier *earlier, simt_lane_pair *pair) {
  uint32_t stamp = earlier->stamp;
  bool same_warp = earlier->is_own && earlier->warp == warp;
  if (stamp < order->floor || (earlier->is_own && stamp < b->floor)) return false;
  if (same_warp && stamp < b->warp_floor[warp]) return false;
  bool is_simple = !b->touched[warp] && !b->all.acquired;
  uint32_t by_block = b->block;
  if (!earlier->is_own && !is_simple) by_block = simt_order_block_at(order, stamp);
  for (SIMT_EACH_LANE(lane, lanes)) {
    uint32_t others = same_warp ? earlier->lanes & ~(1u << lane) : earlier->lanes;
    const simt_knowledge *k = simt_order_known_to(b, warp, lane);
    for (SIMT_EACH_LANE(other, others)) {
      if (!is_simple && knows(order, b, k, by_block, earlier->warp * SIMT_LANES + other, stamp))
        continue;
      *pair = (simt_lane_pair){lane, other};
      return true;
    }
  }
  return false;
}

bool simt_order_is_narrow(const simt_order *order, const simt_block_order *b, uint32_t warp,
                          uint32_t lane, uint32_t stamp, uint32_t thread) {
  uint32_t by_block = simt_order_block_at(order, stamp);
  const simt_knowledge *k = simt_order_known_to(b, warp, lane);
  return map_knows(order, b->all.narrow, by_block, thread, stamp) ||
         (k && map_knows(order, k->narrow, by_block, thread, stamp));
}
