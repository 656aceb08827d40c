// SPDX-License-Identifier: MIT
// test_nearest.c - where a program differs from a right one: the place, its kind, and that nothing
// is said of programs that are right in another form or wrong in two places.
#include "nearest.h"

#include "changed_text.h"

static const char right[] = "__global__ void f(const float *in, float *out, unsigned n) {\n"
                            "  extern __shared__ float values[]; // one per thread\n"
                            "  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
                            "  values[t] = i < n ? in[i] : 0.0f;\n"
                            "  __syncthreads();\n"
                            "  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {\n"
                            "    if (t < s) values[t] += values[t + s];\n"
                            "    __syncthreads();\n"
                            "  }\n"
                            "  if (t == 0) out[blockIdx.x] = values[0];\n"
                            "}\n";

typedef struct one_change {
  const char *old, *new;
  wb_difference_kind kind;
  unsigned line;
  const char *own;
} one_change;

static const one_change changes[] = {
    {"i < n", "i <= n", WB_DIFFERENCE_COMPARISON, 4, "<="},
    {"i < n", "i < n - 1", WB_DIFFERENCE_COMPARISON, 4, "- 1"},
    {"i < n", "i + 1 < n", WB_DIFFERENCE_COMPARISON, 4, "+ 1"},
    {"s > 0;", "s - 1 > 0;", WB_DIFFERENCE_COMPARISON, 6, "- 1"},
    {": 0.0f", ": 1.0f", WB_DIFFERENCE_IDENTITY, 4, "1.0f"},
    {"  __syncthreads();\n  for", "  for", WB_DIFFERENCE_BARRIER, 5, ""},
    {"if (t < s) ", "", WB_DIFFERENCE_CONDITION, 7, ""},
    {"values[t + s]", "values[t + 1]", WB_DIFFERENCE_INDEX, 7, "1"},
    {"blockIdx.x * blockDim.x + t", "t", WB_DIFFERENCE_INDEX, 3, ""},
    {"blockDim.x + t", "gridDim.x + t", WB_DIFFERENCE_INDEX, 3, "gridDim"},
    {"s = blockDim.x / 2", "s = blockDim.x / 4", WB_DIFFERENCE_NUMBER, 6, "4"},
    {"s /= 2", "s /= 4", WB_DIFFERENCE_NUMBER, 6, "4"},
    {"+= values", "-= values", WB_DIFFERENCE_OPERATOR, 7, "-="},
    {"= values[0]", "+= values[0]", WB_DIFFERENCE_OPERATOR, 10, "+="},
    {"? in[i]", "? out[i]", WB_DIFFERENCE_ARRAY, 4, "out"},
    {"? in[i]", "? (int)in[i]", WB_DIFFERENCE_TYPE, 4, "(int)"},
    {"float values", "int values", WB_DIFFERENCE_TYPE, 2, "int"},
    {"values[t] = i < n ? in[i] : 0.0f;", "", WB_DIFFERENCE_STATEMENT, 5, ""},
};

START_TEST(names_the_one_place)
{
  const one_change *c = &changes[_i];
  char *text = changed(right, c->old, c->new);
  wb_difference d;
  ck_assert(wb_nearest_difference(text, right, &d));
  ck_assert_int_eq(d.kind, c->kind);
  ck_assert_uint_eq(d.line, c->line);
  ck_assert_str_eq(d.own, c->own);
  ck_assert_int_eq(d.is_missing, !*c->own);
  free(text);
}
END_TEST

// 2 * f behind a `:` is no identity, and `run = 1` in a loop no variable's first value.
START_TEST(not_every_value_is_an_identity)
{
  static const char in_order[] = "void f(int e, int f) { int s = e != 0 ? e : 2 * f, r = 0; for "
                                 "(;;) r = 1; keep((s + r)); atomicOr(m, s & 7); }\n";
  static const struct {
    const char *old, *wrong;
    wb_difference_kind kind;
    const char *own;
  } cases[] = {{": 2 * f", ": f", WB_DIFFERENCE_OTHER, ""},
               {"r = 1", "r = 0", WB_DIFFERENCE_NUMBER, "0"},
               {"s & 7", "s", WB_DIFFERENCE_OTHER, ""}, // the atomic is there
               {"s & 7", "r & 7", WB_DIFFERENCE_ATOMIC, "r"},
               {"r = 0", "r = 1", WB_DIFFERENCE_IDENTITY, "1"},
               {"keep((s + r))", "keep(has((s + r)))", WB_DIFFERENCE_OTHER, "has((s + r))"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *wrong = changed(in_order, cases[i].old, cases[i].wrong);
    wb_difference d;
    ck_assert(wb_nearest_difference(wrong, in_order, &d));
    ck_assert_msg(d.kind == cases[i].kind, "%s: %d", cases[i].wrong, d.kind);
    ck_assert_str_eq(d.own, cases[i].own);
    free(wrong);
  }
}
END_TEST

START_TEST(one_shuffle_for_another)
{
  static const char in_order[] = "void f(int a) { a = __shfl_down_sync(~0u, a, 1); }\n";
  char *wrong = changed(in_order, "down", "up");
  wb_difference d;
  ck_assert(wb_nearest_difference(wrong, in_order, &d));
  ck_assert_int_eq(d.kind, WB_DIFFERENCE_SHUFFLE);
  free(wrong);
}
END_TEST

START_TEST(statements_that_are_interchanged)
{
  static const char in_order[] = "void f(int a, int b) { b = f(a + 1); a = g(b * 2); }\n";
  char *turned = changed(in_order, "b = f(a + 1); a = g(b * 2);", "a = g(b * 2); b = f(a + 1);");
  char *other = changed(in_order, "b = f(a + 1); a = g(b * 2);", "a = g(b * 3); b = f(a + 1);");
  wb_difference d;
  ck_assert(wb_nearest_difference(turned, in_order, &d));
  ck_assert_int_eq(d.kind, WB_DIFFERENCE_ORDER);
  ck_assert(!wb_nearest_difference(other, in_order, &d) || d.kind != WB_DIFFERENCE_ORDER);
  free(turned);
  free(other);
}
END_TEST

START_TEST(arguments_in_another_order)
{
  static const char calls[] = "__global__ void g(float *v, unsigned t) { keep(v, v[t], t); }\n";
  char *turned = changed(calls, "v[t], t", "t, v[t]"), *other = changed(calls, ", t)", ", 2)");
  wb_difference d;
  ck_assert(wb_nearest_difference(turned, calls, &d));
  ck_assert_int_eq(d.kind, WB_DIFFERENCE_ARGUMENTS);
  ck_assert_str_eq(d.own, "t, v[t]");
  ck_assert(wb_nearest_difference(other, calls, &d));
  ck_assert_int_ne(d.kind, WB_DIFFERENCE_ARGUMENTS);
  free(turned);
  free(other);
}
END_TEST

START_TEST(the_step_of_a_walk)
{
  static const char walk[] = "__global__ void g(float *v, unsigned n) {\n"
                             "  unsigned i = threadIdx.x;\n"
                             "  while (i < n) i += gridDim.x * blockDim.x;\n"
                             "  v[i] += blockDim.x;\n"
                             "}\n";
  char *step = changed(walk, "gridDim.x * ", ""), *index = changed(walk, "v[i]", "v[blockDim.x]");
  wb_difference d;
  ck_assert(wb_nearest_difference(step, walk, &d));
  ck_assert_int_eq(d.kind, WB_DIFFERENCE_STEP);
  ck_assert_uint_eq(d.line, 3);
  ck_assert(wb_nearest_difference(index, walk, &d));
  ck_assert_int_eq(d.kind, WB_DIFFERENCE_INDEX);
  free(step);
  free(index);
}
END_TEST

START_TEST(other_names_layout_and_types_do_not_count)
{
  static const char text[] =
      "/* mine */ __global__ void f(const float *in, float *out, unsigned n)\n{\n"
      "  extern __shared__ float values[];\n"
      "  int me = threadIdx.x, at = blockIdx.x * blockDim.x + me;\n"
      "  (void)out;\n"
      "  values[me] = at < n ? in[at] : 0.0f;\n  __syncthreads();\n"
      "  for (int half = blockDim.x / 2; half > 0; half /= 2) {\n"
      "    if (me <= half) { values[me] += values[me + half]; }\n    __syncthreads();\n  }\n"
      "  if (me == 0) out[blockIdx.x] = values[0];\n}\n";
  wb_difference d;
  ck_assert(wb_nearest_difference(text, right, &d));
  ck_assert_int_eq(d.kind, WB_DIFFERENCE_COMPARISON);
  ck_assert_uint_eq(d.line, 9);
}
END_TEST

START_TEST(nothing_is_said_of_two_places)
{
  char *one = changed(right, "i < n", "i <= n"), *two = changed(one, "t == 0", "t == 1");
  wb_difference d;
  ck_assert(wb_nearest_difference(one, right, &d));
  ck_assert(!wb_nearest_difference(two, right, &d));
  free(one);
  free(two);
}
END_TEST

START_TEST(nothing_is_said_of_equal_or_quite_different_texts)
{
  wb_difference d;
  ck_assert(!wb_nearest_difference(right, right, &d));
  ck_assert(!wb_nearest_difference("", right, &d));
  ck_assert(!wb_nearest_difference(right, "", &d));
  ck_assert(!wb_nearest_difference(
      "__global__ void f(const float *in, float *out, unsigned n) {\n  float x = in[0];\n"
      "  for (unsigned i = 1; i < n; i++) x = fmaxf(x, in[i]);\n  *out = x;\n}\n",
      right, &d));
}
END_TEST

// One name of the judged text stands for two of the right one's.
START_TEST(names_must_agree)
{
  static const char a[] = "void f() { int mine = g(), yours = h(); use(mine, mine); }";
  static const char b[] = "void f() { int first = g(), second = h(); use(first, second); }";
  static const char c[] = "void f() { int mine = g(), yours = h(); use(mine, yours, 1); }";
  wb_difference d;
  ck_assert(!wb_nearest_difference(a, b, &d));
  ck_assert(wb_nearest_difference(c, b, &d));
}
END_TEST

START_TEST(broken_texts_end)
{
  static const char *const texts[] = {"/* no end", "\"no end", "#define X \\", "a[", ")",
                                      "0x",        "."};
  wb_difference d;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    wb_nearest_difference(texts[i], right, &d);
    wb_nearest_difference(right, texts[i], &d);
    wb_nearest_difference(texts[i], "a [ 1 ] ;", &d);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("nearest");
  TCase *tcase = tcase_create("nearest");
  tcase_add_loop_test(tcase, names_the_one_place, 0, sizeof changes / sizeof *changes);
  tcase_add_test(tcase, the_step_of_a_walk);
  tcase_add_test(tcase, arguments_in_another_order);
  tcase_add_test(tcase, statements_that_are_interchanged);
  tcase_add_test(tcase, one_shuffle_for_another);
  tcase_add_test(tcase, not_every_value_is_an_identity);
  tcase_add_test(tcase, other_names_layout_and_types_do_not_count);
  tcase_add_test(tcase, nothing_is_said_of_two_places);
  tcase_add_test(tcase, nothing_is_said_of_equal_or_quite_different_texts);
  tcase_add_test(tcase, names_must_agree);
  tcase_add_test(tcase, broken_texts_end);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int n_failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
