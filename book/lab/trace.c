// SPDX-License-Identifier: MIT
// trace.c - records a launch step by step, for the page's player and for the pictures of the book.
//
// Linked into a lesson's program with --wrap=simt_run_begin,--wrap=simt_run_advance: where the
// environment has LAB_TRACE=LAUNCH:BLOCK (both numbers; the first launch is 1), that launch is
// stepped one warp instruction at a time, and each step of that block becomes a line of JSON on
// stdout. All else runs as ever. Invariant: tracing changes no result and no count.
//
//   {"trace":"launch","kernel":…,"grid":[…],"block":[…],"shared_bytes":…,
//    "arrays":[[name,byte,bytes]…]}
//   {"w":warp,"m":mask,"file":…,"l":line,"p":PTX line, "x":its text (the first time), and what the
//    step did: "r":[register,type,[value or null per lane]], "a":{"kind","space","bytes","at":[…]},
//    "s":[[word,bits before,bits after]…] of shared memory, "c":{"kind","members","from":[…]},
//    "b":"arrive" or "done", "g":[[mask,state]…] where the warp's lanes stand afterwards}
//   {"trace":"end","steps":…,"recorded":…}
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/engine.h"

enum { MOST_STEPS = 20000, MOST_PTX_LINES = 1 << 16, MOST_ROWS = 512 };

simt_status __real_simt_run_begin(simt_run **run, simt_engine *engine, const simt_launch *launch,
                                  const void *const *arguments, uint32_t n, simt_diag *diag);
simt_status __wrap_simt_run_begin(simt_run **run, simt_engine *engine, const simt_launch *launch,
                                  const void *const *arguments, uint32_t n, simt_diag *diag);
simt_execution_state __real_simt_run_advance(simt_run *run, simt_until until, uint64_t budget);
simt_execution_state __wrap_simt_run_advance(simt_run *run, simt_until until, uint64_t budget);

// What one step did, as the observer is informed.
typedef struct step_events {
  bool has_access, has_collective, arrives, is_done;
  simt_access access;
  uint64_t address[SIMT_LANES];
  simt_collective_event collective;
  uint8_t source[SIMT_LANES];
} step_events;

typedef struct tracer {
  simt_observer observer; // first: the core hands this back
  uint64_t launch;        // to be traced; 0: none
  uint32_t block;
  bool is_on; // this launch is the one
  step_events now;
  uint32_t words[MOST_ROWS][SIMT_BANKS]; // shared memory before the step
  uint8_t is_known[MOST_PTX_LINES];      // PTX lines whose text has been written
} tracer;

static tracer the_tracer;

// ---- Events.

static void on_access(simt_observer *self, const simt_access *access) {
  step_events *now = &((tracer *)(void *)self)->now;
  now->has_access = true;
  now->access = *access;
  memcpy(now->address, access->address, sizeof now->address);
}

static void on_collective(simt_observer *self, const simt_collective_event *event) {
  step_events *now = &((tracer *)(void *)self)->now;
  now->has_collective = true;
  now->collective = *event;
  for (unsigned l = 0; l < SIMT_LANES; l++) {
    now->source[l] = event->source ? event->source[l] : (uint8_t)l;
  }
}

static void on_barrier(simt_observer *self, const simt_barrier_event *event) {
  (void)event;
  ((tracer *)(void *)self)->now.arrives = true;
}

static void on_barrier_done(simt_observer *self, uint32_t block, uint32_t id) {
  (void)block, (void)id;
  ((tracer *)(void *)self)->now.is_done = true;
}

// ---- Writing.

static void put(void *data, const char *text, size_t n_bytes) {
  (void)data;
  fwrite(text, 1, n_bytes, stdout);
}
static const simt_sink out = {.write = put};

static void put_string(simt_str text) {
  char copy[512];
  const size_t n = text.size < sizeof copy - 1 ? text.size : sizeof copy - 1;
  memcpy(copy, text.at, n);
  copy[n] = '\0';
  simt_json_string(&out, copy);
}

static void put_value(const simt_values *values, unsigned lane) {
  const uint32_t low = (uint32_t)values->value[lane];
  const bool is_float = values->type == PTX_F32;
  float number;
  memcpy(&number, &low, sizeof number);
  if (!(values->valid >> lane & 1)) printf("null");
  else if (is_float && number - number == 0) printf("%.9g", (double)number);
  else if (is_float) printf("\"%g\"", (double)number);
  else printf("%" PRIu64, values->value[lane]);
}

// The register that the instruction at `ptx` defines; false when it is none.
static bool defined_register(simt_str ptx, char *name, size_t name_bytes) {
  const char *at = ptx.at, *end = ptx.at + ptx.size;
  if (at < end && *at == '@') { // a guard
    while (at < end && *at != ' ' && *at != '\t') at++;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
  }
  while (at < end && *at != ' ' && *at != '\t') at++; // the opcode
  while (at < end && (*at == ' ' || *at == '\t' || *at == '{')) at++;
  size_t n = 0;
  while (at < end && n + 1 < name_bytes && *at != ',' && *at != ';' && *at != '|' && *at != ' ' &&
         *at != '}')
    name[n++] = *at++;
  name[n] = '\0';
  return name[0] == '%';
}

static void put_register(const simt_run *run, const simt_place *at, uint32_t mask) {
  char name[64];
  simt_values values;
  if (!defined_register(at->ptx, name, sizeof name) ||
      simt_run_register(run, at->resident, at->warp, name, &values) != SIMT_OK)
    return;
  values.valid &= mask;
  if (values.valid == 0) return;
  printf(",\"r\":[\"%s\",\"%s\",[", name, values.type == PTX_F32 ? "f32" : "int");
  for (unsigned l = 0; l < SIMT_LANES; l++) {
    if (l > 0) putchar(',');
    put_value(&values, l);
  }
  printf("]]");
}

static void put_access(const step_events *now) {
  static const char *const kinds[] = {"load", "store", "atomic"};
  const simt_access *a = &now->access;
  printf(",\"a\":{\"kind\":\"%s\",\"space\":\"%s\",\"bytes\":%u,\"at\":[", kinds[a->kind],
         a->space == PTX_SPACE_SHARED  ? "shared"
         : a->space == PTX_SPACE_LOCAL ? "local"
                                       : "global",
         a->width_bytes);
  for (unsigned l = 0; l < SIMT_LANES; l++) {
    if (l > 0) putchar(',');
    if (a->mask >> l & 1) printf("%" PRIu64, now->address[l]);
    else printf("null");
  }
  printf("]}");
}

static void put_collective(const step_events *now) {
  static const char *const kinds[] = {"syncwarp", "shuffle", "vote", "match", "redux"};
  const simt_collective_event *c = &now->collective;
  printf(",\"c\":{\"kind\":\"%s\",\"members\":%u,\"mask\":%u,\"from\":[", kinds[c->kind],
         c->members, c->mask);
  for (unsigned l = 0; l < SIMT_LANES; l++) {
    if (l > 0) putchar(',');
    if (c->mask >> l & 1) printf("%u", now->source[l]);
    else printf("null");
  }
  printf("]}");
}

static void put_shared(tracer *t, const simt_run *run, uint32_t resident) {
  static uint32_t words[MOST_ROWS][SIMT_BANKS];
  uint32_t n_rows = simt_run_shared(run, resident, 0, MOST_ROWS, words);
  if (n_rows > MOST_ROWS) n_rows = MOST_ROWS;
  const char *before = ",\"s\":[";
  for (uint32_t i = 0; i < n_rows * SIMT_BANKS; i++) {
    const uint32_t was = t->words[i / SIMT_BANKS][i % SIMT_BANKS];
    const uint32_t is = words[i / SIMT_BANKS][i % SIMT_BANKS];
    if (was == is) continue;
    printf("%s[%u,%u,%u]", before, i, was, is);
    before = ",";
  }
  if (before[1] == '\0') putchar(']');
  memcpy(t->words, words, sizeof words);
}

static void put_groups(const simt_run *run, const simt_place *at) {
  static const char *const states[] = {"ready", "barrier", "collective", "grid", "waits"};
  simt_warp_view warp;
  if (simt_run_warp(run, at->resident, at->warp, &warp) != SIMT_OK) return;
  printf(",\"g\":[");
  for (uint32_t i = 0; i < warp.n_groups; i++) {
    printf("%s[%u,\"%s\"]", i > 0 ? "," : "", warp.groups[i].at.mask, states[warp.groups[i].state]);
  }
  printf("]");
}

static void put_step(tracer *t, const simt_run *run, const simt_place *at) {
  printf("{\"w\":%u,\"m\":%u,\"file\":", at->warp, at->mask);
  put_string(at->file);
  printf(",\"l\":%u,\"p\":%u", at->line, at->ptx_line);
  if (at->ptx_line < MOST_PTX_LINES && !t->is_known[at->ptx_line]) {
    t->is_known[at->ptx_line] = 1;
    printf(",\"x\":");
    put_string(at->ptx);
  }
  put_register(run, at, at->mask);
  if (t->now.has_access) put_access(&t->now);
  put_shared(t, run, at->resident);
  if (t->now.has_collective) put_collective(&t->now);
  if (t->now.arrives || t->now.is_done) printf(",\"b\":\"%s\"", t->now.is_done ? "done" : "arrive");
  put_groups(run, at);
  printf("}\n");
}

static void put_launch(const simt_run *run) {
  const simt_launch_info *info = simt_run_info(run);
  printf("{\"trace\":\"launch\",\"kernel\":");
  put_string(info->kernel->name);
  printf(",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared_bytes\":%" PRIu64 ",\"arrays\":[",
         info->grid[0], info->grid[1], info->grid[2], info->block[0], info->block[1],
         info->block[2], info->shared_bytes);
  for (uint32_t i = 0; i < info->n_shared_variables; i++) {
    const simt_shared_variable *v = &info->shared_variables[i];
    printf("%s[", i > 0 ? "," : "");
    put_string(v->name);
    printf(",%" PRIu64 ",%" PRIu64 "]", (uint64_t)v->offset_bytes, (uint64_t)v->size_bytes);
  }
  printf("]}\n");
}

// ---- The launch.

static void read_request(tracer *t) {
  unsigned launch = 0, block = 0;
  const char *text = getenv("LAB_TRACE");
  t->observer = (simt_observer){.access = on_access,
                                .collective = on_collective,
                                .barrier = on_barrier,
                                .barrier_done = on_barrier_done};
  if (text && sscanf(text, "%u:%u", &launch, &block) == 2) t->launch = launch, t->block = block;
}

simt_status __wrap_simt_run_begin(simt_run **run, simt_engine *engine, const simt_launch *launch,
                                  const void *const *arguments, uint32_t n, simt_diag *diag) {
  tracer *t = &the_tracer;
  read_request(t);
  t->is_on = t->launch != 0 && simt_engine_n_launches(engine) + 1 == t->launch;
  if (!t->is_on) return __real_simt_run_begin(run, engine, launch, arguments, n, diag);
  simt_observer *observers[] = {&t->observer};
  simt_launch traced = *launch;
  traced.observers = observers;
  traced.n_observers = 1;
  return __real_simt_run_begin(run, engine, &traced, arguments, n, diag);
}

static bool is_in_block(const tracer *t, const simt_run *run, const simt_place *at) {
  simt_block_view block;
  return simt_run_block(run, at->resident, &block) == SIMT_OK && block.index == t->block;
}

simt_execution_state __wrap_simt_run_advance(simt_run *run, simt_until until, uint64_t budget) {
  tracer *t = &the_tracer;
  if (!t->is_on) return __real_simt_run_advance(run, until, budget);
  unsigned steps = 0, recorded = 0;
  bool seen_block = false;
  put_launch(run);
  simt_execution_state state = __real_simt_run_advance(run, until, 0);
  while (state == SIMT_EXECUTION_HELD) {
    simt_place at;
    const bool known = simt_run_current(run, &at) == SIMT_OK && is_in_block(t, run, &at);
    if (known && !seen_block) {
      simt_run_shared(run, at.resident, 0, MOST_ROWS, t->words);
      seen_block = true;
    }
    memset(&t->now, 0, sizeof t->now);
    state = __real_simt_run_advance(run, SIMT_UNTIL_END, 1);
    steps++;
    if (known && recorded < MOST_STEPS) put_step(t, run, &at), recorded++;
  }
  printf("{\"trace\":\"end\",\"steps\":%u,\"recorded\":%u}\n", steps, recorded);
  fflush(stdout);
  t->is_on = false;
  return state;
}
