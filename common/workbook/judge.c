// SPDX-License-Identifier: MIT
// judge.c - the parent half of the judge: arguments, the plan, one process per check (Check's fork
// mode), one result record per planned check, and the summary a student reads.
//
// Invariants: this process makes no CUDA call, so that every child starts from a fresh device.
// Every planned check gives exactly one record, whatever happens to its process.
// Not here: anything on the device (judge_device.c), causes of wrong values (judge_diagnose.c).
#include "judge_internal.h"
#include "text.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_PASSED = 0, EXIT_FAILED = 1, EXIT_NOT_JUDGED = 2 };

typedef enum wb_outcome { WB_NO_RESULT, WB_PASS, WB_FAIL, WB_ERROR } wb_outcome;
static const char *const outcome_names[] = {"error", "pass", "fail", "error"};

typedef struct wb_record {
  const wb_check *check;
  wb_outcome outcome;
  char *reason; // NULL when passed
} wb_record;

typedef struct wb_options {
  const wb_suite *suite;
  const char *module_path, *source_path, *results, *only;
  uint64_t seed;
  double limit_s;
  bool plan, shares_process;
} wb_options;

// Check's test functions take no argument but the loop index: the child finds its work here.
static wb_options run_options;

static bool is_planned(const wb_options *options, const wb_check *check) {
  if (check->needs_counters && !wb_counts_hold()) return false;
  return !options->only || strcmp(options->only, check->name) == 0;
}

// --- arguments --------------------------------------------------------------------------------

static void print_usage(FILE *out, const char *program) {
  fprintf(out,
          "usage: %s [--suite lesson|exercise] [--module FILE] [--source FILE]\n"
          "       [--only CHECK] [--plan] [--help]\n"
          "Judges the kernels of a module (PTX, cubin or fat binary), default $WB_MODULE.\n"
          "  --suite lesson   the lesson's own kernels; exercise (default): the exercise's\n"
          "  --only CHECK     one check alone\n"
          "  --plan           list the checks with their points as JSON lines, run nothing\n",
          program);
}

// Returns 0, or 1 for an option that takes a value and has none, or that nobody knows.
static int take_option(wb_options *options, const char *name, const char *value,
                       const wb_suite *lesson, const wb_suite *exercise) {
  if (!value) return 1;
  if (strcmp(name, "--module") == 0) options->module_path = value;
  else if (strcmp(name, "--source") == 0) options->source_path = value;
  else if (strcmp(name, "--only") == 0) options->only = value;
  else if (strcmp(name, "--suite") == 0 && strcmp(value, "lesson") == 0) options->suite = lesson;
  else if (strcmp(name, "--suite") == 0 && strcmp(value, "exercise") == 0)
    options->suite = exercise;
  else return 1;
  return 0;
}

static int parse_arguments(wb_options *options, int argc, char **argv, const wb_suite *lesson,
                           const wb_suite *exercise) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      print_usage(stdout, argv[0]);
      exit(EXIT_PASSED); // the judge is the program, not a library: see wb_judge_main
    }
    if (strcmp(argv[i], "--plan") == 0) {
      options->plan = true;
    } else if (take_option(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL, lesson, exercise)) {
      fprintf(stderr, "%s: cannot use argument '%s'\n", argv[0], argv[i]);
      print_usage(stderr, argv[0]);
      return EXIT_NOT_JUDGED;
    } else {
      i++;
    }
  }
  return EXIT_PASSED;
}

static bool read_environment(wb_options *options) {
  options->module_path = getenv("WB_MODULE");
  options->source_path = getenv("WB_SOURCE");
  options->results = getenv("WB_RESULTS");
  options->seed = 1;
  options->limit_s = 20;
  const char *seed = getenv("WB_SEED"), *limit = getenv("WB_LIMIT_S"), *forks = getenv("WB_FORK");
  char *end = NULL;
  if (seed && *seed) {
    options->seed = strtoull(seed, &end, 0);
    if (*end) return fprintf(stderr, "WB_SEED: '%s' is not a number\n", seed), false;
  }
  if (limit && *limit) {
    options->limit_s = strtod(limit, &end);
    if (*end || !(options->limit_s > 0))
      return fprintf(stderr, "WB_LIMIT_S: '%s' is not a number of seconds\n", limit), false;
  }
  options->shares_process = forks && strcmp(forks, "no") == 0;
  if (forks && *forks && !options->shares_process)
    return fprintf(stderr, "WB_FORK: '%s' is not 'no'\n", forks), false;
  return true;
}

// --- records as JSON lines --------------------------------------------------------------------

static void print_plan(FILE *out, const wb_options *options) {
  for (size_t i = 0; i < options->suite->n_checks; i++) {
    const wb_check *check = &options->suite->checks[i];
    if (!is_planned(options, check)) continue;
    fprintf(out, "{\"exercise\": \"%s\", \"check\": \"%s\", \"max_points\": %u, \"about\": ",
            options->suite->exercise, check->name, check->points);
    wb_print_json_string(out, check->about);
    fputs("}\n", out);
  }
}

// A hint helps with a wrong kernel, not with one that is missing, empty or could not be judged.
static const char *useful_hint(const wb_record *record) {
  bool ran = record->outcome == WB_FAIL && strncmp(record->reason, "launched ", 9) == 0;
  return ran && !strstr(record->reason, "Is the blank filled in yet?") ? record->check->hint : NULL;
}

static void print_record(FILE *out, const char *exercise, const wb_record *record) {
  bool passed = record->outcome == WB_PASS;
  fprintf(out,
          "{\"exercise\": \"%s\", \"check\": \"%s\", \"status\": \"%s\", \"points\": %u, "
          "\"max_points\": %u, \"reason\": ",
          exercise, record->check->name, outcome_names[record->outcome],
          passed ? record->check->points : 0, record->check->points);
  wb_print_json_string(out, record->reason ? record->reason : "");
  const char *hint = useful_hint(record);
  if (hint) {
    fputs(", \"hint\": ", out);
    wb_print_json_string(out, hint);
  }
  fputs("}\n", out);
}

// Opened before any check runs, so that an unwritable place is known at once.
static FILE *open_results(const char *where) {
  if (strncmp(where, "fd:", 3) == 0) {
    char *end = NULL;
    long fd = strtol(where + 3, &end, 10);
    int copy = *end || end == where + 3 ? -1 : fcntl((int)fd, F_DUPFD_CLOEXEC, 3);
    return copy < 0 ? NULL : fdopen(copy, "w");
  }
  return fopen(where, "we");
}

// --- running ----------------------------------------------------------------------------------

START_TEST(run_one_check)
{
  const wb_check *check = &run_options.suite->checks[_i];
  static wb_judge judge; // too big for comfort on the stack; one check per process
  wb_judge_open(&judge, run_options.suite, check, run_options.module_path, run_options.seed);
  check->run(&judge);
  wb_judge_close(&judge);
}
END_TEST

static Suite *build_suite(const wb_options *options) {
  Suite *suite = suite_create(options->suite->exercise);
  for (size_t i = 0; i < options->suite->n_checks; i++) {
    const wb_check *check = &options->suite->checks[i];
    if (!is_planned(options, check)) continue;
    TCase *tcase = tcase_create(check->name);
    tcase_set_timeout(tcase, options->limit_s);
    tcase_add_loop_test(tcase, run_one_check, (int)i, (int)i + 1);
    suite_add_tcase(suite, tcase);
  }
  return suite;
}

static char *copy_text(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

// A process that did not come to its own end: what that means for the reader.
static char *explain_end(const char *message, double limit_s) {
  char text[512];
  if (strstr(message, "imeout"))
    snprintf(text, sizeof text,
             "the check did not end within %g s.\nlikely cause: a loop in the kernel that never "
             "ends, or threads that wait for each other",
             limit_s);
  else snprintf(text, sizeof text, "the judge itself broke down here, not the kernel: %s", message);
  return copy_text(text);
}

static void take_result(wb_record *record, TestResult *result, double limit_s) {
  const char *message = tr_msg(result) ? tr_msg(result) : "";
  if (tr_rtype(result) == CK_PASS) {
    record->outcome = WB_PASS;
  } else if (tr_rtype(result) == CK_FAILURE) {
    record->outcome = WB_FAIL;
    record->reason = copy_text(message);
  } else {
    record->outcome = strstr(message, "imeout") ? WB_FAIL : WB_ERROR;
    record->reason = explain_end(message, limit_s);
  }
}

// Environment that would change which tests Check runs, or how, has no say here.
static void shield_check(void) {
  static const char *const names[] = {
      "CK_RUN_SUITE", "CK_RUN_CASE",      "CK_INCLUDE_TAGS",      "CK_EXCLUDE_TAGS",
      "CK_FORK",      "CK_LOG_FILE_NAME", "CK_XML_LOG_FILE_NAME", "CK_TAP_LOG_FILE_NAME"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
  setenv("CK_MAX_MSG_SIZE", "16384", 1); // more than WB_TEXT_BYTES; Check's own limit is less
}

// stderr goes into a file while the checks run: the runtime's diagnostics come back as part of the
// reasons. Returns what stderr was, or -1 when nothing was changed.
static int capture_stderr(FILE *into) {
  int before = into ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
  if (before >= 0) dup2(fileno(into), STDERR_FILENO);
  return before;
}

// When the judge itself broke down, what was said is all there is to go by.
static void release_stderr(int before, FILE *file, bool show) {
  char text[512];
  if (before >= 0) {
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    while (show && fgets(text, sizeof text, file)) fputs(text, stderr);
  }
  if (file) fclose(file);
}

static void run_checks(const wb_options *options, wb_record *records, size_t n_records) {
  FILE *said = tmpfile();
  bool broke_down = false;
  int before = capture_stderr(said);
  shield_check();
  run_options = *options;
  SRunner *runner = srunner_create(build_suite(options));
  srunner_set_fork_status(runner, options->shares_process ? CK_NOFORK : CK_FORK);
  srunner_run_all(runner, CK_SILENT);
  TestResult **results = srunner_results(runner);
  for (int r = 0; r < srunner_ntests_run(runner); r++)
    for (size_t i = 0; i < n_records; i++)
      if (strcmp(tr_tcname(results[r]), records[i].check->name) == 0)
        take_result(&records[i], results[r], options->limit_s);
  for (size_t i = 0; i < n_records; i++)
    if (records[i].outcome == WB_NO_RESULT)
      records[i].reason = copy_text("the check gave no result");
  for (size_t i = 0; i < n_records; i++)
    broke_down |= records[i].outcome != WB_PASS && records[i].outcome != WB_FAIL;
  free(results);
  srunner_free(runner);
  release_stderr(before, said, broke_down);
}

// --- the summary ------------------------------------------------------------------------------

// The last one named: what the checkers found stands behind what the values suggest.
static const char *cause_of(const char *reason) {
  static const char words[] = "likely cause: ";
  const char *cause = reason;
  for (const char *at = reason; (at = strstr(at, words));) cause = at += sizeof words - 1;
  return cause;
}

// The line a reader wants of a failure that is not explained in full: its cause if known.
static void print_brief(const wb_record *record, const wb_record *first) {
  char line[400];
  const char *at = cause_of(record->reason);
  if (strcmp(at, cause_of(first->reason)) == 0) at = "(likely for the same reason)";
  snprintf(line, sizeof line, "%-20s %.*s", record->check->name, (int)strcspn(at, "\n"), at);
  wb_print_wrapped(stdout, line, 2, 23);
}

static void print_table(const wb_record *records, size_t n_records) {
  for (size_t i = 0; i < n_records; i++)
    printf("  %-4s  %-20s %3u  %s\n", records[i].outcome == WB_PASS ? "ok" : "FAIL",
           records[i].check->name, records[i].check->points, records[i].check->about);
}

// Returns whether all passed.
static bool print_summary(const wb_record *records, size_t n_records) {
  unsigned points = 0, max_points = 0;
  size_t passed = 0;
  const wb_record *first = NULL;
  for (size_t i = 0; i < n_records; i++) {
    max_points += records[i].check->points;
    if (records[i].outcome == WB_PASS) passed++, points += records[i].check->points;
    else if (!first) first = &records[i];
  }
  print_table(records, n_records);
  printf("passed %zu of %zu checks (%u of %u points)\n", passed, n_records, points, max_points);
  if (!first) return true;
  printf("\nfirst failure: %s (%u points)\n", first->check->name, first->check->points);
  wb_print_wrapped(stdout, first->reason, 2, 4);
  if (useful_hint(first)) {
    char hint[512];
    snprintf(hint, sizeof hint, "hint: %s", useful_hint(first));
    wb_print_wrapped(stdout, hint, 2, 4);
  }
  if (n_records - passed > 1) puts("\nalso failing:");
  for (const wb_record *r = first + 1; r < records + n_records; r++)
    if (r->outcome != WB_PASS) print_brief(r, first);
  return false;
}

// --- main -------------------------------------------------------------------------------------

static bool write_results(FILE *out, const wb_options *options, const wb_record *records,
                          size_t n_records) {
  for (size_t i = 0; i < n_records; i++) print_record(out, options->suite->exercise, &records[i]);
  bool written = fflush(out) == 0 && !ferror(out);
  return fclose(out) == 0 && written;
}

// Judges, reports, and returns the exit status.
static int judge_planned(const wb_options *options, wb_record *records, size_t n_records) {
  FILE *results = options->results ? open_results(options->results) : NULL;
  if (options->results && !results)
    return fprintf(stderr, "cannot write results to '%s': %s\n", options->results, strerror(errno)),
           EXIT_NOT_JUDGED;
  printf("judging: %s\n", options->source_path ? options->source_path : options->module_path);
  fflush(stdout); // or every forked child would print it again
  run_checks(options, records, n_records);
  bool written = !results || write_results(results, options, records, n_records);
  bool passed = print_summary(records, n_records);
  for (size_t i = 0; i < n_records; i++) free(records[i].reason);
  if (!written) {
    fprintf(stderr, "results could not be written completely to '%s'\n", options->results);
    return EXIT_NOT_JUDGED;
  }
  return passed ? EXIT_PASSED : EXIT_FAILED;
}

int wb_judge_main(int argc, char **argv, const wb_suite *lesson, const wb_suite *exercise) {
  wb_options options = {.suite = exercise};
  if (!read_environment(&options)) return EXIT_NOT_JUDGED;
  int status = parse_arguments(&options, argc, argv, lesson, exercise);
  if (status) return status;
  if (options.plan) return print_plan(stdout, &options), fflush(stdout) ? EXIT_NOT_JUDGED : 0;
  if (!options.module_path) {
    fprintf(stderr, "%s: no module to judge: give --module FILE or set WB_MODULE\n", argv[0]);
    return EXIT_NOT_JUDGED;
  }
  wb_record *records = calloc(options.suite->n_checks + 1, sizeof *records);
  if (!records) return fputs("out of memory\n", stderr), EXIT_NOT_JUDGED;
  size_t n_records = 0;
  for (size_t i = 0; i < options.suite->n_checks; i++)
    if (is_planned(&options, &options.suite->checks[i]))
      records[n_records++].check = &options.suite->checks[i];
  if (n_records == 0) {
    fprintf(stderr, "no check is named '%s'; --plan lists them\n",
            options.only ? options.only : "");
    status = EXIT_NOT_JUDGED;
  } else {
    status = judge_planned(&options, records, n_records);
  }
  free(records);
  return status;
}
