// SPDX-License-Identifier: MIT
// judge.c - the parent half of the judge: arguments, the plan, one process per check (Check's fork
// mode), and what each process left as its verdict.
//
// Invariants: this process makes no CUDA call, so that every child starts from a fresh device.
// Every planned check gives exactly one record, whatever happens to its process; only a process
// that came to its end passes.
// Not here: anything on the device (the other judge_*.c), what is printed (judge_report.c).
#include "judge_internal.h"
#include "text.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Also in judge.h.
enum { EXIT_PASSED = 0, EXIT_FAILED = 1, EXIT_NOT_JUDGED = 2, EXIT_BROKE_DOWN = 3 };

typedef struct wb_options {
  const wb_suite *suite;
  const char *module_path, *source_path, *results, *only;
  uint64_t seed;
  double limit_s;
  bool plan, help, shares_process;
} wb_options;

// Check's test functions take no argument but the loop index: the child finds its work here.
static wb_options run_options;
static wb_record *run_records; // [planned checks]

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
          "  --plan           list the checks with their points as JSON lines, run nothing\n"
          "Exit status: 0 all passed, 1 a check failed, 2 wrong use, 3 the judge broke down: some\n"
          "checks are neither passed nor failed\n",
          program);
}

static bool choose_suite(wb_options *options, const char *name, const wb_suite *lesson,
                         const wb_suite *exercise) {
  options->suite = strcmp(name, "lesson") == 0     ? lesson
                   : strcmp(name, "exercise") == 0 ? exercise
                                                   : NULL;
  if (!options->suite) fprintf(stderr, "--suite is lesson or exercise, not '%s'\n", name);
  return options->suite != NULL;
}

static bool parse_arguments(wb_options *options, int argc, char **argv, const wb_suite *lesson,
                            const wb_suite *exercise) {
  enum { SUITE, MODULE, SOURCE, ONLY, PLAN, HELP };
  static const struct option known[] = {{"suite", required_argument, NULL, SUITE},
                                        {"module", required_argument, NULL, MODULE},
                                        {"source", required_argument, NULL, SOURCE},
                                        {"only", required_argument, NULL, ONLY},
                                        {"plan", no_argument, NULL, PLAN},
                                        {"help", no_argument, NULL, HELP},
                                        {NULL, 0, NULL, 0}};
  bool fits = true;
  optind = 0; // from the start: tests come here more than once
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1 && fits;) {
    switch (c) {
    case SUITE: fits = choose_suite(options, optarg, lesson, exercise); break;
    case MODULE: options->module_path = optarg; break;
    case SOURCE: options->source_path = optarg; break;
    case ONLY: options->only = optarg; break;
    case PLAN: options->plan = true; break;
    case HELP: options->help = true; break;
    default: fits = false; // getopt_long has said why
    }
  }
  if (fits && optind < argc) fprintf(stderr, "%s: unexpected '%s'\n", argv[0], argv[optind]);
  fits = fits && optind >= argc;
  if (!fits) print_usage(stderr, argv[0]);
  return fits;
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
  const wb_record *record = &run_records[_i];
  static wb_judge judge; // too big for comfort on the stack; one check per process
  if (!run_options.shares_process) wb_judge_limit(record->verdict, run_options.limit_s);
  wb_judge_open(&judge, run_options.suite, record->check, run_options.module_path, run_options.seed,
                record->verdict);
  record->check->run(&judge);
  wb_judge_close(&judge);
}
END_TEST

// Check's own limit is for a process that does not even end at ours.
static Suite *build_suite(const wb_options *options, const wb_record *records, size_t n_records) {
  Suite *suite = suite_create(options->suite->exercise);
  for (size_t i = 0; i < n_records; i++) {
    if (!records[i].check->run) continue; // settled when the others are
    TCase *tcase = tcase_create(records[i].check->name);
    tcase_set_timeout(tcase, 1.5 * options->limit_s + 2.0);
    tcase_add_loop_test(tcase, run_one_check, (int)i, (int)i + 1);
    suite_add_tcase(suite, tcase);
  }
  return suite;
}

// Completes the verdict of a process that did not come to its own end, or not in time.
static void take_end(wb_verdict *verdict, TestResult *result, double limit_s) {
  const char *message = tr_msg(result) ? tr_msg(result) : "";
  if (verdict->outcome == WB_PASSED && tr_rtype(result) != CK_PASS)
    verdict->outcome = WB_NO_RESULT; // it broke down after its last word
  if (verdict->outcome == WB_FAILED && verdict->cause == WB_CAUSE_TIME_LIMIT) {
    snprintf(verdict->reason, sizeof verdict->reason, "the check did not end within %g s", limit_s);
    snprintf(verdict->explanation, sizeof verdict->explanation,
             "a loop in the kernel that never ends, or threads that wait for each other");
  }
  if (verdict->outcome != WB_NO_RESULT) return;
  if (tr_rtype(result) == CK_FAILURE) { // one of Check's own assertions, in a suite
    verdict->outcome = WB_FAILED;
    verdict->cause = WB_CAUSE_NONE;
    snprintf(verdict->reason, sizeof verdict->reason, "%s", message);
    return;
  }
  verdict->outcome = WB_BROKEN;
  verdict->cause = WB_CAUSE_CRASHED;
  snprintf(verdict->reason, sizeof verdict->reason,
           "the judge itself broke down here, not the kernel: %s",
           *message ? message : "its process gave no verdict");
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

// When a check's process crashed, what was said is all there is to go by.
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

static void run_planned(const wb_options *options, wb_record *records, size_t n_records) {
  run_options = *options;
  run_records = records;
  SRunner *runner = srunner_create(build_suite(options, records, n_records));
  srunner_set_fork_status(runner, options->shares_process ? CK_NOFORK : CK_FORK);
  srunner_run_all(runner, CK_SILENT);
  TestResult **results = srunner_results(runner);
  for (int r = 0; r < srunner_ntests_run(runner); r++)
    for (size_t i = 0; i < n_records; i++)
      if (strcmp(tr_tcname(results[r]), records[i].check->name) == 0)
        take_end(records[i].verdict, results[r], options->limit_s);
  free(results);
  srunner_free(runner);
}

// Returns the exit status.
static int run_checks(const wb_options *options, wb_record *records, size_t n_records) {
  FILE *said = tmpfile();
  bool broke_down = false, failed = false, crashed = false;
  int before = capture_stderr(said);
  shield_check();
  run_planned(options, records, n_records);
  wb_rules_settle(records, n_records);
  for (size_t i = 0; i < n_records; i++) {
    wb_verdict *v = records[i].verdict;
    if (v->outcome == WB_NO_RESULT) {
      v->outcome = WB_BROKEN;
      v->cause = WB_CAUSE_CRASHED;
      snprintf(v->reason, sizeof v->reason, "the check gave no result");
    }
    broke_down |= v->outcome == WB_BROKEN;
    crashed |= v->outcome == WB_BROKEN && v->cause == WB_CAUSE_CRASHED;
    failed |= v->outcome == WB_FAILED;
  }
  wb_report_relate(records, n_records);
  release_stderr(before, said, crashed);
  return broke_down ? EXIT_BROKE_DOWN : failed ? EXIT_FAILED : EXIT_PASSED;
}

// --- main -------------------------------------------------------------------------------------

static bool write_results(FILE *out, const wb_options *options, const wb_record *records,
                          size_t n_records) {
  wb_report_records(out, options->suite, records, n_records);
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
  int status = run_checks(options, records, n_records);
  bool written = !results || write_results(results, options, records, n_records);
  wb_report_summary(records, n_records);
  if (written) return status;
  fprintf(stderr, "results could not be written completely to '%s'\n", options->results);
  return EXIT_BROKE_DOWN;
}

static size_t plan(const wb_options *options, wb_record *records) {
  size_t n = 0;
  for (size_t i = 0; i < options->suite->n_checks; i++)
    if (is_planned(options, &options->suite->checks[i]))
      records[n++].check = &options->suite->checks[i];
  return wb_rules_plan(records, n);
}

// Verdicts lie in memory that a check's process shares with this one.
static int judge_or_plan(const wb_options *options, wb_record *records) {
  size_t n_records = plan(options, records), bytes = n_records * sizeof(wb_verdict);
  if (options->plan)
    return wb_report_plan(stdout, options->suite, records, n_records),
           fflush(stdout) ? EXIT_NOT_JUDGED : EXIT_PASSED;
  if (n_records == 0)
    return fprintf(stderr, "no check is named '%s'; --plan lists them\n",
                   options->only ? options->only : ""),
           EXIT_NOT_JUDGED;
  wb_verdict *verdicts =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (verdicts == MAP_FAILED) return fputs("out of memory\n", stderr), EXIT_BROKE_DOWN;
  for (size_t i = 0; i < n_records; i++) records[i].verdict = &verdicts[i];
  int status = judge_planned(options, records, n_records);
  munmap(verdicts, bytes);
  return status;
}

int wb_judge_main(int argc, char **argv, const wb_suite *lesson, const wb_suite *exercise) {
  wb_options options = {.suite = exercise};
  if (!read_environment(&options) || !parse_arguments(&options, argc, argv, lesson, exercise))
    return EXIT_NOT_JUDGED;
  if (options.help) return print_usage(stdout, argv[0]), EXIT_PASSED;
  if (!options.module_path && !options.plan) {
    fprintf(stderr, "%s: no module to judge: give --module FILE or set WB_MODULE\n", argv[0]);
    return EXIT_NOT_JUDGED;
  }
  if (options.suite == exercise && !wb_rules_open(exercise)) return EXIT_NOT_JUDGED;
  wb_record *records = calloc(options.suite->n_checks + 2, sizeof *records);
  if (!records) return fputs("out of memory\n", stderr), EXIT_BROKE_DOWN;
  int status = judge_or_plan(&options, records);
  free(records);
  return status;
}
