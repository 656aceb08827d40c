// SPDX-License-Identifier: MIT
// runtime/links.c - what travels between devices: copies are counted here, what kernels access by
// profile/links.c; queries (include/simt.h), the part of the report, and the table of SIMT_LINKS=1.
#include <inttypes.h>
#include <stdio.h>

#include "runtime/runtime.h"

// The device whose memory this is, or -1: the host's.
static int device_of(const rt_context *context, const void *pointer) {
  const simt_allocation *a = simt_memory_find(context->memory, (uintptr_t)pointer, 1);
  const bool of_host = !a || a->kind == SIMT_ALLOCATION_PINNED ||
                       a->kind == SIMT_ALLOCATION_MANAGED || a->kind == SIMT_ALLOCATION_REGISTERED;
  return of_host ? -1 : a->device;
}

bool simt_rt_link_copy(rt_context *context, rt_stream *stream, const void *to, const void *from,
                       uint64_t bytes) {
  const int sender = device_of(context, from), receiver = device_of(context, to);
  if (sender < 0 || receiver < 0 || sender == receiver) return false;
  simt_engine_count_copy(context->engine, (uint32_t)sender, (uint32_t)receiver, bytes);
  simt_rt_stream_launch(context, stream, simt_link_copy_ms(context->device, bytes));
  return true;
}

double simt_rt_signal_ms(const rt_context *context, const rt_event *event,
                         const rt_stream *stream) {
  const bool is_far = event->device != stream->device;
  return event->time_ms + (is_far ? context->device->signal_ns * 1e-6 : 0.0);
}

// ---- What a program can ask.

int simt_link_read(int from, int to, simt_device_link *out) {
  rt_context *context = simt_rt_enter_idle();
  const int n = (int)context->options.n_devices;
  const bool exists = context->engine && from >= 0 && to >= 0 && from < n && to < n && from != to;
  *out = exists ? simt_engine_links(context->engine)->at[from][to] : (simt_device_link){0};
  simt_rt_leave(context, cudaSuccess);
  return exists;
}

double simt_link_peak_gb_per_s(void) {
  rt_context *context = simt_rt_enter_idle();
  const double rate = context->engine ? context->device->link_access_gb_per_s : 0.0;
  simt_rt_leave(context, cudaSuccess);
  return rate;
}

// ---- What is shown.

static uint64_t bytes_of(const simt_device_link *l) {
  return l->copied_bytes + l->read_bytes + l->written_bytes + l->atomic_bytes;
}

void simt_rt_links_write(FILE *out, const rt_context *context) {
  const simt_links *links = simt_engine_links(context->engine);
  const char *separator = "";
  fprintf(out, ",\n  \"modelled_link_gb_per_s\": %.9g,\n  \"links\": [",
          context->device->link_access_gb_per_s);
  for (uint32_t from = 0; from < context->options.n_devices; from++)
    for (uint32_t to = 0; to < context->options.n_devices; to++) {
      const simt_device_link *l = &links->at[from][to];
      if (from == to) continue;
      fprintf(out,
              "%s\n    {\"from\": %u, \"to\": %u, \"copies\": %" PRIu64
              ", \"copied_bytes\": %" PRIu64 ", \"read_bytes\": %" PRIu64
              ", \"written_bytes\": %" PRIu64 ", \"atomic_bytes\": %" PRIu64 "}",
              separator, from, to, l->copies, l->copied_bytes, l->read_bytes, l->written_bytes,
              l->atomic_bytes);
      separator = ",";
    }
  fputs("\n  ]", out);
}

void simt_rt_links_print(const rt_context *context) {
  if (!context->options.links || !context->engine || context->options.n_devices < 2) return;
  const simt_links *links = simt_engine_links(context->engine);
  simt_rt_say("links between devices, in bytes (counted)");
  simt_rt_say("%9s %12s %14s %14s %14s %14s", "from->to", "copies", "copied", "kernels read",
              "kernels wrote", "atomics");
  for (uint32_t from = 0; from < context->options.n_devices; from++)
    for (uint32_t to = 0; to < context->options.n_devices; to++) {
      const simt_device_link *l = &links->at[from][to];
      if (!bytes_of(l) && !l->copies) continue;
      simt_rt_say("%5u->%-2u %12" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64,
                  from, to, l->copies, l->copied_bytes, l->read_bytes, l->written_bytes,
                  l->atomic_bytes);
    }
}
