// SPDX-License-Identifier: MIT
// test_check_sync.c - synccheck: barriers and warp-wide operations that not all named threads reach
// together. Every wrong kernel has a right twin; every one runs under every schedule, because a
// finding must not depend on which thread came first.
#include "check_fixture.h"
#include "run_suite.h"

static const simt_schedule schedules[] = {
    {SIMT_SCHEDULE_LOCKSTEP, 0}, {SIMT_SCHEDULE_REVERSE, 0}, {SIMT_SCHEDULE_LANE_SERIAL, 0},
    {SIMT_SCHEDULE_RANDOM, 1},   {SIMT_SCHEDULE_RANDOM, 2},  {SIMT_SCHEDULE_DELAYED_STORES, 0}};
enum { N_SCHEDULES = sizeof schedules / sizeof *schedules };

// The checker that is tested.
static simt_observer *(*create)(simt_findings *) = simt_synccheck_create;
static void (*destroy)(simt_observer *) = simt_synccheck_destroy;

static void use_synccheck(void) {
  create = simt_synccheck_create;
  destroy = simt_synccheck_destroy;
}

static void use_exitcheck(void) {
  create = simt_exitcheck_create;
  destroy = simt_exitcheck_destroy;
}

static void expect_quiet(const char *text, core_options o) {
  for (size_t i = 0; i < N_SCHEDULES; i++) {
    watched w = watch(create, text);
    o.schedule = schedules[i];
    launch_watched(&w, o);
    expect_none(&w);
    unwatch(&w, destroy);
  }
}

static void expect_caught(const char *text, core_options o, simt_finding_kind kind,
                          const char *const *texts) {
  for (size_t i = 0; i < N_SCHEDULES; i++) {
    watched w = watch(create, text);
    o.schedule = schedules[i];
    launch_watched(&w, o);
    expect_one(&w, kind, texts);
    unwatch(&w, destroy);
  }
}

// ---- block barriers ----------------------------------------------------------------------------

#define BRANCHES(barrier)                                                                          \
  KERNEL_HEAD "setp.lt.u32 %p1, %ln, %nn;\n@%p1 bra LOW;\n.loc 1 20 0\n" barrier                   \
              "bra.uni DONE;\nLOW:\n.loc 1 10 0\n" barrier "DONE:\n" KERNEL_TAIL

START_TEST(lanes_of_a_warp_at_two_barriers)
{
  expect_caught(BRANCHES("bar.sync 0;\n"), (core_options){.n = 10}, SIMT_FINDING_divergent_barrier,
                TEXTS("lanes 0-9", "lanes 10-31", "\"line\": 10", "\"line\": 20", "barrier 0"));
  expect_caught(BRANCHES("barrier.sync.aligned 3;\n"), (core_options){.n = 1},
                SIMT_FINDING_divergent_barrier, TEXTS("lane 0", "barrier 3"));
  // All on one side; and the form that does not ask for alignment.
  expect_quiet(BRANCHES("bar.sync 0;\n"), (core_options){.n = 32, .block = 64});
  expect_quiet(BRANCHES("barrier.sync 0;\n"), (core_options){.n = 10});
}
END_TEST

START_TEST(two_counted_barriers_are_two)
{
  // Warp 0 waits at barrier 1 for itself, warp 1 at barrier 2; then all at 0.
  expect_quiet(KERNEL_HEAD "setp.lt.u32 %p1, %me, 32;\n@%p1 bra LOW;\nbar.sync 2, 32;\n"
                           "bra.uni DONE;\nLOW:\nbar.sync 1, 32;\nDONE:\nbar.sync 0;\n" KERNEL_TAIL,
               (core_options){.block = 64});
}
END_TEST

START_TEST(lanes_come_one_by_one_in_a_loop)
{
  expect_quiet(KERNEL_HEAD
               "mov.u32 %r1, 0;\nLOOP:\nsetp.lt.u32 %p1, %ln, %r1;\n@%p1 bra SKIP;\n"
               "mad.lo.u32 %r2, %r1, %ln, 3;\nSKIP:\nbar.sync 0;\nadd.u32 %r1, %r1, 1;\n"
               "setp.lt.u32 %p2, %r1, 9;\n@%p2 bra LOOP;\nbar.sync 0;\n" KERNEL_TAIL,
               (core_options){.block = 80, .grid = 3});
}
END_TEST

#define WARPS(first, second)                                                                       \
  KERNEL_HEAD "setp.lt.u32 %p1, %me, 32;\n@%p1 bra LOW;\n.loc 1 " second " 0\nbar.sync 0;\n"       \
              "bra.uni DONE;\nLOW:\n.loc 1 " first " 0\nbar.sync 0;\nDONE:\n"                      \
              ".loc 1 30 0\nbar.sync 0;\n" KERNEL_TAIL

START_TEST(warps_at_two_lines)
{
  expect_caught(WARPS("10", "20"), (core_options){.block = 64}, SIMT_FINDING_barrier_lines,
                TEXTS("\"note\"", "\"line\": 10", "\"line\": 20"));
  expect_quiet(WARPS("10", "10"), (core_options){.block = 64}); // copies of one line
  expect_quiet(WARPS("10", "20"), (core_options){.block = 32});
}
END_TEST

START_TEST(blocks_of_a_cooperative_launch_have_their_own)
{
  expect_quiet(KERNEL_HEAD "setp.eq.u32 %p1, %cb, 0;\n@%p1 bra LOW;\n.loc 1 20 0\nbar.sync 0;\n"
                           "bra.uni DONE;\nLOW:\n.loc 1 10 0\nbar.sync 0;\nDONE:\n" KERNEL_TAIL,
               (core_options){.block = 64, .grid = 3, .cooperative = true});
  expect_caught(WARPS("10", "20"), (core_options){.block = 64, .grid = 3, .cooperative = true},
                SIMT_FINDING_barrier_lines, TEXTS("\"count\": 3,"));
}
END_TEST

// ---- lanes that have left ----------------------------------------------------------------------

// Lanes n and above return; the others go on to `operation`.
#define RETURN_EARLY(operation)                                                                    \
  KERNEL_HEAD "setp.ge.u32 %p1, %ln, %nn;\n.loc 1 5 0\n@%p1 ret;\nsetp.lt.u32 %p2, %ln, 4;\n"      \
              ".loc 1 8 0\n" operation "st.global.u32 [%rd0], %r1;\n" KERNEL_TAIL

START_TEST(a_mask_names_lanes_that_have_left)
{
  const char *const texts[] = {"lanes 20-31, which have left", "\"line\": 8", "lane 20 at t.cu:5",
                               NULL};
  const char *const wrong[] = {RETURN_EARLY("bar.warp.sync 0xffffffff;\n"),
                               RETURN_EARLY("vote.sync.ballot.b32 %r1, %p2, 0xffffffff;\n"),
                               RETURN_EARLY("match.any.sync.b32 %r1, %cb, 0xffffffff;\n"),
                               RETURN_EARLY("redux.sync.add.u32 %r1, %ln, 0xffffffff;\n"),
                               RETURN_EARLY("shfl.sync.idx.b32 %r1, %ln, 3, 31, 0xffffffff;\n")};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_caught(wrong[i], (core_options){.n = 20}, SIMT_FINDING_absent_lane, texts);
    expect_quiet(wrong[i], (core_options){.n = 32});
  }
  expect_quiet(RETURN_EARLY("bar.warp.sync 0x000fffff;\n"), (core_options){.n = 20});
  expect_quiet(RETURN_EARLY("vote.sync.ballot.b32 %r1, %p2, 0x000fffff;\n"),
               (core_options){.n = 20});
}
END_TEST

START_TEST(a_syncwarp_that_half_the_warp_never_reaches)
{
#define LOW_HALF(mask)                                                                             \
  KERNEL_HEAD "setp.ge.u32 %p1, %ln, 16;\n@%p1 bra DONE;\n.loc 1 9 0\nbar.warp.sync " mask ";\n"   \
              "DONE:\n" KERNEL_TAIL
  expect_caught(LOW_HALF("0xffffffff"), (core_options){.n = 0}, SIMT_FINDING_absent_lane,
                TEXTS("lanes 16-31", "\"line\": 9"));
  expect_quiet(LOW_HALF("0x0000ffff"), (core_options){.n = 0});
}
END_TEST

START_TEST(lanes_that_never_existed)
{
  // 20 threads: votes and syncs of a full mask are all right, shuffles as long as none is read.
  core_options o = {.n = 32, .block = 20};
  expect_quiet(RETURN_EARLY("bar.warp.sync 0xffffffff;\n"), o);
  expect_quiet(RETURN_EARLY("vote.sync.ballot.b32 %r1, %p2, 0xffffffff;\n"), o);
  expect_quiet(RETURN_EARLY("redux.sync.add.u32 %r1, %ln, 0xffffffff;\n"), o);
  expect_quiet(RETURN_EARLY("shfl.sync.idx.b32 %r1, %ln, 19, 31, 0xffffffff;\n"), o);
  expect_caught(RETURN_EARLY("shfl.sync.down.b32 %r1, %ln, 16, 31, 0xffffffff;\n"), o,
                SIMT_FINDING_shuffle_source,
                TEXTS("which does not exist (this warp has 20 lanes)", "stored by lane"));
  expect_quiet(RETURN_EARLY("shfl.sync.down.b32 %r1, %ln, 16, 31, 0xffffffff;\n"
                            "barrier.red.popc.u32 %r1, 0, %p2;\n"), // written anew
               o);
  o.block = 52; // the second warp is short
  expect_caught(RETURN_EARLY("shfl.sync.bfly.b32 %r1, %ln, 16, 31, 0xffffffff;\n"), o,
                SIMT_FINDING_shuffle_source,
                TEXTS("\"warp\": 1", "which does not exist (this warp has 20 lanes)"));
}
END_TEST

// ---- threads that have left --------------------------------------------------------------------

#define BARRIER_AFTER_EXIT(barrier)                                                                \
  KERNEL_HEAD "setp.ge.u32 %p1, %me, %nn;\n.loc 1 5 0\n@%p1 ret;\n.loc 1 8 0\n" barrier            \
              ".loc 1 9 0\nst.global.u32 [%rd0], %ln;\n" KERNEL_TAIL

START_TEST(threads_have_left_before_a_barrier)
{
  core_options o = {.block = 96, .n = 70};
  expect_caught(BARRIER_AFTER_EXIT("bar.sync 0;\n"), o, SIMT_FINDING_exited_threads,
                TEXTS("\"note\"", "\"line\": 8", "\"thread\": [0, 0, 0]", "\"act\": \"barrier\"",
                      "26 of 96 threads (70 to 95) have left the kernel and will never arrive: "
                      "thread 70 left at t.cu:5"));
  expect_caught(BARRIER_AFTER_EXIT("bar.red.popc.u32 %r1, 0, %p1;\n"), o,
                SIMT_FINDING_exited_threads, TEXTS("\"line\": 8"));
  expect_caught(BARRIER_AFTER_EXIT("bar.sync 1, 96;\n"), o, SIMT_FINDING_exited_threads,
                TEXTS("26 of 96 threads (70 to 95)"));
  o.n = 95;
  expect_caught(BARRIER_AFTER_EXIT("bar.sync 0;\n"), o, SIMT_FINDING_exited_threads,
                TEXTS("thread 95 of 96 has left the kernel and will never arrive: it left at"));
  o.n = 96; // none leaves
  expect_quiet(BARRIER_AFTER_EXIT("bar.sync 0;\nbar.sync 0;\n"), o);
  o.n = 64; // a whole warp leaves, and the barrier is for the two others
  expect_quiet(BARRIER_AFTER_EXIT("bar.sync 1, 64;\n"), o);
  // Warp 1 arrives, exits, and warp 0 waits for it.
  expect_quiet(KERNEL_HEAD "setp.lt.u32 %p1, %me, 32;\n@%p1 bra WAIT;\nbarrier.arrive 1, 64;\n"
                           "ret;\nWAIT:\nbarrier.sync 1, 64;\n" KERNEL_TAIL,
               (core_options){.block = 64});
  o = (core_options){.block = 80, .n = 80}; // lanes that never existed
  expect_quiet(BARRIER_AFTER_EXIT("bar.sync 1, 96;\n"), o);
}
END_TEST

START_TEST(threads_have_left_before_a_grid_barrier)
{
#define GRID_BARRIER(before)                                                                       \
  ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"t.cu\"\n"                              \
  ".extern .func __simt_grid_sync();\n"                                                            \
  ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n"                      \
  ".reg .pred %p;\n.reg .b32 %t;\nmov.u32 %t, %tid.x;\nsetp.ge.u32 %p, %t, 56;\n" before           \
  ".loc 1 8 0\n{\ncall.uni __simt_grid_sync, ();\n}\nret;\n}\n"
  core_options o = {.grid = 4, .block = 64, .cooperative = true};
  expect_caught(GRID_BARRIER("@%p ret;\n"), o, SIMT_FINDING_exited_threads,
                TEXTS("\"line\": 8", "32 of 256 threads of the grid have left the kernel and will "
                                     "never arrive at grid.sync()"));
  expect_quiet(GRID_BARRIER(""), o);
}
END_TEST

// As in exercises.
START_TEST(threads_that_have_left_as_an_error)
{
  simt_checks *checks;
  core_run run = core_load(BARRIER_AFTER_EXIT("bar.sync 0;\n"));
  for (int strict = 0; strict <= 1; strict++) {
    simt_findings *findings = simt_findings_create(run.memory);
    ck_assert_int_eq(simt_checks_create(&checks, strict ? SIMT_CHECK_EXITED : SIMT_CHECK_SYNCCHECK,
                                        run.memory, findings),
                     SIMT_OK);
    simt_observer *observers[SIMT_MAX_CHECK_OBSERVERS];
    uint32_t n = simt_checks_observers(checks, observers);
    ck_assert_uint_eq(n, strict ? 1 : 2);
    core_launch(&run, (core_options){.block = 64, .n = 40, .observer = observers[n - 1]});
    ck_assert_uint_eq(simt_findings_errors(findings), (uint64_t)strict);
    ck_assert_uint_eq(simt_findings_notes(findings), (uint64_t)!strict);
    simt_checks_destroy(checks);
    simt_findings_destroy(findings);
  }
  core_free(&run);
}
END_TEST

// ---- shuffles ----------------------------------------------------------------------------------

START_TEST(a_shuffle_reads_outside_its_mask)
{
#define LOWER_EIGHT(shuffle)                                                                       \
  KERNEL_HEAD "setp.ge.u32 %p1, %ln, 8;\n@%p1 bra DONE;\n.loc 1 7 0\n" shuffle                     \
              "st.global.u32 [%rd0], %r1;\nDONE:\n"                                                \
              "bar.warp.sync 0xffffffff;\n" KERNEL_TAIL
  expect_caught(
      LOWER_EIGHT("shfl.sync.down.b32 %r1, %ln, 4, 31, 0xff;\n"), (core_options){.n = 0},
      SIMT_FINDING_shuffle_source,
      TEXTS("lane 4 reads lane 8, which the mask 0x000000ff does not name", "\"line\": 7"));
  // A segment of eight lanes (c = 24 << 8 | 31): what lies beyond is not read.
  expect_quiet(LOWER_EIGHT("shfl.sync.down.b32 %r1, %ln, 4, 6175, 0xff;\n"),
               (core_options){.n = 0});
  expect_quiet(LOWER_EIGHT("shfl.sync.up.b32 %r1, %ln, 4, 0, 0xff;\n"), (core_options){.n = 0});
  expect_caught(LOWER_EIGHT("shfl.sync.idx.b32 %r1, %ln, 30, 31, 0xff;\n"), (core_options){.n = 0},
                SIMT_FINDING_shuffle_source, TEXTS("reads lane 30"));
}
END_TEST

START_TEST(a_shuffle_reads_a_lane_that_has_left)
{
  expect_caught(RETURN_EARLY("shfl.sync.idx.b32 %r1, %ln, 25, 31, 0xffffffff;\n"),
                (core_options){.n = 20}, SIMT_FINDING_shuffle_source,
                TEXTS("\"error\"", "reads lane 25, which has left the kernel; the result"));
}
END_TEST

// Lanes 4 to 7 of eight read beyond the eighth. What is the value used for?
#define EFFECT(after)                                                                              \
  KERNEL_HEAD "setp.ge.u32 %p1, %ln, 8;\n@%p1 bra DONE;\nsetp.lt.u32 %p2, %ln, 4;\n"               \
              "mov.u32 %r2, %ln;\n.loc 1 7 0\n"                                                    \
              "shfl.sync.down.b32 %r1, %r2, 4, 31, 0xff;\n" after ".loc 1 15 0\n"                  \
              "st.global.u32 [%rd0], %r2;\nDONE:\n" KERNEL_TAIL

START_TEST(what_comes_of_it_must_not_be_used)
{
  const char *const right[] = {
      EFFECT(""),
      EFFECT("@%p2 add.u32 %r2, %r2, %r1;\n"),
      EFFECT("add.u32 %r3, %r2, %r1;\nselp.b32 %r2, %r3, %r2, %p2;\n"),
      EFFECT("mov.u32 %r3, %r1;\n@!%p2 bra SKIP;\nadd.u32 %r2, %r2, %r3;\nSKIP:\n"),
      EFFECT("mov.u32 %r1, 0;\nadd.u32 %r2, %r2, %r1;\n"),
      EFFECT("mov.u32 %r1, %clock;\nadd.u32 %r2, %r2, %r1;\n")};
  const char *const wrong[] = {
      EFFECT("add.u32 %r2, %r2, %r1;\n"), EFFECT("mov.u32 %r2, %r1;\n"),
      EFFECT("add.u32 %r3, %r2, %r1;\nselp.b32 %r2, %r2, %r3, %p2;\n"),
      EFFECT("setp.gt.u32 %p3, %r1, %r2;\nselp.b32 %r2, %r1, %r2, %p3;\n")};
  for (size_t i = 0; i < sizeof right / sizeof *right; i++)
    expect_quiet(right[i], (core_options){.n = 0});
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect_caught(wrong[i], (core_options){.n = 0}, SIMT_FINDING_shuffle_source,
                  TEXTS("reads lane", "the mask 0x000000ff does not name", "is stored by lane",
                        "at t.cu:15", "\"line\": 7"));
  expect_caught(EFFECT("setp.gt.u32 %p3, %r1, %r2;\n.loc 1 9 0\n@%p3 bra SKIP;\nmov.u32 %r2, 0;\n"
                       "SKIP:\n"),
                (core_options){.n = 0}, SIMT_FINDING_shuffle_source,
                TEXTS("is used in a condition by lane", "at t.cu:9"));
}
END_TEST

// ---- operations at different places ------------------------------------------------------------

#define TWO_PLACES(operation, first, second)                                                       \
  KERNEL_HEAD "setp.lt.u32 %p2, %me, 5;\nsetp.lt.u32 %p1, %ln, 16;\n@%p1 bra LOW;\n.loc 1 " second \
              " 0\n" operation "bra.uni DONE;\nLOW:\n.loc 1 " first " 0\n" operation               \
              "DONE:\n" KERNEL_TAIL

START_TEST(lanes_at_two_calls)
{
  const char *const texts[] = {"lanes 0-15", "lanes 16-31", "\"line\": 10", "\"line\": 20", NULL};
#define SHUFFLE "shfl.sync.bfly.b32 %r1, %ln, 16, 31, 0xffffffff;\n"
#define VOTE "vote.sync.any.pred %p3, %p2, 0xffffffff;\n"
#define REDUX "redux.sync.or.b32 %r1, %ln, 0xffffffff;\n"
#define MATCH "match.any.sync.b32 %r1, %me, 0xffffffff;\n"
  const char *const wrong[] = {TWO_PLACES(SHUFFLE, "10", "20"), TWO_PLACES(VOTE, "10", "20"),
                               TWO_PLACES(REDUX, "10", "20"), TWO_PLACES(MATCH, "10", "20")};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect_caught(wrong[i], (core_options){.n = 0}, SIMT_FINDING_divergent_collective, texts);
  // Copies of one line; __syncwarp(), which may pair up; two masks, which are two operations.
  expect_quiet(TWO_PLACES(SHUFFLE, "10", "10"), (core_options){.n = 0});
  expect_quiet(TWO_PLACES("bar.warp.sync 0xffffffff;\n", "10", "20"), (core_options){.n = 0});
  expect_quiet(KERNEL_HEAD
               "setp.lt.u32 %p1, %ln, 16;\n@%p1 bra LOW;\n.loc 1 4 0\n"
               "redux.sync.add.u32 %r1, %ln, 0xffff0000;\nbra.uni DONE;\nLOW:\n.loc 1 6 0\n"
               "redux.sync.add.u32 %r1, %ln, 0x0000ffff;\nDONE:\n" KERNEL_TAIL,
               (core_options){.n = 0});
}
END_TEST

// Lines are one place only when the calls they were inlined from are.
START_TEST(inlined_calls_are_places_of_their_own)
{
#define INLINED(second)                                                                            \
  ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"t.cu\"\n"                              \
  ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n"                      \
  ".reg .pred %p<4>;\n.reg .b32 %r<4>;\nmov.u32 %r0, %laneid;\nsetp.lt.u32 %p1, %r0, 16;\n"        \
  "@%p1 bra LOW;\n.loc 1 20 0\nmov.u32 %r2, 0;\n"                                                  \
  ".loc 1 3 0, function_name $info, inlined_at 1 " second " 0\n" SHUFFLE_R0                        \
  "bra.uni DONE;\nLOW:\n.loc 1 10 0\nmov.u32 %r2, 0;\n"                                            \
  ".loc 1 3 0, function_name $info, inlined_at 1 10 0\n" SHUFFLE_R0                                \
  "DONE:\nret;\n}\n.section .debug_str\n{\n$info:\n.b8 102, 0\n}\n"
#define SHUFFLE_R0 "shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffffffff;\n"
  expect_caught(INLINED("20"), (core_options){.n = 0}, SIMT_FINDING_divergent_collective,
                TEXTS("\"line\": 3"));
  expect_quiet(INLINED("10"), (core_options){.n = 0});
}
END_TEST

// Enough blocks for several threads of the host; the last one alone is wrong.
#define LAST_BLOCK(then)                                                                           \
  KERNEL_HEAD "setp.ne.u32 %p1, %cb, 999;\n@%p1 bra DONE;\n" then "DONE:\nbar.sync 0;\n"           \
              "st.global.u32 [%rd0], %cb;\n" KERNEL_TAIL

START_TEST(host_threads_change_no_finding)
{
  const char *const wrong[] = {
      LAST_BLOCK("setp.lt.u32 %p2, %ln, 8;\n@%p2 bra DONE;\nbar.sync 0;\nret;\n"),
      LAST_BLOCK("setp.lt.u32 %p2, %me, 16;\n@%p2 exit;\n")};
  const bool is_exitcheck = create == simt_exitcheck_create;
  char *first = NULL;
  for (uint32_t n = 1; n <= 4; n *= 2) {
    watched w = watch(create, wrong[is_exitcheck]);
    launch_watched(&w, (core_options){.grid = 1000, .block = 64, .n_host_threads = n});
    expect_one(&w, is_exitcheck ? SIMT_FINDING_exited_threads : SIMT_FINDING_divergent_barrier,
               TEXTS("999"));
    char *text = found(&w);
    if (first) ck_assert_str_eq(text, first);
    else first = strdup(text);
    free(text);
    unwatch(&w, destroy);
    w = watch(create, LAST_BLOCK(""));
    launch_watched(&w, (core_options){.grid = 1000, .block = 64, .n_host_threads = n});
    expect_none(&w);
    unwatch(&w, destroy);
  }
  free(first);
}
END_TEST

// Events by hand that the core never produces, or only rarely.
START_TEST(odd_events_do_no_harm)
{
  watched w = watch(create, KERNEL_HEAD KERNEL_TAIL);
  simt_observer *o = w.observer;
  simt_launch_info info = {.n_code = 1, .n_blocks = 1, .warps_per_block = 1, .launch = 1};
  o->launch_begin(o, &info);
  o->block_begin(o, 0);
  simt_barrier_event arrive = {.mask = 1, .id = 16, .waits = true};
  o->barrier(o, &arrive);
  o->barrier_done(o, 0, 99);
  simt_collective_event empty = {.members = 1, .existing = 1};
  o->collective(o, &empty);
  if (o->exit) o->exit(o, 0, 0, 0, 0);
  o->launch_end(o, &info, NULL);
  o->launch_begin(o, &info);
  o->block_end(o, 5);
  expect_none(&w);
  unwatch(&w, destroy);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("synccheck");
  TCase *barriers = tcase_create("barriers"), *lanes = tcase_create("lanes");
  tcase_add_test(barriers, lanes_of_a_warp_at_two_barriers);
  tcase_add_test(barriers, two_counted_barriers_are_two);
  tcase_add_test(barriers, lanes_come_one_by_one_in_a_loop);
  tcase_add_test(barriers, warps_at_two_lines);
  tcase_add_test(barriers, blocks_of_a_cooperative_launch_have_their_own);
  tcase_add_test(barriers, host_threads_change_no_finding);
  tcase_add_test(lanes, lanes_that_never_existed);
  tcase_add_test(lanes, a_shuffle_reads_outside_its_mask);
  tcase_add_test(lanes, a_shuffle_reads_a_lane_that_has_left);
  tcase_add_test(lanes, what_comes_of_it_must_not_be_used);
  tcase_add_test(lanes, lanes_at_two_calls);
  tcase_add_test(lanes, inlined_calls_are_places_of_their_own);
  tcase_add_test(lanes, odd_events_do_no_harm);
  TCase *exited = tcase_create("threads that have left");
  tcase_add_checked_fixture(exited, use_exitcheck, use_synccheck);
  tcase_add_test(exited, a_mask_names_lanes_that_have_left);
  tcase_add_test(exited, a_syncwarp_that_half_the_warp_never_reaches);
  tcase_add_test(exited, threads_have_left_before_a_barrier);
  tcase_add_test(exited, threads_have_left_before_a_grid_barrier);
  tcase_add_test(exited, threads_that_have_left_as_an_error);
  tcase_add_test(exited, host_threads_change_no_finding);
  tcase_add_test(exited, odd_events_do_no_harm);
  suite_add_tcase(suite, exited);
  suite_add_tcase(suite, barriers);
  suite_add_tcase(suite, lanes);
  return run_suite(suite);
}
