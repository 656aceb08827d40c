// SPDX-License-Identifier: MIT
// judge_html.c - the report as one HTML page without scripts: the verdict as it is reported in
// short, then every check with all that is known of it. Nothing of a submission is taken for
// markup.
#include "judge_internal.h"

#include <string.h>

static const char style[] =
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "pre{background:#8881;padding:.6rem;overflow-x:auto;white-space:pre-wrap}"
    "table{border-collapse:collapse}td,th{padding:.2rem .7rem;text-align:left;vertical-align:top}"
    "th{font-weight:600}.pass{color:#186a3b}.fail{color:#a93226}details{margin:.6rem 0}"
    ":root{color-scheme:light dark}";

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
  char place[512], source[200];
  if (!*v->file || !v->line) return;
  snprintf(place, sizeof place, "%s:%u   %s", v->file, v->line,
           wb_report_source(v, source, sizeof source));
  print_row(out, "where", place);
}

static void print_failure(FILE *out, const wb_record *record) {
  const wb_verdict *v = record->verdict;
  fputs("<table>\n", out);
  print_row(out, "launch", v->launch);
  print_row(out, "got", v->wrong);
  print_place(out, v);
  print_row(out, "cause", v->explanation);
  print_row(out, "cause's name", wb_cause_name(v->cause));
  print_row(out, "next", wb_report_next(record));
  fputs("</table>\n", out);
}

static void print_check(FILE *out, const wb_record *record) {
  const wb_verdict *v = record->verdict;
  bool passed = v->outcome == WB_PASSED;
  const char *word = passed ? "ok" : v->outcome == WB_FAILED ? "FAIL" : "ERROR";
  fprintf(out, "<details%s><summary><b class=%s>%s</b> %s, %u points: ", passed ? "" : " open",
          passed ? "pass" : "fail", word, record->check->name, record->check->points);
  print_text(out, record->check->about);
  fputs("</summary>\n", out);
  if (!passed) {
    print_failure(out, record);
    print_pre(out, v->reason);
    if (*v->printed) fputs("<p>The kernel printed, in this launch:</p>\n", out);
    print_pre(out, v->printed);
  }
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
    fprintf(out, "<h2>What says most: %s</h2>\n", total.reported->check->name);
    print_failure(out, total.reported);
  }
  fputs("<h2>All checks</h2>\n", out);
  for (size_t i = 0; i < n_records; i++) print_check(out, &records[i]);
  fputs("</html>\n", out);
}
