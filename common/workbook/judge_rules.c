// SPDX-License-Identifier: MIT
// judge_rules.c - the rubric at work: points and visibility for the plan, and the check
// "technique", which looks at every launch of all the other checks.
//
// Whether a kernel shares the work cannot be tested by launches made for that: a kernel could
// recognise them and behave well there. So the counters of each launch are compared with the
// solution's for the same launch, which were recorded with the same seed (WB_COUNTS_OUT), and one
// broken rule in any launch fails the technique. It is decided last: the other checks must have
// half of their points.
//
// Environment: WB_RUBRIC names the rubric; without it the suite's own points count. WB_COUNTS the
// solution's counts; without it there is no technique. WB_COUNTS_OUT: record, judge nothing by
// them.
#include "judge_internal.h"
#include "rubric.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef WORKBOOK_SIMT

enum { ROW_BYTES = 2048, COUNTS_BYTES = 64 << 20, WARP_LANES = 32 };

// What a check's process reports: the first rule that is broken in it. Each has a place of its own,
// so that checks that run at the same time neither wait for each other nor decide by who is first
// which rule is reported: it is that of the first check of the plan.
typedef struct finding {
  uint64_t n_launches;
  bool broken; // `text` and `why` hold
  char text[1024], why[WB_RULE_TEXT_BYTES];
} finding;

static wb_rubric rubric;
static bool has_rubric;
static wb_check checks[WB_RUBRIC_CHECKS + 1]; // the suite's, with the rubric's points
static const char *counts_out;
static char *counts;   // the solution's rows, or NULL
static finding *found; // [rubric.n_checks], in the rubric's order

// --- the parent: before the checks -------------------------------------------------------------

static char *read_counts(const char *path) {
  FILE *file = fopen(path, "re");
  char *text = file ? malloc(COUNTS_BYTES + 1) : NULL;
  size_t n = text ? fread(text, 1, COUNTS_BYTES, file) : 0;
  if (file) fclose(file);
  if (text) text[n] = '\0';
  return text;
}

static bool complain(const char *what, const char *name) {
  fprintf(stderr, "%s: %s\n", what, name);
  return false;
}

// Every check of the suite and of the rubric must be the other's as well.
static bool match(const wb_suite *suite, const char *path) {
  if (strcmp(rubric.exercise, suite->exercise) != 0)
    return complain("the rubric is another exercise's", rubric.exercise);
  for (size_t c = 0; c < rubric.n_checks; c++) {
    size_t i = 0;
    while (i < suite->n_checks && strcmp(suite->checks[i].name, rubric.checks[c].name) != 0) i++;
    if (i == suite->n_checks)
      return complain("the rubric has a check that the suite does not have", rubric.checks[c].name);
  }
  if (rubric.n_checks != suite->n_checks)
    return complain("the rubric lacks checks of the suite (--plan lists them)", path);
  return true;
}

static bool is_counter(const char *name) {
  static const char *const own[] = {"global_threads", "shared_threads", "busiest_requests",
                                    "idle_lanes"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (strcmp(name, own[i]) == 0) return true;
  for (size_t i = 0; simt_counter_name(i); i++)
    if (strcmp(name, simt_counter_name(i)) == 0) return true;
  return false;
}

static bool open_rubric(const wb_suite *suite, const char *path) {
  char error[512];
  if (!wb_rubric_read(&rubric, path, error, sizeof error)) return complain("rubric", error);
  if (!match(suite, path)) return false;
  for (size_t r = 0; r < rubric.n_rules; r++)
    if (!is_counter(rubric.rules[r].counter))
      return complain("the rubric has a rule for an unknown counter", rubric.rules[r].counter);
  if (!wb_variant_choose(rubric.variant))
    return complain("the suite does not know the rubric's variant", rubric.variant);
  return has_rubric = true;
}

static bool open_counts(void) {
  const char *path = getenv("WB_COUNTS");
  counts_out = getenv("WB_COUNTS_OUT");
  if (!rubric.has_technique || (!path && !counts_out) || !wb_counts_hold()) {
    counts_out = NULL;
    return true;
  }
  setenv("SIMT_WORK", "1", 1);
  if (counts_out) {
    FILE *file = fopen(counts_out, "we"); // the checks' processes append to it
    if (!file || fclose(file) != 0) return complain(counts_out, strerror(errno));
    return true;
  }
  counts = read_counts(path);
  if (!counts) return complain(path, strerror(errno));
  found = mmap(NULL, rubric.n_checks * sizeof *found, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return found == MAP_FAILED ? complain("no memory", "WB_COUNTS") : true;
}

bool wb_rules_open(const wb_suite *suite) {
  const char *path = getenv("WB_RUBRIC");
  return !path || !*path || (open_rubric(suite, path) && open_counts());
}

static const wb_rubric_check *rubric_of(const char *name) {
  for (size_t c = 0; has_rubric && c < rubric.n_checks; c++)
    if (strcmp(rubric.checks[c].name, name) == 0) return &rubric.checks[c];
  return has_rubric && strcmp(name, "technique") == 0 ? &rubric.technique : NULL;
}

// For as long as the process lives.
const char *wb_rules_words(const char *text) {
  const char *other = text && rubric.n_says ? wb_rubric_text(&rubric, text) : text;
  return other ? other : text;
}

size_t wb_rules_plan(wb_record *records, size_t n_records, bool one_alone) {
  if (!has_rubric) return n_records;
  for (size_t i = 0; i < n_records; i++) {
    checks[i] = *records[i].check;
    checks[i].about = wb_rules_words(checks[i].about);
    checks[i].hint = wb_rules_words(checks[i].hint);
    checks[i].points = rubric_of(checks[i].name)->points;
    records[i].check = &checks[i];
  }
  if (!counts || one_alone) return n_records;
  checks[n_records] = (wb_check){.name = "technique",
                                 .points = rubric.technique.points,
                                 .about = rubric.technique_about,
                                 .needs_counters = true};
  records[n_records].check = &checks[n_records];
  return n_records + 1;
}

const char *wb_rules_visibility(const char *check) {
  const wb_rubric_check *row = rubric_of(check);
  return row ? wb_visibility_name(row->visibility) : NULL;
}

// --- a check's process: after each launch ------------------------------------------------------

static uint64_t count_of(const simt_counters *counters, const simt_work *work, const char *name) {
  if (strcmp(name, "global_threads") == 0) return work->global_threads;
  if (strcmp(name, "shared_threads") == 0) return work->shared_threads;
  if (strcmp(name, "busiest_requests") == 0) return work->busiest_requests;
  if (strcmp(name, "idle_lanes") == 0)
    return WARP_LANES * counters->warp_instructions - counters->lane_instructions;
  for (size_t i = 0; simt_counter_name(i); i++)
    if (strcmp(simt_counter_name(i), name) == 0) return simt_counter_value(counters, i);
  return 0;
}

// "CHECK LAUNCH GRID BLOCK": how the launch's row begins; its counts follow, in the rules' order.
static size_t row_name(char *out, const wb_judge *judge, unsigned launch, unsigned grid,
                       unsigned block) {
  return (size_t)snprintf(out, ROW_BYTES, "\n%s %u %u %u:", judge->check->name, launch, grid,
                          block);
}

static void record_row(wb_judge *judge, const simt_work *work, unsigned launch, unsigned grid,
                       unsigned block) {
  char row[ROW_BYTES];
  size_t used = row_name(row, judge, launch, grid, block);
  for (size_t r = 0; r < rubric.n_rules && used < ROW_BYTES; r++)
    used += (size_t)snprintf(row + used, ROW_BYTES - used, " %" PRIu64,
                             count_of(&judge->counters, work, rubric.rules[r].counter));
  int fd = open(counts_out, O_WRONLY | O_APPEND | O_CLOEXEC);
  bool written = fd >= 0 && used < ROW_BYTES && write(fd, row, used) == (ssize_t)used;
  if (fd >= 0) close(fd);
  if (!written) wb_judge_break(judge, WB_CAUSE_SUITE, "cannot write to %s", counts_out);
}

static finding *finding_of(const wb_judge *judge) {
  size_t c = 0;
  while (strcmp(rubric.checks[c].name, judge->check->name) != 0) c++; // match() has seen it
  return &found[c];
}

static void report(const wb_judge *judge, const wb_rule *rule, uint64_t count, uint64_t bound,
                   uint64_t solution) {
  finding *own = finding_of(judge);
  if (own->broken) return;
  own->broken = true;
  snprintf(own->text, sizeof own->text,
           "in %s: launched %s%s%s\n%s: at %s %" PRIu64 " wanted, counted %" PRIu64
           " (the solution: %" PRIu64 ")",
           judge->check->name, judge->launch_text, *judge->case_text ? ": " : "", judge->case_text,
           rule->counter, rule->at_least ? "least" : "most", bound, count, solution);
  snprintf(own->why, sizeof own->why, "%s", rule->text);
}

static void compare_row(wb_judge *judge, const simt_work *work, const char *kernel, unsigned launch,
                        unsigned grid, unsigned block) {
  char name[ROW_BYTES];
  size_t length = row_name(name, judge, launch, grid, block);
  const char *row = strstr(counts, name);
  if (!row)
    wb_judge_break(judge, WB_CAUSE_SUITE, "the solution's counts lack launch %u of %s", launch,
                   judge->check->name);
  char *at = (char *)row + length;
  finding_of(judge)->n_launches++;
  for (size_t r = 0; r < rubric.n_rules; r++) {
    const wb_rule *rule = &rubric.rules[r];
    uint64_t solution = strtoull(at, &at, 10);
    uint64_t count = count_of(&judge->counters, work, rule->counter);
    uint64_t bound = wb_rule_bound(rule, solution, grid, (uint64_t)grid * ((block + 31) / 32));
    if (*rule->kernel && strcmp(rule->kernel, kernel) != 0) continue;
    if (!wb_rule_holds(rule, count, bound)) report(judge, rule, count, bound, solution);
  }
}

void wb_rules_launch(wb_judge *judge, const char *kernel, unsigned grid, unsigned block) {
  unsigned launch = judge->n_launches++;
  simt_work work;
  if (!counts && !counts_out) return;
  simt_work_last_launch(&work);
  if (counts) compare_row(judge, &work, kernel, launch, grid, block);
  else record_row(judge, &work, launch, grid, block);
}

// --- the parent: after the checks --------------------------------------------------------------

static void settle(wb_verdict *v, wb_outcome outcome, wb_cause cause, const char *reason,
                   const char *why) {
  v->outcome = outcome;
  v->cause = cause;
  snprintf(v->reason, sizeof v->reason, "%s", reason);
  snprintf(v->explanation, sizeof v->explanation, "%s", why);
}

void wb_rules_settle(wb_record *records, size_t n_records) {
  if (!counts || n_records == 0 || records[n_records - 1].check->run) return; // no technique
  wb_verdict *v = records[n_records - 1].verdict;
  unsigned points = 0, passed = 0;
  bool judged = true;
  const finding *broken = NULL;
  for (size_t c = 0; c < rubric.n_checks; c++) {
    v->launched = v->launched || found[c].n_launches > 0;
    if (!broken && found[c].broken) broken = &found[c];
  }
  for (size_t i = 0; i + 1 < n_records; i++) {
    points += records[i].check->points;
    passed += records[i].verdict->outcome == WB_PASSED ? records[i].check->points : 0;
    judged = judged && records[i].verdict->outcome != WB_BROKEN;
  }
  if (broken) settle(v, WB_FAILED, WB_CAUSE_COST, broken->text, broken->why);
  else if (2 * passed >= points && v->launched) settle(v, WB_PASSED, WB_CAUSE_NONE, "", "");
  else if (!judged)
    settle(v, WB_BROKEN, WB_CAUSE_CRASHED, "the checks that it looks at could not be judged", "");
  else
    settle(v, WB_FAILED, WB_CAUSE_NONE,
           "how the work is done counts when the results are right: half of the other checks' "
           "points are wanted first",
           "");
}

#else
// A GPU judges results, and the exercise as it is published.
bool wb_rules_open(const wb_suite *suite) { return (void)suite, true; }
size_t wb_rules_plan(wb_record *records, size_t n_records, bool one_alone) {
  return (void)records, (void)one_alone, n_records;
}
const char *wb_rules_visibility(const char *check) { return (void)check, NULL; }
const char *wb_rules_words(const char *text) { return text; }
void wb_rules_settle(wb_record *records, size_t n_records) { (void)records, (void)n_records; }
#endif
