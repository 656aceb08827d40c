// SPDX-License-Identifier: MIT
// runtime/modelled.c - queries of the timing model (include/simt.h).
#include <string.h>

#include "runtime/runtime.h"

double simt_modelled_ms_last_launch(void) {
  rt_context *context = simt_rt_enter_idle();
  double ms = context->engine ? simt_engine_last_ms(context->engine) : 0.0;
  simt_rt_leave(context, cudaSuccess);
  return ms;
}

static double rate(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

static void describe(simt_modelled *out, const simt_model_time *t) {
  *out = (simt_modelled){.total_ms = t->total_ms,
                         .launch_ms = t->launch_ms,
                         .issue_ms = t->issue_ms,
                         .units_ms = t->lanes_ms,
                         .shared_ms = t->shared_ms,
                         .l1_ms = t->l1_ms,
                         .block_ms = t->block_ms,
                         .l2_ms = t->l2_ms,
                         .dram_ms = t->dram_ms,
                         .atomic_ms = t->atomic_ms,
                         .latency_ms = t->latency_ms,
                         .bound = t->bound ? t->bound : "",
                         .l1_hit_rate = rate(t->l1_hits, t->l1_sectors),
                         .l2_hit_rate = rate(t->l2_hits, t->l2_sectors),
                         .dram_read_bytes = t->dram_read_bytes,
                         .dram_write_bytes = t->dram_write_bytes,
                         .resident_blocks = t->resident_blocks,
                         .limiter = t->limiter ? t->limiter : "",
                         .is_sampled = t->is_sampled,
                         .is_judged = t->is_judged,
                         .link_ms = t->link_ms};
}

int simt_modelled_are_judged(void) {
  rt_context *context = simt_rt_enter_idle();
  bool judged = !context->engine || simt_engine_n_unjudged(context->engine) == 0;
  simt_rt_leave(context, cudaSuccess);
  return judged;
}

simt_beyond simt_modelled_beyond(void) {
  rt_context *context = simt_rt_enter_idle();
  simt_beyond beyond = context->engine ? simt_engine_beyond(context->engine) : SIMT_NOT_BEYOND;
  simt_rt_leave(context, cudaSuccess);
  return beyond;
}

int simt_modelled_are_sampled(void) {
  rt_context *context = simt_rt_enter_idle();
  bool sampled = context->engine && simt_engine_n_sampled_times(context->engine) != 0;
  simt_rt_leave(context, cudaSuccess);
  return sampled;
}

void simt_modelled_longest_launch(simt_modelled *out) {
  rt_context *context = simt_rt_enter_idle();
  static const simt_model_time none;
  describe(out, context->engine ? simt_engine_longest(context->engine) : &none);
  simt_rt_leave(context, cudaSuccess);
}

void simt_sample_blocks(int on) {
  rt_context *context = simt_rt_enter_idle();
  const rt_options *options = &context->options;
  bool sweeps = options->n_sweep != 0;
  if (context->engine)
    simt_engine_sample_blocks(context->engine, on && !sweeps && !options->exact_model);
  simt_rt_leave(context, cudaSuccess);
}

void simt_sampled_read(simt_sampled *out) {
  rt_context *context = simt_rt_enter_idle();
  *out = context->engine ? simt_engine_sampled(context->engine) : (simt_sampled){0};
  simt_rt_leave(context, cudaSuccess);
}

void simt_modelled_last_launch(simt_modelled *out) {
  rt_context *context = simt_rt_enter_idle();
  static const simt_model_time none;
  describe(out, context->engine ? simt_engine_last_time(context->engine) : &none);
  simt_rt_leave(context, cudaSuccess);
}
