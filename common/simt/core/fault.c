// SPDX-License-Identifier: MIT
// core/fault.c - what a device fault says: source line, kernel, block, thread and cause.
#include "core/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/names.h"
#include "core/state.h"

static void thread_position(const simt_core *core, const simt_warp *warp, uint32_t lane,
                            uint32_t at[3]) {
  const uint32_t *block = core->launch->block;
  uint32_t t = warp->index * SIMT_LANES + lane;
  at[0] = t % block[0];
  at[1] = t / block[0] % block[1];
  at[2] = t / block[0] / block[1];
}

bool simt_fault(simt_core *core, const simt_warp *warp, const simt_instr *in, int lane,
                simt_status status, const char *format, ...) {
  if (core->status != SIMT_OK) return false; // the first fault is the one to report
  core->status = status;
  char what[1024], where[512], who[96], name[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  const simt_kernel *k = core->kernel;
  const uint32_t *b = warp->block->at;
  uint32_t t[3];
  thread_position(core, warp, lane < 0 ? 0 : (uint32_t)lane, t);
  if (lane < 0) snprintf(who, sizeof who, "warp %u", warp->index);
  else snprintf(who, sizeof who, "thread (%u,%u,%u)", t[0], t[1], t[2]);
  ptx_describe_loc(k->module->ptx, in->loc, in->ptx_line, where, sizeof where);
  simt_fail(core->diag, status, "%s: %s\n  in kernel %s, block (%u,%u,%u), %s", where, what,
            simt_display_name(k->name, name, sizeof name), b[0], b[1], b[2], who);
  if (core->diag)
    core->diag->site = (simt_fault_site){.is_known = true,
                                         .pc = in->pc,
                                         .form = in->form,
                                         .loc = in->loc,
                                         .block = warp->block->index,
                                         .warp = warp->index,
                                         .lane = (int32_t)lane};
  return false;
}
