// SPDX-License-Identifier: MIT
// test_names.c - kernel names in messages.
#include <check.h>
#include <stdlib.h>

#include "names.h"

static void expect(const char *symbol, const char *shown) {
  char out[64];
  ck_assert_str_eq(simt_display_name(symbol, out, sizeof out), shown);
}

START_TEST(names_are_shown_as_written) {
  expect("tree", "tree");
  expect("_Z4treePKfPfj", "tree");
  expect("_ZL4treePKf", "tree");
  expect("_Z9transposeIdLi16EEvPKT_PS0_ii", "transpose<...>");
  expect("_ZN2ns5inner4treeIfEEvPT_", "ns::inner::tree<...>");
  expect("_ZN12_GLOBAL__N_14treeEv", "(anonymous)::tree");
}
END_TEST

START_TEST(odd_names_are_copied) {
  expect("", "");
  expect("_Z", "_Z");
  expect("_Z99x", "_Z99x");
  expect("_Z0", "_Z0");
  expect("_ZN", "_ZN");
  expect("_Z18446744073709551616x", "_Z18446744073709551616x");
  char out[6];
  ck_assert_str_eq(simt_display_name("a_long_name", out, sizeof out), "a_lon");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("names");
  TCase *c = tcase_create("names");
  tcase_add_test(c, names_are_shown_as_written);
  tcase_add_test(c, odd_names_are_copied);
  suite_add_tcase(suite, c);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
