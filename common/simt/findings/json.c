// SPDX-License-Identifier: MIT
// findings/json.c - findings for tools: one JSON object each, the same fields always.
#include <inttypes.h>
#include <stdio.h>

#include "findings/set.h"
#include "base/text.h"

static void write_text(const simt_sink *to, const char *key, const char *text) {
  simt_sink_printf(to, ", \"%s\": ", key);
  if (text && *text) simt_json_string(to, text);
  else simt_sink_text(to, "null");
}

static const char *act_name(simt_act act) {
  static const char *const names[] = {
      [SIMT_ACT_NONE] = "none",       [SIMT_ACT_READ] = "read",
      [SIMT_ACT_WRITE] = "write",     [SIMT_ACT_ATOMIC] = "atomic",
      [SIMT_ACT_BARRIER] = "barrier", [SIMT_ACT_SYNCWARP] = "syncwarp",
      [SIMT_ACT_SHUFFLE] = "shuffle", [SIMT_ACT_VOTE] = "vote",
      [SIMT_ACT_FENCE] = "fence",     [SIMT_ACT_EXIT] = "exit",
      [SIMT_ACT_EXECUTE] = "execute"};
  return act <= SIMT_ACT_EXECUTE ? names[act] : "none";
}

static const char *relation_name(uint8_t relation) {
  static const char *const names[] = {"none", "lane", "warp", "block", "cluster", "grid"};
  return relation <= SIMT_RELATION_GRID ? names[relation] : "none";
}

static void write_frames(const simt_sink *to, const finding_place *p) {
  simt_sink_text(to, ", \"inlined_at\": [");
  for (uint32_t i = 1; i < p->n_frames; i++) {
    simt_sink_text(to, i > 1 ? ", {\"file\": " : "{\"file\": ");
    simt_json_string(to, p->frames[i].file);
    simt_sink_printf(to, ", \"line\": %u}", p->frames[i].line);
  }
  simt_sink_text(to, "]");
}

static void write_place(simt_findings *set, const simt_sink *to, const char *key,
                        const finding_place *p) {
  simt_sink_printf(to, ", \"%s\": ", key);
  if (p->act == SIMT_ACT_NONE || !p->n_frames) {
    simt_sink_text(to, "null");
    return;
  }
  const finding_frame *at = &p->frames[0];
  simt_sink_text(to, "{\"file\": ");
  simt_json_string(to, at->file);
  simt_sink_printf(to, ", \"line\": %u, \"exact\": %s", at->line, p->is_near ? "false" : "true");
  write_text(to, "text", p->in_ptx ? NULL : simt_finding_source_line(set, at->file, at->line));
  write_frames(to, p);
  simt_sink_printf(to, ", \"act\": \"%s\", \"volatile\": %s", act_name(p->act),
                   p->is_volatile ? "true" : "false");
  simt_sink_printf(
      to, ", \"block\": [%u, %u, %u], \"thread\": [%u, %u, %u], \"warp\": %u, \"lane\": %d",
      p->block[0], p->block[1], p->block[2], p->thread[0], p->thread[1], p->thread[2], p->warp,
      p->lane);
  if (p->value_bytes) // as a string: not every reader of JSON keeps 64 bits
    simt_sink_printf(to, ", \"value\": \"0x%0*" PRIx64 "\"}", 2 * p->value_bytes, p->value);
  else simt_sink_text(to, ", \"value\": null}");
}

static void write_message(simt_findings *set, const simt_sink *to, const finding_record *r) {
  char text[2048], line[256];
  simt_finding_headline(r, line, sizeof line);
  if (r->text) snprintf(text, sizeof text, "%s", r->text);
  else if (r->detail[0]) snprintf(text, sizeof text, "%s: %s", line, r->detail);
  else snprintf(text, sizeof text, "%s", line);
  write_text(to, "message", text);
  write_text(to, "reason", simt_finding_reason(r));
  write_text(to, "advice", simt_finding_advice(set, r, text, sizeof text));
}

static const char *space_name(uint8_t space) {
  if (space == PTX_SPACE_SHARED) return "shared";
  return space == PTX_SPACE_GLOBAL ? "global" : NULL;
}

static void write_record(simt_findings *set, const simt_sink *to, const finding_record *r) {
  simt_sink_printf(
      to, "{\"kind\": \"%s\", \"checker\": \"%s\", \"severity\": \"%s\", \"count\": %" PRIu64,
      simt_finding_name(r->kind), simt_checker_name(simt_finding_checker(r->kind)),
      r->severity == SIMT_SEVERITY_ERROR ? "error" : "note", r->count);
  simt_sink_printf(to, ", \"reported\": %s", simt_finding_is_reported(set, r) ? "true" : "false");
  write_text(to, "kernel", r->kernel);
  simt_sink_printf(to, ", \"launch\": %" PRIu64 ", \"launches\": %" PRIu64, r->launch,
                   r->n_launches);
  if (r->n_devices > 1) simt_sink_printf(to, ", \"device\": %" PRIu32, r->device);
  simt_sink_printf(to, ", \"relation\": \"%s\"", relation_name(r->relation));
  write_place(set, to, "first", &r->first);
  write_place(set, to, "second", &r->second);
  write_text(to, "space", r->target[0] ? space_name(r->space) : NULL);
  if (r->target[0]) simt_sink_printf(to, ", \"address\": \"0x%" PRIx64 "\"", r->address);
  else simt_sink_text(to, ", \"address\": null");
  write_text(to, "target", r->target);
  write_text(to, "symbol", r->symbol);
  if (r->element >= 0) simt_sink_printf(to, ", \"element\": %" PRId64, r->element);
  else simt_sink_text(to, ", \"element\": null");
  write_message(set, to, r);
  simt_sink_text(to, "}");
}

void simt_findings_write_json(const simt_findings *findings, const simt_sink *to) {
  simt_findings *set = (simt_findings *)(uintptr_t)findings; // its cache of source files grows
  for (size_t i = 0; i < set->n; i++) {
    simt_sink_text(to, i ? ",\n    " : "\n    ");
    write_record(set, to, set->records[i]);
  }
}
