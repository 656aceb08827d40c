// SPDX-License-Identifier: MIT
// test_check_memory.c - memcheck's observer: accesses that leave the shared array they were meant
// for; and what the device faults say, which it leaves to the core.
#include "check_fixture.h"
#include "run_suite.h"

// Two arrays side by side, 16 words each, and one of bytes. `index` (a word) in %r1.
#define ARRAYS(body)                                                                               \
  KERNEL_HEAD ".shared .align 4 .b8 left[64];\n.shared .align 4 .b8 right[64];\n"                  \
              ".shared .align 1 .b8 flags[5];\n.shared .align 4 .b8 total[4];\n"                   \
              "add.u32 %r1, %ln, %nn;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, left;\n"                 \
              "mov.u32 %r4, right;\nadd.u32 %r5, %r3, %r2;\nadd.u32 %r6, %r4, %r2;\n"              \
              "setp.lt.u32 %p1, %ln, 16;\n.loc 1 40 0\n" body KERNEL_TAIL

static void expect_quiet(const char *text, core_options o) {
  watched w = watch(simt_memcheck_create, text);
  launch_watched(&w, o);
  expect_none(&w);
  unwatch(&w, simt_memcheck_destroy);
}

static void expect_caught(const char *text, core_options o, const char *const *texts) {
  watched w = watch(simt_memcheck_create, text);
  launch_watched(&w, o);
  expect_one(&w, SIMT_FINDING_outside_array, texts);
  unwatch(&w, simt_memcheck_destroy);
}

START_TEST(beyond_the_end)
{
  const char *store = ARRAYS("@%p1 st.shared.u32 [%r5], %ln;\n");
  expect_quiet(store, (core_options){.n = 0});
  expect_caught(store, (core_options){.n = 1},
                TEXTS("left[16]: left has 16 elements of 4 bytes", "right[0]", "\"line\": 40",
                      "\"lane\": 15", "\"act\": \"write\"", "\"0x0000000f\""));
}
END_TEST

START_TEST(before_the_beginning)
{
  const char *load = ARRAYS("@%p1 ld.shared.u32 %r7, [%r6];\n");
  expect_quiet(load, (core_options){.n = 0});
  expect_caught(load, (core_options){.n = (uint32_t)-1},
                TEXTS("right[-1]: right has 16 elements", "left[15]", "\"lane\": 0"));
}
END_TEST

START_TEST(half_of_a_vector)
{
  const char *load = ARRAYS("ld.shared.v2.u32 {%r7, %r8}, [%r3+56];\n");
  expect_quiet(load, (core_options){.n = 0});
  // Eight bytes from word 15 are not aligned, so a byte array shows it: bytes 4 and 5 of five.
  expect_caught(ARRAYS("mov.u32 %r9, flags;\nld.shared.v2.u8 {%r7, %r8}, [%r9+4];\n"),
                (core_options){.n = 0},
                TEXTS("flags[5]: flags has 5 elements of 1 byte;", "no array"));
}
END_TEST

START_TEST(a_single_variable)
{
  const char *store = ARRAYS("mov.u32 %r9, total;\nadd.u32 %r10, %r9, %nn;\nred.shared.add.u32 "
                             "[%r10], 1;\n");
  expect_quiet(store, (core_options){.n = 0});
  expect_caught(store, (core_options){.n = (uint32_t)-12},
                TEXTS("total[-3]: total has 1 element of", "\"act\": \"atomic\""));
}
END_TEST

START_TEST(pointers_to_several_arrays_are_not_judged)
{
  // The address is left's or right's, by lane: where it goes beyond one is not known.
  expect_quiet(ARRAYS("selp.b32 %r9, %r5, %r6, %p1;\nand.b32 %r10, %r9, 127;\n"
                      "ld.shared.u32 %r7, [%r10];\n"),
               (core_options){.n = 5});
}
END_TEST

START_TEST(from_a_static_array_into_dynamic_memory)
{
#define DYNAMIC(access)                                                                            \
  ".version 7.8\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dyn[];\n"          \
  ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n.reg .b32 %r<9>;\n"    \
  ".shared .align 16 .b8 fixed[32];\nld.param.u32 %r3, [k_2];\nmov.u32 %r1, dyn;\n"                \
  "mov.u32 %r2, fixed;\nadd.u32 %r4, %r1, %r3;\nadd.u32 %r5, %r2, %r3;\n" access "ret;\n}\n"
  core_options o = {.dynamic_shared_bytes = 256, .n = 252};
  expect_quiet(DYNAMIC("st.shared.u32 [%r4], %r3;\n"), o);
  o.n = 28;
  expect_quiet(DYNAMIC("st.shared.u32 [%r5], %r3;\n"), o);
  o.n = 36;
  expect_caught(DYNAMIC("st.shared.u32 [%r5], %r3;\n"), o,
                TEXTS("fixed[9]: fixed has 8 elements", "dyn[1]"));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("memcheck");
  TCase *arrays = tcase_create("arrays");
  tcase_add_test(arrays, beyond_the_end);
  tcase_add_test(arrays, before_the_beginning);
  tcase_add_test(arrays, half_of_a_vector);
  tcase_add_test(arrays, a_single_variable);
  tcase_add_test(arrays, pointers_to_several_arrays_are_not_judged);
  tcase_add_test(arrays, from_a_static_array_into_dynamic_memory);
  suite_add_tcase(suite, arrays);
  return run_suite(suite);
}
