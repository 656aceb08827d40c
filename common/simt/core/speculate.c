// SPDX-License-Identifier: MIT
// core/speculate.c - see core/speculate.h. Reads are watched per allocation (at the rare moment
// when an instruction first touches one), writes per 4-byte word; old contents are saved per page
// before its first write. Two threads that write different bytes of one word count as a conflict:
// slower, never wrong.
#include "core/speculate.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/memory_tables.h"

enum { WORD_BYTES = 4 };
static const uint64_t SAVE_LIMIT_BYTES = UINT64_C(256) << 20;

typedef struct saved_page {
  uint8_t *host, *copy;
  size_t bytes;
  struct saved_page *next;
} saved_page;

typedef struct watched { // one allocation
  uint64_t serial, address, size_bytes;
  uint64_t base, n_words; // device address of word 0; words
  uint8_t *host;
  bool is_hosts;
  uint32_t readers, writers; // bit per thread
  uint32_t *words[SIMT_MAX_HOST_THREADS];
  atomic_uchar *pages; // 1: its old contents are saved
  simt_speculation *owner;
  struct watched *next;
} watched;

struct simt_speculation {
  const simt_platform *platform;
  void *lock;
  atomic_bool broken;
  uint32_t n_threads;
  watched *watched;
  saved_page *saved;
  uint64_t saved_bytes;
};

simt_speculation *simt_speculation_begin(uint32_t n_threads, const simt_platform *platform) {
  simt_speculation *s = calloc(1, sizeof *s);
  void *lock = s && n_threads > 1 ? platform->lock_create(platform->data) : NULL;
  if (!lock && n_threads > 1) {
    free(s);
    return NULL;
  }
  if (!s) return NULL;
  s->platform = platform;
  s->lock = lock;
  s->n_threads = n_threads;
  return s;
}

static bool is_alone(const simt_speculation *s) { return s->n_threads == 1; }
static void lock(simt_speculation *s) {
  if (s->lock) s->platform->lock(s->platform->data, s->lock);
}
static void unlock(simt_speculation *s) {
  if (s->lock) s->platform->unlock(s->platform->data, s->lock);
}

bool simt_speculation_is_shared(const simt_speculation *s) { return s && !is_alone(s); }

void simt_speculation_break(simt_speculation *s) { atomic_store(&s->broken, true); }
bool simt_speculation_is_broken(simt_speculation *s) {
  return atomic_load_explicit(&s->broken, memory_order_relaxed);
}

static watched *watch(simt_speculation *s, const simt_allocation *a) {
  for (watched *w = s->watched; w; w = w->next)
    if (w->serial == a->serial) return w;
  watched *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->serial = a->serial;
  w->address = a->address;
  w->base = a->address & ~(uint64_t)(WORD_BYTES - 1);
  w->size_bytes = a->size_bytes;
  w->n_words = (a->address + a->size_bytes - w->base + WORD_BYTES - 1) / WORD_BYTES;
  w->host = a->host;
  w->is_hosts = simt_is_host_kind(a->kind);
  w->owner = s;
  w->next = s->watched;
  return s->watched = w;
}

static bool prepare_writes(watched *w, uint32_t thread) {
  if (!w->pages) w->pages = calloc(w->size_bytes / SIMT_PAGE_BYTES + 1, 1);
  if (is_alone(w->owner)) return w->pages;
  if (!w->words[thread]) w->words[thread] = calloc(w->n_words / 32 + 2, sizeof(uint32_t));
  return w->pages && w->words[thread];
}

static bool touch(simt_speculation *s, uint32_t thread, const simt_allocation *a, bool is_write,
                  simt_write_log *log) {
  watched *w = watch(s, a);
  if (!w || (is_write && !prepare_writes(w, thread))) return false;
  uint32_t me = UINT32_C(1) << thread;
  if (is_write) w->writers |= me;
  else w->readers |= me;
  // One thread writes what another one reads.
  if ((w->writers & ~me && w->readers & me) || (w->readers & ~me && w->writers & me)) return false;
  if (is_write)
    *log = (simt_write_log){
        .words = w->words[thread], .base = w->base, .n_words = w->n_words, .pages = w};
  return true;
}

bool simt_speculation_touch(simt_speculation *s, uint32_t thread, const simt_allocation *allocation,
                            bool is_write, simt_write_log *log) {
  lock(s);
  bool holds = touch(s, thread, allocation, is_write, log);
  unlock(s);
  if (!holds) simt_speculation_break(s);
  return holds || is_alone(s);
}

// ---- noting stores -----------------------------------------------------------------------------

static bool save(simt_speculation *s, watched *w, uint64_t page) {
  uint64_t at = page * SIMT_PAGE_BYTES;
  size_t bytes =
      (size_t)(w->size_bytes - at < SIMT_PAGE_BYTES ? w->size_bytes - at : SIMT_PAGE_BYTES);
  saved_page *p = malloc(sizeof *p + bytes);
  if (!p) return false;
  *p = (saved_page){
      .host = w->host + at, .copy = (uint8_t *)(p + 1), .bytes = bytes, .next = s->saved};
  memcpy(p->copy, p->host, bytes);
  s->saved = p;
  s->saved_bytes += bytes;
  atomic_store(&w->pages[page], 1);
  return true;
}

static bool save_page(simt_speculation *s, watched *w, uint64_t page) {
  lock(s);
  bool saved = atomic_load(&w->pages[page]) || save(s, w, page);
  // Too many stores to log: stop soon. What is written until all threads notice is still saved.
  if (!saved || s->saved_bytes > SAVE_LIMIT_BYTES) simt_speculation_break(s);
  unlock(s);
  return saved;
}

static void mark_words(uint32_t *words, uint64_t first, uint64_t n) {
  for (uint64_t i = first; i < first + n;) {
    uint32_t shift = (uint32_t)(i % 32), room = 32 - shift;
    uint32_t take = first + n - i < room ? (uint32_t)(first + n - i) : room;
    uint32_t bits = take == 32 ? UINT32_MAX : (UINT32_C(1) << take) - 1;
    words[i / 32] |= bits << shift;
    i += take;
  }
}

bool simt_speculation_write(simt_speculation *s, const simt_write_log *log, uint64_t address,
                            uint64_t size_bytes) {
  watched *w = log->pages;
  if (!w || (is_alone(s) && simt_speculation_is_broken(s))) return true;
  uint64_t offset = address - w->address;
  uint64_t first_page = offset / SIMT_PAGE_BYTES,
           last_page = (offset + size_bytes - 1) / SIMT_PAGE_BYTES;
  for (uint64_t page = first_page; page <= last_page; page++)
    if (!atomic_load_explicit(&w->pages[page], memory_order_acquire) && !save_page(s, w, page))
      return is_alone(s);
  if (!log->words) return true;
  offset = address - w->base;
  uint64_t first = offset / WORD_BYTES, last = (offset + size_bytes - 1) / WORD_BYTES;
  mark_words(log->words, first, last - first + 1);
  return true;
}

// ---- the end -----------------------------------------------------------------------------------

static bool words_conflict(const watched *w, uint32_t n_threads) {
  for (uint64_t i = 0; i < w->n_words / 32 + 1; i++) {
    uint32_t seen = 0;
    for (uint32_t t = 0; t < n_threads; t++) {
      if (!w->words[t]) continue;
      if (seen & w->words[t][i]) return true;
      seen |= w->words[t][i];
    }
  }
  return false;
}

static void free_watched(simt_speculation *s) {
  for (watched *w = s->watched, *next; w; w = next) {
    next = w->next;
    for (uint32_t t = 0; t < SIMT_MAX_HOST_THREADS; t++) free(w->words[t]);
    free((void *)w->pages);
    free(w);
  }
}

bool simt_speculation_settle(simt_speculation *s) {
  bool held = !simt_speculation_is_broken(s);
  if (is_alone(s)) return held;
  for (const watched *w = s->watched; w && held; w = w->next)
    if (w->writers & (w->writers - 1))
      held = !words_conflict(w, s->n_threads); // two writers or more
  for (saved_page *p = s->saved; p && !held; p = p->next) memcpy(p->host, p->copy, p->bytes);
  return held;
}

void simt_speculation_free(simt_speculation *s) {
  if (!s) return;
  for (saved_page *p = s->saved, *next; p; p = next) {
    next = p->next;
    free(p);
  }
  free_watched(s);
  if (s->lock) s->platform->lock_destroy(s->platform->data, s->lock);
  free(s);
}

void simt_speculation_each(const simt_speculation *s, void (*visit)(const simt_touched *, void *),
                           void *data) {
  for (const watched *w = s->watched; w; w = w->next)
    visit(&(simt_touched){.serial = w->serial,
                          .address = w->address,
                          .size_bytes = w->size_bytes,
                          .host = w->host,
                          .is_written = w->writers != 0,
                          .is_hosts = w->is_hosts},
          data);
}

void simt_speculation_each_page(const simt_speculation *s,
                                void (*visit)(const simt_saved_page *, void *), void *data) {
  for (const saved_page *p = s->saved; p; p = p->next)
    visit(&(simt_saved_page){.host = p->host, .copy = p->copy, .n_bytes = p->bytes}, data);
}
