// SPDX-License-Identifier: MIT
// runtime/sweep.c - SIMT_SCHEDULE=sweep: runs every launch again under hostile schedules, from the
// same memory, and reports every difference as a finding.
//
// The launch itself has been run in lockstep, with checkers, counters and modelled time; the runs
// here have none of them, and print nothing. They stop at the first difference and leave its memory
// in place, so that the program's own verification sees it. Where a kernel's atomics may
// legitimately cause the difference (rounding of float sums, numbers returned by atomicAdd), it is
// a note, and the remaining schedules are run as well.
// Not compared: what the kernel printed, its shared memory, its time.
#include "runtime/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "decode/decode.h"
#include "runtime/platform.h"

// ---- All device memory, twice: as the launch found it and as it left it.

typedef struct saved {
  uint64_t address, size_bytes, serial;
  uint8_t *live;           // the allocation's own bytes
  uint8_t *before, *after; // copies
  char name[64];           // variable's name, or ""
  char label[32];          // the program's name for the array at label_offset_bytes, or ""
  uint64_t label_offset_bytes;
} saved;

struct rt_sweep {
  saved *items; // [n]
  size_t n, capacity;
  uint8_t *bytes; // of all copies: first all `before`, then all `after`
  uint64_t total_bytes;
  bool failed;
};

static void collect(const simt_allocation *a, void *data) {
  rt_sweep *sweep = data;
  if (sweep->n == sweep->capacity) {
    size_t capacity = sweep->capacity ? 2 * sweep->capacity : 64;
    saved *grown = realloc(sweep->items, capacity * sizeof *grown);
    if (!grown) {
      sweep->failed = true;
      return;
    }
    sweep->items = grown;
    sweep->capacity = capacity;
  }
  saved *s = &sweep->items[sweep->n++];
  *s = (saved){.address = a->address, .size_bytes = a->size_bytes, .serial = a->serial};
  s->live = a->host;
  if (a->name) simt_display_variable(a->name, strlen(a->name), s->name, sizeof s->name);
  memcpy(s->label, a->label, sizeof s->label);
  s->label_offset_bytes = a->label_offset_bytes;
  sweep->total_bytes += a->size_bytes;
}

void simt_rt_sweep_end(rt_sweep *sweep) {
  if (!sweep) return;
  const simt_platform *p = simt_host_platform();
  if (sweep->bytes) p->give_back(p->data, sweep->bytes, sweep->total_bytes * 2);
  free(sweep->items);
  free(sweep);
}

static bool copy_all(rt_sweep *sweep) {
  if (!sweep->total_bytes) return true;
  const simt_platform *p = simt_host_platform();
  sweep->bytes = p->borrow(p->data, sweep->total_bytes * 2);
  if (!sweep->bytes) return false;
  uint8_t *at = sweep->bytes;
  for (size_t i = 0; i < sweep->n; i++) {
    saved *s = &sweep->items[i];
    s->before = at;
    s->after = at + sweep->total_bytes;
    memcpy(s->before, s->live, (size_t)s->size_bytes);
    at += s->size_bytes;
  }
  return true;
}

// Reports, once, why there is no sweep. `too_large_bytes`: what would be copied; 0: no memory for
// it.
static void refuse(rt_context *context, uint64_t too_large_bytes) {
  if (context->sweep_refused) return;
  context->sweep_refused = true;
  if (too_large_bytes)
    simt_rt_note(context,
                 "no sweep over schedules: %" PRIu64
                 " MiB of device memory would have to be copied for "
                 "every launch (SIMT_SWEEP_MAX_MIB=%" PRIu64 "); try a smaller n",
                 too_large_bytes >> 20, context->options.sweep_max_bytes >> 20);
  else simt_rt_say("no sweep over schedules: out of host memory for copies of device memory");
}

static uint64_t threads_of(const simt_launch *l) {
  uint64_t n = 1;
  for (int i = 0; i < 3; i++) n *= (uint64_t)l->grid[i] * l->block[i];
  return n;
}

rt_sweep *simt_rt_sweep_begin(rt_context *context, const simt_launch *launch) {
  const rt_options *o = &context->options;
  if (!o->n_sweep || launch->kernel->uses_heap) return NULL; // its allocations would stay
  if (threads_of(launch) > o->sweep_max_threads) return NULL;
  rt_sweep *sweep = calloc(1, sizeof *sweep);
  if (sweep) simt_memory_each(context->memory, collect, sweep);
  bool too_large = sweep && sweep->total_bytes > context->options.sweep_max_bytes;
  if (sweep && !sweep->failed && !too_large && copy_all(sweep)) return sweep;
  refuse(context, too_large ? sweep->total_bytes : 0);
  simt_rt_sweep_end(sweep);
  return NULL;
}

// ---- Differences.

typedef struct difference {
  const saved *in;
  uint64_t offset, n_words; // first differing byte, rounded down to 4; differing words in all
} difference;

static uint32_t word_at(const uint8_t *bytes, uint64_t offset, uint64_t size_bytes) {
  uint32_t word = 0;
  memcpy(&word, bytes + offset, size_bytes - offset < 4 ? (size_t)(size_bytes - offset) : 4);
  return word;
}

static bool find_difference(const rt_sweep *sweep, difference *out) {
  *out = (difference){0};
  for (size_t i = 0; i < sweep->n; i++) {
    const saved *s = &sweep->items[i];
    if (!memcmp(s->live, s->after, (size_t)s->size_bytes)) continue;
    for (uint64_t at = 0; at < s->size_bytes; at += 4) {
      if (word_at(s->live, at, s->size_bytes) == word_at(s->after, at, s->size_bytes)) continue;
      if (!out->in) *out = (difference){.in = s, .offset = at};
      out->n_words += out->in == s;
    }
    return out->in != NULL; // the first allocation that differs tells enough
  }
  return false;
}

static bool looks_like_float(uint32_t word) {
  float value;
  memcpy(&value, &word, sizeof value);
  return word == 0 || (word > 0xfffff && simt_looks_like_float((double)value));
}

// "3.5 (0x40600000)" when both words look like floats, else as an integer.
static const char *print_word(uint32_t word, uint32_t other, char *out, size_t out_bytes) {
  float value;
  memcpy(&value, &word, sizeof value);
  if (word == SIMT_POISON_WORD)
    snprintf(out, out_bytes, "0x%08x (what uninitialised memory holds)", word);
  else if (looks_like_float(word) && looks_like_float(other) && (word || other))
    snprintf(out, out_bytes, "%.7g (0x%08x)", (double)value, word);
  else if (word < 1024) snprintf(out, out_bytes, "%u", word);
  else snprintf(out, out_bytes, "%d (0x%08x)", (int)word, word);
  return out;
}

static void name_place(const difference *d, char *out, size_t out_bytes) {
  if (d->in->name[0])
    snprintf(out, out_bytes, "word %" PRIu64 " of the variable %s", d->offset / 4, d->in->name);
  else if (d->in->label[0] && d->offset >= d->in->label_offset_bytes)
    snprintf(out, out_bytes, "word %" PRIu64 " of %s", (d->offset - d->in->label_offset_bytes) / 4,
             d->in->label);
  else
    snprintf(out, out_bytes, "word %" PRIu64 " of allocation #%" PRIu64 " (%" PRIu64 " bytes)",
             d->offset / 4, d->in->serial, d->in->size_bytes);
}

static void report(rt_context *context, const rt_sweep_launch *l, const difference *d,
                   const char *schedule, bool may_matter) {
  char text[1024], place[160], old[64], new[64], mangled[256], name[256];
  const saved *s = d->in;
  name_place(d, place, sizeof place);
  snprintf(mangled, sizeof mangled, "%.*s", SIMT_STR_ARG(l->kernel->name));
  simt_display_name(mangled, name, sizeof name);
  uint32_t was = word_at(s->after, d->offset, s->size_bytes);
  uint32_t is = word_at(s->live, d->offset, s->size_bytes);
  print_word(was, is, old, sizeof old);
  print_word(is, was, new, sizeof new);
  snprintf(text, sizeof text,
           "In kernel %s, launch %" PRIu64
           ": %s is %s when the threads run in lockstep, and %s under "
           "the schedule %s%s. %s\nTo see that run alone: SIMT_SCHEDULE=%s",
           name, l->number, place, old, new, schedule,
           d->n_words > 1 ? "; further words of it differ as well" : "",
           may_matter
               ? "The kernel has atomics on floats, or uses what an atomic returns: then rounding "
                 "or numbering may differ from run to run, as on a GPU. If neither explains it, a "
                 "synchronisation is missing."
               : "Nothing in CUDA promises either order: a synchronisation is missing, or threads "
                 "write to one place.",
           schedule);
  simt_findings_add_about(context->findings,
                          may_matter ? SIMT_FINDING_schedule_dependent_atomics
                                     : SIMT_FINDING_schedule_dependent,
                          name, text);
}

// ---- The runs.

// The i-th hostile schedule: first schedules that expose different errors, then more and more
// seeds.
static simt_schedule schedule_at(uint32_t i) {
  static const simt_schedule_kind kinds[] = {SIMT_SCHEDULE_REVERSE, SIMT_SCHEDULE_DELAYED_STORES,
                                             SIMT_SCHEDULE_LANE_SERIAL};
  uint32_t n = sizeof kinds / sizeof *kinds;
  if (i < n) return (simt_schedule){(uint8_t)kinds[i], 1};
  return (simt_schedule){SIMT_SCHEDULE_RANDOM, i - n + 1};
}

// Lanes that run one by one cost up to 32 times as much as the other schedules, and find what one
// warp shows: where launches are limited, theirs are smaller by that.
static bool is_too_slow(const rt_options *options, const simt_launch *launch) {
  return launch->schedule.kind == SIMT_SCHEDULE_LANE_SERIAL &&
         threads_of(launch) > options->sweep_max_threads / SIMT_LANES &&
         options->sweep_max_threads != UINT64_MAX;
}

static void restore(const rt_sweep *sweep) {
  for (size_t i = 0; i < sweep->n; i++)
    memcpy(sweep->items[i].live, sweep->items[i].before, (size_t)sweep->items[i].size_bytes);
}

static void keep_result(const rt_sweep *sweep) {
  for (size_t i = 0; i < sweep->n; i++)
    memcpy(sweep->items[i].after, sweep->items[i].live, (size_t)sweep->items[i].size_bytes);
}

static simt_status run_once(simt_memory *memory, const simt_launch *launch, simt_diag *diag,
                            simt_fault_record *fault) {
  simt_execution *execution;
  simt_status status = simt_execution_begin(&execution, memory, launch, diag);
  if (status != SIMT_OK) return status;
  simt_execution_advance(execution, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  *fault = *simt_execution_fault(execution);
  return simt_execution_end(execution);
}

simt_status simt_rt_sweep_run(rt_context *context, rt_sweep *sweep, const simt_launch *lockstep,
                              const rt_sweep_launch *l, simt_diag *diag, simt_fault_record *fault) {
  simt_launch launch = *lockstep;
  launch.n_observers = 0;
  launch.print = NULL;
  // Lanes that run one by one execute every instruction up to 32 times.
  uint64_t limit = launch.max_warp_instructions;
  launch.max_warp_instructions = limit < UINT64_MAX / SIMT_LANES ? limit * SIMT_LANES : UINT64_MAX;
  bool reported = false;
  keep_result(sweep);
  for (uint32_t i = 0; i < context->options.n_sweep; i++) {
    char schedule[48];
    difference d;
    launch.schedule = schedule_at(i);
    if (is_too_slow(&context->options, &launch)) continue;
    simt_schedule_print(launch.schedule, schedule, sizeof schedule);
    restore(sweep);
    simt_status status = run_once(context->memory, &launch, diag, fault);
    if (status != SIMT_OK) {
      simt_diag_append(diag,
                       "  only under the schedule %s; to see that run alone: SIMT_SCHEDULE=%s",
                       schedule, schedule);
      return status;
    }
    if (!find_difference(sweep, &d)) continue;
    // Delayed stores do not change the order of atomics, so atomics do not explain a difference
    // there.
    bool may_matter = launch.schedule.kind != SIMT_SCHEDULE_DELAYED_STORES &&
                      lockstep->kernel->facts.atomics_show_order;
    if (!reported || !may_matter) report(context, l, &d, schedule, may_matter);
    reported = true;
    if (!may_matter) break;
  }
  return SIMT_OK;
}
