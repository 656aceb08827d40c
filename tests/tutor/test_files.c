// SPDX-License-Identifier: MIT
// What counts as a save, with time passed in: no test waits for a clock.
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "run_suite.h"

static char folder[] = "/tmp/test-files-XXXXXX";
static char path[64], other[64];
static tutor_watcher watcher;
static int64_t now_ms;
static long tick; // of the file's own clock, which is coarser than a test is quick

static void put(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
  struct timespec times[2] = {{0, UTIME_OMIT}, {1000000 + ++tick, 0}};
  ck_assert_int_eq(utimensat(AT_FDCWD, name, times, 0), 0);
}

static void begin(void) {
  memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.cu", folder);
  snprintf(other, sizeof other, "%s/b.cu", folder);
  put(path, "one");
  tutor_watcher_open(&watcher, path, now_ms = 0);
}

static void end(void) {
  tutor_watcher_close(&watcher);
  unlink(path);
  unlink(other);
  rmdir(folder);
}

static tutor_change look(int64_t after_ms) {
  return tutor_watcher_look(&watcher, now_ms += after_ms);
}

START_TEST(nothing_happens)
{
  ck_assert_int_eq(look(0), TUTOR_UNCHANGED);
  put(other, "another file");
  ck_assert_int_eq(look(10000), TUTOR_UNCHANGED);
  ck_assert_int_eq(look(10000), TUTOR_UNCHANGED);
}
END_TEST

START_TEST(a_save_counts_once_it_rests)
{
  put(path, "t");
  ck_assert_int_eq(look(1), TUTOR_UNCHANGED);
  ck_assert_int_lt(tutor_watcher_patience_ms(&watcher), 100);
  put(path, "two"); // still being written
  ck_assert_int_eq(look(1000), TUTOR_UNCHANGED);
  ck_assert_int_eq(look(1000), TUTOR_SAVED);
  ck_assert_int_eq(look(1000), TUTOR_UNCHANGED);
}
END_TEST

START_TEST(replaced)
{
  put(other, "one");
  ck_assert_int_eq(rename(other, path), 0);
  look(1);
  ck_assert_int_eq(look(1000), TUTOR_SAVED);
}
END_TEST

START_TEST(deleted_and_there_again)
{
  unlink(path);
  look(1);
  ck_assert_int_eq(look(100), TUTOR_UNCHANGED); // it may be half of a replacement
  ck_assert_int_eq(look(1000), TUTOR_GONE);
  ck_assert_int_eq(look(1000), TUTOR_UNCHANGED);
  put(path, "one");
  look(1);
  ck_assert_int_eq(look(1000), TUTOR_SAVED);
}
END_TEST

START_TEST(deleted_and_written_at_once)
{
  unlink(path);
  look(1);
  put(path, "two");
  look(50);
  ck_assert_int_eq(look(1000), TUTOR_SAVED);
}
END_TEST

START_TEST(a_folder_in_its_place)
{
  unlink(path);
  ck_assert_int_eq(mkdir(path, 0700), 0);
  look(1);
  ck_assert_int_eq(look(1000), TUTOR_GONE);
  ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(without_notices)
{
  tutor_watcher_close(&watcher);
  setenv("WORKBOOK_POLL", "1", 1);
  tutor_watcher_open(&watcher, path, now_ms);
  unsetenv("WORKBOOK_POLL");
  ck_assert_ptr_nonnull(watcher.why);
  ck_assert_int_eq(watcher.notices, -1);
  ck_assert_int_le(tutor_watcher_patience_ms(&watcher), 500);
  put(path, "two");
  look(1);
  ck_assert_int_eq(look(1000), TUTOR_SAVED);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("files");
  TCase *tcase = tcase_create("files");
  tcase_add_checked_fixture(tcase, begin, end);
  tcase_add_test(tcase, nothing_happens);
  tcase_add_test(tcase, a_save_counts_once_it_rests);
  tcase_add_test(tcase, replaced);
  tcase_add_test(tcase, deleted_and_there_again);
  tcase_add_test(tcase, deleted_and_written_at_once);
  tcase_add_test(tcase, a_folder_in_its_place);
  tcase_add_test(tcase, without_notices);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
