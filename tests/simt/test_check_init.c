// SPDX-License-Identifier: MIT
// test_check_init.c - initcheck: uninitialised reads, copies of such memory to the host, the last
// writer. Kernels are hand-written PTX; random operations compare the shadow with a reference that
// keeps a byte for each byte.
#include "init_fixture.h"
#include "run_suite.h"

enum { BUFFER = CORE_WORDS * 4 };

// in[lane] as `type`, at `bytes` a lane.
#define LOAD(type, bytes)                                                                          \
  "mul.wide.u32 %rd4, %me, " #bytes ";\nadd.u64 %rd5, %rd1, %rd4;\n.loc 1 12 0\nld.global." type

// ---- global memory -----------------------------------------------------------------------------

START_TEST(a_load_of_what_nobody_wrote)
{
  const char *load = KERNEL_HEAD LOAD("u32", 4) " %r0, [%rd5];\n" USE("%r0") KERNEL_TAIL;
  expect_caught(load, 0, (core_options){.n = 0}, GLOBAL,
                TEXTS("\"line\": 12", "lanes 0-31", "\"lane\": 0", "no kernel, no copy"));
  expect_caught(load, 31 * 4, (core_options){.n = 0}, GLOBAL, TEXTS("; lane 31 read"));
  expect_caught(load, 127, (core_options){.n = 0}, GLOBAL, TEXTS("1 of its 4 bytes", "lane 31"));
  expect_quiet(load, 32 * 4, (core_options){.n = 0});
}
END_TEST

START_TEST(a_short_last_warp_reads_only_its_own)
{
  const char *load = KERNEL_HEAD LOAD("u32", 4) " %r0, [%rd5];\n" USE("%r0") KERNEL_TAIL;
  expect_quiet(load, 45 * 4, (core_options){.block = 45});
  expect_caught(load, 45 * 4, (core_options){.block = 46}, GLOBAL,
                TEXTS("; lane 13 read", "\"thread\": [45, 0, 0]"));
}
END_TEST

START_TEST(bytes_and_halves_are_distinguished)
{
  // Even bytes are stored; then each lane reads a byte at 2 * lane + n.
  const char *bytes =
      KERNEL_HEAD "mul.wide.u32 %rd4, %me, 2;\nadd.u64 %rd5, %rd1, %rd4;\nmov.u32 %r1, 7;\n"
                  "st.global.u8 [%rd5], %r1;\ncvt.u64.u32 %rd6, %nn;\nadd.u64 %rd7, %rd5, %rd6;\n"
                  "ld.global.u8 %r0, [%rd7];\n" USE("%r0") KERNEL_TAIL;
  expect_quiet(bytes, 0, (core_options){.n = 0});
  expect_caught(bytes, 0, (core_options){.n = 1}, GLOBAL, TEXTS("lanes 0-31"));
  const char *halves = KERNEL_HEAD LOAD("u16", 2) " %r0, [%rd5];\n" USE("%r0") KERNEL_TAIL;
  expect_quiet(halves, 64, (core_options){.n = 0});
  expect_caught(halves, 62, (core_options){.n = 0}, GLOBAL, TEXTS("; lane 31 read"));
}
END_TEST

START_TEST(a_component_of_a_vector)
{
  const char *load =
      KERNEL_HEAD LOAD("v4.u32", 16) " {%r0, %r1, %r2, %r3}, [%rd5];\n" USE("%r3") KERNEL_TAIL;
  expect_quiet(load, 32 * 16, (core_options){.n = 0});
  watched w = watch_init(load, 0);
  for (uint64_t i = 0; i < 32; i++) // the last component of lane 9 is left out
    simt_initcheck_host_wrote(w.observer, w.run.in + 16 * i, i == 9 ? 12 : 16);
  launch_watched(&w, (core_options){.n = 0});
  expect_one(&w, GLOBAL, TEXTS("; lane 9 read", "\"element\": 39"));
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

// Pairs of a double and an int: 16 bytes of which the last four hold no member. They are loaded as
// compilers copy structures: whole.
START_TEST(padding_is_no_mistake)
{
#define PAIR(store)                                                                                \
  KERNEL_HEAD "mul.wide.u32 %rd4, %me, 16;\nadd.u64 %rd5, %rd1, %rd4;\nmov.u64 %rd6, 1;\n"         \
              "mov.u32 %r1, 2;\n" store                                                            \
              "st.global.u32 [%rd5+8], %r1;\nld.global.v2.u64 {%rd7, %rd8}, [%rd5];\n"             \
              "cvt.u32.u64 %r2, %rd8;\n" USE("%r2") KERNEL_TAIL
  const char *pair = PAIR("st.global.u64 [%rd5], %rd6;\n");
  watched w = watch_init(pair, 0);
  launch_watched(&w, (core_options){.n = 0});
  simt_initcheck_host_reads(w.observer, w.run.in, 512);
  expect_none(&w);
  unwatch(&w, simt_initcheck_destroy);
  // Four words of which one is missing are no such pair.
  expect_caught(PAIR("st.global.u32 [%rd5], %r1;\nst.global.u32 [%rd5+4], %r1;\n"), 0,
                (core_options){.n = 0}, GLOBAL, TEXTS("4 of its 8 bytes", "lanes 0-31"));
}
END_TEST

START_TEST(one_mistake_is_one_finding)
{
  const char *load =
      KERNEL_HEAD LOAD("u32", 4) " %r0, [%rd5];\n" USE("%r0") "ld.global.u32 %r1, [%rd5];\n" USE(
          "%r1") ".loc 1 20 0\nld.global.u32 %r1, [%rd5];\n" USE("%r1") KERNEL_TAIL;
  expect_caught(load, 0, (core_options){.n = 0}, GLOBAL, TEXTS("\"line\": 12", "\"count\": 1,"));
}
END_TEST

START_TEST(atomics_read_too)
{
#define ATOMIC(operation) KERNEL_HEAD "mov.u32 %r1, 1;\nmov.u32 %r2, 3;\n" operation KERNEL_TAIL
  const char *add = ATOMIC("red.global.add.u32 [%rd1], %r1;\n");
  expect_caught(add, 0, (core_options){.n = 0}, GLOBAL, TEXTS("\"act\": \"atomic\"", "lanes 0-31"));
  expect_quiet(add, 4, (core_options){.n = 0});
  expect_caught(ATOMIC("atom.global.cas.b32 %r0, [%rd1], %r1, %r2;\n"), 0, (core_options){.n = 0},
                GLOBAL, TEXTS("atomic"));
  expect_caught(ATOMIC("atom.global.exch.b32 %r0, [%rd1], %r1;\nadd.u32 %r3, %r0, 1;\n"), 0,
                (core_options){.n = 0}, GLOBAL, TEXTS("atomic"));
  // An exchange whose old value no instruction reads is a store, whatever its spelling.
  expect_quiet(ATOMIC("atom.global.exch.b32 %r0, [%rd1], %r1;\nld.global.u32 %r3, [%rd1];\n"), 0,
               (core_options){.n = 0});
  expect_quiet(ATOMIC("atom.global.exch.b32 _, [%rd1], %r1;\n"), 0, (core_options){.n = 0});
}
END_TEST

START_TEST(lanes_in_several_allocations)
{
  // Odd lanes read `out`, even ones `in`.
  const char *load = KERNEL_HEAD
      "and.b32 %r1, %ln, 1;\nsetp.eq.u32 %p1, %r1, 0;\nselp.b64 %rd4, %rd1, %rd0, %p1;\n"
      "mul.wide.u32 %rd5, %me, 4;\nadd.u64 %rd6, %rd4, %rd5;\nld.global.u32 %r0, "
      "[%rd6];\n" USE("%r0") KERNEL_TAIL;
  watched w = watch_init(load, 128);
  simt_initcheck_host_wrote(w.observer, w.run.out, 124);
  launch_watched(&w, (core_options){.n = 0});
  expect_one(&w, GLOBAL, TEXTS("; lane 31 read"));
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

START_TEST(memory_that_begins_written)
{
  const char *load = KERNEL_HEAD LOAD("u32", 4) " %r0, [%rd5];\n" USE("%r0") KERNEL_TAIL;
  const simt_allocation_kind kinds[] = {SIMT_ALLOCATION_PINNED, SIMT_ALLOCATION_MANAGED,
                                        SIMT_ALLOCATION_VARIABLE, SIMT_ALLOCATION_CONSTANT};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    watched w = watch(simt_initcheck_create, load);
    uint64_t address;
    ck_assert_int_eq(simt_memory_alloc(w.run.memory, 10000, kinds[i], NULL, &address, &w.run.diag),
                     SIMT_OK);
    simt_initcheck_allocated(w.observer, simt_memory_find(w.run.memory, address, 1));
    w.run.in = address;
    launch_watched(&w, (core_options){.n = 0});
    simt_initcheck_host_reads(w.observer, address, 10000);
    expect_none(&w);
    unwatch(&w, simt_initcheck_destroy);
  }
  // Nor is memory judged that was never reported as allocated.
  watched w = watch(simt_initcheck_create, load);
  launch_watched(&w, (core_options){.n = 0});
  expect_none(&w);
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

START_TEST(freed_memory_is_forgotten)
{
  const char *load = KERNEL_HEAD LOAD("u32", 4) " %r0, [%rd5];\n" USE("%r0") KERNEL_TAIL;
  watched w = watch_init(load, 128);
  const simt_allocation *in = simt_memory_find(w.run.memory, w.run.in, 1);
  simt_initcheck_freed(w.observer, in);
  simt_initcheck_freed(w.observer, in); // not known any more: nothing happens
  simt_initcheck_host_wrote(w.observer, w.run.in, 128);
  simt_initcheck_allocated(w.observer, in); // the same address anew: nothing is written there
  launch_watched(&w, (core_options){.n = 0});
  expect_one(&w, GLOBAL, TEXTS("lanes 0-31"));
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

// ---- shared memory -----------------------------------------------------------------------------

#define SHARED_KERNEL(body)                                                                        \
  KERNEL_HEAD ".shared .align 16 .b8 sum[128];\nmov.u32 %r10, sum;\nshl.b32 %r11, %ln, 2;\n"       \
              "add.u32 %r12, %r10, %r11;\n" body KERNEL_TAIL

START_TEST(shared_memory_begins_empty)
{
  expect_quiet(SHARED_KERNEL("st.shared.u32 [%r12], %ln;\nld.shared.u32 %r0, [%r12];\n"), 0,
               (core_options){.n = 0});
  expect_caught(SHARED_KERNEL(".loc 1 30 0\nld.shared.u32 %r0, [%r12];\n" USE("%r0")), 0,
                (core_options){.n = 0}, SHARED, TEXTS("\"line\": 30", "by then", "lanes 0-31"));
  // The lower half stores; lane 16 and above read what is theirs.
  expect_caught(SHARED_KERNEL("setp.lt.u32 %p1, %ln, 16;\n@%p1 st.shared.u32 [%r12], %ln;\n"
                              "ld.shared.u32 %r0, [%r12];\n" USE("%r0")),
                0, (core_options){.n = 0}, SHARED, TEXTS("lanes 16-31", "\"element\": 16"));
}
END_TEST

START_TEST(every_block_begins_anew)
{
  const char *first_only =
      SHARED_KERNEL("setp.eq.u32 %p1, %cb, 0;\n@%p1 st.shared.u32 [%r12], %ln;\n"
                    "ld.shared.u32 %r0, [%r12];\n" USE("%r0"));
  expect_quiet(first_only, 0, (core_options){.grid = 1});
  expect_caught(first_only, 0, (core_options){.grid = 2}, SHARED,
                TEXTS("\"block\": [1, 0, 0]", "\"count\": 1,"));
  expect_caught(first_only, 0, (core_options){.grid = 3, .cooperative = true}, SHARED,
                TEXTS("\"block\": [1, 0, 0]", "\"count\": 2,"));
}
END_TEST

START_TEST(shared_bytes_and_atomics)
{
  const char *bytes =
      SHARED_KERNEL("add.u32 %r13, %r10, %ln;\nst.shared.u8 [%r13], %ln;\n"
                    "and.b32 %r14, %r11, 124;\nadd.u32 %r15, %r10, %r14;\n"
                    "setp.lt.u32 %p1, %ln, %nn;\n@%p1 ld.shared.u32 %r0, [%r15];\n" USE("%r0"));
  expect_quiet(bytes, 0, (core_options){.n = 8}); // 8 words are 32 bytes
  expect_caught(bytes, 0, (core_options){.n = 9}, SHARED, TEXTS("; lane 8 read"));
  expect_caught(SHARED_KERNEL("atom.shared.add.u32 %r0, [%r10], %ln;\n"), 0, (core_options){.n = 0},
                SHARED, TEXTS("\"act\": \"atomic\""));
  expect_quiet(SHARED_KERNEL("st.shared.u32 [%r10], 0;\natom.shared.add.u32 %r0, [%r10], %ln;\n"),
               0, (core_options){.n = 0});
  expect_caught(SHARED_KERNEL("ld.shared.u32 %r0, [%r10+4];\n" USE("%r0")), 0,
                (core_options){.n = 0}, SHARED, TEXTS("lanes 0-31", "\"element\": 1"));
}
END_TEST

// `r = any ? total : 0`, of which compilers make a load and a selection. sum[0 … 3] is
// uninitialised; %p1 says whether it is asked for.
START_TEST(loads_that_the_compiler_moved_up)
{
#define GUESS(load, after)                                                                         \
  KERNEL_HEAD ".shared .align 16 .b8 sum[128];\nsetp.ne.u32 %p1, %nn, 0;\nmov.u32 %r9, sum;\n"     \
              "mov.u32 %r0, 0;\n" load after "st.global.u32 [%rd0], %r0;\n" KERNEL_TAIL
#define ONE "ld.shared.u32 %r1, [sum+4];\n"
#define FOUR "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [sum];\n"
  const char *const right[] = {
      GUESS(ONE, "selp.b32 %r0, %r1, 0, %p1;\n"), GUESS(ONE, "@%p1 mov.u32 %r0, %r1;\n"),
      GUESS(ONE, "add.u32 %r2, %r1, 1;\nselp.b32 %r0, %r2, 0, %p1;\n"),
      GUESS(ONE, "setp.gt.and.s32 %p2, %r1, 3, %p1;\nselp.b32 %r0, 1, 0, %p2;\n"),
      GUESS(ONE, "setp.gt.s32 %p2, %r1, 3;\nand.pred %p3, %p1, %p2;\n@%p3 mov.u32 %r0, 1;\n"),
      GUESS(ONE, "@%p1 bra ON;\nmov.u32 %r5, 1;\nON:\nadd.u32 %r2, %r1, 1;\n"
                 "selp.b32 %r0, %r2, 0, %p1;\n"),
      GUESS(ONE, "mov.u32 %r1, 0;\nadd.u32 %r0, %r1, 1;\n"), GUESS(ONE, ""),
      GUESS("st.shared.v2.u32 [sum], {%r0, %r0};\n" FOUR,
            "add.u32 %r0, %r1, %r2;\nselp.b32 %r0, %r3, %r0, %p1;\n"),
      // Not of a kind that compilers move up, but thrown away all the same.
      GUESS(ONE, "max.u32 %r2, %r0, %r1;\n@%p1 bra ON;\nmov.u32 %r2, 1;\nON:\nmov.u32 %r0, %r2;\n"),
      GUESS("ld.shared.u32 %r1, [%r9];\n", "selp.b32 %r0, %r1, 0, %p1;\n")};
  const char *const wrong[] = {
      GUESS(ONE, "add.u32 %r0, %r1, 1;\n"),
      GUESS(ONE, "setp.gt.s32 %p2, %r1, 3;\nselp.b32 %r0, %r1, 0, %p2;\n"),
      GUESS(ONE, "setp.gt.s32 %p2, %r1, 3;\n@%p2 bra SKIP;\nmov.u32 %r0, 1;\nSKIP:\n"),
      GUESS(ONE, "setp.gt.s32 %p2, %r1, 3;\n@%p2 mov.u32 %r0, 1;\n"),
      GUESS(ONE, "bra.uni ON;\nON:\nmax.u32 %r0, %r0, %r1;\n"),
      GUESS(ONE, "shfl.sync.idx.b32 %r0, %r1, 0, 31, 0xffffffff;\n"),
      // Loaded above a branch, used beyond it, even if this launch does not come there.
      GUESS(ONE, "mov.u32 %r2, %r1;\n@%p1 bra SKIP;\nadd.u32 %r0, %r2, 1;\nSKIP:\n"),
      GUESS("st.shared.v2.u32 [sum], {%r0, %r0};\n" FOUR, "add.u32 %r0, %r1, %r3;\n")};
  for (size_t i = 0; i < sizeof right / sizeof *right; i++)
    expect_quiet(right[i], 0, (core_options){.n = 0});
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect_caught(wrong[i], 0, (core_options){.n = 0}, SHARED, TEXTS("lanes 0-31"));
  // What was not asked for stays uninitialised: the next load that asks for it is reported.
  expect_caught(GUESS(ONE "selp.b32 %r2, %r1, 0, %p1;\n.loc 1 50 0\nld.shared.u32 %r3, [sum+4];\n",
                      "add.u32 %r0, %r3, %r2;\n"),
                0, (core_options){.n = 0}, SHARED, TEXTS("\"line\": 50"));
}
END_TEST

// What is computed from it, and thrown away: only a use is reported, at the load.
START_TEST(values_that_are_thrown_away)
{
#define AWAY(text) SHARED_KERNEL(".loc 1 12 0\nld.shared.u32 %r0, [%r12];\n.loc 1 20 0\n" text)
  const char *const right[] = {
      AWAY("add.u32 %r1, %r0, 1;\nmul.lo.u32 %r2, %r1, %r1;\n"),
      AWAY("add.u32 %r1, %r0, 1;\nst.shared.u32 [%r12], %r1;\n"),
      AWAY("add.u32 %r1, %r0, 1;\nst.shared.u32 [%r12], %r1;\nst.shared.u32 [%r12], %ln;\n"
           "ld.shared.u32 %r2, [%r12];\n" USE("%r2")),
      AWAY("add.u32 %r0, %r0, 1;\nmov.u32 %r0, 5;\n" USE("%r0")),
      AWAY("setp.eq.u32 %p1, %nn, 7;\n@%p1 add.u32 %r1, %r0, 1;\n@!%p1 mov.u32 %r1, 4;\n"
           "st.global.u32 [%rd0], %r1;\n"),
      // A shuffle moves it: only lanes that received it use it, and none does.
      AWAY("st.shared.u32 [%r12], %ln;\nsetp.eq.u32 %p1, %ln, 9;\nmov.u32 %r1, %ln;\n"
           "@%p1 mov.u32 %r1, %r0;\nshfl.sync.down.b32 %r2, %r1, 1, 31, 0xffffffff;\n"
           "setp.eq.u32 %p2, %ln, 8;\n@%p2 mov.u32 %r2, 1;\n" USE("%r2"))};
  const char *const wrong[] = {
      AWAY("add.u32 %r1, %r0, 1;\nst.global.u32 [%rd0], %r1;\n"),
      AWAY("mad.wide.u32 %rd5, %r0, 0, %rd1;\nst.global.u32 [%rd5], %ln;\n"),
      AWAY("and.b32 %r1, %r0, 0;\nadd.u32 %r2, %r1, %r12;\nld.shared.u32 %r3, [%r2];\n"),
      AWAY("add.u32 %r1, %r0, 1;\nred.global.add.u32 [%rd1], %r1;\n"),
      AWAY("add.u32 %r1, %r0, 1;\nredux.sync.add.s32 %r2, %r1, 0xffffffff;\n"),
      AWAY("setp.gt.u32 %p1, %r0, 5;\nvote.sync.any.pred %p2, %p1, 0xffffffff;\n"),
      AWAY("setp.gt.u32 %p1, %r0, 5;\n@%p1 bra ON;\nmov.u32 %r1, 1;\nON:\n"),
      AWAY("setp.gt.u32 %p1, %r0, 5;\n@%p1 st.shared.u32 [%r12], %ln;\n"),
      // Through shared memory, to another lane, and from there out.
      AWAY("add.u32 %r1, %r0, 1;\nst.shared.u32 [%r12], %r1;\n"
           "ld.shared.u32 %r2, [%r12];\nmax.u32 %r3, %r2, 3;\nst.global.u32 [%rd0], %r3;\n"),
      AWAY("shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xffffffff;\nst.global.u32 [%rd0], %r2;\n")};
  for (size_t i = 0; i < sizeof right / sizeof *right; i++)
    expect_quiet(right[i], 128, (core_options){.n = 0});
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect_caught(wrong[i], 128, (core_options){.n = 0}, SHARED,
                  TEXTS("\"line\": 12", "lanes 0-31", "\"count\": 1,"));
  // Of several blocks the finding is about one whose value is used.
  expect_caught(AWAY("setp.eq.u32 %p1, %cb, 3;\n@%p1 st.global.u32 [%rd0], %r0;\n"
                     "add.u32 %r1, %r0, 1;\n@%p1 st.global.u32 [%rd0], %r1;\n"),
                128, (core_options){.grid = 5}, SHARED, TEXTS("\"block\": [3, 0, 0]"));
}
END_TEST

START_TEST(dynamic_shared_memory)
{
  const char *load =
      ".version 7.8\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dyn[];\n"
      ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n.reg .b32 %r<9>;\n"
      ".reg .pred %p1;\nld.param.u32 %r3, [k_2];\nmov.u32 %r1, dyn;\nadd.u32 %r2, %r1, %r3;\n"
      "st.shared.u32 [%r1+1020], %r3;\nld.shared.u32 %r0, [%r2];\n"
      "setp.eq.u32 %p1, %r0, 0;\n@%p1 exit;\nret;\n}\n";
  core_options o = {.dynamic_shared_bytes = 1024, .n = 1020};
  expect_quiet(load, 0, o);
  o.n = 1016;
  expect_caught(load, 0, o, SHARED, TEXTS("lanes 0-31"));
}
END_TEST

// ---- the host ----------------------------------------------------------------------------------

START_TEST(outputs_never_written)
{
  // Threads below n write out[i].
  const char *store = KERNEL_HEAD
      "setp.lt.u32 %p1, %me, %nn;\nmul.wide.u32 %rd4, %me, 4;\nadd.u64 %rd5, %rd0, %rd4;\n"
      "@%p1 st.global.u32 [%rd5], %me;\n" KERNEL_TAIL;
  watched w = watch_init(store, 0);
  launch_watched(&w, (core_options){.block = 1024, .n = 1012});
  simt_initcheck_host_reads(w.observer, w.run.out, 1012 * 4);
  expect_none(&w);
  simt_initcheck_host_reads(w.observer, w.run.out, 1024 * 4);
  simt_initcheck_host_reads(w.observer, w.run.out, 1024 * 4);
  expect_one(&w, SIMT_FINDING_output_never_written,
             TEXTS("12 of the 1024 four-byte words", "word 1012", "byte 4048", "\"count\": 1,"));
  unwatch(&w, simt_initcheck_destroy);
  // What the host has copied without knowing it is as uninitialised for a kernel as before.
  w = watch_init(KERNEL_HEAD LOAD("u32", 4) " %r0, [%rd5];\n" USE("%r0") KERNEL_TAIL, 0);
  simt_initcheck_host_reads(w.observer, w.run.in, 128);
  launch_watched(&w, (core_options){.n = 0});
  char *all = found(&w);
  ck_assert_uint_eq(occurrences(all, "\"kind\": \"uninitialised_global\""), 1);
  ck_assert_uint_eq(occurrences(all, "\"kind\": \"output_never_written\""), 1);
  free(all);
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

START_TEST(holes_are_counted_in_words)
{
  watched w = watch_init(KERNEL_HEAD KERNEL_TAIL, 0);
  simt_initcheck_host_wrote(w.observer, w.run.in, 5);      // words 0 and part of 1
  simt_initcheck_host_wrote(w.observer, w.run.in + 7, 2);  // the rest of 1 and part of 2
  simt_initcheck_host_wrote(w.observer, w.run.in + 11, 1); // the end of 2
  simt_initcheck_host_reads(w.observer, w.run.in + 2, 18); // words 0 to 4, holes in 1, 2, 3 and 4
  expect_one(&w, SIMT_FINDING_output_never_written,
             TEXTS("4 of the 5 four-byte words", "word 1 of", "byte 5)"));
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

START_TEST(copies_carry_what_is_written)
{
  const char *load = KERNEL_HEAD LOAD("u8", 1) " %r0, [%rd5];\n" USE("%r0") KERNEL_TAIL;
  watched w = watch_init(load, 0);
  simt_initcheck_host_wrote(w.observer, w.run.out + 4090, 20); // across a page
  simt_initcheck_host_wrote(w.observer, w.run.in, 64);
  simt_initcheck_copied(w.observer, w.run.in + 1, w.run.out + 4091, 20); // one byte too many
  launch_watched(&w, (core_options){.n = 0});
  expect_one(&w, GLOBAL, TEXTS("; lane 20 read"));
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

START_TEST(whole_pages_are_copied_too)
{
  watched w = watch_init(KERNEL_HEAD KERNEL_TAIL, BUFFER);
  simt_initcheck_copied(w.observer, w.run.out + 4, w.run.in + 4, BUFFER - 8);
  simt_initcheck_host_reads(w.observer, w.run.out + 4, BUFFER - 8);
  expect_none(&w);
  simt_initcheck_host_reads(w.observer, w.run.out, BUFFER);
  expect_one(&w, SIMT_FINDING_output_never_written, TEXTS("2 of the 65536", "word 0 of"));
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

START_TEST(who_wrote_last)
{
  const char *store = KERNEL_HEAD
      "setp.ge.u32 %p1, %me, %nn;\nmul.wide.u32 %rd4, %me, 4;\nadd.u64 %rd5, %rd0, %rd4;\n"
      "@%p1 st.global.u32 [%rd5], %me;\n" KERNEL_TAIL;
  watched w = watch_init(store, 0);
  launch_watched(&w, (core_options){.n = 0, .number = 7});
  launch_watched(&w, (core_options){.n = 30, .number = 9});
  simt_initcheck_host_wrote(w.observer, w.run.out + 4, 4);
  const uint64_t expected[] = {[0] = 7, [1] = 0, [2] = 7, [29] = 7, [30] = 9, [31] = 9, [32] = 0};
  const uint32_t at[] = {0, 1, 2, 29, 30, 31, 32};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++)
    ck_assert_uint_eq(simt_initcheck_last_writer(w.observer, w.run.out + 4 * at[i] + i % 4),
                      expected[at[i]]);
  simt_initcheck_copied(w.observer, w.run.in + 400, w.run.out, 128);
  ck_assert_uint_eq(simt_initcheck_last_writer(w.observer, w.run.in + 400), 7);
  ck_assert_uint_eq(simt_initcheck_last_writer(w.observer, w.run.in + 404), 0);
  ck_assert_uint_eq(simt_initcheck_last_writer(w.observer, w.run.in + 527), 9);
  ck_assert_uint_eq(simt_initcheck_last_writer(w.observer, w.run.in + 528), 0);
  ck_assert_uint_eq(simt_initcheck_last_writer(w.observer, 12345), 0);
  expect_none(&w);
  unwatch(&w, simt_initcheck_destroy);
}
END_TEST

// ---- at random, against a byte for a byte ------------------------------------------------------

enum { RANDOM_BYTES = 9001, RANDOM_STEPS = 3000 };

typedef struct reference { // of two allocations
  bool written[2][RANDOM_BYTES];
  uint32_t writer[2][RANDOM_BYTES / 4 + 1];
} reference;

typedef struct random_run {
  simt_observer *observer;
  simt_findings *findings;
  uint64_t address[2];
  reference expected;
  uint32_t state;
  uint64_t n_found;
} random_run;

static uint32_t any(random_run *r, uint32_t below) {
  r->state = r->state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(r->state >> 8) * below >> 24);
}

// A store or a load of bytes by some lanes, contiguous, uniform or scattered. Elements of one byte
// know no padding.
static void random_access(random_run *r, uint32_t launch, bool store) {
  uint32_t buffer = any(r, 2), pattern = any(r, 3), first = any(r, RANDOM_BYTES - 32);
  uint64_t address[32];
  simt_access a = {.mask = pattern == SIMT_PATTERN_CONTIGUOUS ? UINT32_MAX : any(r, 1 << 24),
                   .width_bytes = 1,
                   .vector = 1,
                   .kind = store ? SIMT_STORE : SIMT_LOAD,
                   .space = PTX_SPACE_GLOBAL,
                   .pattern = (uint8_t)pattern,
                   .address = address};
  bool found = false;
  for (uint32_t lane = 0; lane < 32; lane++) {
    uint32_t at = pattern == SIMT_PATTERN_UNIFORM      ? first
                  : pattern == SIMT_PATTERN_CONTIGUOUS ? first + lane
                                                       : any(r, RANDOM_BYTES);
    address[lane] = r->address[buffer] + at;
    if (!(a.mask >> lane & 1)) continue;
    bool *written = &r->expected.written[buffer][at];
    found |= !store && !*written;
    if (store) r->expected.writer[buffer][at / 4] = launch;
  }
  for (uint32_t lane = 0; lane < 32; lane++)
    if (a.mask >> lane & 1) r->expected.written[buffer][address[lane] - r->address[buffer]] = true;
  r->observer->access(r->observer, &a);
  r->n_found += found;
}

static void random_host_call(random_run *r) {
  uint32_t to = any(r, 2), from = any(r, 2), n = any(r, any(r, 4) ? 40 : RANDOM_BYTES / 2) + 1;
  uint32_t at = any(r, RANDOM_BYTES - n + 1), source = any(r, RANDOM_BYTES - n + 1);
  reference *e = &r->expected;
  if (any(r, 2) || to == from) {
    for (uint32_t i = at; i < at + n; i++) e->written[to][i] = true, e->writer[to][i / 4] = 0;
    simt_initcheck_host_wrote(r->observer, r->address[to] + at, n);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    e->written[to][at + i] = e->written[from][source + i];
    if (e->written[from][source + i])
      e->writer[to][(at + i) / 4] = e->writer[from][(source + i) / 4];
  }
  simt_initcheck_copied(r->observer, r->address[to] + at, r->address[from] + source, n);
}

static uint64_t count_found(simt_findings *findings) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  const simt_sink sink = simt_file_sink(to);
  simt_findings_write_json(findings, &sink);
  fclose(to);
  const char *at = strstr(text, "\"count\": ");
  uint64_t n = at ? strtoull(at + 9, NULL, 10) : 0;
  ck_assert_uint_le(occurrences(text, "\"kind\""), 1);
  free(text);
  return n;
}

static void compare_at_random(uint32_t seed) {
  core_run run = core_load(KERNEL_HEAD KERNEL_TAIL);
  random_run r = {.findings = simt_findings_create(run.memory), .state = seed};
  r.observer = simt_initcheck_create(r.findings);
  for (int i = 0; i < 2; i++) {
    simt_memory_alloc(run.memory, RANDOM_BYTES, SIMT_ALLOCATION_DEVICE, NULL, &r.address[i],
                      &run.diag);
    simt_initcheck_allocated(r.observer, simt_memory_find(run.memory, r.address[i], 1));
  }
  simt_launch_info info = {.n_code = 1, .n_blocks = 1, .launch = 1};
  for (uint32_t step = 0; step < RANDOM_STEPS; step++) {
    info.launch = 1 + step / 100;
    r.observer->launch_begin(r.observer, &info);
    if (any(&r, 8) == 0) random_host_call(&r);
    else random_access(&r, (uint32_t)info.launch, any(&r, 2));
    r.observer->launch_end(r.observer, &info, NULL);
  }
  ck_assert_uint_eq(count_found(r.findings), r.n_found);
  ck_assert_uint_gt(r.n_found, 0);
  for (uint32_t i = 0; i < 2 * RANDOM_BYTES; i++) {
    uint32_t buffer = i / RANDOM_BYTES, at = i % RANDOM_BYTES;
    if (r.expected.written[buffer][at])
      ck_assert_uint_eq(simt_initcheck_last_writer(r.observer, r.address[buffer] + at),
                        r.expected.writer[buffer][at / 4]);
  }
  simt_initcheck_destroy(r.observer);
  simt_findings_destroy(r.findings);
  core_free(&run);
}

START_TEST(the_shadow_is_exact)
{
  for (uint32_t seed = 1; seed <= 40; seed++) compare_at_random(seed);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("initcheck");
  TCase *global = tcase_create("global memory"), *shared = tcase_create("shared memory"),
        *host = tcase_create("the host");
  tcase_add_test(global, a_load_of_what_nobody_wrote);
  tcase_add_test(global, a_short_last_warp_reads_only_its_own);
  tcase_add_test(global, bytes_and_halves_are_distinguished);
  tcase_add_test(global, a_component_of_a_vector);
  tcase_add_test(global, padding_is_no_mistake);
  tcase_add_test(global, one_mistake_is_one_finding);
  tcase_add_test(global, atomics_read_too);
  tcase_add_test(global, lanes_in_several_allocations);
  tcase_add_test(global, memory_that_begins_written);
  tcase_add_test(global, freed_memory_is_forgotten);
  tcase_add_test(global, the_shadow_is_exact);
  tcase_add_test(shared, shared_memory_begins_empty);
  tcase_add_test(shared, every_block_begins_anew);
  tcase_add_test(shared, shared_bytes_and_atomics);
  tcase_add_test(shared, loads_that_the_compiler_moved_up);
  tcase_add_test(shared, values_that_are_thrown_away);
  tcase_add_test(shared, dynamic_shared_memory);
  tcase_add_test(host, outputs_never_written);
  tcase_add_test(host, holes_are_counted_in_words);
  tcase_add_test(host, copies_carry_what_is_written);
  tcase_add_test(host, whole_pages_are_copied_too);
  tcase_add_test(host, who_wrote_last);
  TCase *all[] = {global, shared, host};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    tcase_set_timeout(all[i], 120);
    suite_add_tcase(suite, all[i]);
  }
  return run_suite(suite);
}
