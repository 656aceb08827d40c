// SPDX-License-Identifier: MIT
// main.c - the grader's front: arguments, and the three things it does.
//
//   grade                             one's own exercises/: a table and results.json
//   grade --submissions DIR           a class: grades.csv and one JSON per student
//   grade --try NN_name --source FILE one file, with every word the suite says
//
// Exit: 0 everything was judged (--try: and all checks passed), 1 --try: a check failed, 2 wrong
// use or nothing to judge, 3 an ERROR: judge or grader broke down, so that some verdicts are
// neither passed nor failed (a module that cannot be loaded, no memory, unreadable results).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "class.h"
#include "record.h"
#include "report.h"
#include "sandbox.h"
#include "source.h"
#include "text.h"

enum { EXIT_GRADED = 0, EXIT_CHECK_FAILED = 1, EXIT_NOT_GRADED = 2, EXIT_GRADER_ERROR = 3 };
enum { MAX_EXERCISES = 32, PATH_BYTES = 4096, TEMPORARY_BYTES = 512 };

typedef struct options {
  const char *build, *exercises, *submissions, *out, *student, *only, *source;
  const char *compiler, *suites, *jobs, *seed, *compile_s, *check_s, *suite_s, *memory_mib;
  const char *compiler_arguments, *names, *check, *schedule, *results, *stages;
} options;

typedef struct option_row {
  const char *name, *value, *help;
  size_t offset;
} option_row;

#define ROW(name, value, field, help)                                                              \
  { name, value, help, offsetof(options, field) }
static const option_row option_rows[] = {
    ROW("--exercises", "DIR", exercises, "one's own exercises (exercises)"),
    ROW("--submissions", "DIR", submissions, "a class: one folder per student"),
    ROW("--student", "NAME", student, "of a class, this student only"),
    ROW("--jobs", "N", jobs, "students judged at the same time (all cores)"),
    ROW("--names", "\"A B\"", names, "which exercises, separated by spaces (all)"),
    ROW("--try", "NN_name", only, "judge one file and show what the suite says"),
    ROW("--source", "FILE", source, "that file (exercises/NN_name.cu)"),
    ROW("--results", "FILE", results, "of --try: its records, as in results.json"),
    ROW("--stages", "FD", stages, "of --try: a line when compiling and when judging begins"),
    ROW("--out", "DIR", out, "where results go (BUILD/grade)"),
    ROW("--check", "LIST", check, "software GPU: checkers that must find nothing (none)"),
    ROW("--schedule", "S", schedule, "software GPU: order of threads, or sweep:K (lockstep)"),
    ROW("--seed", "N", seed, "base of all random inputs (1)"),
    ROW("--build", "DIR", build, "where the workbook was built (build)"),
    ROW("--suites", "DIR", suites, "the trusted suites (BUILD/tests)"),
    ROW("--compiler", "FILE", compiler, "compiles the device side to PTX"),
    ROW("--compiler-arguments", "A,B", compiler_arguments, "its arguments, comma-separated"),
    ROW("--compile-s", "S", compile_s, "limit of the compiler (30)"),
    ROW("--check-s", "S", check_s, "limit of one check (20)"),
    ROW("--suite-s", "S", suite_s, "limit of one exercise's suite (300)"),
    ROW("--memory-mib", "N", memory_mib, "memory of compiler and suite (4096; 0: no limit)"),
};
#undef ROW
enum { N_ROWS = sizeof option_rows / sizeof *option_rows };

static void print_usage(FILE *out) {
  fputs("usage: grade [OPTION VALUE]...\n", out);
  for (size_t i = 0; i < N_ROWS; i++)
    fprintf(out, "  %-21s %-8s %s\n", option_rows[i].name, option_rows[i].value,
            option_rows[i].help);
}

// 0 to go on, 1 for a clean end (--help), 2 for wrong use.
static int parse_options(options *o, int argc, char **argv) {
  enum { HELP = N_ROWS };
  struct option known[N_ROWS + 2] = {[HELP] = {"help", no_argument, NULL, HELP}};
  for (int r = 0; r < N_ROWS; r++)
    known[r] = (struct option){option_rows[r].name + strlen("--"), required_argument, NULL, r};
  int c;
  while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
    if (c == HELP) return print_usage(stdout), 1;
    if (c < 0 || c >= N_ROWS) break; // getopt_long has said why
    *(const char **)((char *)o + option_rows[c].offset) = optarg;
  }
  if (c == -1 && optind < argc) fprintf(stderr, "%s: unexpected '%s'\n", argv[0], argv[optind]);
  if (c == -1 && optind >= argc) return 0;
  print_usage(stderr);
  return 2;
}

// Strings that a setup points into, for as long as the process lives.
typedef struct program {
  options options;
  grade_setup setup;
  char out[PATH_BYTES], suites[PATH_BYTES], compiler[PATH_BYTES], work[TEMPORARY_BYTES];
  char root[PATH_BYTES], common[PATH_BYTES + 8], submissions[PATH_BYTES], private[PATH_BYTES];
  char compiler_arguments[PATH_BYTES];
  grade_exercise plans[MAX_EXERCISES];
  size_t n_plans;
} program;

// A whole or decimal number of at least `least`, or the fallback when the option was not given.
static bool number(const char *name, const char *text, double least, double fallback,
                   double *value) {
  *value = fallback;
  if (!text) return true;
  char *end = NULL;
  *value = strtod(text, &end);
  if (end != text && !*end && *value >= least && *value < 1e15) return true;
  fprintf(stderr, "grade: %s is '%s': a number of at least %g is needed\n", name, text, least);
  return false;
}

static bool absolute(char out[PATH_BYTES], const char *path, const char *what) {
  if (realpath(path, out)) return true;
  fprintf(stderr, "grade: %s '%s': %s. Build it first: make programs, or let make grade do it.\n",
          what, path, strerror(errno));
  return false;
}

static void split_arguments(program *p) {
  const char *list =
      p->options.compiler_arguments ? p->options.compiler_arguments : GRADE_COMPILER_ARGUMENTS;
  snprintf(p->compiler_arguments, sizeof p->compiler_arguments, "%s", list);
  size_t n = 0;
  for (char *rest = p->compiler_arguments, *one;
       n + 1 < GRADE_MAX_COMPILER_ARGUMENTS && (one = strsep(&rest, ","));)
    if (*one) p->setup.compiler_arguments[n++] = one;
}

static bool make_folder(const char *path) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return true;
  fprintf(stderr, "grade: cannot make %s: %s\n", path, strerror(errno));
  return false;
}

// What no submission may include: the workbook's solutions, suites and mutants (all of it but what
// is meant to be included), other submissions, and what the grader is at work on.
static void forbid(program *p) {
  size_t n = 0;
  if (realpath(GRADE_ROOT, p->root)) p->setup.forbidden[n++] = p->root;
  if (p->options.submissions && realpath(p->options.submissions, p->submissions))
    p->setup.forbidden[n++] = p->submissions;
  if (realpath(p->work, p->private)) p->setup.forbidden[n++] = p->private;
  snprintf(p->common, sizeof p->common, "%s/common", p->root);
  p->setup.allowed = p->common;
}

static bool prepare(program *p) {
  const options *o = &p->options;
  char suites[PATH_BYTES], out[PATH_BYTES];
  double seed, memory_mib;
  const char *build = o->build ? o->build : "build", *temporary = getenv("TMPDIR");
  snprintf(suites, sizeof suites, "%s/tests", build);
  snprintf(out, sizeof out, "%s/grade", build);
  if (!number("--seed", o->seed, 0, 1, &seed) ||
      !number("--memory-mib", o->memory_mib, 0, GRADE_MEMORY_MIB, &memory_mib) ||
      !number("--compile-s", o->compile_s, 0.01, 30, &p->setup.compile_s) ||
      !number("--check-s", o->check_s, 0.01, 20, &p->setup.check_s) ||
      !number("--suite-s", o->suite_s, 0.01, 300, &p->setup.suite_s))
    return false;
  if (!absolute(p->suites, o->suites ? o->suites : suites, "the suites' folder") ||
      !absolute(p->compiler, o->compiler ? o->compiler : GRADE_COMPILER, "the compiler"))
    return false;
  if (!make_folder(o->out ? o->out : out) || !absolute(p->out, o->out ? o->out : out, "output"))
    return false;
  snprintf(p->work, sizeof p->work, "%.480s/grade-XXXXXX",
           temporary && *temporary ? temporary : "/tmp");
  if (!mkdtemp(p->work))
    return fprintf(stderr, "grade: cannot make %s: %s\n", p->work, strerror(errno)), false;
  split_arguments(p);
  forbid(p);
  p->setup.suites = p->suites;
  p->setup.compiler = p->compiler;
  p->setup.work = p->work;
  p->setup.seed = (uint64_t)seed;
  p->setup.memory_bytes = (uint64_t)memory_mib << 20;
  p->setup.forward = -1;
  p->setup.stages = -1;
  p->setup.check = o->check;
  p->setup.schedule = o->schedule;
  return true;
}

static void clean_up(program *p) {
  if (p->work[0]) rmdir(p->work);
  for (size_t i = 0; i < p->n_plans; i++) grade_exercise_free(&p->plans[i]);
}

// Plans of all exercises in `names` (separated by spaces); a suite that has none is skipped aloud.
static bool read_plans(program *p, const char *names) {
  grade_diag diag;
  while (*names) {
    char name[GRADE_NAME_BYTES];
    size_t length = strcspn(names, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, names);
    names += length + strspn(names + length, " ");
    if (!*name || p->n_plans == MAX_EXERCISES) continue;
    if (grade_judge_plan(&p->setup, name, &p->plans[p->n_plans], &diag)) {
      fprintf(stderr, "grade: %s\n", diag.text);
      grade_exercise_free(&p->plans[p->n_plans]);
      return false;
    }
    p->n_plans++;
  }
  return p->n_plans > 0;
}

// --- what it does ------------------------------------------------------------------------------

// Of a file that could be read.
static int status_of(const grade_exercise *exercise) {
  if (grade_exercise_has_grader_error(exercise)) return EXIT_GRADER_ERROR;
  bool passed = exercise->state == GRADE_JUDGED;
  for (size_t i = 0; i < exercise->n_checks; i++)
    passed = passed && exercise->checks[i].outcome == GRADE_PASSED;
  return passed ? EXIT_GRADED : EXIT_CHECK_FAILED;
}

// Of one exercise, in the form of results.json.
static bool write_results(const program *p, grade_exercise *exercise) {
  grade_diag diag;
  grade_submission submission = {"", exercise, 1};
  cJSON *json = grade_report_json(&submission, p->setup.seed);
  grade_status status = grade_report_write_json(p->options.results, json, &diag);
  cJSON_Delete(json);
  if (status) fprintf(stderr, "grade: %s\n", diag.text);
  return status == GRADE_OK;
}

static int try_one(program *p) {
  const options *o = &p->options;
  char source[PATH_BYTES];
  snprintf(source, sizeof source, "exercises/%s.cu", o->only);
  const char *path = o->source ? o->source : source;
  char *text = NULL;
  size_t size_bytes = 0;
  grade_diag diag;
  grade_exercise exercise = {.state = GRADE_NOT_JUDGED};
  if (!read_plans(p, o->only) || grade_plan_copy(&exercise, &p->plans[0])) return EXIT_NOT_GRADED;
  double stages;
  if (!number("--stages", o->stages, STDERR_FILENO + 1, -1, &stages)) return EXIT_NOT_GRADED;
  p->setup.stages = (int)stages;
  p->setup.forward = STDOUT_FILENO;
  grade_state state = grade_source_read(AT_FDCWD, path, &text, &size_bytes, &diag);
  if (state == GRADE_JUDGED) grade_judge_text(&p->setup, &exercise, path, text, size_bytes);
  else fprintf(stderr, "%s\n", diag.text);
  bool read = state == GRADE_JUDGED;
  int status = read                        ? status_of(&exercise)
               : state == GRADE_NOT_JUDGED ? EXIT_GRADER_ERROR
                                           : EXIT_NOT_GRADED;
  if (read && exercise.message)
    printf("\n%s%s: %s\n", status == EXIT_GRADER_ERROR ? "ERROR: " : "", path, exercise.message);
  if (o->results && read && !write_results(p, &exercise)) status = EXIT_GRADER_ERROR;
  grade_exercise_free(&exercise);
  free(text);
  return status;
}

static int judge_own(program *p) {
  const char *folder_name = p->options.exercises ? p->options.exercises : "exercises";
  char path[PATH_BYTES + 16], label[PATH_BYTES];
  grade_diag diag;
  int folder = open(folder_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return fprintf(stderr, "grade: cannot open %s: %s\n", folder_name, strerror(errno)),
           EXIT_NOT_GRADED;
  grade_exercise *exercises = calloc(p->n_plans, sizeof *exercises);
  if (!exercises) return close(folder), EXIT_NOT_GRADED;
  snprintf(label, sizeof label, "%s/", folder_name);
  bool error = false;
  for (size_t i = 0; i < p->n_plans; i++) {
    fprintf(stderr, "judging %s%s.cu ...\n", label, p->plans[i].name);
    if (grade_plan_copy(&exercises[i], &p->plans[i])) exercises[i].state = GRADE_NOT_JUDGED;
    else grade_judge_folder(&p->setup, &exercises[i], folder, label);
    error = error || grade_exercise_has_grader_error(&exercises[i]);
  }
  close(folder);
  grade_submission submission = {"", exercises, p->n_plans};
  grade_report_table(stdout, &submission);
  snprintf(path, sizeof path, "%s/results.json", p->out);
  cJSON *json = grade_report_json(&submission, p->setup.seed);
  grade_status status = grade_report_write_json(path, json, &diag);
  cJSON_Delete(json);
  if (status) fprintf(stderr, "grade: %s\n", diag.text);
  else printf("Results: %s\n", path);
  for (size_t i = 0; i < p->n_plans; i++) grade_exercise_free(&exercises[i]);
  free(exercises);
  return status ? EXIT_NOT_GRADED : error ? EXIT_GRADER_ERROR : EXIT_GRADED;
}

static int judge_class(program *p) {
  const options *o = &p->options;
  double jobs;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (!number("--jobs", o->jobs, 1, cores > 0 ? (double)cores : 1, &jobs)) return EXIT_NOT_GRADED;
  const char *lacks = "", *fence = grade_sandbox_name(&lacks);
  fprintf(stderr, "Sandbox: %s only; %s.\n", fence, lacks);
  grade_class job = {.submissions = o->submissions,
                     .out = p->out,
                     .student = o->student,
                     .plans = p->plans,
                     .n_plans = p->n_plans,
                     .jobs = (unsigned)jobs};
  grade_class_result result;
  grade_diag diag;
  if (grade_class_run(&job, &p->setup, &result, &diag))
    return fprintf(stderr, "grade: %s\n", diag.text), EXIT_NOT_GRADED;
  printf("%zu student%s judged, %zu with grader errors.\nGrades: %s/grades.csv\n",
         result.n_students, result.n_students == 1 ? "" : "s", result.n_grader_errors, p->out);
  return result.n_grader_errors ? EXIT_GRADER_ERROR : EXIT_GRADED;
}

int main(int argc, char **argv) {
  static program p;
  int end = parse_options(&p.options, argc, argv);
  if (end) return end == 1 ? EXIT_GRADED : EXIT_NOT_GRADED;
  int status = EXIT_NOT_GRADED;
  if (prepare(&p)) {
    if (p.options.only) status = try_one(&p);
    else if (read_plans(&p, p.options.names ? p.options.names : GRADE_EXERCISES))
      status = p.options.submissions ? judge_class(&p) : judge_own(&p);
  }
  clean_up(&p);
  return status;
}
