// SPDX-License-Identifier: MIT
// test_race_grid.c - racecheck between blocks: what releases, acquires, scopes and grid.sync()
// order.
#include "race_fixture.h"
#include "run_suite.h"

#define KIND(name) SIMT_FINDING_race_##name

START_TEST(blocks_do_not_order_each_other)
{
  race_run *run = race_begin(2, 32);
  STORE(.pc = 1, .global = true, .at = 64);
  run->o->block_end(run->o, 0);
  LOAD(.pc = 2, .global = true, .at = 64, .block = 1);
  simt_finding f = expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_GRID);
  ck_assert_uint_eq(f.first.block, 0);
  ck_assert_uint_eq(f.second.block, 1);
  ck_assert_uint_eq(f.address, RACE_GLOBAL + 64);
  race_launch(run, 2, 32, false); // a launch orders everything before it
  LOAD(.pc = 3, .global = true, .at = 64, .block = 1);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(shared_memory_is_each_block_s_own)
{
  race_run *run = race_begin(2, 32);
  for (uint32_t b = 0; b < 2; b++) {
    run->o->block_begin(run->o, b);
    STORE(.pc = 1, .block = b);
    run->o->block_end(run->o, b);
  }
  expect_clean(run);
  race_launch(run, 2, 32, true);
  STORE(.pc = 1, .block = 0);
  STORE(.pc = 1, .block = 1);
  LOAD(.pc = 2, .block = 0);
  expect_clean(run);
  race_free(run);
}
END_TEST

// Blocks 0 … n - 1 store a partial sum and count themselves; the last one reads all.
static void last_block(race_run *run, uint32_t n, isa_scope fence, isa_scope atomic) {
  race_launch(run, n, 64, false);
  for (uint32_t b = 0; b < n; b++) {
    run->o->block_begin(run->o, b);
    STORE(.pc = 1, .block = b, .warp = 1, .mask = 1, .global = true, .at = 64 + 8 * b);
    race_barrier(run, b);
    STORE(.pc = 2, .block = b, .global = true, .at = 68 + 8 * b);
    if (fence) race_fence(run, b, 0, 1, fence);
    ATOMIC(.pc = 3, .block = b, .global = true, .order = ISA_RELAXED, .scope = atomic);
    race_barrier(run, b);
    if (b == n - 1)
      LOAD(.pc = 4, .block = b, .warp = 1, .mask = ALL_LANES, .global = true, .stride = 4,
           .at = 64);
    if (b == n - 1) STORE(.pc = 5, .block = b, .global = true); // the counter, for the next launch
    run->o->block_end(run->o, b);
  }
}

START_TEST(last_block_with_fence_is_ordered)
{
  race_run *run = race_begin(1, 64);
  last_block(run, 16, ISA_SCOPE_GPU, ISA_SCOPE_GPU);
  expect_clean(run);
  last_block(run, 16, ISA_SCOPE_SYS, ISA_SCOPE_GPU);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(last_block_without_fence_races)
{
  race_run *run = race_begin(1, 64);
  last_block(run, 16, ISA_SCOPE_NONE, ISA_SCOPE_GPU);
  uint64_t count, kinds = 0;
  for (uint32_t i = 0; i < simt_racecheck_pairs(run->o); i++) {
    const simt_finding *f = simt_racecheck_pair(run->o, i, &count);
    ck_assert_uint_eq(f->kind, KIND(read_after_write));
    ck_assert_uint_eq(f->second.pc, 4);
    kinds |= 1u << f->first.pc;
  }
  ck_assert_uint_eq(kinds, 1 << 1 | 1 << 2);
  race_free(run);
}
END_TEST

START_TEST(too_narrow_scopes_are_named)
{
  race_run *run = race_begin(1, 64);
  uint64_t count;
  last_block(run, 4, ISA_SCOPE_CTA, ISA_SCOPE_GPU);
  ck_assert_uint_ge(simt_racecheck_pairs(run->o), 1);
  for (uint32_t i = 0; i < simt_racecheck_pairs(run->o); i++)
    ck_assert_uint_eq(simt_racecheck_pair(run->o, i, &count)->kind, KIND(scope));
  last_block(run, 4, ISA_SCOPE_GPU, ISA_SCOPE_CTA); // the counter itself, and all behind it
  ck_assert_uint_ge(simt_racecheck_pairs(run->o), 1);
  ck_assert_uint_eq(simt_racecheck_pair(run->o, 0, &count)->kind, KIND(scope));
  ck_assert_uint_eq(simt_racecheck_pair(run->o, 0, &count)->first.pc, 3);
  race_free(run);
}
END_TEST

START_TEST(a_fence_in_the_wrong_place_does_not_help)
{
  race_run *run = race_begin(2, 32);
  race_fence(run, 0, 0, 1, ISA_SCOPE_GPU);
  STORE(.pc = 1, .global = true, .at = 64);
  ATOMIC(.pc = 2, .global = true);
  run->o->block_end(run->o, 0);
  ATOMIC(.pc = 2, .block = 1, .global = true);
  LOAD(.pc = 3, .block = 1, .global = true, .at = 64);
  expect_race(run, KIND(read_after_write), 1, 3, SIMT_RELATION_GRID);
  race_free(run);
}
END_TEST

START_TEST(everybody_fences_and_thread_0_counts)
{
  race_run *run = race_begin(2, 64);
  STORE(.pc = 1, .warp = 1, .mask = ALL_LANES, .global = true, .stride = 4, .at = 64);
  race_fence(run, 0, 0, ALL_LANES, ISA_SCOPE_GPU);
  race_fence(run, 0, 1, ALL_LANES, ISA_SCOPE_GPU);
  race_barrier(run, 0);
  ATOMIC(.pc = 2, .global = true);
  run->o->block_end(run->o, 0);
  ATOMIC(.pc = 2, .block = 1, .global = true);
  race_barrier(run, 1);
  LOAD(.pc = 3, .block = 1, .warp = 1, .mask = ALL_LANES, .global = true, .stride = 4, .at = 64);
  expect_clean(run);
  race_free(run);
}
END_TEST

// Block 1 waits for block 0's flag, block 2 for block 1's; what block 0 stored has come along.
START_TEST(flags_hand_on_what_was_learnt)
{
  race_run *run = race_begin(3, 32);
  STORE(.pc = 1, .global = true, .at = 64);
  race_fence(run, 0, 0, 1, ISA_SCOPE_GPU);
  STORE(.pc = 2, .global = true, .order = ISA_VOLATILE);
  LOAD(.pc = 3, .block = 1, .global = true, .order = ISA_VOLATILE);
  race_fence(run, 1, 0, 1, ISA_SCOPE_GPU);
  STORE(.pc = 4, .block = 1, .global = true, .at = 4, .order = ISA_VOLATILE);
  LOAD(.pc = 5, .block = 2, .global = true, .at = 4, .order = ISA_VOLATILE);
  LOAD(.pc = 6, .block = 2, .global = true, .at = 64);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(a_store_ends_what_was_released_before)
{
  race_run *run = race_begin(3, 32);
  STORE(.pc = 1, .global = true, .at = 64);
  race_fence(run, 0, 0, 1, ISA_SCOPE_GPU);
  STORE(.pc = 2, .global = true, .order = ISA_VOLATILE);
  STORE(.pc = 3, .block = 1, .global = true, .order = ISA_VOLATILE); // without a fence
  LOAD(.pc = 4, .block = 2, .global = true, .order = ISA_VOLATILE);
  LOAD(.pc = 5, .block = 2, .global = true, .at = 64);
  expect_race(run, KIND(read_after_write), 1, 5, SIMT_RELATION_GRID);
  race_free(run);
}
END_TEST

START_TEST(volatile_in_global_memory_is_strong)
{
  race_run *run = race_begin(2, 32);
  STORE(.pc = 1, .global = true, .order = ISA_VOLATILE);
  LOAD(.pc = 2, .block = 1, .global = true, .order = ISA_VOLATILE);
  expect_clean(run);
  STORE(.pc = 3, .block = 1, .global = true); // it has seen the flag
  expect_clean(run);
  LOAD(.pc = 4, .global = true, .order = ISA_VOLATILE);
  expect_race(run, KIND(read_after_write), 3, 4, SIMT_RELATION_GRID);
  race_free(run);
}
END_TEST

START_TEST(block_scoped_atomics_of_two_blocks)
{
  race_run *run = race_begin(2, 32);
  ATOMIC(.pc = 1, .global = true, .order = ISA_RELAXED, .scope = ISA_SCOPE_CTA);
  ATOMIC(.pc = 2, .mask = 2, .global = true, .order = ISA_RELAXED, .scope = ISA_SCOPE_CTA);
  expect_clean(run);
  ATOMIC(.pc = 3, .block = 1, .global = true, .order = ISA_RELAXED, .scope = ISA_SCOPE_CTA);
  expect_race(run, KIND(scope), 2, 3, SIMT_RELATION_GRID);
  race_free(run);
}
END_TEST

START_TEST(grid_sync_orders_everything)
{
  race_run *run = race_begin(1, 32);
  race_launch(run, 3, 32, true);
  for (uint32_t b = 0; b < 3; b++) STORE(.pc = 1, .block = b, .global = true, .at = 4 * b);
  race_grid_sync(run);
  for (uint32_t b = 0; b < 3; b++)
    LOAD(.pc = 2, .block = b, .mask = 7, .global = true, .stride = 4);
  expect_clean(run);
  STORE(.pc = 3, .block = 1, .global = true);
  uint64_t count;
  ck_assert_uint_ge(simt_racecheck_pairs(run->o), 1);
  ck_assert_uint_eq(simt_racecheck_pair(run->o, 0, &count)->kind, KIND(write_after_read));
  race_free(run);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("race_grid");
  TCase *t = tcase_create("grid");
  tcase_add_test(t, blocks_do_not_order_each_other);
  tcase_add_test(t, shared_memory_is_each_block_s_own);
  tcase_add_test(t, last_block_with_fence_is_ordered);
  tcase_add_test(t, last_block_without_fence_races);
  tcase_add_test(t, too_narrow_scopes_are_named);
  tcase_add_test(t, a_fence_in_the_wrong_place_does_not_help);
  tcase_add_test(t, everybody_fences_and_thread_0_counts);
  tcase_add_test(t, flags_hand_on_what_was_learnt);
  tcase_add_test(t, a_store_ends_what_was_released_before);
  tcase_add_test(t, volatile_in_global_memory_is_strong);
  tcase_add_test(t, block_scoped_atomics_of_two_blocks);
  tcase_add_test(t, grid_sync_orders_everything);
  suite_add_tcase(suite, t);
  return run_suite(suite);
}
