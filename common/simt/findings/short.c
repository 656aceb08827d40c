// SPDX-License-Identifier: MIT
// findings/short.c - a finding in one or two sentences, for readers who want the cause and not the
// record: "race in shared memory: thread 8 wrote values[8] and thread 0 read it, with no barrier
// between". The first thread's line is printed beside it; the second is named where it differs.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "findings/set.h"
#include "base/text.h"

static bool is_one_dimensional(const uint32_t at[3]) { return !at[1] && !at[2]; }

static void append_index(const uint32_t at[3], char *out, size_t bytes) {
  if (is_one_dimensional(at)) simt_text_append(out, bytes, "%" PRIu32, at[0]);
  else simt_text_append(out, bytes, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", at[0], at[1], at[2]);
}

static void append_thread(const finding_place *p, bool with_block, char *out, size_t bytes) {
  if (p->lane < 0) simt_text_append(out, bytes, "warp %" PRIu32, p->warp);
  else {
    simt_text_append(out, bytes, "thread ");
    append_index(p->thread, out, bytes);
  }
  if (!with_block) return;
  simt_text_append(out, bytes, " of block ");
  append_index(p->block, out, bytes);
}

static const char *verb(simt_act act) {
  switch (act) {
  case SIMT_ACT_READ: return "read";
  case SIMT_ACT_WRITE: return "wrote";
  case SIMT_ACT_ATOMIC: return "did an atomic on";
  default: return "used";
  }
}

static const char *order_missing(const finding_record *r) {
  switch (r->relation) {
  case SIMT_RELATION_LANE: return "lanes of one warp do so in no particular order";
  case SIMT_RELATION_WARP:
    return r->one_warp ? "they are in one warp, and no barrier or __syncwarp() lies between"
                       : "they are in one warp, and no __syncwarp() lies between";
  case SIMT_RELATION_BLOCK: return "they are in different warps, and no barrier lies between";
  case SIMT_RELATION_CLUSTER:
    return "they are in two blocks of one cluster, and no cluster.sync() lies between";
  case SIMT_RELATION_GRID: return "they are in different blocks, which run in any order";
  default: return "nothing orders the two";
  }
}

static void explain_pair(const finding_record *r, char *out, size_t bytes) {
  const finding_place *a = &r->first, *b = &r->second;
  bool blocks = memcmp(a->block, b->block, sizeof a->block) != 0;
  const char *target = r->target[0] ? r->target : "one place in memory";
  simt_text_append(out, bytes, "data race: ");
  append_thread(a, blocks, out, bytes);
  simt_text_append(out, bytes, " %s %s, and ", verb(a->act), target);
  append_thread(b, blocks, out, bytes);
  simt_text_append(out, bytes, " %s it", verb(b->act));
  bool elsewhere =
      b->n_frames && a->n_frames && !b->in_ptx &&
      (a->frames[0].line != b->frames[0].line || a->frames[0].file != b->frames[0].file);
  if (elsewhere) simt_text_append(out, bytes, " (line %" PRIu32 ")", b->frames[0].line);
  simt_text_append(out, bytes, ": %s", order_missing(r));
}

static void explain_one(const finding_record *r, char *out, size_t bytes) {
  simt_text_append(out, bytes, "%s", simt_finding_title(r->kind));
  if (r->first.act != SIMT_ACT_NONE && r->first.n_frames) {
    simt_text_append(out, bytes, ": ");
    append_thread(&r->first, true, out, bytes);
    if (r->target[0]) simt_text_append(out, bytes, " %s %s", verb(r->first.act), r->target);
    else simt_text_append(out, bytes, " is there");
  }
  if (r->detail[0]) simt_text_append(out, bytes, ". %s", r->detail);
}

const char *simt_finding_explanation(const finding_record *r, char *out, size_t out_bytes) {
  out[0] = '\0';
  bool is_race = simt_finding_checker(r->kind) == SIMT_CHECKER_RACECHECK;
  if (r->text)
    simt_text_append(out, out_bytes, "%s: %.*s", simt_finding_title(r->kind),
                     (int)strcspn(r->text, "\n"), r->text);
  else if (is_race && r->second.act != SIMT_ACT_NONE) explain_pair(r, out, out_bytes);
  else explain_one(r, out, out_bytes);
  return out;
}
