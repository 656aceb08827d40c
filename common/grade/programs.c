// SPDX-License-Identifier: MIT
// programs.c - how compiler and suite are called: arguments, environment, limits, and the few files
// of the work folder through which they talk.
#define _GNU_SOURCE
#include "programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fence.h"

enum {
  VARIABLE_BYTES = GRADE_PATH_BYTES + 64,
  MAX_ENVIRONMENT = 28,
  MAX_READABLE = 16,
  MAX_MORE = 8,
  SWEPT_THREADS = 1024,
  TREE_FACTOR = 6,
  OUTPUT_BYTES = 256 << 10
};

// --- small files ---------------------------------------------------------------------------------

bool grade_work_write(const char *path, const char *text, size_t size_bytes) {
  FILE *file = fopen(path, "we");
  if (!file) return false;
  bool written = fwrite(text, 1, size_bytes, file) == size_bytes;
  return fclose(file) == 0 && written;
}

// The whole file, NUL-terminated, or NULL. NULs inside become '?', which no record survives.
char *grade_work_read(const char *path, size_t limit_bytes) {
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

// Removes every file that an exercise may leave in the work folder.
bool grade_work_empty(const grade_setup *setup) {
  char path[GRADE_PATH_BYTES];
  static const char *const left[] = {
      "module.ptx",  "module.d",    "results.jsonl", "solution.counts", "output.txt",
      "report.html", "tried_0.cu",  "tried_0.ptx",   "tried_0.txt",     "tried_1.cu",
      "tried_1.ptx", "tried_1.txt", "tried_2.cu",    "tried_2.ptx",     "tried_2.txt",
      "tried_3.cu",  "tried_3.ptx", "tried_3.txt"};
  bool empty = true;
  for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
    snprintf(path, sizeof path, "%s/%s", setup->work, left[i]);
    if (unlink(path) != 0 && errno != ENOENT) empty = false;
  }
  return empty;
}

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
  work = grade_fence_inside(work);
  e->n = 0;
  const char *path = getenv("PATH");
  set_variable(e, "PATH", path ? path : "/usr/bin:/bin");
  set_variable(e, "LC_ALL", "C.UTF-8");
  set_variable(e, "SOURCE_DATE_EPOCH", "0"); // __DATE__ and __TIME__ are the same every time
  set_variable(e, "HOME", work);
  set_variable(e, "TMPDIR", work);
  set_variable(e, "TEMP", work); // Check asks for this one
  set_variable(e, "LD_LIBRARY_PATH", getenv("LD_LIBRARY_PATH"));
  set_variable(e, "CUDA_VISIBLE_DEVICES", getenv("CUDA_VISIBLE_DEVICES"));
  set_variable(e, "ASAN_OPTIONS", getenv("ASAN_OPTIONS"));
}

// What counts is the processor's time, of which a busy machine takes none away. As long may it wait
// for nothing; and however many processes it makes, together they have TREE_FACTOR times as much.
static grade_limits limits_of(const grade_setup *setup, double limit_s) {
  const unsigned cpu_s = (unsigned)limit_s + 1;
  return (grade_limits){.idle_s = limit_s,
                        .cpu_s = cpu_s,
                        .all_cpu_s = TREE_FACTOR * cpu_s,
                        .memory_bytes = setup->memory_bytes,
                        .file_bytes = GRADE_RESULT_BYTES,
                        .output_bytes = OUTPUT_BYTES};
}

// --- the programs ------------------------------------------------------------------------------

// A compiler that is not the system's: /opt/NAME for a /opt/NAME/bin on the search path.
static void add_toolchains(const char *readable[MAX_READABLE], size_t n,
                           char text[GRADE_PATH_BYTES]) {
  static const char *const roots[] = {"/opt/", "/nix/"};
  const char *path = getenv("PATH");
  snprintf(text, GRADE_PATH_BYTES, "%s", path ? path : "");
  for (char *rest = text, *one; n + 1 < MAX_READABLE && (one = strsep(&rest, ":"));) {
    size_t length = strlen(one);
    bool known = false;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
      known = known || strncmp(one, roots[i], strlen(roots[i])) == 0;
    if (!known || length < 5 || strcmp(one + length - 4, "/bin") != 0 || strstr(one, "/.."))
      continue;
    one[length - 4] = '\0';
    readable[n++] = one;
  }
  readable[n] = NULL;
}

// The folder of simtcc's parts: beside it, or where they are installed. False: there is none.
static bool find_parts(const char *compiler, char parts[GRADE_PATH_BYTES]) {
  static const char *const places[] = {"compiler", "../share/simt/compiler"}; // as simtcc's own
  const char *name = strrchr(compiler, '/');
  struct stat info;
  for (size_t i = 0; name && i < sizeof places / sizeof *places; i++) {
    int length =
        snprintf(parts, GRADE_PATH_BYTES, "%.*s/%s", (int)(name - compiler), compiler, places[i]);
    if (length < GRADE_PATH_BYTES && stat(parts, &info) == 0 && S_ISDIR(info.st_mode)) return true;
  }
  return false;
}

bool grade_hash_compiler(const grade_setup *setup, grade_hash *hash) {
  char parts[GRADE_PATH_BYTES];
  return grade_hash_file(hash, setup->compiler) &&
         (!find_parts(setup->compiler, parts) || grade_hash_folder(hash, parts)) &&
         (!*setup->headers || grade_hash_folder(hash, setup->headers));
}

// Memory for the names of what the compiler reads.
typedef struct compiler_names {
  char paths[GRADE_PATH_BYTES], parts[GRADE_PATH_BYTES], toolchains[GRADE_PATH_BYTES];
} compiler_names;

// What the compiler reads besides the system's own, from readable[n] on.
static void add_compiler(const grade_setup *setup, const char *readable[MAX_READABLE], size_t n,
                         compiler_names *names) {
  readable[n++] = setup->compiler;
  if (setup->headers && *setup->headers) readable[n++] = setup->headers;
  if (setup->precompiled) readable[n++] = setup->precompiled;
  if (snprintf(names->paths, GRADE_PATH_BYTES, "%s.paths", setup->compiler) < GRADE_PATH_BYTES &&
      access(names->paths, F_OK) == 0) // where a build folder's simtcc finds headers and library
    readable[n++] = names->paths;
  if (find_parts(setup->compiler, names->parts)) readable[n++] = names->parts;
  add_toolchains(readable, n, names->toolchains);
}

// Runs the compiler in the work folder with `more` (NULL-terminated) behind its usual arguments.
static grade_status run_compiler(const grade_setup *setup, const char *const more[], int forward,
                                 grade_run *run, grade_diag *diag) {
  const char *argv[GRADE_MAX_COMPILER_ARGUMENTS + MAX_MORE + 2] = {setup->compiler};
  size_t n = 1;
  for (size_t i = 0; i < GRADE_MAX_COMPILER_ARGUMENTS && setup->compiler_arguments[i]; i++)
    argv[n++] = setup->compiler_arguments[i];
  for (size_t i = 0; i < MAX_MORE && more[i]; i++) argv[n++] = more[i];
  compiler_names names;
  const char *readable[MAX_READABLE];
  add_compiler(setup, readable, 0, &names);
  environment *e = calloc(1, sizeof *e);
  if (!e) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  set_common(e, setup->work);
  grade_command command = {.argv = argv,
                           .environment = e->list,
                           .directory = setup->work,
                           .fenced = true,
                           .readable = readable,
                           .forward = forward,
                           .limits = limits_of(setup, setup->compile_s)};
  grade_status status = grade_sandbox_run(&command, run, diag);
  free(e);
  return status;
}

grade_status grade_run_compiler(const grade_setup *setup, const char *source, int forward,
                                grade_run *run, grade_diag *diag) {
  const char *more[MAX_MORE + 1] = {source, "-o", "module.ptx", "-MD", "-MF", "module.d"};
  if (setup->precompiled) {
    more[6] = "-include-pch";
    more[7] = setup->precompiled;
  }
  return run_compiler(setup, more, forward, run, diag);
}

bool grade_precompile(const grade_setup *setup, char path[GRADE_PATH_BYTES]) {
  static const char *const more[MAX_MORE + 1] = {"-emit-pch", "-o", "headers.pch"};
  grade_run run = {.output = NULL};
  grade_diag diag;
  if (!grade_path(path, setup->work, "headers", ".pch") ||
      run_compiler(setup, more, -1, &run, &diag))
    return false;
  free(run.output);
  return run.end == GRADE_EXITED && run.code == 0 && access(path, R_OK) == 0;
}

// The base of an exercise's random inputs: public, or from the instructor's key.
uint64_t grade_seed_of(const grade_setup *setup, const char *exercise) {
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

bool grade_path(char out[GRADE_PATH_BYTES], const char *folder, const char *name,
                const char *ending) {
  return (size_t)snprintf(out, GRADE_PATH_BYTES, "%s/%s%s", folder, name, ending) <
         GRADE_PATH_BYTES;
}

bool grade_has_rubric(const grade_setup *setup, const char *exercise, char path[GRADE_PATH_BYTES]) {
  return setup->rubrics && grade_path(path, setup->rubrics, exercise, ".rubric") &&
         access(path, F_OK) == 0;
}

// The solution lies beside its rubric.
static bool has_right_program(const grade_setup *setup, const char *exercise,
                              char path[GRADE_PATH_BYTES]) {
  return setup->rubrics && grade_path(path, setup->rubrics, exercise, ".cu") &&
         access(path, F_OK) == 0;
}

// The environment of a suite, besides what all programs get. It runs in the work folder, whose name
// must not reach what it says. False: a path is too long.
static bool set_for_suite(environment *e, const grade_setup *setup, const grade_suite_call *call) {
  char path[GRADE_PATH_BYTES], number[32];
  set_variable(e, "WB_MODULE", "module.ptx");
  set_variable(e, "WB_SOURCE", call->shown);
  set_variable(e, "WB_RESULTS", "results.jsonl");
  snprintf(number, sizeof number, "%llu", (unsigned long long)grade_seed_of(setup, call->exercise));
  set_variable(e, "WB_SEED", number);
  snprintf(number, sizeof number, "%g", setup->check_s);
  set_variable(e, "WB_LIMIT_S", number);
  snprintf(number, sizeof number, "%g", setup->suite_s);
  set_variable(e, "WB_SUITE_S", number);
  if (grade_has_rubric(setup, call->exercise, path)) set_variable(e, "WB_RUBRIC", path);
  if (call->mode == GRADE_SUITE_RECORD) {
    set_variable(e, "WB_COUNTS_OUT", "solution.counts");
    return true;
  }
  bool fits = !*call->counts || grade_path(path, setup->counts, call->counts, ".counts");
  if (*call->counts) set_variable(e, "WB_COUNTS", path);
  snprintf(path, sizeof path, "%s.cu", call->exercise);
  set_variable(e, "SIMT_SOURCE", path); // reports quote nothing else, whatever #line says
  if (setup->keep && call->mode == GRADE_SUITE_JUDGE) {
    set_variable(e, "WB_OUTPUT", "output.txt");
    set_variable(e, "WB_REPORT", "report.html");
    if (has_right_program(setup, call->exercise, path)) set_variable(e, "WB_RIGHT", path);
    set_variable(e, "WB_COMPILER", setup->compiler);
    set_variable(e, "WB_WARNINGS", "warnings.txt");
  }
  if (setup->verbose) set_variable(e, "WB_VERBOSE", "1");
  snprintf(number, sizeof number, "%u", setup->jobs ? setup->jobs : 1);
  set_variable(e, "WB_JOBS", number);
  set_variable(e, "SIMT_CHECK", setup->check);
  set_variable(e, "SIMT_SCHEDULE", setup->schedule);
  snprintf(number, sizeof number, "%d", SWEPT_THREADS); // other orders on small launches: enough
  set_variable(e, "SIMT_SWEEP_MAX_THREADS", number);
  return fits;
}

grade_status grade_run_suite(const grade_setup *setup, const grade_suite_call *call, grade_run *run,
                             grade_diag *diag) {
  char path[GRADE_PATH_BYTES];
  const char *argv[8] = {path, "--suite", "exercise"};
  size_t n_words = 3;
  if (call->mode == GRADE_SUITE_PLAN) argv[n_words++] = "--plan";
  if (setup->one && call->mode != GRADE_SUITE_RECORD) {
    argv[n_words++] = "--only";
    argv[n_words++] = setup->one;
  }
  environment *e = calloc(1, sizeof *e);
  if (!e) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  set_common(e, setup->work);
  bool fits = grade_path(path, setup->suites, call->exercise, "") && set_for_suite(e, setup, call);
  char rubric[GRADE_PATH_BYTES], counts[GRADE_PATH_BYTES], right[GRADE_PATH_BYTES];
  compiler_names names;
  const char *readable[MAX_READABLE] = {path};
  size_t n = 1;
  if (grade_has_rubric(setup, call->exercise, rubric)) readable[n++] = rubric;
  if (setup->keep && has_right_program(setup, call->exercise, right)) readable[n++] = right;
  if (*call->counts && grade_path(counts, setup->counts, call->counts, ".counts"))
    readable[n++] = counts;
  readable[n] = NULL;
  if (setup->keep && call->mode == GRADE_SUITE_JUDGE) // it tries changes of the judged program
    add_compiler(setup, readable, n, &names);
  grade_command command = {.argv = argv,
                           .environment = e->list,
                           .directory = setup->work,
                           .fenced = true,
                           .readable = readable,
                           .forward = call->mode == GRADE_SUITE_JUDGE ? setup->forward : -1,
                           .limits = limits_of(setup, setup->suite_s)};
  grade_status status = fits ? grade_sandbox_run(&command, run, diag)
                             : grade_fail(diag, GRADE_NOT_STARTED, "paths are too long");
  free(e);
  return status;
}
