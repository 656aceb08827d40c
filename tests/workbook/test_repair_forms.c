// SPDX-License-Identifier: MIT
// test_repair_forms.c - changes of form (repair_forms.c): among those of a wrong text is the one
// that mends it, and a right text of the like gets none.
#include "repair_mended.h"
#include "run_suite.h"

static const char frame[] =
    "__global__ void f(const char *in, float *s, unsigned n, unsigned d) {\n"
    "  const unsigned t = threadIdx.x;\n"
    "  BODY\n"
    "}\n";

static const struct {
  const char *wrong, *right;
  wb_sense sense;
} mistakes[] = {
    {"if (t >= d) s[t] += s[t - d];",
     "{ __typeof__(s[t] + 0) got_ = 0; if (t >= d) got_ = s[t - d]; __syncthreads(); "
     "if (t >= d) s[t] += got_; }",
     WB_SENSE_IN_PLACE},
    {"s[t] = s[t] + s[t + 1];",
     "{ __typeof__(s[t] + 0) got_ = 0;  got_ = s[t] + s[t + 1]; __syncwarp();  s[t] = got_; }",
     WB_SENSE_IN_PLACE},
    {"if (t < 2) s[t] += s[t + 2]; s[t] += s[t + 1];",
     "if (t < 2) s[t] += s[t + 2]; __syncwarp(); s[t] += s[t + 1]; __syncwarp(); ", WB_SENSE_STEPS},
    {"if (t < 2) s[0] = 1; else if (t > 4) s[1] = 2;", "if (t < 2) s[0] = 1;  if (t > 4) s[1] = 2;",
     WB_SENSE_AS_COMPARED},
    {"unsigned k = __ffs(n);", "unsigned k = __ffs(n) - 1 ;", WB_SENSE_AS_COMPARED},
    {"unsigned k = n / 4;", "unsigned k = (n + 4 - 1) / 4;", WB_SENSE_AS_COMPARED},
    {"unsigned k = n >> 23;", "unsigned k = n >> 23 & 255;", WB_SENSE_CUT},
    {"out[t] = n >> t % 4 * 8;", "out[t] = n >> t % 4 * 8 & 255;", WB_SENSE_CUT},
    {"if ((n & 255) > 0) atomicAdd(s, n);", "if ((n & 255) > 0) atomicAdd(s, (n & 255));",
     WB_SENSE_AS_COMPARED},
    {"unsigned k = n & 0x7ffff;", "unsigned k = n & 0x7fffff;", WB_SENSE_AS_COMPARED},
    {"unsigned k = (size_t)in % 16;", "unsigned k = -(size_t)in % 16;", WB_SENSE_AS_COMPARED},
    {"atomicAdd((unsigned *)s + t, (unsigned)n);",
     "atomicAdd ( ( unsigned long long * ) s + t , ( unsigned long long ) n ) ;", WB_SENSE_TYPE},
    {"signed char *p = (signed char *)in;", "unsigned char * p = ( unsigned char * ) in ;",
     WB_SENSE_TYPE}};

START_TEST(a_change_of_form_mends)
{
  ck_assert_msg(is_mended(frame, mistakes[_i].wrong, mistakes[_i].right, mistakes[_i].sense,
                          WB_ORDERS_LIKELY_LACK),
                "%s", mistakes[_i].wrong);
}
END_TEST

START_TEST(what_needs_no_wait_gets_none)
{
  const wb_orders lack = WB_ORDERS_LIKELY_LACK;
  const char *in_place = "if (t >= d) s[t] += s[t - d];";
  ck_assert(has_sense(frame, in_place, WB_SENSE_IN_PLACE, lack));
  ck_assert(!has_sense(frame, in_place, WB_SENSE_IN_PLACE, WB_ORDERS_MAY_LACK)); // no race was seen
  ck_assert(!has_sense(frame, "s[t] += in[t];", WB_SENSE_IN_PLACE, lack)); // reads another array
  ck_assert(!has_sense(frame, "float k = s[t]; k += s[d];", WB_SENSE_IN_PLACE, lack));
  ck_assert(!has_sense(frame, "s[t] += s[d];", WB_SENSE_STEPS, lack)); // one step
  ck_assert(!has_sense(frame, "unsigned char *p = (unsigned char *)in;", WB_SENSE_TYPE, lack));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("repair_forms");
  TCase *tcase = tcase_create("repair_forms");
  tcase_add_loop_test(tcase, a_change_of_form_mends, 0, sizeof mistakes / sizeof *mistakes);
  tcase_add_test(tcase, what_needs_no_wait_gets_none);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
