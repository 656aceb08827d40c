// SPDX-License-Identifier: MIT
// core/launch.c - one kernel launch from its arguments to its end.
#include "core/launch.h"

#include <inttypes.h>
#include <string.h>

#include "core/grid.h"
#include "core/schedule.h"
#include "core/state.h"
#include "core/store_buffer.h"
#include "core/threads.h"
#include "lanes/table.h"

enum { MAX_THREADS = 1024 };
static const uint64_t DEFAULT_MAX_WARP_INSTRUCTIONS = UINT64_C(1) << 28;

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
  if (l->dynamic_shared_bytes > SIMT_SHARED_WINDOW_BYTES)
    return simt_fail(diag, SIMT_OUT_OF_RESOURCES, "%" PRIu64 " bytes of dynamic shared memory",
                     l->dynamic_shared_bytes);
  return SIMT_OK;
}

// Dynamic shared memory is as large as this launch makes it.
static bool describe_shared(simt_core *core, simt_launch_info *info) {
  const simt_kernel *k = core->kernel;
  if (!k->n_shared_variables || !core->n_observers) return true;
  simt_shared_variable *all =
      SIMT_ARENA_ARRAY(&core->arena, simt_shared_variable, k->n_shared_variables);
  if (!all) return false;
  for (uint32_t i = 0; i < k->n_shared_variables; i++) {
    all[i] = k->shared_variables[i];
    if (all[i].is_dynamic && core->shared_bytes > all[i].offset_bytes)
      all[i].size_bytes = core->shared_bytes - all[i].offset_bytes;
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
                             .cooperative = l->cooperative,
                             .n_code = k->n_code,
                             .code_class = k->code_class,
                             .code_width_bytes = k->code_width,
                             .code_loc = k->code_loc,
                             .code_blocks = k->blocks,
                             .n_code_blocks = k->n_blocks,
                             .code_ptx_line = k->code_ptx_line,
                             .code_home = k->code_home,
                             .launch = l->number};
  memcpy(info->grid, l->grid, sizeof info->grid);
  memcpy(info->block, l->block, sizeof info->block);
}

// The pair of words NVIDIA's grid.sync() spins on; it lies behind %envreg1 and %envreg2.
static simt_status make_workspace(simt_core *core, simt_memory *memory) {
  if (!core->launch->cooperative) return SIMT_OK;
  simt_status status = simt_memory_alloc(memory, 64, SIMT_ALLOCATION_VARIABLE, "grid workspace",
                                         &core->workspace, core->diag);
  if (status == SIMT_OK) memset(simt_memory_host(memory, core->workspace, 64), 0, 64);
  return status;
}

static simt_status run(simt_core *core, uint64_t n_blocks) {
  simt_status status = simt_core_set_up(core, n_blocks);
  if (status != SIMT_OK) return status;
  simt_launch_info info;
  describe_launch(core, n_blocks, &info);
  if (!describe_shared(core, &info))
    return simt_fail(core->diag, SIMT_OUT_OF_MEMORY, "no host memory left to run kernel '%s'",
                     core->kernel->name);
  SIMT_NOTIFY(core, launch_begin, &info);
  if (core->n_resident > 1) simt_core_run_together(core, n_blocks);
  else if (!simt_run_on_threads(core, n_blocks)) simt_core_run(core, 0, n_blocks);
  SIMT_NOTIFY(core, launch_end, &info, &core->profile);
  return core->status;
}

simt_status simt_launch_run(simt_memory *memory, const simt_launch *launch, simt_diag *diag) {
  simt_status status = check_geometry(launch, diag);
  if (status != SIMT_OK) return status;
  const simt_kernel *k = launch->kernel;
  uint64_t n_blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  simt_core core = {.kernel = k,
                    .launch = launch,
                    .memory = memory,
                    .observers = launch->observers,
                    .n_observers = launch->n_observers,
                    .diag = diag,
                    .address = simt_lanes_addresses(),
                    .block_threads = launch->block[0] * launch->block[1] * launch->block[2],
                    .max_warp_instructions = launch->max_warp_instructions
                                                 ? launch->max_warp_instructions
                                                 : DEFAULT_MAX_WARP_INSTRUCTIONS};
  for (uint32_t i = 0; i < launch->n_observers; i++) {
    core.hears_barriers |= launch->observers[i]->barrier != NULL;
    core.hears_collectives |= launch->observers[i]->collective != NULL;
    core.hears_undefined |= launch->observers[i]->undefined != NULL;
  }
  simt_schedule_begin(&core, n_blocks);
  core.grid_threads = n_blocks * core.block_threads;
  core.shared_bytes = launch->dynamic_shared_bytes ? k->dynamic_base + launch->dynamic_shared_bytes
                                                   : k->static_shared_bytes;
  status = make_workspace(&core, memory);
  if (status == SIMT_OK) status = run(&core, n_blocks);
  simt_held_end(&core);
  if (core.workspace) simt_memory_free(memory, core.workspace, NULL);
  simt_arena_free(&core.arena);
  return status;
}
