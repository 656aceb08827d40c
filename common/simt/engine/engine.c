// SPDX-License-Identifier: MIT
// engine/engine.c - the device: its memory, its modules, and checkers, which are notified of what
// the client does to memory.
#include "engine/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static simt_status out_of_memory(simt_diag *diag) {
  return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no host memory left for the software GPU");
}

// ---- Life.

static simt_status make_memory(simt_engine *e, simt_diag *diag) {
  if (simt_memory_create_on(&e->memory, e->device->dram_bytes, e->platform) != SIMT_OK)
    return out_of_memory(diag);
  return SIMT_OK;
}

static simt_status make_checks(simt_engine *e, simt_diag *diag) {
  if (!e->checkers) return SIMT_OK;
  if (simt_checks_create(&e->checks, e->checkers, e->memory, e->findings) == SIMT_OK)
    return SIMT_OK;
  return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no host memory left for the checkers");
}

static simt_status fill(simt_engine *e, const simt_engine_options *options, simt_diag *diag) {
  e->device = options->device ? options->device : simt_model_find(NULL);
  e->platform = options->platform ? options->platform : simt_platform_plain();
  e->checkers = options->checkers;
  e->locates_findings = options->locates_findings || options->checkers;
  simt_status status = make_memory(e, diag);
  if (status != SIMT_OK) return status;
  e->findings = simt_findings_create(e->memory);
  if (!e->findings) return out_of_memory(diag);
  if (options->sources) simt_findings_set_reader(e->findings, options->sources);
  e->counters = options->no_counters ? NULL : simt_counters_observer_create();
  if (!e->counters && !options->no_counters) return out_of_memory(diag);
  bool no_model = options->no_model || options->no_counters;
  e->trace = no_model ? NULL : simt_trace_observer_create(e->device, options->exact_model);
  if (!e->trace && !no_model) return out_of_memory(diag);
  e->lines_mode = options->lines;
  e->lines = options->lines ? simt_lines_create() : NULL;
  if (!e->lines && options->lines) return out_of_memory(diag);
  e->work = options->work ? simt_work_observer_create() : NULL;
  if (!e->work && options->work) return out_of_memory(diag);
  e->exact_model = options->exact_model;
  e->repeats = options->repeats_launches
                   ? simt_repeats_create(options->repeat_bytes, options->repeat_from)
                   : NULL;
  if (!e->repeats && options->repeats_launches) return out_of_memory(diag);
  return make_checks(e, diag);
}

simt_status simt_engine_create(simt_engine **engine, const simt_engine_options *options,
                               simt_diag *diag) {
  simt_engine *e = *engine = calloc(1, sizeof *e);
  if (!e) return out_of_memory(diag);
  simt_status status = fill(e, options, diag);
  if (status != SIMT_OK) {
    simt_engine_destroy(e);
    *engine = NULL;
  }
  return status;
}

void simt_engine_destroy(simt_engine *e) {
  if (!e) return;
  simt_repeats_destroy(e->repeats);
  simt_checks_destroy(e->checks);
  simt_counters_observer_destroy(e->counters);
  simt_lines_destroy(e->lines);
  simt_work_observer_destroy(e->work);
  simt_trace_observer_destroy(e->trace);
  simt_links_observer_destroy(e->peers);
  for (uint32_t d = 0; d < SIMT_MAX_DEVICES; d++) simt_l2_destroy(&e->l2[d]);
  if (e->findings) simt_findings_destroy(e->findings);
  simt_memory_destroy(e->memory);
  free(e);
}

simt_status simt_engine_reset(simt_engine *e, simt_diag *diag) {
  simt_checks_destroy(e->checks);
  e->checks = NULL;
  simt_links_observer_destroy(e->peers); // it reads the memory that goes
  e->peers = NULL;
  simt_repeats_forget(e->repeats);
  simt_findings_set_launch(e->findings, NULL);
  simt_findings_set_memory(e->findings, NULL);
  simt_memory_destroy(e->memory);
  e->memory = NULL;
  simt_status status = make_memory(e, diag);
  if (status != SIMT_OK) return status;
  simt_findings_set_memory(e->findings, e->memory);
  return make_checks(e, diag);
}

const simt_model_device *simt_engine_device(const simt_engine *e) { return e->device; }
simt_memory *simt_engine_memory(simt_engine *e) { return e->memory; }
simt_findings *simt_engine_findings(simt_engine *e) { return e->findings; }
simt_checks *simt_engine_checks(simt_engine *e) { return e->checks; }
uint64_t simt_engine_n_launches(const simt_engine *e) { return e->n_launches; }
const simt_counters *simt_engine_total(const simt_engine *e) { return &e->total; }
const simt_counters *simt_engine_last(const simt_engine *e) { return &e->last; }
double simt_engine_last_ms(const simt_engine *e) { return e->last_ms; }
simt_observer *simt_engine_lines(simt_engine *e) { return e->lines; }
const simt_links *simt_engine_links(const simt_engine *e) { return &e->links; }
void simt_engine_count_copy(simt_engine *e, uint32_t from, uint32_t to, uint64_t size_bytes) {
  if (!e->counters || from == to) return;
  e->links.at[from][to].copies++;
  e->links.at[from][to].copied_bytes += size_bytes;
}
bool simt_engine_work(const simt_engine *e, simt_work *work) {
  *work = e->work ? simt_work_of(e->work) : (simt_work){0};
  return e->work != NULL;
}
uint64_t simt_engine_n_unjudged(const simt_engine *e) { return e->n_unjudged; }
simt_beyond simt_engine_beyond(const simt_engine *e) { return (simt_beyond)e->beyond; }
uint64_t simt_engine_n_sampled_times(const simt_engine *e) { return e->n_sampled_times; }
const simt_model_time *simt_engine_last_time(const simt_engine *e) { return &e->last_time; }
const simt_model_time *simt_engine_longest(const simt_engine *e) { return &e->longest; }
void simt_engine_clear_total(simt_engine *e) {
  for (uint32_t d = 0; d < SIMT_MAX_DEVICES; d++) simt_l2_cool(&e->l2[d]);
  simt_repeats_cool(e->repeats);
  e->n_unjudged = e->n_sampled_times = 0;
  e->beyond = SIMT_NOT_BEYOND;
  e->longest = (simt_model_time){0};
  e->sampled = (simt_sampled){0};
  memset(&e->total, 0, sizeof e->total);
  memset(&e->links, 0, sizeof e->links);
  if (e->lines_mode == SIMT_LINES_COUNTED) simt_lines_clear(e->lines);
}

// ---- Modules.

simt_status simt_engine_load(simt_engine *e, const char *name, const char *ptx, size_t ptx_bytes,
                             simt_module **module, simt_diag *diag) {
  *module = NULL;
  simt_repeats_forget(e->repeats); // a constant may come to be where none was
  return simt_module_load(module, e->memory, name, ptx, ptx_bytes, diag);
}

simt_status simt_engine_link(simt_engine *e, const char *name, const ptx_unit *units,
                             uint32_t n_units, simt_module **module, simt_diag *diag) {
  *module = NULL;
  simt_repeats_forget(e->repeats); // a constant may come to be where none was
  return simt_module_link(module, e->memory, name, units, n_units, diag);
}

void simt_engine_unload(simt_engine *e, simt_module *module) {
  if (!module) return;
  simt_repeats_forget(e->repeats);             // it knows kernels by their addresses
  simt_findings_set_launch(e->findings, NULL); // it may point into the module
  simt_module_unload(module);
}

// ---- Memory.

// The bytes of a range, or NULL with the reason in *diag.
static uint8_t *bytes_at(const simt_engine *e, uint64_t address, uint64_t size_bytes,
                         simt_diag *diag) {
  uint8_t *bytes = simt_memory_host(e->memory, address, size_bytes);
  if (bytes) return bytes;
  char why[256];
  uint32_t width = size_bytes < UINT32_MAX ? (uint32_t)size_bytes : UINT32_MAX;
  simt_memory_explain(e->memory, address, width, why, sizeof why);
  simt_fail(diag, SIMT_ILLEGAL_ADDRESS, "%" PRIu64 " bytes at 0x%" PRIx64 ": %s", size_bytes,
            address, why);
  return NULL;
}

// The same, to be changed.
static uint8_t *bytes_to_change(const simt_engine *e, uint64_t address, uint64_t size_bytes,
                                simt_diag *diag) {
  uint8_t *bytes = simt_memory_change(e->memory, address, size_bytes);
  return bytes ? bytes : bytes_at(e, address, size_bytes, diag);
}

simt_status simt_engine_alloc(simt_engine *e, uint64_t size_bytes, uint64_t *address,
                              simt_diag *diag) {
  simt_status status =
      simt_memory_alloc(e->memory, size_bytes, SIMT_ALLOCATION_DEVICE, NULL, address, diag);
  const simt_allocation *a =
      status == SIMT_OK && e->checks ? simt_memory_find(e->memory, *address, 1) : NULL;
  if (a) simt_checks_allocated(e->checks, a);
  return status;
}

simt_status simt_engine_free(simt_engine *e, uint64_t address, simt_diag *diag) {
  const simt_allocation *a = e->checks ? simt_memory_find(e->memory, address, 1) : NULL;
  if (a && a->address == address) simt_checks_freed(e->checks, a);
  return simt_memory_free(e->memory, address, diag);
}

simt_status simt_engine_write(simt_engine *e, uint64_t to, const void *from, uint64_t size_bytes,
                              simt_diag *diag) {
  uint8_t *bytes = bytes_to_change(e, to, size_bytes, diag);
  if (!bytes) return SIMT_ILLEGAL_ADDRESS;
  memcpy(bytes, from, (size_t)size_bytes);
  if (e->checks) simt_checks_host_wrote(e->checks, to, size_bytes);
  return SIMT_OK;
}

simt_status simt_engine_read(simt_engine *e, void *to, uint64_t from, uint64_t size_bytes,
                             simt_diag *diag) {
  const uint8_t *bytes = bytes_at(e, from, size_bytes, diag);
  if (!bytes) return SIMT_ILLEGAL_ADDRESS;
  memcpy(to, bytes, (size_t)size_bytes);
  if (e->checks) simt_checks_host_reads(e->checks, from, size_bytes);
  return SIMT_OK;
}

simt_status simt_engine_copy(simt_engine *e, uint64_t to, uint64_t from, uint64_t size_bytes,
                             simt_diag *diag) {
  uint8_t *target = bytes_to_change(e, to, size_bytes, diag);
  const uint8_t *source = target ? bytes_at(e, from, size_bytes, diag) : NULL;
  if (!source) return SIMT_ILLEGAL_ADDRESS;
  memmove(target, source, (size_t)size_bytes);
  if (e->checks) simt_checks_copied(e->checks, to, from, size_bytes);
  return SIMT_OK;
}

simt_status simt_engine_set(simt_engine *e, uint64_t to, uint8_t byte, uint64_t size_bytes,
                            simt_diag *diag) {
  uint8_t *bytes = bytes_to_change(e, to, size_bytes, diag);
  if (!bytes) return SIMT_ILLEGAL_ADDRESS;
  memset(bytes, byte, (size_t)size_bytes);
  if (e->checks) simt_checks_host_wrote(e->checks, to, size_bytes);
  return SIMT_OK;
}
