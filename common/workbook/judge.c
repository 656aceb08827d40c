// SPDX-License-Identifier: MIT
// judge.c - the parent half of the judge: the plan, one process per check (Check's fork mode), and
// what each process left as its verdict.
//
// Invariants: this process makes no CUDA call, so that every child starts from a fresh device.
// Every planned check gives exactly one record, whatever happens to its process; only a process
// that came to its end passes.
// Not here: arguments (judge_options.c), anything on the device (the other judge_*.c), what is
// printed (judge_report.c).
#include "judge_options.h"
#include "judge_internal.h"
#include "text.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// Also in judge.h.
enum { EXIT_PASSED = 0, EXIT_FAILED = 1, EXIT_NOT_JUDGED = 2, EXIT_BROKE_DOWN = 3 };
enum { MANY_LINES = 1000 };

// Check's test functions take no argument but the loop index: the child finds its work here.
static wb_options run_options;
static wb_record *run_records; // [planned checks]

static bool is_planned(const wb_options *options, const wb_check *check) {
  if (check->needs_counters && !wb_counts_hold()) return false;
  return !options->only || strcmp(options->only, check->name) == 0;
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
  judge.keeps_output = record->printed != NULL;
  record->check->run(&judge);
  wb_judge_close(&judge);
}
END_TEST

// Check's own limit ends only a process that outlives ours.
static Suite *build_suite(const wb_options *options, const wb_record *record, int index) {
  Suite *suite = suite_create(options->suite->exercise);
  TCase *tcase = tcase_create(record->check->name);
  tcase_set_timeout(tcase, WB_LAST_FACTOR * options->limit_s + 2.0);
  tcase_add_loop_test(tcase, run_one_check, index, index + 1);
  suite_add_tcase(suite, tcase);
  return suite;
}

// There are two likely causes; that its kernels printed a lot points to the first.
static void take_time_limit(const wb_record *record, double limit_s) {
  wb_verdict *v = record->verdict;
  size_t n_lines = wb_output_copy(NULL, record, 1);
  snprintf(v->reason, sizeof v->reason, "the check did not end within %g s", limit_s);
  if (n_lines > MANY_LINES) {
    snprintf(v->explanation, sizeof v->explanation,
             "its kernels printed %zu lines by then, and printing takes time", n_lines);
    snprintf(v->next, sizeof v->next,
             "print from one thread of one block only, or judge one check alone: ONLY=%s",
             record->check->name);
  } else {
    snprintf(v->explanation, sizeof v->explanation,
             "a loop in the kernel that never ends, or threads that wait for each other");
    snprintf(v->next, sizeof v->next, "does every round of the loop bring it nearer to its end?");
  }
}

// Completes the verdict of a process that crashed, timed out, or failed one of Check's assertions.
static void take_end(const wb_record *record, TestResult *result, double limit_s) {
  wb_verdict *verdict = record->verdict;
  const char *message = tr_msg(result) ? tr_msg(result) : "";
  if (verdict->outcome == WB_PASSED && tr_rtype(result) != CK_PASS)
    verdict->outcome = WB_NO_RESULT; // it crashed after it had reported a pass
  if (verdict->outcome == WB_FAILED && verdict->cause == WB_CAUSE_TIME_LIMIT)
    take_time_limit(record, limit_s);
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

// Removes the environment variables by which Check selects tests, or runs them in other ways.
static void shield_check(void) {
  static const char *const names[] = {
      "CK_RUN_SUITE", "CK_RUN_CASE",      "CK_INCLUDE_TAGS",      "CK_EXCLUDE_TAGS",
      "CK_FORK",      "CK_LOG_FILE_NAME", "CK_XML_LOG_FILE_NAME", "CK_TAP_LOG_FILE_NAME"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
  setenv("CK_MAX_MSG_SIZE", "16384", 1); // more than WB_TEXT_BYTES; Check's default is less
}

static void run_record(const wb_options *options, wb_record *records, size_t index) {
  wb_record *record = &records[index];
  SRunner *runner = srunner_create(build_suite(options, record, (int)index));
  srunner_set_fork_status(runner, options->shares_process ? CK_NOFORK : CK_FORK);
  wb_streams before = wb_output_divert(record);
  srunner_run_all(runner, CK_SILENT);
  wb_output_restore(before);
  TestResult **results = srunner_results(runner);
  if (srunner_ntests_run(runner) > 0) take_end(record, results[0], options->limit_s);
  free(results);
  srunner_free(runner);
}

// Whether the suite's time limit leaves room for one more check; if not, that check fails.
static bool has_time(const wb_options *options, const wb_record *record) {
  struct rusage usage;
  if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return true;
  double used_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  if (used_s <= options->suite_s) return true;
  wb_verdict *v = record->verdict;
  v->outcome = WB_FAILED;
  v->cause = WB_CAUSE_TIME_LIMIT;
  snprintf(v->reason, sizeof v->reason,
           "not run: the checks before it took more than the %g s of processor time that all have",
           options->suite_s);
  return false;
}

// One worker: takes the next check until none is left. One without a function is decided later.
static void run_free(const wb_options *options, wb_record *records, size_t n_records,
                     atomic_size_t *next) {
  for (size_t i; (i = atomic_fetch_add(next, 1)) < n_records;)
    if (records[i].check->run && has_time(options, &records[i])) run_record(options, records, i);
}

static void run_planned(const wb_options *options, wb_record *records, size_t n_records,
                        atomic_size_t *next) {
  pid_t workers[WB_MOST_JOBS];
  unsigned n_workers = 0;
  run_options = *options;
  run_records = records;
  fflush(stdout);
  while (n_workers + 1 < options->n_jobs && n_workers + 1 < n_records) {
    pid_t child = fork();
    if (child == 0) {
      run_free(options, records, n_records, next);
      _exit(0);
    }
    if (child < 0) break; // the workers that there are run all checks
    workers[n_workers++] = child;
  }
  run_free(options, records, n_records, next);
  for (unsigned i = 0; i < n_workers; i++) waitpid(workers[i], NULL, 0);
}

// Returns the exit status. Meanwhile the output of each check goes into a file of its own.
static int run_checks(const wb_options *options, wb_record *records, size_t n_records,
                      atomic_size_t *next) {
  bool broke_down = false, failed = false;
  shield_check();
  run_planned(options, records, n_records, next);
  wb_rules_settle(records, n_records);
  for (size_t i = 0; i < n_records; i++) {
    wb_verdict *v = records[i].verdict;
    if (v->outcome == WB_NO_RESULT) {
      v->outcome = WB_BROKEN;
      v->cause = WB_CAUSE_CRASHED;
      snprintf(v->reason, sizeof v->reason, "the check gave no result");
    }
    broke_down |= v->outcome == WB_BROKEN;
    failed |= v->outcome == WB_FAILED;
  }
  wb_output_quote(records, n_records);
  wb_report_weigh(records, n_records);
  wb_report_nearest(records, n_records, options->suite, options->seed, options->n_jobs);
  wb_report_relate(records, n_records);
  wb_output_show_errors(records, n_records);
  return broke_down ? EXIT_BROKE_DOWN : failed ? EXIT_FAILED : EXIT_PASSED;
}

// --- main -------------------------------------------------------------------------------------

static bool write_results(FILE *out, const wb_options *options, const wb_record *records,
                          size_t n_records) {
  wb_report_records(out, options->suite, records, n_records);
  bool written = fflush(out) == 0 && !ferror(out);
  return fclose(out) == 0 && written;
}

// A file for people only: a failure to write it is reported and changes no verdict.
static FILE *open_extra(const char *path) {
  FILE *file = path ? fopen(path, "we") : NULL;
  if (path && !file) fprintf(stderr, "cannot write '%s': %s\n", path, strerror(errno));
  return file;
}

static void write_extras(const wb_options *options, const wb_record *records, size_t n_records) {
  FILE *output = open_extra(options->output), *report = open_extra(options->report);
  if (output) wb_output_copy(output, records, n_records);
  if (report) wb_report_html(report, options->suite, records, n_records);
  if (output) fclose(output);
  if (report) fclose(report);
}

// Judges, reports, and returns the exit status.
static int judge_planned(const wb_options *options, wb_record *records, size_t n_records,
                         atomic_size_t *next) {
  FILE *results = options->results ? open_results(options->results) : NULL;
  if (options->results && !results)
    return fprintf(stderr, "cannot write results to '%s': %s\n", options->results, strerror(errno)),
           EXIT_NOT_JUDGED;
  // Without files for it, what kernels print stands before the verdict.
  if (!options->shares_process) wb_output_open(records, n_records);
  int status = run_checks(options, records, n_records, next);
  bool written = !results || write_results(results, options, records, n_records);
  write_extras(options, records, n_records);
  if (options->verbose)
    printf("judging: %s\n", options->source_path ? options->source_path : options->module_path);
  wb_report_summary(options->suite, records, n_records, options->verbose);
  wb_output_close(records, n_records);
  if (written) return status;
  fprintf(stderr, "results could not be written completely to '%s'\n", options->results);
  return EXIT_BROKE_DOWN;
}

static size_t plan(const wb_options *options, wb_record *records) {
  size_t n = 0;
  for (size_t i = 0; i < options->suite->n_checks; i++)
    if (is_planned(options, &options->suite->checks[i]))
      records[n++].check = &options->suite->checks[i];
  return wb_rules_plan(records, n, options->only != NULL);
}

static int no_such_check(const wb_options *options) {
  const char *only = options->only ? options->only : "";
  if (strcmp(only, "technique") == 0)
    fputs("technique looks at the launches of all the other checks, so it cannot be judged alone. "
          "The others:\n",
          stderr);
  else fprintf(stderr, "no check is named '%s'. There are:\n", only);
  for (size_t i = 0; i < options->suite->n_checks; i++)
    fprintf(stderr, "  %-20s %s\n", options->suite->checks[i].name,
            options->suite->checks[i].about);
  return EXIT_NOT_JUDGED;
}

// Verdicts, and the number of the next check, lie in memory that a check's process shares with this
// one.
static int judge_or_plan(const wb_options *options, wb_record *records) {
  size_t n_records = plan(options, records);
  size_t bytes = sizeof(max_align_t) + n_records * sizeof(wb_verdict);
  if (n_records == 0) return no_such_check(options);
  if (options->plan)
    return wb_report_plan(stdout, options->suite, records, n_records),
           fflush(stdout) ? EXIT_NOT_JUDGED : EXIT_PASSED;
  char *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return fputs("out of memory\n", stderr), EXIT_BROKE_DOWN;
  wb_verdict *verdicts = (wb_verdict *)(void *)(shared + sizeof(max_align_t));
  for (size_t i = 0; i < n_records; i++) records[i].verdict = &verdicts[i];
  int status = judge_planned(options, records, n_records, (atomic_size_t *)(void *)shared);
  munmap(shared, bytes);
  return status;
}

int wb_judge_main(int argc, char **argv, const wb_suite *lesson, const wb_suite *exercise) {
  wb_options options;
  if (!wb_options_read(&options, argc, argv, lesson, exercise)) return EXIT_NOT_JUDGED;
  if (options.help) return wb_options_usage(stdout, argv[0]), EXIT_PASSED;
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
