// SPDX-License-Identifier: MIT
// runtime/questions.c - the functions of simt.h that ask for counters, the device and the latest
// fault. Work that is queued is carried out first.
#include "runtime/runtime.h"

void simt_counters_read(simt_counters *out) {
  rt_context *context = simt_rt_enter_idle();
  *out = context->engine ? *simt_engine_total(context->engine) : (simt_counters){0};
  simt_rt_leave(context, cudaSuccess);
}

void simt_counters_reset(void) {
  rt_context *context = simt_rt_enter_idle();
  if (context->engine) simt_engine_clear_total(context->engine);
  simt_rt_leave(context, cudaSuccess);
}

void simt_counters_last_launch(simt_counters *out) {
  rt_context *context = simt_rt_enter_idle();
  *out = context->engine ? *simt_engine_last(context->engine) : (simt_counters){0};
  simt_rt_leave(context, cudaSuccess);
}

int simt_work_last_launch(simt_work *out) {
  rt_context *context = simt_rt_enter_idle();
  *out = (simt_work){0};
  int counted = context->engine && simt_engine_work(context->engine, out);
  simt_rt_leave(context, cudaSuccess);
  return counted;
}

const char *simt_device_name(void) {
  rt_context *context = simt_rt_enter_idle();
  const char *name = context->device ? context->device->name : "";
  simt_rt_leave(context, cudaSuccess);
  return name;
}

double simt_device_peak_gb_per_s(void) {
  rt_context *context = simt_rt_enter_idle();
  double peak = context->device ? context->device->dram_read_gb_per_s : 0.0;
  simt_rt_leave(context, cudaSuccess);
  return peak;
}

int simt_last_fault(simt_fault_info *out) {
  rt_context *context = simt_rt_enter_unstarted();
  *out = context->latest_fault;
  simt_rt_leave(context, cudaSuccess);
  return out->kind != SIMT_FAULT_NONE;
}

const char *simt_last_diagnostic(void) {
  rt_context *context = simt_rt_enter_unstarted();
  const char *text = context->fault_diag.text;
  simt_rt_leave(context, cudaSuccess);
  return text;
}
