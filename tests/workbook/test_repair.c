// SPDX-License-Identifier: MIT
// test_repair.c - the small changes that are tried on a wrong program: among them is the one that
// mends it; none lies outside a function; many programs become one text.
#define _GNU_SOURCE // open_memstream
#include "repair.h"

#include "changed_text.h"

static const char right[] =
    "#include <math.h>\n"
    "enum { ONE = 1 };\n"
    "extern \"C\" __global__ void f(const float *in, float *out, unsigned n) {\n"
    "  extern __shared__ float values[];\n"
    "  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
    "  values[t] = i < n ? in[i] : 0.0f;\n"
    "  __syncthreads();\n"
    "  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {\n"
    "    if (t < s) values[t] += values[t + s];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (t == 0) out[blockIdx.x] = values[0];\n"
    "}\n";

static wb_edit_list list;

// With calls, loops over many elements, and several arrays.
static const char right_calls[] =
    "extern \"C\" __global__ void g(const float *in, float *low, float *high, unsigned n) {\n"
    "  unsigned lane = threadIdx.x % 32, *word = (unsigned *)low;\n"
    "  unsigned seen = *word, before = atomicCAS(word, seen, lane);\n"
    "  float top = in[lane], sum = top;\n"
    "  for (unsigned c = lane; c < n; c += blockDim.x) sum = both(sum, top);\n"
    "  fold(low, n); fold(high, n);\n"
    "  if (threadIdx.x >= 32) return; if (before < lane) sum += top;\n"
    "  low[0] = expf(sum - top) * ((1u << lane) - 1);\n"
    "}\n";

// With two arrays of the same kind, qualifiers, templates and values in braces.
static const char right_arrays[] =
    "extern \"C\" __global__ void h(const float *in, float *out, unsigned n, float t) {\n"
    "  __shared__ float low[32], high[32];\n"
    "  const unsigned i = threadIdx.x;\n"
    "  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);\n"
    "  const part whole = {t, 0.0f};\n"
    "  const float x = i < n ? in[i] : t;\n"
    "  low[i] = fminf(x, whole.min);\n"
    "  high[i] = fmaxf(x, whole.min);\n"
    "  for (unsigned k = 1; k < 4; k++) out[i + k] = in[i + k] * low[k] + high[k];\n"
    "  if (i == 0) out[n] = x;\n"
    "}\n";

static bool is_mended_to(const char *text, const char *wanted, bool orders) {
  bool found = false;
  ck_assert(wb_repairs_find(text, 0, orders, &list));
  for (size_t i = 0; i < list.n && !found; i++) {
    char *mended = wb_repair_apply(text, &list.at[i]);
    found = strcmp(mended, wanted) == 0;
    free(mended);
  }
  return found;
}

static bool is_mended(const char *text, bool orders) { return is_mended_to(text, right, orders); }

static const char *const mistakes[][2] = { // what stands there, what a student wrote
    {"i < n", "i <= n"},
    {"s > 0", "s > 1"},
    {"s /= 2", "s /= 4"},
    {"blockDim.x / 2", "blockDim.x / 4"},
    {"blockIdx.x * blockDim.x + t", "blockIdx.x * gridDim.x + t"},
    {"blockIdx.x * blockDim.x + t", "blockIdx.x + blockDim.x + t"},
    {"blockIdx.x * blockDim.x + t", "blockIdx.x * 32 + t"},
    {"values[t + s]", "values[t]"},
    {"values[t + s]", "values[t - s]"},
    {"in[i]", "in[t]"},
    {"in[i]", "in[i+1]"},
    {"in[i]", "in[threadIdx.x]"},
    {": 0.0f", ": 1.0f"},
    {"t == 0", "t == 1"},
    {"t == 0", "t != 0"},
    {"+= values", "= values"},
    {"t < s", "t <= s"},
    {"if (t < s) values", "values"},
    {"blockIdx.x * blockDim.x + t", "t"},
    {"blockIdx.x * blockDim.x + t", "blockIdx.x + t"},
    {"out[blockIdx.x]", "out[0]"},
    {"s = blockDim.x / 2", "s = blockDim.x"},
    {"values[t] +=", "out[t] +="},
    {"float values", "int values"},
    {"float values", "double values"},
    {"t == 0", "t == blockDim.x - 1"}};

static const char *const mistakes_in_calls[][2] = {
    {"both(sum, top)", "both(top, sum)"},
    {"c += blockDim.x", "c++"},
    {"sum - top", "top - sum"},
    {"fold(low, n); ", ""},
    {"fold(high, n)", "fold(low, n)"},
    {"atomicCAS(word, seen, lane)", "atomicExch(word, lane)"},
    {"seen = *word", "seen = 0"},
    {"lane) - 1)", "lane))"},
    {"if (threadIdx.x >= 32) return; ", ""},
    {"if (before < lane) ", ""},
    {"float top", "int top"}};

START_TEST(the_change_that_mends_is_found)
{
  char *wrong = changed(right, mistakes[_i][0], mistakes[_i][1]);
  ck_assert_msg(is_mended(wrong, false), "%s", mistakes[_i][1]);
  free(wrong);
}
END_TEST

START_TEST(what_cuda_programs_have_in_common_is_mended)
{
  char *wrong = changed(right_calls, mistakes_in_calls[_i][0], mistakes_in_calls[_i][1]);
  ck_assert_msg(is_mended_to(wrong, right_calls, false), "%s", mistakes_in_calls[_i][1]);
  free(wrong);
}
END_TEST

static const char *const mistakes_in_arrays[][2] = {
    {"low[i] = fminf(x, whole.min);\n  high", "high"},
    {"in[i + k] * low", "in[i] * low"},
    {": t;", ": 0;"},
    {": t;", ": 0.0f;"}};

// The copy stands beside the statement that it is made from, not in a line of its own.
static void join_lines(char *text) {
  char *to = text;
  for (const char *from = text; *from; from++)
    if (*from != '\n' && *from != ' ') *to++ = *from;
  *to = '\0';
}

static bool is_found_among(const char *text, const char *wanted) {
  bool found = false;
  char *all = strdup(wanted);
  join_lines(all);
  ck_assert(wb_repairs_find(text, 0, WB_ORDERS_KNOWN, &list));
  for (size_t i = 0; i < list.n && !found; i++) {
    char *mended = wb_repair_apply(text, &list.at[i]);
    join_lines(mended);
    found = strcmp(mended, all) == 0;
    free(mended);
  }
  free(all);
  return found;
}

START_TEST(what_stands_beside_it_is_copied)
{
  char *wrong = changed(right_arrays, mistakes_in_arrays[_i][0], mistakes_in_arrays[_i][1]);
  ck_assert_msg(is_found_among(wrong, right_arrays), "%s", mistakes_in_arrays[_i][1]);
  free(wrong);
}
END_TEST

// Whole statements: each right one, and what a student wrote.
static const char *const mistakes_in_values[][2] = {
    {"float sum = 0, top = in[0];", "float sum, top = in[0];"},
    {"float low = INFINITY;", "float low;"},
    {"int warp = t / 32, lane = t % 32;", "int warp = t / 16, lane = t % 16;"},
    {"int warp = t >> 5, lane = t & 31;", "int warp = t >> 4, lane = t & 15;"},
    {"int warp = t / 32, lane = t % 32;", "int warp = t % 32, lane = t / 32;"},
    {"int warp = t / 32; int lane = t % 32;", "int warp = t % 32; int lane = t / 32;"},
    {"unsigned old = atomicAdd(&out[t], 1u);", "atomicAdd(&out[t], 1u); unsigned old = out[t];"},
    {"wave::sync(); out[t] = 1; wave::sync();", "out[t] = 1; wave::sync();"},
    {"keep(out, in[t], t);", "keep(out, t, in[t]);"},
    {"part p = merge(q, {in[t], t});", "part p = merge(q, {t, in[t]});"},
    {"swap(3, *in, t);", "swap(3, t, *in);"},
    {"unsigned i = blockIdx.x; while (i < 9) i += gridDim.x * blockDim.x;",
     "unsigned i = blockIdx.x; while (i < 9) i += blockDim.x;"},
    {"if (t == 0) x = sum; sum += t;", "sum += t; if (t == 0) x = sum;"},
    {"unsigned place = t;", "unsigned place;"},
    {"if (t < 9) { out[t] = 1; } __syncthreads(); x = 1;",
     "if (t < 9) { out[t] = 1; __syncthreads(); } x = 1;"},
    {"float low[9]; float high[9]; low[t] += low[t + 1];",
     "float low[9]; float high[9]; low[t] += high[t + 1];"},
    {"float v = __shfl_down_sync(9, x, 1); int k = __shfl_down_sync(9, t, 1);",
     "float v = __shfl_up_sync(9, x, 1); int k = __shfl_up_sync(9, t, 1);"},
    {"out[t] = t; t = 1; out[t] = t; x = 2;", "out[t] = t; t = 1; x = 2;"},
    {"int a[2 * 9]; for (int k = 0; k < 2 * 9; k++) a[k] = 0;",
     "int a[2 * 9]; for (int k = 0; k < 9; k++) a[k] = 0;"},
    {"for (int c = threadIdx.x; c < 9; c += blockDim.x) out[c] = 1;",
     "for (int c = 0; c < 9; c += blockDim.x) out[c] = 1;"},
    {"unsigned byte = t >> (t % 4 * 8) & 255;", "unsigned byte = t >> (t % 4) & 255;"},
    {"int below = __popc(t & ((1u << n) - 1));", "int below = __popc(t >> n);"},
    {"t = 1; r.total += in[t]; x = 2;", "t = 1; r.total = in[t]; x = 2;"},
    {"float x = (in[t]);", "float x = fabsf(in[t]);"},
    {"float x = rsqrtf(in[t]);", "float x = sqrtf(in[t]);"},
    {"long long sum = t;", "int sum = t;"}};

START_TEST(what_takes_a_whole_statement_is_mended)
{
  static const char around[] =
      "extern \"C\" __global__ void k(const float *in, unsigned *out, int t) { HERE }\n";
  char *right_text = changed(around, "HERE", mistakes_in_values[_i][0]);
  char *wrong = changed(around, "HERE", mistakes_in_values[_i][1]);
  bool found = false;
  ck_assert(wb_repairs_find(wrong, 0, WB_ORDERS_MAY_LACK, &list));
  join_lines(right_text);
  for (size_t i = 0; i < list.n && !found; i++) {
    char *mended = wb_repair_apply(wrong, &list.at[i]);
    join_lines(mended);
    found = strcmp(mended, right_text) == 0;
    free(mended);
  }
  ck_assert_msg(found, "%s", mistakes_in_values[_i][1]);
  free(right_text);
  free(wrong);
}
END_TEST

// The rank of the change of `text`, in a kernel, that makes `wanted` of it; 99: there is none.
static unsigned rank_of(const char *text, const char *wanted) {
  static const char around[] =
      "extern \"C\" __global__ void k(const float *in, unsigned *out, int t) { HERE }\n";
  char *wrong = changed(around, "HERE", text), *right_text = changed(around, "HERE", wanted);
  unsigned rank = 99;
  ck_assert(wb_repairs_find(wrong, 0, WB_ORDERS_MAY_LACK, &list));
  join_lines(right_text);
  for (size_t i = 0; i < list.n; i++) {
    char *mended = wb_repair_apply(wrong, &list.at[i]);
    join_lines(mended);
    if (strcmp(mended, right_text) == 0 && list.at[i].rank < rank) rank = list.at[i].rank;
    free(mended);
  }
  free(right_text);
  free(wrong);
  return rank;
}

START_TEST(what_the_text_suggests_is_likelier)
{
  static const char *const pairs[][4] = {
      // wrong, mended, and a twin of which the text does not suggest it
      {"f(t, in[t]);", "f(in[t], t);", "int u = 1; f(t, u);", "int u = 1; f(u, t);"},
      {"float a[9]; float b[9]; a[t] += b[t];", "float a[9]; float b[9]; a[t] += a[t];",
       "float a[9]; float b[9]; out[t] += b[t];", "float a[9]; float b[9]; out[t] += a[t];"},
      {"int u = blockIdx.x; while (u < t) u += blockDim.x;",
       "int u = blockIdx.x; while (u < t) u += gridDim.x * blockDim.x;",
       "int u = threadIdx.x; while (u < t) u += blockDim.x;",
       "int u = threadIdx.x; while (u < t) u += gridDim.x * blockDim.x;"},
      {"int u = 1; out[0] = u;", "int u = 1; if (u < t) out[0] = u;",
       "for (int u = 1; u < 9; u++) { out[0] = u; }",
       "for (int u = 1; u < 9; u++) { if (t < u) out[0] = u; }"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    ck_assert_uint_lt(rank_of(pairs[i][0], pairs[i][1]), 99);
    ck_assert_uint_lt(rank_of(pairs[i][2], pairs[i][3]), 99);
    ck_assert_uint_lt(rank_of(pairs[i][0], pairs[i][1]), rank_of(pairs[i][2], pairs[i][3]));
  }
}
END_TEST

START_TEST(what_changes_nothing_or_does_not_compile_is_left_out)
{
  // a change that is left out, and a twin that is not
  ck_assert_uint_eq(rank_of("a = 1; b = 2;", "b = 2; a = 1;"), 99);
  ck_assert_uint_lt(rank_of("a = b; b = 2;", "b = 2; a = b;"), 99);
  ck_assert_uint_eq(rank_of("int u = t; out[u] = 1;", "float u = t; out[u] = 1;"), 99);
  ck_assert_uint_lt(rank_of("int u = t; out[0] = u;", "float u = t; out[0] = u;"), 99);
  ck_assert_uint_eq(rank_of("int u = 1; float a[9];", "int u = 1; float a[9 + u];"), 99);
  ck_assert_uint_lt(rank_of("int u = 1; out[9] = 1;", "int u = 1; out[9 + u] = 1;"), 99);
}
END_TEST

START_TEST(calls_that_wait_are_known_as_such)
{
  static const char text[] = "__global__ void k(float *out) { wave::sync(); out[0] = 1; }\n";
  unsigned n[4] = {0};
  ck_assert(wb_repairs_find(text, 0, WB_ORDERS_LIKELY_LACK, &list));
  for (size_t i = 0; i < list.n; i++) n[list.at[i].waits]++;
  ck_assert_uint_gt(n[WB_WAITS_NOT], 0);
  ck_assert_uint_eq(n[WB_WAITS_BLOCK], n[WB_WAITS_AS_ELSEWHERE]);
  ck_assert_uint_eq(n[WB_WAITS_BLOCK], n[WB_WAITS_WARP]);
  ck_assert_uint_eq(n[WB_WAITS_BLOCK], 2);
}
END_TEST

static bool makes(const char *text) {
  for (size_t i = 0; i < list.n; i++) {
    char *changed_text = wb_repair_apply(right_arrays, &list.at[i]);
    bool has = strstr(changed_text, text) != NULL;
    free(changed_text);
    if (has) return true;
  }
  return false;
}

// Each that does not compile costs a compilation of all.
START_TEST(what_does_not_compile_is_not_tried)
{
  static const char *const never[] = {
      "const if", "const __sync",    "<=32>",     "32>=",          "{if",
      "{__sync",  "{ if (threadIdx", "whole.max", "in[i] = fminf", "if (k >= n) return; if"};
  ck_assert(wb_repairs_find(right_arrays, 0, WB_ORDERS_MAY_LACK, &list));
  ck_assert_uint_gt(list.n, 100);
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    ck_assert_msg(!makes(never[i]), "%s", never[i]);
  ck_assert(makes("if (i >= n) return; const")); // the twin: where it does
}
END_TEST

START_TEST(barriers_only_where_asked_for)
{
  char *wrong = changed(right, "  __syncthreads();\n  for", "  for");
  bool has_barrier[2] = {false, false};
  for (int orders = 0; orders < 2; orders++) {
    ck_assert(wb_repairs_find(wrong, 0, orders == 1, &list));
    for (size_t i = 0; i < list.n; i++)
      has_barrier[orders] |= strstr(list.at[i].text, "__syncthreads") && list.at[i].line == 7;
  }
  ck_assert(!has_barrier[0]);
  ck_assert(has_barrier[1]);
  free(wrong);
}
END_TEST

START_TEST(likelier_near_a_suspected_line)
{
  ck_assert(wb_repairs_find(right, 9, WB_ORDERS_KNOWN, &list));
  ck_assert_uint_eq(list.at[0].line, 9);
  for (size_t i = 1; i < list.n; i++) ck_assert_uint_ge(list.at[i].rank, list.at[i - 1].rank);
}
END_TEST

START_TEST(only_inside_functions)
{
  ck_assert(wb_repairs_find(right, 0, WB_ORDERS_MAY_LACK, &list));
  ck_assert_uint_gt(list.n, 20);
  for (size_t i = 0; i < list.n; i++) ck_assert_uint_gt(list.at[i].line, 3);
  ck_assert(wb_repairs_find("enum { A = 1, B = 2 + 3 };\nunsigned x = 4;\n", 0, WB_ORDERS_MAY_LACK,
                            &list));
  ck_assert_uint_eq(list.n, 0);
}
END_TEST

START_TEST(programs_become_one_text)
{
  char *text = NULL;
  size_t size;
  unsigned lines[4];
  bool skip[3] = {false, true, false};
  FILE *file = open_memstream(&text, &size);
  ck_assert(wb_repairs_find(right, 0, WB_ORDERS_KNOWN, &list));
  ck_assert(wb_repairs_write(file, right, list.at, 3, skip, lines));
  fclose(file);
  ck_assert_ptr_nonnull(strstr(text, "namespace tried_0 {"));
  ck_assert_ptr_nonnull(strstr(text, "#define f f_tried_2\n"));
  ck_assert_ptr_nonnull(strstr(text, "#define values values_tried_2\n"));
  ck_assert_ptr_null(strstr(text, "tried_1"));
  ck_assert_ptr_eq(strstr(strstr(text, "#include") + 1, "#include"), NULL);
  ck_assert_uint_eq(lines[1], lines[2]); // the second one is left out
  unsigned n_lines = 1;
  for (const char *c = text; *c; c++) n_lines += *c == '\n';
  ck_assert_uint_eq(lines[3], n_lines);
  free(text);
}
END_TEST

START_TEST(broken_texts_end)
{
  static const char *const texts[] = {
      "",   "void f() {",        "void f() { a[",  "f() { atomicCAS(",
      "}}", "f() { if ( return", "f() { (float) }"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ck_assert(wb_repairs_find(texts[i], 1, WB_ORDERS_MAY_LACK, &list));
    for (size_t k = 0; k < list.n; k++) free(wb_repair_apply(texts[i], &list.at[k]));
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("repair");
  TCase *tcase = tcase_create("repair");
  tcase_add_loop_test(tcase, the_change_that_mends_is_found, 0, sizeof mistakes / sizeof *mistakes);
  tcase_add_loop_test(tcase, what_cuda_programs_have_in_common_is_mended, 0,
                      sizeof mistakes_in_calls / sizeof *mistakes_in_calls);
  tcase_add_loop_test(tcase, what_stands_beside_it_is_copied, 0,
                      sizeof mistakes_in_arrays / sizeof *mistakes_in_arrays);
  tcase_add_loop_test(tcase, what_takes_a_whole_statement_is_mended, 0,
                      sizeof mistakes_in_values / sizeof *mistakes_in_values);
  tcase_add_test(tcase, what_the_text_suggests_is_likelier);
  tcase_add_test(tcase, what_changes_nothing_or_does_not_compile_is_left_out);
  tcase_add_test(tcase, calls_that_wait_are_known_as_such);
  tcase_add_test(tcase, what_does_not_compile_is_not_tried);
  tcase_add_test(tcase, barriers_only_where_asked_for);
  tcase_add_test(tcase, likelier_near_a_suspected_line);
  tcase_add_test(tcase, only_inside_functions);
  tcase_add_test(tcase, programs_become_one_text);
  tcase_add_test(tcase, broken_texts_end);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int n_failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
