// SPDX-License-Identifier: MIT
// engine/sample.c - which launches may run as a sample of their blocks, decided by what is known of
// the code and the grid before, and by what the blocks have done after: never by a kernel's name.
//
// Before: the blocks learn nothing from each other (device/facts.h), there are enough of them, and
// nothing is to see every one (no checker, no counts by line, no links to other devices, no
// observer of the client's).
// After: those that have run are alike (profile/extrapolate.h); otherwise the others run too.
// What a sampled launch has not written is not there. A later launch that branches or addresses by
// what it reads would go astray: it does not run, and simt_engine_sampled() says that all is void.
#include <stdlib.h>

#include "decode/decode.h"
#include "engine/internal.h"
#include "profile/extrapolate.h"

enum {
  LEAST_BLOCKS = 64, // of a sample
  MOST_BLOCKS = 1024,
  ONE_IN = 16,        // between these
  WORTH_IT_LOG2 = 17, // threads of a grid
};

void simt_engine_sample_blocks(simt_engine *e, bool on) { e->samples_blocks = on; }
simt_sampled simt_engine_sampled(const simt_engine *e) { return e->sampled; }

static bool is_watched(const simt_engine *e, const simt_launch *launch) {
  return !e->trace || !e->counters || e->checks || e->lines || e->work || launch->n_observers;
}

static bool is_enough(void *data) {
  const simt_run *run = data;
  simt_counters so_far;
  if (simt_run_counters(run, &so_far) != SIMT_OK) return false;
  return simt_is_enough(simt_trace_of(run->engine->trace), &so_far);
}

void simt_sample_plan(simt_run *run, simt_launch *launch) {
  const simt_code_facts *facts = &launch->kernel->facts;
  simt_engine *e = run->engine;
  uint64_t n_blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
  launch->n_sampled = 0;
  if (!e->samples_blocks) return;
  run->goes_astray = e->sampled.blocks_run < e->sampled.blocks && facts->loads_decide;
  if (run->goes_astray) e->sampled.is_void = true;
  if (is_watched(e, launch) || launch->peers & ~(1u << launch->device) ||
      !facts->blocks_are_alone || launch->cooperative ||
      launch->schedule.kind != SIMT_SCHEDULE_LOCKSTEP || n_blocks * threads >> WORTH_IT_LOG2 == 0)
    return;
  uint64_t n = n_blocks / ONE_IN;
  if (n < LEAST_BLOCKS) n = LEAST_BLOCKS;
  if (n > MOST_BLOCKS) n = MOST_BLOCKS;
  launch->n_sampled = n;
  launch->is_enough = is_enough;
  launch->sample_data = run;
}

void simt_sample_account(simt_run *run, simt_counters *counters) {
  simt_engine *e = run->engine;
  uint64_t n_blocks = simt_run_info(run)->n_blocks,
           n_run = run->is_repeated ? n_blocks : simt_execution_blocks_run(run->execution);
  e->sampled.blocks += n_blocks;
  e->sampled.blocks_run += n_run;
  if (run->trace) simt_trace_of(run->trace)->n_run = n_run;
  if (n_run && n_run < n_blocks) simt_extrapolate(counters, n_run, n_blocks);
}
