// SPDX-License-Identifier: MIT
// judge_verdict.c - the ways a check ends in its own process: passed, failed with a cause, broken
// down, or stopped by its time limit. Each fills the verdict that the parent reads.
//
// Invariant: the outcome is the last field that is written, so that a process which dies half-way
// leaves WB_NO_RESULT.
#include "judge_internal.h"

#include <check.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// Enough for any exercise on the sizes the suites use; a runaway loop ends in well under a second.
#define WARP_INSTRUCTION_LIMIT "1000000"
// Of one launch; WB_MAX_PRINTED_BYTES of a check.
#define LAUNCH_PRINT_LIMIT "16777216"

enum {
  LEAST_PROGRESS_MS = 10, // between two looks
  KEPT_BYTES = 32 << 20,  // the most that glibc takes for both
  FIRST_BYTES = 2 << 20,
  PAGE_BYTES = 4096
};

#ifdef WORKBOOK_SIMT
// In an exercise all threads must reach a barrier: those that left before it are an error,
// whichever checkers are on. So is, where initcheck is on, a result that was never written.
static void demand_all_threads(void) {
  const char *checkers = getenv("SIMT_CHECK");
  char text[256];
  bool others = checkers && *checkers && strcmp(checkers, "none") != 0;
  snprintf(text, sizeof text, "%s%sexited,output", others ? checkers : "", others ? "," : "");
  setenv("SIMT_CHECK", text, 1);
}
#endif

// A check makes thousands of launches and arrays, small and short-lived: what one has freed is for
// the next, not for the system. The first of it comes from the system at once: page by page, on
// first use, costs more than many a check's own work.
static void keep_freed_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
  mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#ifdef MADV_POPULATE_WRITE
  char *first = malloc(FIRST_BYTES);
  const uintptr_t begin = ((uintptr_t)first + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);
  if (first)
    madvise((void *)begin, FIRST_BYTES - PAGE_BYTES, MADV_POPULATE_WRITE); // or it does not
  free(first);
#endif
#endif
}

void wb_judge_open(wb_judge *judge, const wb_suite *suite, const wb_check *check,
                   const char *module_path, uint64_t base_seed, wb_verdict *verdict) {
  *judge = (wb_judge){.module_path = module_path,
                      .suite = suite,
                      .check = check,
                      .verdict = verdict,
                      .base_seed = base_seed,
                      .said_from = lseek(2, 0, SEEK_END)};
#ifdef WORKBOOK_SIMT
  setenv("SIMT_MODEL", "0", 0); // no check is about time
  setenv("SIMT_MAX_WARP_INSTRUCTIONS", WARP_INSTRUCTION_LIMIT, 0);
  setenv("SIMT_MAX_PRINT_BYTES", LAUNCH_PRINT_LIMIT, 0);
  if (check->needs_counters) setenv("SIMT_LINES", "all", 0); // a cost is reported with its line
  demand_all_threads();
#endif
  keep_freed_memory();
  wb_judge_guards(judge, false);
}

// --- time limit -------------------------------------------------------------------------------

static wb_verdict *limited;

static void limit_reached(int signal_number) {
  (void)signal_number;
  // A check that has passed and then takes its time to end (millions of leaks) has not.
  if (limited->outcome == WB_NO_RESULT || limited->outcome == WB_PASSED) {
    limited->cause = WB_CAUSE_TIME_LIMIT; // its text is the parent's: nothing else is safe here
    limited->outcome = WB_FAILED;
  }
  _exit(EXIT_FAILURE);
}

// Processor time of this process, in milliseconds; safe in a signal handler.
static int64_t computed_ms(void) {
  struct timespec t = {.tv_sec = 0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static volatile int64_t before_ms; // at the last look

// Ends a check that has not computed since then. On a busy machine it may have to wait long for a
// processor, but it does get one now and then.
static void look_for_progress(int signal_number) {
  int64_t now_ms = computed_ms();
  if (now_ms - before_ms < LEAST_PROGRESS_MS) limit_reached(signal_number);
  before_ms = now_ms;
}

static void start_timer(int which, double after_s) {
  struct itimerval timer = {.it_value = {.tv_sec = (time_t)after_s}};
  timer.it_value.tv_usec = (suseconds_t)((after_s - (double)timer.it_value.tv_sec) * 1e6);
  if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value.tv_usec = 1;
  timer.it_interval = timer.it_value;
  setitimer((__itimer_which_t)which, &timer, NULL);
}

// The limit is processor time, so that a verdict does not depend on what else the machine does. The
// wall clock only says when to look whether a check waits without computing.
void wb_judge_limit(wb_verdict *verdict, double limit_s) {
  struct sigaction action = {.sa_handler = limit_reached, .sa_flags = SA_RESTART};
  limited = verdict;
  before_ms = computed_ms();
  sigemptyset(&action.sa_mask);
  sigaction(SIGPROF, &action, NULL);
  action.sa_handler = look_for_progress;
  sigaction(SIGALRM, &action, NULL);
  start_timer(ITIMER_PROF, limit_s);
  start_timer(ITIMER_REAL, WB_IDLE_FACTOR * limit_s);
}

// --- what the checkers found ------------------------------------------------------------------

#ifdef WORKBOOK_SIMT
// The software GPU's first findings in full, under `title`; "" when there are none.
static const char *checkers_report(const char *title) {
  static char text[WB_REPORT_BYTES];
  char report[WB_REPORT_BYTES - 400];
  if (simt_findings_text(report, sizeof report, 2) == 0) return "";
  snprintf(text, sizeof text, "\n%s\n%s%s", title, report,
           report[strlen(report) - 1] == '\n' ? "" : " ...");
  size_t length = strlen(text);
  if (text[length - 1] == '\n') text[length - 1] = '\0';
  return text;
}

// The finding that says most. Threads that wait at two barriers have no other to wait for at the
// end, and leave before those that wait there.
static bool checkers_accuse(simt_finding_info *first) {
  simt_finding_info other;
  if (!simt_first_finding(first)) return false;
  for (unsigned i = 1; strcmp(first->kind, "exited_threads") == 0 && simt_finding_at(i, &other);
       i++)
    if (strcmp(other.kind, "divergent_barrier") == 0) *first = other;
  return true;
}

// The cause in the checkers' words: what happened, why it is wrong, what to do.
static void set_finding(wb_verdict *verdict, const simt_finding_info *first) {
  verdict->cause = WB_CAUSE_CHECKERS;
  verdict->is_guess = false;
  verdict->checker = first->checker;
  verdict->relation = first->relation;
  snprintf(verdict->finding, sizeof verdict->finding, "%s", first->kind);
  snprintf(verdict->explanation, sizeof verdict->explanation, "%s", first->explanation);
  snprintf(verdict->next, sizeof verdict->next, "%s", first->advice);
  snprintf(verdict->file, sizeof verdict->file, "%s", first->file);
  verdict->line = first->line;
  verdict->wants_barrier = first->wants_barrier != 0;
}

static void list_findings(wb_verdict *verdict) {
  simt_finding_info finding;
  size_t used = 0;
  for (unsigned i = 0; used < sizeof verdict->findings && simt_finding_at(i, &finding); i++)
    used += (size_t)snprintf(verdict->findings + used, sizeof verdict->findings - used, "%s%s",
                             used ? " " : "", finding.kind);
}

// The place of a device fault, when that is why the check fails; and what it was, in its own words
// without that place.
static void set_fault_place(wb_verdict *verdict) {
  simt_fault_info fault;
  char place[300];
  const char *text = simt_last_diagnostic();
  if (!simt_last_fault(&fault)) return;
  const char *slash = strrchr(fault.file, '/');
  snprintf(place, sizeof place, "%s:%u: ", slash ? slash + 1 : fault.file, fault.line);
  if (strncmp(text, place, strlen(place)) == 0) text += strlen(place);
  if (*text)
    snprintf(verdict->wrong, sizeof verdict->wrong, "%.*s", (int)strcspn(text, "\n"), text);
  snprintf(verdict->file, sizeof verdict->file, "%s", fault.file);
  verdict->line = wb_judge_own_line(&fault);
}

static bool has_faulted(void) {
  simt_fault_info fault;
  return simt_last_fault(&fault);
}
#endif

// --- the ends ---------------------------------------------------------------------------------

static void end(wb_judge *judge, wb_outcome outcome) {
  struct rusage usage = {0};
  getrusage(RUSAGE_SELF, &usage);
  judge->verdict->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                          1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  judge->verdict->launched = judge->launched;
  judge->verdict->n_blocks = judge->launched ? judge->launch_grid : 0;
  judge->verdict->outcome = outcome;
  ck_abort_msg("%s", judge->verdict->reason);
  abort(); // not reached: Check has ended this process
}

// The launch and the first lines of the message, each as one line.
static void shorten(wb_judge *judge, const char *message) {
  wb_verdict *v = judge->verdict;
  char *to = v->wrong, *end = v->wrong + sizeof v->wrong - 1;
  if (judge->launched)
    snprintf(v->launch, sizeof v->launch, "%s%s%s", judge->launch_text,
             *judge->case_text ? ", " : "", judge->case_text);
  for (unsigned n_lines = 0; *message && to < end; message++) {
    if (*message == '\n' && ++n_lines == 2) break;
    if (*message == '\n' && to < end - 1) *to++ = ',';
    bool is_blank = *message == ' ' || *message == '\n';
    if (!is_blank || (to > v->wrong && to[-1] != ' ')) *to++ = is_blank ? ' ' : *message;
  }
  *to = '\0';
}

// What was launched, then the message.
static size_t begin_reason(wb_judge *judge, const char *format, va_list arguments) {
  char *text = judge->verdict->reason, message[WB_TEXT_BYTES - WB_REPORT_BYTES - 1800];
  vsnprintf(message, sizeof message, format, arguments);
  shorten(judge, message);
  if (judge->launched)
    snprintf(text, WB_TEXT_BYTES, "launched %s%s%s\n%s", judge->launch_text,
             *judge->case_text ? ": " : "", judge->case_text, message);
  else snprintf(text, WB_TEXT_BYTES, "%s", message);
  return strlen(text);
}

static void set_why(wb_verdict *verdict, wb_why why) {
  verdict->cause = why.cause;
  snprintf(verdict->explanation, sizeof verdict->explanation, "%s", why.text ? why.text : "");
  snprintf(verdict->next, sizeof verdict->next, "%s", why.next ? why.next : "");
}

// What a suite says itself, it says of the exercise as it is published; of a variant in the
// variant's words.
static wb_why in_words_of_variant(wb_why why) {
  switch (why.cause) {
  case WB_CAUSE_UNFILLED:
  case WB_CAUSE_LESSON:
  case WB_CAUSE_CONVERTED:
  case WB_CAUSE_TESTED:
  case WB_CAUSE_COST:
    return (wb_why){why.cause, wb_rules_words(why.text), wb_rules_words(why.next)};
  default: return why;
  }
}

// The values' cause gives way to the checkers', which see the mistake itself. A device fault's does
// not; nor does one that explains all values: threads at wrong places write to each other's.
static void settle_cause(wb_judge *judge, size_t used, wb_why why) {
  wb_verdict *v = judge->verdict;
  set_why(v, in_words_of_variant(why));
  v->wrong_results = why.cause != WB_CAUSE_COST;
#ifdef WORKBOOK_SIMT
  simt_finding_info first;
  list_findings(v);
  if (has_faulted() && !judge->has_waited) set_fault_place(v);
  if (!checkers_accuse(&first)) return;
  if (!has_faulted() && why.cause != WB_CAUSE_TESTED) {
    if (*v->explanation)
      used += (size_t)snprintf(v->reason + used, WB_TEXT_BYTES - used, "\nthe values suggest: %s",
                               v->explanation);
    set_finding(v, &first);
  }
  if (used < WB_TEXT_BYTES)
    snprintf(v->reason + used, WB_TEXT_BYTES - used, "%s", checkers_report("the checkers found:"));
#else
  (void)used;
#endif
}

void wb_judge_weigh(wb_judge *judge, wb_evidence evidence, bool is_guess,
                    const char *operator_name) {
  judge->verdict->evidence = evidence;
  judge->verdict->is_guess = is_guess && evidence.fits;
  snprintf(judge->verdict->operator_name, sizeof judge->verdict->operator_name, "%s",
           operator_name);
}

void wb_judge_fail_why(wb_judge *judge, wb_why why, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t used = begin_reason(judge, format, arguments);
  va_end(arguments);
  settle_cause(judge, used, why);
  end(judge, WB_FAILED);
  abort();
}

void wb_judge_fail(wb_judge *judge, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t used = begin_reason(judge, format, arguments);
  va_end(arguments);
  settle_cause(judge, used, WB_UNKNOWN);
  end(judge, WB_FAILED);
  abort();
}

void wb_judge_break(wb_judge *judge, wb_cause cause, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  begin_reason(judge, format, arguments);
  va_end(arguments);
  set_why(judge->verdict, (wb_why){cause, NULL, NULL});
  end(judge, WB_BROKEN);
  abort();
}

// Right results of a kernel that the checkers object to are luck.
void wb_judge_heed_checkers(wb_judge *judge) {
#ifdef WORKBOOK_SIMT
  simt_finding_info first;
  wb_verdict *v = judge->verdict;
  if (judge->has_waited || !checkers_accuse(&first)) return;
  set_finding(v, &first);
  list_findings(v);
  shorten(judge, "all results were right, but the checkers object");
  if (judge->launched)
    snprintf(v->reason, WB_TEXT_BYTES, "launched %s%s%s", judge->launch_text,
             *judge->case_text ? ": " : "", judge->case_text);
  size_t used = strlen(v->reason);
  const char *report = checkers_report("all results were right, but the checkers object:");
  snprintf(v->reason + used, WB_TEXT_BYTES - used, "%s", used ? report : report + 1);
  end(judge, WB_FAILED);
#else
  (void)judge;
#endif
}

void wb_judge_close(wb_judge *judge) {
  wb_judge_heed_checkers(judge);
  wb_judge_release(judge);
  if (judge->loaded) cudaLibraryUnload(judge->library);
  judge->loaded = false;
  judge->verdict->launched = judge->launched;
  judge->verdict->outcome = WB_PASSED;
}
