// SPDX-License-Identifier: MIT
// profile/touches.c - see profile/touches.h.
#include "profile/touches.h"

#include <stdlib.h>
#include <string.h>

#include "profile/cache.h"

enum {
  MOST_SHIFT = 12, // what does not fit then is left out
  MOST_TIMES = 1 << 28
};

unsigned simt_run_of_sectors(uint64_t words[64], uint64_t first, uint64_t last) {
  uint64_t line = first / SIMT_LINE_SECTORS, last_line = last / SIMT_LINE_SECTORS;
  uint64_t head = 15u << first % SIMT_LINE_SECTORS & 15u;
  uint64_t tail = 15u >> (SIMT_LINE_SECTORS - 1 - last % SIMT_LINE_SECTORS);
  unsigned n = 0;
  if (line == last_line) head &= tail;
  words[n++] = line << 4 | head;
  while (++line < last_line && n < 63) words[n++] = line << 4 | 15;
  if (line == last_line) words[n++] = line << 4 | tail;
  return n;
}

static uint64_t outside(unsigned shift) { return (UINT64_C(1) << shift) - 1; }

bool simt_touches_begin(simt_touches *t, uint32_t n_code, unsigned shift, size_t most) {
  t->n = t->n_code = 0;
  t->seen = 0;
  if (t->room_for_code < n_code) {
    simt_access_count *accesses = realloc(t->accesses, n_code * sizeof *accesses);
    if (!accesses) return false;
    t->accesses = accesses;
    t->room_for_code = n_code;
  }
  if (n_code) memset(t->accesses, 0, n_code * sizeof *t->accesses);
  t->n_code = n_code;
  t->shift = shift;
  t->most = most;
  t->lost = false;
  return true;
}

// Samples fewer lines, and drops those that are no longer in the sample.
static void thin(simt_touches *t, unsigned shift) {
  size_t n = 0;
  t->shift = shift;
  for (size_t i = 0; i < t->n; i++) {
    const simt_touch *touch = &t->touches[i];
    simt_access_count *latest = &t->accesses[touch->pc];
    bool kept = (simt_cache_hash(touch->word >> 4) & outside(shift)) == 0;
    if (latest->at == i + 1) latest->at = kept ? (uint32_t)n + 1 : 0;
    if (kept) t->touches[n++] = *touch;
  }
  t->n = n;
}

void simt_touches_settle(simt_touches *t, size_t least) {
  if (t->most == SIZE_MAX) return;
  while (t->n > least && t->n > t->seen / 64 && t->shift < MOST_SHIFT) thin(t, t->shift + 1);
}

static bool make_room(simt_touches *t) {
  while (t->n >= t->most && t->shift < MOST_SHIFT) thin(t, t->shift + 1);
  if (t->n >= t->most) return false;
  if (t->n < t->room) return true;
  size_t room = t->room ? 2 * t->room : 1024;
  simt_touch *touches = realloc(t->touches, room * sizeof *touches);
  if (!touches) return t->lost = true, false;
  t->touches = touches;
  t->room = room;
  return true;
}

// Returns the place of the touch + 1; 0: it was not kept.
static __attribute__((noinline)) uint32_t keep(simt_touches *t, const simt_touch *touch,
                                               uint64_t hash) {
  if (hash & outside(t->shift) || !make_room(t)) return 0;
  if (hash & outside(t->shift)) return 0; // room was made of such lines
  t->touches[t->n++] = *touch;
  return (uint32_t)t->n;
}

static unsigned sectors_in(uint64_t word) {
  return (unsigned)(UINT64_C(0x4332322132212110) >> (word & 15) * 4) & 15;
}

static inline void keep_new(simt_touches *t, simt_access_count *latest, uint64_t word, uint32_t pc,
                            uint64_t hash) {
  simt_touch touch = {.word = word, .pc = pc, .times = 1, .kind = latest->kind & 7u};
  if (t->n < t->room && t->n < t->most) {
    t->touches[t->n++] = touch;
    latest->at = (uint32_t)t->n;
    return;
  }
  uint32_t at = keep(t, &touch, hash); // which may move what is kept
  latest->at = at;
}

// Which touches are alike does not depend on how many are sampled now.
static inline void add(simt_touches *t, simt_access_count *latest, uint64_t word, uint32_t pc,
                       uint32_t block) {
  t->seen++;
  if (latest->word == word && latest->block == block) {
    if (latest->at && t->touches[latest->at - 1].times < MOST_TIMES)
      t->touches[latest->at - 1].times++;
    return;
  }
  latest->word = word;
  latest->block = block;
  latest->at = 0;
  uint64_t hash = simt_cache_hash(word >> 4);
  if ((hash & outside(t->shift)) == 0) keep_new(t, latest, word, pc, hash);
}

static inline simt_access_count *count_request(simt_touches *t, uint32_t pc, unsigned kind) {
  if (pc >= t->n_code) return NULL; // no memory for counts
  simt_access_count *count = &t->accesses[pc];
  count->requests++;
  count->kind = (uint8_t)kind;
  return count;
}

void simt_touches_add(simt_touches *t, const uint64_t *words, unsigned n, uint32_t pc,
                      uint32_t block, unsigned kind) {
  simt_access_count *count = count_request(t, pc, kind);
  for (unsigned i = 0; count && i < n; i++) {
    count->sectors += sectors_in(words[i]);
    add(t, count, words[i], pc, block);
  }
}

// Apart, so that a whole line needs no room on the stack.
static __attribute__((noinline)) void add_sectors(simt_touches *t, simt_access_count *count,
                                                  uint64_t first, uint64_t last, uint32_t pc,
                                                  uint32_t block) {
  uint64_t words[64];
  unsigned n = simt_run_of_sectors(words, first, last);
  for (unsigned i = 0; i < n; i++) add(t, count, words[i], pc, block);
}

void simt_touches_add_run(simt_touches *t, uint64_t first, uint64_t last, uint32_t pc,
                          uint32_t block, unsigned kind) {
  simt_access_count *count = count_request(t, pc, kind);
  if (!count) return;
  count->sectors += last - first + 1;
  if (last - first == SIMT_LINE_SECTORS - 1 && first % SIMT_LINE_SECTORS == 0)
    add(t, count, first / SIMT_LINE_SECTORS << 4 | 15, pc, block);
  else add_sectors(t, count, first, last, pc, block);
}

static void add_counts(simt_touches *t, const simt_touches *later) {
  for (uint32_t pc = 0; pc < t->n_code && pc < later->n_code; pc++) {
    simt_access_count *to = &t->accesses[pc];
    const simt_access_count *from = &later->accesses[pc];
    to->requests += from->requests;
    to->sectors += from->sectors;
    if (from->requests) to->kind = from->kind;
  }
}

void simt_touches_join(simt_touches *t, const simt_touches *later) {
  if (later->shift > t->shift) thin(t, later->shift);
  for (size_t i = 0; i < later->n; i++)
    keep(t, &later->touches[i], simt_cache_hash(later->touches[i].word >> 4));
  add_counts(t, later);
  t->seen += later->seen;
  t->lost |= later->lost;
}

void simt_touches_free(simt_touches *t) {
  free(t->touches);
  free(t->accesses);
  *t = (simt_touches){0};
}
