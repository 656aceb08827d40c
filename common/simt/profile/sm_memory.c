// SPDX-License-Identifier: MIT
// profile/sm_memory.c - see profile/sm_memory.h.
#include "profile/sm_memory.h"

#include <math.h>
#include <stdlib.h>

uint64_t simt_l1_bytes(const simt_model_device *d, uint64_t shared_bytes, uint32_t resident) {
  uint64_t used = resident * (shared_bytes ? shared_bytes + d->shared_bytes_reserved : 0);
  static const uint32_t steps_kib[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  for (size_t i = 0; i < sizeof steps_kib / sizeof *steps_kib; i++) {
    uint64_t carved = (uint64_t)steps_kib[i] << 10;
    if (carved >= used && carved < d->l1_shared_bytes) return d->l1_shared_bytes - carved;
  }
  return d->l1_shared_bytes > used ? d->l1_shared_bytes - used : 0;
}

bool simt_sm_memory_create(simt_sm_memory *m, const simt_sm_input *in) {
  const simt_model_device *d = in->device;
  double clock = (double)d->clock_hz * 1e-9, sms = in->active_sms; // cycles per ns
  *m = (simt_sm_memory){.in = in};
  double per_ns = clock * sms; // this SM's cycles for what the device does once per ns
  m->port_cycles = fmax(d->port_sector_cycles, per_ns * 32.0 / d->l2_gb_per_s);
  m->line_cycles = fmax(d->l1_line_cycles, per_ns / d->l2_lines_g_per_s);
  m->store_cycles = fmax(d->port_sector_cycles, per_ns * 32.0 / d->l2_store_gb_per_s);
  m->store_line_cycles = fmax(d->l1_line_cycles, per_ns / d->l2_store_lines_g_per_s);
  // Reads and writes in turns slow DRAM down: by what a copy is slower than both alone.
  double apart = 2.0 / (1.0 / d->dram_read_gb_per_s + 1.0 / d->dram_write_gb_per_s);
  per_ns *= 1.0 + (apart / d->copy_gb_per_s - 1.0) * in->dram_mix;
  m->dram_cycles = per_ns * 64.0 / d->dram_read_gb_per_s;
  m->dram_write_cycles = per_ns * 64.0 / d->dram_write_gb_per_s;
  m->dram_scattered_cycles = per_ns * 64.0 / d->dram_scattered_gb_per_s;
  per_ns = clock * sms;
  m->atomic_lane_cycles = per_ns / d->atomic_lanes_g_per_s;
  m->atomic_sector_cycles = per_ns / d->atomic_sectors_g_per_s;
  m->owed = calloc(in->info->n_code + 1, sizeof *m->owed);
  uint64_t l1_bytes = simt_l1_bytes(d, in->info->shared_bytes, in->resident);
  if (!m->owed || !simt_cache_create(&m->l1, l1_bytes)) return false;
  m->l1.replaces_any = true;
  return true;
}

void simt_sm_memory_destroy(simt_sm_memory *m) {
  simt_cache_destroy(&m->l1);
  free(m->owed);
}

static unsigned count_sectors(const simt_entry *e) {
  const uint64_t *lines = (const uint64_t *)(const void *)(e + 1);
  unsigned n = 0;
  for (unsigned i = 0; i < e->n_lines; i++) n += (unsigned)__builtin_popcount(lines[i] & 15);
  return n;
}

double simt_network_cycles(const simt_model_device *d, uint32_t cluster_blocks,
                           const simt_entry *e) {
  bool large = cluster_blocks > 2;
  double loaded = fmax(count_sectors(e) * d->cluster_sector_cycles[large],
                       e->n_lines * d->cluster_line_cycles[large]);
  double added = e->passes * d->cluster_atomic_cycles[large];
  switch (e->kind) {
  case SIMT_ENTRY_SHARED_LOAD: return loaded;
  case SIMT_ENTRY_SHARED_STORE: return e->passes * d->cluster_store_cycles[large];
  default: return e->flags & SIMT_ENTRY_IS_FLOAT ? loaded + added : added;
  }
}

// An access all over memory, a sector here and there: DRAM is slower at that.
static bool is_scattered(const simt_entry *e) {
  return e->n_lines >= 8 && count_sectors(e) <= e->n_lines + e->n_lines / 4u;
}

// How many pairs come from DRAM, at most `n`, of sectors that go to the L2.
static unsigned from_dram(simt_sm_memory *m, const simt_entry *e, unsigned n) {
  float owed = m->owed[e->pc];
  unsigned most = owed > 0.0f ? (unsigned)owed : 0;
  if (most > n) most = n;
  m->owed[e->pc] = owed - (float)most;
  return most;
}

static void owe(simt_sm_memory *m, const simt_entry *e) {
  float *owed = &m->owed[e->pc];
  float sum = *owed + m->in->dram_pairs[e->pc];
  *owed = sum < 256.0f ? sum : 256.0f;
}

// DRAM is busy with `pairs` of sectors of an access: when it is done.
static double use_dram(simt_sm_memory *m, const simt_entry *e, double pairs, double cycles,
                       double time) {
  double busy = pairs * cycles;
  if (is_scattered(e)) busy *= m->dram_scattered_cycles / m->dram_cycles;
  m->dram_free = fmax(m->dram_free, time) + busy;
  m->dram_busy += busy;
  return m->dram_free;
}

// The missing sectors of one line, from the L2 or beyond: when they have arrived.
static double fetch(simt_sm_memory *m, const simt_entry *e, unsigned n, double time) {
  const simt_model_device *d = m->in->device;
  double busy = fmax(n * m->port_cycles, e->n_lines > 8 ? m->line_cycles : 0.0);
  m->port_free = fmax(m->port_free, time) + busy;
  m->port_busy += busy;
  double done = m->port_free + d->latency_l2;
  unsigned dram = from_dram(m, e, n < 2 ? n : 2);
  if (dram == 0) return done;
  return fmax(done, use_dram(m, e, dram, m->dram_cycles, m->port_free) + d->latency_dram);
}

static double load(simt_sm_memory *m, const simt_entry *e, double time) {
  const simt_model_device *d = m->in->device;
  const uint64_t *lines = (const uint64_t *)(const void *)(e + 1);
  double done = time + d->latency_l1;
  owe(m, e);
  for (unsigned i = 0; i < e->n_lines; i++) {
    uint8_t mask = lines[i] & 15, hits = 0;
    simt_cache_line *line = NULL;
    if (!(e->flags & SIMT_ENTRY_BYPASSES_L1)) {
      hits = simt_cache_touch(&m->l1, lines[i] >> 4, mask, true, false, &line);
      m->l1_sectors += (unsigned)__builtin_popcount(mask);
      m->l1_hits += (unsigned)__builtin_popcount(hits);
    }
    if (hits && (double)line->arrives > time) done = fmax(done, (double)line->arrives);
    unsigned misses = (unsigned)__builtin_popcount(mask & ~hits);
    if (!misses) continue;
    double arrives = fetch(m, e, misses, time);
    done = fmax(done, arrives);
    if (line) line->arrives = (float)arrives;
  }
  return done;
}

static double store(simt_sm_memory *m, const simt_entry *e, double time, double *next) {
  const simt_model_device *d = m->in->device;
  unsigned n = count_sectors(e);
  const uint64_t *lines = (const uint64_t *)(const void *)(e + 1);
  for (unsigned i = 0; i < e->n_lines; i++) // written through; what is there stays valid
    simt_cache_touch(&m->l1, lines[i] >> 4, lines[i] & 15, false, false, NULL);
  double by_lines = e->n_lines > 8 ? e->n_lines * m->store_line_cycles : 0.0;
  double cycles = fmax(n * m->store_cycles, by_lines);
  m->store_free = fmax(m->store_free, time) + cycles;
  m->port_busy += cycles;
  double written = n * m->in->write_share, backlog = m->store_free - time;
  // What covers its sectors only in part is read before it is written back.
  double each = m->dram_write_cycles + (e->flags & SIMT_ENTRY_IS_PARTIAL ? m->dram_cycles : 0.0);
  double pairs = is_scattered(e) ? written : written / 2.0;
  if (written > 0.0) backlog = fmax(backlog, use_dram(m, e, pairs, each, m->store_free) - time);
  *next = fmax(*next, time + backlog - d->store_queue_cycles);
  return m->store_free;
}

static double atomic(simt_sm_memory *m, const simt_entry *e, double time, double *next) {
  const simt_model_device *d = m->in->device;
  bool gathered = e->flags & SIMT_ENTRY_UNIFORM && !(e->flags & SIMT_ENTRY_IS_FLOAT) &&
                  m->in->info->facts.atomics_are_uniform; // by the compiler, in the warp
  unsigned lanes = gathered ? 1 : e->passes, sectors = count_sectors(e);
  double cycles = fmax(lanes * m->atomic_lane_cycles, sectors * m->atomic_sector_cycles);
  m->atomic_free = fmax(m->atomic_free, time) + cycles;
  m->atomic_busy += cycles;
  double done = m->atomic_free + d->latency_atomic;
  owe(m, e);
  unsigned dram = from_dram(m, e, sectors);
  if (dram) {
    double each = m->dram_cycles + m->in->write_share * m->dram_write_cycles;
    done = fmax(done, use_dram(m, e, dram, each, time) + d->latency_dram);
  }
  if (e->flags & SIMT_ENTRY_UNREAD)
    *next = fmax(*next, fmax(m->atomic_free, dram ? m->dram_free : 0.0) - d->store_queue_cycles);
  return done;
}

static double shared_atomic_cycles(const simt_model_device *d, const simt_entry *e) {
  if (!(e->flags & SIMT_ENTRY_IS_FLOAT)) return e->passes * d->shared_atomic_cycles;
  return e->passes > 1 ? e->passes * d->shared_retry_cycles : d->shared_cas_cycles;
}

static double shared(const simt_sm_memory *m, const simt_entry *e, double begin) {
  const simt_model_device *d = m->in->device;
  if (e->kind == SIMT_ENTRY_SHARED_STORE) return begin;
  if (e->kind == SIMT_ENTRY_SHARED_LOAD)
    return begin + d->latency_shared + (e->passes - 1) * d->shared_pass_cycles;
  double once = e->flags & SIMT_ENTRY_IS_FLOAT ? d->latency_shared : 0.0; // it loads first
  return begin + once + d->latency_shared_atomic + shared_atomic_cycles(d, e);
}

// An access to the shared memory of other blocks of the cluster.
static double remote(simt_sm_memory *m, const simt_entry *e, double time, double *next) {
  const simt_model_device *d = m->in->device;
  bool large = m->in->info->cluster_blocks > 2;
  double cycles = simt_network_cycles(d, m->in->info->cluster_blocks, e);
  m->network_free = fmax(m->network_free, time) + cycles;
  m->network_busy += cycles;
  if (e->kind == SIMT_ENTRY_SHARED_STORE || e->flags & SIMT_ENTRY_UNREAD)
    *next = fmax(*next, m->network_free - d->store_queue_cycles);
  if (e->kind == SIMT_ENTRY_SHARED_STORE) return m->network_free;
  double latency = d->cluster_latency[large], once = latency + d->latency_shared;
  if (e->kind == SIMT_ENTRY_SHARED_LOAD) return m->network_free + once;
  if (!(e->flags & SIMT_ENTRY_IS_FLOAT)) once = 0.0; // which loads first
  return m->network_free + once + latency + d->latency_shared_atomic;
}

// The L1 looks up some lines per cycle, and delivers one word per bank and cycle.
static double load_cycles(const simt_model_device *d, const simt_entry *e) {
  double look_up = d->l1_line_cycles + (e->n_lines - 1) * d->l1_next_line_cycles;
  double data = fmax(count_sectors(e) * d->l1_sector_cycles, e->passes * d->l1_pass_cycles);
  return fmax(look_up, data);
}

// How long the load/store unit is busy with an access.
static double lsu_cycles(const simt_sm_memory *m, const simt_entry *e) {
  const simt_model_device *d = m->in->device;
  if (e->flags & SIMT_ENTRY_IS_REMOTE) return d->shared_pass_cycles;
  switch (e->kind) {
  case SIMT_ENTRY_SHARED_LOAD: return e->passes * d->shared_pass_cycles;
  case SIMT_ENTRY_SHARED_STORE: return e->passes * d->shared_store_cycles;
  case SIMT_ENTRY_SHARED_ATOMIC: return shared_atomic_cycles(d, e);
  case SIMT_ENTRY_LOAD: return load_cycles(d, e);
  default: break;
  }
  return fmax(e->n_lines * d->l1_line_cycles, count_sectors(e) * d->l1_sector_cycles);
}

double simt_sm_access(simt_sm_memory *m, const simt_entry *e, double time, double *next) {
  double begin = fmax(time, m->lsu_free), cycles = lsu_cycles(m, e);
  m->lsu_free = begin + cycles;
  m->lsu_busy += cycles;
  *next = fmax(*next, begin - m->in->device->lsu_queue_cycles);
  if (e->flags & SIMT_ENTRY_IS_REMOTE) return remote(m, e, begin, next);
  switch (e->kind) {
  case SIMT_ENTRY_LOAD: return load(m, e, begin);
  case SIMT_ENTRY_STORE: return store(m, e, begin, next);
  case SIMT_ENTRY_ATOMIC: return atomic(m, e, begin, next);
  default: return shared(m, e, begin);
  }
}
