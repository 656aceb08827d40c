// SPDX-License-Identifier: MIT
// check/race/order_blocks.c - which blocks of a launch are running, since when, and which one ran
// at a given time. Creates and frees the per-block state of check/race/order.h.
#include "check/race/order_internal.h"

#include <stdlib.h>
#include <string.h>

uint32_t simt_order_lanes(const simt_order *order, uint32_t warp) {
  uint32_t before = warp * SIMT_LANES;
  if (before >= order->block_threads) return 0;
  uint32_t left = order->block_threads - before;
  return left >= SIMT_LANES ? UINT32_MAX : (1u << left) - 1;
}

static void end_block(simt_order *order, simt_block_order *b) {
  simt_clocks *c = &order->clocks;
  simt_order_forget_threads(order, b);
  simt_knowledge_forget(c, &b->all);
  simt_locations_clear(c, &b->locations);
  for (uint32_t i = 0; i < SIMT_BLOCK_BARRIERS; i++)
    if (b->barrier[i].is_partial) simt_knowledge_forget(c, &b->barrier[i].joined);
  if (b->is_live) order->n_live--;
  b->is_live = false;
}

static void free_block(simt_order *order, simt_block_order *b) {
  end_block(order, b);
  simt_locations_free(&order->clocks, &b->locations);
  free(b->threads);
  free(b);
}

void simt_order_destroy(simt_order *order, void (*drop_shadow)(simt_shadow *)) {
  for (uint32_t i = 0; i < order->n_slots; i++) {
    if (order->blocks[i]->shared) drop_shadow(order->blocks[i]->shared);
    free_block(order, order->blocks[i]);
  }
  simt_order_clear_clusters(order);
  free(order->clusters);
  simt_locations_free(&order->clocks, &order->wide);
  simt_locations_free(&order->clocks, &order->narrow);
  free(order->blocks);
  free(order->by_block);
  free(order->turns);
  free(order->recent);
}

void simt_order_launch(simt_order *order, const simt_launch_info *info) {
  for (uint32_t i = 0; i < order->n_slots; i++) end_block(order, order->blocks[i]);
  simt_locations_clear(&order->clocks, &order->wide);
  simt_locations_clear(&order->clocks, &order->narrow);
  simt_order_clear_clusters(order);
  simt_clocks_begin(&order->clocks, info->n_blocks);
  order->floor = simt_order_advance(order);
  order->block_threads = info->block_threads;
  order->n_warps = info->warps_per_block;
  order->current = NULL;
  order->n_turns = 0;
  if (order->recent) memset(order->recent, 0, SIMT_RECENT_TURNS * sizeof *order->recent);
  else order->recent = calloc(SIMT_RECENT_TURNS, sizeof *order->recent);
  free(order->by_block);
  order->n_by_block = info->cooperative ? (uint32_t)info->n_blocks : 0;
  order->by_block = order->n_by_block ? calloc(order->n_by_block, sizeof *order->by_block) : NULL;
  if (!order->by_block) order->n_by_block = 0; // blocks are found by search
}

static simt_block_order *find_block(const simt_order *order, uint32_t block) {
  if (block < order->n_by_block) return order->by_block[block];
  for (uint32_t i = 0; i < order->n_slots; i++)
    if (order->blocks[i]->is_live && order->blocks[i]->block == block) return order->blocks[i];
  return NULL;
}

static simt_block_order *free_slot(simt_order *order) {
  for (uint32_t i = order->n_live < order->n_slots ? 0 : order->n_slots; i < order->n_slots; i++)
    if (!order->blocks[i]->is_live) return order->blocks[i];
  simt_block_order *b = calloc(1, sizeof *b);
  simt_block_order **blocks = realloc(order->blocks, (order->n_slots + 1) * sizeof *blocks);
  if (blocks) order->blocks = blocks;
  if (!b || !blocks) {
    free(b);
    order->clocks.is_exhausted = true;
    return NULL;
  }
  return order->blocks[order->n_slots++] = b;
}

static simt_block_order *begin_block(simt_order *order, uint32_t block) {
  simt_block_order *b = free_slot(order);
  if (!b) return NULL;
  b->block = block;
  b->begin = b->floor = simt_order_advance(order);
  b->is_live = true;
  b->any_fence = false;
  memset(b->warp_floor, 0, sizeof b->warp_floor);
  memset(b->fenced, 0, sizeof b->fenced);
  for (uint32_t i = 0; i < SIMT_BLOCK_BARRIERS; i++) b->barrier[i].is_partial = false;
  order->n_live++;
  b->is_alone = order->n_live == 1;
  if (!b->is_alone)
    for (uint32_t i = 0; i < order->n_slots; i++) order->blocks[i]->is_alone = false;
  if (block < order->n_by_block) order->by_block[block] = b;
  return b;
}

// From now on `block` runs.
static bool note_turn(simt_order *order, uint32_t block) {
  if (order->n_turns == order->turns_capacity) {
    uint32_t capacity = order->turns_capacity ? 2 * order->turns_capacity : 256;
    simt_clocks *c = &order->clocks;
    uint64_t more = (uint64_t)(capacity - order->turns_capacity) * sizeof(simt_turn);
    simt_turn *turns = NULL;
    if (c->used_bytes + more <= c->limit_bytes)
      turns = realloc(order->turns, capacity * sizeof *turns);
    if (!turns) {
      c->is_exhausted = true;
      return false;
    }
    c->used_bytes += more;
    order->turns = turns;
    order->turns_capacity = capacity;
  }
  order->turns[order->n_turns++] = (simt_turn){simt_order_advance(order), block};
  return true;
}

simt_block_order *simt_order_block(simt_order *order, uint32_t block) {
  if (order->current && order->current->block == block) return order->current;
  simt_block_order *b = find_block(order, block);
  if (!b) b = begin_block(order, block);
  order->current = NULL;
  if (!b || !note_turn(order, block)) return NULL;
  return order->current = b;
}

void simt_order_block_end(simt_order *order, uint32_t block) {
  simt_block_order *b = find_block(order, block);
  if (!b) return;
  end_block(order, b);
  if (block < order->n_by_block) order->by_block[block] = NULL;
  if (order->current == b) order->current = NULL;
}

uint32_t simt_order_block_at(const simt_order *order, uint32_t tick) {
  uint32_t low = 0, high = order->n_turns;
  if (order->turns[high - 1].tick <= tick) return order->turns[high - 1].block; // the usual case
  // Threads that wait for others ask for the same few moments again and again; what is past stays.
  simt_turn none, *kept = order->recent ? &order->recent[tick % SIMT_RECENT_TURNS] : &none;
  if (order->recent && tick && kept->tick == tick) return kept->block;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (order->turns[middle].tick <= tick) low = middle;
    else high = middle;
  }
  *kept = (simt_turn){tick, order->turns[low].block};
  return kept->block;
}
