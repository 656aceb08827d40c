// SPDX-License-Identifier: MIT
// judge_nearest.c - a failure whose program differs from a right one in one place (nearest.h), or
// passes with one small change (judge_repair.c): the mistake is there, whatever the wrong values or
// the checkers suggest.
//
// What was seen and can come from that place is kept as the cause. Everything else is only in the
// full report. An array in which nothing is stored (never_written.h) needs no experiment. The right
// program's text is never shown, nor is the change.
#include "judge_internal.h"
#include "nearest.h"
#include "never_written.h"
#include "repair.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 18, NEAR_LINES = 2 };

typedef struct wb_kind_text {
  const char *missing, *wrong; // what is so at the place
  const char *next;
} wb_kind_text;

static const wb_kind_text texts[] = {
    [WB_DIFFERENCE_BARRIER] =
        {"a synchronisation is missing: what one thread writes is used by others before it is "
         "complete",
         "the synchronisation is not the right one",
         "which threads write before this place what others read after it, and do all of them come "
         "here?"},
    [WB_DIFFERENCE_IN_PLACE] =
        {"", "in one step some threads write what others read",
         "read into a variable, wait, then write: which call waits for all that take part?"},
    [WB_DIFFERENCE_STEPS] = {"", "between these lines no thread waits for the others",
                             "each of these lines reads what others have written in the line "
                             "before: which call must stand between?"},
    [WB_DIFFERENCE_MOVED] =
        {"",
         "the synchronisation stands in an `if` or a loop that not all threads take equally "
         "often",
         "where do all threads that it waits for come by, each as often as the others? Behind the "
         "block that it ends?"},
    [WB_DIFFERENCE_BINDS] = {"", "the operators do not bind as it looks: another one comes first",
                             "put in the parentheses that the compiler sees: which operator takes "
                             "the middle operand?"},
    [WB_DIFFERENCE_EMPTY] = {"",
                             "the `;` ends this statement, and what stands below it is done in "
                             "any case",
                             "which statement is the condition (or the loop) to lead?"},
    [WB_DIFFERENCE_SHADOW] =
        {"",
         "it declares a new variable, which ends with its block; the one of the same name "
         "outside stays as it is",
         "which of the two variables is to change here?"},
    [WB_DIFFERENCE_NAN] = {"",
                           "any comparison with a NaN is false, and then the value behind the "
                           "`:` is taken",
                           "work it out for a NaN on either side: which value is left?"},
    [WB_DIFFERENCE_UNSIGNED] =
        {"",
         "an unsigned number is never below 0: what comes after 0 is 4294967295, and the "
         "comparison holds for ever",
         "count upwards, or end where the value has become larger than it can be"},
    [WB_DIFFERENCE_OVERLAP] = {"",
                               "this array begins where another one lies, and what is stored "
                               "in one is stored in both",
                               "how many elements of the other one stand before it?"},
    [WB_DIFFERENCE_EXCHANGED] = {"",
                                 "of two values each is stored at the index, or in the array, "
                                 "that is the other's",
                                 "which of them belongs to which place?"},
    [WB_DIFFERENCE_KEPT] = {"",
                            "what is stored here is worked out from a variable that keeps its old "
                            "value: one operator is not the right one",
                            "what is that variable after this step, and after the next?"},
    [WB_DIFFERENCE_DIVIDED] = {"",
                               "the operator / divides all of the sum in the parentheses, and only "
                               "one part of it is to be divided",
                               "write the formula down: what is divided, and what is added to it?"},
    [WB_DIFFERENCE_CUT] = {"",
                           "the bits above the wanted ones are taken along: an operator and a mask "
                           "are missing that cut them off",
                           "which bits of the word are this value's, and what do the others hold?"},
    [WB_DIFFERENCE_ARGUMENTS] = {"arguments are missing",
                                 "the arguments do not stand in the order of the parameters",
                                 "which value does the function take first, and which next?"},
    [WB_DIFFERENCE_SHUFFLE] =
        {"a shuffle is missing", "the shuffle is not the right one",
         "from which lane does each lane read here? Write it down for lanes 0, 1 and 31"},
    [WB_DIFFERENCE_MASK] = {"the mask is missing", "the mask is not the right one",
                            "name every lane that executes this line, one bit per lane: 0xffffffff "
                            "for all 32"},
    [WB_DIFFERENCE_CONVERSION] =
        {"a change of type is missing that leaves the bits alone",
         "the change of type is not the right one",
         "(float)x converts a number; __uint_as_float() and __float_as_uint() keep the bits"},
    [WB_DIFFERENCE_TYPE] =
        {"a type is missing", "the type is not the right one",
         "what must it hold (fractions, negative numbers, more than 32 bits), and how "
         "many bytes may it take?"},
    [WB_DIFFERENCE_ATOMIC] =
        {"an atomic operation is missing", "the atomic operation is not done as it must be",
         "what does it compare with, what does it write, and what does it return?"},
    [WB_DIFFERENCE_NO_ATOMIC] =
        {"an atomic operation is missing",
         "several threads do this to one element, and it is no atomic operation",
         "which atomic reads the element, changes it and writes it back in one step?"},
    [WB_DIFFERENCE_CONDITION] =
        {"a condition is missing: this is done by more threads, or more often, than it may",
         "the condition is not the right one",
         "for which threads and which elements must this be done, and for which not?"},
    [WB_DIFFERENCE_COMPARISON] =
        {"a comparison, or a part of its bound, is missing",
         "the comparison is not the right one, or its bound is not",
         "work it out by hand where both sides are equal, and where they differ by one"},
    [WB_DIFFERENCE_IDENTITY] = {"the identity is missing: the value that changes no result",
                                "this is not the identity, the value that changes no result",
                                "what must a thread hold that has no element?"},
    [WB_DIFFERENCE_START] =
        {"the variable is uninitialised: until a value is stored in it, it holds anything",
         "the variable begins with a value of another one",
         "what must it hold before the first value is put to it?"},
    [WB_DIFFERENCE_STEP] = {"a part of the step is missing", "the step is not the right one",
                            "all threads walk side by side: how far on is each one's next "
                            "element?"},
    [WB_DIFFERENCE_INDEX] = {"a part of the index is missing", "the index is not the right one",
                             "write down the index for threads 0, 1 and 32 of blocks 0 and 1"},
    [WB_DIFFERENCE_ARRAY] = {"an array is missing", "the array is not the right one",
                             "which array holds what is wanted here?"},
    [WB_DIFFERENCE_NUMBER] = {"a number is missing", "the number is not the right one",
                              "what does it stand for: lanes, threads, steps, elements?"},
    [WB_DIFFERENCE_OPERATOR] = {"an operator is missing", "the operator is not the right one",
                                "work this line out by hand for two threads"},
    [WB_DIFFERENCE_ORDER] =
        {"two statements do not stand in the right order",
         "two statements do not stand in the right order",
         "which of the two changes what the other one reads, and which value is "
         "meant: the one before, or the one after?"},
    [WB_DIFFERENCE_STATEMENT] = {"a statement is missing", "this statement is wrong or too much",
                                 "what must have happened by then, and what not?"},
    [WB_DIFFERENCE_OTHER] = {"a part of this line is missing", "this part of the line is wrong",
                             "work this line out by hand for two threads"},
};

// What a verdict may have found that a difference of this kind makes.
static bool goes_with(const wb_difference *d, const wb_verdict *v, bool is_near) {
  wb_difference_kind kind = d->kind;
  bool is_bound =
      kind == WB_DIFFERENCE_COMPARISON && !strstr(d->own, "==") && !strstr(d->own, "!=");
  switch (v->cause) {
  case WB_CAUSE_CHECKERS:
    return is_near && (kind == WB_DIFFERENCE_BARRIER || kind == WB_DIFFERENCE_IN_PLACE ||
                       kind == WB_DIFFERENCE_STEPS);
  case WB_CAUSE_NEGATIVE_INDEX: return kind == WB_DIFFERENCE_TYPE;
  case WB_CAUSE_LANES_NOT_REACHED:
  case WB_CAUSE_BARRIER_NOT_REACHED: return is_near && kind == WB_DIFFERENCE_BARRIER;
  case WB_CAUSE_LESSON: return is_near;
  case WB_CAUSE_TESTED:
  case WB_CAUSE_CHANGED_INPUT: return true; // the place is all that it lacks
  case WB_CAUSE_COST: return is_near && kind != WB_DIFFERENCE_COMPARISON;
  case WB_CAUSE_MEMBER_MASK: return kind == WB_DIFFERENCE_MASK;
  case WB_CAUSE_INDEX:
    return is_near && (kind == WB_DIFFERENCE_COMPARISON || kind == WB_DIFFERENCE_CONDITION);
  case WB_CAUSE_LAST_LOST:
  case WB_CAUSE_ONE_TOO_MANY:
  case WB_CAUSE_TAIL_LOST: return is_bound;
  case WB_CAUSE_WRONG_COMPARISON: return kind == WB_DIFFERENCE_COMPARISON;
  case WB_CAUSE_WRONG_IDENTITY: return kind == WB_DIFFERENCE_IDENTITY;
  case WB_CAUSE_ONE_BLOCK:
  case WB_CAUSE_BLOCKS_OVERLAP: return kind == WB_DIFFERENCE_INDEX;
  default: return false;
  }
}

// Regular files only, so that nothing waits. To be freed; NULL: none, or too long.
static char *read_text(const char *path) {
  struct stat info;
  if (!path || stat(path, &info) || !S_ISREG(info.st_mode) || info.st_size > MOST_BYTES)
    return NULL;
  FILE *file = fopen(path, "re");
  char *text = file ? malloc((size_t)info.st_size + 1) : NULL;
  size_t n = text ? fread(text, 1, (size_t)info.st_size, file) : 0;
  if (file) fclose(file);
  if (text) text[n] = '\0';
  return text;
}

typedef enum evidence { NO_EVIDENCE, COMPARED, NEVER_WRITTEN, TRIED } evidence;

static evidence find_difference(wb_record *records, size_t n_records, const wb_suite *suite,
                                uint64_t seed, unsigned n_jobs, wb_difference *out,
                                wb_never_written *array, bool *barriers_refuted) {
  char *judged = read_text(getenv("SIMT_SOURCE")), *right = read_text(getenv("WB_RIGHT"));
  evidence found = NO_EVIDENCE;
  *barriers_refuted = false;
  if (judged && right && wb_nearest_difference(judged, right, out)) found = COMPARED;
  else if (judged && wb_never_written_find(judged, array)) found = NEVER_WRITTEN;
  else if (judged &&
           wb_report_repair(records, n_records, suite, seed, n_jobs, judged, out, barriers_refuted))
    found = TRIED;
  free(judged);
  free(right);
  return found;
}

// What was said before is kept for the full report.
static void keep_in_reason(wb_verdict *v) {
  size_t used = strlen(v->reason);
  if (*v->explanation && used < sizeof v->reason)
    snprintf(v->reason + used, sizeof v->reason - used, "\nwhat is seen suggests: %s",
             v->explanation);
}

static void name_array(wb_verdict *v, const wb_never_written *array) {
  keep_in_reason(v);
  v->cause = WB_CAUSE_NEVER_WRITTEN;
  v->is_guess = false;
  *v->finding = '\0';
  snprintf(v->explanation, sizeof v->explanation,
           "nothing is ever stored in '%s', which this line reads", array->name);
  snprintf(v->next, sizeof v->next,
           "what must its elements hold here, and which threads have to store it before?");
  snprintf(v->file, sizeof v->file, "%s", getenv("SIMT_SOURCE"));
  v->line = array->line;
}

static void name_place(wb_verdict *v, const wb_difference *d, evidence how) {
  const wb_kind_text *text = &texts[d->kind];
  bool is_between = d->is_missing && d->line > d->line_before, tried = how == TRIED;
  keep_in_reason(v);
  v->cause = WB_CAUSE_ONE_PLACE;
  v->is_guess = false;
  *v->finding = '\0';
  if (is_between)
    snprintf(v->explanation, sizeof v->explanation, "%sbetween lines %u and %u %s%s",
             tried ? "" : "all that is there is right, but ", d->line_before, d->line,
             text->missing, tried ? ": with it the check passes" : "");
  else
    snprintf(v->explanation, sizeof v->explanation, "%s: %s%s%s",
             tried ? "with one change in this line the check passes"
                   : "of all lines only this one is wrong",
             d->is_missing ? text->missing : text->wrong, d->is_missing || !*d->own ? "" : ": ",
             d->own);
  const bool lacks_cases = d->kind == WB_DIFFERENCE_COMPARISON && d->is_missing;
  snprintf(v->next, sizeof v->next, "%s",
           lacks_cases
               ? "for which values must this hold, and for which not? Try the first and the last"
               : text->next);
}

// A race for which the checkers advise a barrier, and another call is how this program waits here.
static void name_wait(wb_verdict *v, const wb_difference *d) {
  keep_in_reason(v);
  snprintf(v->next, sizeof v->next,
           "likely missing: %s between line %u and line %u: with it the check passes", d->waits,
           d->line_before, d->line);
}

// A race that takes more than one call that waits.
static void name_steps(wb_verdict *v, const wb_difference *d) {
  keep_in_reason(v);
  if (d->kind == WB_DIFFERENCE_STEPS)
    snprintf(v->next, sizeof v->next,
             "likely missing: %s after each of lines %u to %u, not after one of them alone: with "
             "them the check passes",
             d->waits, d->line, d->last_line);
  else
    snprintf(v->next, sizeof v->next,
             "line %u overwrites what others read in the same step: read into a variable, %s, then "
             "write: so the check passes",
             d->line, d->waits);
}

// Whether both threads are of one warp.
static bool is_in_warp(const wb_verdict *v) {
#ifdef WORKBOOK_SIMT
  return v->relation == SIMT_RELATION_WARP;
#else
  (void)v;
  return false;
#endif
}

// A race for which the checkers advise a barrier, and one was tried before every statement.
// Where all results are right, the elements are as well, and it takes more than one.
static void doubt_barrier(wb_verdict *v) {
  keep_in_reason(v);
  if (!v->wrong_results)
    snprintf(v->next, sizeof v->next,
             "the results are right as long as the threads happen to come in this order: more "
             "than one call that waits is missing. Put the first one in here%s, then judge again",
             is_in_warp(v) ? " (the lanes of a warp do not run in step, and `volatile` does not "
                             "make them wait: __syncwarp() does)"
                           : "");
  else
    snprintf(v->next, sizeof v->next,
             "do both threads mean this element? If not, an index or a bound is wrong here. If so, "
             "more than one call that waits is missing: one more was tried before every statement, "
             "and none helps alone");
}

// A right program that prints: what that takes is counted, too.
static void name_printing(wb_verdict *v) {
  keep_in_reason(v);
  snprintf(
      v->explanation, sizeof v->explanation,
      "the kernel prints, and what printf reads, stores and executes is counted with the rest");
  snprintf(v->next, sizeof v->next,
           "when you have seen enough, take the printf out again and judge what remains");
}

// The only line of the text that changes a number's type where its bits are to be kept; 0: none, or
// one of several.
static unsigned converted_line(const char *text) {
  static wb_edit_list changes;
  unsigned line = 0;
  if (!wb_repairs_find(text, 0, WB_ORDERS_KNOWN, &changes)) return 0;
  for (size_t i = 0; i < changes.n; i++) {
    if (!changes.at[i].takes_bits) continue;
    if (line != 0 && line != changes.at[i].line) return 0;
    line = changes.at[i].line;
  }
  return line;
}

static void name_conversion(wb_verdict *v) {
  char *text = read_text(getenv("SIMT_SOURCE"));
  const unsigned line = text ? converted_line(text) : 0;
  free(text);
  if (line == 0) return;
  snprintf(v->file, sizeof v->file, "%s", getenv("SIMT_SOURCE"));
  v->line = line;
  snprintf(v->next, sizeof v->next, "%s", texts[WB_DIFFERENCE_CONVERSION].next);
}

void wb_report_nearest(wb_record *records, size_t n_records, const wb_suite *suite, uint64_t seed,
                       unsigned n_jobs) {
  const wb_record *reported = wb_report_total(records, n_records).reported;
  wb_verdict *v = reported ? reported->verdict : NULL;
  wb_difference d;
  wb_never_written array;
  bool barriers_refuted;
  if (!v || v->outcome != WB_FAILED) return;
  if (v->cause == WB_CAUSE_COST && wb_output_copy(NULL, records, n_records) > 0) {
    name_printing(v);
    return;
  }
  evidence how =
      find_difference(records, n_records, suite, seed, n_jobs, &d, &array, &barriers_refuted);
  if (how == NEVER_WRITTEN) name_array(v, &array);
  if (how == NO_EVIDENCE && barriers_refuted && v->wants_barrier) doubt_barrier(v);
  if (how == NO_EVIDENCE && v->line == 0 && v->cause == WB_CAUSE_CONVERTED) name_conversion(v);
  if (how == NO_EVIDENCE && v->line == 0 && v->cause != WB_CAUSE_COST) wb_report_warning(v);
  if (how == NO_EVIDENCE || how == NEVER_WRITTEN) return;
  unsigned apart = v->line > d.line ? v->line - d.line : d.line - v->line;
  bool is_near = v->line && apart <= NEAR_LINES;
  if (!goes_with(&d, v, is_near)) name_place(v, &d, how);
  else if (v->cause == WB_CAUSE_TESTED) snprintf(v->next, sizeof v->next, "%s", texts[d.kind].next);
  const bool is_steps = d.kind == WB_DIFFERENCE_IN_PLACE || d.kind == WB_DIFFERENCE_STEPS;
  if (v->cause == WB_CAUSE_CHECKERS && is_steps) name_steps(v, &d);
  else if (v->cause == WB_CAUSE_CHECKERS && *d.waits) name_wait(v, &d);
  if (is_near && v->cause == WB_CAUSE_CHECKERS) return; // its own two lines say more
  snprintf(v->file, sizeof v->file, "%s", getenv("SIMT_SOURCE"));
  v->line = d.line;
}
