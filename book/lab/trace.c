// SPDX-License-Identifier: MIT
// trace.c - records a launch step by step, for the page's player and for the pictures of the book.
//
// Linked into a lesson's program with --wrap= for simt_run_begin, simt_run_advance and
// simt_run_end: where the environment has LAB_TRACE=LAUNCH:BLOCK (both numbers; the first launch is
// 1), what that block does in that launch is written to stdout (common/tutor/kernel/recorder.h has
// the format). All else runs as ever.
#include <stdio.h>
#include <stdlib.h>

#include "recorder.h"

enum { MOST_STEPS = 20000 };

simt_status __real_simt_run_begin(simt_run **run, simt_engine *engine, const simt_launch *launch,
                                  const void *const *arguments, uint32_t n, simt_diag *diag);
simt_status __wrap_simt_run_begin(simt_run **run, simt_engine *engine, const simt_launch *launch,
                                  const void *const *arguments, uint32_t n, simt_diag *diag);
simt_execution_state __real_simt_run_advance(simt_run *run, simt_until until, uint64_t budget);
simt_execution_state __wrap_simt_run_advance(simt_run *run, simt_until until, uint64_t budget);
simt_status __real_simt_run_end(simt_run *run);
simt_status __wrap_simt_run_end(simt_run *run);

static recorder *the_recorder; // of the latest launch that is recorded; NULL: none yet
static simt_engine *its_engine;
static bool is_pending; // it has begun, and nothing has run
static bool is_open;    // it has not ended

static void put(void *data, const char *text, size_t n_bytes) {
  (void)data;
  fwrite(text, 1, n_bytes, stdout);
}

// Whether the next launch of `engine` is the one that is asked for.
static bool is_asked_for(const simt_engine *engine, unsigned *block) {
  unsigned launch = 0;
  const char *text = getenv("LAB_TRACE");
  return text && sscanf(text, "%u:%u", &launch, block) == 2 &&
         simt_engine_n_launches(engine) + 1 == launch;
}

simt_status __wrap_simt_run_begin(simt_run **run, simt_engine *engine, const simt_launch *launch,
                                  const void *const *arguments, uint32_t n, simt_diag *diag) {
  static const simt_sink out = {.write = put};
  unsigned block = 0;
  simt_launch traced = *launch;
  simt_observer *observer = NULL;
  if (is_asked_for(engine, &block)) {
    recorder_destroy(the_recorder); // the launch before has ended
    the_recorder = recorder_create(&out, block, MOST_STEPS);
    is_pending = is_open = the_recorder != NULL;
  }
  if (is_pending) {
    observer = recorder_observer(the_recorder);
    its_engine = engine;
    traced.observers = &observer;
    traced.n_observers = 1;
  }
  return __real_simt_run_begin(run, engine, &traced, arguments, n, diag);
}

simt_execution_state __wrap_simt_run_advance(simt_run *run, simt_until until, uint64_t budget) {
  if (!is_pending) return __real_simt_run_advance(run, until, budget);
  is_pending = false; // the recorder advances the run through here
  recorder_run(the_recorder, run);
  return __real_simt_run_advance(run, until, budget);
}

simt_status __wrap_simt_run_end(simt_run *run) {
  const simt_status status = __real_simt_run_end(run);
  if (is_open) recorder_end(the_recorder, simt_engine_findings(its_engine));
  is_open = false;
  fflush(stdout);
  return status;
}
