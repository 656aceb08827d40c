// SPDX-License-Identifier: MIT
// test_judge.c - tests of the judge: causes of wrong values, and one record per planned check
// whatever becomes of a check's process. No device is used.
#define _POSIX_C_SOURCE 200809L // setenv, fileno, sleep
#include "../../common/workbook/judge_fold.h"
#include "run_suite.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/simt/device/lane.h"

// The harness includes only the software GPU's public header, and has these two again.
_Static_assert(WB_UNINITIALISED == SIMT_POISON_WORD, "what uninitialised memory holds");
_Static_assert((int)WB_LANES == (int)SIMT_LANES, "lanes of a warp");

// --- causes -----------------------------------------------------------------------------------

// Powers of two: every subset has a sum of its own.
static const float powers[8] = {1, 2, 4, 8, 16, 32, 64, 128};

static wb_fold sum_of_eight(void) {
  return (wb_fold){.op = WB_SUM,
                   .input = "in",
                   .output = "out",
                   .a = powers,
                   .n = 8,
                   .count = 8,
                   .block = 8,
                   .start_bits = WB_POISON};
}

static void expect_cause(const wb_fold *fold, float got, const char *wanted) {
  char text[512];
  wb_why why = wb_diagnose(fold, got, text, sizeof text);
  const char *said = why.text ? why.text : "", *next = why.next ? why.next : "";
  ck_assert_msg(strstr(said, wanted) || strstr(next, wanted), "got %g: said \"%s\", \"%s\"",
                (double)got, said, next);
  ck_assert_int_ne(why.cause, WB_CAUSE_NONE);
}

static wb_cause cause_of(const wb_fold *fold, float got) {
  char text[512];
  return wb_diagnose(fold, got, text, sizeof text).cause;
}

START_TEST(causes_are_named)
{
  wb_fold fold = sum_of_eight(); // 255
  float poison;
  uint32_t word = WB_POISON;
  memcpy(&poison, &word, 4);
  ck_assert_int_eq(cause_of(&fold, 127), WB_CAUSE_LAST_LOST);
  ck_assert_int_eq(cause_of(&fold, 510), WB_CAUSE_COUNTED_TWICE);
  ck_assert_int_eq(cause_of(&fold, 255 - 16), WB_CAUSE_LEFT_OUT);
  ck_assert_int_eq(cause_of(&fold, poison), WB_CAUSE_UNFILLED);
  ck_assert_int_eq(cause_of(&fold, 0), WB_CAUSE_NO_ELEMENT);
  ck_assert_int_eq(cause_of(&fold, 99.5f), WB_CAUSE_NONE); // nothing fits: none is claimed
  ck_assert_str_eq(wb_cause_name(WB_CAUSE_LAST_LOST), "last_lost");
  ck_assert_str_eq(wb_cause_name(WB_CAUSE_COUNT), "unknown");
  for (int i = 0; i < WB_CAUSE_COUNT; i++)
    for (int k = 0; k < i; k++)
      ck_assert_str_ne(wb_cause_name((wb_cause)i), wb_cause_name((wb_cause)k));
}
END_TEST

// One mistake makes all checks fail: where a maximum is wrong that would be right without the first
// element, the first element is not what is lost.
START_TEST(a_maximum_that_a_mistake_leaves_right_contradicts_it)
{
  static const float first_is_largest[3] = {5, 1, 1}, second_is_largest[3] = {1, 5, 1};
  wb_fold one = {.op = WB_MAX, .a = first_is_largest, .n = 3, .count = 3, .block = 3};
  wb_fold other = one;
  other.a = second_is_largest;
  const uint64_t fits = wb_hypotheses_weigh(&one, 1).fits;
  const uint64_t against = wb_hypotheses_weigh(&other, 1).contradicts;
  bool found = false;
  char text[512];
  for (unsigned i = 0; i < 64; i++) {
    if (!(fits >> i & 1)) continue;
    if (wb_hypothesis_why(i, "maximum", text, sizeof text).cause != WB_CAUSE_FIRST_LOST) continue;
    found = true;
    ck_assert(against >> i & 1);
    ck_assert(!(wb_hypotheses_weigh(&other, 5).contradicts >> i & 1)); // right, as it would be
  }
  ck_assert(found);
}
END_TEST

START_TEST(sum_causes)
{
  wb_fold fold = sum_of_eight(); // 255
  expect_cause(&fold, 127, "all elements but the last");
  expect_cause(&fold, 254, "all elements but the first");
  expect_cause(&fold, 510, "twice the sum");
  expect_cause(&fold, 1 + 2 + 4 + 8, "first half of the block");
  expect_cause(&fold, 1 + 4 + 16 + 64, "every other element");
  expect_cause(&fold, 1, "the first element alone");
  expect_cause(&fold, 128, "the last element alone");
  fold.count = fold.n = 7, fold.block = 7;
  expect_cause(&fold, 1 + 2 + 4 + 8, "first power of two of elements");
  fold = sum_of_eight();
  expect_cause(&fold, 255 - 16, "element 4 (thread 4 of block 0) was left out");
  expect_cause(&fold, 255 + 32, "element 5 (thread 5 of block 0) was counted twice");
  expect_cause(&fold, 0, "no element has come as far as here");
  expect_cause(&fold, NAN, "no element is NaN");
  fold.has_previous = true;
  fold.previous = 1000;
  expect_cause(&fold, 1000, "previous launch left");
  expect_cause(&fold, 1255, "plus the previous launch's result");
}
END_TEST

// A result that happens to be what the output held is not called a sum with it.
START_TEST(what_was_there_before)
{
  wb_fold fold = sum_of_eight(); // 255
  fold.written = WB_WRITTEN_HERE;
  fold.start_bits = 0;
  ck_assert_int_eq(cause_of(&fold, 0), WB_CAUSE_NO_ELEMENT);
  float far = 1e30f; // 255 more is not seen
  memcpy(&fold.start_bits, &far, sizeof far);
  ck_assert_int_eq(cause_of(&fold, far), WB_CAUSE_ADDED_TO_OLD);
}
END_TEST

START_TEST(sum_of_blocks_causes)
{
  wb_fold fold = sum_of_eight();
  fold.block = 3; // two whole blocks and two more
  expect_cause(&fold, 63, "got the sum of the first 6 elements");
  expect_cause(&fold, 63, "is the tail read?");
  expect_cause(&fold, 7, "blockIdx.x * blockDim.x");
  fold.first = 3, fold.count = 3; // the second block: 8 + 16 + 32
  expect_cause(&fold, 255, "the whole array");
  expect_cause(&fold, 8 + 16 + 32 + 64, "one element too many");
}
END_TEST

START_TEST(memory_causes)
{
  wb_fold fold = sum_of_eight();
  float poison, bait, uninitialised;
  uint32_t words[] = {WB_POISON, WB_BAIT, WB_UNINITIALISED};
  memcpy(&poison, &words[0], 4), memcpy(&bait, &words[1], 4), memcpy(&uninitialised, &words[2], 4);
  expect_cause(&fold, poison, "nothing was written");
  expect_cause(&fold, bait, "outside the arrays");
  expect_cause(&fold, uninitialised, "uninitialised memory");
}
END_TEST

START_TEST(max_causes)
{
  static const float negative[5] = {-5, -3, -1, -4, -2}, with_nan[3] = {-5, NAN, -1};
  wb_fold fold = {.op = WB_MAX,
                  .input = "in",
                  .output = "out",
                  .a = negative,
                  .n = 5,
                  .count = 5,
                  .block = 5,
                  .start_bits = WB_POISON};
  expect_cause(&fold, 0, "wrong identity");
  expect_cause(&fold, 1.17549435e-38f, "FLT_MIN");
  expect_cause(&fold, -5, "got the minimum");
  expect_cause(&fold, -4, "in[2], of thread 2 in block 0");
  expect_cause(&fold, -INFINITY, "no element has come as far as here");
  expect_cause(&fold, 5, "largest magnitude");
  fold.a = with_nan, fold.n = fold.count = 3;
  expect_cause(&fold, NAN, "a NaN among the elements won");
  static const float only_nan[2] = {NAN, NAN};
  fold.a = only_nan, fold.n = fold.count = 2;
  expect_cause(&fold, NAN, "fold in the identity once, on loading");
}
END_TEST

START_TEST(min_causes)
{
  static const float positive[5] = {5, 3, 1, 4, 2};
  wb_fold fold = {.op = WB_MIN,
                  .input = "in",
                  .output = "out",
                  .a = positive,
                  .n = 5,
                  .count = 5,
                  .block = 5,
                  .start_bits = WB_POISON};
  ck_assert(wb_fold_expected(&fold) == 1.0 && wb_fold_bound(&fold) == 0.0);
  expect_cause(&fold, 0, "must hold +INFINITY, not 0");
  expect_cause(&fold, 3.402823466e+38f, "the minimum of nothing is +INFINITY");
  expect_cause(&fold, -INFINITY, "-INFINITY for a maximum and +INFINITY for a minimum");
  expect_cause(&fold, 5, "got the maximum");
  expect_cause(&fold, 4, "a smaller element was lost on the way: in[2], of thread 2 in block 0");
  expect_cause(&fold, INFINITY, "no element has come as far as here");
}
END_TEST

// Two elements per thread: blocks of 2 threads take 4 elements each.
START_TEST(two_a_thread_causes)
{
  wb_fold fold = sum_of_eight();
  fold.block = 2, fold.per_thread = 2, fold.count = 4;
  expect_cause(&fold, 1 + 2, "every thread's first element alone");
  expect_cause(&fold, 1 + 2 + 4, "all elements but the last");
  fold.first = 4, fold.index = 1; // the second block: 16 + 32 + 64 + 128
  expect_cause(&fold, 4 + 8 + 16 + 32, "blockIdx.x times how many?");
  expect_cause(&fold, 240 - 128 - 32, "every other element");
  expect_cause(&fold, 240 - 64, "element 6 (thread 0 of block 1) was left out");
  expect_cause(&fold, 4 + 8 + 64 + 128, "a whole grid apart");
}
END_TEST

static wb_why fifteen(const wb_fold *fold, float got) {
  (void)fold;
  return got == 15.0f ? WB_WHY("the suite knows") : WB_UNKNOWN;
}

START_TEST(the_suite_is_asked_first)
{
  wb_fold fold = sum_of_eight();
  fold.own_cause = fifteen;
  expect_cause(&fold, 15, "the suite knows");
  expect_cause(&fold, 127, "all elements but the last");
}
END_TEST

// 5 values halved with integer division: 5 -> 2 -> 1 folds 0..3 and loses the last one.
START_TEST(odd_halving_cause)
{
  static const float x[7] = {1, 2, 4, 8, 16, 32, 64};
  wb_fold fold = {.op = WB_SUM,
                  .input = "in",
                  .output = "out",
                  .a = x,
                  .n = 7,
                  .count = 7,
                  .block = 7,
                  .start_bits = WB_POISON};
  // 7 -> 3: s = {1+8, 2+16, 4+32}; 3 -> 1: s[0] = 9 + 18: 4, 32 and 64 are lost.
  expect_cause(&fold, 27, "where does the odd one go?");
}
END_TEST

START_TEST(dot_causes)
{
  static const float a[3] = {1, 2, 3}, b[3] = {10, 100, 1000};
  wb_fold fold = {.op = WB_DOT,
                  .input = "a",
                  .output = "out",
                  .a = a,
                  .b = b,
                  .n = 3,
                  .count = 3,
                  .block = 4,
                  .start_bits = WB_POISON};
  ck_assert_double_eq(wb_fold_expected(&fold), 3210.0);
  expect_cause(&fold, 6, "the sum of the first array");
  expect_cause(&fold, 14, "the first array times itself");
  expect_cause(&fold, 1110, "the sum of the second array");
}
END_TEST

// A cause is not claimed when the right value would look the same: all ones but nothing is missing.
START_TEST(no_false_cause)
{
  static const float ones[4] = {1, 1, 1, 1};
  wb_fold fold = {.op = WB_MAX,
                  .input = "in",
                  .output = "out",
                  .a = ones,
                  .n = 4,
                  .count = 4,
                  .block = 4,
                  .start_bits = WB_POISON};
  char text[512];
  wb_why why = wb_diagnose(&fold, 7, text, sizeof text);
  ck_assert_str_eq(why.text, "the value is not among the elements");
  ck_assert_int_eq(why.cause, WB_CAUSE_NOT_AN_ELEMENT);
}
END_TEST

START_TEST(error_bound)
{
  static const float x[3] = {1, -1, 2};
  wb_fold fold = {.op = WB_SUM, .a = x, .n = 3, .count = 3, .block = 32};
  ck_assert_double_eq(wb_fold_bound(&fold), 16 * 0x1p-24); // (3 + 1) u (1 + 1 + 2)
}
END_TEST

// --- records ----------------------------------------------------------------------------------

static void passes(wb_judge *judge) { (void)judge; }
static void fails(wb_judge *judge) {
  wb_judge_fail(judge, "launched \"1\"\tand\ngot \xff 2\\ \xc3\xa9");
}
static void crashes(wb_judge *judge) { (void)judge, abort(); }
static void hangs(wb_judge *judge) {
  (void)judge;
  for (;;) pause();
}
static void leaves(wb_judge *judge) { (void)judge, _exit(0); }

static void loses_the_last(wb_judge *judge) {
  wb_fold fold = sum_of_eight();
  wb_judge_value(judge, &fold, 127);
}
static void knows_its_own(wb_judge *judge) {
  wb_judge_fail_why(judge, WB_WHY("one of this suite's own"), "expected 1, got 2");
}
static void is_empty(wb_judge *judge) {
  wb_judge_fail_why(judge, WB_UNFILLED("Is the blank filled in yet?"), "nothing is there");
}
static void loads(wb_judge *judge) { wb_judge_kernel(judge, "f(int n)"); }

static const wb_check checks[] = {
    {"passes", 3, "about \"this\"", NULL, passes, false},
    {"fails", 4, "that", "look", fails, false},
    {"crashes", 5, "that", NULL, crashes, false},
    {"hangs", 6, "that", NULL, hangs, false},
    {"leaves", 7, "that", NULL, leaves, false},
};
static const wb_suite suite = {"99_test", checks, 5};

static const wb_check failing[] = {
    {"last", 1, "that", "a hint", loses_the_last, false},
    {"own", 1, "that", NULL, knows_its_own, false},
    {"last_again", 1, "that", NULL, loses_the_last, false},
    {"empty", 1, "that", "a hint", is_empty, false},
};
static const wb_suite failing_suite = {"99_failing", failing, 4};
static const wb_check loading[] = {{"loads", 2, "that", "a hint", loads, false}};
static const wb_suite loading_suite = {"99_loading", loading, 1};

// Runs the judge on `tried` with its output in a file; returns its exit status.
static int judge_suite(const wb_suite *tried, const char *arguments, const char *results) {
  char *argv[] = {(char *)"judge", (char *)arguments, NULL};
  setenv("WB_MODULE", "nothing.ptx", 1);
  setenv("WB_LIMIT_S", "0.3", 1);
  setenv("WB_RESULTS", results, 1);
  fflush(stdout);
  if (!freopen("/dev/null", "w", stdout)) return -1;
  return wb_judge_main(arguments ? 2 : 1, argv, tried, tried);
}

static int judge(const char *arguments, const char *results) {
  return judge_suite(&suite, arguments, results);
}

static char *read_all(FILE *file) {
  static char text[16384];
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  return text;
}

START_TEST(one_record_per_check)
{
  FILE *file = tmpfile();
  char where[32];
  snprintf(where, sizeof where, "fd:%d", fileno(file));
  ck_assert_int_eq(judge(NULL, where), 3); // some are neither passed nor failed
  const char *text = read_all(file);
  ck_assert_ptr_nonnull(strstr(text,
                               "{\"exercise\": \"99_test\", \"check\": \"passes\", \"status\": "
                               "\"pass\", \"points\": 3, \"max_points\": 3, \"reason\": \"\"}\n"));
  ck_assert_ptr_nonnull(strstr(text,
                               "\"check\": \"fails\", \"status\": \"fail\", \"points\": 0, "
                               "\"max_points\": 4, \"reason\": \"launched \\\"1\\\"\\u0009and\\n"
                               "got ? 2\\\\ \xc3\xa9\", \"cause\": \"unknown\", "
                               "\"wrong_results\": true}\n"));
  ck_assert_ptr_nonnull(
      strstr(text, "\"check\": \"crashes\", \"status\": \"error\", \"points\": 0"));
  ck_assert_ptr_nonnull(
      strstr(text, "\"check\": \"leaves\", \"status\": \"error\", \"points\": 0"));
  ck_assert_ptr_nonnull(strstr(text, "\"cause\": \"crashed\""));
  ck_assert_ptr_nonnull(strstr(text, "\"cause\": \"time_limit\", \"explanation\": \"a loop"));
  ck_assert_ptr_nonnull(strstr(text, "\"check\": \"hangs\", \"status\": \"fail\", \"points\": 0"));
  ck_assert_ptr_nonnull(strstr(text, "did not end within 0.3 s"));
  fclose(file);
}
END_TEST

static const char *records_of(const wb_suite *tried, int status) {
  FILE *file = tmpfile();
  char where[32];
  snprintf(where, sizeof where, "fd:%d", fileno(file));
  ck_assert_int_eq(judge_suite(tried, NULL, where), status);
  const char *text = read_all(file);
  fclose(file);
  return text;
}

START_TEST(records_have_causes)
{
  const char *text = records_of(&failing_suite, 1);
  ck_assert_ptr_nonnull(strstr(text, "\"check\": \"last\", \"status\": \"fail\""));
  ck_assert_ptr_nonnull(
      strstr(text, "\"cause\": \"last_lost\", \"explanation\": \"got the sum of all "));
  ck_assert_ptr_nonnull(strstr(text, "\"cause\": \"lesson\", \"explanation\": \"one of this"));
  ck_assert_ptr_nonnull(strstr(text, "\"cause\": \"unfilled\""));
  const char *same = strstr(text, "\"same_as\": \"last\"");
  ck_assert_ptr_nonnull(same);
  ck_assert(same > strstr(text, "\"check\": \"last_again\""));
  ck_assert_ptr_null(strstr(same + 1, "\"same_as\""));
  ck_assert_ptr_null(strstr(text, "likely cause")); // said once, in a field of its own
}
END_TEST

START_TEST(a_module_that_cannot_be_loaded_is_an_error)
{
  const char *text = records_of(&loading_suite, 3);
  ck_assert_ptr_nonnull(strstr(text, "\"status\": \"error\", \"points\": 0"));
  ck_assert_ptr_nonnull(strstr(text, "\"cause\": \"module_not_loaded\""));
  ck_assert_ptr_nonnull(strstr(text, "nothing.ptx"));
  ck_assert_ptr_null(strstr(text, "\"hint\""));
}
END_TEST

// Environment variables of Check must not take checks out of the plan.
START_TEST(plan_cannot_be_thinned)
{
  FILE *file = tmpfile();
  char where[32];
  snprintf(where, sizeof where, "fd:%d", fileno(file));
  setenv("CK_RUN_CASE", "passes", 1);
  setenv("CK_EXCLUDE_TAGS", "x", 1);
  setenv("CK_FORK", "no", 1);
  ck_assert_int_eq(judge(NULL, where), 3);
  const char *text = read_all(file);
  size_t lines = 0;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  ck_assert_uint_eq(lines, suite.n_checks);
  fclose(file);
}
END_TEST

static pid_t outside;
static void is_where_the_judge_is(wb_judge *one) {
  if (getpid() != outside) wb_judge_fail(one, "in a process of its own");
}
static const wb_check alone[] = {{"stays", 1, "that", NULL, is_where_the_judge_is, false}};
static const wb_suite alone_suite = {"99_alone", alone, 1};

START_TEST(checks_share_a_process_when_asked)
{
  char *argv[] = {(char *)"judge", (char *)"--module", (char *)"nothing.ptx", NULL};
  ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
  outside = getpid();
  ck_assert_int_eq(wb_judge_main(3, argv, &alone_suite, &alone_suite), 1);
  setenv("WB_FORK", "no", 1);
  ck_assert_int_eq(wb_judge_main(3, argv, &alone_suite, &alone_suite), 0);
  setenv("WB_FORK", "never", 1);
  ck_assert_int_eq(wb_judge_main(3, argv, &alone_suite, &alone_suite), 2);
  unsetenv("WB_FORK");
}
END_TEST

START_TEST(unusable_places)
{
  ck_assert_int_eq(judge(NULL, "/nonexistent/results.jsonl"), 2);
  ck_assert_int_eq(judge(NULL, "fd:banana"), 2);
  ck_assert_int_eq(judge(NULL, "fd:999"), 2);
  ck_assert_int_eq(judge("--nonsense", "/dev/null"), 2);
  unsetenv("WB_MODULE");
}
END_TEST

START_TEST(full_disk)
{ ck_assert_int_eq(judge(NULL, "/dev/full"), 3); }
END_TEST

int main(void) {
  Suite *s = suite_create("judge");
  TCase *causes = tcase_create("causes"), *records = tcase_create("records");
  tcase_add_test(causes, causes_are_named);
  tcase_add_test(causes, sum_causes);
  tcase_add_test(causes, a_maximum_that_a_mistake_leaves_right_contradicts_it);
  tcase_add_test(causes, what_was_there_before);
  tcase_add_test(causes, sum_of_blocks_causes);
  tcase_add_test(causes, memory_causes);
  tcase_add_test(causes, max_causes);
  tcase_add_test(causes, min_causes);
  tcase_add_test(causes, two_a_thread_causes);
  tcase_add_test(causes, the_suite_is_asked_first);
  tcase_add_test(causes, odd_halving_cause);
  tcase_add_test(causes, dot_causes);
  tcase_add_test(causes, no_false_cause);
  tcase_add_test(causes, error_bound);
  tcase_set_timeout(records, 30);
  tcase_add_test(records, one_record_per_check);
  tcase_add_test(records, records_have_causes);
  tcase_add_test(records, a_module_that_cannot_be_loaded_is_an_error);
  tcase_add_test(records, plan_cannot_be_thinned);
  tcase_add_test(records, checks_share_a_process_when_asked);
  tcase_add_test(records, unusable_places);
  tcase_add_test(records, full_disk);
  suite_add_tcase(s, causes);
  suite_add_tcase(s, records);
  return run_suite(s);
}
