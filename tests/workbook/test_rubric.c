// SPDX-License-Identifier: MIT
// Rubrics: what is read, what is refused and where, and what a rule allows.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rubric.h"
#include "run_suite.h"

#define GOOD                                                                                       \
  "# a comment\n\nexercise 01_one\ncheck sizes 20 shown\r\n  check tails 30 hidden\n"              \
  "technique 50 after_due all share\n"                                                             \
  "rule shuffles at_least 0.5 x solution - 2 per block: no shuffles\n"                             \
  "rule warp_instructions at_most 2 x solution + 40 per warp: too many\n"

static char error[512];

static bool read_text(wb_rubric *rubric, const char *text) {
  char path[] = "/tmp/rubric-XXXXXX";
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  *error = '\0';
  bool good = wb_rubric_read(rubric, path, error, sizeof error);
  unlink(path);
  return good;
}

START_TEST(a_rubric_is_read)
{
  wb_rubric r;
  ck_assert_msg(read_text(&r, GOOD), "%s", error);
  ck_assert_str_eq(r.exercise, "01_one");
  ck_assert_uint_eq(r.n_checks, 2);
  ck_assert_str_eq(r.checks[1].name, "tails");
  ck_assert_uint_eq(r.checks[1].points, 30);
  ck_assert_int_eq(r.checks[1].visibility, WB_HIDDEN);
  ck_assert(r.has_technique);
  ck_assert_uint_eq(r.technique.points, 50);
  ck_assert_str_eq(r.technique_about, "all share");
  ck_assert_uint_eq(r.n_rules, 2);
  ck_assert(r.rules[0].at_least && !r.rules[1].at_least);
  ck_assert_str_eq(r.rules[1].text, "too many");
}
END_TEST

static void refused(const char *text, const char *place, const char *what) {
  wb_rubric r;
  ck_assert_msg(!read_text(&r, text), "accepted: %s", text);
  ck_assert_msg(strstr(error, place) && strstr(error, what), "'%s' for %s", error, text);
}

START_TEST(what_is_wrong_is_named_with_its_line)
{
  refused("exercise a\nchek sizes 5 shown\n", ":2:", "cannot be read");
  refused("exercise a\nexercise b\n", ":2:", "once");
  refused("exercise a\ncheck sizes five shown\n", ":2:", "cannot be read");
  refused("exercise a\ncheck sizes 5 seen\n", ":2:", "visibility");
  refused("exercise a\ncheck sizes 5 shown extra\n", ":2:", "cannot be read");
  refused("exercise a\ncheck s 5 shown\ncheck s 5 shown\n", ":3:", "twice");
  refused(GOOD "technique 5 shown again\n", ":9:", "second");
  refused(GOOD "rule a at_least 1 x solution + 0 per launch: t\n", ":9:", "allowance");
  refused(GOOD "rule a about 1 x solution + 0 per launch: t\n", ":9:", "at_least or at_most");
  refused(GOOD "rule a at_most nan x solution + 0 per launch: t\n", ":9:", "0 or more");
  refused(GOOD "rule a at_most -1 x solution + 0 per launch: t\n", ":9:", "0 or more");
  refused(GOOD "rule a at_most 1 x solution + 0 per thread: t\n", ":9:", "unit");
  refused(GOOD "rule a at_most 1 x solution + 0 per launch\n", ":9:", "cannot be read");
  refused("check sizes 5 shown\n", ":1:", "no exercise");
  refused("exercise a\ntechnique 5 shown x\n", ":2:", "come together");
  wb_rubric r;
  ck_assert(!wb_rubric_read(&r, "/nonexistent/x.rubric", error, sizeof error));
  ck_assert_ptr_nonnull(strstr(error, "/nonexistent/x.rubric"));
}
END_TEST

START_TEST(bounds_of_rules)
{
  wb_rubric r;
  ck_assert(read_text(&r, GOOD));
  ck_assert_uint_eq(wb_rule_bound(&r.rules[0], 101, 4, 32), 43); // 50.5 - 8, rounded up
  ck_assert_uint_eq(wb_rule_bound(&r.rules[0], 10, 4, 32), 0);
  ck_assert_uint_eq(wb_rule_bound(&r.rules[1], 100, 4, 32), 1480);
  ck_assert(wb_rule_holds(&r.rules[0], 43, 43) && !wb_rule_holds(&r.rules[0], 42, 43));
  ck_assert(wb_rule_holds(&r.rules[1], 43, 43) && !wb_rule_holds(&r.rules[1], 44, 43));
}
END_TEST

START_TEST(a_variant_has_words_of_its_own)
{
  wb_rubric r;
  ck_assert_msg(read_text(&r, GOOD "variant min\nsay max => min\nsay the max of => the least of\n"
                                   "say x > y => x < y\n"),
                "%s", error);
  ck_assert_str_eq(r.variant, "min");
  char *text = wb_rubric_text(&r, "the max of max(x, y), maximal, max_x: x > y, x > yy");
  ck_assert_str_eq(text, "the least of min(x, y), maximal, max_x: x < y, x > yy");
  free(text);
  refused("exercise a\nvariant min\nvariant max\n", ":3:", "cannot be read");
  refused("exercise a\nvariant Min\n", ":2:", "cannot be read");
  refused("exercise a\nsay max = min\n", ":2:", "words cannot be read");
  refused("exercise a\nsay  => min\n", ":2:", "words cannot be read");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rubric");
  TCase *tcase = tcase_create("rubric");
  tcase_add_test(tcase, a_rubric_is_read);
  tcase_add_test(tcase, what_is_wrong_is_named_with_its_line);
  tcase_add_test(tcase, bounds_of_rules);
  tcase_add_test(tcase, a_variant_has_words_of_its_own);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
