// SPDX-License-Identifier: MIT
// judge_report.c - what the judge reports to programs: the plan and one record per check as JSON
// lines; and which of several failures says most.
//
// A record has one cause, one place and one next step: `cause` (a name of causes.def; `finding`
// says which of the checkers') with its `explanation`, `file` and `line`, and `hint`. `same_as`
// names an earlier check that fails for the same cause; `reason` is what happened; `reported` marks
// the failure that a student is reported. Fields that are unknown are left out.
#include "judge_internal.h"
#include "text.h"

#include <string.h>

static const char *outcome_name(wb_outcome outcome) {
  return outcome == WB_PASSED ? "pass" : outcome == WB_FAILED ? "fail" : "error";
}

const char *wb_cause_name(wb_cause cause) {
  static const char *const names[] = {
#define WB_CAUSE(identifier, name, weight) name,
#include "causes.def"
#undef WB_CAUSE
  };
  return names[(unsigned)cause < WB_CAUSE_COUNT ? cause : WB_CAUSE_NONE];
}

// --- records as JSON lines --------------------------------------------------------------------

static void print_text(FILE *out, const char *key, const char *text) {
  if (!text || !*text) return;
  fprintf(out, ", \"%s\": ", key);
  wb_print_json_string(out, text);
}

void wb_report_plan(FILE *out, const wb_suite *suite, const wb_record *records, size_t n_records) {
  for (size_t i = 0; i < n_records; i++) {
    const wb_check *check = records[i].check;
    fprintf(out, "{\"exercise\": \"%s\", \"check\": \"%s\", \"max_points\": %u, \"about\": ",
            suite->exercise, check->name, check->points);
    wb_print_json_string(out, check->about);
    print_text(out, "visibility", wb_rules_visibility(check->name));
    fputs("}\n", out);
  }
}

// A check's hint helps with a wrong kernel of which no more is known, not with one that is missing,
// empty or could not be judged.
const char *wb_report_next(const wb_record *record) {
  const wb_verdict *v = record->verdict;
  if (*v->next) return v->next;
  bool helps = v->outcome == WB_FAILED && v->launched && !*v->explanation;
  return helps ? record->check->hint : NULL;
}

// The kinds as an array of strings; nothing when there is none.
static void print_findings(FILE *out, const char *kinds) {
  const char *before = ", \"findings\": [";
  for (const char *kind = kinds; *kind; before = ", ") {
    int length = (int)strcspn(kind, " ");
    fprintf(out, "%s\"%.*s\"", before, length, kind);
    kind += length + (kind[length] == ' ');
  }
  if (*kinds) fputs("]", out);
}

static void print_record(FILE *out, const char *exercise, const wb_record *record,
                         bool is_reported) {
  const wb_verdict *v = record->verdict;
  bool passed = v->outcome == WB_PASSED;
  fprintf(out,
          "{\"exercise\": \"%s\", \"check\": \"%s\", \"status\": \"%s\", \"points\": %u, "
          "\"max_points\": %u, \"reason\": ",
          exercise, record->check->name, outcome_name(v->outcome),
          passed ? record->check->points : 0, record->check->points);
  wb_print_json_string(out, passed ? "" : v->reason);
  if (!passed) {
    print_text(out, "cause", wb_cause_name(v->cause));
    print_text(out, "finding", v->finding);
    print_text(out, "explanation", v->explanation);
    print_text(out, "file", v->file);
    if (v->line) fprintf(out, ", \"line\": %u", v->line);
    print_text(out, "same_as", record->same_as ? record->same_as->name : NULL);
    print_text(out, "hint", wb_report_next(record));
    print_text(out, "printed", v->printed);
    if (v->wrong_results) fputs(", \"wrong_results\": true", out);
    print_findings(out, v->findings);
    if (is_reported) fputs(", \"reported\": true", out);
  }
  fputs("}\n", out);
}

void wb_report_records(FILE *out, const wb_suite *suite, const wb_record *records,
                       size_t n_records) {
  const wb_record *reported = wb_report_total(records, n_records).reported;
  for (size_t i = 0; i < n_records; i++)
    print_record(out, suite->exercise, &records[i], &records[i] == reported);
}

// --- guesses ----------------------------------------------------------------------------------

// In how many checks the value is what the hypothesis says, and in how many it is not.
typedef struct support {
  size_t n_for, n_against;
} support;

static support support_of(uint64_t bit, const wb_record *records, size_t n_records) {
  support s = {0, 0};
  for (size_t i = 0; i < n_records; i++) {
    const wb_verdict *v = records[i].verdict;
    s.n_for += v->outcome == WB_FAILED && (v->evidence.fits & bit);
    s.n_against += v->outcome == WB_FAILED && (v->evidence.contradicts & bit);
  }
  return s;
}

enum { NO_GUESS = 64 };

// The hypothesis that fits this value and those of most checks besides; of equal ones the first.
static unsigned best_guess(const wb_verdict *v, const wb_record *records, size_t n_records) {
  unsigned best = NO_GUESS;
  size_t most = 0;
  for (unsigned i = 0; i < NO_GUESS; i++) {
    if (!(v->evidence.fits >> i & 1)) continue;
    support s = support_of(UINT64_C(1) << i, records, n_records);
    if (s.n_for <= 2 * s.n_against || s.n_for <= most) continue;
    best = i;
    most = s.n_for;
  }
  return best;
}

static bool races_between_blocks(const wb_verdict *v) {
#ifdef WORKBOOK_SIMT
  return v->outcome == WB_FAILED && v->cause == WB_CAUSE_CHECKERS &&
         v->checker == SIMT_CHECKER_RACECHECK && v->relation == SIMT_RELATION_GRID;
#else
  (void)v;
  return false;
#endif
}

// A launch of one block is the experiment that separates: blocks that write each other's elements
// have wrong places there, too, if these are worked out wrongly.
static void doubt_races_between_blocks(wb_record *records, size_t n_records) {
  bool one_is_wrong = false;
  for (size_t i = 0; i < n_records; i++) {
    const wb_verdict *v = records[i].verdict;
    one_is_wrong |= v->outcome == WB_FAILED && v->n_blocks == 1 && v->wrong_results &&
                    v->cause != WB_CAUSE_CHECKERS && v->cause != WB_CAUSE_TIME_LIMIT;
  }
  for (size_t i = 0; i < n_records; i++)
    records[i].verdict->is_consequence = one_is_wrong && races_between_blocks(records[i].verdict);
}

// One mistake makes all checks fail: a hypothesis that one value suggests and others contradict was
// a coincidence, and one that more of them share is the better one.
void wb_report_weigh(wb_record *records, size_t n_records) {
  doubt_races_between_blocks(records, n_records);
  for (size_t i = 0; i < n_records; i++) {
    wb_verdict *v = records[i].verdict;
    if (v->outcome != WB_FAILED || !v->is_guess) continue;
    unsigned first = 0, best = best_guess(v, records, n_records);
    char text[WB_CAUSE_BYTES];
    while (!(v->evidence.fits >> first & 1)) first++;
    v->n_support =
        best == NO_GUESS ? 0 : (unsigned)support_of(UINT64_C(1) << best, records, n_records).n_for;
    if (best == first) continue; // its text may say more
    wb_why why = best == NO_GUESS ? WB_UNKNOWN
                                  : wb_hypothesis_why(best, v->operator_name, text, sizeof text);
    v->cause = why.cause;
    snprintf(v->explanation, sizeof v->explanation, "%s", why.text ? why.text : "");
    snprintf(v->next, sizeof v->next, "%s", why.next ? why.next : "");
  }
}

// --- which failures are one -------------------------------------------------------------------

static bool is_same_cause(const wb_verdict *a, const wb_verdict *b) {
  return a->outcome == b->outcome && a->cause == b->cause && a->line == b->line &&
         strcmp(a->file, b->file) == 0 && strcmp(a->next, b->next) == 0 &&
         (a->cause != WB_CAUSE_NONE || *a->explanation);
}

void wb_report_relate(wb_record *records, size_t n_records) {
  for (size_t i = 0; i < n_records; i++)
    for (size_t k = 0; k < i && !records[i].same_as; k++)
      if (records[i].verdict->outcome != WB_PASSED &&
          is_same_cause(records[i].verdict, records[k].verdict))
        records[i].same_as = records[k].check;
}

// --- the failure that says most -----------------------------------------------------------------

// How near a cause is to the mistake itself: what was seen to go wrong at a line says more than
// what a wrong value suggests, and a guess from the value more than the value alone.
static unsigned weight_of_finding(const wb_verdict *v) {
#ifdef WORKBOOK_SIMT
  if (v->is_consequence) return 4; // less than any wrong value
  switch ((simt_checker)v->checker) {
  case SIMT_CHECKER_RACECHECK: return 90 + v->relation; // what orders warps orders lanes as well
  case SIMT_CHECKER_SYNCCHECK: return 90;
  case SIMT_CHECKER_INITCHECK: return 60;
  case SIMT_CHECKER_SCHEDULE: return 8; // it says least
  default: return 75;
  }
#else
  (void)v;
  return 75;
#endif
}

static unsigned weight(const wb_verdict *v) {
  static const unsigned weights[WB_CAUSE_COUNT] = {
#define WB_CAUSE(identifier, name, weight) weight,
#include "causes.def"
#undef WB_CAUSE
  };
  if (v->outcome != WB_FAILED) return 1000; // what could not be judged comes first
  return v->cause == WB_CAUSE_CHECKERS ? weight_of_finding(v) : weights[v->cause];
}

// How many checks fail for the same cause.
static size_t n_alike(const wb_record *record, const wb_record *records, size_t n_records) {
  size_t n = 0;
  if (record->verdict->is_guess && record->verdict->cause != WB_CAUSE_NONE)
    return record->verdict->n_support;
  for (size_t i = 0; i < n_records; i++)
    n += records[i].verdict->outcome == WB_FAILED &&
         records[i].verdict->cause == record->verdict->cause;
  return n;
}

// What a kernel costs tells nothing where its results are wrong: it may have done nothing at all.
static bool is_moot(const wb_record *r, bool are_wrong) {
  return are_wrong && r->verdict->outcome == WB_FAILED && r->verdict->cause == WB_CAUSE_COST;
}

static const wb_record *most_telling(const wb_record *records, size_t n_records) {
  const wb_record *best = NULL;
  bool are_wrong = false;
  for (const wb_record *r = records; r < records + n_records; r++)
    are_wrong |= r->verdict->outcome == WB_FAILED && r->verdict->wrong_results;
  for (const wb_record *r = records; r < records + n_records; r++) {
    if (r->verdict->outcome == WB_PASSED) continue;
    unsigned ours = is_moot(r, are_wrong) ? 0 : 1 + weight(r->verdict),
             others = !best || is_moot(best, are_wrong) ? 0 : 1 + weight(best->verdict);
    if (!best || ours > others ||
        (ours == others && n_alike(r, records, n_records) > n_alike(best, records, n_records)))
      best = r;
  }
  return best;
}

wb_total wb_report_total(const wb_record *records, size_t n_records) {
  wb_total total = {.reported = most_telling(records, n_records)};
  for (size_t i = 0; i < n_records; i++) {
    const wb_record *r = &records[i];
    bool passed = r->verdict->outcome == WB_PASSED, failed = r->verdict->outcome == WB_FAILED;
    total.max_points += r->check->points;
    total.points += passed ? r->check->points : 0;
    total.n_passed += passed;
    total.n_failed += failed;
    total.n_broken += !passed && !failed;
  }
  return total;
}
