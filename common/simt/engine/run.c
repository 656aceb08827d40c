// SPDX-License-Identifier: MIT
// engine/run.c - one launch of an engine, from its arguments to its counters. The observers are
// notified in this order: the one that announces the launch to the set of findings, the checkers,
// the counters, the client's own.
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"

// ---- Arguments.

// How many bytes of an argument the host holds. A 32-bit host has shorter pointers than the device;
// 64-bit integers count as pointers there.
static uint32_t host_bytes(const ptx_param *param) {
  bool is_integer = param->type == PTX_U64 || param->type == PTX_B64;
  return is_integer && sizeof(void *) < param->size_bytes && param->size_bytes == 8
             ? (uint32_t)sizeof(void *)
             : param->size_bytes;
}

simt_status simt_pack_arguments(const simt_kernel *kernel, const void *const *arguments, uint32_t n,
                                uint8_t *out, simt_diag *diag) {
  simt_kernel_info info;
  simt_kernel_describe(kernel, &info);
  if (n != info.n_params)
    return simt_fail(diag, SIMT_INVALID_ARGUMENT, "kernel '%s' takes %u arguments, %u are given",
                     info.name, info.n_params, n);
  memset(out, 0, info.param_bytes);
  for (uint32_t i = 0; i < n; i++) {
    if (!arguments[i])
      return simt_fail(diag, SIMT_INVALID_ARGUMENT, "argument %u of kernel '%s' is a null pointer",
                       i, info.name);
    memcpy(out + info.params[i].offset_bytes, arguments[i], host_bytes(&info.params[i]));
  }
  return SIMT_OK;
}

static simt_status copy_params(simt_run *run, const simt_launch *launch,
                               const void *const *arguments, uint32_t n) {
  simt_kernel_info info;
  simt_kernel_describe(launch->kernel, &info);
  run->params = calloc(1, (size_t)info.param_bytes + 1);
  if (!run->params)
    return simt_fail(&run->diag, SIMT_OUT_OF_MEMORY, "no host memory left for arguments");
  if (arguments) return simt_pack_arguments(launch->kernel, arguments, n, run->params, &run->diag);
  if (launch->params) memcpy(run->params, launch->params, info.param_bytes);
  return SIMT_OK;
}

// ---- Observers.

static void announce(simt_observer *self, const simt_launch_info *info) {
  simt_findings_set_launch(((announcer *)(void *)self)->findings, info);
}

// It gathers nothing from workers, but without these hooks there would be no workers.
static simt_observer *fork_announcer(simt_observer *self, uint32_t n_workers) {
  (void)n_workers;
  (void)self;
  return calloc(1, sizeof(simt_observer));
}
static void discard_announcer(simt_observer *worker) { free(worker); }
static void join_announcer(simt_observer *self, simt_observer *worker) {
  (void)self;
  free(worker);
}

// Links are counted only where a kernel can reach another device's memory.
static bool prepare_links(simt_run *run, const simt_launch *launch) {
  simt_engine *e = run->engine;
  run->has_peers = e->counters && (launch->peers & ~(1u << launch->device)) != 0;
  if (run->has_peers && !e->peers) e->peers = simt_links_observer_create(e->memory);
  return !run->has_peers || e->peers;
}

static simt_status gather_observers(simt_run *run, simt_launch *launch) {
  simt_engine *e = run->engine;
  simt_observer **all = run->observers =
      calloc((size_t)launch->n_observers + SIMT_MAX_CHECK_OBSERVERS + 6, sizeof *all);
  if (!all || !prepare_links(run, launch))
    return simt_fail(&run->diag, SIMT_OUT_OF_MEMORY, "no host memory left for observers");
  run->first = (announcer){.hooks = {.launch_begin = announce,
                                     .fork = fork_announcer,
                                     .join = join_announcer,
                                     .discard = discard_announcer},
                           .findings = e->findings};
  uint32_t n = 0;
  if (e->locates_findings) all[n++] = &run->first.hooks;
  if (e->checks) n += simt_checks_observers(e->checks, all + n);
  if (e->counters) all[n++] = e->counters;
  if (run->trace) all[n++] = run->trace;
  if (e->lines) all[n++] = e->lines;
  if (e->work) all[n++] = e->work;
  if (run->has_peers) all[n++] = e->peers;
  for (uint32_t i = 0; i < launch->n_observers; i++) all[n++] = launch->observers[i];
  launch->observers = all;
  launch->n_observers = run->is_repeated ? 0 : n;
  return SIMT_OK;
}

// ---- Life.

static void free_run(simt_run *run) {
  free(run->observers);
  free(run->params);
  free(run->mark);
  free(run);
}

static simt_status begin(simt_run *run, const simt_launch *asked, const void *const *arguments,
                         uint32_t n_arguments) {
  simt_launch launch = *asked;
  launch.number = ++run->engine->n_launches;
  run->mark = calloc(1, sizeof *run->mark);
  if (!run->mark)
    return simt_fail(&run->diag, SIMT_OUT_OF_MEMORY, "no host memory left for a launch");
  simt_sample_plan(run, &launch);
  simt_status status = copy_params(run, asked, arguments, n_arguments);
  if (status != SIMT_OK) return status;
  simt_repeat_plan(run, &launch);
  status = gather_observers(run, &launch);
  if (status != SIMT_OK) return status;
  launch.params = run->params;
  return simt_execution_begin(&run->execution, run->engine->memory, &launch, &run->diag);
}

simt_status simt_run_begin(simt_run **out, simt_engine *engine, const simt_launch *launch,
                           const void *const *arguments, uint32_t n_arguments, simt_diag *diag) {
  simt_run *run = *out = calloc(1, sizeof *run);
  if (!run) return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no host memory left to begin a launch");
  run->engine = engine;
  run->device = launch->device;
  simt_status status = begin(run, launch, arguments, n_arguments);
  if (status == SIMT_OK) return SIMT_OK;
  if (diag) *diag = run->diag;
  free_run(run);
  *out = NULL;
  return status;
}

simt_execution_state simt_run_advance(simt_run *run, simt_until until, uint64_t budget) {
  if (run->goes_astray) return SIMT_EXECUTION_FINISHED;
  if (run->is_repeated && !run->has_repeated) simt_repeat(run), run->has_repeated = true;
  if (run->is_repeated) return SIMT_EXECUTION_FINISHED;
  return simt_execution_advance(run->execution, until, budget);
}

simt_child *simt_run_take_children(simt_run *run) {
  return simt_execution_take_children(run->execution);
}

// What the launch moved over links: it takes at least as long as the busiest device's.
static void account_links(simt_run *run) {
  simt_engine *e = run->engine;
  simt_model_time *t = &e->last_time;
  if (!run->has_peers) return;
  const simt_links *links = simt_links_of(e->peers);
  simt_links_add(&e->links, links);
  if (!e->trace) return;
  t->link_ms = simt_links_busy_ms(e->device, links);
  if (t->total_ms - t->launch_ms >= t->link_ms) return;
  t->total_ms = t->launch_ms + t->link_ms;
  t->bound = "link";
}

static void model(simt_run *run) {
  simt_engine *e = run->engine;
  const simt_model_time *known = simt_repeat_time(run);
  e->last_time = known ? *known
                       : simt_model_explain(e->device, simt_run_info(run), &e->last,
                                            simt_trace_of(run->trace), &e->l2[run->device]);
  simt_repeat_note_time(run, &e->last_time);
}

// The launch's counters and modelled time, while they can still be read.
static void account(simt_run *run) {
  simt_engine *e = run->engine;
  e->last_ms = 0.0;
  if (simt_run_counters(run, &e->last) != SIMT_OK) return;
  simt_sample_account(run, &e->last);
  simt_repeat_account(run, &e->last);
  simt_counters_add(&e->total, &e->last);
  if (e->trace) model(run); // else no modelled time is asked for
  account_links(run);
  if (!e->trace) return;
  e->last_ms = e->last_time.total_ms;
  e->n_unjudged += !e->last_time.is_judged;
  if (!e->last_time.is_judged) e->beyond = e->last_time.beyond;
  e->n_sampled_times += e->last_time.is_sampled;
  if (e->last_time.total_ms > e->longest.total_ms) e->longest = e->last_time;
  if (e->lines) simt_lines_add_time(e->lines, simt_run_info(run), &e->last_time);
}

simt_status simt_run_end(simt_run *run) {
  if (!run) return SIMT_OK;
  account(run);
  simt_repeat_measure(run);
  simt_launch_info info = *simt_run_info(run);
  simt_status status = simt_execution_end(run->execution);
  simt_repeat_end(run);
  info.shared_variables = NULL; // arrays of a launch are freed with it; its module is not
  info.n_shared_variables = 0;
  if (run->engine->locates_findings) simt_findings_set_launch(run->engine->findings, &info);
  free_run(run);
  return status;
}
