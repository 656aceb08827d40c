// SPDX-License-Identifier: MIT
// The rule of the verdict: one well-formed record per planned check, or a grader error.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "grade/record.h"
#include "run_suite.h"

#define PLAN(check, points)                                                                        \
  "{\"exercise\": \"01_x\", \"check\": \"" check "\", \"max_points\": " #points                    \
  ", \"about\": \"what holds\"}\n"
#define RECORD(check, status, points, max)                                                         \
  "{\"exercise\": \"01_x\", \"check\": \"" check "\", \"status\": \"" status                       \
  "\", \"points\": " #points ", \"max_points\": " #max ", \"reason\": \"why\"}\n"

static grade_exercise exercise;
static grade_diag diag;

static void set_up(void) {
  exercise = (grade_exercise){.name = "01_x", .state = GRADE_NOT_JUDGED};
  ck_assert_int_eq(grade_plan_read(&exercise, PLAN("one", 3) PLAN("two", 2), &diag), GRADE_OK);
}

static void tear_down(void) { grade_exercise_free(&exercise); }

static grade_outcome outcome(size_t i) { return exercise.checks[i].outcome; }

START_TEST(plan_is_read_in_order)
{
  ck_assert_uint_eq(exercise.n_checks, 2);
  ck_assert_str_eq(exercise.checks[0].name, "one");
  ck_assert_uint_eq(exercise.checks[1].max_points, 2);
  ck_assert_str_eq(exercise.checks[1].about, "what holds");
  ck_assert_uint_eq(grade_exercise_max_points(&exercise), 5);
  ck_assert(grade_exercise_has_grader_error(&exercise)); // nothing judged yet: not a zero
}
END_TEST

START_TEST(bad_plans_are_refused)
{
  static const char *const plans[] = {
      "",
      "\n\n",
      "not json\n",
      "[]\n",
      PLAN("one", 1) PLAN("one", 1),
      PLAN("one", -1),
      PLAN("one", 0.5),
      "{\"exercise\": \"02_y\", \"check\": \"a\", \"max_points\": 1}\n",
      "{\"exercise\": \"01_x\", \"max_points\": 1}\n",
      PLAN("one", 1) "{} trailing\n"};
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    grade_exercise e = {.name = "01_x"};
    ck_assert_int_eq(grade_plan_read(&e, plans[i], &diag), GRADE_BAD_RECORD);
    ck_assert_uint_ne(strlen(diag.text), 0);
    grade_exercise_free(&e);
  }
}
END_TEST

START_TEST(complete_records_give_points)
{
  ck_assert_int_eq(
      grade_records_read(&exercise, RECORD("two", "fail", 0, 2) RECORD("one", "pass", 3, 3), &diag),
      GRADE_OK);
  ck_assert_int_eq(outcome(0), GRADE_PASSED);
  ck_assert_int_eq(outcome(1), GRADE_FAILED);
  ck_assert_str_eq(exercise.checks[1].reason, "why");
  ck_assert_uint_eq(grade_exercise_points(&exercise), 3);
  ck_assert(!grade_exercise_has_grader_error(&exercise));
}
END_TEST

START_TEST(missing_record_is_a_grader_error)
{
  ck_assert_int_eq(grade_records_read(&exercise, RECORD("one", "pass", 3, 3), &diag), GRADE_OK);
  ck_assert_int_eq(outcome(0), GRADE_PASSED);
  ck_assert_int_eq(outcome(1), GRADE_GRADER_ERROR);
  ck_assert(grade_exercise_has_grader_error(&exercise));
}
END_TEST

START_TEST(duplicate_record_is_a_grader_error_whatever_it_says)
{
  const char *text =
      RECORD("one", "fail", 0, 3) RECORD("two", "pass", 2, 2) RECORD("one", "pass", 3, 3);
  ck_assert_int_eq(grade_records_read(&exercise, text, &diag), GRADE_OK);
  ck_assert_int_eq(outcome(0), GRADE_GRADER_ERROR);
  ck_assert_uint_eq(exercise.checks[0].points, 0);
  ck_assert_int_eq(outcome(1), GRADE_PASSED);
}
END_TEST

START_TEST(foreign_text_spoils_everything)
{
  static const char *const extras[] = {
      RECORD("three", "pass", 1, 1), "PASS all tests\n", "{\"exercise\": \"01_x\"}\n", "null\n",
      ("{\"exercise\": \"02_y\", \"check\": \"one\", \"status\": \"pass\", \"points\": 3, "
       "\"max_points\": 3, \"reason\": \"\"}\n")};
  for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
    char text[2048];
    strcpy(text, RECORD("one", "pass", 3, 3) RECORD("two", "pass", 2, 2));
    strcat(text, extras[i]);
    tear_down();
    set_up();
    ck_assert_int_eq(grade_records_read(&exercise, text, &diag), GRADE_BAD_RECORD);
    ck_assert_int_eq(outcome(0), GRADE_GRADER_ERROR);
    ck_assert_int_eq(outcome(1), GRADE_GRADER_ERROR);
    ck_assert_uint_eq(grade_exercise_points(&exercise), 0);
  }
}
END_TEST

START_TEST(impossible_records_are_grader_errors)
{
  static const char *const records[] = {
      RECORD("one", "pass", 2, 3), // pass without full points
      RECORD("one", "fail", 3, 3), // full points without pass
      RECORD("one", "pass", 4, 4), // other points than planned
      RECORD("one", "error", 1, 3),  RECORD("one", "great", 3, 3),
      RECORD("one", "pass", 3.5, 3), "{\"exercise\": \"01_x\", \"check\": \"one\"}\n"};
  for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
    tear_down();
    set_up();
    grade_records_read(&exercise, records[i], &diag);
    ck_assert_int_eq(outcome(0), GRADE_GRADER_ERROR);
    ck_assert_uint_eq(exercise.checks[0].points, 0);
  }
}
END_TEST

START_TEST(deciding_for_all)
{
  ck_assert_int_eq(grade_exercise_decide(&exercise, GRADE_NOT_COMPILED, "line 3"), GRADE_OK);
  ck_assert_int_eq(outcome(0), GRADE_FAILED);
  ck_assert_str_eq(exercise.checks[1].reason, "line 3");
  ck_assert(!grade_exercise_has_grader_error(&exercise));
  ck_assert_int_eq(grade_exercise_decide(&exercise, GRADE_NOT_JUDGED, "disk full"), GRADE_OK);
  ck_assert_int_eq(outcome(0), GRADE_GRADER_ERROR);
  ck_assert(grade_exercise_has_grader_error(&exercise));
}
END_TEST

START_TEST(a_copied_plan_has_no_verdicts)
{
  grade_exercise copy = {0};
  grade_records_read(&exercise, RECORD("one", "pass", 3, 3) RECORD("two", "pass", 2, 2), &diag);
  ck_assert_int_eq(grade_plan_copy(&copy, &exercise), GRADE_OK);
  ck_assert_uint_eq(copy.n_checks, 2);
  ck_assert_uint_eq(grade_exercise_points(&copy), 0);
  ck_assert_int_eq(copy.checks[0].outcome, GRADE_GRADER_ERROR);
  grade_exercise_free(&copy);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("grade_record");
  TCase *tcase = tcase_create("record");
  tcase_add_checked_fixture(tcase, set_up, tear_down);
  tcase_add_test(tcase, plan_is_read_in_order);
  tcase_add_test(tcase, bad_plans_are_refused);
  tcase_add_test(tcase, complete_records_give_points);
  tcase_add_test(tcase, missing_record_is_a_grader_error);
  tcase_add_test(tcase, duplicate_record_is_a_grader_error_whatever_it_says);
  tcase_add_test(tcase, foreign_text_spoils_everything);
  tcase_add_test(tcase, impossible_records_are_grader_errors);
  tcase_add_test(tcase, deciding_for_all);
  tcase_add_test(tcase, a_copied_plan_has_no_verdicts);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
