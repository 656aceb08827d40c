// SPDX-License-Identifier: MIT
// The grader's records, read: a pass takes every check, and a broken file is no verdict.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "run_suite.h"

#define EXERCISE(state, error, checks)                                                             \
  "{\"exercises\": [{\"exercise\": \"01_a\", \"state\": \"" state                                  \
  "\", \"points\": 5, \"max_points\": 9, \"grader_error\": " error                                 \
  ", \"message\": \"\", \"checks\": [" checks "]}]}"
#define CHECK(status)                                                                              \
  "{\"check\": \"sizes\", \"status\": \"" status                                                   \
  "\", \"points\": 5, \"max_points\": 5, \"line\": 7, \"file\": \"a.cu\"}"

START_TEST(a_pass_takes_every_check)
{
  static const struct {
    const char *text;
    bool passed;
  } cases[] = {
      {EXERCISE("judged", "false", CHECK("pass")), true},
      {EXERCISE("judged", "false", CHECK("pass") "," CHECK("pass")), true},
      {EXERCISE("judged", "false", CHECK("pass") "," CHECK("fail")), false},
      {EXERCISE("judged", "true", CHECK("grader_error")), false},
      {EXERCISE("judged", "true", CHECK("pass")), false},
      {EXERCISE("not_compiled", "false", CHECK("pass")), false},
      {EXERCISE("judged", "false", ""), false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tutor_results results;
    ck_assert_int_eq(tutor_results_parse(&results, cases[i].text, "x", NULL), TUTOR_OK);
    ck_assert_uint_eq(results.n_exercises, 1);
    ck_assert_msg(tutor_result_passed(&results.exercises[0]) == cases[i].passed, "%s",
                  cases[i].text);
    tutor_results_free(&results);
  }
}
END_TEST

START_TEST(a_record_in_full)
{
  tutor_results results;
  ck_assert_int_eq(
      tutor_results_parse(&results, EXERCISE("judged", "false", CHECK("fail")), "x", NULL),
      TUTOR_OK);
  const tutor_result *r = &results.exercises[0];
  ck_assert_str_eq(r->name, "01_a");
  ck_assert_uint_eq(r->points, 5);
  ck_assert_uint_eq(r->max_points, 9);
  ck_assert_str_eq(r->checks[0].name, "sizes");
  ck_assert_int_eq(r->checks[0].outcome, TUTOR_FAILED);
  ck_assert_uint_eq(r->checks[0].line, 7);
  ck_assert_str_eq(r->checks[0].hint, "");
  tutor_results_free(&results);
}
END_TEST

START_TEST(what_is_no_verdict)
{
  static const char *const bad[] = {
      "",
      "{\"exercises\": [",
      "{}",
      "{\"exercises\": [{}]}",
      "{\"exercises\": [{\"exercise\": \"01_a\"}]}",
      EXERCISE("judged", "false", "{}"),
      EXERCISE("judged", "false", CHECK("maybe")),
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tutor_results results;
    tutor_diag diag = {""};
    ck_assert_msg(tutor_results_parse(&results, bad[i], "x", &diag) == TUTOR_BAD_INPUT, "%s",
                  bad[i]);
    ck_assert(*diag.text);
    tutor_results_free(&results);
  }
  tutor_results results;
  ck_assert_int_eq(tutor_results_read(&results, "/nonexistent", NULL), TUTOR_IO_ERROR);
  tutor_results_free(&results);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("results");
  TCase *tcase = tcase_create("results");
  tcase_add_test(tcase, a_pass_takes_every_check);
  tcase_add_test(tcase, a_record_in_full);
  tcase_add_test(tcase, what_is_no_verdict);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
