// SPDX-License-Identifier: MIT
// recorder.c - a launch, one warp instruction at a time, through the engine's stepper.
//
// A step is written after it has run, with what it left in the register that it defines. Not here:
// registers of more than 64 bits, the contents of global memory, shared memory beyond 64 KiB.
#include "recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

enum { MOST_PTX_LINES = 1 << 16, MOST_ROWS = 512 };

// What one step did, as the observer is informed.
typedef struct step_events {
  bool has_access, has_collective, arrives, is_done;
  simt_access access;
  uint64_t address[SIMT_LANES];
  simt_collective_event collective;
  uint8_t source[SIMT_LANES];
} step_events;

struct recorder {
  simt_observer observer; // first: the core hands this back
  simt_sink out, one_line;
  uint32_t block;
  unsigned long most_steps, recorded;
  uint64_t launch;           // its number
  bool seen_block, is_whole; // whether the block, or all of it, has been recorded
  step_events now;
  uint32_t words[MOST_ROWS][SIMT_BANKS]; // shared memory before the step
  uint32_t after[MOST_ROWS][SIMT_BANKS];
  uint8_t is_known[MOST_PTX_LINES]; // PTX lines whose text has been written
};

// ---- Events.

static void on_access(simt_observer *self, const simt_access *access) {
  step_events *now = &((recorder *)(void *)self)->now;
  now->has_access = true;
  now->access = *access;
  memcpy(now->address, access->address, sizeof now->address);
}

static void on_collective(simt_observer *self, const simt_collective_event *event) {
  step_events *now = &((recorder *)(void *)self)->now;
  now->has_collective = true;
  now->collective = *event;
  for (unsigned l = 0; l < SIMT_LANES; l++) {
    now->source[l] = event->source ? event->source[l] : (uint8_t)l;
  }
}

static void on_barrier(simt_observer *self, const simt_barrier_event *event) {
  (void)event;
  ((recorder *)(void *)self)->now.arrives = true;
}

static void on_barrier_done(simt_observer *self, uint32_t block, uint32_t id) {
  (void)block, (void)id;
  ((recorder *)(void *)self)->now.is_done = true;
}

// ---- Writing.

// Findings are written over several lines; here a line is one object.
static void write_without_breaks(void *data, const char *text, size_t n_bytes) {
  const simt_sink *to = data;
  while (n_bytes > 0) {
    const char *stop = memchr(text, '\n', n_bytes);
    const size_t n = stop ? (size_t)(stop - text) : n_bytes;
    simt_sink_write(to, text, n);
    text += stop ? n + 1 : n;
    n_bytes -= stop ? n + 1 : n;
  }
}

static void put_string(const simt_sink *out, simt_str text) {
  char copy[512];
  const size_t n = text.size < sizeof copy - 1 ? text.size : sizeof copy - 1;
  memcpy(copy, text.at, n);
  copy[n] = '\0';
  simt_json_string(out, copy);
}

static void put_value(const simt_sink *out, const simt_values *values, unsigned lane) {
  const uint32_t low = (uint32_t)values->value[lane];
  const bool is_float = values->type == PTX_F32;
  float number;
  memcpy(&number, &low, sizeof number);
  if (!(values->valid >> lane & 1)) simt_sink_text(out, "null");
  else if (is_float && number - number == 0) simt_sink_printf(out, "%.9g", (double)number);
  else if (is_float) // no number of JSON
    simt_sink_text(out, number != number ? "\"NaN\"" : number > 0 ? "\"inf\"" : "\"-inf\"");
  else if (values->type == PTX_S32) simt_sink_printf(out, "%" PRId32, (int32_t)low);
  else simt_sink_printf(out, "%" PRIu64, values->value[lane]);
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

static void put_register(const simt_sink *out, const simt_run *run, const simt_place *at) {
  char name[64];
  simt_values values;
  if (!defined_register(at->ptx, name, sizeof name) ||
      simt_run_register(run, at->resident, at->warp, name, &values) != SIMT_OK)
    return;
  values.valid &= at->mask;
  if (values.valid == 0 || values.size_bytes > 8) return;
  simt_sink_printf(out, ",\"r\":[\"%s\",\"%s\",[", name, values.type == PTX_F32 ? "f32" : "int");
  for (unsigned l = 0; l < SIMT_LANES; l++) {
    if (l > 0) simt_sink_text(out, ",");
    put_value(out, &values, l);
  }
  simt_sink_text(out, "]]");
}

static void put_access(const simt_sink *out, const step_events *now) {
  static const char *const kinds[] = {"load", "store", "atomic"};
  const simt_access *a = &now->access;
  simt_sink_printf(out, ",\"a\":{\"kind\":\"%s\",\"space\":\"%s\",\"bytes\":%u,\"at\":[",
                   kinds[a->kind],
                   a->space == PTX_SPACE_SHARED  ? "shared"
                   : a->space == PTX_SPACE_LOCAL ? "local"
                                                 : "global",
                   a->width_bytes);
  for (unsigned l = 0; l < SIMT_LANES; l++) {
    if (l > 0) simt_sink_text(out, ",");
    if (a->mask >> l & 1) simt_sink_printf(out, "%" PRIu64, now->address[l]);
    else simt_sink_text(out, "null");
  }
  simt_sink_text(out, "]}");
}

static void put_collective(const simt_sink *out, const step_events *now) {
  static const char *const kinds[] = {"syncwarp", "shuffle", "vote", "match", "redux"};
  const simt_collective_event *c = &now->collective;
  simt_sink_printf(out, ",\"c\":{\"kind\":\"%s\",\"members\":%u,\"mask\":%u,\"from\":[",
                   kinds[c->kind], c->members, c->mask);
  for (unsigned l = 0; l < SIMT_LANES; l++) {
    if (l > 0) simt_sink_text(out, ",");
    if (c->mask >> l & 1) simt_sink_printf(out, "%u", now->source[l]);
    else simt_sink_text(out, "null");
  }
  simt_sink_text(out, "]}");
}

static void put_shared(recorder *r, const simt_run *run, uint32_t resident) {
  const simt_sink *out = &r->out;
  uint32_t n_rows = simt_run_shared(run, resident, 0, MOST_ROWS, r->after);
  if (n_rows > MOST_ROWS) n_rows = MOST_ROWS;
  const char *before = ",\"s\":[";
  for (uint32_t i = 0; i < n_rows * SIMT_BANKS; i++) {
    const uint32_t was = r->words[i / SIMT_BANKS][i % SIMT_BANKS];
    const uint32_t is = r->after[i / SIMT_BANKS][i % SIMT_BANKS];
    if (was == is) continue;
    simt_sink_printf(out, "%s[%u,%u,%u]", before, i, was, is);
    before = ",";
  }
  if (before[1] == '\0') simt_sink_text(out, "]");
  memcpy(r->words, r->after, sizeof r->words);
}

static void put_groups(const simt_sink *out, const simt_run *run, const simt_place *at) {
  static const char *const states[] = {"ready", "barrier", "collective", "grid", "waits"};
  simt_warp_view warp;
  if (simt_run_warp(run, at->resident, at->warp, &warp) != SIMT_OK) return;
  simt_sink_text(out, ",\"g\":[");
  for (uint32_t i = 0; i < warp.n_groups; i++) {
    simt_sink_printf(out, "%s[%u,\"%s\"]", i > 0 ? "," : "", warp.groups[i].at.mask,
                     states[warp.groups[i].state]);
  }
  simt_sink_text(out, "]");
}

static bool is_in_block(const recorder *r, const simt_run *run, const simt_place *at) {
  simt_block_view block;
  return simt_run_block(run, at->resident, &block) == SIMT_OK && block.index == r->block;
}

static void put_step(recorder *r, const simt_run *run, const simt_place *at, unsigned long before) {
  const simt_sink *out = &r->out;
  simt_sink_printf(out, "{\"w\":%u,\"m\":%u,\"t\":%lu,\"file\":", at->warp, at->mask, before);
  put_string(out, at->file);
  simt_sink_printf(out, ",\"l\":%u,\"p\":%u", at->line, at->ptx_line);
  if (at->ptx_line < MOST_PTX_LINES && !r->is_known[at->ptx_line]) {
    r->is_known[at->ptx_line] = 1;
    simt_sink_text(out, ",\"x\":");
    put_string(out, at->ptx);
  }
  put_register(out, run, at);
  if (r->now.has_access) put_access(out, &r->now);
  // With its last step a block leaves, and its place may be the next block's by now.
  const bool is_there = is_in_block(r, run, at);
  if (is_there) put_shared(r, run, at->resident);
  if (r->now.has_collective) put_collective(out, &r->now);
  if (r->now.arrives || r->now.is_done)
    simt_sink_printf(out, ",\"b\":\"%s\"", r->now.is_done ? "done" : "arrive");
  if (is_there) put_groups(out, run, at);
  else simt_sink_text(out, ",\"g\":[]");
  simt_sink_text(out, "}\n");
}

static void put_launch(const simt_sink *out, const simt_run *run) {
  const simt_launch_info *info = simt_run_info(run);
  char symbol[256], name[256];
  snprintf(symbol, sizeof symbol, "%.*s", (int)info->kernel->name.size, info->kernel->name.at);
  simt_sink_text(out, "{\"trace\":\"launch\",\"kernel\":");
  simt_json_string(out, simt_display_name(symbol, name, sizeof name));
  simt_sink_printf(
      out, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared_bytes\":%" PRIu64 ",\"arrays\":[",
      info->grid[0], info->grid[1], info->grid[2], info->block[0], info->block[1], info->block[2],
      info->shared_bytes);
  for (uint32_t i = 0; i < info->n_shared_variables; i++) {
    const simt_shared_variable *v = &info->shared_variables[i];
    simt_sink_printf(out, "%s[", i > 0 ? "," : "");
    put_string(out, v->name);
    simt_sink_printf(out, ",%" PRIu64 ",%" PRIu64 "]", (uint64_t)v->offset_bytes,
                     (uint64_t)v->size_bytes);
  }
  simt_sink_text(out, "]}\n");
}

// ---- The launch.

recorder *recorder_create(const simt_sink *to, uint32_t block, unsigned long most_steps) {
  recorder *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->observer = (simt_observer){.access = on_access,
                                .collective = on_collective,
                                .barrier = on_barrier,
                                .barrier_done = on_barrier_done};
  r->out = *to;
  r->one_line = (simt_sink){write_without_breaks, &r->out};
  r->block = block;
  r->most_steps = most_steps;
  return r;
}

void recorder_destroy(recorder *r) { free(r); }

simt_observer *recorder_observer(recorder *r) { return &r->observer; }

void recorder_run(recorder *r, simt_run *run) {
  r->launch = simt_run_info(run)->launch;
  put_launch(&r->out, run);
  simt_execution_state state = simt_run_advance(run, SIMT_UNTIL_END, 0);
  for (unsigned long t = 0; state == SIMT_EXECUTION_HELD && r->recorded < r->most_steps; t++) {
    simt_place at;
    const bool known = simt_run_current(run, &at) == SIMT_OK && is_in_block(r, run, &at);
    if (known && !r->seen_block) {
      simt_run_shared(run, at.resident, 0, MOST_ROWS, r->words);
      r->seen_block = true;
    }
    memset(&r->now, 0, sizeof r->now);
    state = simt_run_advance(run, SIMT_UNTIL_END, 1);
    if (!known) continue;
    put_step(r, run, &at, t);
    r->recorded++;
  }
  r->is_whole = state != SIMT_EXECUTION_HELD;
}

void recorder_end(recorder *r, const simt_findings *findings) {
  simt_sink_printf(&r->out,
                   "{\"trace\":\"end\",\"launch\":%" PRIu64
                   ",\"recorded\":%lu,\"whole\":%s,\"findings\":[",
                   r->launch, r->recorded, r->is_whole ? "true" : "false");
  if (findings) simt_findings_write_json(findings, &r->one_line);
  simt_sink_text(&r->out, "]}\n");
}
