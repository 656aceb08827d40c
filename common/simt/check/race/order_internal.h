// SPDX-License-Identifier: MIT
// check/race/order_internal.h - what the parts of check/race/order.h share: check/race/order.c
// knows who has learnt what, check/race/order_blocks.c which blocks run and when, and
// check/race/order_questions.c answers from that. Private to them.
#ifndef SIMT_CHECK_ORDER_INTERNAL_H
#define SIMT_CHECK_ORDER_INTERNAL_H

#include "check/race/order.h"

// Advances the tick. When the range of ticks is used up, no more races are found.
static inline uint32_t simt_order_advance(simt_order *order) {
  if (order->tick == UINT32_MAX) order->clocks.is_exhausted = true;
  else order->tick++;
  return order->tick;
}

// What a thread knows beyond the block; NULL: nothing.
static inline simt_knowledge *simt_order_known_to(const simt_block_order *b, uint32_t warp,
                                                  uint32_t lane) {
  return b->touched[warp] >> lane & 1 ? &b->threads[warp * SIMT_LANES + lane] : NULL;
}

void simt_knowledge_forget(simt_clocks *clocks, simt_knowledge *knowledge);
// What individual threads of the block know beyond what all of them know.
void simt_order_forget_threads(simt_order *order, simt_block_order *block);
// What a thread knows beyond the block, to be written to. NULL: no memory.
simt_knowledge *simt_order_touch(simt_order *order, simt_block_order *block, uint32_t warp,
                                 uint32_t lane);
// Adds all that the lanes know, and all that they have done so far, to *into.
void simt_order_join_lanes(simt_order *order, const simt_block_order *block, uint32_t warp,
                           uint32_t lanes, simt_knowledge *into);
void simt_order_clear_clusters(simt_order *order);

#endif
