// SPDX-License-Identifier: MIT
// core/fault.c - what a device fault says: source line, kernel, block, thread and cause, as text
// and as a record.
#include "core/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "core/splits.h"
#include "core/state.h"

// ---- The record.

const char *simt_fault_name(simt_fault_kind kind) {
  static const char *const names[SIMT_FAULT_COUNT] = {
      [SIMT_FAULT_NONE] = "none",
      [SIMT_FAULT_OUT_OF_BOUNDS] = "out_of_bounds",
      [SIMT_FAULT_USE_AFTER_FREE] = "use_after_free",
      [SIMT_FAULT_HOST_POINTER] = "host_pointer",
      [SIMT_FAULT_READ_ONLY] = "read_only",
      [SIMT_FAULT_MISALIGNED] = "misaligned",
      [SIMT_FAULT_INVALID_BARRIER] = "invalid_barrier",
      [SIMT_FAULT_UNNAMED_LANE] = "unnamed_lane",
      [SIMT_FAULT_INVALID_GRID_SYNC] = "invalid_grid_sync",
      [SIMT_FAULT_DEADLOCK] = "deadlock",
      [SIMT_FAULT_INSTRUCTION_LIMIT] = "instruction_limit",
      [SIMT_FAULT_ASSERTION] = "assertion",
      [SIMT_FAULT_TRAP] = "trap",
      [SIMT_FAULT_INVALID_CALL] = "invalid_call",
      [SIMT_FAULT_STACK_OVERFLOW] = "stack_overflow",
      [SIMT_FAULT_INVALID_FREE] = "invalid_free",
      [SIMT_FAULT_PEER_MEMORY] = "peer_memory",
      [SIMT_FAULT_PRINT_LIMIT] = "print_limit",
      [SIMT_FAULT_EXITED_BLOCK] = "exited_block",
      [SIMT_FAULT_CLUSTER_ADDRESS] = "cluster_address",
  };
  return (unsigned)kind < SIMT_FAULT_COUNT ? names[kind] : "none";
}

static simt_fault_kind kind_of(const simt_core *core, const simt_instr *in, simt_status status) {
  switch (status) {
  case SIMT_CLUSTER_ADDRESS:
  case SIMT_OWN_MEMORY_ONLY: return SIMT_FAULT_CLUSTER_ADDRESS;
  case SIMT_ILLEGAL_ADDRESS: return SIMT_FAULT_OUT_OF_BOUNDS;
  case SIMT_FREED_MEMORY: return SIMT_FAULT_USE_AFTER_FREE;
  case SIMT_HOST_POINTER: return SIMT_FAULT_HOST_POINTER;
  case SIMT_READ_ONLY_MEMORY: return SIMT_FAULT_READ_ONLY;
  case SIMT_MISALIGNED_ADDRESS: return SIMT_FAULT_MISALIGNED;
  case SIMT_INVALID_BARRIER: return SIMT_FAULT_INVALID_BARRIER;
  case SIMT_UNNAMED_LANE: return SIMT_FAULT_UNNAMED_LANE;
  case SIMT_NOT_COOPERATIVE: return SIMT_FAULT_INVALID_GRID_SYNC;
  case SIMT_DEADLOCK: return SIMT_FAULT_DEADLOCK;
  case SIMT_TIMEOUT: return SIMT_FAULT_INSTRUCTION_LIMIT;
  case SIMT_ASSERT: return SIMT_FAULT_ASSERTION;
  case SIMT_INVALID_CALL: return SIMT_FAULT_INVALID_CALL;
  case SIMT_STACK_OVERFLOW: return SIMT_FAULT_STACK_OVERFLOW;
  case SIMT_INVALID_FREE: return SIMT_FAULT_INVALID_FREE;
  case SIMT_PEER_MEMORY: return SIMT_FAULT_PEER_MEMORY;
  case SIMT_PRINT_LIMIT: return SIMT_FAULT_PRINT_LIMIT;
  case SIMT_BLOCK_EXITED: return SIMT_FAULT_EXITED_BLOCK;
  default: break;
  }
  // NVIDIA's grid.sync() checks the launch itself, and traps.
  bool is_grid_sync =
      ptx_comes_from(core->kernel->module->ptx, in->loc, "/include/cooperative_groups");
  return is_grid_sync ? SIMT_FAULT_INVALID_GRID_SYNC : SIMT_FAULT_TRAP;
}

static simt_fault_operation operation_of(const simt_instr *in) {
  switch (in->form) {
  case ISA_LOAD: return SIMT_OPERATION_LOAD;
  case ISA_STORE: return SIMT_OPERATION_STORE;
  case ISA_ATOM:
  case ISA_RED: return SIMT_OPERATION_ATOMIC;
  case ISA_BARRIER:
  case ISA_BARRIER_RED:
  case ISA_BARRIER_ARRIVE:
  case ISA_CLUSTER_ARRIVE:
  case ISA_CLUSTER_WAIT: return SIMT_OPERATION_BARRIER;
  case SIMT_FORM_GRID_SYNC: return SIMT_OPERATION_GRID_SYNC;
  case ISA_WARP_SYNC: return SIMT_OPERATION_SYNCWARP;
  case ISA_SHUFFLE: return SIMT_OPERATION_SHUFFLE;
  case ISA_VOTE:
  case ISA_MATCH:
  case ISA_REDUX: return SIMT_OPERATION_VOTE;
  case SIMT_FORM_PRINTF: return SIMT_OPERATION_PRINTF;
  case SIMT_FORM_ASSERT: return SIMT_OPERATION_ASSERT;
  default: return SIMT_OPERATION_OTHER;
  }
}

// The function of the module's text that the instruction was expanded from.
static const ptx_function *function_of(const simt_kernel *k, const simt_instr *in) {
  const ptx_module *m = k->module->ptx;
  for (uint32_t i = 0; i < m->n_functions; i++) {
    const ptx_function *f = &m->functions[i];
    if (f->n_instrs && f->instrs[0].line <= in->ptx_line &&
        in->ptx_line <= f->instrs[f->n_instrs - 1].line)
      return f;
  }
  return k->function;
}

static void describe_site(simt_fault_info *f, const simt_kernel *k, const simt_instr *in) {
  char name[256];
  simt_str file;
  const ptx_loc *loc = ptx_own_loc(k->module->ptx, in->loc, &file);
  simt_display_name(k->name, f->kernel, sizeof f->kernel);
  snprintf(name, sizeof name, "%.*s", SIMT_STR_ARG(function_of(k, in)->name));
  simt_display_name(name, f->function, sizeof f->function);
  f->ptx_line = in->ptx_line;
  if (!loc) return;
  f->line = loc->line;
  snprintf(f->file, sizeof f->file, "%.*s", SIMT_STR_ARG(file));
  const ptx_loc *locs = k->module->ptx->locs;
  for (int32_t at = loc->inlined_at; at >= 0 && f->n_callers < SIMT_FAULT_CALLERS;
       at = locs[at].inlined_at)
    if (locs[at].line && locs[at].file == loc->file)
      f->caller_lines[f->n_callers++] = locs[at].line;
}

static void describe_threads(simt_fault_info *f, const simt_core *core, const simt_warp *w,
                             int lane) {
  const uint32_t *block = core->launch->block;
  uint32_t t = w->index * SIMT_LANES + (lane < 0 ? 0 : (uint32_t)lane);
  memcpy(f->block, w->block->at, sizeof f->block);
  f->thread[0] = t % block[0];
  f->thread[1] = t / block[0] % block[1];
  f->thread[2] = t / block[0] / block[1];
  f->warp = w->index;
  f->lane = (int32_t)lane;
  f->lanes = simt_split_lanes_with(w, lane);
  if (!f->faulting_lanes) f->faulting_lanes = lane < 0 ? f->lanes : UINT32_C(1) << lane;
  f->exited_threads = w->block->threads - w->block->alive;
}

static void record(simt_core *core, const simt_warp *w, const simt_instr *in, int lane,
                   simt_status status, const simt_fault_info *facts) {
  simt_fault_record *r = &core->fault;
  *r = (simt_fault_record){.pc = in->pc, .block = w->block->index};
  if (facts) r->info = *facts;
  if (!r->info.kind) r->info.kind = kind_of(core, in, status);
  r->info.operation = operation_of(in);
  r->info.launch = core->launch->number;
  simt_schedule_print(core->launch->schedule, r->info.schedule, sizeof r->info.schedule);
  describe_site(&r->info, core->kernel, in);
  describe_threads(&r->info, core, w, lane);
}

// ---- The text.

static void say(simt_core *core, const simt_warp *w, const simt_instr *in, simt_status status,
                const char *what) {
  char where[512], who[96], device[32] = "";
  const simt_fault_info *f = &core->fault.info;
  if (f->lane < 0) snprintf(who, sizeof who, "warp %u", w->index);
  else snprintf(who, sizeof who, "thread (%u,%u,%u)", f->thread[0], f->thread[1], f->thread[2]);
  ptx_describe_loc(core->kernel->module->ptx, in->loc, in->ptx_line, where, sizeof where);
  if (core->launch->n_devices > 1)
    snprintf(device, sizeof device, " on device %u", core->launch->device);
  simt_fail(core->diag, status, "%s: %s\n  in kernel %s%s, block (%u,%u,%u), %s", where, what,
            f->kernel, device, f->block[0], f->block[1], f->block[2], who);
}

bool simt_fault_with(simt_core *core, const simt_warp *warp, const simt_instr *in, int lane,
                     simt_status status, const simt_fault_info *facts, const char *format, ...) {
  char what[1024];
  va_list arguments;
  if (core->status != SIMT_OK) return false; // the first fault is the one to report
  core->status = status;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  record(core, warp, in, lane, status, facts);
  say(core, warp, in, status, what);
  return false;
}

bool simt_fault(simt_core *core, const simt_warp *warp, const simt_instr *in, int lane,
                simt_status status, const char *format, ...) {
  char what[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return simt_fault_with(core, warp, in, lane, status, NULL, "%s", what);
}
