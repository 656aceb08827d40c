// SPDX-License-Identifier: MIT
// test_repair_slips.c - changes of what the language takes otherwise than it looks
// (repair_slips.c): among those of a wrong text is the one that mends it, and a right text of the
// like gets none.
#include "repair_mended.h"
#include "run_suite.h"

static const char frame[] =
    "__global__ void f(const float *in, float *out, unsigned n) {\n"
    "  extern __shared__ float s[]; unsigned t = threadIdx.x; float x = in[t];\n"
    "  BODY\n"
    "}\n";

static const struct {
  const char *wrong, *right;
  wb_sense sense;
} mistakes[] = {
    {"unsigned h = n + 1 / 2;", "unsigned h = (n + 1) / 2;", WB_SENSE_BINDS},
    {"unsigned m = 1 << t - 1;", "unsigned m = (1 << t) - 1;", WB_SENSE_BINDS},
    {"if (t & n == 0) out[t] = x;", "if ((t & n) == 0) out[t] = x;", WB_SENSE_BINDS},
    {"if ((t >> 1) & 3 == 3) out[t] = x;", "if (((t >> 1) & 3) == 3) out[t] = x;", WB_SENSE_BINDS},
    {"unsigned h = min(t, n) + n / 2;", "unsigned h = (min(t, n) + n) / 2;", WB_SENSE_BINDS},
    {"unsigned h = t + blockDim.x / 2;", "unsigned h = (t + blockDim.x) / 2;", WB_SENSE_BINDS},
    {"if (t > 0); out[t] = x;", "if (t > 0) out[t] = x;", WB_SENSE_EMPTY},
    {"if (t > 0) { unsigned t = n; out[t] = x; }", "if (t > 0) {  t = n; out[t] = x; }",
     WB_SENSE_SHADOW},
    {"if (t > 0) { float x = 1; out[t] = x; }", "if (t > 0) {  x = 1; out[t] = x; }",
     WB_SENSE_SHADOW},
    {"for (unsigned k = n; k > 0; k >> 1) out[k] = x;",
     "for (unsigned k = n; k > 0; k >>= 1) out[k] = x;", WB_SENSE_AS_COMPARED},
    {"float a = x > 1 ? 1 : x;", "float a = x <= 1 ? x : 1;", WB_SENSE_NAN},
    {"for (unsigned k = n; k >= 0; k--) out[k] = x;",
     "for (unsigned k = n; (int)k >= 0; k--) out[k] = x;", WB_SENSE_UNSIGNED},
    {"float *high = s;", "float *high = s + blockDim.x;", WB_SENSE_OVERLAP},
    {"float *high = s + 1024;", "float *high = s + blockDim.x;", WB_SENSE_AS_COMPARED},
    {"out[t] = s[t] * x * x;", "out[t] =  x * x;", WB_SENSE_AS_COMPARED},
    {"bool is_number = isnan(x);", "bool is_number = !isnan(x);", WB_SENSE_AS_COMPARED},
    {"unsigned k = t ^ 1u + n;", "unsigned k = t ^ 1u << n;", WB_SENSE_AS_COMPARED},
    {"out[threadIdx.y] = x;", "out[threadIdx.x] = x;", WB_SENSE_AS_COMPARED},
    {"for (unsigned d = 1; d < n; d += 2) x += d;", "for (unsigned d = 1; d < n; d *= 2) x += d;",
     WB_SENSE_AS_COMPARED},
    {"for (unsigned d = n; d > 0; d -= 2) x += d;", "for (unsigned d = n; d > 0; d /= 2) x += d;",
     WB_SENSE_AS_COMPARED},
    {"out[t] = rsqrtf((x + n) / t);", "out[t] = rsqrtf((x / t + n));", WB_SENSE_DIVIDED},
    {"s[t] = x + s[t + n];", "s[t] = x += s[t + n];", WB_SENSE_KEPT},
    {"if (t == 0) out[t] = x;", "if (t == blockDim.x - 1) out[t] = x;", WB_SENSE_AS_COMPARED},
    {"unsigned run = n; atomicAdd(out, run);", "unsigned run = n; atomicAdd(out, run); run = 0;",
     WB_SENSE_AS_COMPARED},
    {"out[t] = x, s[t] = n;", "out[t] = n, s[t] = x;", WB_SENSE_EXCHANGED},
    {"out[t] = x; s[t] = n;", "out[t] = n; s[t] = x;", WB_SENSE_EXCHANGED}};

START_TEST(a_slip_is_mended)
{
  ck_assert_msg(
      is_mended(frame, mistakes[_i].wrong, mistakes[_i].right, mistakes[_i].sense, WB_ORDERS_KNOWN),
      "%s", mistakes[_i].wrong);
}
END_TEST

START_TEST(what_is_no_slip_stays)
{
  ck_assert(!has_sense(frame, "unsigned h = n * 2 + 1;", WB_SENSE_BINDS, WB_ORDERS_KNOWN));
  ck_assert(!has_sense(frame, "unsigned h = (n + 1) / 2;", WB_SENSE_BINDS, WB_ORDERS_KNOWN));
  ck_assert(
      !has_sense(frame, "while (t > 0) { t--; } out[t] = x;", WB_SENSE_EMPTY, WB_ORDERS_KNOWN));
  ck_assert(
      !has_sense(frame, "do { t--; } while (t > 0); out[t] = x;", WB_SENSE_EMPTY, WB_ORDERS_KNOWN));
  ck_assert(!has_sense(frame, "unsigned k = n; out[k] = x;", WB_SENSE_SHADOW, WB_ORDERS_KNOWN));
  ck_assert(!has_sense(frame, "float *high = s + n;", WB_SENSE_OVERLAP, WB_ORDERS_KNOWN));
  ck_assert(!has_sense(frame, "float a = x;", WB_SENSE_NAN, WB_ORDERS_KNOWN));
  ck_assert(!has_sense(frame, "if (t >= n) out[t] = x;", WB_SENSE_UNSIGNED, WB_ORDERS_KNOWN));
  ck_assert(!has_sense(frame, "out[t] = x; s[n] = x;", WB_SENSE_EXCHANGED, WB_ORDERS_KNOWN));
  ck_assert(!has_sense(frame, "s[t] = n + s[t + n];", WB_SENSE_KEPT, WB_ORDERS_KNOWN));
  ck_assert(!has_sense(frame, "out[t] = x / t + n;", WB_SENSE_DIVIDED, WB_ORDERS_KNOWN));
}
END_TEST

START_TEST(what_stands_in_quotation_marks_stays_what_can_be_loaded)
{
  static const char body[] = "asm volatile(\"barrier.sync %0, 64;\" ::\"r\"(t / 64)); out[t] = x;";
  char *text = changed(frame, "BODY", body);
  const size_t from = (size_t)(strchr(text, '"') - text), to = (size_t)(strchr(text, ';') - text);
  size_t n_beside = 0;
  ck_assert(wb_repairs_find(text, 3, WB_ORDERS_KNOWN, &list));
  for (size_t i = 0; i < list.n; i++) {
    const wb_edit *edit = &list.at[i];
    n_beside += edit->from > to && edit->line == 3;
    if (edit->from > from && edit->from < to) ck_assert_str_eq(edit->text, "32");
  }
  ck_assert_uint_gt(n_beside, 0);
  free(text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("repair_slips");
  TCase *tcase = tcase_create("repair_slips");
  tcase_add_loop_test(tcase, a_slip_is_mended, 0, sizeof mistakes / sizeof *mistakes);
  tcase_add_test(tcase, what_is_no_slip_stays);
  tcase_add_test(tcase, what_stands_in_quotation_marks_stays_what_can_be_loaded);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
