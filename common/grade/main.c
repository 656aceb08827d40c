// SPDX-License-Identifier: MIT
// main.c - the grader's front: arguments, and the three things it does.
//
//   grade                             one's own exercises/: a table and results.json
//   grade --submissions DIR           a class: grades.csv and one JSON per student
//   grade --try NN_name --source FILE one file, with every word the suite says
// Exit: 0 all is judged (--try: and all checks passed), 1 --try: a check failed, 2 wrong use or
// nothing to judge, 3 an ERROR: judge or grader broke down, and some verdicts are missing.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "class.h"
#include "fence.h"
#include "files.h"
#include "hash.h"
#include "judge.h"
#include "options.h"
#include "probe.h"
#include "programs.h"
#include "record.h"
#include "report.h"
#include "sandbox.h"
#include "source.h"

enum { EXIT_GRADED = 0, EXIT_CHECK_FAILED = 1, EXIT_NOT_GRADED = 2, EXIT_GRADER_ERROR = 3 };
enum { MAX_EXERCISES = 32, MAX_MERGED = 1024, PATH_BYTES = 4096, TEMPORARY_BYTES = 512 };

// Strings that a setup points into, for as long as the process lives.
typedef struct program {
  grade_options options;
  grade_setup setup;
  char keep[PATH_BYTES], out[PATH_BYTES], suites[PATH_BYTES], compiler[PATH_BYTES],
      headers[PATH_BYTES], work[TEMPORARY_BYTES], precompiled[PATH_BYTES], merge[PATH_BYTES],
      compiler_arguments[PATH_BYTES], rubrics[PATH_BYTES];
  char counts[PATH_BYTES], key[GRADE_HEX_BYTES], versions[GRADE_HEX_BYTES], seed_name[32];
  const char *merged[MAX_MERGED + 1];
  grade_exercise plans[MAX_EXERCISES];
  size_t n_plans;
} program;

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

// The key's bytes never leave this function: results name a fingerprint of its hash.
static bool read_key(program *p) {
  enum { KEY_BYTES = 1 << 16, LEAST_BYTES = 16, FINGERPRINT = 16 };
  if (!p->options.key) return true;
  char *text = grade_file_read(p->options.key, KEY_BYTES), print[GRADE_HEX_BYTES];
  grade_hash hash;
  if (!text || strlen(text + strspn(text, " \t\r\n")) < LEAST_BYTES) {
    fprintf(stderr,
            "grade: the key '%s' must be a text file of %d to %d characters, such as:\n"
            "  head -c 24 /dev/urandom | base64 >key\n",
            p->options.key, LEAST_BYTES, KEY_BYTES);
    free(text);
    return false;
  }
  grade_hash_begin(&hash);
  grade_hash_text(&hash, text);
  grade_hash_end(&hash, p->key);
  free(text);
  grade_hash_begin(&hash);
  grade_hash_text(&hash, p->key);
  grade_hash_end(&hash, print);
  snprintf(p->seed_name, sizeof p->seed_name, "key %.*s", FINGERPRINT, print);
  p->setup.key = p->key;
  return true;
}

// Worth it for more than one exercise. A compiler without headers of its own may not know how.
static void precompile(program *p) {
  const bool knows = *p->headers && (!p->options.compiler || p->options.headers);
  if (knows && grade_precompile(&p->setup, p->precompiled)) p->setup.precompiled = p->precompiled;
}

// What a verdict depends on besides the submission and the suite.
static bool read_versions(program *p) {
  grade_hash hash;
  grade_run run;
  grade_diag diag;
  const char *const argv[] = {p->compiler, "--version", NULL}, *path = getenv("PATH");
  char variable[PATH_BYTES];
  snprintf(variable, sizeof variable, "PATH=%s", path ? path : "/usr/bin:/bin");
  const char *const environment[] = {variable, NULL};
  grade_command command = {
      .argv = argv,
      .environment = environment,
      .directory = p->work,
      .forward = -1,
      .limits = {.idle_s = 20, .cpu_s = 20, .file_bytes = 1 << 20, .output_bytes = 1 << 14}};
  if (grade_sandbox_run(&command, &run, &diag))
    return fprintf(stderr, "grade: %s\n", diag.text), false;
  grade_hash_begin(&hash);
  grade_hash_text(&hash, run.output);
  free(run.output);
  for (const char *const *argument = p->setup.compiler_arguments; *argument; argument++)
    grade_hash_text(&hash, *argument);
  if (!grade_hash_compiler(&p->setup, &hash) || !grade_hash_file(&hash, "/proc/self/exe"))
    return fprintf(stderr, "grade: cannot read compiler and headers: %s\n", strerror(errno)), false;
  grade_hash_end(&hash, p->versions);
  p->setup.versions = p->versions;
  return true;
}

// Points must not depend on the order of threads, and what a kernel costs is counted in lockstep.
static bool is_gradable(const char *schedule) {
  if (!schedule || strcmp(schedule, "lockstep") == 0 || strncmp(schedule, "sweep", 5) == 0)
    return true;
  fprintf(stderr,
          "grade: --schedule %s: points are given for lockstep or sweep:K, which runs every "
          "launch again in other orders; one order alone is for make try\n",
          schedule);
  return false;
}

// A class is other people's work: limits alone are not enough for it unless that is asked for.
static bool choose_fence(program *p) {
  const grade_options *o = &p->options;
  bool unsafe;
  grade_diag diag;
  if (!grade_options_choice("--allow-unsafe", o->allow_unsafe, &unsafe)) return false;
  // Built without a fence, there are limits only; another wish is refused like a misspelled one.
  const char *wanted = GRADE_HAS_FENCE || o->fence ? o->fence : "limits";
  if (grade_fence_choose(wanted, p->work, &diag))
    return fprintf(stderr, "grade: %s\n", diag.text), false;
  if (grade_fence_current() != GRADE_FENCE_LIMITS || !o->submissions || unsafe) return true;
  fprintf(stderr,
          "grade: neither bubblewrap nor Landlock works here (%s). Install bubblewrap, or grade "
          "people you know with ALLOW_UNSAFE=1.\n",
          o->fence          ? "asked for: limits"
          : GRADE_HAS_FENCE ? diag.text
                            : "this build has no fence");
  return false;
}

static bool prepare(program *p) {
  const grade_options *o = &p->options;
  char suites[PATH_BYTES], out[PATH_BYTES];
  double seed, memory_mib;
  grade_diag diag;
  const char *build = o->build ? o->build : "build", *temporary = getenv("TMPDIR");
  snprintf(suites, sizeof suites, "%s/tests", build);
  snprintf(out, sizeof out, "%s/grade", build);
  if (!o->only && !is_gradable(o->schedule)) return false;
  if (!grade_options_number("--seed", o->seed, 0, 1, &seed) ||
      !grade_options_number("--memory-mib", o->memory_mib, 0, GRADE_MEMORY_MIB, &memory_mib) ||
      !grade_options_number("--compile-s", o->compile_s, 0.01, 30, &p->setup.compile_s) ||
      !grade_options_number("--check-s", o->check_s, 0.01, 20, &p->setup.check_s) ||
      !grade_options_number("--suite-s", o->suite_s, 0.01, 100, &p->setup.suite_s) ||
      !grade_options_number("--student-s", o->student_s, 0.01, 300, &p->setup.student_s))
    return false;
  if (!absolute(p->suites, o->suites ? o->suites : suites, "the suites' folder") ||
      !absolute(p->compiler, o->compiler ? o->compiler : GRADE_COMPILER, "the compiler"))
    return false;
  const char *headers = o->headers ? o->headers : GRADE_HEADERS;
  if (*headers && !absolute(p->headers, headers, "the compiler's headers")) return false;
  if (grade_folder_make(o->out ? o->out : out, &diag))
    return fprintf(stderr, "grade: %s\n", diag.text), false;
  if (!absolute(p->out, o->out ? o->out : out, "output")) return false;
  snprintf(p->work, sizeof p->work, "%.480s/grade-XXXXXX",
           temporary && *temporary ? temporary : "/tmp");
  if (grade_folder_make_temporary(p->work, &diag)) {
    p->work[0] = '\0';
    return fprintf(stderr, "grade: %s\n", diag.text), false;
  }
  split_arguments(p);
  if (!choose_fence(p)) return false;
  p->setup.suites = p->suites;
  p->setup.compiler = p->compiler;
  p->setup.work = p->work;
  p->setup.seed = (uint64_t)seed;
  snprintf(p->seed_name, sizeof p->seed_name, "%llu", (unsigned long long)p->setup.seed);
  p->setup.seed_name = p->seed_name;
  p->setup.memory_bytes = (uint64_t)memory_mib << 20;
  p->setup.forward = -1;
  p->setup.stages = -1;
  p->setup.check = o->check;
  p->setup.schedule = o->schedule;
  if (o->rubrics && !absolute(p->rubrics, o->rubrics, "the rubrics' folder")) return false;
  p->setup.rubrics = o->rubrics ? p->rubrics : GRADE_ROOT "/solutions";
  snprintf(p->counts, sizeof p->counts, "%.4000s/solutions", p->out);
  if (grade_folder_make(p->counts, &diag)) return fprintf(stderr, "grade: %s\n", diag.text), false;
  p->setup.counts = p->counts;
  p->setup.headers = p->headers;
  return read_key(p) && read_versions(p);
}

static void clean_up(program *p) {
  if (p->work[0]) grade_folder_remove(p->work);
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
      return grade_exercise_free(&p->plans[p->n_plans]), false;
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
  grade_submission submission = {.student = "", .exercises = exercise, .n_exercises = 1};
  cJSON *json = grade_report_json(&submission, p->setup.seed_name);
  grade_status status = grade_report_write_json(p->options.results, json, &diag);
  cJSON_Delete(json);
  if (status) fprintf(stderr, "grade: %s\n", diag.text);
  return status == GRADE_OK;
}

// The folder for what a person reads of a verdict besides what is shown.
static bool keep_in(program *p) {
  char folder[PATH_BYTES];
  grade_diag diag;
  const char *build = p->options.build ? p->options.build : "build";
  snprintf(folder, sizeof folder, "%.4000s/try", build);
  bool ours = !p->options.keep;
  if ((ours && grade_folder_make(build, &diag)) ||
      grade_folder_make(ours ? folder : p->options.keep, &diag))
    return fprintf(stderr, "grade: %s\n", diag.text), false;
  if (!absolute(p->keep, p->options.keep ? p->options.keep : folder, "output")) return false;
  p->setup.keep = p->keep;
  return true;
}

static int try_one(program *p) {
  const grade_options *o = &p->options;
  char source[PATH_BYTES];
  snprintf(source, sizeof source, "exercises/%s.cu", o->only);
  const char *path = o->source ? o->source : source;
  char *text = NULL;
  size_t size_bytes = 0;
  grade_diag diag;
  grade_exercise exercise = {.state = GRADE_NOT_JUDGED};
  p->setup.one = o->one;
  if (!keep_in(p)) return EXIT_NOT_GRADED;
  if (!read_plans(p, o->only) || grade_plan_copy(&exercise, &p->plans[0])) return EXIT_NOT_GRADED;
  double stages;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (!grade_options_number("--stages", o->stages, STDERR_FILENO + 1, -1, &stages))
    return EXIT_NOT_GRADED;
  p->setup.stages = (int)stages;
  p->setup.forward = STDOUT_FILENO;
  p->setup.verbose = getenv("VERBOSE") && *getenv("VERBOSE");
  p->setup.jobs = cores > 0 ? (unsigned)cores : 1;
  grade_state state = grade_source_read(AT_FDCWD, path, &text, &size_bytes, &diag);
  if (state == GRADE_JUDGED) grade_judge_text(&p->setup, &exercise, path, text, size_bytes);
  else fprintf(stderr, "%s\n", diag.text);
  bool read = state == GRADE_JUDGED;
  int status = read                        ? status_of(&exercise)
               : state == GRADE_NOT_JUDGED ? EXIT_GRADER_ERROR
                                           : EXIT_NOT_GRADED;
  if (read && exercise.message)
    printf("%s%s: %s\n", status == EXIT_GRADER_ERROR ? "ERROR: " : "", path, exercise.message);
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
  grade_submission submission = {.student = "", .exercises = exercises, .n_exercises = p->n_plans};
  grade_report_table(stdout, &submission);
  snprintf(path, sizeof path, "%s/results.json", p->out);
  cJSON *json = grade_report_json(&submission, p->setup.seed_name);
  grade_status status = grade_report_write_json(path, json, &diag);
  cJSON_Delete(json);
  if (status) fprintf(stderr, "grade: %s\n", diag.text);
  else printf("Results: %s\n", path);
  for (size_t i = 0; i < p->n_plans; i++) grade_exercise_free(&exercises[i]);
  free(exercises);
  return status ? EXIT_NOT_GRADED : error ? EXIT_GRADER_ERROR : EXIT_GRADED;
}

// Which part of a class is judged, and what else counts.
static bool read_part(program *p, grade_class *job) {
  const grade_options *o = &p->options;
  double jobs;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (!grade_options_number("--jobs", o->jobs, 1, cores > 0 ? (double)cores : 1, &jobs) ||
      !grade_options_shard(o->shard, &job->shard, &job->n_shards) ||
      !grade_options_choice("--force", o->force, &job->fresh))
    return false;
  job->jobs = (unsigned)jobs;
  snprintf(p->merge, sizeof p->merge, "%s", o->merge ? o->merge : "");
  size_t n = 0;
  for (char *rest = p->merge, *one; n < MAX_MERGED && (one = strsep(&rest, ":"));)
    if (*one) p->merged[n++] = one;
  job->merged = p->merged;
  job->judge_nothing = o->merge != NULL;
  bool known = !o->exercise;
  for (size_t i = 0; i < p->n_plans; i++)
    known = known || strcmp(o->exercise, p->plans[i].name) == 0;
  if (!known) fprintf(stderr, "grade: there is no exercise '%s'\n", o->exercise);
  return known;
}

static void print_class(const program *p, const grade_class_result *result) {
  printf("%zu exercise%s judged, %zu had a verdict already; %zu student%s", result->n_judged,
         result->n_judged == 1 ? "" : "s", result->n_reused, result->n_students,
         result->n_students == 1 ? "" : "s");
  if (result->n_pending) printf(", %zu with exercises not judged yet", result->n_pending);
  printf(", %zu with grader errors.\nGrades: %s/grades.csv\n", result->n_grader_errors, p->out);
}

static int judge_class(program *p) {
  const grade_options *o = &p->options;
  grade_class job = {.submissions = o->submissions,
                     .unpacker = o->unpacker ? o->unpacker : GRADE_UNPACK,
                     .out = p->out,
                     .roster = o->roster,
                     .student = o->student,
                     .only = o->exercise,
                     .plans = p->plans,
                     .n_plans = p->n_plans};
  if (!read_part(p, &job)) return EXIT_NOT_GRADED;
  fprintf(stderr, "%sSandbox: %s: %s.\nSeed: %s\n",
          grade_fence_current() == GRADE_FENCE_LIMITS ? "*** UNSAFE ***\n" : "",
          grade_fence_name(grade_fence_current()), grade_fence_about(), p->setup.seed_name);
  grade_class_result result;
  grade_diag diag;
  if (grade_class_run(&job, &p->setup, &result, &diag))
    return fprintf(stderr, "grade: %s\n", diag.text), EXIT_NOT_GRADED;
  print_class(p, &result);
  return result.n_grader_errors ? EXIT_GRADER_ERROR : EXIT_GRADED;
}

int main(int argc, char **argv) {
  static program p;
  int end = grade_options_parse(&p.options, argc, argv);
  if (end) return end == 1 ? EXIT_GRADED : EXIT_NOT_GRADED;
  int status = EXIT_NOT_GRADED;
  if (prepare(&p)) {
    if (p.options.only) status = try_one(&p);
    else if (precompile(&p), read_plans(&p, p.options.names ? p.options.names : GRADE_EXERCISES))
      status = p.options.submissions ? judge_class(&p) : judge_own(&p);
  }
  clean_up(&p);
  return status;
}
