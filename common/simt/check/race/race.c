// SPDX-License-Identifier: MIT
// check/race/race.c - racecheck: unordered accesses to one byte of which one writes, in shared and
// global memory.
//
// check/race/order.h says what orders accesses, check/race/shadow.h how they are remembered; here
// the two meet. Two unordered accesses race unless both are strong (atomic, volatile, relaxed …)
// and each one's scope holds the other's thread. An access is compared with the last plain and the
// last strong write of each byte and with the reads since the plain one: a thread that is ordered
// after that write is ordered after all before it, or one of those has been reported.
//
// Exceptions to the memory model, on purpose:
//   - a volatile store to shared memory is strong only if its thread has fenced since its last
//     plain store, as the writer of a flag does. Otherwise it is data, and a volatile read by
//     another lane is the race of the old warp-synchronous fold;
//   - two plain writes of the same value are a note.
// Lenient: - a strong read or write is ordered after every strong write of the same location that
//   it follows (it has seen it); so is, for this location, everything that is ordered after it;
//   - of a place in global memory that many blocks read, readers from three are remembered;
//   - a read that a compiler may have moved above the condition it stands under is not reported
//     (decode/analysis/speculation.c);
//   - nor is a read that only makes a guess for a compare-and-swap on the same address, against
//     other threads' atomics (decode/analysis/guesses.c), or only decides whether an atomic on the
//     same address is tried (decode/analysis/attempts.c). Against a plain write it is reported.
// Not modelled: local memory (private), the host. Constant memory comes as global memory that no
// kernel writes.
#include <stdlib.h>
#include <string.h>

#include "check/race/race_internal.h"
#include "isa/isa.h"

static const uint64_t DEFAULT_LIMIT_BYTES = UINT64_C(1) << 30;
static const uint32_t TICKS_FOR_A_LAUNCH = UINT32_C(1) << 31;

// ---- accesses ----------------------------------------------------------------------------------

static void watch_plain(simt_race *r, simt_visit *v) {
  const simt_access *a = v->access;
  if (a->kind == SIMT_STORE && v->block->any_fence) v->block->fenced[a->warp] &= ~a->mask;
  if (!simt_race_row(r, v)) simt_race_elements(r, v);
}

// The scope of a cluster is the block's where each block is a cluster.
static bool is_narrow(const simt_race *r, uint8_t scope) {
  return scope == ISA_SCOPE_CTA || (scope == ISA_SCOPE_CLUSTER && r->info.cluster_blocks <= 1);
}

// A volatile store to shared memory counts as setting a flag only after a fence.
static bool is_strong(const simt_visit *v, uint32_t lane) {
  const simt_access *a = v->access;
  if (a->space != PTX_SPACE_SHARED || a->order != ISA_VOLATILE || a->kind != SIMT_STORE)
    return true;
  return v->block->fenced[a->warp] >> lane & 1;
}

// No thread has released anything, nor does this access: all its lanes can be handled at once.
static bool is_quiet(const simt_race *r, const simt_visit *v) {
  const simt_access *a = v->access;
  return !v->block->any_fence && a->order < ISA_RELEASE && !r->order.wide.n && !r->order.narrow.n &&
         !v->block->locations.n;
}

static void watch_strong(simt_race *r, simt_visit *v) {
  const simt_access *a = v->access;
  uint32_t plain = v->who;
  bool is_quiet_one = is_quiet(r, v);
  bool is_narrow_scope = is_narrow(r, a->scope);
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
    simt_line *line = simt_race_line(r, v, s.address);
    if (line) simt_race_lanes(r, v, line, at_once ? a->mask : 1u << s.lane);
    if (a->kind != SIMT_LOAD) simt_order_release(&r->order, v->block, &s);
  }
}

// Shadow of a block's shared memory, large enough for this launch.
static simt_shadow *shared_shadow(simt_race *r, simt_block_order *b) {
  uint64_t lines = (r->info.shared_bytes + SIMT_LINE_BYTES - 1) / SIMT_LINE_BYTES;
  if (b->shared && b->shared->n_lines < lines) {
    simt_shadow_destroy(b->shared);
    b->shared = NULL;
  }
  if (!b->shared) b->shared = simt_shadow_create(r->info.shared_bytes, &r->shared_pool);
  if (!b->shared) r->is_incomplete = true;
  return b->shared;
}

static bool begin_visit(simt_race *r, simt_visit *v, const simt_access *a) {
  static const uint8_t acts[] = {
      [SIMT_LOAD] = SIMT_WHO_READ, [SIMT_STORE] = SIMT_WHO_WRITE, [SIMT_ATOMIC] = SIMT_WHO_ATOMIC};
  v->access = a;
  v->block = simt_order_block(&r->order, a->block);
  if (!v->block || r->order.clocks.is_exhausted) {
    r->is_off = true;
    return false;
  }
  v->is_shared = a->space == PTX_SPACE_SHARED && r->info.cluster_blocks <= 1;
  v->shadow = !v->is_shared ? r->global : v->block->shared;
  if (v->is_shared && !v->shadow && !(v->shadow = shared_shadow(r, v->block))) return false;
  v->floor = v->is_shared ? v->block->floor : r->order.floor;
  v->who = simt_who_make(a->pc, a->warp, acts[a->kind]);
  v->same_value = false;
  return true;
}

static void on_access(simt_observer *self, const simt_access *a) {
  simt_race *r = (simt_race *)self;
  simt_visit v;
  if (r->is_off || a->space == PTX_SPACE_LOCAL || !a->mask) return;
  simt_access moved;
  uint64_t addresses[SIMT_LANES];
  if (a->space == PTX_SPACE_SHARED && r->info.cluster_blocks > 1)
    a = simt_race_move(a, &moved, addresses);
  if (!begin_visit(r, &v, a)) return;
  if (a->order == ISA_WEAK && a->kind != SIMT_ATOMIC) watch_plain(r, &v);
  else watch_strong(r, &v);
}

// ---- workers' memory ---------------------------------------------------------------------------

static void destroy(simt_race *r) {
  simt_order_destroy(&r->order, simt_shadow_destroy);
  simt_shadow_destroy(r->global);
  free(r->pairs);
  free(r);
}

static void destroy_idle(simt_race *r) {
  while (r->idle) {
    simt_race *worker = r->idle;
    r->idle = worker->idle;
    destroy(worker);
  }
}

// ---- synchronisation ---------------------------------------------------------------------------

simt_block_order *simt_race_block(simt_race *r, uint32_t block) {
  simt_block_order *b = r->is_off ? NULL : simt_order_block(&r->order, block);
  if (!b) r->is_off = true;
  return b;
}

static void on_block_begin(simt_observer *self, uint32_t block) {
  simt_race *r = (simt_race *)self;
  if (!r->parent && r->idle) destroy_idle(r); // the launch is this one's alone
  simt_block_order *b = simt_race_block(r, block);
  if (b && b->shared) shared_shadow(r, b); // of an earlier launch, perhaps too small
}

static void on_block_end(simt_observer *self, uint32_t block) {
  simt_race *r = (simt_race *)self;
  simt_order_block_end(&r->order, block);
  simt_race_end_in_cluster(r, block);
}

static void on_barrier(simt_observer *self, const simt_barrier_event *event) {
  if (event->whole_block && event->waits) return; // by far the most frequent
  simt_race *r = (simt_race *)self;
  simt_block_order *b = simt_race_block(r, event->block);
  if (b) simt_order_arrive(&r->order, b, event);
}

static void on_barrier_done(simt_observer *self, uint32_t block, uint32_t id) {
  simt_race *r = (simt_race *)self;
  simt_block_order *b = simt_race_block(r, block);
  if (b) simt_order_barrier(&r->order, b, id);
}

static void on_collective(simt_observer *self, const simt_collective_event *event) {
  if (event->kind != SIMT_COLLECTIVE_SYNCWARP) return;
  simt_race *r = (simt_race *)self;
  simt_block_order *b = simt_race_block(r, event->block);
  uint32_t lanes = event->mask | (event->members & event->exited);
  if (b) simt_order_syncwarp(&r->order, b, event->warp, lanes);
}

static void on_fence(simt_observer *self, const simt_fence_event *event) {
  simt_race *r = (simt_race *)self;
  simt_block_order *b = simt_race_block(r, event->block);
  if (b)
    simt_order_fence(&r->order, b, event->warp, event->mask,
                     is_narrow(r, event->scope) ? SIMT_REACH_BLOCK : SIMT_REACH_DEVICE);
}

static void on_sync(simt_observer *self, simt_sync_kind kind, uint32_t pc, uint32_t block,
                    uint32_t warp, uint32_t mask) {
  (void)pc, (void)block, (void)warp, (void)mask;
  simt_race *r = (simt_race *)self;
  if (kind == SIMT_SYNC_GRID && !r->is_off) simt_order_grid_sync(&r->order);
}

// ---- launches ----------------------------------------------------------------------------------

// The range of stamps is used up: start again with an empty shadow.
static bool renew(simt_race *r) {
  simt_shadow_destroy(r->global);
  simt_order_destroy(&r->order, simt_shadow_destroy);
  memset(&r->order, 0, sizeof r->order);
  r->order.clocks.limit_bytes = r->shared_pool.limit_bytes = r->limit_bytes / 4;
  r->global_pool.limit_bytes = r->limit_bytes / 2;
  r->global = simt_shadow_create(0, &r->global_pool);
  return r->global != NULL;
}

// Half of the limit is in use: then what earlier launches left there is freed.
static bool is_half_full(const simt_race *r) {
  const simt_clocks *c = &r->order.clocks;
  return r->global_pool.used_bytes > r->global_pool.limit_bytes / 2 ||
         r->shared_pool.used_bytes > r->shared_pool.limit_bytes / 2 ||
         c->used_bytes > c->limit_bytes / 2;
}

static void begin(simt_race *r, const simt_launch_info *info) {
  bool must_renew =
      !r->global || r->order.tick > TICKS_FOR_A_LAUNCH || r->global->is_full || is_half_full(r);
  r->is_off = must_renew && !renew(r);
  r->info = *info;
  r->n_pairs = 0;
  r->is_incomplete = r->is_off;
  if (r->is_off) return;
  simt_order_launch(&r->order, info);
  for (uint32_t w = 0; w < SIMT_MAX_WARPS; w++) r->existing[w] = simt_order_lanes(&r->order, w);
  if (info->n_code >= 1u << SIMT_WHO_PC_BITS || info->block_threads > SIMT_CLOCK_THREADS)
    r->is_off = r->is_incomplete = true;
}

// Notes what was not watched.
static void end(simt_race *r) {
  bool is_full = r->global && r->global->is_full;
  for (uint32_t i = 0; i < r->order.n_slots; i++)
    is_full |= r->order.blocks[i]->shared && r->order.blocks[i]->shared->is_full;
  r->is_incomplete |= is_full || r->is_off || r->order.clocks.is_exhausted;
}

static void on_launch_begin(simt_observer *self, const simt_launch_info *info) {
  begin((simt_race *)self, info);
}

// Compilers load ahead of a condition what the source reads under it.
static bool is_moved_up(const simt_launch_info *info, const simt_site *s) {
  return s->act == SIMT_ACT_READ && simt_load_is_speculative(info, s->pc, 15);
}

// A plain read that only makes a guess for a compare-and-swap, and an atomic of another thread.
static bool is_guess(const simt_launch_info *info, const simt_site *read, const simt_site *other) {
  return read->act == SIMT_ACT_READ && other->act == SIMT_ACT_ATOMIC && info->facts.guesses &&
         read->pc < info->n_code && info->facts.guesses[read->pc];
}

// A plain read that only decides whether an atomic is tried, and one of another thread.
static bool is_attempt(const simt_launch_info *info, const simt_site *read,
                       const simt_site *other) {
  return read->act == SIMT_ACT_READ && other->act == SIMT_ACT_ATOMIC &&
         simt_load_is_an_attempt(info, read->pc, other->pc);
}

static bool is_harmless(const simt_launch_info *info, const simt_finding *f) {
  return is_moved_up(info, &f->first) || is_moved_up(info, &f->second) ||
         is_guess(info, &f->first, &f->second) || is_guess(info, &f->second, &f->first) ||
         is_attempt(info, &f->first, &f->second) || is_attempt(info, &f->second, &f->first);
}

static void on_launch_end(simt_observer *self, const simt_launch_info *info,
                          const simt_profile *profile) {
  (void)profile;
  simt_race *r = (simt_race *)self;
  end(r);
  for (uint32_t i = 0; i < r->n_pairs; i++) {
    const simt_race_pair *pair = &r->pairs[i];
    if (is_harmless(info, &pair->finding)) continue;
    for (uint64_t n = 0; n < pair->count; n++) simt_findings_add(r->findings, &pair->finding);
  }
  r->n_pairs = 0;
  if (!r->is_incomplete || r->is_noted) return;
  r->is_noted = true;
  simt_findings_add_text(r->findings, SIMT_FINDING_race_unwatched,
                         "There was no memory left to remember all accesses: from some point of a "
                         "launch on, races may have gone unseen. Run a smaller problem.");
}

// ---- several host threads ----------------------------------------------------------------------

static simt_race *create(simt_findings *findings, simt_race *parent, uint64_t limit_bytes);

// The shadow of earlier launches makes room for the workers.
static void give_back(simt_race *r) {
  uint64_t used =
      r->global_pool.used_bytes + r->shared_pool.used_bytes + r->order.clocks.used_bytes;
  if (!used || r->is_off) return;
  if (renew(r)) begin(r, &r->info);
  else r->is_off = true;
}

static simt_observer *on_fork(simt_observer *self, uint32_t n_workers) {
  simt_race *r = (simt_race *)self;
  give_back(r);
  if (r->n_workers != n_workers) destroy_idle(r); // their share was another
  r->n_workers = n_workers;
  simt_race *worker = r->idle;
  if (worker) r->idle = worker->idle;
  else worker = create(r->findings, r, r->limit_bytes / n_workers);
  if (!worker) return NULL;
  worker->idle = NULL;
  begin(worker, &r->info);
  return &worker->observer;
}

// Workers keep their shadow for the next launch, if that is shared as well.
static void put_away(simt_race *worker) {
  worker->n_pairs = 0;
  worker->idle = worker->parent->idle;
  worker->parent->idle = worker;
}

// Blocks of different workers share no word of global memory that one writes, else the run is void.
static void on_join(simt_observer *self, simt_observer *worker_observer) {
  simt_race *r = (simt_race *)self, *worker = (simt_race *)worker_observer;
  end(worker);
  r->is_incomplete |= worker->is_incomplete;
  for (uint32_t i = 0; i < worker->n_pairs; i++)
    simt_race_add(r, &worker->pairs[i].finding, worker->pairs[i].count);
  put_away(worker);
}

static void on_discard(simt_observer *worker) { put_away((simt_race *)worker); }

// ---- creation ----------------------------------------------------------------------------------

static simt_race *create(simt_findings *findings, simt_race *parent, uint64_t limit_bytes) {
  simt_race *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->observer = (simt_observer){.launch_begin = on_launch_begin,
                                .launch_end = on_launch_end,
                                .access = on_access,
                                .copy_begin = on_access, // it may write from here on
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
  simt_race_watch_clusters(&r->observer);
  r->findings = findings;
  r->parent = parent;
  r->limit_bytes = limit_bytes;
  return r;
}

simt_observer *simt_racecheck_create(simt_findings *findings) {
  simt_race *r = create(findings, NULL, DEFAULT_LIMIT_BYTES);
  return r ? &r->observer : NULL;
}

void simt_racecheck_destroy(simt_observer *observer) {
  simt_race *r = (simt_race *)observer;
  if (!r) return;
  destroy_idle(r);
  destroy(r);
}

void simt_racecheck_freed(simt_observer *observer, const simt_allocation *allocation) {
  for (simt_race *r = (simt_race *)observer; r; r = r->idle)
    if (r->global) simt_shadow_forget(r->global, allocation->address, allocation->size_bytes);
}

void simt_racecheck_limit(simt_observer *observer, uint64_t limit_bytes) {
  simt_race *r = (simt_race *)observer;
  destroy_idle(r);
  r->limit_bytes = limit_bytes;
  if (r->global) renew(r);
}

uint32_t simt_racecheck_pairs(const simt_observer *observer) {
  return ((const simt_race *)observer)->n_pairs;
}

const simt_finding *simt_racecheck_pair(const simt_observer *observer, uint32_t i,
                                        uint64_t *count) {
  const simt_race_pair *f = &((const simt_race *)observer)->pairs[i];
  *count = f->count;
  return &f->finding;
}
