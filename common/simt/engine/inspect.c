// SPDX-License-Identifier: MIT
// engine/inspect.c - queries about a launch between two of its pieces. Nothing here changes it.
#include <stdlib.h>
#include <string.h>

#include "core/splits.h"
#include "core/state.h"
#include "engine/internal.h"

static const simt_core *core_of(const simt_run *run) { return simt_execution_core(run->execution); }

simt_execution_state simt_run_state(const simt_run *run) {
  return simt_execution_state_of(run->execution);
}
const simt_diag *simt_run_diag(const simt_run *run) { return &run->diag; }
const simt_fault_record *simt_run_fault(const simt_run *run) { return &core_of(run)->fault; }
const simt_launch_info *simt_run_info(const simt_run *run) {
  return simt_execution_info(run->execution);
}

static bool has_started(const simt_run *run) { return simt_run_state(run) != SIMT_EXECUTION_BEGUN; }

static const simt_block *find_block(const simt_run *run, uint32_t resident) {
  const simt_core *core = core_of(run);
  return has_started(run) && resident < core->n_resident ? core->blocks[resident] : NULL;
}

// A warp of a running block; NULL: there is no such warp.
static const simt_warp *find_warp(const simt_run *run, uint32_t resident, uint32_t warp) {
  const simt_block *block = find_block(run, resident);
  return block && block->warps && warp < block->n_warps ? &block->warps[warp] : NULL;
}

// ---- Places.

static simt_str file_name(const ptx_module *module, uint32_t number) {
  for (uint32_t i = 0; i < module->n_files; i++)
    if (module->files[i].number == number) return module->files[i].name;
  return (simt_str){0};
}

// Line `line` of the module's text, without its indentation. From one question to the next it is
// most often a few lines: it is looked for from the line before on, not from the beginning.
static simt_str ptx_line(simt_bookmark *mark, const ptx_module *module, uint32_t line) {
  if (!mark->at) *mark = (simt_bookmark){1, module->text};
  while (mark->line < line) {
    const char *end = strchr(mark->at, '\n');
    if (!end) return (simt_str){0};
    *mark = (simt_bookmark){mark->line + 1, end + 1};
  }
  if (!line) return (simt_str){0};
  for (; mark->line > line; mark->line--) {
    mark->at--; // the end of the line before
    while (mark->at > module->text && mark->at[-1] != '\n') mark->at--;
  }
  const char *at = mark->at + strspn(mark->at, " \t");
  return (simt_str){at, (uint32_t)strcspn(at, "\r\n")};
}

static simt_place place_of(const simt_run *run, uint32_t resident, uint32_t warp, uint32_t mask,
                           uint32_t pc) {
  const simt_kernel *k = core_of(run)->kernel;
  const ptx_module *module = k->module->ptx;
  // Lanes that wait at a reconvergence point are at a marker: the instruction after it is what they
  // run next.
  while (pc + 1 < k->n_code && k->code[pc].form == SIMT_FORM_MARKER) pc++;
  if (pc >= k->n_code) pc = k->n_code - 1;
  simt_place place = {.resident = resident,
                      .warp = warp,
                      .mask = mask,
                      .pc = pc,
                      .ptx_line = k->code_ptx_line[pc],
                      .ptx = ptx_line(run->mark, module, k->code_ptx_line[pc])};
  for (int32_t at = k->code_loc[pc]; at >= 0 && !place.line; at = module->locs[at].inlined_at) {
    place.line = module->locs[at].line;
    place.file = place.line ? file_name(module, module->locs[at].file) : (simt_str){0};
  }
  return place;
}

static simt_status place_of_fault(const simt_run *run, simt_place *out) {
  const simt_core *core = core_of(run);
  const simt_fault_record *fault = &core->fault;
  for (uint32_t i = 0; fault->info.kind && i < core->n_resident; i++) {
    const simt_block *block = core->blocks[i];
    if (block->done || block->index != fault->block) continue;
    *out = place_of(run, i, fault->info.warp, fault->info.lanes, fault->pc);
    return SIMT_OK;
  }
  return SIMT_NOT_FOUND;
}

simt_status simt_run_current(const simt_run *run, simt_place *out) {
  *out = (simt_place){0};
  if (simt_run_state(run) == SIMT_EXECUTION_FAULTED) return place_of_fault(run, out);
  const simt_progress *p = &core_of(run)->progress;
  if (simt_run_state(run) != SIMT_EXECUTION_HELD || !p->in_turn) return SIMT_NOT_FOUND;
  uint32_t resident = (uint32_t)p->blocks.at, warp = (uint32_t)p->warps.at;
  const simt_warp *w = &core_of(run)->blocks[resident]->warps[warp];
  int at = simt_split_last_ready(w);
  if (at < 0) return SIMT_NOT_FOUND;
  *out = place_of(run, resident, warp, w->splits[at].mask, w->splits[at].pc);
  return SIMT_OK;
}

// ---- Blocks and warps.

uint32_t simt_run_n_resident(const simt_run *run) {
  return has_started(run) ? core_of(run)->n_resident : 0;
}

uint64_t simt_run_blocks_done(const simt_run *run) {
  const simt_progress *p = &core_of(run)->progress;
  if (simt_run_state(run) == SIMT_EXECUTION_FINISHED) return simt_run_info(run)->n_blocks;
  return p->next - p->running;
}

simt_status simt_run_block(const simt_run *run, uint32_t resident, simt_block_view *out) {
  *out = (simt_block_view){0};
  const simt_block *b = find_block(run, resident);
  if (!b) return SIMT_NOT_FOUND;
  *out = (simt_block_view){.index = b->index,
                           .at = {b->at[0], b->at[1], b->at[2]},
                           .n_warps = b->n_warps,
                           .threads = b->threads,
                           .exited = b->threads - b->alive,
                           .is_done = b->done || !b->alive};
  return SIMT_OK;
}

static simt_group_state state_of(uint8_t split_state) {
  switch (split_state) {
  case SIMT_AT_BARRIER: return SIMT_GROUP_AT_BARRIER;
  case SIMT_AT_COLLECTIVE: return SIMT_GROUP_AT_COLLECTIVE;
  case SIMT_AT_GRID_SYNC: return SIMT_GROUP_AT_GRID_SYNC;
  case SIMT_AT_CLUSTER: return SIMT_GROUP_AT_CLUSTER;
  default: return SIMT_GROUP_READY;
  }
}

static void add_splits(const simt_run *run, uint32_t resident, const simt_warp *w,
                       simt_warp_view *out) {
  int next = simt_split_last_ready(w);
  for (uint32_t i = 0; i < w->n_splits; i++) {
    const simt_split *s = &w->splits[i];
    out->groups[out->n_groups++] =
        (simt_group){.at = place_of(run, resident, w->index, s->mask, s->pc),
                     .state = state_of(s->state),
                     .barrier = s->barrier,
                     .wait_mask = s->state == SIMT_AT_COLLECTIVE ? s->wait_mask : 0,
                     .is_next = (int)i == next};
  }
}

static void add_waiting(const simt_run *run, uint32_t resident, const simt_warp *w,
                        simt_warp_view *out) {
  for (uint32_t i = 0; i < w->reconvergences_high; i++) {
    const simt_reconvergence *m = &w->reconvergences[i];
    if (!m->in_use || !m->arrived) continue;
    out->groups[out->n_groups++] =
        (simt_group){.at = place_of(run, resident, w->index, m->arrived, m->pc),
                     .state = SIMT_GROUP_AT_RECONVERGENCE,
                     .wait_mask = m->members & ~m->arrived};
  }
}

simt_status simt_run_warp(const simt_run *run, uint32_t resident, uint32_t warp,
                          simt_warp_view *out) {
  *out = (simt_warp_view){0};
  const simt_warp *w = find_warp(run, resident, warp);
  if (!w) return SIMT_NOT_FOUND;
  out->lanes = w->lanes;
  out->alive = w->alive;
  add_splits(run, resident, w, out);
  add_waiting(run, resident, w, out);
  return SIMT_OK;
}

// ---- Registers and arguments.

uint32_t simt_run_n_registers(const simt_run *run) { return core_of(run)->kernel->n_registers; }

simt_status simt_run_register_name(const simt_run *run, uint32_t index, simt_str *name,
                                   ptx_type *type) {
  const simt_kernel *k = core_of(run)->kernel;
  if (index >= k->n_registers) return SIMT_NOT_FOUND;
  *name = k->registers[index].name;
  *type = k->registers[index].type;
  return SIMT_OK;
}

// The lanes of `group` at `pc` for which the slot holds this register: its first definition has
// run, and no instruction after its last use has, so the slot is not yet another's.
static bool holds(const simt_register *r, uint32_t pc) {
  return r->first < pc && pc <= r->last + 1;
}

static uint32_t lanes_that_hold(const simt_warp *w, const simt_register *r) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (holds(r, w->splits[i].pc)) lanes |= w->splits[i].mask;
  for (uint32_t i = 0; i < w->reconvergences_high; i++)
    if (w->reconvergences[i].in_use && holds(r, w->reconvergences[i].pc))
      lanes |= w->reconvergences[i].arrived;
  return lanes;
}

static uint64_t lane_value(const uint8_t *slot, const simt_register *r, uint32_t lane,
                           uint64_t *high) {
  uint64_t value = 0;
  *high = 0;
  if (r->bytes == 0) {
    uint32_t bits;
    memcpy(&bits, slot, sizeof bits);
    return bits >> lane & 1;
  }
  uint32_t bytes = ptx_type_size_bytes(r->type), low = bytes < 8 ? bytes : 8;
  memcpy(&value, slot + (size_t)lane * r->bytes, low);
  if (bytes > 8) memcpy(high, slot + (size_t)lane * r->bytes + 8, bytes - 8);
  return value;
}

static void read_register(const simt_warp *w, const simt_register *r, simt_values *out) {
  out->type = r->type;
  out->size_bytes = r->bytes ? ptx_type_size_bytes(r->type) : 1;
  out->valid = lanes_that_hold(w, r);
  for (SIMT_EACH_LANE(lane, out->valid))
    out->value[lane] = lane_value(w->regs + r->slot, r, lane, &out->high[lane]);
}

simt_status simt_run_register(const simt_run *run, uint32_t resident, uint32_t warp,
                              const char *name, simt_values *out) {
  const simt_kernel *k = core_of(run)->kernel;
  const simt_warp *w = find_warp(run, resident, warp);
  const simt_register *found = NULL;
  *out = (simt_values){.type = PTX_NO_TYPE};
  for (uint32_t i = 0; w && i < k->n_registers; i++) {
    const simt_register *r = &k->registers[i];
    if (!simt_str_is(r->name, name)) continue;
    if (!found || (r->function == k->function && found->function != k->function)) found = r;
  }
  if (!found) return SIMT_NOT_FOUND;
  read_register(w, found, out);
  return SIMT_OK;
}

simt_status simt_run_argument(const simt_run *run, uint32_t index, const ptx_param **param,
                              const uint8_t **bytes) {
  const ptx_function *f = core_of(run)->kernel->function;
  if (index >= f->n_params) return SIMT_NOT_FOUND;
  *param = &f->params[index];
  *bytes = run->params + f->params[index].offset_bytes;
  return SIMT_OK;
}

// ---- Shared memory and counters.

const simt_shared_variable *simt_run_shared_array(const simt_run *run, const char *name) {
  const simt_launch_info *info = simt_run_info(run);
  for (uint32_t i = 0; i < info->n_shared_variables; i++)
    if (simt_str_is(info->shared_variables[i].name, name)) return &info->shared_variables[i];
  return NULL;
}

uint32_t simt_run_shared(const simt_run *run, uint32_t resident, uint32_t first_row,
                         uint32_t n_rows, uint32_t (*words)[SIMT_BANKS]) {
  enum { ROW_BYTES = SIMT_BANKS * SIMT_BANK_BYTES };
  const simt_block *block = find_block(run, resident);
  uint64_t size_bytes = block && block->shared ? core_of(run)->shared_bytes : 0;
  memset(words, 0, (size_t)n_rows * ROW_BYTES);
  uint64_t from = (uint64_t)first_row * ROW_BYTES, wanted = (uint64_t)n_rows * ROW_BYTES;
  if (from < size_bytes) {
    uint64_t left = size_bytes - from;
    memcpy(words, block->shared + from, (size_t)(left < wanted ? left : wanted));
  }
  return (uint32_t)((size_bytes + ROW_BYTES - 1) / ROW_BYTES);
}

simt_status simt_run_counters(const simt_run *run, simt_counters *out) {
  memset(out, 0, sizeof *out);
  if (!run->engine->counters) return SIMT_NOT_FOUND;
  if (run->is_repeated) return *out = *simt_repeat_counters(run), SIMT_OK;
  simt_counters_so_far(run->engine->counters, simt_run_info(run), &core_of(run)->profile, out);
  return SIMT_OK;
}
