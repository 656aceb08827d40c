// SPDX-License-Identifier: MIT
// lesson.c - the program of a lesson: its arguments, its list, and which variants run with which
// sizes.
//
// The software GPU, whose times repeat exactly, runs and prints one variant after the other.
// Not here: running (lesson_run.c), rows (lesson_rows.c), memory and inputs (session.c), verdicts
// (outcome.c), suites of tests (judge.h).
#define _POSIX_C_SOURCE 200809L
#include "lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "checkers.h"
#include "device.h"
#include "lesson_jobs.h"
#include "output.h"
#include "session.h"
#include "text.h"

enum { CHECKED_N = 1 << 16 }; // what --check and --schedule run unless --n says more

// With several sizes, what would take longer than this for one run is left out from there on.
static const double sweep_limit_ms = 5000.0;

static unsigned devices_used = 1;
unsigned wb_devices_used(void) { return devices_used; }

unsigned wb_multiprocessors(void) {
  static int count;
  if (count == 0) WB_OK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count > 0 ? (unsigned)count : 1;
}

// Whether there is nothing but sweeps: then they are what `--variant all` means.
static bool only_sweeps(const wb_lesson *lesson) {
  for (size_t i = 0; i < lesson->n_variants; i++)
    if (lesson->variants[i].sweep_to == 0) return false;
  return true;
}

static bool is_chosen(const wb_lesson *lesson, const wb_variant *variant, const char *choice) {
  if (strcmp(choice, "all") == 0)
    return !variant->on_request && (variant->sweep_to == 0 || only_sweeps(lesson));
  return strcmp(choice, variant->name) == 0 ||
         (variant->group != NULL && strcmp(choice, variant->group) == 0);
}

// Why the variant cannot run with these, or NULL.
static const char *reason_to_refuse(const wb_variant *variant, unsigned n, unsigned block) {
  if (block % 32 != 0 && !variant->any_block)
    return "it needs whole warps: blocks of 32, 64, 96 ...";
  return variant->refuse != NULL ? variant->refuse(n, block) : NULL;
}

static void set_job(wb_session *s, wb_job *j, const wb_variant *variant, unsigned parameter) {
  memset(j, 0, sizeof *j);
  j->run.session = s;
  j->run.variant = variant;
  j->run.launch.n = j->row.n = s->args.n;
  j->run.launch.block = j->row.block = s->args.block;
  j->run.launch.parameter = j->row.parameter = parameter;
  j->run.launch.n_bins = wb_n_bins(j->run.variant);
  j->run.launch.out = s->out;
  j->run.launch.scratch = s->scratch;
  j->row.lesson = s->lesson;
  j->row.variant = variant;
  j->row.device = &s->device;
  j->row.regime = s->device.modelled ? "modelled" : s->args.warm ? "warm" : "cold";
  j->row.is_sweep = variant->sweep_to > 0;
  j->row.correct = true;
  const char *reason = reason_to_refuse(variant, s->args.n, s->args.block);
  snprintf(j->refusal, sizeof j->refusal, "%s", reason != NULL ? reason : "");
}

// What took long with the size before would now take longer than a sweep waits.
static void refuse_slow(wb_job *j, const wb_job *smaller, unsigned n_smaller) {
  for (unsigned i = 0; i < n_smaller; i++) {
    const wb_job *other = &smaller[i];
    const bool same =
        other->run.variant == j->run.variant && other->row.parameter == j->row.parameter;
    if (!same || j->refusal[0] != '\0') continue;
    if (other->too_slow) {
      snprintf(j->refusal, sizeof j->refusal, "%s", other->refusal);
      j->too_slow = true;
      continue;
    }
    const double ms = other->row.timing.median_ms * j->row.n / (other->row.n + 1.0);
    if (!other->done || !(ms > sweep_limit_ms)) continue;
    j->too_slow = true;
    snprintf(j->refusal, sizeof j->refusal, "one run of n = %u would take about %.0f ms", j->row.n,
             ms);
  }
}

// One job for every variant that was chosen, and for each of a sweep's parameters 1, 4, 16 ... up
// to its last one. Returns how many; `jobs` NULL: only counts them.
static unsigned collect_jobs(wb_session *s, wb_job *jobs) {
  unsigned n_jobs = 0;
  for (size_t i = 0; i < s->lesson->n_variants; i++) {
    const wb_variant *variant = &s->lesson->variants[i];
    const bool is_sweep = variant->sweep_to > 0;
    if (!is_chosen(s->lesson, variant, s->args.variant)) continue;
    for (uint64_t k = 1; k <= (is_sweep ? variant->sweep_to : 1); k *= 4, n_jobs++) {
      if (jobs == NULL) continue;
      set_job(s, &jobs[n_jobs], variant, is_sweep ? (unsigned)k : variant->parameter);
      jobs[n_jobs].row.number = n_jobs + 1;
    }
  }
  return n_jobs;
}

// The jobs not done yet that read the input of the first of them; on the software GPU that one
// only.
static unsigned next_together(wb_job *jobs, unsigned n_jobs, bool alone, wb_job **together) {
  unsigned n = 0;
  for (unsigned i = 0; i < n_jobs; i++) {
    if (jobs[i].done || jobs[i].refusal[0] != '\0') continue;
    if (n > 0 && (alone || !wb_same_input(together[0]->run.variant, jobs[i].run.variant))) continue;
    together[n++] = &jobs[i];
  }
  return n;
}

// Runs what was chosen; false after a CUDA error (a device fault outlasts the launch, so the
// variants that follow could only fail too).
static bool run_jobs(wb_session *s, wb_job *jobs, unsigned n_jobs) {
  wb_job **together = (wb_job **)calloc((size_t)n_jobs + 1, sizeof(wb_job *));
  unsigned n_printed = 0, n_together;
  bool ok = together != NULL;
  while (ok && (n_together = next_together(jobs, n_jobs, s->device.modelled, together)) > 0) {
    ok = wb_run_together(together, n_together);
    // On the software GPU each row comes at once; on a GPU CUB may be the last to be timed.
    for (; s->device.modelled && n_printed < n_jobs; n_printed++) {
      if (!jobs[n_printed].done && jobs[n_printed].refusal[0] == '\0') break;
      wb_print_job(s, jobs, n_jobs, n_printed);
    }
  }
  for (; n_printed < n_jobs; n_printed++) wb_print_job(s, jobs, n_jobs, n_printed);
  free((void *)together);
  return ok;
}

// --sample: all that was chosen at a smaller size, whole and judged, and nothing printed. jobs[] is
// of that size then.
static bool run_smaller(wb_session *s, wb_job *jobs, wb_job **together) {
  const unsigned n = s->args.n;
  s->args.n = wb_verified_n(n);
  bool ok = wb_session_open(s);
  const unsigned n_jobs = ok ? collect_jobs(s, jobs) : 0;
  while (ok && next_together(jobs, n_jobs, true, together) > 0) ok = wb_run_together(together, 1);
  wb_session_close(s);
  s->args.n = n;
  return ok;
}

// The same at the size that was asked for; `smaller` has room for as many jobs.
static bool run_sampled(wb_session *s, wb_job *jobs, unsigned n_jobs, wb_job *smaller) {
  wb_job **together = (wb_job **)calloc((size_t)n_jobs + 1, sizeof(wb_job *));
  bool ok = together != NULL && run_smaller(s, smaller, together);
  free((void *)together);
  if (!ok || !wb_session_open(s)) return false;
  if (!s->args.json) wb_print_heading(stdout, s->lesson, &s->args, &s->device);
  collect_jobs(s, jobs);
  for (unsigned i = 0; i < n_jobs; i++) jobs[i].smaller = &smaller[i];
  s->is_sampling = true;
  ok = run_jobs(s, jobs, n_jobs);
  s->is_sampling = false;
  wb_session_close(s);
  return ok;
}

// One size. `smaller`: the jobs of the size before, which decide what is too slow by now.
static bool run_size(wb_session *s, wb_job *jobs, wb_job *smaller, unsigned *n_jobs) {
  const unsigned n_smaller = *n_jobs;
  bool ok = wb_session_open(s);
  if (ok && !s->args.json) wb_print_heading(stdout, s->lesson, &s->args, &s->device);
  if (ok) *n_jobs = collect_jobs(s, jobs);
  for (unsigned i = 0; ok && i < *n_jobs; i++) refuse_slow(&jobs[i], smaller, n_smaller);
  ok = ok && run_jobs(s, jobs, *n_jobs);
  wb_session_close(s);
  return ok;
}

static bool run_sizes(wb_session *s) {
  const unsigned n_all = collect_jobs(s, NULL);
  wb_job *jobs =
      (wb_job *)calloc((size_t)2 * n_all + 1, sizeof *jobs); // this size's, the one before's
  unsigned n_jobs = 0;
  bool ok = jobs != NULL;
  if (!ok) fprintf(stderr, "%s: no host memory left for %u runs\n", s->lesson->name, n_all);
  for (unsigned i = 0; i < s->args.n_sizes && ok; i++) {
    wb_job *now = jobs + (size_t)(i % 2) * n_all, *smaller = jobs + (size_t)(1 - i % 2) * n_all;
    s->args.n = s->args.sizes[i];
    if (i > 0 && !s->args.json) printf("\n");
    ok = s->args.sample ? run_sampled(s, now, n_all, smaller) : run_size(s, now, smaller, &n_jobs);
  }
  free(jobs);
  return ok;
}

// The variants' names and, once each, their groups', into names[2 * n_variants].
static size_t collect_names(const wb_lesson *lesson, const char **names) {
  size_t n_names = 0;
  for (size_t i = 0; i < lesson->n_variants; i++) names[n_names++] = lesson->variants[i].name;
  for (size_t i = 0; i < lesson->n_variants; i++) {
    const char *group = lesson->variants[i].group;
    bool known = group == NULL;
    for (size_t j = 0; j < n_names && !known; j++) known = strcmp(group, names[j]) == 0;
    if (!known) names[n_names++] = group;
  }
  return n_names;
}

static void print_list(const wb_lesson *lesson) {
  for (size_t i = 0; i < lesson->n_variants; i++) {
    const wb_variant *variant = &lesson->variants[i];
    printf("%-18s %s", variant->name, variant->summary);
    if (variant->group != NULL) printf(" [--variant %s]", variant->group);
    if (variant->on_request) printf(" [only on request]");
    printf("\n");
  }
}

// One JSON object: the lesson and what its variants do.
static void print_list_json(const wb_lesson *lesson) {
  const struct {
    const char *key, *text;
  } about[] = {{"lesson", lesson->name}, {"title", lesson->title}, {"taught", lesson->taught}};
  putchar('{');
  for (size_t i = 0; i < sizeof about / sizeof about[0]; i++) {
    printf("\"%s\": ", about[i].key);
    wb_print_json_string(stdout, about[i].text != NULL ? about[i].text : "");
    fputs(", ", stdout);
  }
  if (lesson->devices > 0) printf("\"devices\": %u, ", lesson->devices);
  fputs("\"variants\": {", stdout);
  for (size_t i = 0; i < lesson->n_variants; i++) {
    fputs(i > 0 ? ", " : "", stdout);
    wb_print_json_string(stdout, lesson->variants[i].name);
    fputs(": ", stdout);
    wb_print_json_string(stdout, lesson->variants[i].summary);
  }
  puts("}}");
}

static int run_lesson(wb_session *s) {
  wb_device_want(s->lesson->devices);
  if (!wb_device_open(&s->device, !s->args.profile)) return 1;
  devices_used = s->device.count;
  if (s->device.modelled && (s->args.warm || s->args.graph || s->args.profile)) {
    wb_complain(s->lesson->name,
                "--regime, --graph and --profile are for a GPU; here times are modelled");
    return 2;
  }
  if (s->args.sample && (!s->device.modelled || s->args.check || s->args.schedule)) {
    wb_complain(s->lesson->name,
                "--sample is for counters and modelled times of the software GPU: without --check, "
                "--schedule, and not on a GPU");
    return 2;
  }
  if (wb_counters_count() > WB_COUNTER_ROOM) {
    fprintf(stderr, "%s: WB_COUNTER_ROOM is too small for this backend\n", s->lesson->name);
    return 1;
  }
  const bool ran = run_sizes(s);
  wb_device_close(&s->device);
  const unsigned n_findings = wb_checkers_report(&s->args);
  if (!ran || s->n_wrong > 0 || n_findings > 0) return 1;
  if (s->n_run > 0) return 0;
  fprintf(stderr, "%s: nothing was run, see the reasons above\n", s->lesson->name);
  return 2;
}

static bool parse_arguments(wb_session *s, int argc, char **argv, char *message,
                            size_t message_bytes) {
  const char **names = (const char **)calloc(2 * s->lesson->n_variants + 1, sizeof(char *));
  if (names == NULL) {
    snprintf(message, message_bytes, "no host memory left");
    return false;
  }
  const wb_names variants = {names, collect_names(s->lesson, names)};
  const bool ok = wb_args_parse(&s->args, argc, argv, variants, message, message_bytes);
  free((void *)names);
  return ok;
}

int wb_lesson_main(int argc, char **argv, const wb_lesson *lesson) {
  char message[256];
  wb_session s;
  memset(&s, 0, sizeof s);
  s.lesson = lesson;
  s.args.block = 256;
  s.args.seed = 1;
  s.args.repeat = 20;
  s.args.variant = "all";
#ifdef WORKBOOK_SIMT
  s.args.n = 1u << 20;
#else
  s.args.n = 1u << 26;
#endif
  if (!parse_arguments(&s, argc, argv, message, sizeof message) ||
      !wb_checkers_ask(&s.args, argv[0], message, sizeof message)) {
    wb_complain(lesson->name, message);
    return 2;
  }
  const bool is_checked = s.args.check != NULL || s.args.schedule != NULL;
  if (s.args.n_sizes == 0) s.args.sizes[s.args.n_sizes++] = is_checked ? CHECKED_N : s.args.n;
  if (s.args.help) {
    printf("%s: %s\n\nUsage: %s [options]\n%s", lesson->name, lesson->title, lesson->name,
           wb_args_help);
    printf("Defaults: --n %u --variant all --block %u --repeat %u --seed %llu\n", s.args.n,
           s.args.block, s.args.repeat, (unsigned long long)s.args.seed);
    return 0;
  }
  if (s.args.list) {
    (s.args.json ? print_list_json : print_list)(lesson);
    return 0;
  }
  s.on_terminal = isatty(STDERR_FILENO) != 0 && !s.args.json;
  return run_lesson(&s);
}
