// SPDX-License-Identifier: MIT
// check_race.c - racecheck: unordered accesses to one byte of which one writes, in shared and
// global memory.
//
// check_order.h says what orders accesses, check_shadow.h how they are remembered; here the two
// meet. Two unordered accesses race unless both are strong (atomic, volatile, relaxed …) and each
// one's scope holds the other's thread. An access is compared with the last plain and the last
// strong write of each byte and with the reads since the plain one: whoever is ordered after that
// write is ordered after all before it, or one of those has been reported.
//
// Exceptions to the memory model, on purpose:
//   - a volatile store to shared memory is strong only if its thread has fenced since its last
//     plain store, as the writer of a flag does. Otherwise it is data, and a volatile read by
//     another lane is the race of the old warp-synchronous fold;
//   - two plain writes of the same value are a note.
// Lenient: a strong read or write is ordered after every strong write of the same location that it
// follows (it has seen it), and so is, for this location, whatever is ordered after it.
// Not modelled: local memory (private), constant memory (read only), the host.
#include "check_race.h"

#include <stdlib.h>
#include <string.h>

#include "check_order.h"
#include "check_shadow.h"
#include "isa.h"

enum { LANES = SIMT_WARP_LANES, FULL = -1, ACT_ATOMIC = SIMT_WHO_ATOMIC };
static const uint64_t DEFAULT_LIMIT_BYTES = UINT64_C(1) << 30;
static const uint32_t TICKS_FOR_A_LAUNCH = UINT32_C(1) << 31;

// A pair of places in the code that raced in this launch.
typedef struct found {
  simt_finding finding; // the first witness
  uint64_t count;
} found;

typedef struct race race;
struct race {
  simt_observer observer; // first: the hooks cast back
  simt_findings *findings;
  race *parent; // of a worker
  race *idle;   // workers between launches; of a worker: the next one
  uint64_t limit_bytes;
  simt_order order;
  simt_shadow *global;
  simt_launch_info info;
  uint32_t existing[SIMT_MAX_WARPS]; // lanes of each warp
  bool is_off;                       // for the rest of this launch
  bool is_incomplete;                // something was not watched
  bool is_noted;                     // and a note says so
  found *found;
  uint32_t n_found, found_capacity;
};

// One event as it is worked through.
typedef struct visit {
  const simt_access *access;
  simt_block_order *block;
  simt_shadow *shadow;
  bool is_shared;
  uint32_t floor; // accesses before it are ordered before everything that can still come
  uint32_t who;
  bool same_value; // the lane stores what is there already
} visit;

#define EACH_LANE(lane, lanes)                                                                     \
  uint32_t lane##_left = (lanes), lane = 0;                                                        \
  lane##_left && (lane = (uint32_t)__builtin_ctz(lane##_left), true);                              \
  lane##_left &= lane##_left - 1

// ---- findings ----------------------------------------------------------------------------------

static bool is_same_pair(const simt_finding *a, const simt_finding *b) {
  return a->kind == b->kind && a->first.pc == b->first.pc && a->second.pc == b->second.pc &&
         a->relation == b->relation && a->space == b->space;
}

// Counts the finding; the first of its kind and place is kept.
static void add_found(race *r, const simt_finding *finding, uint64_t count) {
  for (uint32_t i = 0; i < r->n_found; i++) {
    if (!is_same_pair(&r->found[i].finding, finding)) continue;
    r->found[i].count += count;
    return;
  }
  if (r->n_found == r->found_capacity) {
    uint32_t capacity = r->found_capacity ? 2 * r->found_capacity : 8;
    found *grown = realloc(r->found, capacity * sizeof *grown);
    if (!grown) {
      r->is_incomplete = true;
      return;
    }
    r->found = grown;
    r->found_capacity = capacity;
  }
  r->found[r->n_found++] = (found){*finding, count};
}

static simt_act act_of(uint32_t who) {
  switch (who & SIMT_WHO_ATOMIC) {
  case SIMT_WHO_READ: return SIMT_ACT_READ;
  case SIMT_WHO_WRITE: return SIMT_ACT_WRITE;
  default: return SIMT_ACT_ATOMIC;
  }
}

static simt_finding_kind kind_of(uint32_t earlier, uint32_t later) {
  if ((earlier & SIMT_WHO_ATOMIC) == SIMT_WHO_ATOMIC || (later & SIMT_WHO_ATOMIC) == SIMT_WHO_ATOMIC)
    return SIMT_FINDING_race_atomic;
  if (!(earlier & SIMT_WHO_WRITE)) return SIMT_FINDING_race_write_after_read;
  if (!(later & SIMT_WHO_WRITE)) return SIMT_FINDING_race_read_after_write;
  return SIMT_FINDING_race_write_after_write;
}

static uint32_t element_bytes(const simt_access *a) {
  return a->vector > 1 ? a->width_bytes / a->vector : a->width_bytes;
}

// `n` bytes that `lane` stores or combines, from byte `at` of its access on.
static uint64_t stored(const simt_access *a, uint32_t lane, uint32_t at, uint32_t n) {
  uint64_t value = 0;
  uint32_t element = element_bytes(a);
  const uint8_t *slot = a->data[at / element];
  if (slot) memcpy(&value, slot + (size_t)lane * a->lane_bytes + at % element, n);
  return value;
}

// The element that holds `address`: where it is, and its value as far as it is known.
static void describe_second(const visit *v, simt_finding *f, uint32_t lane, uint64_t address) {
  const simt_access *a = v->access;
  uint32_t element = element_bytes(a);
  uint32_t at = (uint32_t)(address - a->address[lane]) / element * element;
  bool is_load = a->kind == SIMT_LOAD;
  f->address = a->address[lane] + at;
  f->width_bytes = element;
  f->second.value_bytes = 0;
  if (element > sizeof f->second.value || (is_load ? !a->memory : !a->data[0])) return;
  f->second.value_bytes = (uint8_t)element;
  if (is_load) memcpy(&f->second.value, a->memory + f->address, element);
  else f->second.value = stored(a, lane, at, element);
}

// Two lanes of one and the same store.
static bool is_one_store(const race *r, const visit *v, uint32_t tick, uint32_t who, uint32_t lane,
                         uint64_t address) {
  const simt_access *a = v->access;
  return a->kind == SIMT_STORE && tick == r->order.tick && who == v->who && a->mask >> lane & 1 &&
         address - a->address[lane] < a->width_bytes;
}

typedef struct conflict {
  uint32_t tick, who, lane; // of the earlier access
  bool is_own;
  uint32_t later_lane;
  uint64_t address;
  bool too_narrow; // both are strong
} conflict;

static simt_relation relation_of(const race *r, const visit *v, const conflict *c) {
  if (!c->is_own) return SIMT_RELATION_GRID;
  if (simt_who_warp(c->who) != v->access->warp) return SIMT_RELATION_BLOCK;
  return is_one_store(r, v, c->tick, c->who, c->lane, c->address) ? SIMT_RELATION_LANE
                                                                  : SIMT_RELATION_WARP;
}

static bool is_narrow(const race *r, const visit *v, const conflict *c) {
  return c->too_narrow ||
         (!c->is_own && simt_order_is_narrow(&r->order, v->block, v->access->warp, c->later_lane,
                                             c->tick, simt_who_warp(c->who) * LANES + c->lane));
}

static simt_site site_of(uint32_t who, uint32_t block, uint32_t lane) {
  return (simt_site){.act = (uint8_t)act_of(who),
                     .is_volatile = (who & SIMT_WHO_VOLATILE) != 0,
                     .pc = simt_who_pc(who),
                     .block = block,
                     .warp = simt_who_warp(who),
                     .lane = (int32_t)lane};
}

// `written`: the earlier access if it is a write, whose value is known; else NULL.
static void report(race *r, const visit *v, const conflict *c, const simt_written *written,
                   uint32_t grain) {
  if (r->order.clocks.is_exhausted) return; // too little is known by now
  uint32_t block = c->is_own ? v->block->block : simt_order_block_at(&r->order, c->tick);
  simt_finding f = {.kind = kind_of(c->who, v->who),
                    .first = site_of(c->who, block, c->lane),
                    .second = site_of(v->who, v->block->block, c->later_lane),
                    .relation = (uint8_t)relation_of(r, v, c),
                    .space = v->access->space};
  if (is_narrow(r, v, c)) f.kind = SIMT_FINDING_race_scope;
  else if (f.kind == SIMT_FINDING_race_write_after_write && v->same_value)
    f.kind = SIMT_FINDING_race_same_value;
  if (written) {
    f.first.value = written->value;
    f.first.value_bytes = (uint8_t)grain;
  }
  describe_second(v, &f, c->later_lane, c->address);
  add_found(r, &f, 1);
}

// ---- cells -------------------------------------------------------------------------------------

typedef enum verdict { FINE, RACE, TOO_NARROW } verdict;

// What two unordered accesses come to.
static verdict judge(uint32_t earlier, uint32_t later, bool same_block) {
  uint32_t both = earlier & later, any = earlier | later;
  if (!(any & SIMT_WHO_WRITE)) return FINE;
  if (both & SIMT_WHO_STRONG)
    return same_block || !(any & SIMT_WHO_NARROW) ? FINE : TOO_NARROW;
  bool atomic = (earlier & ACT_ATOMIC) == ACT_ATOMIC || (later & ACT_ATOMIC) == ACT_ATOMIC;
  // A lock in shared memory that is taken by an atomic and freed by a volatile store.
  bool other_is_volatile = earlier & SIMT_WHO_VOLATILE || later & SIMT_WHO_VOLATILE;
  return atomic && other_is_volatile ? FINE : RACE;
}

static simt_earlier earlier_of(const race *r, const visit *v, const simt_mark *m) {
  return (simt_earlier){.stamp = m->tick,
                        .warp = simt_who_warp(m->who),
                        .lanes = m->lanes,
                        .is_own = v->is_shared || (m->tick >= r->order.floor &&
                                                   simt_order_is_own(&r->order, v->block, m->tick))};
}

// Compares an earlier access with this one of `lanes`; true, with *c filled: they race.
static bool compare(race *r, visit *v, const simt_mark *m, uint32_t lanes, conflict *c) {
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

// Whether one of `lanes`, or somebody they are ordered after, has read the cell's strong write by a
// strong read.
static bool has_seen(race *r, const visit *v, simt_cell *cell, uint32_t lanes) {
  if (cell->is_crowded) return true; // perhaps the one that has did not fit
  uint32_t at = 0;
  for (simt_mark *m; (m = simt_cell_next_reader(v->shadow, cell, &at)) != NULL;) {
    if (!(m->who & SIMT_WHO_STRONG) || m->tick <= cell->strong.tick) continue;
    simt_earlier one = earlier_of(r, v, m);
    for (EACH_LANE(lane, m->lanes)) {
      simt_lane_pair pair;
      one.lanes = 1u << lane;
      if (!simt_order_unordered(&r->order, v->block, v->access->warp, lanes, &one, &pair))
        return true;
    }
  }
  return false;
}

static void check_writes(race *r, visit *v, simt_cell *cell, uint32_t lanes, uint64_t address,
                        uint32_t grain) {
  conflict c = {.address = address};
  const simt_written *w = &cell->plain;
  simt_mark write = {w->tick, w->who, 1u << w->lane};
  if (w->tick >= v->floor && compare(r, v, &write, lanes, &c)) report(r, v, &c, w, grain);
  w = &cell->strong;
  write = (simt_mark){w->tick, w->who, 1u << w->lane};
  if (w->tick >= v->floor && compare(r, v, &write, lanes, &c) &&
      (v->who & SIMT_WHO_STRONG || !has_seen(r, v, cell, lanes)))
    report(r, v, &c, w, grain);
}

static void check_readers(race *r, visit *v, simt_cell *cell, uint32_t lanes, uint64_t address) {
  uint32_t at = 0;
  for (simt_mark *m; (m = simt_cell_next_reader(v->shadow, cell, &at)) != NULL;) {
    conflict c = {.address = address};
    if (compare(r, v, m, lanes, &c)) report(r, v, &c, NULL, 0);
  }
}

// How much an access may do unordered: what a race with the stronger one shows, one with the weaker
// shows too.
static int strength(uint32_t who) {
  return !(who & SIMT_WHO_STRONG) ? 0 : who & SIMT_WHO_NARROW ? 1 : 2;
}

// Whether a read by this access makes an earlier one that it is ordered after superfluous: when
// it is no stronger, unless the earlier one bears witness that the cell's strong write was seen.
static bool is_superfluous(const visit *v, const simt_cell *cell, const simt_mark *m) {
  bool is_witness = m->who & SIMT_WHO_STRONG && m->tick > cell->strong.tick &&
                    cell->strong.tick >= v->floor;
  return strength(v->who) <= strength(m->who) && (!is_witness || v->who & SIMT_WHO_STRONG);
}

static void add_reader(race *r, visit *v, simt_cell *cell, uint32_t lanes) {
  simt_mark mark = {r->order.tick, v->who, lanes};
  bool any_empty = false, is_added = false;
  uint32_t at = 0;
  for (simt_mark *m; (m = simt_cell_next_reader(v->shadow, cell, &at)) != NULL;) {
    if (m->tick == mark.tick && m->who == mark.who) {
      m->lanes |= lanes;
      is_added = true;
      continue;
    }
    if (m->tick < v->floor) {
      m->lanes = 0;
    } else if (is_superfluous(v, cell, m)) {
      bool is_own = v->is_shared || simt_order_is_own(&r->order, v->block, m->tick);
      if (is_own && m->tick < v->block->floor) m->lanes = 0;
      else if (is_own && simt_who_warp(m->who) == v->access->warp) m->lanes &= ~lanes;
    }
    any_empty |= !m->lanes;
  }
  if (any_empty) simt_cell_drop_empty(v->shadow, cell);
  if (!is_added) simt_cell_add_reader(v->shadow, cell, &mark);
}

// A plain write is ordered after all before it, or a race has been reported. A strong one may be
// unordered after strong accesses, and later strong ones after what it is ordered after.
static void set_write(race *r, visit *v, simt_cell *cell, uint32_t lanes, uint32_t value) {
  simt_written now = {.tick = r->order.tick,
                      .who = v->who,
                      .value = value,
                      .lane = (uint8_t)(31u - (uint32_t)__builtin_clz(lanes))};
  if (v->who & SIMT_WHO_STRONG) {
    cell->strong = now;
    return;
  }
  cell->plain = now;
  if (!(v->who & SIMT_WHO_VOLATILE)) cell->strong.tick = 0; // see judge()
  if (cell->reader.tick) simt_cell_drop_readers(v->shadow, cell);
}

static void visit_cell(race *r, visit *v, simt_cell *cell, uint32_t lanes, uint64_t address,
                       uint32_t grain) {
  const simt_access *a = v->access;
  check_writes(r, v, cell, lanes, address, grain);
  if (!(v->who & SIMT_WHO_WRITE)) {
    add_reader(r, v, cell, lanes);
    return;
  }
  if (cell->reader.tick) check_readers(r, v, cell, lanes, address);
  uint32_t lane = 31u - (uint32_t)__builtin_clz(lanes);
  uint32_t at = (uint32_t)(address - a->address[lane]);
  set_write(r, v, cell, lanes, (uint32_t)stored(a, lane, at, grain));
}

static bool stores_what_is_there(const simt_line *line, const simt_access *a, uint32_t lane) {
  if (!a->data[0]) return false;
  uint32_t grain = line->grain;
  const simt_cell *cell = &line->cells[a->address[lane] % SIMT_LINE_BYTES / grain];
  for (uint32_t at = 0; at < a->width_bytes; at += grain, cell++)
    if (cell->plain.value != (uint32_t)stored(a, lane, at, grain)) return false;
  return true;
}

// `lanes` access one and the same element, which lies in `line`.
static void visit_lanes(race *r, visit *v, simt_line *line, uint32_t lanes) {
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

// The line of an address, empty if nothing in it matters any more. NULL: not watched.
static simt_line *line_at(race *r, const visit *v, uint64_t address) {
  simt_line *line = simt_shadow_line(v->shadow, address);
  if (!line) return NULL;
  if (line->latest < v->floor && (line->n_records || line->grain))
    simt_line_clear(v->shadow, line);
  line->latest = r->order.tick;
  return line;
}

// ---- rows: 32 words in one comparison ----------------------------------------------------------

typedef struct row {
  simt_record record; // but for its words and offset
  int64_t base;       // ROW: where lane 0 is, or would be
  uint64_t low, high; // addresses [low, high)
} row;

// Whether each active lane is where its number says: lane 0's place plus width times lane.
static bool is_evenly_spaced(const simt_access *a, uint32_t first) {
  uint64_t base = a->address[first] - (uint64_t)first * a->width_bytes, wrong = 0;
  for (uint32_t l = 0; l < LANES; l++)
    wrong |= (a->address[l] - base - (uint64_t)l * a->width_bytes) &
             (0 - (uint64_t)(a->mask >> l & 1));
  return !wrong;
}

// Describes a plain access as a row or as one element for all lanes; false: it is neither.
static bool make_row(const race *r, const visit *v, row *w) {
  const simt_access *a = v->access;
  if (a->width_bytes < 4) return false;
  uint32_t first = (uint32_t)__builtin_ctz(a->mask);
  uint32_t last = 31u - (uint32_t)__builtin_clz(a->mask);
  w->record = (simt_record){.tick = r->order.tick, .who = v->who, .lanes = a->mask};
  w->record.log2_words = a->width_bytes == 4 ? 0 : a->width_bytes == 8 ? 1 : 2;
  w->low = a->address[first];
  w->high = a->address[last] + a->width_bytes;
  if (a->pattern != SIMT_PATTERN_CONTIGUOUS && !is_evenly_spaced(a, first)) {
    if (a->pattern != SIMT_PATTERN_UNIFORM || a->kind != SIMT_LOAD) return false;
    bool is_whole = a->mask == r->existing[a->warp];
    w->record.shape = is_whole ? SIMT_SHAPE_WARPS : SIMT_SHAPE_LANES;
    if (is_whole) w->record.lanes = 1u << a->warp;
    return true;
  }
  w->record.shape = SIMT_SHAPE_ROW;
  w->base = (int64_t)a->address[first] - (int64_t)first * a->width_bytes;
  return true;
}

// Words [from, to) of a line, clipped to it.
static uint32_t word_range(int64_t from, int64_t to) {
  if (from < 0) from = 0;
  if (to > SIMT_LINE_WORDS) to = SIMT_LINE_WORDS;
  if (from >= to) return 0;
  return (uint32_t)FULL >> (SIMT_LINE_WORDS - (to - from)) << from;
}

// The words of the line at `start` that the row's lanes access.
static uint32_t words_of(const row *w, uint64_t start) {
  if (w->record.shape != SIMT_SHAPE_ROW)
    return word_range((int64_t)(w->low - start) / 4, (int64_t)(w->high - start) / 4);
  uint32_t words = 0, lanes = w->record.lanes, shift = w->record.log2_words;
  int64_t offset = ((int64_t)start - w->base) / 4;
  while (lanes) { // one run of neighbouring lanes after the other
    uint32_t first = (uint32_t)__builtin_ctz(lanes), rest = ~(lanes >> first);
    uint32_t end = rest ? first + (uint32_t)__builtin_ctz(rest) : LANES;
    words |= word_range(((int64_t)first << shift) - offset, ((int64_t)end << shift) - offset);
    lanes = end < LANES ? lanes & (uint32_t)FULL << end : 0;
  }
  return words;
}

static bool is_same_mapping(const simt_record *a, const simt_record *b) {
  return a->shape == SIMT_SHAPE_ROW && b->shape == SIMT_SHAPE_ROW && a->offset == b->offset &&
         a->log2_words == b->log2_words;
}

// Whether all of an earlier record is ordered before all of this one, as far as can be said at once.
static bool is_ordered(const race *r, const visit *v, const simt_record *old,
                       const simt_record *now) {
  const simt_block_order *b = v->block;
  if (old->tick < v->floor) return true;
  if (!v->is_shared && !simt_order_is_own(&r->order, b, old->tick)) return false;
  if (old->tick < b->floor) return true;
  if (old->shape == SIMT_SHAPE_WARPS || simt_who_warp(old->who) != v->access->warp) return false;
  return old->tick < b->warp_floor[v->access->warp] || is_same_mapping(old, now);
}

// Adds to a record that says the same of other words, or of another warp.
static bool merge(simt_record *old, const simt_record *now) {
  if (old->tick != now->tick || old->shape != now->shape) return false;
  uint32_t difference = old->who ^ now->who;
  if (now->shape == SIMT_SHAPE_WARPS) {
    if (difference & ~(31u << SIMT_WHO_WARP_SHIFT) || old->words != now->words) return false;
    old->lanes |= now->lanes;
    return true;
  }
  if (difference) return false;
  if (now->shape == SIMT_SHAPE_LANES) {
    if (old->words != now->words) return false;
    old->lanes |= now->lanes;
    return true;
  }
  if (!is_same_mapping(old, now)) return false;
  old->words |= now->words;
  return true;
}

// Removes from the line's records what `now`, which is ordered after it, makes superfluous.
static void drop_superfluous(const race *r, const visit *v, simt_line *line,
                             const simt_record *now) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < line->n_records; i++) {
    simt_record *old = &line->record[i];
    if (now->who & SIMT_WHO_WRITE) old->words &= ~now->words;
    else if (!(old->who & SIMT_WHO_WRITE) && !(old->words & ~now->words) &&
             is_ordered(r, v, old, now))
      old->words = 0;
    if (old->words) line->record[kept++] = *old;
  }
  line->n_records = (uint8_t)kept;
}

// Compares with the line's records and adds this one; false: the line must be spread for it.
static bool add_record(const race *r, const visit *v, simt_line *line, const simt_record *now) {
  for (uint32_t i = 0; i < line->n_records; i++) {
    const simt_record *old = &line->record[i];
    if (old->words & now->words && (old->who | now->who) & SIMT_WHO_WRITE &&
        !is_ordered(r, v, old, now))
      return false;
  }
  for (uint32_t i = 0; i < line->n_records; i++)
    if (merge(&line->record[i], now)) return true;
  if (line->n_records) drop_superfluous(r, v, line, now);
  if (line->n_records == SIMT_LINE_RECORDS) return false;
  line->record[line->n_records++] = *now;
  return true;
}

static void keep_values(const visit *v, simt_line *line, const simt_record *now) {
  const simt_access *a = v->access;
  if (!a->data[0] || !simt_line_values(v->shadow, line)) return;
  if (now->log2_words == 0 && a->vector == 1 && a->lane_bytes == 4 && now->words == (uint32_t)FULL &&
      now->offset == 0) {
    memcpy(line->values, a->data[0], SIMT_LINE_BYTES);
    return;
  }
  for (EACH_LANE(word, now->words)) {
    uint32_t lane = simt_record_lane(now, word);
    uint32_t at = ((uint32_t)((int32_t)word + now->offset) & ((1u << now->log2_words) - 1)) * 4;
    line->values[word] = (uint32_t)stored(a, lane, at, 4);
  }
}

// The part of a row that lies in one line, cell by cell.
static void visit_row(race *r, visit *v, simt_line *line, const row *w, uint64_t start) {
  const simt_access *a = v->access;
  if (w->record.shape != SIMT_SHAPE_ROW) {
    visit_lanes(r, v, line, a->mask);
    return;
  }
  for (EACH_LANE(lane, a->mask))
    if (a->address[lane] - start < SIMT_LINE_BYTES) visit_lanes(r, v, line, 1u << lane);
}

static void watch_row(race *r, visit *v, row *w) {
  uint64_t start = w->low & ~(uint64_t)(SIMT_LINE_BYTES - 1);
  for (; start < w->high; start += SIMT_LINE_BYTES) {
    simt_record *now = &w->record;
    now->words = words_of(w, start);
    if (!now->words) continue;
    simt_line *line = line_at(r, v, start);
    if (!line) continue;
    if (now->shape == SIMT_SHAPE_ROW) now->offset = (int16_t)(((int64_t)start - w->base) / 4);
    if (line->grain || !add_record(r, v, line, now)) visit_row(r, v, line, w, start);
    else if (now->who & SIMT_WHO_WRITE) keep_values(v, line, now);
  }
}

// ---- accesses ----------------------------------------------------------------------------------

static void watch_plain(race *r, visit *v) {
  const simt_access *a = v->access;
  row w;
  if (a->kind == SIMT_STORE && v->block->any_fence) v->block->fenced[a->warp] &= ~a->mask;
  if (make_row(r, v, &w)) {
    watch_row(r, v, &w);
    return;
  }
  if (a->pattern == SIMT_PATTERN_UNIFORM && a->kind == SIMT_LOAD) { // less than a word
    simt_line *line = line_at(r, v, a->address[__builtin_ctz(a->mask)]);
    if (line) visit_lanes(r, v, line, a->mask);
    return;
  }
  for (EACH_LANE(lane, a->mask)) {
    simt_line *line = line_at(r, v, a->address[lane]);
    if (line) visit_lanes(r, v, line, 1u << lane);
  }
}

// A volatile store to shared memory is a flag's only after a fence.
static bool is_strong(const visit *v, uint32_t lane) {
  const simt_access *a = v->access;
  if (!v->is_shared || a->order != ISA_VOLATILE || a->kind != SIMT_STORE) return true;
  return v->block->fenced[a->warp] >> lane & 1;
}

// Nobody has handed on anything, nor does this access: all its lanes may be seen to at once.
static bool is_quiet(const race *r, const visit *v) {
  const simt_access *a = v->access;
  return !v->block->any_fence && a->order < ISA_RELEASE && !r->order.wide.n && !r->order.narrow.n &&
         !v->block->locations.n;
}

static void watch_strong(race *r, visit *v) {
  const simt_access *a = v->access;
  uint32_t plain = v->who;
  bool is_quiet_one = is_quiet(r, v);
  bool is_narrow_scope = a->scope == ISA_SCOPE_CTA || a->scope == ISA_SCOPE_CLUSTER;
  bool at_once = is_quiet_one && a->pattern == SIMT_PATTERN_UNIFORM && a->kind != SIMT_STORE;
  simt_strong s = {.warp = a->warp,
                   .is_shared = v->is_shared,
                   .width_bytes = a->width_bytes,
                   .reach = is_narrow_scope ? SIMT_REACH_BLOCK : SIMT_REACH_DEVICE,
                   .releases = a->order >= ISA_RELEASE,
                   .is_atomic = a->kind == SIMT_ATOMIC};
  for (uint32_t left = a->mask; left; left = at_once ? 0 : left & (left - 1)) {
    s.lane = (uint32_t)__builtin_ctz(left);
    s.address = a->address[s.lane];
    if (!is_quiet_one && a->kind != SIMT_STORE) simt_order_acquire(&r->order, v->block, &s);
    v->who = plain | (is_strong(v, s.lane) ? SIMT_WHO_STRONG : 0) |
             (is_narrow_scope ? SIMT_WHO_NARROW : 0) |
             (a->order == ISA_VOLATILE ? SIMT_WHO_VOLATILE : 0);
    simt_line *line = line_at(r, v, s.address);
    if (line) visit_lanes(r, v, line, at_once ? a->mask : 1u << s.lane);
    if (a->kind != SIMT_LOAD) simt_order_release(&r->order, v->block, &s);
  }
}

// Shadow of a block's shared memory, large enough for this launch.
static simt_shadow *shared_shadow(race *r, simt_block_order *b) {
  uint64_t lines = (r->info.shared_bytes + SIMT_LINE_BYTES - 1) / SIMT_LINE_BYTES;
  if (b->shared && b->shared->n_lines < lines) {
    simt_shadow_destroy(b->shared);
    b->shared = NULL;
  }
  if (!b->shared) b->shared = simt_shadow_create(r->info.shared_bytes, r->limit_bytes / 4);
  if (!b->shared) r->is_incomplete = true;
  return b->shared;
}

static bool begin_visit(race *r, visit *v, const simt_access *a) {
  static const uint8_t acts[] = {
      [SIMT_LOAD] = SIMT_WHO_READ, [SIMT_STORE] = SIMT_WHO_WRITE, [SIMT_ATOMIC] = SIMT_WHO_ATOMIC};
  v->access = a;
  v->block = simt_order_block(&r->order, a->block);
  if (!v->block || r->order.clocks.is_exhausted) {
    r->is_off = true;
    return false;
  }
  v->is_shared = a->space == PTX_SPACE_SHARED;
  v->shadow = !v->is_shared ? r->global : v->block->shared;
  if (v->is_shared && !v->shadow && !(v->shadow = shared_shadow(r, v->block))) return false;
  v->floor = v->is_shared ? v->block->floor : r->order.floor;
  v->who = simt_who_make(a->pc, a->warp, acts[a->kind]);
  v->same_value = false;
  return true;
}

static void on_access(simt_observer *self, const simt_access *a) {
  race *r = (race *)self;
  visit v;
  if (r->is_off || a->space == PTX_SPACE_LOCAL || !a->mask || !begin_visit(r, &v, a)) return;
  if (a->order == ISA_WEAK && a->kind != SIMT_ATOMIC) watch_plain(r, &v);
  else watch_strong(r, &v);
}

// ---- synchronisation ---------------------------------------------------------------------------

static simt_block_order *block_of(race *r, uint32_t block) {
  simt_block_order *b = r->is_off ? NULL : simt_order_block(&r->order, block);
  if (!b) r->is_off = true;
  return b;
}

static void on_block_begin(simt_observer *self, uint32_t block) {
  race *r = (race *)self;
  simt_block_order *b = block_of(r, block);
  if (b && b->shared) shared_shadow(r, b); // of an earlier launch, perhaps too small
}

static void on_block_end(simt_observer *self, uint32_t block) {
  simt_order_block_end(&((race *)self)->order, block);
}

static void on_barrier(simt_observer *self, const simt_barrier_event *event) {
  if (event->whole_block && event->waits) return; // by far the most frequent
  race *r = (race *)self;
  simt_block_order *b = block_of(r, event->block);
  if (b) simt_order_arrive(&r->order, b, event);
}

static void on_barrier_done(simt_observer *self, uint32_t block, uint32_t id) {
  race *r = (race *)self;
  simt_block_order *b = block_of(r, block);
  if (b) simt_order_barrier(&r->order, b, id);
}

static void on_collective(simt_observer *self, const simt_collective_event *event) {
  if (event->kind != SIMT_COLLECTIVE_SYNCWARP) return;
  race *r = (race *)self;
  simt_block_order *b = block_of(r, event->block);
  uint32_t lanes = event->mask | (event->members & event->exited);
  if (b) simt_order_syncwarp(&r->order, b, event->warp, lanes);
}

static void on_fence(simt_observer *self, const simt_fence_event *event) {
  race *r = (race *)self;
  simt_block_order *b = block_of(r, event->block);
  bool is_narrow_scope = event->scope == ISA_SCOPE_CTA || event->scope == ISA_SCOPE_CLUSTER;
  if (b)
    simt_order_fence(&r->order, b, event->warp, event->mask,
                     is_narrow_scope ? SIMT_REACH_BLOCK : SIMT_REACH_DEVICE);
}

static void on_sync(simt_observer *self, simt_sync_kind kind, uint32_t pc, uint32_t block,
                    uint32_t warp, uint32_t mask) {
  (void)pc, (void)block, (void)warp, (void)mask;
  race *r = (race *)self;
  if (kind == SIMT_SYNC_GRID && !r->is_off) simt_order_grid_sync(&r->order);
}

// ---- launches ----------------------------------------------------------------------------------

// Old stamps would come too close to new ones: begin again with nothing remembered.
static bool renew(race *r) {
  simt_shadow_destroy(r->global);
  simt_order_destroy(&r->order, simt_shadow_destroy);
  memset(&r->order, 0, sizeof r->order);
  r->order.clocks.limit_bytes = r->limit_bytes / 4;
  r->global = simt_shadow_create(0, r->limit_bytes / 2);
  return r->global != NULL;
}

static void begin(race *r, const simt_launch_info *info) {
  bool must_renew = !r->global || r->order.tick > TICKS_FOR_A_LAUNCH || r->global->is_full ||
                    r->global->used_bytes > r->global->limit_bytes / 2;
  r->is_off = must_renew && !renew(r);
  r->info = *info;
  r->n_found = 0;
  r->is_incomplete = r->is_off;
  if (r->is_off) return;
  simt_order_launch(&r->order, info);
  for (uint32_t w = 0; w < SIMT_MAX_WARPS; w++) r->existing[w] = simt_order_lanes(&r->order, w);
  if (info->n_code >= 1u << SIMT_WHO_PC_BITS || info->block_threads > SIMT_CLOCK_THREADS)
    r->is_off = r->is_incomplete = true;
}

// Notes what was not watched.
static void end(race *r) {
  bool is_full = r->global && r->global->is_full;
  for (uint32_t i = 0; i < r->order.n_slots; i++)
    is_full |= r->order.blocks[i]->shared && r->order.blocks[i]->shared->is_full;
  r->is_incomplete |= is_full || r->is_off || r->order.clocks.is_exhausted;
}

static void on_launch_begin(simt_observer *self, const simt_launch_info *info) {
  begin((race *)self, info);
}

static void on_launch_end(simt_observer *self, const simt_launch_info *info,
                          const simt_profile *profile) {
  (void)info, (void)profile;
  race *r = (race *)self;
  end(r);
  for (uint32_t i = 0; i < r->n_found; i++)
    for (uint64_t n = 0; n < r->found[i].count; n++)
      simt_findings_add(r->findings, &r->found[i].finding);
  r->n_found = 0;
  if (!r->is_incomplete || r->is_noted) return;
  r->is_noted = true;
  simt_findings_add_text(r->findings, SIMT_FINDING_race_unwatched,
                         "There was no memory left to remember all accesses: from some point of a "
                         "launch on, races may have gone unseen. Run a smaller problem.");
}

// ---- several host threads ----------------------------------------------------------------------

static race *create(simt_findings *findings, race *parent, uint64_t limit_bytes);

static simt_observer *on_fork(simt_observer *self) {
  race *r = (race *)self, *worker = r->idle;
  if (worker) r->idle = worker->idle;
  else worker = create(r->findings, r, r->limit_bytes / 2);
  if (!worker) return NULL;
  worker->idle = NULL;
  begin(worker, &r->info);
  return &worker->observer;
}

// Workers keep their shadow for the next launch.
static void put_away(race *worker) {
  worker->n_found = 0;
  worker->idle = worker->parent->idle;
  worker->parent->idle = worker;
}

// Blocks of different workers share no word of global memory that one writes, else the run is void.
static void on_join(simt_observer *self, simt_observer *worker_observer) {
  race *r = (race *)self, *worker = (race *)worker_observer;
  end(worker);
  r->is_incomplete |= worker->is_incomplete;
  for (uint32_t i = 0; i < worker->n_found; i++)
    add_found(r, &worker->found[i].finding, worker->found[i].count);
  put_away(worker);
}

static void on_discard(simt_observer *worker) {
  put_away((race *)worker);
}

// ---- creation ----------------------------------------------------------------------------------

static race *create(simt_findings *findings, race *parent, uint64_t limit_bytes) {
  race *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->observer = (simt_observer){.launch_begin = on_launch_begin,
                                .launch_end = on_launch_end,
                                .access = on_access,
                                .sync = on_sync,
                                .block_begin = on_block_begin,
                                .block_end = on_block_end,
                                .barrier = on_barrier,
                                .barrier_done = on_barrier_done,
                                .collective = on_collective,
                                .fence = on_fence,
                                .fork = on_fork,
                                .join = on_join,
                                .discard = on_discard};
  r->findings = findings;
  r->parent = parent;
  r->limit_bytes = limit_bytes;
  return r;
}

static void destroy(race *r) {
  simt_order_destroy(&r->order, simt_shadow_destroy);
  simt_shadow_destroy(r->global);
  free(r->found);
  free(r);
}

simt_observer *simt_racecheck_create(simt_findings *findings) {
  race *r = create(findings, NULL, DEFAULT_LIMIT_BYTES);
  return r ? &r->observer : NULL;
}

void simt_racecheck_destroy(simt_observer *observer) {
  race *r = (race *)observer;
  while (r && r->idle) {
    race *worker = r->idle;
    r->idle = worker->idle;
    destroy(worker);
  }
  if (r) destroy(r);
}

void simt_racecheck_freed(simt_observer *observer, const simt_allocation *allocation) {
  for (race *r = (race *)observer; r; r = r->idle)
    if (r->global) simt_shadow_forget(r->global, allocation->address, allocation->size_bytes);
}

void simt_racecheck_limit(simt_observer *observer, uint64_t limit_bytes) {
  race *r = (race *)observer;
  r->limit_bytes = limit_bytes;
  if (r->global) renew(r);
}

uint32_t simt_racecheck_pairs(const simt_observer *observer) {
  return ((const race *)observer)->n_found;
}

const simt_finding *simt_racecheck_pair(const simt_observer *observer, uint32_t i,
                                        uint64_t *count) {
  const found *f = &((const race *)observer)->found[i];
  *count = f->count;
  return &f->finding;
}
