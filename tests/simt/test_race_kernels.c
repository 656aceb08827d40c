// SPDX-License-Identifier: MIT
// test_race_kernels.c - racecheck at its limits of memory, on one and on several host threads, and
// on real kernels, each with and without its mistake.
#include "check/race/race_internal.h"
#include "core_fixture.h"
#include "race_fixture.h"
#include "run_suite.h"

#define KIND(name) SIMT_FINDING_race_##name

enum {
  PAGE_SHIFT = 12,
  MANY_PAGES = 1024
}; // of the shadow of global memory; more than 1 MiB holds

// ---- bounds ------------------------------------------------------------------------------------

START_TEST(a_full_shadow_is_noted_and_silent)
{
  race_run *run = race_begin(1, 64);
  simt_racecheck_limit(run->o, 1 << 20);
  race_launch(run, 1, 64, false);
  for (uint32_t i = 0; i < MANY_PAGES; i++)
    STORE(.pc = 1, .mask = ALL_LANES, .global = true, .stride = 4, .at = (uint64_t)i << PAGE_SHIFT);
  for (uint32_t i = 0; i < MANY_PAGES; i++)
    LOAD(.pc = 2, .mask = ALL_LANES, .global = true, .stride = 4, .at = (uint64_t)i << PAGE_SHIFT);
  expect_clean(run);
  LOAD(.pc = 3, .warp = 1, .mask = ALL_LANES, .global = true, .stride = 4); // the first is watched
  expect_race(run, KIND(read_after_write), 1, 3, SIMT_RELATION_BLOCK);
  simt_observer *o = run->o;
  race_launch(run, 1, 64, false);
  for (uint32_t i = 0; i < MANY_PAGES; i++)
    LOAD(.pc = 2, .mask = ALL_LANES, .global = true, .stride = 4, .at = (uint64_t)i << PAGE_SHIFT);
  o->launch_end(o, &run->info, NULL);
  ck_assert_uint_eq(simt_findings_notes(run->findings), 1);
  ck_assert_uint_eq(simt_findings_errors(run->findings), 0);
  race_launch(run, 1, 64, false);
  o->launch_end(o, &run->info, NULL); // once is enough
  ck_assert_uint_eq(simt_findings_notes(run->findings), 1);
  race_free(run);
}
END_TEST

// Each of many resident blocks races in its own shared memory; how often that is seen.
static uint64_t races_of_blocks(race_run *run, uint32_t n_blocks) {
  race_launch(run, n_blocks, 64, true);
  for (uint32_t b = 0; b < n_blocks; b++) {
    STORE(.pc = 1, .block = b);
    LOAD(.pc = 2, .block = b, .warp = 1);
  }
  uint64_t count = 0;
  if (simt_racecheck_pairs(run->o)) simt_racecheck_pair(run->o, 0, &count);
  for (uint32_t b = 0; b < n_blocks; b++) run->o->block_end(run->o, b);
  run->o->launch_end(run->o, &run->info, NULL);
  return count;
}

START_TEST(resident_blocks_share_the_room_for_shared_memory)
{
  race_run *run = race_begin(1, 64);
  simt_racecheck_limit(run->o, 1 << 20);
  uint64_t seen = races_of_blocks(run, 1000); // there is room for some of them
  ck_assert_uint_gt(seen, 0);
  ck_assert_uint_lt(seen, 1000);
  ck_assert_uint_eq(simt_findings_notes(run->findings), 1);
  ck_assert_uint_eq(races_of_blocks(run, 4), 4); // what earlier launches left does not matter
  simt_racecheck_limit(run->o, 1 << 30);
  ck_assert_uint_eq(races_of_blocks(run, 1000), 1000);
  race_free(run);
}
END_TEST

START_TEST(exhausted_clocks_stop_the_launch_only)
{
  race_run *run = race_begin(1, 64);
  simt_racecheck_limit(run->o, 1 << 20);
  race_launch(run, 1 << 15, 64, false);
  for (uint32_t b = 0; b < 1 << 15; b++) {
    STORE(.pc = 1, .block = b, .global = true, .at = 64 + 4 * (b % 16), .value = b);
    race_fence(run, b, 0, 1, ISA_SCOPE_GPU);
    ATOMIC(.pc = 2, .block = b, .global = true);
    run->o->block_end(run->o, b);
  }
  expect_race(run, KIND(write_after_write), 1, 1, SIMT_RELATION_GRID);
  uint64_t count;
  simt_racecheck_pair(run->o, 0, &count);
  ck_assert_uint_lt(count, 1 << 14); // not to its end
  run->o->launch_end(run->o, &run->info, NULL);
  ck_assert_uint_eq(simt_findings_notes(run->findings), 1);
  race_launch(run, 2, 64, false);
  STORE(.pc = 3, .at = 64);
  LOAD(.pc = 4, .warp = 1, .at = 64);
  expect_race(run, KIND(read_after_write), 3, 4, SIMT_RELATION_BLOCK);
  race_free(run);
}
END_TEST

START_TEST(freed_memory_is_forgotten)
{
  race_run *run = race_begin(2, 64);
  simt_allocation a = {.address = RACE_GLOBAL, .size_bytes = 4 << 20};
  for (uint32_t i = 0; i < 64; i++) STORE(.pc = 1, .global = true, .at = (uint64_t)i << 16);
  simt_racecheck_freed(run->o, &a);
  race_launch(run, 2, 64, false);
  STORE(.pc = 2, .global = true);
  LOAD(.pc = 3, .warp = 1, .global = true);
  expect_race(run, KIND(read_after_write), 2, 3, SIMT_RELATION_BLOCK);
  race_free(run);
}
END_TEST

// What workers found is the launch's when they are joined, and lost when they are discarded.
START_TEST(workers_are_merged_or_forgotten)
{
  race_run *run = race_begin(2, 64);
  simt_observer *first = run->o;
  for (int round = 0; round < 2; round++) {
    simt_observer *worker = first->fork(first, 2);
    ck_assert_ptr_nonnull(worker);
    run->o = worker;
    STORE(.pc = 1, .block = 1, .at = 64);
    LOAD(.pc = 2, .block = 1, .warp = 1, .at = 64);
    expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_BLOCK);
    run->o = first;
    if (round == 0) first->discard(worker);
    else first->join(first, worker);
    ck_assert_uint_eq(simt_racecheck_pairs(first), (uint32_t)round);
  }
  race_free(run);
}
END_TEST

// ---- memory of several host threads

static uint64_t used_by(const simt_observer *o) {
  const simt_race *r = (const simt_race *)o;
  return r->global_pool.used_bytes + r->shared_pool.used_bytes + r->order.clocks.used_bytes;
}

// One access to each of so many pages of global memory.
static void touch_pages(race_run *run, simt_observer *o, uint32_t n) {
  simt_observer *before = run->o;
  run->o = o;
  for (uint32_t i = 0; i < n; i++) STORE(.pc = 1, .global = true, .at = (uint64_t)i << PAGE_SHIFT);
  run->o = before;
}

// What `n` workers take that touch more than they have room for; then they are joined.
static uint64_t used_by_workers(race_run *run, uint32_t n) {
  simt_observer *o = run->o, *workers[8];
  uint64_t used = 0;
  race_launch(run, 8, 64, false);
  for (uint32_t i = 0; i < n; i++) ck_assert_ptr_nonnull(workers[i] = o->fork(o, n));
  for (uint32_t i = 0; i < n; i++) touch_pages(run, workers[i], 4 * MANY_PAGES);
  for (uint32_t i = 0; i < n; i++) used += used_by(workers[i]);
  used += used_by(o);
  for (const simt_race *r = ((simt_race *)o)->idle; r; r = r->idle) used += used_by(&r->observer);
  for (uint32_t i = 0; i < n; i++) o->join(o, workers[i]);
  return used;
}

START_TEST(host_threads_share_the_room)
{
  enum { LIMIT = 1 << 22 };
  race_run *run = race_begin(8, 64);
  simt_racecheck_limit(run->o, LIMIT);
  race_launch(run, 8, 64, false);
  touch_pages(run, run->o, 4 * MANY_PAGES);
  uint64_t alone = used_by(run->o);
  ck_assert(alone > LIMIT / 4 && alone <= LIMIT);
  uint64_t shared = used_by_workers(run, 8);
  ck_assert_msg(shared > LIMIT / 4 && shared <= LIMIT, "%llu", (unsigned long long)shared);
  shared = used_by_workers(run, 2); // larger shares, and nothing kept of the eight
  ck_assert_msg(shared > LIMIT / 4 && shared <= LIMIT, "%llu", (unsigned long long)shared);
  ck_assert_ptr_nonnull(((simt_race *)run->o)->idle); // they may be needed again
  race_launch(run, 8, 64, false);
  run->o->block_begin(run->o, 0); // but this launch is not shared
  ck_assert_ptr_null(((simt_race *)run->o)->idle);
  race_free(run);
}
END_TEST

// ---- real kernels ------------------------------------------------------------------------------

#define SHARED_HEAD                                                                                \
  ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"t.cu\"\n"                              \
  ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n"                      \
  ".shared .align 4 .b8 s[1024];\n"                                                                \
  ".reg .pred %p<10>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"                                    \
  "ld.param.u64 %rd0, [k_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"                      \
  "mov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r3, %r3, %r4;\n"
// A tree over 256 threads, with or without the barrier inside its loop.
#define TREE(barrier)                                                                              \
  SHARED_HEAD                                                                                      \
  ".loc 1 10 0\nst.shared.u32 [%r3], %r1;\nbar.sync 0;\nmov.u32 %r5, 128;\n"                       \
  "LOOP:\nsetp.ge.u32 %p1, %r1, %r5;\n@%p1 bra NEXT;\nshl.b32 %r6, %r5, 2;\n"                      \
  "add.u32 %r6, %r3, %r6;\n.loc 1 12 0\nld.shared.u32 %r7, [%r6];\n"                               \
  "ld.shared.u32 %r8, [%r3];\nadd.u32 %r8, %r8, %r7;\nst.shared.u32 [%r3], %r8;\n"                 \
  "NEXT:\n" barrier "shr.u32 %r5, %r5, 1;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra LOOP;\n"             \
  "setp.ne.u32 %p3, %r1, 0;\n@%p3 bra END;\nld.shared.u32 %r9, [s];\n"                             \
  "mul.wide.u32 %rd1, %r2, 4;\nadd.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r9;\n"            \
  "END:\nret;\n}\n"

typedef struct kernel_result {
  uint64_t errors, notes;
} kernel_result;

static kernel_result check_kernel(const char *text, core_options o) {
  simt_findings *findings = simt_findings_create(NULL);
  o.observer = simt_racecheck_create(findings);
  core_run run = core_ok(text, o);
  kernel_result r = {simt_findings_errors(findings), simt_findings_notes(findings)};
  core_free(&run);
  simt_racecheck_destroy(o.observer);
  simt_findings_destroy(findings);
  return r;
}

START_TEST(tree_with_and_without_its_barrier)
{
  for (uint32_t threads = 1; threads <= 2; threads++) { // of the host
    core_options o = {.grid = 300, .block = 256, .n_host_threads = threads};
    ck_assert_uint_eq(check_kernel(TREE("bar.sync 0;\n"), o).errors, 0);
    ck_assert_uint_ge(check_kernel(TREE(""), o).errors, 1);
  }
}
END_TEST

// The errors in a tree without its barrier whose source is `file`.
static uint64_t errors_in(const char *file) {
  const char *tree = TREE(""), *name = strstr(tree, "t.cu");
  char text[4096];
  snprintf(text, sizeof text, "%.*s%s%s", (int)(name - tree), tree, file, name + strlen("t.cu"));
  return check_kernel(text, (core_options){.grid = 2, .block = 256}).errors;
}

START_TEST(only_the_library_of_groups_answers_for_itself)
{
  ck_assert_uint_eq(errors_in("/usr/local/cuda/include/cooperative_groups/details/memory.h"), 0);
  ck_assert_uint_eq(errors_in("/usr/local/cuda/include/cooperative_groups.h"), 0);
  ck_assert_uint_eq(errors_in("/opt/include/simt/cooperative_groups/large_tile.inc"), 0);
  ck_assert_uint_ge(errors_in("lessons/07_cooperative_groups/cooperative_groups.cu"), 1);
  ck_assert_uint_ge(errors_in("/srv/ada/cooperative_groups/cooperative_groups.cu"), 1);
  ck_assert_uint_ge(errors_in("/srv/ada/cooperative_groups.h"), 1);
}
END_TEST

// Every block stores its number, then the last one to count reads them all.
#define LAST_BLOCK(fence)                                                                          \
  SHARED_HEAD "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\nmul.wide.u32 %rd1, %r2, 4;\n"             \
              "add.u64 %rd1, %rd0, %rd1;\n.loc 1 20 0\nst.global.u32 [%rd1+64], %r2;\n" fence      \
              "atom.global.add.u32 %r5, [%rd0], 1;\nst.shared.u32 [s], %r5;\n"                     \
              "WAIT:\nbar.sync 0;\nld.shared.u32 %r5, [s];\nsetp.ne.u32 %p2, %r5, 0xdeadbef6;\n"   \
              "@%p2 bra END;\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"             \
              ".loc 1 25 0\nld.global.u32 %r6, [%rd1+64];\nEND:\nret;\n}\n"

START_TEST(last_block_kernel_needs_its_fence)
{
  core_options o = {.grid = 8, .block = 64};
  ck_assert_uint_eq(check_kernel(LAST_BLOCK("membar.gl;\n"), o).errors, 0);
  ck_assert_uint_ge(check_kernel(LAST_BLOCK(""), o).errors, 1);
}
END_TEST

// Warp 0 passes `s` from lane to lane; the compiler lets all warps load it and select.
#define SHARED_TOTAL(use)                                                                          \
  SHARED_HEAD "shr.u32 %r10, %r1, 5;\nsetp.ne.u32 %p1, %r10, 0;\nmov.u32 %r5, 3;\n"                \
              "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra MEET;\nst.shared.u32 [s], %r1;\n"                \
              "MEET:\nbar.warp.sync -1;\nld.shared.u32 %r6, [s];\n" use                            \
              "mul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"                            \
              "st.global.u32 [%rd1], %r5;\nret;\n}\n"

START_TEST(loads_moved_above_their_condition_are_no_race)
{
  core_options o = {.block = 64};
  ck_assert_uint_eq(check_kernel(SHARED_TOTAL("selp.u32 %r5, 3, %r6, %p1;\n"), o).errors, 0);
  ck_assert_uint_ge(check_kernel(SHARED_TOTAL("add.u32 %r5, %r6, 1;\n"), o).errors, 1);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("race_kernels");
  TCase *tcase = tcase_create("bounds and kernels");
  tcase_add_test(tcase, a_full_shadow_is_noted_and_silent);
  tcase_add_test(tcase, resident_blocks_share_the_room_for_shared_memory);
  tcase_add_test(tcase, exhausted_clocks_stop_the_launch_only);
  tcase_add_test(tcase, freed_memory_is_forgotten);
  tcase_add_test(tcase, workers_are_merged_or_forgotten);
  tcase_add_test(tcase, host_threads_share_the_room);
  tcase_add_test(tcase, tree_with_and_without_its_barrier);
  tcase_add_test(tcase, only_the_library_of_groups_answers_for_itself);
  tcase_add_test(tcase, last_block_kernel_needs_its_fence);
  tcase_add_test(tcase, loads_moved_above_their_condition_are_no_race);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
