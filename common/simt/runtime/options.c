// SPDX-License-Identifier: MIT
// runtime/options.c - what the environment says (SIMT_…), and the report written at exit.
//
// A value that is not understood stops the program at its first CUDA call: an option that is
// silently ignored would make its user trust a result that it does not have.
#include "runtime/runtime.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/platform.h"

extern char **environ;

static const char *const known_names[] = {
    "SIMT_CHECK",         "SIMT_SCHEDULE",
    "SIMT_SWEEP_MAX_MIB", "SIMT_DEVICE",
    "SIMT_DEVICES",       "SIMT_REPORT",
    "SIMT_COUNTERS",      "SIMT_THREADS",
    "SIMT_NOTES",         "SIMT_MAX_WARP_INSTRUCTIONS",
    "SIMT_LINES",         "SIMT_WORK",
    "SIMT_SOURCE",        "SIMT_MAX_PRINT_BYTES",
    "SIMT_EXACT",         "SIMT_SWEEP_MAX_THREADS",
    "SIMT_LINKS",         "SIMT_NCCL_SECONDS",
    "SIMT_MODEL",         "SIMT_REPEATS",
};

static void warn_of_unknown_names(void) {
  for (char **entry = environ; entry && *entry; entry++) {
    if (strncmp(*entry, "SIMT_", 5) != 0) continue;
    size_t length = strcspn(*entry, "=");
    bool known = false;
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++)
      known |= strlen(known_names[i]) == length && !strncmp(*entry, known_names[i], length);
    if (!known)
      simt_rt_say("warning: %.*s is not an option of the software GPU", (int)length, *entry);
  }
}

// Reads an unsigned number; false and a message when it is not one or exceeds `most`.
static bool read_number(const char *name, uint64_t most, uint64_t *value) {
  const char *text = getenv(name);
  if (!text || !*text) return true;
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (errno || *end || *text < '0' || *text > '9' || number > most) {
    simt_rt_say("%s=%s: expected a whole number from 0 to %" PRIu64, name, text, most);
    return false;
  }
  *value = number;
  return true;
}

static bool read_switch(const char *name, bool *value) {
  uint64_t number = *value;
  if (!read_number(name, 1, &number)) return false;
  *value = number != 0;
  return true;
}

static bool read_lines(simt_lines_mode *mode) {
  static const char *const names[] = {"off", "all", "counted"};
  const char *text = getenv("SIMT_LINES");
  if (!text || !*text) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) != 0) continue;
    *mode = (simt_lines_mode)i;
    return true;
  }
  simt_rt_say("SIMT_LINES=%s: expected off, all, or counted (since the counters were cleared)",
              text);
  return false;
}

static bool read_device(rt_context *context) {
  const char *key = getenv("SIMT_DEVICE");
  context->device = simt_model_find(key && *key ? key : NULL);
  if (context->device) return true;
  char list[256] = "";
  for (size_t i = 0; i < simt_model_count(); i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", simt_model_at(i)->key);
  }
  simt_rt_say("SIMT_DEVICE=%s: there is no such device; there are %s", key, list);
  return false;
}

static bool read_devices(uint32_t *n) {
  uint64_t number = 1;
  if (!read_number("SIMT_DEVICES", SIMT_MAX_DEVICES, &number)) return false;
  if (!number) simt_rt_say("SIMT_DEVICES=0: from 1 to %d devices are possible", SIMT_MAX_DEVICES);
  *n = number ? (uint32_t)number : 1;
  return number != 0;
}

// ---- SIMT_CHECK: "none", or a list of checkers and of what is to be an error.

typedef struct checker_name {
  const char *name;
  unsigned bits;
} checker_name;

static const checker_name checker_names[] = {
    {"all", SIMT_CHECK_ALL},
    {"none", 0},
    {"memcheck", SIMT_CHECK_MEMCHECK},
    {"initcheck", SIMT_CHECK_INITCHECK},
    {"synccheck", SIMT_CHECK_SYNCCHECK},
    {"racecheck", SIMT_CHECK_RACECHECK},
    {"leak", SIMT_CHECK_LEAKS},
    {"exited", SIMT_CHECK_EXITED},
    {"output", SIMT_CHECK_OUTPUT},
};

static const checker_name *find_checker(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof checker_names / sizeof *checker_names; i++)
    if (strlen(checker_names[i].name) == length && !strncmp(checker_names[i].name, name, length))
      return &checker_names[i];
  return NULL;
}

static bool read_checkers(unsigned *checkers) {
  const char *text = getenv("SIMT_CHECK");
  bool none = false;
  *checkers = 0;
  for (const char *at = text; at && *at;) {
    size_t length = strcspn(at, ", ");
    const checker_name *found = find_checker(at, length);
    if (!found && length) {
      simt_rt_say(
          "SIMT_CHECK=%s: there is no checker '%.*s'; there are memcheck, initcheck, synccheck, "
          "racecheck (several with commas between them), all and none; leak, exited and output "
          "make errors of memory never freed, of threads that exit before a barrier, and of memory "
          "never written that is copied to the host",
          text, (int)length, at);
      return false;
    }
    if (found) *checkers |= found->bits;
    none |= found && !found->bits;
    at += length;
    at += strspn(at, ", ");
  }
  if (none && *checkers)
    simt_rt_say("SIMT_CHECK=%s: 'none' contradicts the other words; leave one of them out", text);
  return !none || !*checkers;
}

// ---- SIMT_SCHEDULE: one schedule, or a sweep over several.

enum { DEFAULT_SWEEP = 8, MOST_SWEEP = 1000, DEFAULT_SWEEP_MIB = 256 };

// "sweep" or "sweep:K"; false when the text is neither.
static bool parse_sweep(const char *text, uint32_t *n) {
  *n = DEFAULT_SWEEP;
  if (strncmp(text, "sweep", 5) != 0) return false;
  if (!text[5]) return true;
  if (text[5] != ':' || text[6] < '0' || text[6] > '9') return false;
  char *end;
  unsigned long number = strtoul(text + 6, &end, 10);
  *n = (uint32_t)number;
  return !*end && number >= 1 && number <= MOST_SWEEP;
}

static bool read_schedule(rt_options *o) {
  const char *text = getenv("SIMT_SCHEDULE");
  uint64_t mib = DEFAULT_SWEEP_MIB;
  if (!read_number("SIMT_SWEEP_MAX_MIB", UINT64_MAX >> 20, &mib)) return false;
  o->sweep_max_bytes = mib << 20;
  o->sweep_max_threads = UINT64_MAX;
  if (!read_number("SIMT_SWEEP_MAX_THREADS", UINT64_MAX, &o->sweep_max_threads)) return false;
  if (!text || !*text || simt_schedule_parse(text, &o->schedule)) return true;
  o->schedule = (simt_schedule){0};
  if (parse_sweep(text, &o->n_sweep)) return true;
  simt_rt_say(
      "SIMT_SCHEDULE=%s: there is no such schedule; there are lockstep, reverse, lane-serial, "
      "random:SEED, delayed-stores, and sweep:K, which runs K of them (1 to %d)",
      text, MOST_SWEEP);
  return false;
}

// Where the report goes; NULL: there is none. "%r" is the number of this process among those that a
// launcher has started (Open MPI, a PMI, Slurm), or 0.
static const char *report_path(void) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
  static char path[4096];
  const char *text = getenv("SIMT_REPORT"), *rank = NULL;
  if (!text || !*text) return NULL;
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !rank; i++) rank = getenv(ranks[i]);
  const char *at = strstr(text, "%r");
  if (!at || strlen(text) >= sizeof path - 32) return text;
  snprintf(path, sizeof path, "%.*s%.16s%s", (int)(at - text), text, rank ? rank : "0", at + 2);
  return path;
}

cudaError_t simt_rt_options_read(rt_context *context) {
  rt_options *o = &context->options;
  *o = (rt_options){.counters = true,
                    .model = true,
                    .repeats = true,
                    .notes = true,
                    .n_devices = 1,
                    .nccl_seconds = 60};
  uint64_t n_threads = 0;
  warn_of_unknown_names();
  bool good = read_device(context); // all are read, so that every mistake is named
  good = read_devices(&o->n_devices) && good;
  good = read_number("SIMT_THREADS", 1024, &n_threads) && good;
  good = read_number("SIMT_MAX_WARP_INSTRUCTIONS", UINT64_MAX, &o->max_warp_instructions) && good;
  good = read_number("SIMT_MAX_PRINT_BYTES", UINT64_MAX, &o->max_print_bytes) && good;
  good = read_switch("SIMT_COUNTERS", &o->counters) && good;
  good = read_switch("SIMT_WORK", &o->work) && good;
  good = read_switch("SIMT_MODEL", &o->model) && good;
  good = read_switch("SIMT_EXACT", &o->exact_model) && good;
  good = read_switch("SIMT_REPEATS", &o->repeats) && good;
  const char *source = getenv("SIMT_SOURCE");
  o->only_source = source && *source ? source : NULL;
  good = read_lines(&o->lines) && good;
  good = read_switch("SIMT_NOTES", &o->notes) && good;
  good = read_switch("SIMT_LINKS", &o->links) && good;
  good = read_number("SIMT_NCCL_SECONDS", 1000000, &o->nccl_seconds) && good;
  good = read_checkers(&o->checkers) && good;
  good = read_schedule(o) && good;
  if (!good) return cudaErrorInitializationError;
  o->n_host_threads = (uint32_t)n_threads;
  o->report = report_path();
  const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
  o->launch_blocking = blocking && !strcmp(blocking, "1");
  return cudaSuccess;
}

// ---- The report.

// The standing or latest device fault; all findings, that one included, follow.
static void write_fault(FILE *out, const rt_context *context) {
  const simt_sink to = simt_file_sink(out);
  fputs("  \"device_fault\": ", out);
  if (!context->fault_diag.status) {
    fputs("null,\n", out);
    return;
  }
  fputs("{\"status\": ", out);
  simt_json_string(&to, simt_status_name(context->fault_diag.status));
  fputs(", \"error\": ", out);
  simt_json_string(&to, cudaGetErrorName(simt_rt_error_of(context->fault_diag.status)));
  fputs(", \"message\": ", out);
  simt_json_string(&to, context->fault_diag.text);
  fputs("},\n", out);
}

// What prevented the program from running as written: a module that was refused, and unsupported
// calls.
static void write_refusals(FILE *out, const rt_context *context) {
  const simt_sink to = simt_file_sink(out);
  fputs("  \"refusal\": ", out);
  if (context->load_diag.status) simt_json_string(&to, context->load_diag.text);
  else fputs("null", out);
  fprintf(out, ",\n  \"not_supported\": %" PRIu64 ",\n", context->n_not_supported);
}

static void write_findings(FILE *out, const rt_context *context) {
  fprintf(out, "  \"errors\": %" PRIu64 ",\n  \"notes\": %" PRIu64 ",\n  \"findings\": [",
          simt_findings_reported(context->findings),
          simt_findings_notes_reported(context->findings));
  const simt_sink to = simt_file_sink(out);
  simt_findings_write_json(context->findings, &to);
  fputs("\n  ],\n", out);
}

static void write_counters(FILE *out, const rt_context *context) {
  const simt_counters *total = simt_engine_total(context->engine);
  fputs("  \"counters\": {", out);
  for (size_t i = 0; i < SIMT_COUNTER_COUNT; i++)
    fprintf(out, "%s\n    \"%s\": %" PRIu64, i ? "," : "", simt_counter_name(i),
            simt_counter_value(total, i));
  fputs("\n  },\n  \"class_warp_instructions\": {", out);
  for (int c = 0; c < SIMT_CLASS_COUNT; c++)
    fprintf(out, "%s\n    \"%s\": %" PRIu64, c ? "," : "", simt_class_name((simt_class)c),
            total->class_warp_instructions[c]);
  fputs("\n  }", out);
}

bool simt_rt_report_write(const rt_context *context) {
  simt_rt_links_print(context);
  if (!context->options.report) return true;
  FILE *out = fopen(context->options.report, "w");
  if (!out) {
    simt_rt_say("SIMT_REPORT: cannot write %s: %s", context->options.report, strerror(errno));
    return false;
  }
  fputs("{\n  \"simt_version\": \"" SIMT_VERSION "\",\n  \"device\": ", out);
  const simt_sink to = simt_file_sink(out);
  simt_json_string(&to, context->device->name);
  fprintf(out, ",\n  \"counters_on\": %s,\n  \"launched\": %" PRIu64 ",\n",
          context->options.counters ? "true" : "false", simt_engine_n_launches(context->engine));
  fprintf(out, "  \"modelled_ms\": %.9g,\n", context->modelled_ms);
  write_fault(out, context);
  write_refusals(out, context);
  write_findings(out, context);
  write_counters(out, context);
  if (context->options.n_devices > 1) simt_rt_links_write(out, context);
  simt_observer *lines = simt_engine_lines(context->engine);
  if (lines) fputs(",\n", out);
  if (lines) simt_lines_write_json(lines, &to);
  fputs("\n}\n", out);
  if (fclose(out) == 0) return true;
  simt_rt_say("SIMT_REPORT: cannot write %s", context->options.report);
  return false;
}
