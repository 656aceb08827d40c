// SPDX-License-Identifier: MIT
// test_check_copies.c - initcheck: uninitialised bytes that are only copied are not an error until
// the copy is used.
#include "init_fixture.h"
#include "run_suite.h"

// Every lane copies two words of `in`, of which only the first is written, to `out`; then `more`.
#define COPY_PAIR(more)                                                                            \
  KERNEL_HEAD "mul.wide.u32 %rd4, %me, 8;\nadd.u64 %rd5, %rd1, %rd4;\nadd.u64 %rd6, %rd0, %rd4;\n" \
              "st.global.u32 [%rd5], %me;\n.loc 1 12 0\nld.global.v2.u32 {%r8, %r9}, [%rd5];\n"    \
              "st.global.v2.u32 [%rd6], {%r8, %r9};\n.loc 1 20 0\n" more KERNEL_TAIL

START_TEST(a_copy_is_no_use)
{
  const core_options o = {.n = 0};
  expect_quiet(COPY_PAIR(""), 0, o);
  expect_quiet(COPY_PAIR("ld.global.u32 %r1, [%rd6];\n" USE("%r1")), 0, o);
  // What was not written is used: as a copy, or where it was copied from.
  const char *const use = COPY_PAIR("ld.global.u32 %r1, [%rd6+4];\n" USE("%r1"));
  expect_caught(use, 0, o, GLOBAL, TEXTS("\"line\": 12", "lanes 0-31"));
  expect_caught(COPY_PAIR("ld.global.u32 %r1, [%rd5+4];\n" USE("%r1")), 0, o, GLOBAL,
                TEXTS("\"line\": 20"));
  // The value decides, is an address, is changed, or is stored as a flag that others wait for.
  expect_caught(COPY_PAIR("setp.eq.u32 %p1, %r9, 0;\n@%p1 exit;\n"), 0, o, GLOBAL,
                TEXTS("\"line\": 12"));
  expect_caught(COPY_PAIR(USE("%r9")), 0, o, GLOBAL, TEXTS("\"line\": 12"));
  expect_caught(COPY_PAIR("st.release.gpu.global.u32 [%rd6], %r9;\n"), 0, o, GLOBAL,
                TEXTS("\"line\": 12"));
  // Written after the copy, it may be used.
  expect_quiet(COPY_PAIR("st.global.u32 [%rd6+4], %me;\nld.global.u32 %r1, [%rd6+4];\n" USE("%r1")),
               0, o);
}
END_TEST

START_TEST(a_copy_in_shared_memory)
{
#define TURN(use)                                                                                  \
  KERNEL_HEAD ".shared .align 16 .b8 s[256];\nmov.u32 %r10, s;\nshl.b32 %r11, %me, 3;\n"           \
              "add.u32 %r12, %r10, %r11;\nmul.wide.u32 %rd4, %me, 8;\nadd.u64 %rd5, %rd1, %rd4;\n" \
              "add.u64 %rd6, %rd0, %rd4;\nst.global.u32 [%rd5], %me;\n.loc 1 12 0\n"               \
              "ld.global.v2.u32 {%r1, %r2}, [%rd5];\nst.shared.v2.u32 [%r12], {%r1, %r2};\n"       \
              ".loc 1 20 0\n" use KERNEL_TAIL
  const core_options o = {.n = 0};
  const char *copy = TURN("ld.shared.u64 %rd7, [%r12];\nst.global.u64 [%rd6], %rd7;\n");
  expect_quiet(copy, 0, o);
  expect_caught(TURN("ld.shared.u32 %r3, [%r12+4];\n" USE("%r3")), 0, o, GLOBAL,
                TEXTS("\"line\": 12", "lanes 0-31"));
  expect_quiet(TURN("st.shared.u32 [%r12+4], 1;\nld.shared.u32 %r3, [%r12+4];\n" USE("%r3")), 0, o);
  // Shared memory that no thread wrote, copied out: reported when the host asks for it.
  watched w = watch_init(KERNEL_HEAD ".shared .align 16 .b8 s[256];\n.loc 1 30 0\n"
                                     "ld.shared.u32 %r1, [s+4];\nst.global.u32 [%rd0], %r1;\n"
                                     "st.global.u32 [%rd0+4], %me;\n" KERNEL_TAIL,
                         0);
  launch_watched(&w, o);
  simt_initcheck_host_reads(w.observer, w.run.out + 4, 4);
  expect_none(&w);
  simt_initcheck_host_reads(w.observer, w.run.out, 8);
  expect_one(&w, SHARED, TEXTS("\"line\": 30"));
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

START_TEST(copies_that_the_host_copies)
{
  watched w = watch_init(COPY_PAIR(""), 0);
  launch_watched(&w, (core_options){.number = 7});
  for (uint64_t i = 0; i < 32; i++) simt_initcheck_host_reads(w.observer, w.run.out + 8 * i, 4);
  expect_none(&w);
  ck_assert_uint_eq(simt_initcheck_last_writer(w.observer, w.run.out + 4), 7);
  // Copied on by the host, and back from there.
  simt_initcheck_copied(w.observer, w.run.out + 512, w.run.out, 256);
  simt_initcheck_host_reads(w.observer, w.run.out + 512, 4);
  expect_none(&w);
  simt_initcheck_host_reads(w.observer, w.run.out + 512, 256);
  expect_one(&w, GLOBAL, TEXTS("\"line\": 12", "\"launch\": 7"));
  unwatch(&w, simt_initcheck_destroy);
  // Words that were never written lie beside such copies: both are reported.
  w = watch_init(COPY_PAIR(""), 0);
  launch_watched(&w, (core_options){.n = 0});
  simt_initcheck_host_reads(w.observer, w.run.out, 260);
  char *all = found(&w);
  ck_assert_msg(strstr(all, "uninitialised_global") != NULL, "%s", all);
  ck_assert_msg(strstr(all, "1 of the 65 four-byte words") != NULL, "%s", all);
  free(all);
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

// Where a copy goes that cannot be followed, it is reported at once.
START_TEST(copies_that_are_lost_sight_of)
{
  watched w = watch(simt_initcheck_create, COPY_PAIR("")); // `out` is not watched
  simt_initcheck_allocated(w.observer, simt_memory_find(w.run.memory, w.run.in, 1));
  launch_watched(&w, (core_options){.n = 0});
  expect_one(&w, GLOBAL, TEXTS("\"line\": 12"));
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("initcheck: copies");
  TCase *copies = tcase_create("copies");
  tcase_add_test(copies, a_copy_is_no_use);
  tcase_add_test(copies, a_copy_in_shared_memory);
  tcase_add_test(copies, copies_that_the_host_copies);
  tcase_add_test(copies, copies_that_are_lost_sight_of);
  suite_add_tcase(suite, copies);
  return run_suite(suite);
}
