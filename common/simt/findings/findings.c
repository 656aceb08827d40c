// SPDX-License-Identifier: MIT
// findings/findings.c - the set of findings: what is new, what has been seen before, and the
// numbers.
//
// A broken kernel can give a finding per access, so an instruction pair that has a record is known
// by a table of this launch's instruction indices; only new pairs are compared by source line.
// Invariants: records are never removed and never move; the witness of a record is the first one
// with the widest relation (what orders two blocks orders two warps as well).
// Not thread-safe: the checkers run on one host thread, or join their workers in block order.
#include "findings/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN = 1024, MOST_FINDINGS = 10000 };

typedef struct finding_key {
  uint32_t first_pc, second_pc;
  uint16_t kind; // + 1; 0: empty
  uint16_t space;
  uint32_t record;
} finding_key;

// ---- The table of kinds.

typedef struct kind_row {
  const char *name, *title;
  simt_checker checker;
  simt_severity severity;
} kind_row;

static const kind_row kinds[SIMT_FINDING_COUNT] = {
#define SIMT_FINDING(name, checker, severity, title)                                               \
  {#name, title, SIMT_CHECKER_##checker, SIMT_SEVERITY_##severity},
#include "findings/findings.def"
#undef SIMT_FINDING
};

const char *simt_checker_name(simt_checker checker) {
  static const char *const names[SIMT_CHECKER_COUNT] = {
      [SIMT_CHECKER_CORE] = "device",         [SIMT_CHECKER_MEMCHECK] = "memcheck",
      [SIMT_CHECKER_INITCHECK] = "initcheck", [SIMT_CHECKER_SYNCCHECK] = "synccheck",
      [SIMT_CHECKER_RACECHECK] = "racecheck", [SIMT_CHECKER_SCHEDULE] = "schedule"};
  return checker < SIMT_CHECKER_COUNT ? names[checker] : "unknown";
}

const char *simt_finding_name(simt_finding_kind kind) { return kinds[kind].name; }
const char *simt_finding_title(simt_finding_kind kind) { return kinds[kind].title; }
simt_checker simt_finding_checker(simt_finding_kind kind) { return kinds[kind].checker; }
simt_severity simt_finding_severity(simt_finding_kind kind) { return kinds[kind].severity; }

// ---- The set.

simt_findings *simt_findings_create(const simt_memory *memory) {
  simt_findings *set = calloc(1, sizeof *set);
  finding_key *seen = set ? calloc(SEEN, sizeof *seen) : NULL;
  if (!seen) {
    free(set);
    return NULL;
  }
  set->seen = seen;
  set->memory = memory;
  return set;
}

void simt_findings_destroy(simt_findings *set) {
  if (!set) return;
  for (size_t i = 0; i < set->n; i++) free(set->records[i]->text);
  simt_finding_sources_free(set);
  simt_arena_free(&set->arena);
  free(set->records);
  free(set->held);
  free(set->seen);
  free(set);
}

void simt_findings_set_reader(simt_findings *set, const simt_source_reader *reader) {
  set->reader = *reader;
}

void simt_findings_set_memory(simt_findings *set, const simt_memory *memory) {
  set->memory = memory;
}

void simt_findings_set_launch(simt_findings *set, const simt_launch_info *info) {
  set->in_launch = info != NULL;
  if (info) set->launch = *info;
  if (set->seen_used) memset(set->seen, 0, SEEN * sizeof *set->seen);
  set->seen_used = false;
}

// NULL: out of memory, or there are too many; counted as lost.
static finding_record *new_record(simt_findings *set) {
  finding_record *record =
      set->n < MOST_FINDINGS ? SIMT_ARENA_NEW(&set->arena, finding_record) : NULL;
  if (record && set->n == set->capacity) {
    size_t capacity = set->capacity ? 2 * set->capacity : 64;
    finding_record **grown = realloc(set->records, capacity * sizeof(finding_record *));
    if (grown) set->records = grown, set->capacity = capacity;
    else record = NULL;
  }
  if (!record) {
    set->n_lost++;
    return NULL;
  }
  set->records[set->n++] = record;
  return record;
}

void simt_findings_raise(simt_findings *set, simt_finding_kind kind) { set->raised[kind] = true; }

static simt_severity severity_of(const simt_findings *set, simt_finding_kind kind) {
  return set->raised[kind] ? SIMT_SEVERITY_ERROR : kinds[kind].severity;
}

static void count_new(simt_findings *set, const finding_record *record) {
  if (record->severity == SIMT_SEVERITY_ERROR) set->n_errors++;
  else set->n_notes++;
}

static void count_again(simt_findings *set, finding_record *record) {
  record->count++;
  if (record->latest_launch == set->launch.launch) return;
  record->latest_launch = set->launch.launch;
  record->n_launches++;
}

// The table's entry for this pair of instructions: its own, or the empty one it would take. NULL:
// the table is full.
static finding_key *find_key(const simt_findings *set, const simt_finding *f) {
  uint32_t hash = (f->first.pc * UINT32_C(2654435761)) ^ (f->second.pc * UINT32_C(2246822519)) ^
                  ((uint32_t)f->kind << 7) ^ f->space;
  for (uint32_t i = 0; i < SEEN; i++) {
    finding_key *k = &set->seen[(hash + i) % SEEN];
    if (!k->kind || (k->kind == f->kind + 1 && k->space == f->space && k->first_pc == f->first.pc &&
                     k->second_pc == f->second.pc))
      return k;
  }
  return NULL;
}

static bool same_line(const finding_place *a, const finding_place *b) {
  if (!a->n_frames || !b->n_frames) return a->n_frames == b->n_frames;
  return a->frames[0].line == b->frames[0].line && a->frames[0].file == b->frames[0].file;
}

static uint32_t find_by_lines(const simt_findings *set, const finding_record *like) {
  for (uint32_t i = 0; i < set->n; i++) {
    const finding_record *r = set->records[i];
    if (r->kind == like->kind && r->space == like->space && !r->text &&
        same_line(&r->first, &like->first) && same_line(&r->second, &like->second))
      return i;
  }
  return UINT32_MAX;
}

// All but count and key: what the witness tells.
static void fill(simt_findings *set, const simt_finding *f, finding_record *record) {
  record->kind = f->kind;
  record->severity = severity_of(set, f->kind);
  record->relation = f->relation;
  record->space = f->space;
  record->address = f->address;
  record->width_bytes = f->width_bytes;
  simt_finding_locate(set, &f->first, &record->first);
  simt_finding_locate(set, &f->second, &record->second);
  simt_finding_target(set, f, record);
  record->one_warp = set->in_launch && set->launch.warps_per_block == 1;
  record->in_parts = simt_finding_waits_in_parts(set);
  record->unrolled = simt_finding_is_unrolled(set, f->first.pc);
  record->forward = simt_finding_reaches(set, f->first.pc, f->second.pc);
  record->back = simt_finding_reaches(set, f->second.pc, f->first.pc);
  bool second_writes = f->first.act != SIMT_ACT_WRITE && f->second.act == SIMT_ACT_WRITE;
  uint32_t write = second_writes ? f->second.pc : f->first.pc;
  uint32_t other = second_writes ? f->first.pc : f->second.pc;
  bool block_only = f->relation >= SIMT_RELATION_BLOCK;
  record->freely = simt_finding_reaches_freely(set, write, other, block_only) ||
                   (f->kind == SIMT_FINDING_race_write_after_write &&
                    simt_finding_reaches_freely(set, other, write, block_only));
  memcpy(record->detail, f->detail, sizeof record->detail);
  memcpy(record->advice, f->advice, sizeof record->advice);
  record->detail[sizeof record->detail - 1] = record->advice[sizeof record->advice - 1] = '\0';
  record->launch = set->in_launch ? set->launch.launch : 0;
  record->device = set->launch.device;
  record->n_devices = set->launch.n_devices;
  simt_finding_name_kernel(set, record);
}

static bool is_in_warp(const simt_finding *f) {
  return f->relation == SIMT_RELATION_LANE || f->relation == SIMT_RELATION_WARP;
}

static void witness(simt_findings *set, const simt_finding *f, finding_record *record) {
  if (f->relation > record->relation) fill(set, f, record);
  record->count_in_warp += is_in_warp(f);
  count_again(set, record);
}

void simt_findings_add(simt_findings *set, const simt_finding *f) {
  finding_key *key = set->in_launch ? find_key(set, f) : NULL;
  if (key && key->kind) {
    witness(set, f, set->records[key->record]);
    return;
  }
  finding_record made = {0};
  fill(set, f, &made);
  uint32_t at = find_by_lines(set, &made);
  if (at != UINT32_MAX) {
    witness(set, f, set->records[at]);
  } else {
    finding_record *record = new_record(set);
    if (!record) return;
    at = (uint32_t)set->n - 1;
    *record = made;
    record->count = record->n_launches = 1;
    record->count_in_warp = is_in_warp(f);
    record->latest_launch = set->launch.launch;
    count_new(set, record);
  }
  if (!key) return;
  *key = (finding_key){f->first.pc, f->second.pc, (uint16_t)(f->kind + 1), f->space, at};
  set->seen_used = true;
}

uint32_t simt_findings_hold(simt_findings *set, const simt_finding *f) {
  finding_record *record = SIMT_ARENA_NEW(&set->arena, finding_record);
  if (record && set->n_held == set->held_capacity) {
    size_t capacity = set->held_capacity ? 2 * set->held_capacity : 16;
    finding_record **grown = realloc(set->held, capacity * sizeof(finding_record *));
    if (grown) set->held = grown, set->held_capacity = capacity;
    else record = NULL;
  }
  if (!record) return 0;
  *record = (finding_record){.count = 1, .n_launches = 1, .count_in_warp = is_in_warp(f)};
  fill(set, f, record);
  record->latest_launch = record->launch;
  set->held[set->n_held++] = record;
  return (uint32_t)set->n_held;
}

void simt_findings_release(simt_findings *set, uint32_t held) {
  if (!held || held > set->n_held) return;
  const finding_record *made = set->held[held - 1];
  uint32_t at = find_by_lines(set, made);
  if (at != UINT32_MAX) {
    count_again(set, set->records[at]);
    return;
  }
  finding_record *record = new_record(set);
  if (!record) return;
  *record = *made;
  count_new(set, record);
}

// The record that is this text, or, when `kernel` is given, any text about this kernel; NULL: none.
static finding_record *find_text(const simt_findings *set, simt_finding_kind kind,
                                 const char *kernel, const char *text) {
  for (size_t i = 0; i < set->n; i++) {
    finding_record *r = set->records[i];
    if (r->kind == kind && r->text && !strcmp(kernel ? r->kernel : r->text, kernel ? kernel : text))
      return r;
  }
  return NULL;
}

// A record that is a text; what the set has already is counted again, and then NULL is returned.
static finding_record *add_text(simt_findings *set, simt_finding_kind kind, const char *kernel,
                                const char *text) {
  finding_record *known = find_text(set, kind, kernel, text);
  if (known) return count_again(set, known), NULL;
  size_t bytes = strlen(text) + 1;
  char *copy = malloc(bytes);
  finding_record *record = copy ? new_record(set) : NULL;
  if (!record) {
    if (!copy) set->n_lost++;
    free(copy);
    return NULL;
  }
  memcpy(copy, text, bytes);
  record->kind = kind;
  record->severity = severity_of(set, kind);
  record->text = copy;
  record->element = -1;
  record->count = record->n_launches = 1;
  record->launch = record->latest_launch = set->in_launch ? set->launch.launch : 0;
  if (kernel) snprintf(record->kernel, sizeof record->kernel, "%s", kernel);
  count_new(set, record);
  return record;
}

void simt_findings_add_text(simt_findings *set, simt_finding_kind kind, const char *text) {
  add_text(set, kind, NULL, text);
}

void simt_findings_add_about(simt_findings *set, simt_finding_kind kind, const char *kernel,
                             const char *text) {
  add_text(set, kind, kernel, text);
}

void simt_findings_add_fault(simt_findings *set, simt_finding_kind kind, const simt_site *site,
                             const simt_fault_info *fault, const char *text) {
  finding_record *record = add_text(set, kind, NULL, text);
  set->latest_fault = record ? record : find_text(set, kind, NULL, text);
  if (!record) return;
  record->printed = record->is_fault = true;
  record->fault_space = (uint8_t)fault->space;
  record->fault_wait = (uint8_t)fault->wait;
  if (!site || !set->in_launch) return;
  simt_finding_locate(set, site, &record->first);
  simt_finding_name_kernel(set, record);
}

uint64_t simt_findings_errors(const simt_findings *set) { return set->n_errors; }
uint64_t simt_findings_errors_but_faults(const simt_findings *set) {
  uint64_t n = 0;
  for (size_t i = 0; i < set->n; i++)
    n += set->records[i]->severity == SIMT_SEVERITY_ERROR && !set->records[i]->is_fault;
  return n;
}
uint64_t simt_findings_notes(const simt_findings *set) { return set->n_notes; }
uint64_t simt_findings_lost(const simt_findings *set) { return set->n_lost; }
