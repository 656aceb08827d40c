// SPDX-License-Identifier: MIT
// feedback.c - results for a student, as a page that needs nothing but itself, and as text.
// Invariant: every text that came from a submission or a suite is escaped.
#define _GNU_SOURCE
#include "feedback.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n<title>Feedback</title>\n<style>\n"
    "body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; "
    "padding: 0 1em; color: #222; background: #fff }\n"
    "table { border-collapse: collapse; width: 100% } td, th { text-align: left; "
    "vertical-align: top; padding: .3em .6em; border-bottom: 1px solid #ccc }\n"
    "h1, h2, p, td, pre { overflow-wrap: anywhere } td { min-width: 5em }\n"
    "td:nth-child(2) { overflow-wrap: break-word }\n" // names of checks stay whole
    "pre { white-space: pre-wrap; margin: .3em 0; font-size: 14px } .n { text-align: right; "
    "white-space: nowrap }\n.pass { color: #05632a } .fail { color: #a40000 } "
    ".grader_error { color: #7a4a00 }\n"
    "@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } "
    "td, th { border-color: #444 } .pass { color: #6fcf8f } .fail { color: #ff8a80 } "
    ".grader_error { color: #ffb74d } }\n"
    // On a phone what a check says is below its name, not in a column of a few letters beside it.
    "@media (max-width: 40em) { tr { display: flex; flex-wrap: wrap } td { border: 0 } "
    "td, th { box-sizing: border-box } td:last-child { flex: 0 0 100%; "
    "border-bottom: 1px solid #999 } th:last-child { display: none } }\n"
    "</style></head>\n<body>\n";

static void put_escaped(FILE *out, const char *text) {
  for (; text && *text; text++) switch (*text) {
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '&': fputs("&amp;", out); break;
    case '"': fputs("&quot;", out); break;
    case '\'': fputs("&#39;", out); break;
    default: fputc(*text, out);
    }
}

static void put_labelled(FILE *out, const char *label, const char *text) {
  if (!text || !*text) return;
  fprintf(out, "<p><strong>%s</strong> ", label);
  put_escaped(out, text);
  fputs("</p>", out);
}

static void put_check(FILE *out, const grade_check *check) {
  static const char *const words[] = {"passed", "failed", "not judged"};
  fprintf(out, "<tr><td class=\"%s\">%s</td><td>", grade_outcome_name(check->outcome),
          words[check->outcome]);
  put_escaped(out, check->name);
  fprintf(out, "</td><td class=\"n\">%u of %u</td><td>", check->points, check->max_points);
  put_escaped(out, check->about);
  if (check->outcome != GRADE_PASSED && check->hidden) {
    fputs("<p>Why is not shown for this check.</p>", out);
  } else if (check->outcome != GRADE_PASSED) {
    if (check->reason) {
      fputs("<pre>", out);
      put_escaped(out, check->reason);
      fputs("</pre>", out);
    }
    put_labelled(out, "Likely cause:", check->explanation);
    put_labelled(out, "Hint:", check->hint);
  }
  fputs("</td></tr>\n", out);
}

static void put_exercise(FILE *out, const grade_exercise *exercise) {
  fputs("<h2>", out);
  put_escaped(out, exercise->name);
  if (grade_exercise_has_grader_error(exercise)) fputs(": not judged", out);
  else
    fprintf(out, ": %u of %u points", grade_exercise_points(exercise),
            grade_exercise_max_points(exercise));
  fputs("</h2>\n", out);
  put_labelled(out, "", exercise->message);
  if (exercise->state != GRADE_JUDGED) return;
  fputs("<table><tr><th>Verdict</th><th>Check</th><th>Points</th><th>What holds</th></tr>\n", out);
  for (size_t i = 0; i < exercise->n_checks; i++) put_check(out, &exercise->checks[i]);
  fputs("</table>\n", out);
}

static void put_page(FILE *out, const grade_submission *submission) {
  unsigned points = 0, max_points = 0;
  for (size_t i = 0; i < submission->n_exercises; i++) {
    points += grade_exercise_points(&submission->exercises[i]);
    max_points += grade_exercise_max_points(&submission->exercises[i]);
  }
  fputs(page_head, out);
  fputs("<h1>", out);
  put_escaped(out, submission->student);
  fprintf(out, ": %u of %u points</h1>\n", points, max_points);
  for (size_t i = 0; i < submission->n_exercises; i++) put_exercise(out, &submission->exercises[i]);
  fputs("</body></html>\n", out);
}

static grade_status write_one(const char *out, const char *id, const char *ending,
                              void (*put)(FILE *out, const grade_submission *submission),
                              const grade_submission *submission, grade_diag *diag) {
  char *text = NULL, *path = NULL;
  size_t size_bytes = 0;
  FILE *file = open_memstream(&text, &size_bytes);
  if (file) put(file, submission);
  bool whole = file && fclose(file) == 0;
  grade_status status = whole && asprintf(&path, "%s/feedback/%s%s", out, id, ending) >= 0
                            ? grade_file_write(path, text, diag)
                            : grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  free(text);
  free(path);
  return status;
}

grade_status grade_feedback_write(const char *out, const char *id,
                                  const grade_submission *submission, grade_diag *diag) {
  grade_status status = write_one(out, id, ".html", put_page, submission, diag);
  return status ? status : write_one(out, id, ".txt", grade_report_table, submission, diag);
}
