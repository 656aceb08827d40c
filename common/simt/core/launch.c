// SPDX-License-Identifier: MIT
// core/launch.c - one kernel launch from its arguments to its end.
#include "core/launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/calls.h"
#include "core/footprint.h"
#include "core/grid.h"
#include "core/requests.h"
#include "core/sample.h"
#include "core/schedule.h"
#include "core/state.h"
#include "core/stop.h"
#include "core/store_buffer.h"
#include "core/threads.h"
#include "lanes/table.h"

enum { MAX_THREADS = 1024 };
// A kernel of one thread that walks an array of 2^25 elements needs a third of it.
static const uint64_t DEFAULT_MAX_WARP_INSTRUCTIONS = UINT64_C(1) << 30;

static bool is_divided(const simt_launch *l) {
  uint64_t blocks = 1;
  for (uint32_t i = 0; i < 3; i++) {
    if (!l->cluster[i] || l->grid[i] % l->cluster[i]) return false;
    blocks *=
        l->cluster[i] <= SIMT_MAX_CLUSTER_BLOCKS ? l->cluster[i] : SIMT_MAX_CLUSTER_BLOCKS + 1;
  }
  return blocks <= SIMT_MAX_CLUSTER_BLOCKS;
}

static simt_status check_geometry(const simt_launch *l, simt_diag *diag) {
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1];
  if (!threads || !blocks || !l->grid[2])
    return simt_fail(diag, SIMT_INVALID_CONFIGURATION,
                     "a grid or block dimension is 0 (grid %ux%ux%u, block %ux%ux%u)", l->grid[0],
                     l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
  if (threads > MAX_THREADS || l->block[0] > MAX_THREADS || l->block[1] > MAX_THREADS)
    return simt_fail(diag, SIMT_INVALID_CONFIGURATION,
                     "%" PRIu64 " threads in a block; the limit is %d", threads, MAX_THREADS);
  if (blocks > UINT32_MAX || blocks * l->grid[2] > UINT32_MAX)
    return simt_fail(diag, SIMT_INVALID_CONFIGURATION,
                     "more than 2^32 - 1 blocks in a grid are not supported");
  if (l->cluster[0] && !is_divided(l))
    return simt_fail(diag, SIMT_INVALID_CONFIGURATION,
                     "clusters of %ux%ux%u blocks do not divide a grid of %ux%ux%u, or have more "
                     "than %d blocks",
                     l->cluster[0], l->cluster[1], l->cluster[2], l->grid[0], l->grid[1],
                     l->grid[2], SIMT_MAX_CLUSTER_BLOCKS);
  if (l->dynamic_shared_bytes > SIMT_SHARED_WINDOW_BYTES)
    return simt_fail(diag, SIMT_OUT_OF_RESOURCES, "%" PRIu64 " bytes of dynamic shared memory",
                     l->dynamic_shared_bytes);
  return SIMT_OK;
}

// The launch determines the size of dynamic shared memory.
static bool describe_shared(simt_core *core, simt_launch_info *info) {
  const simt_kernel *k = core->kernel;
  if (!k->n_shared_variables) return true;
  simt_shared_variable *all =
      SIMT_ARENA_ARRAY(&core->arena, simt_shared_variable, k->n_shared_variables);
  if (!all) return false;
  for (uint32_t i = 0; i < k->n_shared_variables; i++) {
    all[i] = k->shared_variables[i];
    if (all[i].is_dynamic && core->reserved_shared > all[i].offset_bytes)
      all[i].size_bytes = core->reserved_shared - all[i].offset_bytes;
  }
  info->shared_variables = all;
  info->n_shared_variables = k->n_shared_variables;
  return true;
}

static void describe_launch(const simt_core *core, uint64_t n_blocks, simt_launch_info *info) {
  const simt_launch *l = core->launch;
  const simt_kernel *k = core->kernel;
  *info = (simt_launch_info){.module = k->module->ptx,
                             .kernel = k->function,
                             .n_blocks = n_blocks,
                             .block_threads = core->block_threads,
                             .warps_per_block = (core->block_threads + SIMT_LANES - 1) / SIMT_LANES,
                             .shared_bytes = core->shared_bytes,
                             .reserved_shared = core->reserved_shared,
                             .cooperative = l->cooperative,
                             .code = k->code,
                             .n_code = k->n_code,
                             .code_class = k->code_class,
                             .code_width_bytes = k->code_width,
                             .code_loc = k->code_loc,
                             .code_blocks = k->blocks,
                             .n_code_blocks = k->n_blocks,
                             .code_ptx_line = k->code_ptx_line,
                             .facts = k->facts,
                             .device = l->device,
                             .n_devices = l->n_devices,
                             .n_sampled = l->n_sampled,
                             .launch = l->number};
  memcpy(info->grid, l->grid, sizeof info->grid);
  memcpy(info->cluster, core->cluster, sizeof info->cluster);
  info->cluster_blocks = core->cluster_blocks;
  memcpy(info->block, l->block, sizeof info->block);
}

// The pair of words that NVIDIA's grid.sync() spins on; %envreg1 and %envreg2 point to it.
static simt_status make_workspace(simt_core *core, simt_memory *memory) {
  if (!core->launch->cooperative) return SIMT_OK;
  simt_status status = simt_memory_alloc(memory, 64, SIMT_ALLOCATION_VARIABLE, "grid workspace",
                                         &core->workspace, core->diag);
  if (status == SIMT_OK) memset(simt_memory_change(memory, core->workspace, 64), 0, 64);
  return status;
}

struct simt_execution {
  simt_core core;
  simt_launch launch;
  simt_launch_info info;
  simt_memory *memory;
  uint64_t n_blocks, n_run;
  simt_execution_state state;
  bool is_announced; // the observers know that it has begun
};

static void describe_listeners(simt_core *core) {
  for (uint32_t i = 0; i < core->n_observers; i++) {
    core->reports_barriers |= core->observers[i]->barrier != NULL;
    core->reports_collectives |= core->observers[i]->collective != NULL;
    core->reports_undefined |= core->observers[i]->undefined != NULL;
    core->reports_copies |= core->observers[i]->copy_begin != NULL;
  }
}

// As many blocks are resident as whole clusters hold.
static void describe_cluster(simt_core *core) {
  const uint32_t *asked = core->launch->cluster;
  for (uint32_t i = 0; i < 3; i++) core->cluster[i] = asked[0] ? asked[i] : 1;
  core->cluster_blocks = core->cluster[0] * core->cluster[1] * core->cluster[2];
  core->max_resident = core->max_resident / core->cluster_blocks * core->cluster_blocks;
  if (!core->max_resident) core->max_resident = core->cluster_blocks;
}

static void fill_core(simt_execution *e, simt_diag *diag) {
  const simt_launch *l = &e->launch;
  const simt_kernel *k = l->kernel;
  e->n_blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  e->core = (simt_core){
      .kernel = k,
      .launch = l,
      .memory = e->memory,
      .heap = e->memory,
      .observers = l->observers,
      .n_observers = l->n_observers,
      .diag = diag,
      .address = simt_lanes_addresses(),
      .block_threads = l->block[0] * l->block[1] * l->block[2],
      .max_resident = l->max_resident_blocks ? l->max_resident_blocks : SIMT_RESIDENT_BLOCKS,
      .max_warp_instructions =
          l->max_warp_instructions ? l->max_warp_instructions : DEFAULT_MAX_WARP_INSTRUCTIONS};
  describe_listeners(&e->core);
  describe_cluster(&e->core);
  simt_schedule_begin(&e->core, e->n_blocks / e->core.cluster_blocks);
  e->core.grid_blocks = e->n_blocks;
  e->core.local_bytes =
      k->local_bytes + (k->makes_calls ? simt_call_stack_bytes(l->stack_bytes) : 0);
  e->core.shared_bytes =
      l->dynamic_shared_bytes ? k->dynamic_base + l->dynamic_shared_bytes : k->static_shared_bytes;
  e->core.reserved_shared = e->core.shared_bytes;
  if (k->uses_reserved_shared) {
    e->core.reserved_shared = (e->core.shared_bytes + 15) / 16 * 16;
    e->core.shared_bytes = e->core.reserved_shared + SIMT_RESERVED_SHARED_BYTES;
  }
}

static simt_status begin_requests(simt_core *core) {
  if (!core->kernel->calls_runtime) return SIMT_OK;
  if (core->launch->ask) return simt_requests_begin(core);
  return simt_fail(
      core->diag, SIMT_UNSUPPORTED,
      "kernel '%s' launches kernels, or calls other functions of CUDA's runtime, which "
      "this program does not provide",
      core->kernel->name);
}

static simt_status set_up(simt_execution *e) {
  simt_core *core = &e->core;
  simt_status status = make_workspace(core, e->memory);
  if (status == SIMT_OK) status = begin_requests(core);
  if (status == SIMT_OK) status = simt_core_set_up(core, e->n_blocks);
  if (status != SIMT_OK) return status;
  describe_launch(core, e->n_blocks, &e->info);
  if (!describe_shared(core, &e->info))
    return simt_fail(core->diag, SIMT_OUT_OF_MEMORY, "no host memory left to run kernel '%s'",
                     core->kernel->name);
  e->is_announced = true;
  SIMT_NOTIFY(core, launch_begin, &e->info);
  return SIMT_OK;
}

simt_status simt_execution_begin(simt_execution **execution, simt_memory *memory,
                                 const simt_launch *launch, simt_diag *diag) {
  *execution = NULL;
  simt_status status = check_geometry(launch, diag);
  if (status != SIMT_OK) return status;
  simt_execution *e = calloc(1, sizeof *e);
  if (!e)
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no host memory left to run kernel '%s'",
                     launch->kernel->name);
  e->memory = memory;
  e->launch = *launch;
  simt_memory_set_device(memory, launch->device);
  simt_memory_set_visible(memory, launch->peers | 1u << launch->device);
  fill_core(e, diag);
  status = set_up(e);
  if (status == SIMT_OK) *execution = e;
  else simt_execution_end(e);
  return status;
}

const simt_core *simt_execution_core(const simt_execution *e) { return &e->core; }
const simt_launch_info *simt_execution_info(const simt_execution *e) { return &e->info; }
const simt_fault_record *simt_execution_fault(const simt_execution *e) { return &e->core.fault; }
simt_execution_state simt_execution_state_of(const simt_execution *e) { return e->state; }

uint64_t simt_execution_blocks_run(const simt_execution *e) { return e->n_run; }

static bool can_advance(const simt_execution *e) {
  return e->state == SIMT_EXECUTION_BEGUN || e->state == SIMT_EXECUTION_HELD;
}

// Where a footprint is asked for, notes are kept of what is touched.
static simt_outcome run_in_order(simt_core *core, uint64_t first, uint64_t end) {
  if (core->launch->footprint)
    core->speculation = simt_speculation_begin(1, simt_memory_platform(core->memory));
  simt_core_begin(core, first, end);
  const simt_outcome outcome = simt_core_advance(core);
  simt_speculation *notes = core->speculation;
  core->speculation = NULL;
  if (notes && outcome == SIMT_DONE && simt_speculation_settle(notes))
    simt_footprint_take(core, notes);
  simt_speculation_free(notes);
  return outcome;
}

// Blocks [first, end).
static simt_outcome run_blocks(simt_core *core, uint64_t first, uint64_t end) {
  if (first >= end) return SIMT_DONE;
  if (core->n_resident == 1 && simt_run_on_threads(core, first, end)) return SIMT_DONE;
  return run_in_order(core, first, end);
}

static simt_execution_state run_at_once(simt_execution *e) {
  const simt_launch *l = &e->launch;
  e->n_run = simt_sample_make(&e->core, e->n_blocks);
  simt_outcome outcome = run_blocks(&e->core, 0, e->n_run);
  if (outcome == SIMT_DONE && e->n_run < e->n_blocks && !l->is_enough(l->sample_data)) {
    outcome = run_blocks(&e->core, e->n_run, e->n_blocks);
    e->n_run = e->n_blocks;
  }
  return outcome == SIMT_DONE ? SIMT_EXECUTION_FINISHED : SIMT_EXECUTION_FAULTED;
}

simt_execution_state simt_execution_advance(simt_execution *e, simt_until until, uint64_t budget) {
  if (!e) return SIMT_EXECUTION_FAULTED; // it could not begin
  if (!can_advance(e)) return e->state;
  simt_core *core = &e->core;
  simt_stop_set(core, until, budget);
  bool is_new = e->state == SIMT_EXECUTION_BEGUN;
  if (is_new && !core->stop.is_set) return e->state = run_at_once(e);
  if (is_new) {
    e->n_run = e->n_blocks;
    simt_core_begin(core, 0, e->n_blocks);
  }
  switch (simt_core_advance(core)) {
  case SIMT_DONE: return e->state = SIMT_EXECUTION_FINISHED;
  case SIMT_HELD: return e->state = SIMT_EXECUTION_HELD;
  case SIMT_FAULTED: break;
  }
  return e->state = SIMT_EXECUTION_FAULTED;
}

simt_child *simt_execution_take_children(simt_execution *e) { return simt_requests_take(&e->core); }

simt_status simt_execution_end(simt_execution *e) {
  if (!e) return SIMT_OK;
  simt_core *core = &e->core;
  simt_status status = core->status;
  if (e->is_announced) SIMT_NOTIFY(core, launch_end, &e->info, &core->profile);
  simt_held_end(core);
  simt_requests_end(core);
  if (core->workspace) simt_memory_free(e->memory, core->workspace, NULL);
  simt_memory_set_visible(e->memory, UINT32_MAX);
  simt_arena_free(&core->arena);
  free(e);
  return status;
}

simt_status simt_launch_run(simt_memory *memory, const simt_launch *launch, simt_diag *diag) {
  simt_execution *execution;
  simt_status status = simt_execution_begin(&execution, memory, launch, diag);
  if (status != SIMT_OK) return status;
  simt_execution_advance(execution, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  return simt_execution_end(execution);
}
