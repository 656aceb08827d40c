// SPDX-License-Identifier: MIT
// judge_html.c - the report as one HTML page without scripts: the verdict as it is reported in
// short, then every check with all that is known of it. Nothing of a submission is taken for
// markup.
#include "judge_internal.h"

#include <string.h>

static const char style[] =
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "overflow-wrap:anywhere}"
    "pre{background:#8881;padding:.6rem;overflow-x:auto;white-space:pre-wrap}"
    "table{border-collapse:collapse}td,th{padding:.2rem .7rem;text-align:left;vertical-align:top}"
    "th{font-weight:600;white-space:nowrap}details,.passed{margin:.6rem 0}"
    "code{white-space:pre-wrap}"
    ":root{color-scheme:light dark;--pass:#186a3b;--fail:#a93226}"
    "@media(prefers-color-scheme:dark){:root{--pass:#6fcf97;--fail:#ff8a7a}}"
    "@media(max-width:40rem){th,td{display:block;padding:0}th{padding-top:.4rem}}"
    ".pass{color:var(--pass)}.fail{color:var(--fail)}";

static void print_text(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '<') fputs("&lt;", out);
    else if (*text == '>') fputs("&gt;", out);
    else if (*text == '&') fputs("&amp;", out);
    else if (*text == '\n' || *text == '\t' || (unsigned char)*text >= ' ') putc(*text, out);
  }
}

static void print_row(FILE *out, const char *label, const char *text) {
  if (!text || !*text) return;
  fprintf(out, "<tr><th>%s<td>", label);
  print_text(out, text);
  fputs("\n", out);
}

static void print_pre(FILE *out, const char *text) {
  if (!*text) return;
  fputs("<pre>", out);
  print_text(out, text);
  fputs("</pre>\n", out);
}

static void print_place(FILE *out, const wb_verdict *v) {
  char source[200];
  if (!*v->file || !v->line) return;
  fputs("<tr><th>where<td>", out);
  print_text(out, wb_report_short_name(v->file));
  fprintf(out, ":%u<br><code>", v->line);
  print_text(out, wb_report_source(v, source, sizeof source));
  fputs("</code>\n", out);
}

static void print_failure(FILE *out, const wb_suite *suite, const wb_record *record) {
  const wb_verdict *v = record->verdict;
  char text[WB_CAUSE_BYTES + 8], step[300];
  fputs("<table>\n", out);
  print_row(out, "launch", v->launch);
  print_row(out, "got", v->wrong);
  print_place(out, v);
  print_row(out, "cause", wb_report_sentence(v->explanation, text, sizeof text));
  const char *next = wb_report_step(suite, record, step, sizeof step);
  print_row(out, "next", wb_report_sentence(next, text, sizeof text));
  print_row(out, "recorded as", wb_cause_name(v->cause));
  fputs("</table>\n", out);
}

static void print_check(FILE *out, const wb_suite *suite, const wb_record *record) {
  const wb_verdict *v = record->verdict;
  bool passed = v->outcome == WB_PASSED;
  const char *word = passed ? "ok" : v->outcome == WB_FAILED ? "FAIL" : "ERROR";
  fprintf(out, "%s<b class=%s>%s</b> %s, %u points: ",
          passed ? "<p class=passed>" : "<details open><summary>", passed ? "pass" : "fail", word,
          record->check->name, record->check->points);
  print_text(out, record->check->about);
  fputs(passed ? "</p>\n" : "</summary>\n", out);
  if (passed) return;
  print_failure(out, suite, record);
  print_pre(out, v->reason);
  if (*v->printed) fputs("<p>The kernel printed, in this launch:</p>\n", out);
  print_pre(out, v->printed);
  fputs("</details>\n", out);
}

void wb_report_html(FILE *out, const wb_suite *suite, const wb_record *records, size_t n_records) {
  wb_total total = wb_report_total(records, n_records);
  fprintf(out,
          "<!doctype html>\n<html lang=en><meta charset=utf-8>"
          "<meta name=viewport content=\"width=device-width\"><title>%s</title>\n"
          "<style>%s</style>\n<h1>%s</h1>\n<p>passed %zu of %zu checks (%u of %u points)</p>\n",
          suite->exercise, style, suite->exercise, total.n_passed, n_records, total.points,
          total.max_points);
  if (total.reported) {
    fprintf(out, "<h2>Begin here: %s</h2>\n", total.reported->check->name);
    print_failure(out, suite, total.reported);
  }
  fputs("<h2>All checks</h2>\n", out);
  for (size_t i = 0; i < n_records; i++) print_check(out, suite, &records[i]);
  fputs("</html>\n", out);
}
