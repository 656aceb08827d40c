// SPDX-License-Identifier: MIT
// judge_summary.c - the verdict for people. In short: what the kernel printed, then one cause, one
// place and one next step in at most LINES lines, then the verdict. In full: every check, and all
// that is known of those that did not pass.
#include "judge_internal.h"
#include "text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- in full ----------------------------------------------------------------------------------

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

static void print_reported(const wb_record *reported) {
  const wb_verdict *v = reported->verdict;
  bool failed = v->outcome == WB_FAILED;
  printf("\n%s: %s (%u points)\n", failed ? "what says most" : "error", reported->check->name,
         reported->check->points);
  wb_print_wrapped(stdout, v->reason, 2, 4);
  print_labelled(failed ? "likely cause" : "what happened", v->explanation);
  print_labelled("next", wb_report_next(reported));
}

static void print_full(const wb_record *records, size_t n_records, const wb_total *total) {
  print_table(records, n_records);
  if (!total->reported) return;
  print_reported(total->reported);
  if (n_records - total->n_passed > 1)
    printf("\nalso %s:\n", total->n_broken ? "not passed" : "failing");
  for (const wb_record *r = records; r < records + n_records; r++)
    if (r->verdict->outcome != WB_PASSED && r != total->reported) print_brief(r, total->reported);
}

// --- in short ---------------------------------------------------------------------------------

enum { LABEL = 10, COLUMNS = WB_LINE_COLUMNS - 1 };

// "  cause   ...": at most `most` lines, the rest is left out. Returns the number of lines.
static unsigned print_field(const char *label, const char *text, unsigned most) {
  size_t column = LABEL;
  unsigned n_lines = 1;
  if (!text || !*text || most == 0) return 0;
  printf("  %-*s", LABEL - 2, label);
  while (*text) {
    size_t length = strcspn(text, " \n"), rest = strspn(text + length, " \n");
    bool is_last = !text[length + rest];
    size_t room = n_lines < most || is_last ? COLUMNS : COLUMNS - 4;
    if (column > LABEL && column + 1 + length > room) {
      if (n_lines == most) {
        fputs(" ...", stdout);
        break;
      }
      printf("\n%*s", LABEL, "");
      column = LABEL;
      n_lines++;
    }
    printf("%s%.*s", column > LABEL ? " " : "", (int)length, text);
    column += (column > LABEL) + length;
    text += length + rest;
  }
  putchar('\n');
  return n_lines;
}

const char *wb_report_short_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// A line may say that it is of any file (#line). Quoted are regular files only, so that nothing
// waits for a pipe; where SIMT_SOURCE names the one that is judged, no other is opened.
static FILE *open_source(const char *path) {
  const char *allowed = getenv("SIMT_SOURCE");
  struct stat info;
  if (allowed && strcmp(wb_report_short_name(path), wb_report_short_name(allowed)) != 0)
    return NULL;
  if (allowed) path = allowed;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fdopen(fd, "r");
  if (fd >= 0) close(fd);
  return NULL;
}

const char *wb_report_source(const wb_verdict *v, char *out, size_t out_bytes) {
  char line[512];
  *out = '\0';
  FILE *file = *v->file && v->line ? open_source(v->file) : NULL;
  if (!file) return out;
  for (unsigned at = 1; fgets(line, sizeof line, file); at++) {
    if (at != v->line) continue;
    const char *begin = line + strspn(line, " \t");
    snprintf(out, out_bytes, "%.*s", (int)strcspn(begin, "\r\n"), begin);
    break;
  }
  fclose(file);
  return out;
}

// The line itself stands beside its number, or below it where there is no room.
static unsigned print_place(const wb_verdict *v) {
  char source[200], place[300];
  if (!*v->file || !v->line) return 0;
  wb_report_source(v, source, sizeof source);
  int length = (int)strlen(source), room = COLUMNS - LABEL;
  snprintf(place, sizeof place, "%s:%u", wb_report_short_name(v->file), v->line);
  bool fits = (int)strlen(place) + 3 + length <= room;
  printf("  %-*s%s", LABEL - 2, "where", place);
  if (length == 0) return putchar('\n'), 1;
  if (fits) return printf("   %s\n", source), 1;
  printf("\n%*s%.*s%s\n", LABEL, "", length <= room ? length : room - 4, source,
         length <= room ? "" : " ...");
  return 2;
}

static void print_printed(const wb_verdict *v) {
  if (!*v->printed) return;
  printf("printed by %s\n", v->launch);
  size_t length = strlen(v->printed);
  printf("%s%s", v->printed, v->printed[length - 1] == '\n' ? "" : "\n");
  if (v->n_printed > WB_PRINTED_LINES)
    printf("... and %zu lines more\n", v->n_printed - WB_PRINTED_LINES);
  putchar('\n');
}

const char *wb_report_sentence(const char *text, char *out, size_t out_bytes) {
  if (!text) return "";
  snprintf(out, out_bytes, "%s", text);
  size_t length = strlen(out), word = strcspn(out, " ,.:");
  bool is_word = word > 0;
  for (size_t i = 0; i < word; i++) is_word &= (out[i] >= 'a' && out[i] <= 'z') || out[i] == '\'';
  if (is_word) out[0] = (char)(out[0] - 'a' + 'A');
  if (length && length + 1 < out_bytes && !strchr(".:!?", out[length - 1])) {
    out[length] = '.';
    out[length + 1] = '\0';
  }
  return out;
}

enum { LINES = 10 }; // besides the verdict, and the line that names the file

// Where neither the cause nor the check knows a next step: what shows more of this exercise.
static const char *step_for_all(const wb_suite *suite, wb_cause cause, char *out,
                                size_t out_bytes) {
#ifdef WORKBOOK_SIMT
  const bool costs = cause == WB_CAUSE_COST;
  snprintf(out, out_bytes, "%s LESSON=%s%s. Where to look: make hint LESSON=%s.",
           costs ? "see what each line of your kernel costs: make explain"
                 : "see a small launch of your kernel step by step: make trace",
           suite->exercise, costs ? " VARIANT=exercise" : "", suite->exercise);
#else
  (void)cause;
  snprintf(out, out_bytes, "where to look: make hint LESSON=%s.", suite->exercise);
#endif
  return out;
}

const char *wb_report_step(const wb_suite *suite, const wb_record *record, char *out,
                           size_t out_bytes) {
  const wb_verdict *v = record->verdict;
  const char *next = wb_report_next(record);
  if (next || v->outcome != WB_FAILED || !v->launched) return next;
  return step_for_all(suite, v->cause, out, out_bytes);
}

static void print_short(const wb_suite *suite, const wb_record *reported) {
  const wb_verdict *v = reported->verdict;
  char otherwise[300];
  char text[WB_CAUSE_BYTES + 8], line[700];
  print_printed(v);
  snprintf(line, sizeof line, "%s%s%s", reported->check->name, *v->launch ? ": " : "", v->launch);
  unsigned used = print_field("check", line, 1);
  if (v->outcome == WB_FAILED) used += print_field("got", *v->wrong ? v->wrong : v->reason, 2);
  else used += print_field("error", v->reason, 4);
  used += print_place(v);
  used += print_field("cause", wb_report_sentence(v->explanation, text, sizeof text), 3);
  const char *next = wb_report_step(suite, reported, otherwise, sizeof otherwise);
  print_field("next", wb_report_sentence(next, text, sizeof text), LINES - used);
}

// --- both -------------------------------------------------------------------------------------

void wb_report_summary(const wb_suite *suite, const wb_record *records, size_t n_records,
                       bool verbose) {
  wb_total total = wb_report_total(records, n_records);
  if (verbose) print_full(records, n_records, &total);
  else if (total.reported) print_short(suite, total.reported);
  if (total.n_broken > 0)
    printf("ERROR: %zu of %zu checks could not be judged, which says nothing about the kernel\n",
           total.n_broken, n_records);
  printf("passed %zu of %zu checks (%u of %u points)\n", total.n_passed, n_records, total.points,
         total.max_points);
}
