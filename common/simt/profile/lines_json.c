// SPDX-License-Identifier: MIT
// profile/lines_json.c - costs by line for tools: the same fields for every line, with the names of
// the structures.
#include <inttypes.h>
#include <stddef.h>

#include "base/names.h"
#include "base/text.h"
#include "profile/lines.h"

typedef struct field {
  const char *name;
  size_t offset_bytes;
} field;

#define COST(name)                                                                                 \
  { #name, offsetof(simt_line_cost, name) }
static const field cost_fields[] = {
    COST(warp_instructions),
    COST(lane_instructions),
    COST(global_requests),
    COST(global_sectors),
    COST(global_bytes),
    COST(shared_requests),
    COST(shared_wavefronts),
    COST(shared_ideal),
    COST(atomic_requests),
    COST(atomic_lanes),
    COST(branches),
    COST(divergent_branches),
    COST(block_barriers),
    COST(warp_syncs),
    COST(shuffles),
    COST(votes),
    COST(fences),
};

#define TIME(name)                                                                                 \
  { #name, offsetof(simt_model_time, name) }
static const field time_fields[] = {
    TIME(total_ms), TIME(launch_ms),       TIME(latency_ms),       TIME(dram_ms),  TIME(l2_ms),
    TIME(l1_ms),    TIME(shared_ms),       TIME(issue_ms),         TIME(lanes_ms), TIME(barrier_ms),
    TIME(block_ms), TIME(atomic_ms),       TIME(l1_sectors),       TIME(l1_hits),  TIME(l2_sectors),
    TIME(l2_hits),  TIME(dram_read_bytes), TIME(dram_write_bytes),
};

static const void *at(const void *structure, size_t offset_bytes) {
  return (const char *)structure + offset_bytes;
}

static void write_kernel(const simt_sink *to, const simt_kernel_time *kernel) {
  char name[256];
  simt_sink_text(to, "{\"kernel\": ");
  simt_json_string(to, kernel->kernel);
  simt_sink_text(to, ", \"name\": ");
  simt_json_string(to, simt_display_name(kernel->kernel, name, sizeof name));
  simt_sink_printf(to, ", \"launches\": %" PRIu64 ", \"bound\": ", kernel->launches);
  simt_json_string(to, kernel->time.bound ? kernel->time.bound : "");
  for (size_t i = 0; i < sizeof time_fields / sizeof *time_fields; i++)
    simt_sink_printf(to, ", \"%s\": %.9g", time_fields[i].name,
                     *(const double *)at(&kernel->time, time_fields[i].offset_bytes));
  simt_sink_text(to, "}");
}

static void write_line(const simt_sink *to, const simt_line *line) {
  simt_sink_text(to, "{\"kernel\": ");
  simt_json_string(to, line->kernel);
  simt_sink_text(to, ", \"file\": ");
  simt_json_string(to, line->file);
  simt_sink_printf(to, ", \"line\": %u", line->line);
  for (size_t i = 0; i < sizeof cost_fields / sizeof *cost_fields; i++)
    simt_sink_printf(to, ", \"%s\": %" PRIu64, cost_fields[i].name,
                     *(const uint64_t *)at(&line->cost, cost_fields[i].offset_bytes));
  simt_sink_text(to, "}");
}

void simt_lines_write_json(simt_observer *lines, const simt_sink *to) {
  size_t n;
  const simt_kernel_time *kernels = simt_lines_kernels(lines, &n);
  simt_sink_text(to, "  \"kernels\": [");
  for (size_t i = 0; i < n; i++) {
    simt_sink_text(to, i ? ",\n    " : "\n    ");
    write_kernel(to, &kernels[i]);
  }
  const simt_line *all = simt_lines_all(lines, &n);
  simt_sink_printf(to, "\n  ],\n  \"lines_are_whole\": %s,\n  \"lines\": [",
                   simt_lines_are_whole(lines) ? "true" : "false");
  for (size_t i = 0; i < n; i++) {
    simt_sink_text(to, i ? ",\n    " : "\n    ");
    write_line(to, &all[i]);
  }
  simt_sink_text(to, "\n  ]");
}
