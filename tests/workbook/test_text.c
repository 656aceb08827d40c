// SPDX-License-Identifier: MIT
// test_text.c - text that the harness puts out: JSON strings, wrapped lines, complaints on a
// terminal and elsewhere.
#define _GNU_SOURCE 1 // posix_openpt
#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "text.h"
#include "run_suite.h"

static const char *printed(FILE *file) {
  static char text[1024];
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

START_TEST(json_strings_are_json_whatever_they_hold)
{
  static const char *const cases[][2] = {
      {"plain", "\"plain\""},
      {"say \"hi\" \\", "\"say \\\"hi\\\" \\\\\""},
      {"a\nb\tc\x7f", "\"a\\nb\\u0009c\\u007f\""},
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\x89", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\x89\""},
      {"\xff|\xc3|\xc0\xaf|\xed\xa0\x80|\xf5\x80\x80\x80", "\"?|?|\?\?|\?\?\?|\?\?\?\?\""},
  };
  FILE *file = tmpfile();
  wb_print_json_string(file, cases[_i][0]);
  ck_assert_str_eq(printed(file), cases[_i][1]);
}
END_TEST

START_TEST(lines_are_broken_between_words)
{
  char text[200] = "", want[220];
  FILE *file = tmpfile();
  for (int i = 0; i < 18; i++) strcat(text, i ? " word" : "word"); // 89 columns
  strcat(text, "\nown");
  wb_print_wrapped(file, text, 2, 4);
  snprintf(want, sizeof want, "  %.*s\n    %s\n", 74, text, text + 75);
  char *end = strstr(want, "\nown");
  strcpy(end, "\n  own\n"); // a line of the text's own: indented like the first
  ck_assert_str_eq(printed(file), want);
}
END_TEST

START_TEST(long_words_stay_whole)
{
  char text[120];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  FILE *file = tmpfile();
  wb_print_wrapped(file, text, 0, 0);
  ck_assert_uint_eq(strlen(printed(file)), sizeof text);
}
END_TEST

// A message of 90 columns, as `to`, which becomes stderr, gets it; closes `to`.
static const char *complaint(int to, int from) {
  static char text[1024];
  char message[100];
  memset(message, 'x', sizeof message);
  for (int i = 4; i < 88; i += 5) message[i] = ' ';
  message[89] = '\0';
  const int saved = dup(STDERR_FILENO);
  ck_assert(saved >= 0 && dup2(to, STDERR_FILENO) >= 0);
  wb_complain("program", message);
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(to);
  size_t length = 0; // it may come in parts; with no process at the other end, what is left ends
  for (ssize_t n; (n = read(from, text + length, sizeof text - 1 - length)) > 0;)
    length += (size_t)n;
  text[length] = '\0';
  return text;
}

START_TEST(complaints_are_wrapped_on_a_terminal_only)
{
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  const char *text = complaint(ends[1], ends[0]);
  ck_assert_uint_eq(strcspn(text, "\n"), strlen("program: ") + 89);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ck_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  text = complaint(open(ptsname(terminal), O_RDWR | O_NOCTTY), terminal);
  ck_assert_uint_le(strcspn(text, "\r\n"), WB_LINE_COLUMNS);
  ck_assert_ptr_nonnull(strstr(text, "\n  xxxx"));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("workbook_text");
  TCase *all = tcase_create("text");
  tcase_add_loop_test(all, json_strings_are_json_whatever_they_hold, 0, 5);
  tcase_add_test(all, lines_are_broken_between_words);
  tcase_add_test(all, long_words_stay_whole);
  tcase_add_test(all, complaints_are_wrapped_on_a_terminal_only);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
