// SPDX-License-Identifier: MIT
// The file of progress: what is read, kept, changed, and refused.
#define _GNU_SOURCE
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "progress.h"
#include "run_suite.h"

static char folder[] = "/tmp/test-progress-XXXXXX";
static char path[64];

static void make_folder(void) {
  memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/progress.txt", folder);
}
static void remove_folder(void) {
  unlink(path);
  ck_assert_int_eq(rmdir(folder), 0); // no temporary file is left behind
}

static void put(const char *text) {
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

static void expect_file(const char *want) {
  char got[4096] = "";
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  got[fread(got, 1, sizeof got - 1, file)] = '\0';
  fclose(file);
  ck_assert_str_eq(got, want);
}

START_TEST(a_missing_file_is_empty)
{
  tutor_progress progress;
  ck_assert_int_eq(tutor_progress_read(&progress, path, NULL), TUTOR_OK);
  tutor_lesson_state state = tutor_progress_lesson(&progress, "00_naive_atomic");
  ck_assert(!state.passed && state.max_points == 0 && !*state.date);
  ck_assert_ptr_null(tutor_progress_find(&progress, "version", "2"));
  tutor_progress_free(&progress);
}
END_TEST

START_TEST(tries_and_passes)
{
  tutor_progress p;
  ck_assert_int_eq(tutor_progress_parse(&p, "version 1\n", "x", NULL), TUTOR_OK);
  static const struct {
    unsigned points, max_points;
    const char *day, *want;
  } tries[] = {
      {12, 24, "2026-01-01", "12 of 24 open 2026-01-01"},
      {5, 24, "2026-01-02", "12 of 24 open 2026-01-02"},    // the best stays
      {20, 30, "2026-01-03", "20 of 30 open 2026-01-03"},   // another suite, other points
      {30, 30, "2026-01-04", "30 of 30 passed 2026-01-04"}, // passed
      {0, 30, "2026-01-05", "30 of 30 passed 2026-01-04"},  // and passed it stays
  };
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
    ck_assert_int_eq(
        tutor_progress_tried(&p, "01_a", tries[i].points, tries[i].max_points, tries[i].day, NULL),
        TUTOR_OK);
    ck_assert_str_eq(tutor_progress_find(&p, "lesson", "01_a"), tries[i].want);
  }
  ck_assert(tutor_progress_lesson(&p, "01_a").passed);
  ck_assert_ptr_null(tutor_progress_find(&p, "lesson", "01"));
  tutor_progress_free(&p);
}
END_TEST

START_TEST(nothing_is_no_pass)
{
  tutor_progress p;
  ck_assert_int_eq(tutor_progress_parse(&p, "", "x", NULL), TUTOR_OK);
  ck_assert_int_eq(tutor_progress_tried(&p, "01_a", 0, 0, "2026-01-01", NULL), TUTOR_OK);
  ck_assert(!tutor_progress_lesson(&p, "01_a").passed);
  tutor_progress_free(&p);
}
END_TEST

START_TEST(what_is_not_known_is_kept)
{
  tutor_progress p;
  put("# mine\r\nversion 1\nweather 01_a fine\nlesson 01_a 3 of 4 open 2026-01-01\n\nlast word");
  ck_assert_int_eq(tutor_progress_read(&p, path, NULL), TUTOR_OK);
  ck_assert_int_eq(tutor_progress_tried(&p, "01_a", 4, 4, "2026-02-02", NULL), TUTOR_OK);
  ck_assert_int_eq(tutor_progress_set(&p, "question", "01_a/x", "right 2026-02-02", NULL),
                   TUTOR_OK);
  ck_assert_int_eq(tutor_progress_write(&p, path, NULL), TUTOR_OK);
  expect_file("# mine\nversion 1\nweather 01_a fine\nlesson 01_a 4 of 4 passed 2026-02-02\n"
              "last word\nquestion 01_a/x right 2026-02-02\n");
  tutor_progress_free(&p);
}
END_TEST

START_TEST(bad_lines_are_named)
{
  static const char *const bad[] = {
      "lesson 01_a",
      "lesson 01_a 5 of 4 open 2026-01-01",
      "lesson 01_a 3 of 4 done 2026-01-01",
      "lesson 01_a 3 of 4 open yesterday",
      "lesson 01_a 3 of 4 open 2026-01-01 indeed",
      "lesson 01_a x of 4 open 2026-01-01",
      "version 2",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[128];
    tutor_progress p;
    tutor_diag diag = {""};
    snprintf(text, sizeof text, "# a comment\n%s\n", bad[i]);
    ck_assert_msg(tutor_progress_parse(&p, text, "file", &diag) == TUTOR_BAD_INPUT, "'%s'", bad[i]);
    ck_assert_msg(strncmp(diag.text, "file:2: ", 8) == 0, "%s", diag.text);
    tutor_progress_free(&p);
  }
}
END_TEST

START_TEST(a_full_disk_leaves_the_old_file)
{
  tutor_progress p;
  tutor_diag diag = {""};
  put("version 1\nlesson 01_a 3 of 4 open 2026-01-01\n");
  ck_assert_int_eq(tutor_progress_read(&p, path, NULL), TUTOR_OK);
  ck_assert_int_eq(tutor_progress_tried(&p, "01_a", 4, 4, "2026-02-02", NULL), TUTOR_OK);
  struct rlimit before, none = {0, 0};
  signal(SIGXFSZ, SIG_IGN); // writing fails as on a full disk
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
  none.rlim_max = before.rlim_max;
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
  tutor_status status = tutor_progress_write(&p, path, &diag);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
  ck_assert_int_eq(status, TUTOR_IO_ERROR);
  ck_assert_ptr_nonnull(strstr(diag.text, path));
  expect_file("version 1\nlesson 01_a 3 of 4 open 2026-01-01\n");
  ck_assert_int_eq(tutor_progress_write(&p, path, &diag), TUTOR_OK); // there is room again
  tutor_progress_free(&p);
}
END_TEST

START_TEST(a_folder_that_is_not_there)
{
  tutor_progress p;
  tutor_diag diag = {""};
  ck_assert_int_eq(tutor_progress_parse(&p, "version 1\n", "x", NULL), TUTOR_OK);
  ck_assert_int_eq(tutor_progress_write(&p, "/nonexistent/progress.txt", &diag), TUTOR_IO_ERROR);
  ck_assert_ptr_nonnull(strstr(diag.text, "/nonexistent"));
  tutor_progress_free(&p);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("progress");
  TCase *tcase = tcase_create("progress");
  tcase_add_checked_fixture(tcase, make_folder, remove_folder);
  tcase_add_test(tcase, a_missing_file_is_empty);
  tcase_add_test(tcase, tries_and_passes);
  tcase_add_test(tcase, nothing_is_no_pass);
  tcase_add_test(tcase, what_is_not_known_is_kept);
  tcase_add_test(tcase, bad_lines_are_named);
  tcase_add_test(tcase, a_full_disk_leaves_the_old_file);
  tcase_add_test(tcase, a_folder_that_is_not_there);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
