// SPDX-License-Identifier: MIT
// judge_output.c - what kernels print, kept apart from what the judge says: stdout and stderr of
// every check's process are files of their own.
//
// Invariants: a check's output stays within OUTPUT_BYTES and the output of one launch. A flood of
// it fails the check by the number of bytes, the same on every machine, and spoils no verdict. A
// line that names the launch stands before what it printed.
#include "judge_internal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 1 << 20 };
static const char cut[] = "\n... (cut here)\n";

// --- the child --------------------------------------------------------------------------------

void wb_output_begin(wb_judge *judge) {
  if (!judge->keeps_output) return;
  fflush(stdout);
  signal(SIGXFSZ, SIG_IGN); // what no longer fits is lost; the check goes on
  off_t from = lseek(1, 0, SEEK_END);
  if (from > OUTPUT_BYTES && ftruncate(1, OUTPUT_BYTES) == 0) {
    if (write(1, cut, sizeof cut - 1) < 0) return;
    from = lseek(1, 0, SEEK_END);
  }
  judge->output_from = from;
  char line[sizeof judge->launch_text + sizeof judge->case_text + 8];
  int length = snprintf(line, sizeof line, "== %s%s%s\n", judge->launch_text,
                        *judge->case_text ? ", " : "", judge->case_text);
  ssize_t written = write(1, line, (size_t)length);
  judge->verdict->printed_from = from + (written > 0 ? written : 0);
}

void wb_output_end(wb_judge *judge) {
  if (!judge->keeps_output) return;
  fflush(stdout);
  off_t end = lseek(1, 0, SEEK_END);
  if (end > judge->verdict->printed_from)
    judge->printed_bytes += (uint64_t)(end - judge->verdict->printed_from);
  if (end > judge->verdict->printed_from) return;
  judge->verdict->printed_from = 0; // it printed nothing
  if (ftruncate(1, judge->output_from) != 0) clearerr(stdout);
}

void wb_output_limit(wb_judge *judge) {
  if (judge->printed_bytes <= WB_MAX_PRINTED_BYTES) return;
  wb_judge_fail_why(judge, wb_fault_of(WB_CAUSE_PRINTED_TOO_MUCH),
                    "the kernels of this check have printed %" PRIu64 " bytes, more than %d",
                    judge->printed_bytes, WB_MAX_PRINTED_BYTES);
}

// --- the parent -------------------------------------------------------------------------------

// In the system's folder for such files or, where a sandbox forbids that, in this one.
static FILE *make_file(void) {
  FILE *file = tmpfile();
  char name[] = "./output-XXXXXX";
  if (file) return file;
  int descriptor = mkstemp(name);
  if (descriptor < 0) return NULL;
  unlink(name);
  return fdopen(descriptor, "w+");
}

bool wb_output_open(wb_record *records, size_t n_records) {
  signal(SIGXFSZ, SIG_IGN);
  for (size_t i = 0; i < n_records; i++) {
    records[i].printed = make_file();
    records[i].said = make_file();
    if (!records[i].printed || !records[i].said) return wb_output_close(records, n_records), false;
    int flags = fcntl(fileno(records[i].printed), F_GETFL);
    fcntl(fileno(records[i].printed), F_SETFL, flags | O_APPEND);
  }
  return true;
}

void wb_output_close(wb_record *records, size_t n_records) {
  for (size_t i = 0; i < n_records; i++) {
    if (records[i].printed) fclose(records[i].printed);
    if (records[i].said) fclose(records[i].said);
    records[i].printed = records[i].said = NULL;
  }
}

static int divert(FILE *into, int descriptor) {
  int before = into ? fcntl(descriptor, F_DUPFD_CLOEXEC, 3) : -1;
  if (before >= 0) dup2(fileno(into), descriptor);
  return before;
}

static void restore(int before, int descriptor) {
  if (before < 0) return;
  dup2(before, descriptor);
  close(before);
}

wb_streams wb_output_divert(const wb_record *record) {
  fflush(stdout);
  return (wb_streams){divert(record->printed, STDOUT_FILENO), divert(record->said, STDERR_FILENO)};
}

void wb_output_restore(wb_streams before) {
  fflush(stdout);
  restore(before.out, STDOUT_FILENO);
  restore(before.err, STDERR_FILENO);
}

static void quote(wb_record *record) {
  wb_verdict *v = record->verdict;
  size_t used = 0;
  if (!record->printed || v->outcome == WB_PASSED || v->printed_from <= 0) return;
  if (fseeko(record->printed, v->printed_from, SEEK_SET) != 0) return;
  v->n_printed = 0;
  for (int c, before = '\n'; (c = getc(record->printed)) != EOF; before = c) {
    v->n_printed += before == '\n';
    if (v->n_printed > WB_PRINTED_LINES || used + 1 >= sizeof v->printed) continue;
    v->printed[used++] = c == '\n' || (c >= ' ' && c != 127) ? (char)c : '?';
  }
  v->printed[used] = '\0';
}

void wb_output_quote(wb_record *records, size_t n_records) {
  for (size_t i = 0; i < n_records; i++) quote(&records[i]);
}

size_t wb_output_copy(FILE *out, const wb_record *records, size_t n_records) {
  size_t n_lines = 0;
  for (size_t i = 0; i < n_records; i++) {
    FILE *from = records[i].printed;
    if (!from || fseeko(from, 0, SEEK_END) != 0 || ftello(from) == 0) continue;
    rewind(from);
    if (out) fprintf(out, "==== check %s\n", records[i].check->name);
    size_t n_bytes = 0;
    for (int c; (c = getc(from)) != EOF;) {
      n_lines += c == '\n';
      if (out && n_bytes++ < OUTPUT_BYTES) putc(c, out);
    }
    if (out && n_bytes > OUTPUT_BYTES) fputs(cut, out);
  }
  return n_lines;
}

void wb_output_show_errors(const wb_record *records, size_t n_records) {
  char text[512];
  for (size_t i = 0; i < n_records; i++) {
    const wb_record *r = &records[i];
    bool crashed = r->verdict->outcome == WB_BROKEN && r->verdict->cause == WB_CAUSE_CRASHED;
    if (!crashed || !r->said) continue;
    rewind(r->said);
    while (fgets(text, sizeof text, r->said)) fputs(text, stderr);
  }
}
