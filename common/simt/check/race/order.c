// SPDX-License-Identifier: MIT
// check/race/order.c - see check/race/order.h: what threads know of each other, how synchronisation
// and releases hand it on, and the questions that accesses ask.
//
// Invariant: a thread's `released` never exceeds what it knows, so a later fence replaces it.
#include "check/race/order_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = SIMT_LANES, FULL = -1 };

static uint32_t first_of(uint32_t lanes) { return (uint32_t)__builtin_ctz(lanes); }

// ---- knowledge ---------------------------------------------------------------------------------

static void forget_release(simt_clocks *c, simt_release *r) {
  simt_clock_drop(c, r->local);
  simt_clock_map_drop(c, r->acquired);
  memset(r, 0, sizeof *r);
}

void simt_knowledge_forget(simt_clocks *c, simt_knowledge *k) {
  simt_clock_drop(c, k->local);
  simt_clock_map_drop(c, k->acquired);
  simt_clock_map_drop(c, k->narrow);
  for (int i = 0; i < 2; i++) simt_clock_map_drop(c, k->latest[i]);
  for (int reach = 0; reach < SIMT_REACHES; reach++) forget_release(c, &k->released[reach]);
  memset(k, 0, sizeof *k);
}

static simt_knowledge copy_of(const simt_knowledge *k) {
  simt_knowledge copy = *k;
  simt_clock_keep(k->local);
  simt_clock_map_keep(k->acquired);
  simt_clock_map_keep(k->narrow);
  for (int i = 0; i < 2; i++) simt_clock_map_keep(k->latest[i]);
  for (int reach = 0; reach < SIMT_REACHES; reach++) {
    simt_clock_keep(k->released[reach].local);
    simt_clock_map_keep(k->released[reach].acquired);
  }
  return copy;
}

simt_knowledge *simt_order_touch(simt_order *order, simt_block_order *b, uint32_t warp,
                                 uint32_t lane) {
  if (!b->threads) b->threads = calloc(SIMT_CLOCK_THREADS, sizeof *b->threads);
  if (!b->threads) {
    order->clocks.is_exhausted = true;
    return NULL;
  }
  b->touched[warp] |= 1u << lane;
  b->any_touched = true;
  return &b->threads[warp * LANES + lane];
}

void simt_order_forget_threads(simt_order *order, simt_block_order *b) {
  if (!b->any_touched) return;
  for (uint32_t w = 0; w < SIMT_MAX_WARPS; w++) {
    for (SIMT_EACH_LANE(lane, b->touched[w]))
      simt_knowledge_forget(&order->clocks, &b->threads[w * LANES + lane]);
    b->touched[w] = 0;
  }
  b->any_touched = false;
}

// ---- joining threads ---------------------------------------------------------------------------

static void raise_lanes(simt_clocks *c, uint32_t warp, uint32_t lanes, uint32_t tick) {
  while (lanes) {
    uint32_t first = first_of(lanes), run = ~(lanes >> first);
    uint32_t n = run ? first_of(run) : LANES - first;
    simt_clock_raise(c, warp * LANES + first, warp * LANES + first + n - 1, tick);
    lanes = first + n < LANES ? lanes & (uint32_t)FULL << (first + n) : 0;
  }
}

// Adds a thread's release, or a block's, of which only the clock is set.
static void add_release(simt_clocks *c, const simt_release *r, uint32_t warp, uint32_t lane) {
  if (!r->is_set) return;
  if (c->floor < r->floor) c->floor = r->floor;
  if (r->warp_floor) raise_lanes(c, warp, (uint32_t)FULL, r->warp_floor);
  if (r->now) raise_lanes(c, warp, 1u << lane, r->now);
  simt_clock_add(c, r->local);
}

// Adds what the lanes may hand on to *into.
static void join_releases(simt_order *order, const simt_block_order *b, uint32_t warp,
                          uint32_t lanes, simt_reach_of reach, simt_release *into) {
  simt_clocks *c = &order->clocks;
  bool any = false;
  simt_clock_begin(c, 0);
  for (SIMT_EACH_LANE(lane, lanes & b->touched[warp])) {
    const simt_release *r = &simt_order_known_to(b, warp, lane)->released[reach];
    add_release(c, r, warp, lane);
    any |= r->is_set;
  }
  if (any) simt_clock_add(c, into->local);
  simt_clock *local = simt_clock_finish(c);
  if (!any) {
    simt_clock_drop(c, local);
    return;
  }
  simt_clock_drop(c, into->local);
  into->local = local;
  into->is_set = true;
  for (SIMT_EACH_LANE(lane, lanes & b->touched[warp]))
    simt_clock_map_learn(c, &into->acquired,
                         simt_order_known_to(b, warp, lane)->released[reach].acquired);
}

static void join_maps(simt_order *order, const simt_block_order *b, uint32_t warp, uint32_t lanes,
                      simt_knowledge *into) {
  for (SIMT_EACH_LANE(lane, lanes & b->touched[warp])) {
    simt_clock_map_learn(&order->clocks, &into->acquired,
                         simt_order_known_to(b, warp, lane)->acquired);
    simt_clock_map_learn(&order->clocks, &into->narrow, simt_order_known_to(b, warp, lane)->narrow);
  }
  for (int reach = 0; reach < SIMT_REACHES; reach++)
    join_releases(order, b, warp, lanes, (simt_reach_of)reach, &into->released[reach]);
}

void simt_order_join_lanes(simt_order *order, const simt_block_order *b, uint32_t warp,
                           uint32_t lanes, simt_knowledge *into) {
  simt_clocks *c = &order->clocks;
  simt_clock_begin(c, b->floor);
  simt_clock_add(c, into->local);
  const simt_clock *added = into->local; // lanes that have met share one clock
  for (SIMT_EACH_LANE(lane, lanes & b->touched[warp])) {
    const simt_clock *local = simt_order_known_to(b, warp, lane)->local;
    if (local != added) simt_clock_add(c, added = local);
  }
  raise_lanes(c, warp, (uint32_t)FULL, b->warp_floor[warp]);
  raise_lanes(c, warp, lanes, order->tick);
  simt_clock *local = simt_clock_finish(c);
  simt_clock_drop(c, into->local);
  into->local = local;
  join_maps(order, b, warp, lanes, into);
}

// The lanes know what `joined` holds; what they knew before is in it.
static void tell_lanes(simt_order *order, simt_block_order *b, uint32_t warp, uint32_t lanes,
                       const simt_knowledge *joined) {
  for (SIMT_EACH_LANE(lane, lanes)) {
    simt_knowledge *k = simt_order_touch(order, b, warp, lane);
    if (!k) return;
    simt_knowledge_forget(&order->clocks, k);
    *k = copy_of(joined);
  }
}

// ---- synchronisation ---------------------------------------------------------------------------

// All threads of the block wait: afterwards they all know the same.
static void join_block(simt_order *order, simt_block_order *b) {
  if (b->any_touched)
    for (uint32_t w = 0; w < order->n_warps; w++)
      if (b->touched[w]) join_maps(order, b, w, b->touched[w], &b->all);
  simt_order_forget_threads(order, b);
  b->floor = simt_order_advance(order);
}

static bool all_wait(const simt_order *order, const simt_partial_barrier *p) {
  for (uint32_t w = 0; w < order->n_warps; w++)
    if (p->waiting[w] != simt_order_lanes(order, w)) return false;
  return true;
}

static simt_partial_barrier *partial(simt_block_order *b, uint32_t id) {
  simt_partial_barrier *p = &b->barrier[id];
  if (!p->is_partial) memset(p, 0, sizeof *p);
  p->is_partial = true;
  return p;
}

void simt_order_arrive(simt_order *order, simt_block_order *b, const simt_barrier_event *event) {
  if (event->whole_block && event->waits) return; // the usual case: nothing to remember
  simt_partial_barrier *p = partial(b, event->id);
  p->whole_block = event->whole_block;
  if (event->waits) {
    p->waiting[event->warp] |= event->mask;
    return;
  }
  p->arrived[event->warp] |= event->mask;
  simt_order_advance(order);
  simt_order_join_lanes(order, b, event->warp, event->mask, &p->joined);
}

void simt_order_barrier(simt_order *order, simt_block_order *b, uint32_t id) {
  simt_partial_barrier *p = &b->barrier[id];
  if (!p->is_partial || all_wait(order, p)) {
    if (p->is_partial) simt_knowledge_forget(&order->clocks, &p->joined);
    p->is_partial = false;
    join_block(order, b);
    return;
  }
  simt_order_advance(order);
  for (uint32_t w = 0; w < order->n_warps; w++) {
    if (p->whole_block) p->waiting[w] = simt_order_lanes(order, w) & ~p->arrived[w];
    if (p->waiting[w]) simt_order_join_lanes(order, b, w, p->waiting[w], &p->joined);
  }
  for (uint32_t w = 0; w < order->n_warps; w++) tell_lanes(order, b, w, p->waiting[w], &p->joined);
  simt_knowledge_forget(&order->clocks, &p->joined);
  p->is_partial = false;
}

void simt_order_syncwarp(simt_order *order, simt_block_order *b, uint32_t warp, uint32_t lanes) {
  simt_order_advance(order);
  bool is_full = lanes == simt_order_lanes(order, warp);
  if (!is_full || b->touched[warp] & lanes) {
    simt_knowledge joined = {0};
    simt_order_join_lanes(order, b, warp, lanes, &joined);
    tell_lanes(order, b, warp, lanes, &joined);
    simt_knowledge_forget(&order->clocks, &joined);
  }
  if (is_full) b->warp_floor[warp] = order->tick;
}

void simt_order_grid_sync(simt_order *order) {
  order->floor = simt_order_advance(order);
  for (uint32_t i = 0; i < order->n_slots; i++) {
    simt_block_order *b = order->blocks[i];
    if (!b->is_live) continue;
    simt_order_forget_threads(order, b);
    simt_knowledge_forget(&order->clocks, &b->all);
    b->floor = order->floor;
  }
  order->n_turns = 0; // nothing asks for what lies before the floor
  order->current = NULL;
  simt_locations_clear(&order->clocks, &order->wide);
  simt_locations_clear(&order->clocks, &order->narrow);
}

// ---- release and acquire -----------------------------------------------------------------------

// All that a thread knows now, as something it may hand on.
static simt_release release_of(simt_order *order, const simt_block_order *b, uint32_t warp,
                               uint32_t lane) {
  const simt_knowledge *k = simt_order_known_to(b, warp, lane);
  simt_release r = {.is_set = true,
                    .floor = b->floor,
                    .warp_floor = b->warp_floor[warp] > b->floor ? b->warp_floor[warp] : 0,
                    .now = order->tick};
  r.local = simt_clock_keep(k ? k->local : NULL);
  r.acquired = simt_clock_map_keep(b->all.acquired);
  if (k) simt_clock_map_learn(&order->clocks, &r.acquired, k->acquired);
  return r;
}

void simt_order_fence(simt_order *order, simt_block_order *b, uint32_t warp, uint32_t lanes,
                      simt_reach_of reach) {
  simt_order_advance(order);
  b->any_fence = true;
  b->fenced[warp] |= lanes;
  for (SIMT_EACH_LANE(lane, lanes)) {
    simt_knowledge *k = simt_order_touch(order, b, warp, lane);
    if (!k) return;
    for (int r = 0; r <= (int)reach; r++) {
      simt_release now = release_of(order, b, warp, lane);
      forget_release(&order->clocks, &k->released[r]);
      k->released[r] = now;
    }
  }
}

// What a write with this reach attaches: a new reference, or NULL.
static simt_clock_map *handed_on(simt_order *order, const simt_block_order *b,
                                 const simt_strong *access, simt_reach_of reach) {
  simt_clocks *c = &order->clocks;
  const simt_knowledge *k = simt_order_known_to(b, access->warp, access->lane);
  simt_release own = {0};
  const simt_release *all = &b->all.released[reach];
  bool is_own = access->releases; // knows more than any fence before
  if (is_own) own = release_of(order, b, access->warp, access->lane);
  else if (k) own = k->released[reach];
  if (!own.is_set && !all->is_set) return NULL;
  simt_clock_begin(c, 0);
  add_release(c, &own, access->warp, access->lane);
  add_release(c, all, access->warp, access->lane);
  simt_clock_map *map = simt_clock_map_single(c, b->block, simt_clock_finish(c));
  simt_clock_map_learn(c, &map, own.acquired);
  simt_clock_map_learn(c, &map, all->acquired);
  if (is_own) forget_release(c, &own);
  return map;
}

// Whether the thread has fenced for its block something that it has not fenced for the device.
static bool has_narrow(const simt_block_order *b, const simt_strong *access) {
  const simt_knowledge *k = simt_order_known_to(b, access->warp, access->lane);
  const simt_release *block = &b->all.released[SIMT_REACH_BLOCK];
  const simt_release *device = &b->all.released[SIMT_REACH_DEVICE];
  if (access->releases) return false; // all that it knows
  if (block->is_set != device->is_set || block->local != device->local) return true;
  if (!k) return false;
  block = &k->released[SIMT_REACH_BLOCK], device = &k->released[SIMT_REACH_DEVICE];
  return block->is_set != device->is_set || block->now != device->now ||
         block->local != device->local;
}

// Attaches to one word what the thread may hand on; a reader's scope decides what reaches it.
static void attach_word(simt_order *order, simt_block_order *b, const simt_strong *access,
                        uint64_t key, bool replaces) {
  simt_clocks *c = &order->clocks;
  bool is_wide = !access->is_shared && access->reach == SIMT_REACH_DEVICE;
  bool is_narrow = !is_wide || has_narrow(b, access);
  simt_clock_map *wide = is_wide ? handed_on(order, b, access, SIMT_REACH_DEVICE) : NULL;
  simt_clock_map *block =
      is_narrow ? handed_on(order, b, access, SIMT_REACH_BLOCK) : simt_clock_map_keep(wide);
  simt_locations_attach(c, &b->locations, key, block, replaces);
  if (!access->is_shared) {
    simt_locations_attach(c, &order->wide, key, wide, replaces);
    simt_locations_attach(c, &order->narrow, key, is_narrow ? block : NULL, replaces);
  }
  simt_clock_map_drop(c, wide);
  simt_clock_map_drop(c, block);
}

void simt_order_release(simt_order *order, simt_block_order *b, const simt_strong *access) {
  simt_order_advance(order);
  bool is_attached = b->locations.n || order->wide.n || order->narrow.n;
  if (!access->releases && !b->any_fence && (access->is_atomic || !is_attached)) return;
  // A store to a part of a word must not undo what was attached through another part.
  bool replaces = !access->is_atomic && access->width_bytes >= 4;
  uint64_t last = (access->address + access->width_bytes - 1) >> 2;
  for (uint64_t word = access->address >> 2; word <= last; word++)
    attach_word(order, b, access, simt_locations_key(word, access->is_shared), replaces);
}

// What is attached to a word for the device.
static void acquire_wide(simt_order *order, simt_block_order *b, const simt_strong *access,
                         uint64_t key) {
  simt_clock_map *wide = simt_locations_at(&order->wide, key),
                 *narrow = simt_locations_at(&order->narrow, key);
  if (!wide && !narrow) return;
  simt_knowledge *k = simt_order_touch(order, b, access->warp, access->lane);
  if (!k) return;
  bool suffices = access->reach == SIMT_REACH_DEVICE;
  simt_clock_map_learn(&order->clocks, suffices ? &k->acquired : &k->narrow, wide);
  simt_clock_map_learn(&order->clocks, &k->narrow, narrow);
}

void simt_order_acquire(simt_order *order, simt_block_order *b, const simt_strong *access) {
  if (!b->locations.n && !order->wide.n && !order->narrow.n) return;
  uint64_t last = (access->address + access->width_bytes - 1) >> 2;
  for (uint64_t word = access->address >> 2; word <= last; word++) {
    uint64_t key = simt_locations_key(word, access->is_shared);
    simt_clock_map *own = simt_locations_at(&b->locations, key);
    simt_knowledge *k = own ? simt_order_touch(order, b, access->warp, access->lane) : NULL;
    if (k && k->latest[word & 1] != own) {
      simt_clock_map_learn(&order->clocks, &k->acquired, own);
      simt_clock_map_drop(&order->clocks, k->latest[word & 1]);
      k->latest[word & 1] = simt_clock_map_keep(own);
    }
    if (!access->is_shared) acquire_wide(order, b, access, key);
  }
}
