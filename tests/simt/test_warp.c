// SPDX-License-Identifier: MIT
// test_warp.c - divergence, reconvergence, barriers, collectives, forward progress, and the
// diagnostics when threads cannot continue. Kernels are hand-written PTX; expected results are
// worked out by hand.
#include "core_fixture.h"
#include "run_suite.h"

// ---- divergence --------------------------------------------------------------------------------

START_TEST(if_else_takes_both_paths)
{
  core_run run =
      core_ok(KERNEL_HEAD
              "setp.lt.u32 %p1, %ln, 10;\n@%p1 bra LOW;\nadd.u32 %r0, %ln, 1000;\nbra.uni DONE;\n"
              "LOW:\nmul.lo.u32 %r0, %ln, 3;\nDONE:\nactivemask.b32 %r1;\nsetp.ne.u32 %p2, %r1, "
              "0xffffffff;\n"
              "@%p2 mov.u32 %r0, 77;\n" STORE_R0 KERNEL_TAIL,
              (core_options){.n = 0});
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], i < 10 ? 3 * i : i + 1000);
  core_free(&run);
}
END_TEST

// Lane i runs i + 1 iterations; afterwards all 32 lanes must have reconverged.
START_TEST(loop_with_uneven_trip_counts_reconverges)
{
  core_run run = core_ok(
      KERNEL_HEAD
      "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nLOOP:\nadd.u32 %r0, %r0, %ln;\nadd.u32 %r1, %r1, 1;\n"
      "setp.le.u32 %p1, %r1, %ln;\n@%p1 bra LOOP;\nactivemask.b32 %r2;\nsetp.ne.u32 %p2, %r2, "
      "0xffffffff;\n"
      "@%p2 mov.u32 %r0, 99999;\n" STORE_R0 KERNEL_TAIL,
      (core_options){.n = 0});
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], i * (i + 1));
  core_free(&run);
}
END_TEST

START_TEST(nested_divergence_reconverges_inside_out)
{
  core_run run = core_ok(
      KERNEL_HEAD
      "mov.u32 %r0, 0;\nand.b32 %r1, %ln, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra END1;\n"
      "and.b32 %r2, %ln, 2;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra END2;\nadd.u32 %r0, %r0, 1;\n"
      "END2:\nactivemask.b32 %r3;\nsetp.eq.u32 %p3, %r3, 0xaaaaaaaa;\n@%p3 add.u32 %r0, %r0, 10;\n"
      "END1:\nactivemask.b32 %r4;\nsetp.eq.u32 %p4, %r4, 0xffffffff;\n@%p4 add.u32 %r0, %r0, "
      "100;\n" STORE_R0 KERNEL_TAIL,
      (core_options){.n = 0});
  for (uint32_t i = 0; i < 32; i++)
    ck_assert_uint_eq(run.out_host[i], 100u + (i & 1 ? 10u : 0u) + ((i & 3) == 3 ? 1u : 0u));
  core_free(&run);
}
END_TEST

// Every level diverges, joins again at a barrier inside, and only then goes deeper: the lanes are
// expected at more and more places. Beyond SIMT_MAX_RECONVERGENCES they reconverge further out.
START_TEST(lanes_that_join_inside_divergent_code_nest_without_limit)
{
  enum { DEEP = 100 };
  static char text[1 << 16];
  size_t n = (size_t)snprintf(text, sizeof text, "%s",
                              KERNEL_HEAD
                              "mov.u32 %r0, 0;\nand.b32 %r1, %ln, 1;\nsetp.eq.u32 %p1, %r1, 1;\n"
                              "setp.gt.u32 %p2, %nn, 5;\n");
  for (int i = 0; i < DEEP; i++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "@%%p1 bra X%d;\n@%%p2 bra J%d;\nX%d:\nbar.warp.sync -1;\n"
                          "add.u32 %%r0, %%r0, 1;\n",
                          i, i, i);
  for (int i = DEEP; i-- > 0;)
    n += (size_t)snprintf(text + n, sizeof text - n, "J%d:\nadd.u32 %%r2, %%r2, 1;\n", i);
  snprintf(text + n, sizeof text - n, "%s%s", STORE_R0, KERNEL_TAIL);
  core_run run = core_ok(text, (core_options){.block = 64});
  for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(run.out_host[i], DEEP);
  core_free(&run);
}
END_TEST

START_TEST(early_exit_of_some_lanes)
{
  core_run run = core_ok(
      KERNEL_HEAD "setp.ge.u32 %p1, %ln, 20;\n@%p1 ret;\nmov.u32 %r0, 5;\n" STORE_R0 KERNEL_TAIL,
      (core_options){.n = 0});
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], i < 20 ? 5 : 0xdeadbeef);
  core_free(&run);
}
END_TEST

START_TEST(exit_inside_a_divergent_region_completes_the_reconvergence)
{
  core_run run =
      core_ok(KERNEL_HEAD
              "setp.lt.u32 %p1, %ln, 16;\n@%p1 bra MEET;\nsetp.ge.u32 %p2, %ln, 24;\n@%p2 exit;\n"
              "MEET:\nactivemask.b32 %r0;\n" STORE_R0 KERNEL_TAIL,
              (core_options){.n = 0});
  for (uint32_t i = 0; i < 24; i++) ck_assert_uint_eq(run.out_host[i], 0x00ffffff);
  core_free(&run);
}
END_TEST

START_TEST(partial_last_warp)
{
  core_run run = core_ok(KERNEL_HEAD "activemask.b32 %r0;\n" STORE_R0 KERNEL_TAIL,
                         (core_options){.block = 37});
  ck_assert_uint_eq(run.out_host[0], 0xffffffff);
  ck_assert_uint_eq(run.out_host[36], 0x1f);
  ck_assert_uint_eq(run.out_host[37], 0xdeadbeef);
  core_free(&run);
}
END_TEST

// ---- forward progress --------------------------------------------------------------------------

// A lock that every lane takes in turn: the holder leaves the loop and waits at its end for lanes
// that spin for the lock the holder has yet to release.
START_TEST(spin_lock_within_a_warp_makes_progress)
{
  core_run run = core_ok(
      KERNEL_HEAD
      "SPIN:\natom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra SPIN;\n"
      "ld.volatile.global.u32 %r2, [%rd1+4];\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 "
      "[%rd1+4], %r2;\n"
      "atom.global.exch.b32 %r3, [%rd1], 0;\nmov.u32 %r0, %r2;\n" STORE_R0 KERNEL_TAIL,
      (core_options){.block = 64});
  ck_assert_uint_eq(run.in_host[1], 1 + 64); // in[1] began as 1
  core_free(&run);
}
END_TEST

START_TEST(warp_waits_for_a_later_warp)
{
  core_run run = core_ok(
      KERNEL_HEAD
      "setp.ge.u32 %p1, %me, 32;\n@%p1 bra PRODUCE;\n"
      "WAIT:\nld.acquire.gpu.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra WAIT;\n"
      "ld.global.u32 %r0, [%rd1+8];\nbra.uni DONE;\n"
      "PRODUCE:\nmov.u32 %r0, 4321;\nst.global.u32 [%rd1+8], "
      "%r0;\nmembar.gl;\nst.volatile.global.u32 [%rd1], %r0;\n"
      "DONE:\n" STORE_R0 KERNEL_TAIL,
      (core_options){.block = 64});
  for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(run.out_host[i], 4321);
  core_free(&run);
}
END_TEST

START_TEST(endless_spin_is_a_deadlock)
{ // no thread ever sets the flag
  core_fails(KERNEL_HEAD ".loc 1 33 3\nWAIT:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 "
                         "%p2, %r1, 0;\n@%p2 bra WAIT;\n" KERNEL_TAIL,
             (core_options){.block = 64}, SIMT_DEADLOCK, TEXTS("t.cu:33", "waits in a loop", "0x"));
}
END_TEST

// Reading a long array through volatile is not spinning, however many rounds it takes.
START_TEST(volatile_stream_is_not_a_spin)
{
  core_run run = core_ok(
      KERNEL_HEAD "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nmov.u64 %rd5, "
                  "%rd1;\nLOOP:\nld.volatile.global.u32 %r2, [%rd5];\nadd.u32 %r0, %r0, %r2;\n"
                  "add.u64 %rd5, %rd5, 4;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, "
                  "60000;\n@%p1 bra LOOP;\n" STORE_R0 KERNEL_TAIL,
      (core_options){.block = 1});
  ck_assert_uint_eq(run.out_host[0], 60000u * 59999u / 2);
  core_free(&run);
}
END_TEST

START_TEST(endless_loop_is_reported_with_its_line)
{
  core_fails(
      KERNEL_HEAD ".loc 1 42 3\nLOOP:\nadd.u32 %r0, %r0, 1;\nbra.uni LOOP;\n" KERNEL_TAIL,
      (core_options){.max_warp_instructions = 100000}, SIMT_TIMEOUT,
      TEXTS("t.cu:42", "instruction limit reached", "SIMT_MAX_WARP_INSTRUCTIONS", "kernel k"));
  core_fails(KERNEL_HEAD
             "LOOP:\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 50;\n@%p1 bra LOOP;\n" KERNEL_TAIL,
             (core_options){.max_warp_instructions = 100}, SIMT_TIMEOUT,
             TEXTS("instruction limit reached"));
}
END_TEST

// ---- block barriers ----------------------------------------------------------------------------

#define SHARED_SLOT                                                                                \
  ".shared .align 4 .b8 s[4096];\nmov.u64 %rd4, s;\nmul.wide.u32 %rd5, %me, 4;\nadd.u64 %rd6, "    \
  "%rd4, %rd5;\n"

START_TEST(barrier_orders_warps)
{ // every thread reads what the mirrored thread wrote
  core_run run = core_ok(
      KERNEL_HEAD SHARED_SLOT
      "st.shared.u32 [%rd6], %me;\nbar.sync 0;\nmov.u32 %r1, %ntid.x;\nsub.u32 %r1, %r1, "
      "%me;\nsub.u32 %r1, %r1, 1;\n"
      "mul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd6, %rd4, %rd5;\nld.shared.u32 %r0, [%rd6];\n" STORE_R0
          KERNEL_TAIL,
      (core_options){.block = 1000, .grid = 3});
  for (uint32_t i = 0; i < 3000; i++) ck_assert_uint_eq(run.out_host[i], 999 - i % 1000);
  core_free(&run);
}
END_TEST

START_TEST(barrier_reduction)
{
  core_run run = core_ok(
      KERNEL_HEAD
      "setp.lt.u32 %p1, %me, 40;\nbar.red.popc.u32 %r0, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\n"
      "bar.red.or.pred %p3, 0, !%p1;\n@%p2 add.u32 %r0, %r0, 1000;\n@%p3 add.u32 %r0, %r0, "
      "2000;\n" STORE_R0 KERNEL_TAIL,
      (core_options){.block = 96});
  for (uint32_t i = 0; i < 96; i++) ck_assert_uint_eq(run.out_host[i], 2040);
  core_free(&run);
}
END_TEST

START_TEST(named_barriers_are_independent)
{ // two halves of the block, each with its own barrier
  core_run run = core_ok(KERNEL_HEAD SHARED_SLOT
                         "st.shared.u32 [%rd6], %me;\nshr.u32 %r1, %me, 6;\nadd.u32 %r2, %r1, "
                         "1;\nbarrier.sync %r2, 64;\n"
                         "xor.b32 %r3, %me, 63;\nmul.wide.u32 %rd5, %r3, 4;\nadd.u64 %rd6, %rd4, "
                         "%rd5;\nld.shared.u32 %r0, [%rd6];\n" STORE_R0 KERNEL_TAIL,
                         (core_options){.block = 128});
  for (uint32_t i = 0; i < 128; i++) ck_assert_uint_eq(run.out_host[i], i ^ 63);
  core_free(&run);
}
END_TEST

START_TEST(arrive_does_not_wait)
{ // producers arrive, consumers sync
  core_run run =
      core_ok(KERNEL_HEAD SHARED_SLOT "setp.ge.u32 %p1, %me, 32;\n@%p1 bra PRODUCE;\nbarrier.sync "
                                      "1, 64;\nld.shared.u32 %r0, [%rd6+128];\nbra.uni DONE;\n"
                                      "PRODUCE:\nst.shared.u32 [%rd6], %me;\nbarrier.arrive 1, "
                                      "64;\nmov.u32 %r0, 7;\nDONE:\n" STORE_R0 KERNEL_TAIL,
              (core_options){.block = 64});
  for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(run.out_host[i], i < 32 ? i + 32 : 7);
  core_free(&run);
}
END_TEST

// Threads that have exited are not waited for: before others come, after, and lane by lane.
START_TEST(barriers_wait_for_living_threads_only)
{
#define EARLY_EXIT(barrier)                                                                        \
  KERNEL_HEAD SHARED_SLOT "st.shared.u32 [%rd6], %me;\nsetp.ge.u32 %p1, %me, %nn;\n@%p1 exit;\n"   \
                          "setp.lt.u32 %p2, %me, 5;\n" barrier                                     \
                          "xor.b32 %r3, %me, 1;\nmul.wide.u32 %rd5, %r3, 4;\n"                     \
                          "add.u64 %rd6, %rd4, %rd5;\nld.shared.u32 %r0, [%rd6];\n"                \
                          "add.u32 %r0, %r0, %r1;\n" STORE_R0 KERNEL_TAIL
  static const struct {
    const char *text;
    uint32_t added;
  } cases[] = {{EARLY_EXIT("mov.u32 %r1, 0;\nbar.sync 0;\nbar.sync 3;\n"), 0},
               {EARLY_EXIT("bar.red.popc.u32 %r1, 0, %p2;\n"), 5},
               {EARLY_EXIT("bar.red.and.pred %p3, 0, %p2;\nselp.u32 %r1, 9, 7, %p3;\n"), 7},
               {EARLY_EXIT("bar.red.or.pred %p3, 0, %p2;\nselp.u32 %r1, 9, 7, %p3;\n"), 9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t n = 36; n <= 128; n += 28) { // 36, 64, 92, 120 of 128
      core_run run = core_ok(cases[i].text, (core_options){.block = 128, .n = n, .grid = 3});
      for (uint32_t t = 0; t < 128; t++)
        ck_assert_uint_eq(run.out_host[t], t < n ? (t ^ 1) + cases[i].added : 0xdeadbeef);
      core_free(&run);
    }
}
END_TEST

// The lanes of the second warp exit while the first one waits.
START_TEST(a_barrier_is_left_by_those_who_exit_later)
{
  core_run run =
      core_ok(KERNEL_HEAD "setp.lt.u32 %p1, %me, 32;\n@%p1 bra WAIT;\n"
                          "setp.lt.u32 %p2, %me, 40;\n@%p2 bra DONE;\nmov.u32 %r1, 500;\nLOOP:\n"
                          "sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra LOOP;\n"
                          "bra.uni DONE;\nWAIT:\nbar.sync 0;\nmov.u32 %r0, 7;\n" STORE_R0
                          "DONE:\n" KERNEL_TAIL,
              (core_options){.block = 64});
  for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(run.out_host[i], i < 32 ? 7 : 0xdeadbeef);
  core_free(&run);
}
END_TEST

// Lanes that have exited arrive at a counted barrier with their warp; a warp that has exited as a
// whole does not.
START_TEST(counted_barriers_count_warps)
{
#define COUNTED(count)                                                                             \
  KERNEL_HEAD "setp.ge.u32 %p1, %ln, %nn;\n@%p1 exit;\nsetp.ge.u32 %p1, %me, 64;\n@%p1 exit;\n"    \
              ".loc 1 17 5\nbar.sync 1, " count ";\nmov.u32 %r0, 7;\n" STORE_R0 KERNEL_TAIL
  core_run run = core_ok(COUNTED("64"), (core_options){.block = 96, .n = 20});
  for (uint32_t i = 0; i < 96; i++)
    ck_assert_uint_eq(run.out_host[i], i < 64 && i % 32 < 20 ? 7 : 0xdeadbeef);
  core_free(&run);
  core_fails(COUNTED("96"), (core_options){.block = 96, .n = 20}, SIMT_DEADLOCK,
             TEXTS("t.cu:17", "barrier 1", "40 of 96 threads (among 0 to 51) wait",
                   "56 of 96 threads (among 20 to 95) have left the kernel"));
}
END_TEST

START_TEST(two_groups_at_different_named_barriers_deadlock)
{
  core_fails(KERNEL_HEAD "setp.lt.u32 %p1, %me, 32;\n.loc 1 5 1\n@%p1 bar.sync 1, 64;\n.loc 1 6 "
                         "1\n@!%p1 bar.sync 2, 64;\n" KERNEL_TAIL,
             (core_options){.block = 64}, SIMT_DEADLOCK,
             TEXTS("barrier 1", "barrier 2", "t.cu:5", "t.cu:6"));
}
END_TEST

START_TEST(warp_operation_names_whom_it_waits_for)
{ // eight lanes of it stand at the barrier
  core_fails(KERNEL_HEAD
             "setp.lt.u32 %p1, %me, 40;\n.loc 1 5 1\n@%p1 bra BLOCK;\n.loc 1 6 1\n"
             "bar.warp.sync -1;\nbra.uni DONE;\nBLOCK:\nbar.sync 0;\nDONE:\n" KERNEL_TAIL,
             (core_options){.block = 64}, SIMT_DEADLOCK,
             TEXTS("24 of 64 threads (40 to 63) wait", "t.cu:6, for threads 32 to 39"));
}
END_TEST

// Some threads of block 2 leave, or wait at another barrier.
#define SOME_OF_A_GRID(which, then)                                                                \
  ".version 7.8\n.target sm_80\n.address_size 64\n.extern .func __simt_grid_sync();\n"             \
  ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n"                      \
  ".reg .pred %p, %q;\n.reg .b32 %b, %t;\nmov.u32 %b, %ctaid.x;\nmov.u32 %t, %tid.x;\n"            \
  "setp.eq.u32 %p, %b, 2;\nsetp." which ".and.u32 %q, %t, 32, %p;\n@%q " then                      \
  "{\ncall.uni __simt_grid_sync, ();\n}\nret;\n}\n"

START_TEST(grid_sync_waits_for_living_threads_only)
{
  core_run run = core_ok(SOME_OF_A_GRID("ge", "ret;\n"),
                         (core_options){.grid = 4, .block = 64, .cooperative = true});
  core_free(&run);
}
END_TEST

// A block whose first thread has exited does not report to the grid, and neither does an empty one.
START_TEST(grid_sync_waits_for_the_first_thread_of_every_block)
{
  for (uint32_t block = 32; block <= 64; block += 32)
    core_fails(SOME_OF_A_GRID("lt", "ret;\n"),
               (core_options){.grid = 4, .block = block, .cooperative = true}, SIMT_DEADLOCK,
               TEXTS("deadlock: not all threads arrive at grid.sync()", "in block (2,0,0), 0 of ",
                     "have left the kernel"));
}
END_TEST

START_TEST(grid_sync_names_the_block_that_is_missing)
{
  core_fails(SOME_OF_A_GRID("lt", "bar.sync 3, 64;\n"),
             (core_options){.grid = 4, .block = 64, .cooperative = true}, SIMT_DEADLOCK,
             TEXTS("grid.sync()", "in block (2,0,0), 32 of 64 threads are at grid.sync()",
                   "32 of 64 threads (0 to 31) wait at barrier 3"));
}
END_TEST

START_TEST(barrier_counts_are_checked)
{
  core_fails(KERNEL_HEAD "bar.sync 1, 33;\n" KERNEL_TAIL, (core_options){.block = 64},
             SIMT_INVALID_BARRIER, TEXTS("33 threads", "multiple of 32"));
  core_fails(KERNEL_HEAD "bar.sync 16;\n" KERNEL_TAIL, (core_options){.block = 64},
             SIMT_INVALID_BARRIER, TEXTS("barrier 16"));
  core_fails(KERNEL_HEAD "and.b32 %r1, %ln, 1;\nbarrier.sync %r1, 32;\n" KERNEL_TAIL,
             (core_options){.block = 64}, SIMT_INVALID_BARRIER,
             TEXTS("different barriers", "not supported"));
}
END_TEST

// ---- collectives -------------------------------------------------------------------------------

START_TEST(shuffle_modes)
{
  static const struct {
    const char *op;
    int expect[4];
  } cases[] = {
      // what lanes 0, 1, 30 and 31 receive from `lane` itself
      {"down.b32 %r0|%p1, %ln, 1, 31", {1, 2, 31, 31}},
      {"up.b32 %r0|%p1, %ln, 1, 0", {0, 0, 29, 30}},
      {"bfly.b32 %r0|%p1, %ln, 16, 31", {16, 17, 14, 15}},
      {"idx.b32 %r0|%p1, %ln, 5, 31", {5, 5, 5, 5}},
      {"down.b32 %r0|%p1, %ln, 1, 0x181f", {1, 2, 31, 31}}, // segments of 8
      {"idx.b32 %r0|%p1, %ln, 3, 0x1c1f", {3, 3, 31, 31}},  // segments of 4
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[4096];
    snprintf(text, sizeof text, "%sshfl.sync.%s, 0xffffffff;\n%s%s", KERNEL_HEAD, cases[i].op,
             STORE_R0, KERNEL_TAIL);
    core_run run = core_ok(text, (core_options){.n = 0});
    const uint32_t lanes[4] = {0, 1, 30, 31};
    for (int k = 0; k < 4; k++)
      ck_assert_msg(run.out_host[lanes[k]] == (uint32_t)cases[i].expect[k], "%s: lane %u got %u",
                    cases[i].op, lanes[k], run.out_host[lanes[k]]);
    core_free(&run);
  }
}
END_TEST

START_TEST(votes_and_matches)
{
  core_run run = core_ok(
      KERNEL_HEAD
      "setp.lt.u32 %p1, %ln, 4;\nvote.sync.ballot.b32 %r0, %p1, 0xffffffff;\nvote.sync.any.pred "
      "%p2, %p1, 0xffffffff;\n"
      "vote.sync.all.pred %p3, !%p1, 0xffffffff;\nvote.sync.uni.pred %p4, %p1, 0xffffffff;\n"
      "@%p2 add.u32 %r0, %r0, 100;\n@%p3 add.u32 %r0, %r0, 1000;\n@%p4 add.u32 %r0, %r0, 10000;\n"
      "and.b32 %r1, %ln, 3;\nmatch.any.sync.b32 %r2, %r1, 0xffffffff;\nand.b32 %r2, %r2, 0xff;\n"
      "shl.b32 %r2, %r2, 16;\nadd.u32 %r0, %r0, %r2;\n" STORE_R0 KERNEL_TAIL,
      (core_options){.n = 0});
  for (uint32_t i = 0; i < 32; i++)
    ck_assert_uint_eq(run.out_host[i], 15 + 100 + ((0x11u << (i & 3)) << 16));
  core_free(&run);
}
END_TEST

// Tiles of 8: converged lanes whose masks differ are separate groups.
START_TEST(shuffle_with_a_mask_per_tile)
{
  core_run run =
      core_ok(KERNEL_HEAD "and.b32 %r1, %ln, 24;\nmov.u32 %r2, 255;\nshl.b32 %r2, %r2, %r1;\n"
                          "shfl.sync.bfly.b32 %r0, %ln, 4, 0x181f, %r2;\n" STORE_R0 KERNEL_TAIL,
              (core_options){.n = 0});
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], i ^ 4);
  core_free(&run);
}
END_TEST

// Both branches of an if execute "the same" shuffle at different instructions.
START_TEST(shuffle_across_different_instructions)
{
  core_run run =
      core_ok(KERNEL_HEAD "setp.lt.u32 %p1, %ln, 16;\n@%p1 bra LOW;\nadd.u32 %r1, %ln, "
                          "100;\nshfl.sync.bfly.b32 %r0, %r1, 16, 31, 0xffffffff;\n"
                          "bra.uni DONE;\nLOW:\nadd.u32 %r2, %ln, 200;\nshfl.sync.bfly.b32 %r0, "
                          "%r2, 16, 31, 0xffffffff;\nDONE:\n" STORE_R0 KERNEL_TAIL,
              (core_options){.n = 0});
  for (uint32_t i = 0; i < 32; i++)
    ck_assert_uint_eq(run.out_host[i], (i ^ 16) + (i < 16 ? 100 : 200));
  core_free(&run);
}
END_TEST

START_TEST(syncwarp_meets_lanes_from_two_paths)
{
  core_run run = core_ok(KERNEL_HEAD SHARED_SLOT
                         "setp.lt.u32 %p1, %ln, 16;\n@%p1 bra LOW;\nst.shared.u32 [%rd6], "
                         "%ln;\nbar.warp.sync 0xffffffff;\nmov.u32 %r0, 1;\n"
                         "bra.uni DONE;\nLOW:\nbar.warp.sync 0xffffffff;\nld.shared.u32 %r0, "
                         "[%rd6+64];\nDONE:\n" STORE_R0 KERNEL_TAIL,
                         (core_options){.n = 0});
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], i < 16 ? i + 16 : 1);
  core_free(&run);
}
END_TEST

START_TEST(collectives_ignore_lanes_that_left)
{
  core_run run =
      core_ok(KERNEL_HEAD
              "setp.ge.u32 %p1, %ln, 8;\n@%p1 exit;\nbar.warp.sync 0xffffffff;\nshfl.sync.down.b32 "
              "%r0, %ln, 1, 31, 0xffffffff;\n" STORE_R0 KERNEL_TAIL,
              (core_options){.n = 0});
  for (uint32_t i = 0; i < 7; i++) ck_assert_uint_eq(run.out_host[i], i + 1);
  core_free(&run);
}
END_TEST

#define BALLOT_OF_ALL(mask)                                                                        \
  KERNEL_HEAD "mov.pred %p1, 1;\nvote.sync.ballot.b32 %r0, %p1, " mask ";\nbar.warp.sync " mask    \
              ";\n" STORE_R0 KERNEL_TAIL

// What an H100 does, tests/simt/programs/odd_masks.cu.
START_TEST(a_whole_warp_takes_part_whatever_its_mask)
{
  static const char *const kernels[] = {BALLOT_OF_ALL("0x0000ffff"), BALLOT_OF_ALL("0"),
                                        BALLOT_OF_ALL("0x80000000")};
  for (int i = 0; i < 3; i++) {
    core_run run = core_ok(kernels[i], (core_options){.n = 0});
    for (uint32_t lane = 0; lane < 32; lane++) ck_assert_uint_eq(run.out_host[lane], UINT32_MAX);
    core_free(&run);
  }
}
END_TEST

// The register is source and destination: no group may see what another one wrote.
START_TEST(groups_of_one_shuffle_read_each_other)
{
  core_run run =
      core_ok(KERNEL_HEAD "setp.lt.u32 %p1, %ln, 16;\nselp.b32 %r1, 0xffff, 0xffff0000, %p1;\n"
                          "mov.u32 %r0, %ln;\n"
                          "shfl.sync.bfly.b32 %r0, %r0, 16, 31, %r1;\n" STORE_R0 KERNEL_TAIL,
              (core_options){.n = 0});
  for (uint32_t lane = 0; lane < 32; lane++) ck_assert_uint_eq(run.out_host[lane], lane ^ 16);
  core_free(&run);
}
END_TEST

START_TEST(collective_misuse_is_reported)
{
  core_fails(KERNEL_HEAD "setp.lt.u32 %p1, %ln, 24;\n.loc 1 9 1\n@%p1 shfl.sync.down.b32 %r0, %ln, "
                         "1, 31, 0x0000ffff;\nbar.sync 0;\n" KERNEL_TAIL,
             (core_options){.n = 0}, SIMT_UNNAMED_LANE, TEXTS("t.cu:9", "0x0000ffff", "lane 16"));
  core_fails(KERNEL_HEAD "setp.lt.u32 %p1, %ln, 16;\n@!%p1 bra OUT;\n.loc 1 11 1\nbar.warp.sync "
                         "0xffffffff;\nOUT:\nbar.sync 0;\n" KERNEL_TAIL,
             (core_options){.block = 64}, SIMT_DEADLOCK,
             TEXTS("t.cu:11", "0xffffffff", "__syncthreads"));
}
END_TEST

START_TEST(redux_reduces_signed_and_unsigned)
{
  core_run run = core_ok(KERNEL_HEAD "sub.s32 %r1, %ln, 16;\nredux.sync.add.s32 %r2, %r1, "
                                     "0xffffffff;\nredux.sync.min.s32 %r3, %r1, 0xffffffff;\n"
                                     "redux.sync.max.u32 %r4, %r1, 0xffffffff;\nadd.u32 %r0, %r2, "
                                     "%r3;\nadd.u32 %r0, %r0, %r4;\n" STORE_R0 KERNEL_TAIL,
                         (core_options){.n = 0});
  ck_assert_uint_eq(run.out_host[3],
                    (uint32_t)(-16 + -16 + -1)); // sum of -16…15, least, 0xffffffff
  core_free(&run);
}
END_TEST

// ---- whole grids -------------------------------------------------------------------------------

START_TEST(cooperative_grid_sync)
{ // every block reads what the next block wrote before the barrier
  core_run run =
      core_ok(GRID_SYNC_KERNEL, (core_options){.grid = 100, .block = 64, .cooperative = true});
  for (uint32_t i = 0; i < 100; i++) ck_assert_uint_eq(run.out_host[i], (i + 1) % 100 + 500);
  core_launch(&run, (core_options){.grid = 4, .block = 32});
  ck_assert_int_eq(run.status, SIMT_NOT_COOPERATIVE);
  ck_assert_ptr_nonnull(strstr(run.diag.text, "cudaLaunchCooperativeKernel"));
  core_free(&run);
}
END_TEST

START_TEST(geometry_is_checked)
{
  core_run run = core_load(KERNEL_HEAD KERNEL_TAIL);
  core_launch(&run, (core_options){.block = 1025});
  ck_assert_int_eq(run.status, SIMT_INVALID_CONFIGURATION);
  core_free(&run);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("warp");
  TCase *divergence = tcase_create("divergence"), *progress = tcase_create("forward progress");
  TCase *barriers = tcase_create("barriers"), *collectives = tcase_create("collectives"),
        *grids = tcase_create("grids");
  tcase_add_test(divergence, if_else_takes_both_paths);
  tcase_add_test(divergence, loop_with_uneven_trip_counts_reconverges);
  tcase_add_test(divergence, nested_divergence_reconverges_inside_out);
  tcase_add_test(divergence, lanes_that_join_inside_divergent_code_nest_without_limit);
  tcase_add_test(divergence, early_exit_of_some_lanes);
  tcase_add_test(divergence, exit_inside_a_divergent_region_completes_the_reconvergence);
  tcase_add_test(divergence, partial_last_warp);
  tcase_add_test(progress, spin_lock_within_a_warp_makes_progress);
  tcase_add_test(progress, warp_waits_for_a_later_warp);
  tcase_add_test(progress, endless_spin_is_a_deadlock);
  tcase_add_test(progress, volatile_stream_is_not_a_spin);
  tcase_add_test(progress, endless_loop_is_reported_with_its_line);
  tcase_add_test(barriers, barrier_orders_warps);
  tcase_add_test(barriers, barrier_reduction);
  tcase_add_test(barriers, named_barriers_are_independent);
  tcase_add_test(barriers, arrive_does_not_wait);
  tcase_add_test(barriers, barriers_wait_for_living_threads_only);
  tcase_add_test(barriers, a_barrier_is_left_by_those_who_exit_later);
  tcase_add_test(barriers, counted_barriers_count_warps);
  tcase_add_test(barriers, grid_sync_waits_for_living_threads_only);
  tcase_add_test(barriers, two_groups_at_different_named_barriers_deadlock);
  tcase_add_test(barriers, warp_operation_names_whom_it_waits_for);
  tcase_add_test(barriers, grid_sync_waits_for_the_first_thread_of_every_block);
  tcase_add_test(barriers, grid_sync_names_the_block_that_is_missing);
  tcase_add_test(barriers, barrier_counts_are_checked);
  tcase_add_test(collectives, shuffle_modes);
  tcase_add_test(collectives, votes_and_matches);
  tcase_add_test(collectives, shuffle_with_a_mask_per_tile);
  tcase_add_test(collectives, shuffle_across_different_instructions);
  tcase_add_test(collectives, syncwarp_meets_lanes_from_two_paths);
  tcase_add_test(collectives, collectives_ignore_lanes_that_left);
  tcase_add_test(collectives, a_whole_warp_takes_part_whatever_its_mask);
  tcase_add_test(collectives, groups_of_one_shuffle_read_each_other);
  tcase_add_test(collectives, collective_misuse_is_reported);
  tcase_add_test(collectives, redux_reduces_signed_and_unsigned);
  tcase_add_test(grids, cooperative_grid_sync);
  tcase_add_test(grids, geometry_is_checked);
  TCase *all[] = {divergence, progress, barriers, collectives, grids};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) suite_add_tcase(suite, all[i]);
  return run_suite(suite);
}
