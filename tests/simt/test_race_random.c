// SPDX-License-Identifier: MIT
// test_race_random.c - racecheck against a textbook detector on random streams of events.
//
// The reference keeps a full vector clock for every thread and the whole history of every byte, and
// applies the rules of check/race/order.h and check/race/race.c literally. Streams are steered
// around races most of the time, so that much state builds up; both must agree on every access up
// to and including the first that races.
#include "race_fixture.h"
#include "run_suite.h"

enum {
  MAX_BLOCKS = 3,
  BLOCK_THREADS = 40, // a whole warp and part of one
  WARPS = 2,
  THREADS = MAX_BLOCKS * BLOCK_THREADS,
  BYTES = 1024, // watched bytes of each space
  MAX_HISTORY = 400,
  EVENTS = 70,
  BARRIER_COUNTED = 1,
  BARRIER_WHOLE = 2
};

typedef uint32_t vector[THREADS]; // how many events of each thread are known

typedef struct lane_access {
  uint32_t thread, epoch;
  bool writes, atomic, strong, narrow, is_volatile;
} lane_access;

typedef struct history {
  lane_access access[MAX_HISTORY];
  uint32_t n;
} history;

typedef struct releases { // of a thread, or attached to a word
  bool is_set;
  vector known;
} releases;

// Everything that a group of threads knows, by what they can do with it.
typedef struct joint {
  releases known, released[2];
} joint;

typedef struct group { // threads of a block
  bool in[BLOCK_THREADS];
} group;

// Who has arrived at a barrier without waiting.
typedef struct pending {
  bool any;
  group who;
  joint knew;
} pending;

typedef struct reference {
  uint32_t n_blocks;
  vector clock[THREADS];
  releases released[2][THREADS]; // by reach: block, device
  bool fenced[THREADS];
  history shared[MAX_BLOCKS][BYTES], global[BYTES];
  releases word_block[MAX_BLOCKS][2][BYTES / 4]; // [block][is shared]
  releases word_device[BYTES / 4];
  pending arrival[MAX_BLOCKS][2]; // at the counted and at the whole barrier
} reference;

static uint64_t random_state;

static uint32_t draw(uint32_t below) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ random_state >> 29;
  return (uint32_t)((x * UINT64_C(0x9e3779b97f4a7c15) >> 33) % below);
}

static uint32_t thread_of(uint32_t block, uint32_t warp, uint32_t lane) {
  return block * BLOCK_THREADS + warp * 32 + lane;
}

static void join(vector into, const vector from) {
  for (uint32_t t = 0; t < THREADS; t++)
    if (into[t] < from[t]) into[t] = from[t];
}

static void join_release(releases *into, const releases *from) {
  if (!from->is_set) return;
  into->is_set = true;
  join(into->known, from->known);
}

// ---- the reference: synchronisation ------------------------------------------------------------

static group group_of(uint32_t warp, uint32_t lanes) {
  group c = {{false}};
  for (uint32_t l = 0; l < 32; l++)
    if (lanes >> l & 1 && warp * 32 + l < BLOCK_THREADS) c.in[warp * 32 + l] = true;
  return c;
}

static void add_group(const reference *ref, uint32_t block, const group *c, joint *j) {
  for (uint32_t i = 0; i < BLOCK_THREADS; i++) {
    if (!c->in[i]) continue;
    uint32_t t = block * BLOCK_THREADS + i;
    j->known.is_set = true;
    join(j->known.known, ref->clock[t]);
    for (int reach = 0; reach < 2; reach++)
      join_release(&j->released[reach], &ref->released[reach][t]);
  }
}

static void set_group(reference *ref, uint32_t block, const group *c, const joint *j) {
  for (uint32_t i = 0; i < BLOCK_THREADS; i++) {
    if (!c->in[i]) continue;
    uint32_t t = block * BLOCK_THREADS + i;
    join(ref->clock[t], j->known.known);
    for (int reach = 0; reach < 2; reach++)
      join_release(&ref->released[reach][t], &j->released[reach]);
  }
}

static void meet(reference *ref, uint32_t block, const group *c) {
  static joint j;
  memset(&j, 0, sizeof j);
  add_group(ref, block, c, &j);
  set_group(ref, block, c, &j);
}

static void reference_fence(reference *ref, uint32_t block, uint32_t warp, uint32_t lanes,
                            int reach) {
  for (uint32_t l = 0; l < 32; l++) {
    if (!(lanes >> l & 1)) continue;
    uint32_t t = thread_of(block, warp, l);
    ref->fenced[t] = true;
    for (int r = 0; r <= reach; r++) {
      ref->released[r][t].is_set = true;
      memcpy(ref->released[r][t].known, ref->clock[t], sizeof(vector));
    }
  }
}

static void reference_grid_sync(reference *ref) {
  static vector all;
  memset(all, 0, sizeof all);
  for (uint32_t t = 0; t < THREADS; t++) join(all, ref->clock[t]);
  for (uint32_t t = 0; t < THREADS; t++) memcpy(ref->clock[t], all, sizeof all);
}

// ---- the reference: accesses -------------------------------------------------------------------

static bool knows(const reference *ref, uint32_t thread, const lane_access *d) {
  return d->thread == thread || d->epoch <= ref->clock[thread][d->thread];
}

static bool is_tolerated(const lane_access *a, const lane_access *b) {
  if (!a->writes && !b->writes) return true;
  bool same_block = a->thread / BLOCK_THREADS == b->thread / BLOCK_THREADS;
  if (a->strong && b->strong) return same_block || !(a->narrow || b->narrow);
  return (a->atomic && b->is_volatile) || (b->atomic && a->is_volatile);
}

// Another lane has seen access `i`, a strong write, and `now` is ordered after that lane.
static bool is_seen(const reference *ref, const history *h, uint32_t i, const lane_access *now) {
  for (uint32_t k = i + 1; k < h->n; k++) {
    const lane_access *other = &h->access[k];
    if (!other->strong) continue;
    if (other->writes) return true; // overwritten by a strong write, which is judged itself
    if (!now->strong && knows(ref, now->thread, other)) return true;
  }
  return false;
}

static bool races(const reference *ref, const history *h, const lane_access *now) {
  for (uint32_t i = 0; i < h->n; i++) {
    const lane_access *d = &h->access[i];
    if (knows(ref, now->thread, d) || is_tolerated(d, now)) continue;
    if (d->strong && d->writes && is_seen(ref, h, i, now)) continue;
    return true;
  }
  return false;
}

static history *history_at(reference *ref, const warp_access *s, uint64_t at) {
  return s->global ? &ref->global[at] : &ref->shared[s->block][at];
}

static uint64_t address_of(const warp_access *s, uint32_t lane) {
  return s->addresses ? s->addresses[lane] : s->at + lane * s->stride;
}

static lane_access lane_access_of(const reference *ref, const warp_access *s, uint32_t lane) {
  uint32_t t = thread_of(s->block, s->warp, lane);
  lane_access d = {.thread = t,
                   .epoch = ref->clock[t][t],
                   .writes = s->kind != SIMT_LOAD,
                   .atomic = s->kind == SIMT_ATOMIC,
                   .strong = s->order != ISA_WEAK || s->kind == SIMT_ATOMIC,
                   .narrow = s->scope == ISA_SCOPE_CTA,
                   .is_volatile = s->order == ISA_VOLATILE};
  if (!s->global && d.is_volatile && s->kind == SIMT_STORE) d.strong = ref->fenced[t];
  return d;
}

static void acquire(reference *ref, const warp_access *s, uint32_t thread, uint64_t word) {
  const releases *block = &ref->word_block[s->block][!s->global][word];
  if (block->is_set) join(ref->clock[thread], block->known);
  const releases *device = &ref->word_device[word];
  if (s->global && s->scope != ISA_SCOPE_CTA && device->is_set)
    join(ref->clock[thread], device->known);
}

static void attach(releases *at, const releases *what, bool replaces) {
  if (replaces) memset(at, 0, sizeof *at);
  join_release(at, what);
}

static void release(reference *ref, const warp_access *s, uint32_t thread, uint64_t word) {
  static releases none;
  releases own = {.is_set = s->order >= ISA_RELEASE};
  memcpy(own.known, ref->clock[thread], sizeof own.known);
  bool replaces = s->kind == SIMT_STORE && s->width >= 4, is_wide = s->scope != ISA_SCOPE_CTA;
  const releases *block = own.is_set ? &own : &ref->released[0][thread];
  const releases *device = own.is_set ? &own : &ref->released[1][thread];
  attach(&ref->word_block[s->block][!s->global][word], block, replaces);
  if (s->global) attach(&ref->word_device[word], is_wide ? device : &none, replaces);
}

static bool lane_races(reference *ref, const warp_access *s, uint32_t lane) {
  lane_access d = lane_access_of(ref, s, lane);
  uint64_t at = address_of(s, lane);
  for (uint32_t i = 0; i < s->width; i++)
    if (races(ref, history_at(ref, s, at + i), &d)) return true;
  return false;
}

// One lane's access; true: it races.
static bool reference_lane(reference *ref, const warp_access *s, uint32_t lane) {
  uint32_t t = thread_of(s->block, s->warp, lane);
  uint64_t at = address_of(s, lane), last = (at + s->width - 1) / 4;
  ref->clock[t][t]++;
  bool strong = s->order != ISA_WEAK || s->kind == SIMT_ATOMIC;
  if (!strong && s->kind == SIMT_STORE) ref->fenced[t] = false;
  if (strong && s->kind != SIMT_STORE)
    for (uint64_t word = at / 4; word <= last; word++) acquire(ref, s, t, word);
  bool racing = lane_races(ref, s, lane);
  for (uint32_t i = 0; i < s->width; i++) {
    history *h = history_at(ref, s, at + i);
    ck_assert_uint_lt(h->n, MAX_HISTORY);
    h->access[h->n++] = lane_access_of(ref, s, lane);
  }
  if (strong && s->kind != SIMT_LOAD)
    for (uint64_t word = at / 4; word <= last; word++) release(ref, s, t, word);
  return racing;
}

static bool reference_access(reference *ref, const warp_access *s) {
  bool racing = false;
  for (uint32_t l = 0; l < 32; l++)
    if (s->mask >> l & 1) racing |= reference_lane(ref, s, l);
  return racing;
}

// Whether it would race, near enough to steer by.
static bool would_race(reference *ref, const warp_access *s) {
  for (uint32_t l = 0; l < 32; l++)
    if (s->mask >> l & 1 && lane_races(ref, s, l)) return true;
  return false;
}

// ---- streams -----------------------------------------------------------------------------------

static uint32_t random_mask(const race_run *run, uint32_t warp) {
  uint32_t all = race_lanes(run, warp), mask = 0;
  switch (draw(5)) {
  case 0: mask = 1u << draw(32); break;
  case 1: mask = (2u << draw(31)) - 1; break;
  case 2: mask = draw(UINT32_MAX); break;
  default: mask = all; break;
  }
  return mask & all ? mask & all : 1;
}

static warp_access random_access(const race_run *run, uint32_t block, uint32_t pc,
                                 uint64_t *addresses) {
  static const uint32_t widths[] = {4, 4, 4, 4, 8, 16, 1, 2};
  warp_access s = {.pc = pc, .block = block, .warp = draw(WARPS), .global = draw(2)};
  s.mask = random_mask(run, s.warp);
  s.width = widths[draw(8)];
  s.kind = draw(2) ? SIMT_LOAD : SIMT_STORE;
  s.value = draw(2), s.value_step = draw(2);
  s.at = draw(24) * s.width;
  switch (draw(5)) {
  case 0: s.stride = 0; break;
  case 1: s.stride = s.width < 16 ? 2 * s.width : s.width; break;
  case 2:
    s.addresses = addresses;
    for (uint32_t l = 0; l < 32; l++) addresses[l] = draw(32) * s.width;
    break;
  default: s.stride = s.width; break;
  }
  return s;
}

static void make_strong(warp_access *s) {
  static const isa_order of_load[] = {ISA_VOLATILE, ISA_RELAXED, ISA_ACQUIRE};
  static const isa_order of_store[] = {ISA_VOLATILE, ISA_RELAXED, ISA_RELEASE};
  static const isa_order of_atomic[] = {ISA_RELAXED, ISA_RELAXED, ISA_ACQ_REL};
  s->kind = draw(3) == 0 ? SIMT_LOAD : draw(2) ? SIMT_STORE : SIMT_ATOMIC;
  const isa_order *orders = s->kind == SIMT_LOAD    ? of_load
                            : s->kind == SIMT_STORE ? of_store
                                                    : of_atomic;
  s->order = orders[draw(3)];
  s->scope = s->order == ISA_VOLATILE ? ISA_SCOPE_NONE : draw(4) ? ISA_SCOPE_GPU : ISA_SCOPE_CTA;
  if (s->kind == SIMT_ATOMIC && (s->width < 4 || s->width > 8)) s->width = 4;
  if (s->width == 16) s->width = 8;
  s->addresses = NULL;
  s->at = draw(6) * 8;
  if (draw(3)) s->mask &= 0 - s->mask; // one lane
  if (s->stride < s->width && s->stride) s->stride = s->width;
  if (s->stride % s->width) s->stride = s->width;
}

// True: the stream goes on.
static bool play_access(race_run *run, reference *ref, uint32_t block, uint32_t pc, bool strong) {
  uint64_t addresses[32];
  warp_access s = random_access(run, block, pc, addresses);
  if (strong) make_strong(&s);
  bool overlaps = s.stride < s.width || s.addresses; // lanes of one store, perhaps
  if (s.kind == SIMT_STORE && overlaps && draw(100)) s.mask &= 0 - s.mask;
  if (would_race(ref, &s) && draw(60)) return true;
  bool expected = reference_access(ref, &s);
  send_access(run, s);
  uint32_t n = simt_racecheck_pairs(run->o);
  ck_assert_msg(expected == (n != 0),
                "seed's access %u (%s %s, width %u, mask %08x, order %d, scope %d): the reference "
                "says %s, racecheck %s",
                pc, s.global ? "global" : "shared",
                s.kind == SIMT_LOAD    ? "load"
                : s.kind == SIMT_STORE ? "store"
                                       : "atomic",
                s.width, s.mask, (int)s.order, (int)s.scope, expected ? "race" : "none",
                n ? "race" : "none");
  return !expected;
}

// Some lanes arrive at a barrier and go on; no lane does so twice.
static void play_arrival(race_run *run, reference *ref, uint32_t block, int which, uint32_t id) {
  pending *p = &ref->arrival[block][which];
  if (p->any) return;
  uint32_t warp = draw(WARPS), lanes = random_mask(run, warp);
  p->any = true;
  p->who = group_of(warp, lanes);
  add_group(ref, block, &p->who, &p->knew);
  race_arrive(run, block, warp, lanes, id, which, false);
}

// The others, or (at the counted barrier) some of them, wait, and it completes.
static void play_partial_barrier(race_run *run, reference *ref, uint32_t block, int which) {
  pending *p = &ref->arrival[block][which];
  uint32_t id = which ? BARRIER_WHOLE : BARRIER_COUNTED;
  if (draw(2)) {
    play_arrival(run, ref, block, which, id);
    return;
  }
  group waiting = {{false}};
  bool any = false;
  for (uint32_t w = 0; w < WARPS; w++) {
    uint32_t mask = which || draw(2) ? race_lanes(run, w) : draw(2) ? random_mask(run, w) : 0;
    for (uint32_t l = 0; l < 32 && w * 32 + l < BLOCK_THREADS; l++) {
      if (p->who.in[w * 32 + l]) mask &= ~(1u << l);
      waiting.in[w * 32 + l] = mask >> l & 1;
    }
    if (mask) race_arrive(run, block, w, mask, id, which, true);
    any |= mask != 0;
  }
  if (!any) return;
  run->o->barrier_done(run->o, block, id);
  joint j = p->knew;
  add_group(ref, block, &waiting, &j);
  set_group(ref, block, &waiting, &j);
  memset(p, 0, sizeof *p);
}

static void play_sync(race_run *run, reference *ref, uint32_t block) {
  uint32_t warp = draw(WARPS), lanes = random_mask(run, warp);
  group all_lanes, some = group_of(warp, lanes);
  memset(&all_lanes, true, sizeof all_lanes);
  switch (draw(10)) {
  case 0:
  case 1:
    race_barrier(run, block);
    meet(ref, block, &all_lanes);
    break;
  case 2:
  case 3:
  case 4:
    race_syncwarp(run, block, warp, lanes);
    meet(ref, block, &some);
    break;
  case 5: race_collective(run, block, warp, lanes, 0, SIMT_COLLECTIVE_SHUFFLE); break;
  case 6:
    race_fence(run, block, warp, lanes, ISA_SCOPE_CTA);
    reference_fence(ref, block, warp, lanes, 0);
    break;
  case 7:
  case 8:
    race_fence(run, block, warp, lanes, ISA_SCOPE_GPU);
    reference_fence(ref, block, warp, lanes, 1);
    break;
  default: play_partial_barrier(run, ref, block, (int)draw(2)); break;
  }
}

// Blocks one after the other, or (cooperative) taking turns.
static void play(race_run *run, reference *ref, bool cooperative) {
  uint32_t n = ref->n_blocks;
  uint32_t turn = cooperative ? draw(n) : 0, events = EVENTS * n;
  for (uint32_t b = 0; cooperative && b < n; b++) run->o->block_begin(run->o, b);
  if (!cooperative) run->o->block_begin(run->o, 0);
  for (uint32_t e = 0; e < events; e++) {
    if (cooperative && draw(6) == 0) turn = draw(n);
    if (!cooperative && e && e % EVENTS == 0) {
      run->o->block_end(run->o, turn);
      run->o->block_begin(run->o, ++turn);
    }
    uint32_t what = draw(100);
    if (what < 60) {
      if (!play_access(run, ref, turn, e, what >= 40)) return;
    } else if (what < 61 && cooperative) {
      race_grid_sync(run);
      reference_grid_sync(ref);
    } else if (!cooperative || what < 95) {
      play_sync(run, ref, turn);
    }
  }
}

static uint32_t from_environment(const char *name, uint32_t otherwise) {
  const char *text = getenv(name);
  return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

// More with RACE_SEEDS=100000; one with RACE_FIRST=17 RACE_SEEDS=1.
static void compare_with_reference(uint32_t n_blocks, bool cooperative) {
  static reference ref;
  uint32_t first = from_environment("RACE_FIRST", 0), n = from_environment("RACE_SEEDS", 250);
  race_run *run = race_begin(n_blocks, BLOCK_THREADS);
  uint32_t n_races = 0;
  for (uint32_t seed = first; seed < first + n; seed++) {
    random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + n_blocks * 2 + cooperative;
    memset(&ref, 0, sizeof ref);
    ref.n_blocks = n_blocks;
    race_launch(run, n_blocks, BLOCK_THREADS, cooperative);
    if (getenv("RACE_FIRST")) fprintf(stderr, "seed %u\n", seed);
    play(run, &ref, cooperative);
    n_races += simt_racecheck_pairs(run->o) != 0;
  }
  ck_assert_uint_ge(8 * n_races, n); // else the streams are too tame to show anything
  ck_assert_uint_lt(n_races, n);     // or too wild
  race_free(run);
}

START_TEST(one_block_agrees_with_the_reference)
{ compare_with_reference(1, false); }
END_TEST

START_TEST(blocks_in_turn_agree_with_the_reference)
{ compare_with_reference(MAX_BLOCKS, false); }
END_TEST

START_TEST(resident_blocks_agree_with_the_reference)
{ compare_with_reference(MAX_BLOCKS, true); }
END_TEST

int main(void) {
  Suite *suite = suite_create("race_random");
  TCase *tcase = tcase_create("reference");
  tcase_set_timeout(tcase, 300);
  tcase_add_test(tcase, one_block_agrees_with_the_reference);
  tcase_add_test(tcase, blocks_in_turn_agree_with_the_reference);
  tcase_add_test(tcase, resident_blocks_agree_with_the_reference);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
