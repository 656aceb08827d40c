// SPDX-License-Identifier: MIT
// judge.c - from a submitted file to verdicts.
//
// Invariants: the submission is compiled with -ptx only, so that its host code is never even built;
// the suite gets the PTX by path; verdicts come from the suite's result file alone, never from
// output or exit status.
#define _GNU_SOURCE
#include "judge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "hash.h"
#include "includes.h"
#include "record.h"
#include "sandbox.h"
#include "source.h"
#include "text.h"

enum {
  PATH_BYTES = 4096,
  VARIABLE_BYTES = PATH_BYTES + 64,
  MAX_ENVIRONMENT = 16,
  OUTPUT_BYTES = 256 << 10,
  FILE_BYTES = 64 << 20
};

// --- environment of the programs that are run ----------------------------------------------------

typedef struct environment {
  char text[MAX_ENVIRONMENT][VARIABLE_BYTES];
  const char *list[MAX_ENVIRONMENT + 1];
  size_t n;
} environment;

static void set_variable(environment *e, const char *name, const char *value) {
  if (!value || e->n >= MAX_ENVIRONMENT) return;
  snprintf(e->text[e->n], sizeof e->text[e->n], "%s=%s", name, value);
  e->list[e->n] = e->text[e->n];
  e->list[++e->n] = NULL;
}

static void set_common(environment *e, const char *work) {
  e->n = 0;
  const char *path = getenv("PATH");
  set_variable(e, "PATH", path ? path : "/usr/bin:/bin");
  set_variable(e, "LC_ALL", "C.UTF-8");
  set_variable(e, "HOME", work);
  set_variable(e, "TMPDIR", work);
  set_variable(e, "LD_LIBRARY_PATH", getenv("LD_LIBRARY_PATH"));
  set_variable(e, "CUDA_VISIBLE_DEVICES", getenv("CUDA_VISIBLE_DEVICES"));
  set_variable(e, "ASAN_OPTIONS", getenv("ASAN_OPTIONS"));
}

static grade_limits limits_of(const grade_setup *setup, double wall_s) {
  return (grade_limits){.wall_s = wall_s,
                        .cpu_s = (unsigned)wall_s + 1,
                        .memory_bytes = setup->memory_bytes,
                        .file_bytes = FILE_BYTES,
                        .output_bytes = OUTPUT_BYTES};
}

// --- small files ---------------------------------------------------------------------------------

static bool write_file(const char *path, const char *text, size_t size_bytes) {
  FILE *file = fopen(path, "we");
  if (!file) return false;
  bool written = fwrite(text, 1, size_bytes, file) == size_bytes;
  return fclose(file) == 0 && written;
}

// The whole file, NUL-terminated, or NULL. NULs inside become '?', which no record survives.
static char *read_file(const char *path, size_t limit_bytes) {
  FILE *file = fopen(path, "re");
  char *text = file ? malloc(limit_bytes + 1) : NULL;
  size_t n = text ? fread(text, 1, limit_bytes, file) : 0;
  if (file) fclose(file);
  if (!text) return NULL;
  for (size_t i = 0; i < n; i++)
    if (!text[i]) text[i] = '?';
  text[n] = '\0';
  return text;
}

static void decide(grade_exercise *exercise, grade_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void decide(grade_exercise *exercise, grade_state state, const char *format, ...) {
  char text[2 * GRADE_TEXT_BYTES], safe[4 * GRADE_TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  grade_text_message(safe, sizeof safe, text);
  if (grade_exercise_decide(exercise, state, safe)) exercise->state = GRADE_NOT_JUDGED;
}

// --- compiling -----------------------------------------------------------------------------------

// The line of a compiler's output that says most: the first error, else the first line.
static void first_error(char *out, size_t out_bytes, const char *output) {
  const char *line = output, *found = NULL;
  for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    size_t length = strcspn(line, "\n");
    if (memmem(line, length, "error", 5)) {
      found = line;
      break;
    }
  }
  if (!found) found = output;
  snprintf(out, out_bytes, "%.*s", (int)strcspn(found, "\n"), found);
}

static void explain_compiler(grade_exercise *exercise, const grade_setup *setup,
                             const grade_run *run) {
  char line[512];
  first_error(line, sizeof line, run->output);
  if (run->end == GRADE_TIMED_OUT || (run->end == GRADE_SIGNALLED && run->code == SIGXCPU))
    decide(exercise, GRADE_NOT_COMPILED, "does not compile: the compiler was stopped after %g s",
           setup->compile_s);
  else if (run->end == GRADE_SIGNALLED)
    decide(exercise, GRADE_NOT_COMPILED,
           "does not compile: the compiler broke down (signal %d)%s%s", run->code,
           *line ? ": " : "", line);
  else
    decide(exercise, GRADE_NOT_COMPILED, "does not compile: %s",
           *line ? line : "the compiler gave no reason");
}

// Compiles [work]/`source` to [work]/module.ptx; what it has read is in [work]/module.d.
static grade_status run_compiler(const grade_setup *setup, const char *source, int forward,
                                 grade_run *run, grade_diag *diag) {
  const char *argv[GRADE_MAX_COMPILER_ARGUMENTS + 8] = {setup->compiler};
  size_t n = 1;
  for (size_t i = 0; i < GRADE_MAX_COMPILER_ARGUMENTS && setup->compiler_arguments[i]; i++)
    argv[n++] = setup->compiler_arguments[i];
  const char *const more[] = {source, "-o", "module.ptx", "-MD", "-MF", "module.d"};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) argv[n++] = more[i];
  environment *e = calloc(1, sizeof *e);
  if (!e) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  set_common(e, setup->work);
  grade_command command = {.argv = argv,
                           .environment = e->list,
                           .directory = setup->work,
                           .forward = forward,
                           .limits = limits_of(setup, setup->compile_s)};
  grade_status status = grade_sandbox_run(&command, run, diag);
  free(e);
  return status;
}

// Whether the compiler can compile anything at all: where it cannot (no clang, a full disk), a
// submission that does not compile has lost nothing. False: `diag` has what it said.
static bool compiler_works(const grade_setup *setup, grade_diag *diag) {
  static const char control[] = "extern \"C\" __global__ void control(int *out) { *out = 1; }\n";
  char path[PATH_BYTES];
  grade_run run;
  snprintf(path, sizeof path, "%s/control.cu", setup->work);
  if (!write_file(path, control, sizeof control - 1)) {
    grade_fail(diag, GRADE_IO_ERROR, "cannot write %s: %s", path, strerror(errno));
    return false;
  }
  grade_status status = run_compiler(setup, "control.cu", -1, &run, diag);
  unlink(path);
  if (status) return false;
  bool works = run.end == GRADE_EXITED && run.code == 0;
  first_error(diag->text, sizeof diag->text, run.output);
  free(run.output);
  return works;
}

// Refuses what was made of a solution, of the suites, or of another submission.
static bool check_includes(const grade_setup *setup, grade_exercise *exercise, const char *source) {
  char path[PATH_BYTES], own[PATH_MAX], found[PATH_MAX];
  snprintf(path, sizeof path, "%s/module.d", setup->work);
  char *dependencies = read_file(path, FILE_BYTES);
  snprintf(path, sizeof path, "%s/%s", setup->work, source);
  if (!dependencies || !realpath(path, own)) {
    free(dependencies);
    decide(exercise, GRADE_NOT_JUDGED, "the compiler did not say what it had read");
    return false;
  }
  bool forbidden = grade_include_forbidden(dependencies, setup->work, own, setup->forbidden,
                                           setup->allowed, found, sizeof found);
  free(dependencies);
  if (forbidden) decide(exercise, GRADE_REFUSED, "includes %s, which a submission may not", found);
  return !forbidden;
}

// Compiles [work]/NN_name.cu to [work]/module.ptx.
static bool compile(const grade_setup *setup, grade_exercise *exercise) {
  char source[GRADE_NAME_BYTES + 8];
  snprintf(source, sizeof source, "%s.cu", exercise->name);
  grade_run run;
  grade_diag diag;
  if (run_compiler(setup, source, setup->forward, &run, &diag))
    return decide(exercise, GRADE_NOT_JUDGED, "the compiler: %s", diag.text), false;
  bool compiled = run.end == GRADE_EXITED && run.code == 0;
  if (!compiled && !compiler_works(setup, &diag))
    decide(exercise, GRADE_NOT_JUDGED, "the compiler does not work: %s", diag.text);
  else if (!compiled) explain_compiler(exercise, setup, &run);
  free(run.output);
  return compiled && check_includes(setup, exercise, source);
}

// --- the suite -----------------------------------------------------------------------------------

// The base of an exercise's random inputs: public, or from the instructor's key.
static uint64_t seed_of(const grade_setup *setup, const char *exercise) {
  if (!setup->key) return setup->seed;
  grade_hash hash;
  char hex[GRADE_HEX_BYTES];
  grade_hash_begin(&hash);
  grade_hash_text(&hash, "seed 1");
  grade_hash_text(&hash, setup->key);
  grade_hash_text(&hash, exercise);
  grade_hash_end(&hash, hex);
  hex[16] = '\0';
  return strtoull(hex, NULL, 16);
}

static grade_status run_suite(const grade_setup *setup, const char *name, const char *shown,
                              bool plan, grade_run *run, grade_diag *diag) {
  char path[PATH_BYTES], module[PATH_BYTES], results[PATH_BYTES], number[32];
  if ((size_t)snprintf(path, sizeof path, "%s/%s", setup->suites, name) >= sizeof path ||
      (size_t)snprintf(module, sizeof module, "%s/module.ptx", setup->work) >= sizeof module ||
      (size_t)snprintf(results, sizeof results, "%s/results.jsonl", setup->work) >= sizeof results)
    return grade_fail(diag, GRADE_NOT_STARTED, "paths are too long");
  const char *argv[] = {path, "--suite", "exercise", plan ? "--plan" : NULL, NULL};
  environment *e = calloc(1, sizeof *e);
  if (!e) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  set_common(e, setup->work);
  set_variable(e, "WB_MODULE", module);
  set_variable(e, "WB_SOURCE", shown);
  set_variable(e, "WB_RESULTS", results);
  snprintf(number, sizeof number, "%llu", (unsigned long long)seed_of(setup, name));
  set_variable(e, "WB_SEED", number);
  snprintf(number, sizeof number, "%g", setup->check_s);
  set_variable(e, "WB_LIMIT_S", number);
  set_variable(e, "SIMT_CHECK", setup->check);
  set_variable(e, "SIMT_SCHEDULE", setup->schedule);
  grade_command command = {.argv = argv,
                           .environment = e->list,
                           .directory = setup->work,
                           .forward = plan ? -1 : setup->forward,
                           .limits = limits_of(setup, setup->suite_s)};
  grade_status status = grade_sandbox_run(&command, run, diag);
  free(e);
  return status;
}

// What the verdicts of an exercise depend on besides the submission.
static grade_status identify(const grade_setup *setup, grade_exercise *plan, const char *text,
                             grade_diag *diag) {
  char path[PATH_BYTES];
  grade_hash hash;
  grade_hash_begin(&hash);
  grade_hash_text(&hash, setup->versions);
  grade_hash_text(&hash, text);
  snprintf(path, sizeof path, "%s/%s", setup->suites, plan->name);
  if (!grade_hash_file(&hash, path))
    return grade_fail(diag, GRADE_NOT_STARTED, "cannot read %s: %s", path, strerror(errno));
  grade_hash_number(&hash, seed_of(setup, plan->name));
  grade_hash_text(&hash, setup->check);
  grade_hash_text(&hash, setup->schedule);
  grade_hash_number(&hash, setup->memory_bytes);
  const double limits[] = {setup->compile_s, setup->check_s, setup->suite_s};
  for (size_t i = 0; i < 3; i++) grade_hash_number(&hash, (uint64_t)(limits[i] * 1e6));
  grade_hash_end(&hash, plan->judge);
  return GRADE_OK;
}

grade_status grade_judge_plan(const grade_setup *setup, const char *name, grade_exercise *plan,
                              grade_diag *diag) {
  *plan = (grade_exercise){.state = GRADE_NOT_JUDGED};
  if (strlen(name) >= sizeof plan->name)
    return grade_fail(diag, GRADE_NOT_STARTED, "'%s' is too long a name", name);
  memcpy(plan->name, name, strlen(name) + 1);
  grade_run run;
  grade_status status = run_suite(setup, name, "", true, &run, diag);
  if (status) return status;
  if (run.end != GRADE_EXITED || run.code != 0 || run.output_cut)
    status = grade_fail(diag, GRADE_NOT_STARTED, "the suite of %s gives no plan: %.600s", name,
                        run.output);
  else status = grade_plan_read(plan, run.output, diag);
  if (!status && setup->versions) status = identify(setup, plan, run.output, diag);
  free(run.output);
  return status;
}

static void judge_module(const grade_setup *setup, grade_exercise *exercise, const char *shown) {
  grade_run run;
  grade_diag diag;
  if (run_suite(setup, exercise->name, shown, false, &run, &diag)) {
    decide(exercise, GRADE_NOT_JUDGED, "the suite could not be started: %s", diag.text);
    return;
  }
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/results.jsonl", setup->work);
  char *text = read_file(path, FILE_BYTES);
  // 3: the suite broke down in some checks, and its records say in which.
  bool whole = run.end == GRADE_EXITED && (run.code == 0 || run.code == 1 || run.code == 3);
  exercise->state = GRADE_JUDGED;
  grade_status status = grade_records_read(exercise, text ? text : "", &diag);
  if (status) {
    free(exercise->message);
    exercise->message = grade_copy(diag.text);
    exercise->state = GRADE_NOT_JUDGED;
  } else if (!whole) {
    char message[128];
    if (run.end == GRADE_TIMED_OUT)
      snprintf(message, sizeof message, "the suite did not end within %g s", setup->suite_s);
    else snprintf(message, sizeof message, "the suite broke down (%d)", run.code);
    exercise->message = grade_copy(message);
  }
  free(text);
  free(run.output);
}

// --- one exercise --------------------------------------------------------------------------------

// Removes every file that an exercise may leave in the work folder.
static bool empty_work(const grade_setup *setup) {
  char path[PATH_BYTES];
  static const char *const left[] = {"module.ptx", "module.d", "results.jsonl"};
  bool empty = true;
  for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
    snprintf(path, sizeof path, "%s/%s", setup->work, left[i]);
    if (unlink(path) != 0 && errno != ENOENT) empty = false;
  }
  return empty;
}

// For who waits for a verdict; a reader that has gone is no reason to stop.
static void enter_stage(const grade_setup *setup, const char *line) {
  if (setup->stages > STDERR_FILENO && write(setup->stages, line, strlen(line)) < 0) return;
}

void grade_judge_text(const grade_setup *setup, grade_exercise *exercise, const char *shown,
                      const char *text, size_t size_bytes) {
  char source[PATH_BYTES], safe[PATH_BYTES / 2];
  grade_text_safe(safe, sizeof safe, shown);
  int length = snprintf(source, sizeof source, "%s/%s.cu", setup->work, exercise->name);
  if ((size_t)length >= sizeof source || !empty_work(setup) ||
      !write_file(source, text, size_bytes)) {
    decide(exercise, GRADE_NOT_JUDGED, "the grader cannot write to %s: %s", setup->work,
           strerror(errno));
    return;
  }
  enter_stage(setup, "compiling\n");
  if (compile(setup, exercise)) {
    enter_stage(setup, "judging\n");
    judge_module(setup, exercise, safe);
  }
  unlink(source);
  empty_work(setup);
}

void grade_judge_folder(const grade_setup *setup, grade_exercise *exercise, int folder,
                        const char *label) {
  char file[GRADE_NAME_BYTES + 8], shown[PATH_BYTES], *text = NULL;
  size_t size_bytes = 0;
  grade_diag diag;
  snprintf(file, sizeof file, "%s.cu", exercise->name);
  snprintf(shown, sizeof shown, "%s%s", label, file);
  grade_state state = grade_source_read(folder, file, &text, &size_bytes, &diag);
  if (state == GRADE_JUDGED) grade_judge_text(setup, exercise, shown, text, size_bytes);
  else decide(exercise, state, "%s", diag.text);
  free(text);
}
