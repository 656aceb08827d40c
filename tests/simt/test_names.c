// SPDX-License-Identifier: MIT
// test_names.c - names of kernels and variables in messages.
#include <check.h>
#include <string.h>

#include "base/names.h"
#include "run_suite.h"

static void expect(const char *symbol, const char *shown) {
  char out[64];
  ck_assert_str_eq(simt_display_name(symbol, out, sizeof out), shown);
}

START_TEST(names_are_shown_as_written)
{
  expect("tree", "tree");
  expect("_Z4treePKfPfj", "tree");
  expect("_ZL4treePKf", "tree");
  expect("_Z9transposeIdLi16EEvPKT_PS0_ii", "transpose<double, 16>");
  expect("_ZN2ns5inner4treeIfEEvPT_", "ns::inner::tree<float>");
  expect("_Z4foldILj32EEvPKfPfj", "fold<32>");
  expect("_ZL10sum_blocksI9plain_sumEvPKfP6float2j", "sum_blocks<plain_sum>");
  expect("_Z4tileILb1ELin4EEvv", "tile<true, -4>");
  expect("_Z4treeIPKfLj3EEvv", "tree<...>");
  expect("_ZN12_GLOBAL__N_14treeEv", "(anonymous)::tree");
}
END_TEST

START_TEST(odd_names_are_copied)
{
  expect("", "");
  expect("_Z", "_Z");
  expect("_Z99x", "_Z99x");
  expect("_Z0", "_Z0");
  expect("_ZN", "_ZN");
  expect("_Z18446744073709551616x", "_Z18446744073709551616x");
  expect("_Z4treeI", "tree<...>");
  expect("_Z4treeIL", "tree<...>");
  expect("_Z4treeILj", "tree<...>");
  expect("_Z4treeIf", "tree<...>");
  char out[6];
  ck_assert_str_eq(simt_display_name("a_long_name", out, sizeof out), "a_lon");
}
END_TEST

static void expect_variable(const char *symbol, const char *shown) {
  char out[64];
  ck_assert_str_eq(simt_display_variable(symbol, strlen(symbol), out, sizeof out), shown);
}

START_TEST(variables_are_shown_without_their_function)
{
  expect_variable("table", "table");
  expect_variable("_ZZ4treePKfPfE3sum", "sum");
  expect_variable("_ZZ4treevE4sumE", "sumE");
  expect_variable("_ZZ4treePKfE3sum_0", "sum");
  expect_variable("_ZZ9transposeIdLi16EEvPKT_PS0_iiE4tile", "tile");
  expect_variable("_ZZN2ns9E4treeE3abEvE5E3abc", "E3abc");
  expect_variable("_ZL5count", "count");
  expect_variable("_ZZ4tree", "_ZZ4tree");
  expect_variable("_ZZE99x", "_ZZE99x");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("names");
  TCase *c = tcase_create("names");
  tcase_add_test(c, names_are_shown_as_written);
  tcase_add_test(c, odd_names_are_copied);
  tcase_add_test(c, variables_are_shown_without_their_function);
  suite_add_tcase(suite, c);
  return run_suite(suite);
}
