// SPDX-License-Identifier: MIT
// Hostile text made safe for terminals, JSON and spreadsheets.
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "grade/text.h"
#include "run_suite.h"

static void safe_is(const char *in, const char *want) {
  char out[256];
  ck_assert_str_eq(grade_text_safe(out, sizeof out, in), want);
}

START_TEST(safe_text_keeps_what_is_printable)
{
  safe_is("", "");
  safe_is("Ada Lovelace", "Ada Lovelace");
  safe_is("Žluťoučký 수학 🙂", "Žluťoučký 수학 🙂");
}
END_TEST

START_TEST(safe_text_escapes_what_is_not)
{
  safe_is("a\nb\r\t", "a\\nb\\r\\t");
  safe_is("\x1b[31mred", "\\x1b[31mred");
  safe_is("back\\slash", "back\\\\slash");
  safe_is("\x7f", "\\x7f");
  safe_is("caf\xe9", "caf\\xe9");                      // Latin-1, not UTF-8
  safe_is("\xc0\xaf", "\\xc0\\xaf");                   // overlong '/'
  safe_is("\xed\xa0\x80", "\\xed\\xa0\\x80");          // surrogate
  safe_is("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); // beyond Unicode
  safe_is("\xe2\x80\xae"
          "evil",
          "\\xe2\\x80\\xae"
          "evil"); // right-to-left override
  safe_is("\xef\xbb\xbf"
          "bom",
          "\\xef\\xbb\\xbf"
          "bom");
  safe_is("\xe2\x82", "\\xe2\\x82"); // cut in the middle
}
END_TEST

START_TEST(safe_text_tells_different_names_apart)
{
  char a[32], b[32];
  grade_text_safe(a, sizeof a, "x\n");
  grade_text_safe(b, sizeof b, "x\\n");
  ck_assert_str_ne(a, b);
}
END_TEST

START_TEST(safe_text_is_cut_at_whole_characters)
{
  char out[5];
  ck_assert_str_eq(grade_text_safe(out, sizeof out, "abc\xc3\xa9"), "abc");
  ck_assert_str_eq(grade_text_safe(out, sizeof out, "abcd\n"), "abcd");
  ck_assert_str_eq(grade_text_safe(out, 1, "abc"), "");
}
END_TEST

START_TEST(messages_keep_their_lines)
{
  char out[64];
  ck_assert_str_eq(grade_text_message(out, sizeof out, "a\n\tb\\c\x1b"), "a\n\tb\\c\\x1b");
}
END_TEST

START_TEST(columns_count_characters)
{ ck_assert_uint_eq(grade_text_columns("é수a"), 3); }
END_TEST

static void csv_is(const char *in, const char *want) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ck_assert_ptr_nonnull(out);
  grade_csv_field(out, in);
  fclose(out);
  ck_assert_str_eq(text, want);
  free(text);
}

START_TEST(csv_quotes_and_defuses)
{
  csv_is("ada", "ada");
  csv_is("", "");
  csv_is("Lovelace, Ada", "\"Lovelace, Ada\"");
  csv_is("say \"hi\"", "\"say \"\"hi\"\"\"");
  csv_is("two\nlines", "\"two\nlines\"");
  csv_is("=1+1", "\"'=1+1\"");
  csv_is("+1", "\"'+1\"");
  csv_is("-1", "\"'-1\"");
  csv_is("@SUM(A1)", "\"'@SUM(A1)\"");
  csv_is("\tx", "\"'\tx\"");
  csv_is("a=1", "a=1");
  csv_is(" =1", "\"' =1\"");
  csv_is("\xef\xbc\x9d"
         "1",
         "\"'\xef\xbc\x9d"
         "1\"");                       // a wide equals sign
  csv_is("a;=1+1;b", "\"a;'=1+1;b\""); // separators of other spreadsheets
  csv_is("a\t@x", "\"a\t'@x\"");
  csv_is("two\n-1", "\"two\n'-1\"");
  csv_is("a; b", "\"a; b\"");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("grade_text");
  TCase *tcase = tcase_create("text");
  tcase_add_test(tcase, safe_text_keeps_what_is_printable);
  tcase_add_test(tcase, safe_text_escapes_what_is_not);
  tcase_add_test(tcase, safe_text_tells_different_names_apart);
  tcase_add_test(tcase, safe_text_is_cut_at_whole_characters);
  tcase_add_test(tcase, messages_keep_their_lines);
  tcase_add_test(tcase, columns_count_characters);
  tcase_add_test(tcase, csv_quotes_and_defuses);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
