// SPDX-License-Identifier: MIT
// engine/repeat.c - launches that come again. Programs measure times by launching a kernel a
// hundred times on the same data: the first two launches run, the second one's footprint is kept
// (core/footprint.h), and as long as memory holds what it found, the others do to memory what it
// did, count what it counted, and take the time that the model makes of its trace.
//
// Nothing that can be seen tells a repeated launch from one that ran. So every launch runs where
// something is to see each step of it: checkers, counts by line, a client's observers, hostile
// schedules.
#include <stdlib.h>
#include <string.h>

#include "core/footprint.h"
#include "core/state.h"
#include "engine/internal.h"

enum {
  MOST_KNOWN = 64,      // launches that may come again
  BYTES_FOR_EACH = 64,  // of them: comparing so many takes as long as running it
  RECENT = 16,          // launches: what was of use in the last ones is kept
  MOST_SKIPPED_LOG2 = 8 // of launches whose footprint is not taken after others were of no use
};
static const uint64_t USUAL_BYTES = UINT64_C(512) << 20; // of all footprints
static const uint64_t USUAL_FROM = UINT64_C(1) << 17;    // warp instructions: some milliseconds

struct simt_known {
  simt_launch launch; // what it was launched with; its pointers are not valid
  uint8_t *params;
  size_t param_bytes;
  uint64_t last_use;
  bool is_hopeless;           // it is never repeated
  uint64_t warp_instructions; // of its first run
  uint32_t n_useless, n_skip; // footprints in a row that were of no use; launches until the next
  simt_footprint *footprint;  // NULL: none
  simt_observer *trace;       // of the launch with the footprint; NULL: no modelled time
  simt_counters counters;     // likewise
  simt_model_time time;       // of its latest launch
};

// Launches of the same kind in direct succession on one device.
typedef struct succession {
  const simt_known *of; // NULL: the latest one was not known
  uint32_t n_alike;     // of the latest ones: as many had the same modelled time
} succession;

struct simt_repeats {
  uint64_t most_bytes; // of all footprints
  uint64_t from;       // warp instructions of a launch whose footprint is taken
  simt_known known[MOST_KNOWN];
  uint64_t n_uses, n_repeated;
  succession latest[SIMT_MAX_DEVICES];
};

// ---- life --------------------------------------------------------------------------------------

simt_repeats *simt_repeats_create(uint64_t most_bytes, uint64_t from) {
  simt_repeats *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->most_bytes = most_bytes ? most_bytes : USUAL_BYTES;
  r->from = from ? from : USUAL_FROM;
  return r;
}

static void drop_footprint(simt_known *k) {
  simt_footprint_destroy(k->footprint);
  simt_trace_observer_destroy(k->trace);
  k->footprint = NULL;
  k->trace = NULL;
}

static void forget(simt_repeats *r, simt_known *k) {
  for (uint32_t d = 0; d < SIMT_MAX_DEVICES; d++)
    if (r->latest[d].of == k) r->latest[d] = (succession){0};
  drop_footprint(k);
  free(k->params);
  *k = (simt_known){0};
}

void simt_repeats_forget(simt_repeats *r) {
  for (uint32_t i = 0; r && i < MOST_KNOWN; i++) forget(r, &r->known[i]);
}

void simt_repeats_destroy(simt_repeats *r) {
  simt_repeats_forget(r);
  free(r);
}

uint64_t simt_engine_n_repeated(const simt_engine *e) {
  return e->repeats ? e->repeats->n_repeated : 0;
}

// ---- which launch it is ------------------------------------------------------------------------

static bool is_same(const simt_known *k, const simt_launch *l, const uint8_t *params,
                    size_t bytes) {
  const simt_launch *o = &k->launch;
  return o->kernel == l->kernel && !memcmp(o->grid, l->grid, sizeof l->grid) &&
         !memcmp(o->block, l->block, sizeof l->block) &&
         !memcmp(o->cluster, l->cluster, sizeof l->cluster) &&
         o->dynamic_shared_bytes == l->dynamic_shared_bytes && o->cooperative == l->cooperative &&
         o->max_warp_instructions == l->max_warp_instructions && o->device == l->device &&
         o->stack_bytes == l->stack_bytes && o->max_resident_blocks == l->max_resident_blocks &&
         k->param_bytes == bytes && !memcmp(k->params, params, bytes);
}

// The place of a launch that is not known yet: a free one, or that of the one not seen for longest.
static simt_known *place_for_one(simt_repeats *r) {
  simt_known *oldest = &r->known[0];
  for (uint32_t i = 0; i < MOST_KNOWN; i++) {
    simt_known *k = &r->known[i];
    if (!k->params) return k;
    if (k->last_use < oldest->last_use) oldest = k;
  }
  forget(r, oldest);
  return oldest;
}

static simt_known *find(simt_repeats *r, const simt_launch *l, const uint8_t *params,
                        size_t bytes) {
  for (uint32_t i = 0; i < MOST_KNOWN; i++)
    if (r->known[i].params && is_same(&r->known[i], l, params, bytes)) return &r->known[i];
  return NULL;
}

// NULL: no memory for it.
static simt_known *add(simt_repeats *r, const simt_launch *l, const uint8_t *params, size_t bytes) {
  simt_known *k = place_for_one(r);
  uint8_t *copy = malloc(bytes + 1);
  if (!copy) return NULL;
  memcpy(copy, params, bytes);
  *k = (simt_known){.launch = *l,
                    .params = copy,
                    .param_bytes = bytes,
                    .last_use = r->n_uses,
                    .is_hopeless = !simt_is_repeatable(l->kernel)};
  return k;
}

// ---- before it begins --------------------------------------------------------------------------

static bool is_watched(const simt_engine *e, const simt_launch *l) {
  return e->checks || e->lines || e->work || e->locates_findings || l->n_observers ||
         e->samples_blocks || l->schedule.kind != SIMT_SCHEDULE_LOCKSTEP ||
         l->peers & ~(1u << l->device);
}

static uint64_t bytes_left(const simt_repeats *r) {
  uint64_t used = 0;
  for (uint32_t i = 0; i < MOST_KNOWN; i++)
    if (r->known[i].footprint) used += simt_footprint_bytes(r->known[i].footprint);
  return used < r->most_bytes ? r->most_bytes - used : 0;
}

// The footprint that has been of no use for longest; NULL: all have been lately.
static simt_known *least_useful(simt_repeats *r) {
  simt_known *found = NULL;
  for (uint32_t i = 0; i < MOST_KNOWN; i++) {
    simt_known *k = &r->known[i];
    if (k->footprint && k->last_use + RECENT < r->n_uses &&
        (!found || k->last_use < found->last_use))
      found = k;
  }
  return found;
}

// How many bytes one more footprint may take. Those of a phase that the program has left make room.
static uint64_t make_room(simt_repeats *r, uint64_t wanted) {
  uint64_t left;
  simt_known *old;
  while ((left = bytes_left(r)) < wanted && (old = least_useful(r))) drop_footprint(old);
  return left < wanted ? left : wanted;
}

// After the nth useless footprint in a row the next 2^n - 1 launches just run.
static void note_useless(simt_known *k) {
  drop_footprint(k);
  if (k->n_useless < MOST_SKIPPED_LOG2) k->n_useless++;
  k->n_skip = (1u << k->n_useless) - 1;
}

static void take_footprint(simt_run *run, simt_known *k, simt_launch *launch) {
  simt_engine *e = run->engine;
  k->footprint =
      simt_footprint_create(make_room(e->repeats, k->warp_instructions * BYTES_FOR_EACH));
  k->trace = e->trace ? simt_trace_observer_create(e->device, e->exact_model) : NULL;
  if (!k->footprint || (e->trace && !k->trace)) {
    drop_footprint(k);
    return;
  }
  launch->footprint = k->footprint;
  if (k->trace) run->trace = k->trace;
}

void simt_repeat_plan(simt_run *run, simt_launch *launch) {
  simt_engine *e = run->engine;
  simt_repeats *r = e->repeats;
  simt_kernel_info info;
  launch->footprint = NULL;
  run->trace = e->trace;
  if (!r || is_watched(e, launch)) return;
  simt_kernel_describe(launch->kernel, &info);
  r->n_uses++;
  simt_known *k = run->known = find(r, launch, run->params, info.param_bytes);
  if (!k) {
    run->known = add(r, launch, run->params, info.param_bytes);
    return;
  }
  k->last_use = r->n_uses;
  if (k->footprint && simt_footprint_is_met(k->footprint, e->memory)) {
    run->is_repeated = true;
    if (k->trace) run->trace = k->trace;
    return;
  }
  if (k->footprint) note_useless(k);
  if (k->is_hopeless || k->warp_instructions < r->from) return;
  if (k->n_skip) k->n_skip--;
  else take_footprint(run, k, launch);
}

// ---- instead of running ------------------------------------------------------------------------

void simt_repeat(simt_run *run) {
  run->engine->repeats->n_repeated++;
  run->known->n_useless = 0;
  simt_footprint_repeat(run->known->footprint, run->engine->memory);
}

// ---- after it has ended ------------------------------------------------------------------------

const simt_counters *simt_repeat_counters(const simt_run *run) { return &run->known->counters; }

void simt_repeat_account(simt_run *run, const simt_counters *counters) {
  if (run->known && !run->is_repeated) run->known->counters = *counters;
}

// The same accesses again leave an L2 that evicts what was used longest ago as they found it. So
// once two launches in a row have taken the same time, the next one does.
const simt_model_time *simt_repeat_time(const simt_run *run) {
  if (!run->is_repeated) return NULL;
  const succession *latest = &run->engine->repeats->latest[run->device];
  return latest->of == run->known && latest->n_alike >= 2 ? &run->known->time : NULL;
}

void simt_repeat_note_time(simt_run *run, const simt_model_time *time) {
  if (!run->engine->repeats) return;
  succession *latest = &run->engine->repeats->latest[run->device];
  const bool is_alike =
      latest->of && latest->of == run->known && run->known->time.total_ms == time->total_ms;
  *latest = (succession){run->known, is_alike ? latest->n_alike + 1 : 1};
  if (run->known) run->known->time = *time;
}

void simt_repeats_cool(simt_repeats *r) {
  for (uint32_t d = 0; r && d < SIMT_MAX_DEVICES; d++) r->latest[d] = (succession){0};
}

static uint64_t warp_instructions(const simt_core *core) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < core->kernel->n_blocks; i++)
    sum += core->profile.entries[i] * core->kernel->blocks[i].n_instrs;
  return sum;
}

void simt_repeat_measure(simt_run *run) {
  simt_known *k = run->known;
  if (k && !run->is_repeated && !k->warp_instructions)
    k->warp_instructions = warp_instructions(simt_execution_core(run->execution));
}

void simt_repeat_end(simt_run *run) {
  simt_known *k = run->known;
  if (k && k->footprint && !simt_footprint_is_taken(k->footprint)) note_useless(k);
}
