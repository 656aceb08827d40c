// SPDX-License-Identifier: MIT
// judge_report.c - what the judge says: the plan and one record per check as JSON lines, and the
// summary that a student reads.
//
// A record has one cause, one place and one next step: `cause` (a name of causes.def; `finding`
// says which of the checkers') with its `explanation`, `file` and `line`, and `hint`. `same_as`
// names an earlier check that fails for the same cause; `reason` is what happened. Fields that are
// unknown are left out.
#include "judge_internal.h"
#include "text.h"

#include <string.h>

static const char *outcome_name(wb_outcome outcome) {
  return outcome == WB_PASSED ? "pass" : outcome == WB_FAILED ? "fail" : "error";
}

const char *wb_cause_name(wb_cause cause) {
  static const char *const names[] = {
#define WB_CAUSE(identifier, name) name,
#include "causes.def"
#undef WB_CAUSE
  };
  return names[(unsigned)cause < WB_CAUSE_COUNT ? cause : WB_CAUSE_NONE];
}

// --- records as JSON lines --------------------------------------------------------------------

static void print_text(FILE *out, const char *key, const char *text) {
  if (!text || !*text) return;
  fprintf(out, ", \"%s\": ", key);
  wb_print_json_string(out, text);
}

void wb_report_plan(FILE *out, const wb_suite *suite, const wb_record *records, size_t n_records) {
  for (size_t i = 0; i < n_records; i++) {
    const wb_check *check = records[i].check;
    fprintf(out, "{\"exercise\": \"%s\", \"check\": \"%s\", \"max_points\": %u, \"about\": ",
            suite->exercise, check->name, check->points);
    wb_print_json_string(out, check->about);
    print_text(out, "visibility", wb_rules_visibility(check->name));
    fputs("}\n", out);
  }
}

// A hint helps with a wrong kernel, not with one that is missing, empty or could not be judged.
static const char *useful_hint(const wb_record *record) {
  const wb_verdict *v = record->verdict;
  bool helps = v->outcome == WB_FAILED && v->launched && v->cause != WB_CAUSE_UNFILLED;
  return helps ? record->check->hint : NULL;
}

static void print_record(FILE *out, const char *exercise, const wb_record *record) {
  const wb_verdict *v = record->verdict;
  bool passed = v->outcome == WB_PASSED;
  fprintf(out,
          "{\"exercise\": \"%s\", \"check\": \"%s\", \"status\": \"%s\", \"points\": %u, "
          "\"max_points\": %u, \"reason\": ",
          exercise, record->check->name, outcome_name(v->outcome),
          passed ? record->check->points : 0, record->check->points);
  wb_print_json_string(out, passed ? "" : v->reason);
  if (!passed) {
    print_text(out, "cause", wb_cause_name(v->cause));
    print_text(out, "finding", v->finding);
    print_text(out, "explanation", v->explanation);
    print_text(out, "file", v->file);
    if (v->line) fprintf(out, ", \"line\": %u", v->line);
    print_text(out, "same_as", record->same_as ? record->same_as->name : NULL);
    print_text(out, "hint", useful_hint(record));
  }
  fputs("}\n", out);
}

void wb_report_records(FILE *out, const wb_suite *suite, const wb_record *records,
                       size_t n_records) {
  for (size_t i = 0; i < n_records; i++) print_record(out, suite->exercise, &records[i]);
}

// --- which failures are one -------------------------------------------------------------------

static bool is_same_cause(const wb_verdict *a, const wb_verdict *b) {
  return a->outcome == b->outcome && a->cause == b->cause && a->line == b->line &&
         strcmp(a->file, b->file) == 0 && strcmp(a->explanation, b->explanation) == 0 &&
         (a->cause != WB_CAUSE_NONE || *a->explanation);
}

void wb_report_relate(wb_record *records, size_t n_records) {
  for (size_t i = 0; i < n_records; i++)
    for (size_t k = 0; k < i && !records[i].same_as; k++)
      if (records[i].verdict->outcome != WB_PASSED &&
          is_same_cause(records[i].verdict, records[k].verdict))
        records[i].same_as = records[k].check;
}

// --- the summary ------------------------------------------------------------------------------

// Of a failure that is not explained in full, the line a reader wants: its cause if known.
static void print_brief(const wb_record *record, const wb_record *first) {
  char line[400];
  const wb_verdict *v = record->verdict;
  const char *text = *v->explanation ? v->explanation : v->reason;
  if (record->same_as && record->same_as == first->check) text = "(likely for the same reason)";
  snprintf(line, sizeof line, "%-20s %.*s", record->check->name, (int)strcspn(text, "\n"), text);
  wb_print_wrapped(stdout, line, 2, 23);
}

static void print_table(const wb_record *records, size_t n_records) {
  static const char *const marks[] = {
      [WB_NO_RESULT] = "ERROR", [WB_PASSED] = "ok", [WB_FAILED] = "FAIL", [WB_BROKEN] = "ERROR"};
  for (size_t i = 0; i < n_records; i++)
    printf("  %-5s %-20s %3u  %s\n", marks[records[i].verdict->outcome], records[i].check->name,
           records[i].check->points, records[i].check->about);
}

static void print_labelled(const char *label, const char *text) {
  char line[WB_CAUSE_BYTES + 64];
  if (!text || !*text) return;
  snprintf(line, sizeof line, "%s: %s", label, text);
  wb_print_wrapped(stdout, line, 2, 4);
}

static void print_first(const wb_record *first) {
  const wb_verdict *v = first->verdict;
  bool failed = v->outcome == WB_FAILED;
  printf("\n%s: %s (%u points)\n", failed ? "first failure" : "first error", first->check->name,
         first->check->points);
  wb_print_wrapped(stdout, v->reason, 2, 4);
  print_labelled(failed ? "likely cause" : "what happened", v->explanation);
  print_labelled("hint", useful_hint(first));
}

void wb_report_summary(const wb_record *records, size_t n_records) {
  unsigned points = 0, max_points = 0;
  size_t n_passed = 0, n_failed = 0;
  const wb_record *first = NULL;
  for (size_t i = 0; i < n_records; i++) {
    const wb_record *r = &records[i];
    max_points += r->check->points;
    n_failed += r->verdict->outcome == WB_FAILED;
    if (r->verdict->outcome == WB_PASSED) n_passed++, points += r->check->points;
    else if (!first) first = r;
  }
  print_table(records, n_records);
  printf("passed %zu of %zu checks (%u of %u points)\n", n_passed, n_records, points, max_points);
  size_t n_broken = n_records - n_passed - n_failed;
  if (n_broken > 0)
    printf("ERROR: %zu of %zu checks could not be judged, which says nothing about the kernel\n",
           n_broken, n_records);
  if (!first) return;
  print_first(first);
  if (n_records - n_passed > 1) printf("\nalso %s:\n", n_broken ? "not passed" : "failing");
  for (const wb_record *r = first + 1; r < records + n_records; r++)
    if (r->verdict->outcome != WB_PASSED) print_brief(r, first);
}
