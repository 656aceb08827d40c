// SPDX-License-Identifier: MIT
// runtime/check.c - the checkers in the CUDA runtime layer: when they are made, which host memory
// operations they are notified of, how device faults and wrong frees become findings, and what is
// printed when.
//
// The set of findings always exists (device faults are findings too) and lasts as long as the
// process; the checkers exist only when SIMT_CHECK names them, and are created anew by every
// cudaDeviceReset().
#include "runtime/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/platform.h"

enum { MOST_IN_FULL = 4 }; // of one launch; more only hides the first ones

bool simt_rt_checks_are_on(const rt_context *context) {
  return context->options.checkers || context->options.n_sweep;
}

// ---- What is printed.

static bool wants_colour(void) {
  const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(STDERR_FILENO) && !(refused && *refused) && terminal && strcmp(terminal, "dumb");
}

void simt_rt_findings_print(rt_context *context) {
  fflush(stdout); // keep the order a reader sees
  if (!simt_findings_has_new(context->findings)) return;
  const simt_sink to = simt_file_sink(stderr);
  simt_findings_print_new(context->findings, &to, wants_colour(), MOST_IN_FULL);
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

// The summary, when there was anything to check.
static void summarise(const rt_context *context) {
  uint64_t errors = simt_findings_reported(context->findings);
  uint64_t notes = simt_findings_notes_reported(context->findings);
  uint64_t lost = simt_findings_lost(context->findings);
  uint64_t launches = simt_engine_n_launches(context->engine);
  if (errors || notes)
    simt_rt_say("%" PRIu64 " error%s and %" PRIu64 " note%s in %" PRIu64 " launch%s", errors,
                plural(errors), notes, plural(notes), launches, launches == 1 ? "" : "es");
  if (lost) simt_rt_say("%" PRIu64 " further findings were not kept: too many, or no memory", lost);
}

void simt_rt_checks_end(rt_context *context, int status) {
  // A program that fails or faults half-way frees nothing: its leaks are not worth reporting.
  if (context->checks && status == 0 && !simt_rt_has_fault(context))
    simt_checks_end(context->checks);
  simt_rt_findings_print(context);
  if (simt_rt_checks_are_on(context)) summarise(context);
}

// ---- Device faults.

static simt_finding_kind kind_of_fault(const simt_fault_info *fault) {
  switch (fault->kind) {
  case SIMT_FAULT_OUT_OF_BOUNDS: return SIMT_FINDING_out_of_bounds;
  case SIMT_FAULT_USE_AFTER_FREE: return SIMT_FINDING_use_after_free;
  case SIMT_FAULT_HOST_POINTER: return SIMT_FINDING_host_pointer;
  case SIMT_FAULT_READ_ONLY:
    return fault->space == SIMT_SPACE_CONSTANT ? SIMT_FINDING_constant_store
                                               : SIMT_FINDING_out_of_bounds;
  case SIMT_FAULT_MISALIGNED: return SIMT_FINDING_misaligned;
  case SIMT_FAULT_DEADLOCK: return SIMT_FINDING_deadlock;
  case SIMT_FAULT_INVALID_BARRIER: return SIMT_FINDING_invalid_barrier;
  case SIMT_FAULT_UNNAMED_LANE: return SIMT_FINDING_unnamed_lane;
  case SIMT_FAULT_INVALID_GRID_SYNC: return SIMT_FINDING_invalid_grid_sync;
  default: return SIMT_FINDING_device_fault;
  }
}

static simt_act act_of(simt_fault_operation operation) {
  switch (operation) {
  case SIMT_OPERATION_LOAD: return SIMT_ACT_READ;
  case SIMT_OPERATION_STORE: return SIMT_ACT_WRITE;
  case SIMT_OPERATION_ATOMIC: return SIMT_ACT_ATOMIC;
  case SIMT_OPERATION_BARRIER:
  case SIMT_OPERATION_GRID_SYNC: return SIMT_ACT_BARRIER;
  case SIMT_OPERATION_SYNCWARP: return SIMT_ACT_SYNCWARP;
  case SIMT_OPERATION_SHUFFLE: return SIMT_ACT_SHUFFLE;
  case SIMT_OPERATION_VOTE: return SIMT_ACT_VOTE;
  default: return SIMT_ACT_EXECUTE;
  }
}

void simt_rt_find_fault(rt_context *context, const simt_fault_record *fault, const char *text) {
  const simt_fault_info *info = &fault->info;
  simt_site site = {.act = (uint8_t)act_of(info->operation),
                    .pc = fault->pc,
                    .block = fault->block,
                    .warp = info->warp,
                    .lane = info->lane};
  simt_findings_add_fault(context->findings, kind_of_fault(info), &site, info, text);
}

// ---- Host memory operations.

void simt_rt_find_wrong_free(rt_context *context, const char *text) {
  simt_findings_add_text(context->findings, SIMT_FINDING_invalid_free, text);
  simt_rt_findings_print(context);
}

void simt_rt_tell_allocated(rt_context *context, uint64_t address) {
  const simt_allocation *a = context->checks ? simt_memory_find(context->memory, address, 1) : NULL;
  if (a) simt_checks_allocated(context->checks, a);
}

void simt_rt_tell_freed(rt_context *context, const simt_allocation *allocation) {
  if (context->checks) simt_checks_freed(context->checks, allocation);
}

void simt_rt_tell_set(rt_context *context, const void *to, size_t bytes) {
  if (context->checks) simt_checks_host_wrote(context->checks, (uintptr_t)to, bytes);
}

void simt_rt_tell_copied(rt_context *context, const void *to, const void *from, size_t bytes) {
  if (!context->checks) return;
  uint64_t target = (uintptr_t)to, source = (uintptr_t)from;
  bool from_device = simt_memory_find(context->memory, source, bytes) != NULL;
  bool to_device = simt_memory_find(context->memory, target, bytes) != NULL;
  if (from_device && to_device) simt_checks_copied(context->checks, target, source, bytes);
  else if (to_device) simt_checks_host_wrote(context->checks, target, bytes);
  else if (from_device) simt_checks_host_reads(context->checks, source, bytes);
  if (from_device && !to_device) simt_rt_findings_print(context);
}

// ---- simt.h

uint64_t simt_findings_error_count(void) {
  rt_context *context = simt_rt_enter_idle();
  uint64_t n = context->findings ? simt_findings_reported(context->findings) : 0;
  simt_rt_leave(context, cudaSuccess);
  return n;
}

size_t simt_findings_text(char *out, size_t out_bytes, unsigned n_in_full) {
  rt_context *context = simt_rt_enter_idle();
  simt_text_buffer text = {.text = out, .capacity_bytes = out_bytes};
  const simt_sink to = simt_buffer_sink(&text);
  if (context->findings) simt_findings_print_errors(context->findings, &to, n_in_full);
  simt_rt_leave(context, cudaSuccess);
  return text.n_bytes;
}

int simt_finding_at(unsigned index, simt_finding_info *out) {
  rt_context *context = simt_rt_enter_idle();
  *out = (simt_finding_info){.line = 0};
  bool found = context->findings && simt_findings_at(context->findings, index, out);
  simt_rt_leave(context, cudaSuccess);
  return found;
}

int simt_first_finding(simt_finding_info *out) { return simt_finding_at(0, out); }

static uint64_t cost_of(const simt_line_cost *cost, simt_line_measure measure) {
  switch (measure) {
  case SIMT_LINE_CONFLICTS: return cost->shared_wavefronts - cost->shared_ideal;
  case SIMT_LINE_SHARED_REQUESTS: return cost->shared_requests;
  case SIMT_LINE_GLOBAL_SECTORS: return cost->global_sectors;
  case SIMT_LINE_ATOMIC_LANES: return cost->atomic_lanes;
  case SIMT_LINE_DIVERGENT_BRANCHES: return cost->divergent_branches;
  case SIMT_LINE_BLOCK_BARRIERS: return cost->block_barriers;
  case SIMT_LINE_WARP_SYNCS: return cost->warp_syncs;
  case SIMT_LINE_SHUFFLES: return cost->shuffles;
  default: return 0;
  }
}

int simt_costliest_line(simt_line_measure measure, char file[256], uint32_t *line) {
  rt_context *context = simt_rt_enter_idle();
  simt_observer *observer = context->engine ? simt_engine_lines(context->engine) : NULL;
  size_t n = 0;
  const simt_line *lines = observer ? simt_lines_all(observer, &n) : NULL;
  uint64_t most = 0;
  *line = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t cost = cost_of(&lines[i].cost, measure);
    if (!lines[i].line || cost <= most) continue;
    most = cost;
    *line = lines[i].line;
    snprintf(file, 256, "%s", lines[i].file);
  }
  simt_rt_leave(context, cudaSuccess);
  return *line != 0;
}

void simt_name_array(const void *device_address, const char *name) {
  rt_context *context = simt_rt_enter_idle();
  if (context->memory) simt_memory_label(context->memory, (uintptr_t)device_address, name);
  simt_rt_leave(context, cudaSuccess);
}

uint64_t simt_launches(void) {
  rt_context *context = simt_rt_enter_idle();
  uint64_t n = context->engine ? simt_engine_n_launches(context->engine) : 0;
  simt_rt_leave(context, cudaSuccess);
  return n;
}

uint64_t simt_last_writer_launch(const void *device_address) {
  rt_context *context = simt_rt_enter_idle();
  uint64_t launch =
      context->checks ? simt_checks_last_writer(context->checks, (uintptr_t)device_address) : 0;
  simt_rt_leave(context, cudaSuccess);
  return launch;
}

const void *simt_first_written(const void *device_address, size_t size_bytes) {
  rt_context *context = simt_rt_enter_idle();
  const uint64_t address = (uintptr_t)device_address;
  uint64_t first =
      context->checks ? simt_checks_first_written(context->checks, address, size_bytes) : 0;
  simt_rt_leave(context, cudaSuccess);
  return (const void *)(uintptr_t)first;
}
