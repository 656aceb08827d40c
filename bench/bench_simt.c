// SPDX-License-Identifier: MIT
// bench_simt.c - `make bench-simt`: how fast the software GPU runs two kernels, with and without
// its checkers, beside Oclgrind and PoCL on the same machine in the same minutes. Usage: bench_simt
// [--rounds R] [--quick] [-o simt.json]
//
// Every measurement runs in a process of its own (so that its peak memory is its own) and reports
// the host time of one launch, with data in place and code compiled. Rounds interleave the
// contestants; medians are printed with their lowest and highest value. Work per element is the
// same for all, n is not: each contestant runs as many elements as take it about a second.
#define _DEFAULT_SOURCE
#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef BENCH_KERNELS_CL
#define BENCH_KERNELS_CL "bench/kernels.cl"
#endif

enum { MAX_ROUNDS = 15, N_KERNELS = 2, PATH_BYTES = 4096, NO_PLATFORM = 3, NO_PROGRAM = 127 };

typedef enum contestant_id {
  SIMT_ON,
  SIMT_ONE_CORE,
  SIMT_OFF,
  SIMT_CHECK_NONE,
  SIMT_RACECHECK,
  SIMT_RACECHECK_ONE_CORE,
  SIMT_CHECK_ALL,
  SIMT_CHECK_ALL_ONE_CORE,
  OCLGRIND,
  OCLGRIND_RACES,
  POCL,
  N_CONTESTANTS
} contestant_id;

enum { MAX_SETTINGS = 2, MAX_WRAPPER = 3 };

typedef struct contestant {
  const char *name, *regime;
  const char *platform;                   // OpenCL platform, or NULL: the software GPU
  const char *wrapper[MAX_WRAPPER];       // command that goes in front, NULL-terminated
  const char *settings[MAX_SETTINGS + 1]; // environment, "NAME=value", NULL-terminated
  uint32_t log2_n[N_KERNELS];
} contestant;

static const char *const kernels[N_KERNELS] = {"tree", "grid_stride"};
#define SIMT "software GPU"
#define ONE_CORE "SIMT_THREADS=1"
static const contestant contestants[N_CONTESTANTS] = {
    [SIMT_ON] = {SIMT, "counters on", .log2_n = {23, 25}},
    [SIMT_ONE_CORE] = {SIMT, "counters on, 1 core", .settings = {ONE_CORE}, .log2_n = {23, 25}},
    [SIMT_OFF] = {SIMT, "counters off", .settings = {"SIMT_COUNTERS=0"}, .log2_n = {23, 25}},
    [SIMT_CHECK_NONE] = {SIMT, "SIMT_CHECK=none", .settings = {"SIMT_CHECK=none"},
                         .log2_n = {23, 25}},
    [SIMT_RACECHECK] = {SIMT, "racecheck", .settings = {"SIMT_CHECK=racecheck"},
                        .log2_n = {21, 23}},
    [SIMT_RACECHECK_ONE_CORE] = {SIMT, "racecheck, 1 core",
                                 .settings = {"SIMT_CHECK=racecheck", ONE_CORE},
                                 .log2_n = {21, 23}},
    [SIMT_CHECK_ALL] = {SIMT, "all checkers", .settings = {"SIMT_CHECK=all"}, .log2_n = {20, 22}},
    [SIMT_CHECK_ALL_ONE_CORE] = {SIMT, "all checkers, 1 core",
                                 .settings = {"SIMT_CHECK=all", ONE_CORE}, .log2_n = {20, 22}},
    [OCLGRIND] = {"Oclgrind", "interpreter", "oclgrind", {"oclgrind"}, .log2_n = {18, 20}},
    [OCLGRIND_RACES] =
        {"Oclgrind", "--data-races", "oclgrind", {"oclgrind", "--data-races"}, .log2_n = {16, 18}},
    [POCL] = {"PoCL", "compiled, no counts", "portable computing", .log2_n = {24, 25}},
};

// What a checker costs: one regime against another, round by round, so that other load on the
// machine affects both.
typedef struct cost {
  const char *key, *about;
  contestant_id checked, plain;
} cost;

static const cost costs[] = {
    {"check_none", "SIMT_CHECK=none against unset", SIMT_CHECK_NONE, SIMT_ON},
    {"racecheck_one_core", "racecheck, both on 1 core", SIMT_RACECHECK_ONE_CORE, SIMT_ONE_CORE},
    {"racecheck", "racecheck against the default", SIMT_RACECHECK, SIMT_ON},
    {"all_checkers_one_core", "all checkers, both on 1 core", SIMT_CHECK_ALL_ONE_CORE,
     SIMT_ONE_CORE},
    {"all_checkers", "all checkers against the default", SIMT_CHECK_ALL, SIMT_ON},
    {"oclgrind_races", "Oclgrind's --data-races", OCLGRIND_RACES, OCLGRIND},
};
enum { N_COSTS = sizeof costs / sizeof *costs };

typedef struct result {
  uint32_t n;
  unsigned n_samples;
  double elements_per_s[MAX_ROUNDS];
  double warp_instructions;
  uint64_t peak_rss_bytes;
  bool is_missing, is_wrong;
} result;

static char program_dir[PATH_BYTES];

// The child's side of run_once: never returns.
static void become(const contestant *c, const char *kernel, uint32_t n, int out) {
  char program[PATH_BYTES + 32], number[16];
  snprintf(program, sizeof program, "%s/%s", program_dir,
           c->platform ? "bench_opencl" : "bench_simt_kernels");
  snprintf(number, sizeof number, "%u", n);
  for (size_t i = 0; c->settings[i] != NULL; i++) putenv((char *)(uintptr_t)c->settings[i]);
  dup2(out, STDOUT_FILENO);
  const char *argv[MAX_WRAPPER + 6];
  int argc = 0;
  for (int i = 0; i < MAX_WRAPPER && c->wrapper[i] != NULL; i++) argv[argc++] = c->wrapper[i];
  argv[argc++] = program;
  if (c->platform != NULL) argv[argc++] = c->platform;
  argv[argc++] = kernel;
  argv[argc++] = number;
  if (c->platform != NULL) argv[argc++] = BENCH_KERNELS_CL;
  argv[argc] = NULL;
  execvp(argv[0], (char *const *)argv);
  _exit(NO_PROGRAM);
}

// Runs one process; returns its JSON (to be deleted) or NULL. `status` is its exit status.
static cJSON *run_once(const contestant *c, const char *kernel, uint32_t n, uint64_t *rss_bytes,
                       int *status) {
  char text[4096];
  size_t size = 0;
  int pipe_fds[2];
  struct rusage usage;
  if (pipe(pipe_fds) != 0) return NULL;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) become(c, kernel, n, pipe_fds[1]);
  close(pipe_fds[1]);
  for (ssize_t got; size < sizeof text - 1 &&
                    (got = read(pipe_fds[0], text + size, sizeof text - 1 - size)) > 0;)
    size += (size_t)got;
  close(pipe_fds[0]);
  text[size] = '\0';
  int raw = 0;
  if (child < 0 || wait4(child, &raw, 0, &usage) != child) return NULL;
  *status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128;
  *rss_bytes = (uint64_t)usage.ru_maxrss * 1024u;
  return cJSON_Parse(text);
}

static void measure(const contestant *c, size_t kernel, bool quick, result *r) {
  uint64_t rss_bytes = 0;
  int status = 1;
  r->n = 1u << (c->log2_n[kernel] - (quick ? 3 : 0));
  if (r->is_missing) return;
  cJSON *json = run_once(c, kernels[kernel], r->n, &rss_bytes, &status);
  const cJSON *seconds = cJSON_GetObjectItem(json, "seconds");
  const cJSON *instructions = cJSON_GetObjectItem(json, "warp_instructions");
  if (c->platform != NULL && (status == NO_PLATFORM || status == NO_PROGRAM)) r->is_missing = true;
  else if (status != 0 || !cJSON_IsNumber(seconds)) r->is_wrong = true;
  else r->elements_per_s[r->n_samples++] = r->n / seconds->valuedouble;
  if (cJSON_IsNumber(instructions)) r->warp_instructions = instructions->valuedouble;
  if (rss_bytes > r->peak_rss_bytes) r->peak_rss_bytes = rss_bytes;
  cJSON_Delete(json);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double middle_of(const double *sorted, unsigned n) {
  if (n == 0) return 0.0;
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0;
}

// 0 when nothing was measured. Sorts the samples.
static double median(result *r) {
  qsort(r->elements_per_s, r->n_samples, sizeof r->elements_per_s[0], by_value);
  return middle_of(r->elements_per_s, r->n_samples);
}

// How many times slower the checked regime was in each round, sorted; before median() sorts the
// samples. Returns the number of rounds, 0 when either was not measured.
static unsigned slowdowns(const cost *k, const result results[N_CONTESTANTS],
                          double out[MAX_ROUNDS]) {
  const result *checked = &results[k->checked], *plain = &results[k->plain];
  unsigned n = checked->n_samples < plain->n_samples ? checked->n_samples : plain->n_samples;
  for (unsigned i = 0; i < n; i++) out[i] = plain->elements_per_s[i] / checked->elements_per_s[i];
  qsort(out, n, sizeof out[0], by_value);
  return n;
}

static void report_costs(cJSON *object, size_t kernel, const result results[N_CONTESTANTS]) {
  for (size_t i = 0; i < N_COSTS; i++) {
    double times[MAX_ROUNDS];
    unsigned n = slowdowns(&costs[i], results, times);
    if (n == 0) {
      cJSON_AddNullToObject(object, costs[i].key);
      continue;
    }
    cJSON *one = cJSON_AddObjectToObject(object, costs[i].key);
    cJSON_AddNumberToObject(one, "times_slower", middle_of(times, n));
    cJSON_AddNumberToObject(one, "lowest", times[0]);
    cJSON_AddNumberToObject(one, "highest", times[n - 1]);
    printf("%-12s %-34s %6.2f x slower   %.2f - %.2f\n", kernels[kernel], costs[i].about,
           middle_of(times, n), times[0], times[n - 1]);
  }
}

static void print_row(size_t kernel, const contestant *c, result *r) {
  double m = median(r);
  printf("%-12s %9u  %-13s %-20s ", kernels[kernel], r->n, c->name, c->regime);
  if (r->is_missing) printf("not installed\n");
  else if (m <= 0.0) printf("failed\n");
  else
    printf("%8.2f  %8.2f - %.2f\n", m / 1e6, r->elements_per_s[0] / 1e6,
           r->elements_per_s[r->n_samples - 1] / 1e6);
}

static void add_rival(cJSON *object, const char *name, result *rival, double own) {
  char key[64];
  double m = median(rival);
  snprintf(key, sizeof key, "%s_elements_per_s", name);
  if (m > 0.0) cJSON_AddNumberToObject(object, key, m);
  else cJSON_AddNullToObject(object, key);
  snprintf(key, sizeof key, "ratio_%s", name);
  if (m > 0.0) cJSON_AddNumberToObject(object, key, own / m);
  else cJSON_AddNullToObject(object, key);
  snprintf(key, sizeof key, "%s_n", name);
  cJSON_AddNumberToObject(object, key, rival->n);
}

// Adds the kernel's object to `list` and prints what follows from it.
static void report(cJSON *list, cJSON *object, size_t kernel, result results[N_CONTESTANTS]) {
  result *on = &results[SIMT_ON];
  double own = median(on), one = median(&results[SIMT_ONE_CORE]), off = median(&results[SIMT_OFF]);
  double per_element = on->n != 0 ? on->warp_instructions / on->n : 0.0;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  cJSON_AddStringToObject(object, "kernel", kernels[kernel]);
  cJSON_AddNumberToObject(object, "n", on->n);
  cJSON_AddNumberToObject(object, "elements_per_s", own);
  cJSON_AddNumberToObject(object, "warp_instructions_per_s", own * per_element);
  cJSON_AddNumberToObject(object, "peak_rss_bytes", (double)on->peak_rss_bytes);
  add_rival(object, "oclgrind", &results[OCLGRIND], own);
  add_rival(object, "pocl", &results[POCL], own);
  cJSON_AddNumberToObject(object, "warp_instructions_per_s_one_core", one * per_element);
  cJSON_AddNumberToObject(object, "one_core_elements_per_s", one);
  cJSON_AddNumberToObject(object, "counters_off_elements_per_s", off);
  cJSON_AddNumberToObject(object, "counters_off_over_on", own > 0.0 ? off / own : 0.0);
  cJSON_AddNumberToObject(object, "host_cores", (double)cores);
  cJSON_AddNumberToObject(object, "rounds", on->n_samples);
  cJSON_AddItemToArray(list, object);
  double oclgrind = median(&results[OCLGRIND]), pocl = median(&results[POCL]);
  printf("%-12s %.1f M warp instructions/s (%.1f M on one core), peak memory %.0f MiB, counters "
         "off %.2fx\n",
         kernels[kernel], own * per_element / 1e6, one * per_element / 1e6,
         (double)on->peak_rss_bytes / 1048576.0, own > 0.0 ? off / own : 0.0);
  if (oclgrind > 0.0) printf("%-12s %.1f x Oclgrind\n", "", own / oclgrind);
  if (pocl > 0.0) printf("%-12s %.3f x PoCL\n", "", own / pocl);
}

static bool write_json(const cJSON *list, const char *path) {
  char *text = cJSON_Print(list);
  FILE *file = fopen(path, "w");
  bool ok = text != NULL && file != NULL && fputs(text, file) >= 0 && fputc('\n', file) != EOF;
  if (file != NULL && fclose(file) != 0) ok = false;
  free(text);
  return ok;
}

static void find_program_dir(const char *argv0) {
  snprintf(program_dir, sizeof program_dir, "%s", argv0);
  char *slash = strrchr(program_dir, '/');
  if (slash != NULL) *slash = '\0';
  else snprintf(program_dir, sizeof program_dir, ".");
}

// Measures all contestants in turn, `rounds` times, and prints the table and, into objects[], what
// the checkers cost. True when all is right.
static bool run_rounds(unsigned rounds, bool quick, result results[N_KERNELS][N_CONTESTANTS],
                       cJSON *objects[N_KERNELS]) {
  bool is_right = true;
  for (unsigned round = 0; round < rounds; round++) {
    fprintf(stderr, "round %u of %u\r", round + 1, rounds);
    for (size_t k = 0; k < N_KERNELS; k++)
      for (size_t c = 0; c < N_CONTESTANTS; c++) measure(&contestants[c], k, quick, &results[k][c]);
  }
  for (size_t k = 0; k < N_KERNELS; k++) report_costs(objects[k], k, results[k]);
  printf(
      "\nkernel               n  device        regime               Melem/s      lowest - highest "
      "of %u\n",
      rounds);
  for (size_t k = 0; k < N_KERNELS; k++) {
    for (size_t c = 0; c < N_CONTESTANTS; c++) {
      print_row(k, &contestants[c], &results[k][c]);
      is_right = is_right && !results[k][c].is_wrong;
    }
  }
  return is_right;
}

typedef struct options {
  const char *path;
  unsigned rounds;
  bool quick;
} options;

static bool parse_options(options *o, int argc, char **argv) {
  static const struct option known[] = {{"rounds", required_argument, NULL, 'r'},
                                        {"quick", no_argument, NULL, 'q'},
                                        {NULL, 0, NULL, 0}};
  *o = (options){.path = "simt.json", .rounds = 5};
  for (int c; (c = getopt_long(argc, argv, "o:", known, NULL)) != -1;) {
    if (c == 'o') o->path = optarg;
    else if (c == 'q') o->quick = true;
    else if (c == 'r') o->rounds = (unsigned)strtoul(optarg, NULL, 10);
    else return false; // getopt_long has said why
  }
  if (o->rounds < 1) o->rounds = 1;
  if (o->rounds > MAX_ROUNDS) o->rounds = MAX_ROUNDS;
  return optind >= argc;
}

int main(int argc, char **argv) {
  static result results[N_KERNELS][N_CONTESTANTS];
  options o;
  if (!parse_options(&o, argc, argv))
    return fprintf(stderr, "usage: %s [--rounds R] [--quick] [-o FILE.json]\n", argv[0]), 2;
  find_program_dir(argv[0]);
  cJSON *list = cJSON_CreateArray(), *objects[N_KERNELS], *checker_costs[N_KERNELS];
  for (size_t k = 0; k < N_KERNELS; k++) {
    objects[k] = cJSON_CreateObject();
    checker_costs[k] = cJSON_CreateObject();
  }
  bool is_right = run_rounds(o.rounds, o.quick, results, checker_costs);
  for (size_t k = 0; k < N_KERNELS; k++) {
    report(list, objects[k], k, results[k]);
    cJSON_AddItemToObject(objects[k], "checkers", checker_costs[k]);
  }
  bool is_written = write_json(list, o.path);
  cJSON_Delete(list);
  if (!is_written) fprintf(stderr, "%s: cannot write %s\n", argv[0], o.path);
  else printf("written: %s\n", o.path);
  return is_right && is_written ? 0 : 1;
}
