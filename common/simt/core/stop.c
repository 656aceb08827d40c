// SPDX-License-Identifier: MIT
// core/stop.c - whether a launch pauses before an instruction: its budget is spent, the source line
// has changed, or a barrier has completed.
//
// A line is finished when the next instruction belongs to another line or another warp.
// Instructions to which the compiler gave no line belong to the line before them. Where the module
// has no lines at all, those of the PTX text count.
#include "core/stop.h"

static bool find_line(const simt_core *core, const simt_instr *in, uint32_t *file, uint32_t *line) {
  const ptx_module *module = core->kernel->module->ptx;
  if (!module->n_locs) {
    *file = 0;
    *line = in->ptx_line;
    return true;
  }
  if (in->loc < 0 || !module->locs[in->loc].line) return false;
  *file = module->locs[in->loc].file;
  *line = module->locs[in->loc].line;
  return true;
}

void simt_stop_set(simt_core *core, simt_until until, uint64_t budget) {
  core->stop = (simt_stop){.is_set = until != SIMT_UNTIL_END || budget != SIMT_NO_BUDGET,
                           .until = (uint8_t)until,
                           .budget = budget,
                           .from_barriers = core->barriers};
}

static bool is_line_left(simt_core *core, const simt_warp *w, const simt_instr *in) {
  simt_stop *stop = &core->stop;
  uint32_t file = 0, line = 0;
  bool has_line = find_line(core, in, &file, &line);
  if (!stop->has_begun) {
    stop->has_begun = true;
    stop->from_block = w->block->index;
    stop->from_warp = w->index;
    stop->from_file = file;
    stop->from_line = line;
    return false;
  }
  if (w->block->index != stop->from_block || w->index != stop->from_warp) return true;
  return has_line && (file != stop->from_file || line != stop->from_line);
}

bool simt_stop_here(simt_core *core, const simt_warp *warp, const simt_instr *in) {
  simt_stop *stop = &core->stop;
  if (stop->budget == 0) return true;
  if (stop->until == SIMT_UNTIL_LINE && is_line_left(core, warp, in)) return true;
  if (stop->until == SIMT_UNTIL_BARRIER && core->barriers != stop->from_barriers) return true;
  if (stop->budget != SIMT_NO_BUDGET) stop->budget--;
  return false;
}

void simt_stop_give_back(simt_core *core) {
  if (core->stop.budget != SIMT_NO_BUDGET) core->stop.budget++;
}
