// SPDX-License-Identifier: MIT
// test_progress.c - under every schedule, threads that wait for each other finish when they can,
// and are reported when they cannot.
#include "schedule_fixture.h"
#include "run_suite.h"

static void finishes_everywhere(const char *text, core_options o, void (*check)(core_run *)) {
  for (int i = 0; i < N_SCHEDULES; i++) {
    o.schedule = schedule_at(i);
    core_run run = core_ok(text, o);
    check(&run);
    core_free(&run);
  }
}

static void counted_to_64(core_run *run) { ck_assert_uint_eq(run->in_host[1], 1 + 64); }

START_TEST(a_spin_lock_within_a_warp_makes_progress)
{
  finishes_everywhere(
      KERNEL_HEAD
      "SPIN:\natom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra SPIN;\n"
      "ld.volatile.global.u32 %r2, [%rd1+4];\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 "
      "[%rd1+4], %r2;\natom.global.exch.b32 %r3, [%rd1], 0;\n" KERNEL_TAIL,
      (core_options){.block = 64}, counted_to_64);
}
END_TEST

static void all_4321(core_run *run) {
  for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(run->out_host[i], 4321);
}

START_TEST(warps_wait_for_each_other)
{ // the first for the second; or, the condition turned round
  for (int later = 0; later < 2; later++) {
    char text[4096];
    snprintf(text, sizeof text,
             "%ssetp.%s.u32 %%p1, %%me, 32;\n@%%p1 bra PRODUCE;\nWAIT:\nld.acquire.gpu.global.u32 "
             "%%r1, [%%rd1];\nsetp.eq.u32 %%p2, %%r1, 0;\n@%%p2 bra WAIT;\nld.global.u32 %%r0, "
             "[%%rd1+8];\nbra.uni DONE;\nPRODUCE:\nmov.u32 %%r0, 4321;\nst.global.u32 [%%rd1+8], "
             "%%r0;\nmembar.gl;\nst.volatile.global.u32 [%%rd1], %%r0;\nDONE:\n%s%s",
             KERNEL_HEAD, later ? "ge" : "lt", STORE_R0, KERNEL_TAIL);
    finishes_everywhere(text, (core_options){.block = 64}, all_4321);
  }
}
END_TEST

static void blocks_met(core_run *run) {
  for (uint32_t i = 0; i < 20; i++) ck_assert_uint_eq(run->out_host[i], (i + 1) % 20 + 500);
}

START_TEST(cooperative_blocks_meet)
{
  finishes_everywhere(GRID_SYNC_KERNEL,
                      (core_options){.grid = 20, .block = 64, .cooperative = true}, blocks_met);
}
END_TEST

static void fails_everywhere(const char *text, core_options o, simt_status status,
                             const char *const *texts) {
  for (int i = 0; i < N_SCHEDULES; i++) {
    o.schedule = schedule_at(i);
    core_fails(text, o, status, texts);
  }
}

START_TEST(what_cannot_end_is_reported)
{
  fails_everywhere(
      KERNEL_HEAD ".loc 1 33 3\nWAIT:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 "
                  "%p2, %r1, 0;\n@%p2 bra WAIT;\n" KERNEL_TAIL,
      (core_options){.block = 64}, SIMT_DEADLOCK, TEXTS("t.cu:33", "waits in a loop", "0x"));
  fails_everywhere(KERNEL_HEAD "setp.ge.u32 %p1, %me, 128;\n@%p1 bra OTHER;\n.loc 1 17 5\nbar.sync "
                               "1;\nOTHER:\nbar.sync 2;\n" KERNEL_TAIL,
                   (core_options){.block = 256}, SIMT_DEADLOCK,
                   TEXTS("t.cu:17", "128 of 256 threads (0 to 127) wait"));
  fails_everywhere(KERNEL_HEAD
                   ".loc 1 42 3\nLOOP:\nadd.u32 %r0, %r0, 1;\nbra.uni LOOP;\n" KERNEL_TAIL,
                   (core_options){.max_warp_instructions = 100000}, SIMT_TIMEOUT,
                   TEXTS("instruction limit reached"));
}
END_TEST

// Each block but the first waits for the one before it (`other` -4) or, but for the last, for the
// one after it (+4).
#define WAIT_FOR(other, none)                                                                      \
  KERNEL_HEAD "setp.eq.u32 %p1, %cb, " none ";\nmul.wide.u32 %rd5, %cb, 4;\n"                      \
              "add.u64 %rd6, %rd0, %rd5;\n@%p1 bra GO;\n.loc 1 33 3\nWAIT:\n"                      \
              "ld.acquire.gpu.global.u32 %r1, [%rd6+" other "];\n"                                 \
              "setp.eq.u32 %p2, %r1, 0xdeadbeef;\n@%p2 bra WAIT;\nGO:\n"                           \
              "st.release.gpu.global.u32 [%rd6], %cb;\n" KERNEL_TAIL
// The same, but each look at the flag is counted in memory of its own, which changes all the time.
#define BUSY_WAIT_FOR(other, none)                                                                 \
  KERNEL_HEAD "setp.eq.u32 %p1, %cb, " none ";\nmul.wide.u32 %rd5, %cb, 4;\n"                      \
              "add.u64 %rd6, %rd0, %rd5;\nadd.u64 %rd7, %rd1, %rd5;\n@%p1 bra GO;\nWAIT:\n"        \
              "ld.acquire.gpu.global.u32 %r1, [%rd6+" other "];\nadd.u32 %r2, %r2, 1;\n"           \
              "st.global.u32 [%rd7], %r2;\nsetp.eq.u32 %p2, %r1, 0xdeadbeef;\n@%p2 bra WAIT;\n"    \
              "GO:\nst.release.gpu.global.u32 [%rd6], %cb;\n" KERNEL_TAIL

START_TEST(resident_blocks_wait_for_each_other)
{
  static const char *const texts[] = {WAIT_FOR("-4", "0"), WAIT_FOR("4", "11"),
                                      BUSY_WAIT_FOR("-4", "0"), BUSY_WAIT_FOR("4", "11")};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    expectation e = {texts[i], {.grid = 12, .block = 1}, 12, own_index};
    right_everywhere(&e);
    e.options.cooperative = true;
    right_everywhere(&e);
  }
}
END_TEST

// As many as the device holds, but no more.
START_TEST(waiting_for_a_block_that_cannot_start)
{
  core_options o = {.grid = 12, .block = 1, .max_resident_blocks = 5};
  core_fails(WAIT_FOR("4", "11"), o, SIMT_DEADLOCK,
             TEXTS("t.cu:33", "waits in a loop",
                   "5 blocks are resident, as many as the device holds, and 7 have not started"));
  o.schedule = REVERSE;
  core_fails(WAIT_FOR("-4", "0"), o, SIMT_DEADLOCK, TEXTS("7 have not started", "reverse order"));
  // A flag that is never raised; all blocks have started.
  o.max_resident_blocks = 0;
  fails_everywhere(WAIT_FOR("4", "99"), o, SIMT_DEADLOCK, TEXTS("t.cu:33", "waits in a loop"));
}
END_TEST

// Each block's flag is raised by the next one; the host threads' shares depend on each other.
START_TEST(blocks_on_several_host_threads_wait_for_each_other)
{
  expectation e = {
      WAIT_FOR("4", "255"), {.grid = 256, .block = 32, .n_host_threads = 4}, 256, own_index};
  ck_assert_uint_eq(count_wrong(&e, LOCKSTEP), 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("progress");
  TCase *progress = tcase_create("progress");
  tcase_add_test(progress, a_spin_lock_within_a_warp_makes_progress);
  tcase_add_test(progress, warps_wait_for_each_other);
  tcase_add_test(progress, cooperative_blocks_meet);
  tcase_add_test(progress, what_cannot_end_is_reported);
  tcase_add_test(progress, resident_blocks_wait_for_each_other);
  tcase_add_test(progress, waiting_for_a_block_that_cannot_start);
  tcase_add_test(progress, blocks_on_several_host_threads_wait_for_each_other);
  tcase_set_timeout(progress, 120);
  suite_add_tcase(suite, progress);
  return run_suite(suite);
}
