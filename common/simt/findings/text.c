// SPDX-License-Identifier: MIT
// findings/text.c - findings for people: the headline, both source lines with who did what there
// (findings/sentence.c), why that is wrong, and what to do. Prose is wrapped; a long source line is
// cut.
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "findings/set.h"
#include "base/text.h"

// Two columns less than a terminal has: the judge indents what it passes on.
enum { COLUMNS = 78, LONGEST_TEXT = 4096 };

// ---- Printing.

typedef struct printer {
  simt_findings *set;
  const simt_sink *to;
  const char *bold, *red, *yellow, *dim, *plain;
} printer;

// A checker's words as a sentence: with a capital and a full stop.
static const char *as_sentence(const char *text, char *out, size_t out_bytes) {
  snprintf(out, out_bytes, "%s", text);
  size_t length = strlen(out);
  bool is_word =
      islower((unsigned char)out[0]) && (islower((unsigned char)out[1]) || out[1] == ' ');
  if (is_word && out[strcspn(out, " ([_.=")] == ' ') out[0] = (char)toupper((unsigned char)out[0]);
  if (length && length + 1 < out_bytes && !strchr(".:!?\n", out[length - 1])) strcat(out, ".");
  return out;
}

static void wrap(const printer *p, const char *text, int indent, int hang) {
  simt_print_wrapped(p->to, text, COLUMNS, indent, hang);
}

static const char *short_name(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

// After `used` columns, or on a line of its own when it does not fit there; then without a comment
// at its end.
static void print_source(const printer *p, const char *line, int used) {
  int length = (int)strlen(line), own_room = COLUMNS - 8;
  const char *comment = strstr(line, "//");
  if (length > own_room && comment && comment > line) {
    length = (int)(comment - line);
    while (length > 0 && line[length - 1] == ' ') length--;
  }
  if (used + 4 + length <= COLUMNS) simt_sink_printf(p->to, "  | %.*s", length, line);
  else if (length <= own_room) simt_sink_printf(p->to, "\n      | %.*s", length, line);
  else simt_sink_printf(p->to, "\n      | %.*s ...", own_room - 4, line);
}

// "  tree.cu:8  | sum[t] += sum[t + s];"
static void print_line(const printer *p, const finding_place *place) {
  const finding_frame *at = &place->frames[0];
  char where[160];
  snprintf(where, sizeof where, "%s%s:%u", place->is_near ? "near " : "", short_name(at->file),
           at->line);
  const char *line = place->in_ptx ? NULL : simt_finding_source_line(p->set, at->file, at->line);
  simt_sink_printf(p->to, "  %s%s%s", p->bold, where, p->plain);
  if (line) print_source(p, line, 2 + (int)strlen(where));
  simt_sink_text(p->to, "\n");
}

static void print_place(const printer *p, const finding_record *r, const finding_place *place) {
  if (place->act == SIMT_ACT_NONE || !place->n_frames) return;
  char sentence[LONGEST_TEXT];
  print_line(p, place);
  for (uint32_t i = 1; i < place->n_frames; i++)
    simt_sink_printf(p->to, "    %s(inlined at %s:%u)%s\n", p->dim,
                     short_name(place->frames[i].file), place->frames[i].line, p->plain);
  wrap(p, simt_finding_sentence(r, place, sentence, sizeof sentence), 6, 8);
}

// For findings that are reported as one: how often they were seen, and how often inside one warp.
typedef struct tally {
  uint64_t count, in_warp;
} tally;

static void append_tally(tally t, char *out, size_t out_bytes) {
  if (t.count > 1) simt_text_append(out, out_bytes, " (seen %" PRIu64 " times)", t.count);
}

static void print_title(const printer *p, const finding_record *r, tally t) {
  char line[256], seen[64] = "";
  bool is_note = r->severity == SIMT_SEVERITY_NOTE;
  append_tally(t, seen, sizeof seen);
  simt_finding_headline(r, line, sizeof line);
  bool fits = strlen("simt: ") + strlen(line) + strlen(seen) <= COLUMNS;
  simt_sink_printf(p->to, "simt: %s%s%s%s%s\n", is_note ? p->yellow : p->red, line, p->plain,
                   fits ? "" : "\n ", seen);
}

static void print_launch(const printer *p, const finding_record *r, tally t) {
  if (!r->kernel[0]) return;
  simt_sink_printf(p->to, "  %sin kernel %s, launch %" PRIu64, p->dim, r->kernel, r->launch);
  if (r->n_devices > 1) simt_sink_printf(p->to, " on device %" PRIu32, r->device);
  if (t.in_warp && r->relation > SIMT_RELATION_WARP)
    simt_sink_printf(p->to, " (%" PRIu64 " of them inside one warp)", t.in_warp);
  simt_sink_printf(p->to, "%s\n", p->plain);
}

static void print_advice(const printer *p, const finding_record *r) {
  char advice[1024], text[1024];
  simt_finding_advice(p->set, r, advice, sizeof advice);
  wrap(p, as_sentence(advice, text, sizeof text), 2, 2);
}

static void print_full(const printer *p, const finding_record *r, tally t) {
  char text[LONGEST_TEXT];
  print_title(p, r, t);
  if (r->text) {
    wrap(p, r->text, 2, 2);
    print_advice(p, r);
    return;
  }
  print_launch(p, r, t);
  print_place(p, r, &r->first);
  print_place(p, r, &r->second);
  wrap(p, as_sentence(r->detail, text, sizeof text), 2, 2);
  wrap(p, simt_finding_reason(r), 2, 2);
  print_advice(p, r);
}

static bool is_same_place(const finding_place *a, const finding_place *b) {
  return a->n_frames && b->n_frames && a->frames[0].file == b->frames[0].file &&
         a->frames[0].line == b->frames[0].line;
}

// "racecheck: race: two writes, in shared memory, a.cu:8 and a.cu:9": kind and places in one line.
static void summarise(const finding_record *r, char *out, size_t out_bytes) {
  const finding_place *first = &r->first, *second = &r->second;
  simt_finding_headline(r, out, out_bytes);
  if (first->n_frames)
    simt_text_append(out, out_bytes, ", %s:%u", short_name(first->frames[0].file),
                     first->frames[0].line);
  else if (r->kernel[0]) simt_text_append(out, out_bytes, ", kernel %s", r->kernel);
  if (second->n_frames && !is_same_place(first, second))
    simt_text_append(out, out_bytes, " and %s:%u", short_name(second->frames[0].file),
                     second->frames[0].line);
}

static void print_brief(const printer *p, const finding_record *r, tally t) {
  char line[512], seen[64] = "";
  summarise(r, line, sizeof line);
  append_tally(t, seen, sizeof seen);
  simt_sink_printf(p->to, "simt: %s%s\n", line, seen); // not wrapped: others look for it
}

// What explains most comes first: a missing barrier is also why memory is read before it is written
// and why the result depends on the order of threads.
static const simt_checker print_order[] = {SIMT_CHECKER_CORE,      SIMT_CHECKER_MEMCHECK,
                                           SIMT_CHECKER_SYNCCHECK, SIMT_CHECKER_RACECHECK,
                                           SIMT_CHECKER_INITCHECK, SIMT_CHECKER_SCHEDULE};
enum { N_CHECKERS = sizeof print_order / sizeof *print_order };

static bool are_races_of_one_pair(const finding_record *a, const finding_record *b) {
  if (simt_finding_checker(a->kind) != SIMT_CHECKER_RACECHECK || a->space != b->space ||
      simt_finding_checker(b->kind) != SIMT_CHECKER_RACECHECK)
    return false;
  return (is_same_place(&a->first, &b->first) && is_same_place(&a->second, &b->second)) ||
         (is_same_place(&a->first, &b->second) && is_same_place(&a->second, &b->first));
}

// Races between the same two lines, in either direction, are reported as one: one call is missing.
static bool is_same_race(const finding_record *a, const finding_record *b) {
  return a == b || (a->severity == b->severity && are_races_of_one_pair(a, b));
}

// A note about lines that an error is about as well: there, what the note calls harmless is not.
static bool is_overshadowed(const simt_findings *set, const finding_record *r) {
  if (r->severity != SIMT_SEVERITY_NOTE) return false;
  for (size_t i = 0; i < set->n; i++)
    if (set->records[i]->severity == SIMT_SEVERITY_ERROR &&
        are_races_of_one_pair(r, set->records[i]))
      return true;
  return false;
}

// Which record reports the race of `r`: the one with the widest relation, whose missing call is
// right for all of them; and the sums.
static const finding_record *report_of(const simt_findings *set, const finding_record *r,
                                       tally *sum) {
  const finding_record *best = NULL;
  *sum = (tally){0, 0};
  for (size_t i = 0; i < set->n; i++) {
    const finding_record *o = set->records[i];
    if (!is_same_race(r, o)) continue;
    sum->count += o->count;
    sum->in_warp += o->count_in_warp;
    if (!best || o->relation > best->relation) best = o;
  }
  return best;
}

static bool is_new(const finding_record *r) { return !r->printed; }
static bool is_error(const finding_record *r) {
  return r->severity == SIMT_SEVERITY_ERROR && !r->is_fault;
}

bool simt_finding_is_reported(const simt_findings *set, const finding_record *r) {
  tally sum;
  return !is_overshadowed(set, r) && report_of(set, r, &sum) == r;
}

static uint64_t count_reported(const simt_findings *set, simt_severity severity) {
  uint64_t n = 0;
  for (size_t i = 0; i < set->n; i++)
    n += set->records[i]->severity == severity && simt_finding_is_reported(set, set->records[i]);
  return n;
}

uint64_t simt_findings_reported(const simt_findings *set) {
  return count_reported(set, SIMT_SEVERITY_ERROR);
}
uint64_t simt_findings_notes_reported(const simt_findings *set) {
  return count_reported(set, SIMT_SEVERITY_NOTE);
}

// Those of one checker and relation; returns how many were printed in full.
static unsigned print_some(const printer *p, bool (*wanted)(const finding_record *),
                           simt_checker checker, uint8_t relation, unsigned room) {
  unsigned n = 0;
  for (size_t i = 0; i < p->set->n; i++) {
    const finding_record *r = p->set->records[i];
    tally sum;
    if (simt_finding_checker(r->kind) != checker || r->relation != relation || !wanted(r) ||
        is_overshadowed(p->set, r) || report_of(p->set, r, &sum) != r)
      continue;
    if (n < room) print_full(p, r, sum), n++;
    else print_brief(p, r, sum);
  }
  return n;
}

static void print_selected(const printer *p, bool (*wanted)(const finding_record *),
                           unsigned limit) {
  for (int c = 0; c < N_CHECKERS; c++)
    for (int relation = SIMT_RELATION_GRID; relation >= SIMT_RELATION_NONE; relation--)
      limit -= print_some(p, wanted, print_order[c], (uint8_t)relation, limit);
}

bool simt_findings_has_new(const simt_findings *set) {
  for (size_t i = 0; i < set->n; i++)
    if (!set->records[i]->printed) return true;
  return false;
}

void simt_findings_print_new(simt_findings *set, const simt_sink *to, bool colour, unsigned limit) {
  printer p = {set, to, "", "", "", "", ""};
  if (colour) p = (printer){set, to, "\033[1m", "\033[1;31m", "\033[1;33m", "\033[2m", "\033[0m"};
  print_selected(&p, is_new, limit ? limit : UINT_MAX);
  for (size_t i = 0; i < set->n; i++) set->records[i]->printed = true;
}

void simt_findings_print_errors(simt_findings *set, const simt_sink *to, unsigned n_in_full) {
  printer p = {set, to, "", "", "", "", ""};
  print_selected(&p, is_error, n_in_full);
}

void simt_findings_explain_fault(simt_findings *set, const simt_sink *to) {
  printer p = {set, to, "", "", "", "", ""};
  const finding_record *r = set->latest_fault;
  if (!r) return;
  if (r->first.n_frames && !r->first.in_ptx) print_line(&p, &r->first);
  print_advice(&p, r);
}

// ---- One of them as a record.

static void copy_place(const finding_place *place, char *file, size_t file_bytes, uint32_t *line) {
  if (!place->n_frames || place->in_ptx) return;
  snprintf(file, file_bytes, "%s", place->frames[0].file);
  *line = place->frames[0].line;
}

// The error that print_selected() prints after `n_before` others; NULL: none.
static const finding_record *find_error(const simt_findings *set, unsigned n_before, tally *sum) {
  for (int c = 0; c < N_CHECKERS; c++)
    for (int relation = SIMT_RELATION_GRID; relation >= SIMT_RELATION_NONE; relation--)
      for (size_t i = 0; i < set->n; i++) {
        const finding_record *r = set->records[i];
        if (simt_finding_checker(r->kind) == print_order[c] && r->relation == relation &&
            is_error(r) && report_of(set, r, sum) == r && n_before-- == 0)
          return r;
      }
  return NULL;
}

bool simt_findings_at(simt_findings *set, unsigned index, simt_finding_info *out) {
  tally sum;
  const finding_record *r = find_error(set, index, &sum);
  *out = (simt_finding_info){.line = 0};
  if (!r) return false;
  out->checker = simt_finding_checker(r->kind);
  out->relation = (simt_relation)r->relation;
  snprintf(out->kind, sizeof out->kind, "%s", simt_finding_name(r->kind));
  simt_finding_explanation(r, out->explanation, sizeof out->explanation);
  simt_finding_advice(set, r, out->advice, sizeof out->advice);
  summarise(r, out->summary, sizeof out->summary);
  copy_place(&r->first, out->file, sizeof out->file, &out->line);
  copy_place(&r->second, out->second_file, sizeof out->second_file, &out->second_line);
  out->count = sum.count;
  out->wants_barrier = simt_finding_wants_barrier(set, r);
  return true;
}
