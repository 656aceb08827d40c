// SPDX-License-Identifier: MIT
// A screenful: never larger than the screen, never with a byte that would control a terminal.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"
#include "run_suite.h"

static const char *const lessons[] = {"00_a", "01_b"};
static tutor_model model;
static tutor_frame frame;

static void begin(void) { tutor_model_init(&model, lessons, 2, 0); }
static void end(void) {
  tutor_frame_free(&frame);
  tutor_model_free(&model);
}

static void draw(size_t rows, size_t columns, bool utf8) {
  tutor_frame_free(&frame);
  ck_assert_int_eq(tutor_view(&model, rows, columns, utf8, &frame), TUTOR_OK);
  ck_assert_uint_eq(frame.n_lines, rows > 4 ? rows : 1);
}

static bool shows(const char *text) {
  for (size_t i = 0; i < frame.n_lines; i++)
    if (strstr(frame.lines[i].text, text)) return true;
  return false;
}

static size_t width(const char *text) {
  size_t n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
  return n;
}

static void fail_with(const char *reason) {
  char text[1024];
  tutor_results results;
  snprintf(text, sizeof text,
           "{\"exercises\": [{\"exercise\": \"00_a\", \"state\": \"judged\", \"points\": 3, "
           "\"max_points\": 9, \"checks\": [{\"check\": \"first\", \"status\": \"pass\", "
           "\"max_points\": 3}, {\"check\": \"second\", \"status\": \"fail\", \"max_points\": 6, "
           "\"reason\": \"%s\", \"file\": \"a.cu\", \"line\": 7, \"explanation\": \"why\", "
           "\"hint\": \"look\"}]}]}",
           reason);
  ck_assert_int_eq(tutor_results_parse(&results, text, "x", NULL), TUTOR_OK);
  tutor_model_judged(&model, &results, "");
}

START_TEST(a_verdict)
{
  fail_with("it is wrong");
  draw(24, 80, true);
  static const char *const wanted[] = {"1 of 2 checks passed, 3 of 9 points",
                                       "ok    first",
                                       "FAIL  second",
                                       "First failure: second",
                                       "it is wrong",
                                       "at a.cu:7",
                                       "likely cause: why",
                                       "hint: look",
                                       "q quit"};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    ck_assert_msg(shows(wanted[i]), "'%s' is not shown", wanted[i]);
}
END_TEST

START_TEST(after_a_pass)
{
  tutor_results results;
  ck_assert_int_eq(tutor_results_parse(&results,
                                       "{\"exercises\": [{\"exercise\": \"00_a\", \"state\": "
                                       "\"judged\", \"checks\": [{\"check\": \"only\", "
                                       "\"status\": \"pass\"}]}]}",
                                       "x", NULL),
                   TUTOR_OK);
  tutor_model_judged(&model, &results, "");
  tutor_model_text(&model, TUTOR_DO_AFTER, "learnt\n", true);
  draw(24, 80, true);
  size_t learnt = 0, check = 0;
  for (size_t i = 0; i < frame.n_lines; i++) {
    if (strcmp(frame.lines[i].text, "learnt") == 0) learnt = i;
    if (strstr(frame.lines[i].text, "ok    only")) check = i;
  }
  ck_assert(shows("all is right"));
  ck_assert_uint_gt(learnt, 0);
  ck_assert_uint_gt(check, learnt); // what is new comes first
}
END_TEST

START_TEST(any_size)
{
  fail_with("a reason with words enough that it has to be broken into lines on a narrow screen");
  static const size_t sizes[][2] = {{1, 1}, {2, 3}, {4, 80}, {5, 1}, {6, 10}, {24, 80}, {60, 200}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    draw(sizes[i][0], sizes[i][1], true);
    for (size_t k = 0; k < frame.n_lines; k++)
      ck_assert_uint_le(width(frame.lines[k].text), sizes[i][1]);
  }
}
END_TEST

START_TEST(nothing_controls_the_terminal)
{
  tutor_model_judged(&model, NULL,
                     "a\x1b[2J\x07\x08\x7f\t\xc2\x9b"
                     "31m\xff\xc3\n\xe2\x9c\x93 fine\n\xf0\x9f");
  draw(24, 80, true);
  for (size_t i = 0; i < frame.n_lines; i++)
    for (const char *c = frame.lines[i].text; *c; c++)
      ck_assert((unsigned char)*c >= 0x20 && *c != 0x7f && (unsigned char)*c != 0x9b);
  ck_assert(shows("a?[2J??? ??31m??"));
  ck_assert(shows("\xe2\x9c\x93 fine"));
  draw(24, 80, false);
  ck_assert(shows("? fine"));
}
END_TEST

START_TEST(scrolling_ends_at_the_end)
{
  char text[800] = "";
  for (int i = 0; i < 100; i++) sprintf(text + strlen(text), "l%d\n", i);
  tutor_model_judged(&model, NULL, text);
  draw(24, 80, true);
  ck_assert(shows("l0") && shows("l19") && !shows("l20") && shows("80 more lines"));
  for (int i = 0; i < 50; i++) {
    tutor_model_key(&model, TUTOR_KEY_PAGE_DOWN);
    draw(24, 80, true);
  }
  ck_assert(shows("l99") && shows("l80") && !shows("l79"));
  tutor_model_key(&model, TUTOR_KEY_UP);
  draw(24, 80, true);
  ck_assert(shows("l79") && !shows("l99"));
}
END_TEST

START_TEST(what_is_chosen_is_in_view)
{
  fail_with("x");
  tutor_model_key(&model, 'c');
  tutor_model_key(&model, TUTOR_KEY_DOWN);
  tutor_model_key(&model, TUTOR_KEY_DOWN);
  draw(6, 40, true);
  bool chosen = false;
  for (size_t i = 0; i < frame.n_lines; i++)
    chosen = chosen || (frame.lines[i].style == TUTOR_CHOSEN &&
                        strstr(frame.lines[i].text, "second") != NULL);
  ck_assert(chosen);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("view");
  TCase *tcase = tcase_create("view");
  tcase_add_checked_fixture(tcase, begin, end);
  tcase_add_test(tcase, a_verdict);
  tcase_add_test(tcase, after_a_pass);
  tcase_add_test(tcase, any_size);
  tcase_add_test(tcase, nothing_controls_the_terminal);
  tcase_add_test(tcase, scrolling_ends_at_the_end);
  tcase_add_test(tcase, what_is_chosen_is_in_view);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
