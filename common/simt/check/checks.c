// SPDX-License-Identifier: MIT
// check/checks.c - the checkers that are on, as one object: their observers and the host's
// notifications. Leaks are found here, because they are not an event of a kernel.
#include "check/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct simt_checks {
  simt_memory *memory;
  simt_findings *findings;
  simt_observer *memcheck, *initcheck, *synccheck, *exitcheck, *racecheck; // NULL: off
  bool finds_leaks;
};

// Creates one checker when it is wanted; false when there is no memory for it.
static bool create(simt_observer **out, bool wanted, simt_observer *(*maker)(simt_findings *),
                   simt_findings *findings) {
  if (wanted) *out = maker(findings);
  return !wanted || *out;
}

static void tell_of_allocation(const simt_allocation *allocation, void *data) {
  simt_checks_allocated(data, allocation);
}

// Findings that are notes unless they are asked for.
static void raise_to_errors(simt_findings *findings, unsigned checkers) {
  if (checkers & SIMT_CHECK_LEAKS) simt_findings_raise(findings, SIMT_FINDING_leak);
  if (checkers & SIMT_CHECK_OUTPUT)
    simt_findings_raise(findings, SIMT_FINDING_output_never_written);
  if (!(checkers & SIMT_CHECK_EXITED)) return;
  simt_findings_raise(findings, SIMT_FINDING_exited_threads);
  simt_findings_raise(findings, SIMT_FINDING_absent_lane);
}

simt_status simt_checks_create(simt_checks **checks, unsigned checkers, simt_memory *memory,
                               simt_findings *findings) {
  simt_checks *c = *checks = calloc(1, sizeof *c);
  if (!c) return SIMT_OUT_OF_MEMORY;
  c->memory = memory;
  c->findings = findings;
  c->finds_leaks = checkers & (SIMT_CHECK_MEMCHECK | SIMT_CHECK_LEAKS);
  raise_to_errors(findings, checkers);
  if (!create(&c->memcheck, checkers & SIMT_CHECK_MEMCHECK, simt_memcheck_create, findings) ||
      !create(&c->initcheck, checkers & SIMT_CHECK_INITCHECK, simt_initcheck_create, findings) ||
      !create(&c->synccheck, checkers & SIMT_CHECK_SYNCCHECK, simt_synccheck_create, findings) ||
      !create(&c->exitcheck, checkers & (SIMT_CHECK_SYNCCHECK | SIMT_CHECK_EXITED),
              simt_exitcheck_create, findings) ||
      !create(&c->racecheck, checkers & SIMT_CHECK_RACECHECK, simt_racecheck_create, findings)) {
    simt_checks_destroy(c);
    *checks = NULL;
    return SIMT_OUT_OF_MEMORY;
  }
  if (c->initcheck) simt_initcheck_set_platform(c->initcheck, simt_memory_platform(memory));
  simt_memory_each(memory, tell_of_allocation, c);
  return SIMT_OK;
}

void simt_checks_destroy(simt_checks *c) {
  if (!c) return;
  if (c->memcheck) simt_memcheck_destroy(c->memcheck);
  if (c->initcheck) simt_initcheck_destroy(c->initcheck);
  if (c->synccheck) simt_synccheck_destroy(c->synccheck);
  if (c->exitcheck) simt_exitcheck_destroy(c->exitcheck);
  if (c->racecheck) simt_racecheck_destroy(c->racecheck);
  free(c);
}

uint32_t simt_checks_observers(simt_checks *c, simt_observer **out) {
  simt_observer *const all[SIMT_MAX_CHECK_OBSERVERS] = {c->memcheck, c->initcheck, c->synccheck,
                                                        c->exitcheck, c->racecheck};
  uint32_t n = 0;
  for (int i = 0; i < SIMT_MAX_CHECK_OBSERVERS; i++)
    if (all[i]) out[n++] = all[i];
  return n;
}

// ---- What the host does.

void simt_checks_allocated(simt_checks *c, const simt_allocation *allocation) {
  if (c->initcheck) simt_initcheck_allocated(c->initcheck, allocation);
}

void simt_checks_freed(simt_checks *c, const simt_allocation *allocation) {
  if (c->initcheck) simt_initcheck_freed(c->initcheck, allocation);
  if (c->racecheck) simt_racecheck_freed(c->racecheck, allocation);
}

void simt_checks_host_wrote(simt_checks *c, uint64_t address, uint64_t size_bytes) {
  if (c->initcheck) simt_initcheck_host_wrote(c->initcheck, address, size_bytes);
}

void simt_checks_copied(simt_checks *c, uint64_t to, uint64_t from, uint64_t size_bytes) {
  if (c->initcheck) simt_initcheck_copied(c->initcheck, to, from, size_bytes);
}

void simt_checks_host_reads(simt_checks *c, uint64_t address, uint64_t size_bytes) {
  if (c->initcheck) simt_initcheck_host_reads(c->initcheck, address, size_bytes);
}

uint64_t simt_checks_last_writer(const simt_checks *c, uint64_t address) {
  return c->initcheck ? simt_initcheck_last_writer(c->initcheck, address) : 0;
}

uint64_t simt_checks_first_written(const simt_checks *c, uint64_t address, uint64_t size_bytes) {
  return c->initcheck ? simt_initcheck_first_written(c->initcheck, address, size_bytes) : 0;
}

// ---- Leaks.

enum { MOST_LEAKS = 1000 }; // each a text of its own; a loop in a kernel makes millions

typedef struct leaks {
  simt_findings *findings;
  uint64_t n;
} leaks;

static void report_leak(const simt_allocation *a, void *data) {
  leaks *all = data;
  if (a->kind == SIMT_ALLOCATION_REGISTERED) return; // the program's own
  if (a->name) return;                               // a module's variable is never freed
  if (++all->n > MOST_LEAKS) return;
  bool is_pinned = a->kind == SIMT_ALLOCATION_PINNED, is_heap = a->kind == SIMT_ALLOCATION_HEAP;
  char text[256], device[32] = "";
  if (a->device) snprintf(device, sizeof device, " on device %u", a->device);
  snprintf(text, sizeof text,
           "allocation #%" PRIu64 " (%s%s, %" PRIu64
           " bytes) was never freed: pass it to %s when it is no longer used.",
           a->serial,
           is_heap     ? "malloc() or new in a kernel"
           : is_pinned ? "cudaMallocHost"
                       : "cudaMalloc",
           device, a->size_bytes,
           is_heap     ? "free() or delete in a kernel"
           : is_pinned ? "cudaFreeHost"
                       : "cudaFree");
  simt_findings_add_text(all->findings, SIMT_FINDING_leak, text);
}

void simt_checks_end(simt_checks *c) {
  if (!c->finds_leaks) return;
  leaks all = {.findings = c->findings};
  simt_memory_each(c->memory, report_leak, &all);
  if (all.n <= MOST_LEAKS) return;
  char text[96];
  snprintf(text, sizeof text, "%" PRIu64 " further allocations were never freed.",
           all.n - MOST_LEAKS);
  simt_findings_add_text(c->findings, SIMT_FINDING_leak, text);
}
