// SPDX-License-Identifier: MIT
// The state machine of `make watch`: what each event asks for, and what never happens.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "run_suite.h"

static const char *const lessons[] = {"00_a", "01_b", "02_c"};
static tutor_model model;

static void begin(void) {
  tutor_model_init(&model, lessons, 3, 1);
  ck_assert_int_eq(tutor_model_take(&model), TUTOR_DO_OPEN);
  ck_assert_int_eq(tutor_model_take(&model), TUTOR_DO_JUDGE);
  ck_assert_int_eq(tutor_model_take(&model), TUTOR_DO_NOTHING);
}
static void end(void) { tutor_model_free(&model); }

static void expect(tutor_action action) {
  ck_assert_int_eq(tutor_model_take(&model), action);
  ck_assert_int_eq(tutor_model_take(&model), TUTOR_DO_NOTHING);
}

static void judged(const char *name, const char *status) {
  char text[512];
  tutor_results results;
  snprintf(text, sizeof text,
           "{\"exercises\": [{\"exercise\": \"%s\", \"state\": \"judged\", \"points\": 1, "
           "\"max_points\": 1, \"checks\": [{\"check\": \"x\", \"status\": \"%s\"}, "
           "{\"check\": \"y\", \"status\": \"%s\"}]}]}",
           name, status, status);
  ck_assert_int_eq(tutor_results_parse(&results, text, "x", NULL), TUTOR_OK);
  tutor_model_judged(&model, &results, "said");
  ck_assert_ptr_null(results.exercises); // the model has them
}

START_TEST(a_pass_stays_here)
{
  judged("01_b", "pass");
  ck_assert(model.passed);
  expect(TUTOR_DO_AFTER);
  ck_assert_uint_eq(model.lesson, 1);
  tutor_model_text(&model, TUTOR_DO_AFTER, "well done", true);
  ck_assert_str_eq(model.after, "well done");
  ck_assert_uint_eq(model.lesson, 1);
  tutor_model_saved(&model); // the next verdict is about the next text
  expect(TUTOR_DO_JUDGE);
  judged("01_b", "fail");
  ck_assert_ptr_null(model.after);
  ck_assert(model.passed); // once passed, its solution is no secret
}
END_TEST

START_TEST(a_failure)
{
  judged("01_b", "fail");
  expect(TUTOR_DO_NOTHING);
  ck_assert(!model.passed && model.result && model.phase == TUTOR_WAITING);
}
END_TEST

START_TEST(records_of_another_lesson)
{
  judged("02_c", "pass");
  expect(TUTOR_DO_NOTHING);
  ck_assert(!model.passed);
  ck_assert_ptr_null(model.result);
}
END_TEST

START_TEST(no_records)
{
  tutor_model_judged(&model, NULL, "no compiler");
  expect(TUTOR_DO_NOTHING);
  ck_assert_ptr_null(model.result);
  ck_assert_str_eq(model.said, "no compiler");
}
END_TEST

START_TEST(a_save_while_judging_stops_it_first)
{
  tutor_model_stage(&model, TUTOR_JUDGING);
  tutor_model_saved(&model);
  ck_assert_int_eq(tutor_model_take(&model), TUTOR_DO_STOP);
  expect(TUTOR_DO_JUDGE);
  ck_assert_int_eq(model.phase, TUTOR_STARTING);
}
END_TEST

START_TEST(a_late_word_changes_nothing)
{
  judged("01_b", "fail");
  tutor_model_stage(&model, TUTOR_COMPILING);
  ck_assert_int_eq(model.phase, TUTOR_WAITING);
}
END_TEST

START_TEST(deleted)
{
  tutor_model_gone(&model);
  expect(TUTOR_DO_STOP);
  ck_assert(model.file_gone);
  tutor_model_key(&model, TUTOR_KEY_ENTER);
  expect(TUTOR_DO_NOTHING); // nothing to judge
  tutor_model_saved(&model);
  expect(TUTOR_DO_JUDGE);
  ck_assert(!model.file_gone);
}
END_TEST

START_TEST(from_lesson_to_lesson)
{
  judged("01_b", "pass");
  expect(TUTOR_DO_AFTER);
  tutor_model_key(&model, 'n');
  ck_assert_uint_eq(model.lesson, 2);
  ck_assert(!model.passed && !model.result && !model.hint);
  ck_assert_int_eq(tutor_model_take(&model), TUTOR_DO_OPEN);
  expect(TUTOR_DO_JUDGE);
  tutor_model_key(&model, 'n'); // there is no next one
  ck_assert_uint_eq(model.lesson, 2);
  expect(TUTOR_DO_NOTHING);
  ck_assert(*model.status);
  tutor_model_key(&model, 'p'); // it is being judged
  ck_assert_int_eq(tutor_model_take(&model), TUTOR_DO_STOP);
  ck_assert_int_eq(tutor_model_take(&model), TUTOR_DO_OPEN);
  expect(TUTOR_DO_JUDGE);
}
END_TEST

START_TEST(hints)
{
  for (unsigned i = 1; i <= 4; i++) {
    tutor_model_key(&model, 'h');
    expect(TUTOR_DO_HINT);
    ck_assert_uint_eq(model.hint, i < 3 ? i : 3);
  }
}
END_TEST

START_TEST(questions)
{
  static const struct {
    int key, answer;
    tutor_action action;
  } cases[] = {
      {'r', 'y', TUTOR_DO_RESET},   {'r', 'Y', TUTOR_DO_RESET},    {'r', 'n', TUTOR_DO_NOTHING},
      {'r', 'r', TUTOR_DO_NOTHING}, {'s', 'y', TUTOR_DO_SOLUTION}, {'s', 's', TUTOR_DO_NOTHING},
      {'r', 'q', TUTOR_DO_QUIT},    {'r', '\n', TUTOR_DO_NOTHING},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tutor_model_key(&model, cases[i].key);
    ck_assert_int_eq(model.pane, TUTOR_PANE_ASK);
    expect(TUTOR_DO_NOTHING);
    tutor_model_key(&model, cases[i].answer);
    expect(cases[i].action);
    ck_assert_int_eq(model.pane, TUTOR_PANE_VERDICT);
  }
}
END_TEST

START_TEST(the_solution_after_a_pass)
{
  tutor_model_progress(&model, true);
  tutor_model_key(&model, 's');
  expect(TUTOR_DO_SOLUTION);
}
END_TEST

START_TEST(a_save_does_not_answer_a_question)
{
  judged("01_b", "fail");
  tutor_model_key(&model, 'r');
  tutor_model_saved(&model);
  expect(TUTOR_DO_JUDGE);
  ck_assert_int_eq(model.pane, TUTOR_PANE_ASK);
}
END_TEST

START_TEST(a_reset_says_where_the_file_is_until_the_next_save)
{
  judged("01_b", "fail");
  tutor_model_text(&model, TUTOR_DO_RESET, "Your file is kept", true);
  tutor_model_saved(&model); // the reset itself
  ck_assert_str_eq(model.status, "Your file is kept");
  judged("01_b", "fail");
  tutor_model_saved(&model);
  ck_assert_str_eq(model.status, "");
  tutor_model_text(&model, TUTOR_DO_RESET, "Your file is kept", true);
  tutor_model_key(&model, TUTOR_KEY_DOWN);
  ck_assert_str_eq(model.status, "");
}
END_TEST

START_TEST(one_check)
{
  judged("01_b", "fail");
  tutor_model_key(&model, 'c');
  for (int i = 0; i < 9; i++) tutor_model_key(&model, TUTOR_KEY_DOWN); // no further than the last
  tutor_model_key(&model, TUTOR_KEY_ENTER);
  expect(TUTOR_DO_JUDGE);
  ck_assert_str_eq(model.only, "y");
  judged("01_b", "pass"); // of one check: no pass of the exercise
  expect(TUTOR_DO_NOTHING);
  ck_assert(!model.passed);
  tutor_model_key(&model, 'c');
  tutor_model_key(&model, TUTOR_KEY_ENTER);
  expect(TUTOR_DO_JUDGE);
  ck_assert_str_eq(model.only, "");
}
END_TEST

START_TEST(a_list_to_choose_from)
{
  tutor_model_key(&model, 'l');
  expect(TUTOR_DO_LIST);
  tutor_model_text(&model, TUTOR_DO_LIST, "head\na\nb\nc\n", true);
  ck_assert_uint_eq(model.cursor, 1);
  tutor_model_key(&model, TUTOR_KEY_PAGE_DOWN);
  ck_assert_uint_eq(model.cursor, 2);
  tutor_model_key(&model, TUTOR_KEY_ENTER);
  ck_assert_uint_eq(model.lesson, 2);
}
END_TEST

START_TEST(texts)
{
  static const struct {
    int key;
    tutor_action action;
  } cases[] = {{'e', TUTOR_DO_EXPLAIN}, {'t', TUTOR_DO_TRACE}, {'h', TUTOR_DO_HINT}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tutor_model_key(&model, cases[i].key);
    expect(cases[i].action);
    tutor_model_text(&model, cases[i].action, "a text", true);
    ck_assert_int_eq(model.pane, TUTOR_PANE_TEXT);
    ck_assert_str_eq(model.text, "a text");
    tutor_model_key(&model, TUTOR_KEY_ESCAPE);
    ck_assert_int_eq(model.pane, TUTOR_PANE_VERDICT);
  }
}
END_TEST

START_TEST(what_went_wrong_is_said)
{
  tutor_model_key(&model, 'e');
  expect(TUTOR_DO_EXPLAIN);
  tutor_model_text(&model, TUTOR_DO_EXPLAIN, "no such program\nmore", false);
  ck_assert_str_eq(model.status, "no such program");
  ck_assert_int_eq(model.pane, TUTOR_PANE_VERDICT);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("model");
  TCase *tcase = tcase_create("model");
  tcase_add_checked_fixture(tcase, begin, end);
  tcase_add_test(tcase, a_pass_stays_here);
  tcase_add_test(tcase, a_failure);
  tcase_add_test(tcase, records_of_another_lesson);
  tcase_add_test(tcase, no_records);
  tcase_add_test(tcase, a_save_while_judging_stops_it_first);
  tcase_add_test(tcase, a_late_word_changes_nothing);
  tcase_add_test(tcase, deleted);
  tcase_add_test(tcase, from_lesson_to_lesson);
  tcase_add_test(tcase, hints);
  tcase_add_test(tcase, questions);
  tcase_add_test(tcase, the_solution_after_a_pass);
  tcase_add_test(tcase, a_save_does_not_answer_a_question);
  tcase_add_test(tcase, a_reset_says_where_the_file_is_until_the_next_save);
  tcase_add_test(tcase, one_check);
  tcase_add_test(tcase, a_list_to_choose_from);
  tcase_add_test(tcase, texts);
  tcase_add_test(tcase, what_went_wrong_is_said);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
