// SPDX-License-Identifier: MIT
// test_never_written.c - an array that is read and never written is found by its text; one that may
// be written anywhere is not.
#include "never_written.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const never_written[][2] = { // the body, and the array
    {"__shared__ float values[32]; float x = values[0];", "values"},
    {"__shared__ float a[32], b[32]; a[t] = 1; x = a[t] + b[t];", "b"},
    {"float kept[4][2]; x = fmaxf(kept[t][1], x);", "kept"},
    {"unsigned seen[8]; if (seen[t] == 3) x = seen[t + 1];", "seen"},
    {"float kept[4]; y = __shfl_xor_sync(m, kept[t], 16);", "kept"},
    {"{ float kept[4]; x = kept[0]; } { float kept[4]; kept[0] = 1; x = kept[0]; }", "kept"}};

static const char *const written[] = {
    "__shared__ float values[32]; values[t] = 1; x = values[0];",
    "__shared__ float values[32]; x = values[0]; values[t] += x;",
    "__shared__ float values[32]; fill(values, 32); x = values[0];",
    "__shared__ float values[32]; float *low = values; low[t] = 1; x = values[0];",
    "__shared__ unsigned bins[256]; atomicAdd(&bins[t], 1); x = bins[t];",
    "float kept[4]; load(&x, kept[t], 3); x = kept[0];", // perhaps by reference
    "unsigned n[4]; ++n[t]; x = n[t];",
    "unsigned n[4]; n[t]++; x = n[t];",
    "float kept[4] = {1, 2, 3, 4}; x = kept[t];",
    "float4 v[2]; v[0].x = 1; x = v[0].x;",
    "extern __shared__ float all[]; float *low = all + 32; low[t] = 1; x = all[33];",
    "float kept[4]; for (float &one : kept) one = 1; x = kept[0];",
    "float unused[4]; x = 1;",
    "x = in[t];"};

static const char *kernel(const char *body) {
  static char text[500];
  snprintf(
      text, sizeof text,
      "__global__ void f(const float *in, float *out) {\n  float x, y;\n  %s\n  out[0] = x;\n}\n",
      body);
  return text;
}

START_TEST(what_is_never_written_is_found)
{
  wb_never_written found;
  ck_assert_msg(wb_never_written_find(kernel(never_written[_i][0]), &found), "%s",
                never_written[_i][0]);
  ck_assert_str_eq(found.name, never_written[_i][1]);
  ck_assert_uint_eq(found.line, 3);
}
END_TEST

START_TEST(what_may_be_written_is_not)
{
  wb_never_written found;
  ck_assert_msg(!wb_never_written_find(kernel(written[_i]), &found), "%s: %s", written[_i],
                found.name);
}
END_TEST

START_TEST(the_line_is_that_of_the_first_read)
{
  wb_never_written found;
  ck_assert(wb_never_written_find(
      "void f() {\n  float a[2];\n\n  x = 1;\n  x = a[0];\n  x = a[1];\n}\n", &found));
  ck_assert_uint_eq(found.line, 5);
}
END_TEST

START_TEST(broken_texts_end)
{
  static const char *const texts[] = {"",
                                      "float a[",
                                      "float a[3]",
                                      "{ float a[3]; a",
                                      "float a[2]; a[",
                                      "float a[2]; f(a[0]",
                                      ") float a[2]; , a[0] )"};
  wb_never_written found;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) wb_never_written_find(texts[i], &found);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("never_written");
  TCase *tcase = tcase_create("never_written");
  tcase_add_loop_test(tcase, what_is_never_written_is_found, 0,
                      sizeof never_written / sizeof *never_written);
  tcase_add_loop_test(tcase, what_may_be_written_is_not, 0, sizeof written / sizeof *written);
  tcase_add_test(tcase, the_line_is_that_of_the_first_read);
  tcase_add_test(tcase, broken_texts_end);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int n_failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
