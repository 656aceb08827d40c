// SPDX-License-Identifier: MIT
// check/race/rows.c - racecheck's fast path: a whole warp's access to a line of 32 words is
// compared, as a record, with other warps' records. What records cannot decide is left to the cells
// (check/race/cells.c).
#include <string.h>

#include "check/race/race_internal.h"

enum { LANES = SIMT_LANES, FULL = -1 };

typedef struct row {
  simt_record record; // but for its words and offset
  int64_t base;       // ROW: where lane 0 is, or would be
  uint64_t low, high; // addresses [low, high)
} row;

// Whether each active lane is where its number says: lane 0's place plus width times lane.
static bool is_evenly_spaced(const simt_access *a, uint32_t first) {
  uint64_t base = a->address[first] - (uint64_t)first * a->width_bytes, wrong = 0;
  for (uint32_t l = 0; l < LANES; l++)
    wrong |=
        (a->address[l] - base - (uint64_t)l * a->width_bytes) & (0 - (uint64_t)(a->mask >> l & 1));
  return !wrong;
}

// Bytes or halves of neighbouring lanes, `lanes` from the first on, that make up whole words.
static bool has_whole_words(const row *w, uint32_t lanes) {
  return (lanes & (lanes + 1)) == 0 && (w->low | w->high) % 4 == 0;
}

// Describes a plain access as a row or as one element for all lanes; false: it is neither.
static bool make_row(const simt_race *r, const simt_visit *v, row *w) {
  const simt_access *a = v->access;
  if (a->width_bytes > 16) return false;
  uint32_t first = (uint32_t)__builtin_ctz(a->mask);
  uint32_t last = 31u - (uint32_t)__builtin_clz(a->mask);
  w->record = (simt_record){.tick = r->order.tick, .who = v->who, .lanes = 1u << a->warp};
  w->record.log2_bytes = (uint8_t)__builtin_ctz(a->width_bytes);
  w->low = a->address[first];
  w->high = a->address[last] + a->width_bytes;
  if (a->pattern != SIMT_PATTERN_CONTIGUOUS && !is_evenly_spaced(a, first)) {
    if (a->pattern != SIMT_PATTERN_UNIFORM || a->kind != SIMT_LOAD || a->width_bytes < 4)
      return false;
    bool is_whole = a->mask == r->existing[a->warp];
    w->record.shape = is_whole ? SIMT_SHAPE_WARPS : SIMT_SHAPE_LANES;
    if (!is_whole) w->record.lanes = a->mask;
    return true;
  }
  if (a->width_bytes < 4 && !has_whole_words(w, a->mask >> first)) return false;
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

// The words of the line at `start` that `lanes` access.
static uint32_t words_of(const row *w, uint32_t lanes, uint64_t start) {
  if (w->record.shape != SIMT_SHAPE_ROW)
    return word_range((int64_t)(w->low - start) / 4, (int64_t)(w->high - start) / 4);
  uint32_t words = 0, shift = w->record.log2_bytes;
  int64_t offset = (int64_t)start - w->base;
  while (lanes) { // one run of neighbouring lanes after the other
    uint32_t first = (uint32_t)__builtin_ctz(lanes), rest = ~(lanes >> first);
    uint32_t end = rest ? first + (uint32_t)__builtin_ctz(rest) : LANES;
    int64_t low = ((int64_t)first << shift) - offset, high = ((int64_t)end << shift) - offset;
    if (high > 0) words |= word_range(low < 0 ? 0 : low / 4, high / 4);
    lanes = end < LANES ? lanes & (uint32_t)FULL << end : 0;
  }
  return words;
}

static bool is_same_mapping(const simt_record *a, const simt_record *b) {
  return a->shape == SIMT_SHAPE_ROW && b->shape == SIMT_SHAPE_ROW && a->offset == b->offset &&
         a->log2_bytes == b->log2_bytes;
}

// Whether all of an earlier record is ordered before all of this one, as far as can be said at
// once.
static bool is_ordered(const simt_race *r, const simt_visit *v, const simt_record *old,
                       const simt_record *now) {
  const simt_block_order *b = v->block;
  if (old->tick < v->floor) return true;
  if (!v->is_shared && !simt_order_is_own(&r->order, b, old->tick)) return false;
  if (old->tick < b->floor) return true;
  uint32_t warp = v->access->warp;
  if (old->shape == SIMT_SHAPE_WARPS || simt_who_warp(old->who) != warp) return false;
  if (old->shape == SIMT_SHAPE_ROW && old->lanes != 1u << warp) return false; // others as well
  return old->tick < b->warp_floor[warp] || is_same_mapping(old, now);
}

// Extends a record that differs only in its words, its lanes or its warp.
static bool merge(simt_record *old, const simt_record *now) {
  if (old->tick != now->tick || old->shape != now->shape) return false;
  uint32_t difference = old->who ^ now->who;
  bool is_row = now->shape == SIMT_SHAPE_ROW;
  if (difference & ~(31u << SIMT_WHO_WARP_SHIFT) || (is_row && !is_same_mapping(old, now)))
    return false;
  if (is_row && old->lanes == now->lanes) { // the same warp
    old->words |= now->words;
    return true;
  }
  bool is_one_warp = now->shape == SIMT_SHAPE_LANES || now->who & SIMT_WHO_WRITE;
  if (old->words != now->words || (difference && is_one_warp)) return false;
  old->lanes |= now->lanes;
  return true;
}

// Removes from the line's records what `now`, which is ordered after it, makes superfluous.
static void drop_superfluous(const simt_race *r, const simt_visit *v, simt_line *line,
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

// Every block reads this line: three others will do to show a race with any thread that writes it.
// Drops the youngest read by another block; false: some of the records are something else.
static bool make_room(const simt_race *r, const simt_visit *v, simt_line *line) {
  uint32_t youngest = 0, n_blocks = 0, last_block = v->block->block;
  for (uint32_t i = 0; i < line->n_records; i++) { // in the order in which they came
    const simt_record *old = &line->record[i];
    if (v->is_shared || old->who & SIMT_WHO_WRITE || old->tick < v->floor) return false;
    uint32_t block = simt_order_block_at(&r->order, old->tick);
    if (block == v->block->block) continue;
    n_blocks += block != last_block;
    last_block = block;
    youngest = i;
  }
  if (n_blocks < 3) return false;
  line->n_records--;
  memmove(&line->record[youngest], &line->record[youngest + 1],
          (line->n_records - youngest) * sizeof *line->record);
  return true;
}

// Compares with the line's records and adds this one; false: the line must be spread for it.
static bool add_record(const simt_race *r, const simt_visit *v, simt_line *line,
                       const simt_record *now) {
  for (uint32_t i = 0; i < line->n_records; i++) {
    const simt_record *old = &line->record[i];
    if (old->words & now->words && (old->who | now->who) & SIMT_WHO_WRITE &&
        !is_ordered(r, v, old, now))
      return false;
  }
  for (uint32_t i = 0; i < line->n_records; i++)
    if (merge(&line->record[i], now)) return true;
  if (line->n_records) drop_superfluous(r, v, line, now);
  if (line->n_records == SIMT_LINE_RECORDS && (now->who & SIMT_WHO_WRITE || !make_room(r, v, line)))
    return false;
  line->record[line->n_records++] = *now;
  return true;
}

static void keep_values(const simt_visit *v, simt_line *line, const simt_record *now) {
  const simt_access *a = v->access;
  if (!a->data[0] || !simt_line_values(v->shadow, line)) return;
  if (now->log2_bytes == 2 && a->vector == 1 && a->lane_bytes == 4 &&
      now->words == (uint32_t)FULL && now->offset == 0) {
    memcpy(line->values, a->data[0], SIMT_LINE_BYTES);
    return;
  }
  uint32_t width = 1u << now->log2_bytes, step = width < 4 ? width : 4;
  for (SIMT_EACH_LANE(word, now->words)) {
    line->values[word] = 0;
    for (uint32_t k = 0; k < 4; k += step) {
      uint32_t at = (uint32_t)((int32_t)(4 * word + k) + now->offset);
      uint64_t part = simt_race_stored(a, at >> now->log2_bytes, at & (width - 1), step);
      line->values[word] |= (uint32_t)(part << 8 * k);
    }
  }
}

// The part of a row that lies in one line, cell by cell.
static void visit_row(simt_race *r, simt_visit *v, simt_line *line, const row *w, uint64_t start) {
  const simt_access *a = v->access;
  if (w->record.shape != SIMT_SHAPE_ROW) {
    simt_race_lanes(r, v, line, a->mask);
    return;
  }
  for (SIMT_EACH_LANE(lane, a->mask))
    if (a->address[lane] - start < SIMT_LINE_BYTES) simt_race_lanes(r, v, line, 1u << lane);
}

static void watch_row(simt_race *r, simt_visit *v, row *w) {
  uint64_t start = w->low & ~(uint64_t)(SIMT_LINE_BYTES - 1);
  for (; start < w->high; start += SIMT_LINE_BYTES) {
    simt_record *now = &w->record;
    now->words = words_of(w, v->access->mask, start);
    if (!now->words) continue;
    simt_line *line = simt_race_line(r, v, start);
    if (!line) continue;
    if (now->shape == SIMT_SHAPE_ROW) now->offset = (int16_t)((int64_t)start - w->base);
    if (line->grain || !add_record(r, v, line, now)) visit_row(r, v, line, w, start);
    else if (now->who & SIMT_WHO_WRITE) keep_values(v, line, now);
  }
}

bool simt_race_row(simt_race *r, simt_visit *v) {
  row w;
  if (!make_row(r, v, &w)) return false;
  watch_row(r, v, &w);
  return true;
}
