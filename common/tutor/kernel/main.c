// SPDX-License-Identifier: MIT
// main.c - the program `run_kernel`: launches kernels of a PTX module on the software GPU and
// prints what they cost, as JSON. It needs no launch code, so that an exercise's kernels can be
// counted, and traced, as they are.
//
//   run_kernel MODULE.ptx [--trace FILE] [--steps N] LAUNCH [-- LAUNCH]...
//   LAUNCH: KERNEL GRID BLOCK SHARED_BYTES ARGUMENT...          (buffers.h)
//
// --trace: every step of the first block of the first launch, at most N, and races (recorder.h).
// Out: {"launches": [{"kernel", "grid", "block", "modelled_ms", "counters": {...}}],
//       "fault": null or {"kernel", "kind", "file", "line", "text"}}
// Exit: 0 all ran to their end, 1 a fault, 2 wrong use or a module that cannot be loaded.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "buffers.h"
#include "recorder.h"

enum { EXIT_RAN = 0, EXIT_FAULT = 1, EXIT_NOT_RUN = 2 };
enum { FILE_LIMIT_BYTES = 64 << 20, DEFAULT_STEPS = 4000, MAX_WARP_INSTRUCTIONS = 2000000 };

typedef struct program {
  simt_engine *gpu;
  simt_module *module;
  tutor_arguments arguments;
  FILE *trace; // or NULL
  uint32_t n_steps;
  unsigned n_launches;
} program;

static void put(void *file, const char *text, size_t n_bytes) { fwrite(text, 1, n_bytes, file); }
static simt_sink to_stdout(void) { return (simt_sink){put, stdout}; }

static char *read_file(const char *path, size_t *n_bytes) {
  FILE *file = fopen(path, "r");
  char *text = file ? malloc(FILE_LIMIT_BYTES) : NULL;
  *n_bytes = text ? fread(text, 1, FILE_LIMIT_BYTES, file) : 0;
  if (file) fclose(file);
  return text;
}

static bool number(const char *text, uint32_t *value) {
  char *end = NULL;
  unsigned long n = strtoul(text, &end, 10);
  *value = (uint32_t)n;
  return end != text && !*end && n <= UINT32_MAX;
}

// --- output --------------------------------------------------------------------------------------

static void print_launch(const program *p, const simt_launch *launch, const char *kernel) {
  simt_sink out = to_stdout();
  printf("%s\n {\"kernel\": ", p->n_launches ? "," : "{\"launches\": [");
  simt_json_string(&out, kernel);
  printf(", \"grid\": %u, \"block\": %u, \"modelled_ms\": %.9g, \"counters\": {", launch->grid[0],
         launch->block[0], simt_engine_last_ms(p->gpu));
  for (size_t i = 0; simt_counter_name(i); i++)
    printf("%s\"%s\": %llu", i ? ", " : "", simt_counter_name(i),
           (unsigned long long)simt_counter_value(simt_engine_last(p->gpu), i));
  printf("}}");
}

static void print_end(const program *p, const simt_fault_info *fault, const char *text) {
  simt_sink out = to_stdout();
  printf("%s],\n\"fault\": ", p->n_launches ? "" : "{\"launches\": [");
  if (!fault) {
    puts("null}");
    return;
  }
  printf("{\"kernel\": ");
  simt_json_string(&out, fault->kernel);
  printf(", \"kind\": \"%s\", \"line\": %u, \"file\": ", simt_fault_name(fault->kind), fault->line);
  simt_json_string(&out, fault->file);
  printf(", \"text\": ");
  simt_json_string(&out, text);
  puts("}}");
}

// --- running -------------------------------------------------------------------------------------

static int refuse(const simt_diag *diag) {
  fprintf(stderr, "run_kernel: %s\n", diag->text);
  return EXIT_NOT_RUN;
}

// Runs the launch, which `r` records unless it is NULL.
static int run_recorded(program *p, const simt_launch *launch, const char *kernel, recorder *r) {
  simt_run *running;
  simt_diag diag = {0};
  if (simt_run_begin(&running, p->gpu, launch, p->arguments.pointers, p->arguments.n_values, &diag))
    return refuse(&diag);
  if (r) recorder_run(r, running);
  simt_run_advance(running, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  bool faulted = simt_run_state(running) == SIMT_EXECUTION_FAULTED;
  simt_fault_info fault = simt_run_fault(running)->info;
  if (faulted) diag = *simt_run_diag(running);
  simt_run_end(running);
  if (r) recorder_end(r, simt_engine_findings(p->gpu));
  if (faulted) {
    print_end(p, &fault, diag.text);
    return EXIT_FAULT;
  }
  print_launch(p, launch, kernel);
  p->n_launches++;
  return EXIT_RAN;
}

static int run(program *p, const simt_launch *launch, const char *kernel) {
  if (!p->trace || p->n_launches > 0) return run_recorded(p, launch, kernel, NULL);
  const simt_sink to_trace = {put, p->trace};
  recorder *r = recorder_create(&to_trace, 0, p->n_steps);
  if (!r) return fputs("run_kernel: no memory is left for a trace\n", stderr), EXIT_NOT_RUN;
  simt_observer *observer = recorder_observer(r);
  simt_launch recorded = *launch;
  recorded.observers = &observer;
  recorded.n_observers = 1;
  const int status = run_recorded(p, &recorded, kernel, r);
  recorder_destroy(r);
  return status;
}

// One launch of [n] words.
static int launch_words(program *p, char **words, int n) {
  simt_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .n_host_threads = 1};
  uint32_t shared_bytes;
  simt_diag diag = {0};
  launch.max_warp_instructions = MAX_WARP_INSTRUCTIONS;
  if (n < 4 || !number(words[1], &launch.grid[0]) || !number(words[2], &launch.block[0]) ||
      !number(words[3], &shared_bytes))
    return fputs("run_kernel: a launch is KERNEL GRID BLOCK SHARED_BYTES ARGUMENT...\n", stderr),
           EXIT_NOT_RUN;
  launch.dynamic_shared_bytes = shared_bytes;
  launch.kernel = simt_module_kernel(p->module, words[0]);
  if (!launch.kernel)
    return fprintf(stderr, "run_kernel: the module has no kernel '%s'\n", words[0]), EXIT_NOT_RUN;
  p->arguments.n_values = 0;
  for (int i = 4; i < n; i++)
    if (tutor_arguments_add(&p->arguments, p->gpu, words[i], &diag)) return refuse(&diag);
  return run(p, &launch, words[0]);
}

static int launch_all(program *p, char **words, int n) {
  int status = EXIT_RAN;
  while (n > 0 && status == EXIT_RAN) {
    int length = 0;
    while (length < n && strcmp(words[length], "--") != 0) length++;
    status = launch_words(p, words, length);
    int step = length < n ? length + 1 : length;
    words += step;
    n -= step;
  }
  if (status == EXIT_RAN) print_end(p, NULL, "");
  return status;
}

static int load_and_launch(program *p, const char *path, char **words, int n) {
  simt_diag diag = {0};
  size_t n_bytes;
  char *ptx = read_file(path, &n_bytes);
  if (!ptx) return perror(path), EXIT_NOT_RUN;
  int status = EXIT_NOT_RUN;
  const simt_engine_options options = {.checkers = p->trace ? SIMT_CHECK_RACECHECK : 0};
  if (simt_engine_create(&p->gpu, &options, &diag) ||
      simt_engine_load(p->gpu, path, ptx, n_bytes, &p->module, &diag))
    refuse(&diag);
  else status = launch_all(p, words, n);
  if (p->gpu) simt_engine_unload(p->gpu, p->module);
  simt_engine_destroy(p->gpu);
  free(ptx);
  return status;
}

// Reads the options behind the module's name; false: one is wrong. `optind` is at the first launch.
static bool read_options(program *p, const char **trace, int argc, char **argv) {
  static const struct option options[] = {{"trace", required_argument, NULL, 't'},
                                          {"steps", required_argument, NULL, 's'},
                                          {NULL, 0, NULL, 0}};
  opterr = 0;
  optind = 2;
  for (int option; (option = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
    if (option == 't') *trace = optarg;
    else if (option != 's' || !number(optarg, &p->n_steps)) return false;
  }
  return optind < argc;
}

int main(int argc, char **argv) {
  static program p = {.n_steps = DEFAULT_STEPS};
  const char *trace = NULL;
  if (argc < 3 || argv[1][0] == '-' || !read_options(&p, &trace, argc, argv))
    return fputs("usage: run_kernel MODULE.ptx [--trace FILE] [--steps N] LAUNCH [-- LAUNCH]...\n",
                 stderr),
           EXIT_NOT_RUN;
  if (trace && !(p.trace = fopen(trace, "w"))) return perror(trace), EXIT_NOT_RUN;
  int status = load_and_launch(&p, argv[1], argv + optind, argc - optind);
  if (p.trace && (ferror(p.trace) | fclose(p.trace)) != 0) return perror(trace), EXIT_NOT_RUN;
  return status;
}
