// SPDX-License-Identifier: MIT
// check/race/cells.c - racecheck, element by element: an access of some lanes against the last
// writes and the readers of each cell.
#include "check/race/race_internal.h"
#include "findings/site.h"

enum { MANY_READERS = 6 }; // by other blocks, in global memory; then most of them are dropped

typedef enum verdict { FINE, RACE, TOO_NARROW } verdict;

// The verdict on two unordered accesses.
static verdict judge(uint32_t earlier, uint32_t later, bool same_block) {
  uint32_t both = earlier & later, any = earlier | later;
  if (!(any & SIMT_WHO_WRITE)) return FINE;
  if (both & SIMT_WHO_STRONG) return same_block || !(any & SIMT_WHO_NARROW) ? FINE : TOO_NARROW;
  bool atomic = (earlier & SIMT_WHO_ATOMIC) == SIMT_WHO_ATOMIC ||
                (later & SIMT_WHO_ATOMIC) == SIMT_WHO_ATOMIC;
  // A lock in shared memory that is taken by an atomic and freed by a volatile store.
  bool other_is_volatile = earlier & SIMT_WHO_VOLATILE || later & SIMT_WHO_VOLATILE;
  return atomic && other_is_volatile ? FINE : RACE;
}

static simt_earlier earlier_of(const simt_race *r, const simt_visit *v, const simt_mark *m) {
  return (simt_earlier){
      .stamp = m->tick,
      .warp = simt_who_warp(m->who),
      .lanes = m->lanes,
      .is_own = v->is_shared ||
                (m->tick >= r->order.floor && simt_order_is_own(&r->order, v->block, m->tick))};
}

// Compares an earlier access with this one of `lanes`; true, with *c filled: they race.
static bool compare(simt_race *r, simt_visit *v, const simt_mark *m, uint32_t lanes,
                    simt_conflict *c) {
  if (m->tick < v->floor) return false;
  simt_earlier earlier = earlier_of(r, v, m);
  verdict outcome = judge(m->who, v->who, earlier.is_own);
  simt_lane_pair pair;
  if (outcome == FINE ||
      !simt_order_unordered(&r->order, v->block, v->access->warp, lanes, &earlier, &pair))
    return false;
  c->tick = m->tick, c->who = m->who, c->lane = pair.earlier_lane;
  c->is_own = earlier.is_own;
  c->later_lane = pair.lane;
  c->too_narrow = outcome == TOO_NARROW;
  return true;
}

// Whether a thread whose read happens-before all of `lanes`, or one of these, has read the
// cell's strong write by a strong read.
static bool has_seen(simt_race *r, const simt_visit *v, const simt_cell *cell, uint32_t lanes) {
  if (cell->seen_by_more) return true;
  for (uint32_t at = cell->seen; at; at = v->shadow->links[at].next) {
    simt_earlier one = earlier_of(r, v, &v->shadow->links[at].mark);
    for (SIMT_EACH_LANE(lane, v->shadow->links[at].mark.lanes)) {
      simt_lane_pair pair;
      one.lanes = 1u << lane;
      if (!simt_order_unordered(&r->order, v->block, v->access->warp, lanes, &one, &pair))
        return true;
    }
  }
  return false;
}

// A strong read sees the strong write.
static void note_seen(simt_race *r, simt_visit *v, simt_cell *cell, uint32_t lanes) {
  if (cell->strong.tick < v->floor || !cell->strong.tick) return;
  for (SIMT_EACH_LANE(lane, lanes)) {
    simt_mark mark = {r->order.tick, v->who, 1u << lane};
    if (!has_seen(r, v, cell, mark.lanes)) simt_cell_add_seen(v->shadow, cell, &mark);
  }
}

static const simt_written *written(const simt_cell *cell, bool is_strong) {
  return is_strong ? &cell->strong : &cell->plain;
}

// Records the value that the earlier write left in the element where it overlaps this access, if it
// wrote all of the element.
static void note_value(const simt_visit *v, const simt_cell *cell, bool is_strong, uint32_t grain,
                       simt_conflict *c) {
  uint32_t element = simt_element_bytes(v->access);
  uint32_t at = (uint32_t)(c->address - v->access->address[c->later_lane]) % element;
  if (element > sizeof c->value || element < grain) return;
  const simt_cell *first = cell - at / grain;
  for (uint32_t i = 0; i < element / grain; i++) {
    const simt_written *w = written(&first[i], is_strong);
    if (w->tick != c->tick || w->who != c->who || w->lane != c->lane) return;
    c->value |= (uint64_t)w->value << 8 * grain * i;
  }
  c->value_bytes = (uint8_t)element;
}

static void check_write(simt_race *r, simt_visit *v, simt_cell *cell, bool is_strong,
                        uint32_t lanes, uint64_t address, uint32_t grain) {
  const simt_written *w = written(cell, is_strong);
  simt_conflict c = {.address = address};
  simt_mark write = {w->tick, w->who, 1u << w->lane};
  if (w->tick < v->floor || !compare(r, v, &write, lanes, &c)) return;
  if (is_strong && !(v->who & SIMT_WHO_STRONG) && has_seen(r, v, cell, lanes)) return;
  note_value(v, cell, is_strong, grain, &c);
  simt_race_report(r, v, &c);
}

static void check_readers(simt_race *r, simt_visit *v, simt_cell *cell, uint32_t lanes,
                          uint64_t address) {
  uint32_t at = 0;
  for (simt_mark *m; (m = simt_cell_next_reader(v->shadow, cell, &at)) != NULL;) {
    simt_conflict c = {.address = address};
    if (compare(r, v, m, lanes, &c)) simt_race_report(r, v, &c);
  }
}

// How much an access may do unordered. A race with a stronger access is also a race with a weaker
// one in its place.
static int strength(uint32_t who) {
  return !(who & SIMT_WHO_STRONG) ? 0 : who & SIMT_WHO_NARROW ? 1 : 2;
}

// Every block reads this cell: one reader from each of three other blocks is enough to show a race
// with any thread that writes it.
static void drop_many(simt_race *r, const simt_visit *v, simt_cell *cell) {
  uint32_t blocks[3], n_blocks = 0, at = 0;
  for (simt_mark *m; (m = simt_cell_next_reader(v->shadow, cell, &at)) != NULL;) {
    uint32_t block = simt_order_block_at(&r->order, m->tick);
    bool is_kept = n_blocks < 3 && block != v->block->block;
    for (uint32_t i = 0; i < n_blocks && is_kept; i++) is_kept = blocks[i] != block;
    if (is_kept) blocks[n_blocks++] = block;
    else if (block != v->block->block) m->lanes = 0;
  }
  simt_cell_drop_empty(v->shadow, cell);
}

// Removes the readers that a new read makes superfluous: those that are ordered before it and no
// weaker.
static void add_reader(simt_race *r, simt_visit *v, simt_cell *cell, uint32_t lanes) {
  simt_mark mark = {r->order.tick, v->who, lanes};
  bool any_empty = false, is_added = false;
  uint32_t at = 0, n_others = 0;
  for (simt_mark *m; (m = simt_cell_next_reader(v->shadow, cell, &at)) != NULL;) {
    if (m->tick == mark.tick && m->who == mark.who) {
      m->lanes |= lanes;
      is_added = true;
      continue;
    }
    const bool is_own = v->is_shared || simt_order_is_own(&r->order, v->block, m->tick);
    n_others += !is_own;
    if (m->tick < v->floor) {
      m->lanes = 0;
    } else if (strength(mark.who) <= strength(m->who)) {
      if (is_own && m->tick < v->block->floor) m->lanes = 0;
      else if (is_own && simt_who_warp(m->who) == v->access->warp) m->lanes &= ~lanes;
    }
    any_empty |= !m->lanes;
  }
  if (any_empty) simt_cell_drop_empty(v->shadow, cell);
  if (n_others >= MANY_READERS) drop_many(r, v, cell);
  if (!is_added) simt_cell_add_reader(v->shadow, cell, &mark);
}

// A plain write is ordered after everything before it, or a race has been reported. A strong write
// may be unordered with other strong accesses; later strong accesses may be unordered with what it
// is ordered after.
static void set_write(simt_race *r, simt_visit *v, simt_cell *cell, uint32_t lanes,
                      uint32_t value) {
  simt_written now = {.tick = r->order.tick,
                      .who = v->who,
                      .value = value,
                      .lane = (uint8_t)(31u - (uint32_t)__builtin_clz(lanes))};
  if (v->who & SIMT_WHO_STRONG) {
    cell->strong = now;
    simt_cell_drop_seen(v->shadow, cell);
    return;
  }
  cell->plain = now;
  if (!(v->who & SIMT_WHO_VOLATILE)) cell->strong.tick = 0; // see judge()
  if (cell->reader.tick) simt_cell_drop_readers(v->shadow, cell);
}

static void visit_cell(simt_race *r, simt_visit *v, simt_cell *cell, uint32_t lanes,
                       uint64_t address, uint32_t grain) {
  const simt_access *a = v->access;
  check_write(r, v, cell, false, lanes, address, grain);
  check_write(r, v, cell, true, lanes, address, grain);
  if (!(v->who & SIMT_WHO_WRITE)) {
    if (v->who & SIMT_WHO_STRONG) note_seen(r, v, cell, lanes);
    add_reader(r, v, cell, lanes);
    return;
  }
  if (cell->reader.tick) check_readers(r, v, cell, lanes, address);
  uint32_t lane = 31u - (uint32_t)__builtin_clz(lanes);
  uint32_t at = (uint32_t)(address - a->address[lane]);
  set_write(r, v, cell, lanes, (uint32_t)simt_race_stored(a, lane, at, grain));
}

static bool stores_what_is_there(const simt_line *line, const simt_access *a, uint32_t lane) {
  if (!a->data[0]) return false;
  uint32_t grain = line->grain;
  const simt_cell *cell = &line->cells[a->address[lane] % SIMT_LINE_BYTES / grain];
  for (uint32_t at = 0; at < a->width_bytes; at += grain, cell++)
    if (cell->plain.value != (uint32_t)simt_race_stored(a, lane, at, grain)) return false;
  return true;
}

void simt_race_lanes(simt_race *r, simt_visit *v, simt_line *line, uint32_t lanes) {
  const simt_access *a = v->access;
  uint32_t first = (uint32_t)__builtin_ctz(lanes);
  uint64_t address = a->address[first];
  if (!simt_line_spread(v->shadow, line, a->width_bytes >= 4 ? 4 : 1, r->existing)) return;
  uint32_t grain = line->grain;
  v->same_value = a->kind == SIMT_STORE && stores_what_is_there(line, a, first);
  simt_cell *cell = &line->cells[address % SIMT_LINE_BYTES / grain];
  for (uint32_t at = 0; at < a->width_bytes; at += grain, cell++)
    visit_cell(r, v, cell, lanes, address + at, grain);
}

simt_line *simt_race_line(simt_race *r, const simt_visit *v, uint64_t address) {
  simt_line *line = simt_shadow_line(v->shadow, address);
  if (!line) return NULL;
  if (line->latest < v->floor && (line->n_records || line->grain)) simt_line_clear(v->shadow, line);
  line->latest = r->order.tick;
  return line;
}

// Those of `lanes` that access the same address as the first of them. In a block of 16 columns two
// rows of threads share a warp, and read each element of a matrix twice or 16 times.
static uint32_t at_first_address(const simt_access *a, uint32_t lanes) {
  const uint64_t address = a->address[__builtin_ctz(lanes)];
  uint32_t same = 0;
  for (uint32_t l = 0; l < SIMT_LANES; l++) same |= (uint32_t)(a->address[l] == address) << l;
  return same & lanes;
}

void simt_race_elements(simt_race *r, simt_visit *v) {
  const simt_access *a = v->access;
  uint32_t lanes;
  for (uint32_t left = a->mask; left; left &= ~lanes) {
    lanes = a->kind == SIMT_LOAD ? at_first_address(a, left) : left & (0 - left);
    simt_line *line = simt_race_line(r, v, a->address[__builtin_ctz(lanes)]);
    if (line) simt_race_lanes(r, v, line, lanes);
  }
}
