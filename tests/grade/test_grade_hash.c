// SPDX-License-Identifier: MIT
// What names verdicts and files: SHA-256 by its standard's examples, and students' names for files.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "grade/hash.h"
#include "grade/roll.h"
#include "run_suite.h"

static void expect(const char *text, size_t repeats, const char *wanted) {
  grade_hash hash;
  char hex[GRADE_HEX_BYTES];
  grade_hash_begin(&hash);
  for (size_t i = 0; i < repeats; i++) grade_hash_bytes(&hash, text, strlen(text));
  grade_hash_end(&hash, hex);
  ck_assert_str_eq(hex, wanted);
}

// FIPS 180-4's examples, and lengths around a block's end.
START_TEST(digests_of_the_standard)
{
  expect("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  expect("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  expect("a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  expect("a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}
END_TEST

static void hash_two(const char *a, const char *b, char hex[GRADE_HEX_BYTES]) {
  grade_hash hash;
  grade_hash_begin(&hash);
  grade_hash_text(&hash, a);
  grade_hash_text(&hash, b);
  grade_hash_end(&hash, hex);
}

START_TEST(fields_do_not_run_together)
{
  char one[GRADE_HEX_BYTES], two[GRADE_HEX_BYTES], three[GRADE_HEX_BYTES];
  hash_two("ab", "c", one);
  hash_two("a", "bc", two);
  ck_assert_str_ne(one, two);
  hash_two("a", "", two);
  hash_two("a", NULL, three);
  ck_assert_str_ne(two, three);
}
END_TEST

START_TEST(names_for_files)
{
  char id[GRADE_ID_BYTES], other[GRADE_ID_BYTES];
  grade_student_id(id, "ada.lovelace-1815_x");
  ck_assert_str_eq(id, "ada.lovelace-1815_x");
  static const char *const odd[] = {"../../etc/passwd", ".hidden",  "-rf", "a b", "a\nb", "a/b",
                                    "caf\xe9",          "\xce\xa9", "..",  "",    "a_b "};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    grade_student_id(id, odd[i]);
    ck_assert_msg(strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(id), "%s", id);
    ck_assert_msg(id[0] != '.' && strlen(id) > 16, "%s", id);
    for (size_t k = 0; k < i; k++) {
      grade_student_id(other, odd[k]);
      ck_assert_str_ne(id, other);
    }
  }
  char very_long[300];
  memset(very_long, 'x', sizeof very_long - 1);
  very_long[sizeof very_long - 1] = '\0';
  grade_student_id(id, very_long);
  very_long[298] = 'y';
  grade_student_id(other, very_long);
  ck_assert_str_ne(id, other);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("grade_hash");
  TCase *tcase = tcase_create("hash");
  tcase_add_test(tcase, digests_of_the_standard);
  tcase_add_test(tcase, fields_do_not_run_together);
  tcase_add_test(tcase, names_for_files);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
