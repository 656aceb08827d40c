// SPDX-License-Identifier: MIT
// test_race.c - racecheck's rules one by one, each with a case that must be found and one that must
// not. Events are driven by hand (race_fixture.h). What goes on between blocks is in
// test_race_grid.c; limits of memory, and real kernels, in test_race_kernels.c.
#include "race_fixture.h"
#include "run_suite.h"

#define KIND(name) SIMT_FINDING_race_##name

// ---- inside a block ----------------------------------------------------------------------------

START_TEST(one_thread_is_ordered_with_itself)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .mask = ALL_LANES, .stride = 4);
  LOAD(.pc = 2, .mask = ALL_LANES, .stride = 4);
  STORE(.pc = 3, .mask = ALL_LANES, .stride = 4);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(read_after_write_across_warps)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .warp = 1, .mask = ALL_LANES, .stride = 4, .value = 7);
  LOAD(.pc = 2, .mask = ALL_LANES, .stride = 4);
  simt_finding f = expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_BLOCK);
  ck_assert_uint_eq(f.first.warp, 1);
  ck_assert_uint_eq(f.second.warp, 0);
  ck_assert_uint_eq(f.first.act, SIMT_ACT_WRITE);
  ck_assert_uint_eq(f.second.act, SIMT_ACT_READ);
  ck_assert_uint_eq(f.first.value, 7);
  ck_assert_uint_eq(f.first.value_bytes, 4);
  race_free(run);
}
END_TEST

START_TEST(write_after_read_across_warps)
{
  race_run *run = race_begin(1, 64);
  LOAD(.pc = 1, .warp = 1, .mask = ALL_LANES, .stride = 4, .at = 4);
  STORE(.pc = 2, .mask = 2, .stride = 4);
  simt_finding f = expect_race(run, KIND(write_after_read), 1, 2, SIMT_RELATION_BLOCK);
  ck_assert_int_eq(f.first.lane, 0);
  ck_assert_int_eq(f.second.lane, 1);
  ck_assert_uint_eq(f.address, 4);
  race_free(run);
}
END_TEST

START_TEST(barrier_orders_the_block)
{
  race_run *run = race_begin(1, 64);
  for (uint32_t phase = 0; phase < 4; phase++) {
    STORE(.pc = 1, .warp = phase % 2, .mask = ALL_LANES, .stride = 4);
    race_barrier(run, 0);
    LOAD(.pc = 2, .mask = ALL_LANES, .stride = 4);
    LOAD(.pc = 3, .warp = 1, .mask = ALL_LANES, .stride = 4);
    race_barrier(run, 0);
  }
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(many_readers_then_a_write)
{
  race_run *run = race_begin(1, 1024);
  STORE(.pc = 1);
  race_barrier(run, 0);
  for (uint32_t w = 0; w < 32; w++) LOAD(.pc = 2, .warp = w, .mask = ALL_LANES);
  STORE(.pc = 3, .warp = 31, .mask = 1u << 31);
  uint64_t count;
  ck_assert_uint_eq(simt_racecheck_pairs(run->o), 2); // another warp's, and its own lanes'
  const simt_finding *f = simt_racecheck_pair(run->o, 0, &count);
  ck_assert_uint_eq(f->kind, KIND(write_after_read));
  ck_assert_uint_eq(f->second.warp, 31);
  race_launch(run, 1, 1024, false);
  for (uint32_t w = 0; w < 32; w++) LOAD(.pc = 2, .warp = w, .mask = ALL_LANES);
  race_barrier(run, 0);
  STORE(.pc = 3, .warp = 31);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(two_writes_and_the_same_value)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .value = 1);
  STORE(.pc = 2, .warp = 1, .value = 2);
  simt_finding f = expect_race(run, KIND(write_after_write), 1, 2, SIMT_RELATION_BLOCK);
  ck_assert_uint_eq(f.first.value, 1);
  ck_assert_uint_eq(f.second.value, 2);
  race_launch(run, 1, 64, false);
  STORE(.pc = 1, .value = 1);
  STORE(.pc = 2, .warp = 1, .value = 1);
  expect_race(run, KIND(same_value), 1, 2, SIMT_RELATION_BLOCK);
  race_launch(run, 1, 64, false); // the same in one half only is not the same
  STORE(.pc = 1, .width = 8, .vector = 2, .value = 1);
  STORE(.pc = 2, .warp = 1, .value = 1);
  STORE(.pc = 3, .warp = 1, .at = 4, .value = 3);
  ck_assert_uint_eq(simt_racecheck_pairs(run->o), 2);
  race_free(run);
}
END_TEST

START_TEST(values_are_those_of_elements)
{
  static const uint32_t widths[] = {1, 2, 4, 8};
  for (int i = 0; i < 4; i++) {
    race_run *run = race_begin(1, 64);
    STORE(.pc = 1, .mask = ALL_LANES, .width = widths[i], .stride = widths[i], .value = 0x61);
    LOAD(.pc = 2, .warp = 1, .mask = 8, .width = widths[i], .stride = widths[i]);
    simt_finding f = expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_BLOCK);
    ck_assert_int_eq(f.first.lane, 3);
    ck_assert_uint_eq(f.first.value_bytes, widths[i]);
    ck_assert_uint_eq(f.first.value, 0x61);
    ck_assert_uint_eq(f.width_bytes, widths[i]);
    LOAD(.pc = 3, .warp = 1, .width = 8, .vector = 1); // more than one element, if it was less
    uint64_t count;
    uint32_t n = simt_racecheck_pairs(run->o);
    f = *simt_racecheck_pair(run->o, n - 1, &count);
    ck_assert_uint_eq(f.second.pc, 3);
    ck_assert_uint_eq(f.first.value_bytes, widths[i] == 8 ? 8 : 0);
    race_free(run);
  }
}
END_TEST

START_TEST(two_lanes_of_one_store)
{
  race_run *run = race_begin(1, 32);
  STORE(.pc = 1, .mask = ALL_LANES, .value_step = 1);
  expect_race(run, KIND(write_after_write), 1, 1, SIMT_RELATION_LANE);
  race_launch(run, 1, 32, false);
  STORE(.pc = 1, .mask = ALL_LANES, .value = 9);
  expect_race(run, KIND(same_value), 1, 1, SIMT_RELATION_LANE);
  race_launch(run, 1, 32, false); // the same instruction at another time is not one store
  STORE(.pc = 1, .mask = 1, .value = 1);
  STORE(.pc = 1, .mask = 2, .value = 2);
  expect_race(run, KIND(write_after_write), 1, 1, SIMT_RELATION_WARP);
  race_launch(run, 1, 32, false);
  STORE(.pc = 1, .mask = ALL_LANES, .stride = 8);
  expect_clean(run);
  race_free(run);
}
END_TEST

// ---- inside a warp -----------------------------------------------------------------------------

// One step of a fold: s[t] += s[t + 16].
static void fold_step(race_run *run, uint32_t d) {
  uint32_t lanes = (1u << d) - 1;
  LOAD(.pc = 10, .mask = lanes, .stride = 4);
  LOAD(.pc = 11, .mask = lanes, .stride = 4, .at = 4 * d);
  STORE(.pc = 12, .mask = lanes, .stride = 4);
}

START_TEST(fold_without_syncwarp_races)
{
  race_run *run = race_begin(1, 32);
  STORE(.pc = 1, .mask = ALL_LANES, .stride = 4);
  race_syncwarp(run, 0, 0, ALL_LANES);
  fold_step(run, 16);
  expect_clean(run);
  fold_step(run, 8);
  expect_race(run, KIND(read_after_write), 12, 11, SIMT_RELATION_WARP);
  race_free(run);
}
END_TEST

START_TEST(fold_with_syncwarp_is_ordered)
{
  race_run *run = race_begin(1, 32);
  STORE(.pc = 1, .mask = ALL_LANES, .stride = 4);
  for (uint32_t d = 16; d > 0; d /= 2) {
    race_syncwarp(run, 0, 0, ALL_LANES);
    fold_step(run, d);
  }
  race_syncwarp(run, 0, 0, ALL_LANES);
  LOAD(.pc = 3, .mask = ALL_LANES);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(partial_masks_order_their_lanes_only)
{
  race_run *run = race_begin(1, 32);
  STORE(.pc = 1, .mask = 0xffff, .stride = 4);
  race_syncwarp(run, 0, 0, 0xffff);
  LOAD(.pc = 2, .mask = 0x00ff, .stride = 4, .at = 32);
  expect_clean(run);
  race_syncwarp(run, 0, 0, 0x00ff);
  LOAD(.pc = 3, .mask = 0x10000); // lane 16 took no part
  expect_race(run, KIND(read_after_write), 1, 3, SIMT_RELATION_WARP);
  race_free(run);
}
END_TEST

START_TEST(partial_masks_are_transitive)
{
  race_run *run = race_begin(1, 32);
  STORE(.pc = 1, .mask = 1, .stride = 4);
  race_syncwarp(run, 0, 0, 0x3);
  race_syncwarp(run, 0, 0, 0x6);
  LOAD(.pc = 2, .mask = 4);
  expect_clean(run);
  race_syncwarp(run, 0, 0, 0x9); // lane 0 again, with another
  LOAD(.pc = 3, .mask = 8);
  expect_clean(run);
  LOAD(.pc = 4, .mask = 16);
  expect_race(run, KIND(read_after_write), 1, 4, SIMT_RELATION_WARP);
  race_free(run);
}
END_TEST

START_TEST(lanes_that_left_count_when_named)
{
  race_run *run = race_begin(1, 32);
  STORE(.pc = 1, .mask = 0xffff0000u, .stride = 4);
  race_collective(run, 0, 0, ALL_LANES, 0xffff0000u, SIMT_COLLECTIVE_SYNCWARP);
  LOAD(.pc = 2, .mask = 1, .at = 64);
  expect_clean(run);
  race_launch(run, 1, 32, false);
  STORE(.pc = 1, .mask = 0xffff0000u, .stride = 4);
  race_collective(run, 0, 0, 0xffff, 0xffff0000u, SIMT_COLLECTIVE_SYNCWARP);
  LOAD(.pc = 2, .mask = 1, .at = 64);
  expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_WARP);
  race_free(run);
}
END_TEST

START_TEST(other_collectives_order_nothing)
{
  static const simt_collective_kind kinds[] = {SIMT_COLLECTIVE_SHUFFLE, SIMT_COLLECTIVE_VOTE,
                                               SIMT_COLLECTIVE_MATCH, SIMT_COLLECTIVE_REDUX};
  race_run *run = race_begin(1, 32);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    race_launch(run, 1, 32, false);
    STORE(.pc = 1, .mask = ALL_LANES, .stride = 4);
    race_collective(run, 0, 0, ALL_LANES, 0, kinds[i]);
    LOAD(.pc = 2, .mask = ALL_LANES);
    expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_WARP);
  }
  race_free(run);
}
END_TEST

// ---- named barriers ----------------------------------------------------------------------------

START_TEST(counted_barrier_orders_its_warps_only)
{
  race_run *run = race_begin(1, 96);
  STORE(.pc = 1, .mask = ALL_LANES, .stride = 4);
  race_arrive(run, 0, 0, ALL_LANES, 1, false, true);
  race_arrive(run, 0, 1, ALL_LANES, 1, false, true);
  run->o->barrier_done(run->o, 0, 1);
  LOAD(.pc = 2, .warp = 1, .mask = ALL_LANES, .stride = 4);
  expect_clean(run);
  LOAD(.pc = 3, .warp = 2, .mask = ALL_LANES, .stride = 4);
  expect_race(run, KIND(read_after_write), 1, 3, SIMT_RELATION_BLOCK);
  race_free(run);
}
END_TEST

// The producer fills and arrives; the consumer waits.
START_TEST(arriving_without_waiting_orders_one_way)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .mask = ALL_LANES, .stride = 4);
  race_arrive(run, 0, 0, ALL_LANES, 1, false, false);
  race_arrive(run, 0, 1, ALL_LANES, 1, false, true);
  run->o->barrier_done(run->o, 0, 1);
  LOAD(.pc = 2, .warp = 1, .mask = ALL_LANES, .stride = 4);
  expect_clean(run);
  STORE(.pc = 3, .mask = ALL_LANES, .stride = 4); // the producer has not waited for the reads
  expect_race(run, KIND(write_after_read), 2, 3, SIMT_RELATION_BLOCK);
  race_launch(run, 1, 64, false);
  race_arrive(run, 0, 0, ALL_LANES, 1, false, false);
  STORE(.pc = 4, .mask = ALL_LANES, .stride = 4); // after arriving: not covered
  race_arrive(run, 0, 1, ALL_LANES, 1, false, true);
  run->o->barrier_done(run->o, 0, 1);
  LOAD(.pc = 5, .warp = 1, .mask = ALL_LANES, .stride = 4);
  expect_race(run, KIND(read_after_write), 4, 5, SIMT_RELATION_BLOCK);
  race_free(run);
}
END_TEST

// ---- precision ---------------------------------------------------------------------------------

START_TEST(neighbouring_bytes_do_not_race)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .mask = ALL_LANES, .width = 1, .stride = 2);
  STORE(.pc = 2, .warp = 1, .mask = ALL_LANES, .width = 1, .stride = 2, .at = 1);
  LOAD(.pc = 3, .mask = ALL_LANES, .width = 1, .stride = 2);
  expect_clean(run);
  LOAD(.pc = 4, .mask = 1u << 5, .width = 4, .at = 8, .vector = 1);
  uint64_t count;
  ck_assert_uint_ge(simt_racecheck_pairs(run->o), 1);
  ck_assert_uint_eq(simt_racecheck_pair(run->o, 0, &count)->second.pc, 4);
  race_free(run);
}
END_TEST

START_TEST(halves_and_words_overlap_exactly)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .mask = ALL_LANES, .width = 4, .stride = 4);
  LOAD(.pc = 2, .warp = 1, .width = 2, .at = 128);
  expect_clean(run);
  LOAD(.pc = 3, .warp = 1, .width = 2, .at = 126);
  simt_finding f = expect_race(run, KIND(read_after_write), 1, 3, SIMT_RELATION_BLOCK);
  ck_assert_uint_eq(f.address, 126);
  ck_assert_uint_eq(f.width_bytes, 2);
  ck_assert_int_eq(f.first.lane, 31);
  race_free(run);
}
END_TEST

START_TEST(vectors_cover_all_their_words)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .mask = ALL_LANES, .width = 16, .stride = 16);
  LOAD(.pc = 2, .mask = ALL_LANES, .width = 16, .stride = 16);
  expect_clean(run);
  LOAD(.pc = 3, .warp = 1, .at = 16 * 7 + 8);
  simt_finding f = expect_race(run, KIND(read_after_write), 1, 3, SIMT_RELATION_BLOCK);
  ck_assert_int_eq(f.first.lane, 7);
  race_launch(run, 1, 64, false);
  STORE(.pc = 4, .mask = ALL_LANES, .width = 8, .stride = 8);
  LOAD(.pc = 5, .mask = 0xffff, .stride = 16, .at = 4); // lane l reads what lane 2l wrote
  expect_race(run, KIND(read_after_write), 4, 5, SIMT_RELATION_WARP);
  race_free(run);
}
END_TEST

// ---- release and acquire inside a block --------------------------------------------------------

START_TEST(flag_in_shared_memory_after_a_fence)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .at = 64);
  race_fence(run, 0, 0, 1, ISA_SCOPE_CTA);
  STORE(.pc = 2, .order = ISA_VOLATILE);
  LOAD(.pc = 3, .warp = 1, .order = ISA_VOLATILE);
  LOAD(.pc = 4, .warp = 1, .at = 64);
  expect_clean(run);
  LOAD(.pc = 5, .warp = 1, .mask = 2, .at = 64); // another lane has not seen the flag
  expect_race(run, KIND(read_after_write), 1, 5, SIMT_RELATION_BLOCK);
  race_free(run);
}
END_TEST

START_TEST(volatile_without_a_fence_is_a_race)
{
  race_run *run = race_begin(1, 32);
  STORE(.pc = 1, .order = ISA_VOLATILE);
  LOAD(.pc = 2, .mask = 2, .order = ISA_VOLATILE);
  simt_finding f = expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_WARP);
  ck_assert(f.first.is_volatile && f.second.is_volatile);
  race_launch(run, 1, 32, false); // a fence that does not cover the last plain store
  race_fence(run, 0, 0, 1, ISA_SCOPE_CTA);
  STORE(.pc = 3, .at = 64);
  STORE(.pc = 1, .order = ISA_VOLATILE);
  LOAD(.pc = 2, .mask = 2, .order = ISA_VOLATILE);
  expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_WARP);
  race_free(run);
}
END_TEST

START_TEST(lock_of_atomic_and_volatile)
{
  race_run *run = race_begin(1, 64);
  ATOMIC(.pc = 1);
  STORE(.pc = 2, .at = 64);
  race_fence(run, 0, 0, 1, ISA_SCOPE_CTA);
  STORE(.pc = 3, .order = ISA_VOLATILE);
  ATOMIC(.pc = 4, .warp = 1);
  LOAD(.pc = 5, .warp = 1, .at = 64);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(release_and_acquire_instructions)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .at = 64);
  STORE(.pc = 2, .order = ISA_RELEASE, .scope = ISA_SCOPE_CTA);
  LOAD(.pc = 3, .warp = 1, .order = ISA_ACQUIRE, .scope = ISA_SCOPE_CTA);
  LOAD(.pc = 4, .warp = 1, .at = 64);
  expect_clean(run);
  race_launch(run, 1, 64, false);
  STORE(.pc = 1, .at = 64);
  STORE(.pc = 2, .order = ISA_RELAXED, .scope = ISA_SCOPE_CTA); // does not release
  LOAD(.pc = 3, .warp = 1, .order = ISA_ACQUIRE, .scope = ISA_SCOPE_CTA);
  LOAD(.pc = 4, .warp = 1, .at = 64);
  expect_race(run, KIND(read_after_write), 1, 4, SIMT_RELATION_BLOCK);
  race_free(run);
}
END_TEST

// ---- atomics -----------------------------------------------------------------------------------

START_TEST(atomics_do_not_race_with_each_other)
{
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .mask = ALL_LANES, .stride = 4);
  race_barrier(run, 0);
  ATOMIC(.pc = 2, .mask = ALL_LANES);
  ATOMIC(.pc = 2, .warp = 1, .mask = ALL_LANES, .stride = 4);
  expect_clean(run);
  race_barrier(run, 0);
  LOAD(.pc = 3, .warp = 1, .mask = ALL_LANES, .stride = 4);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(atomic_and_plain_race)
{
  race_run *run = race_begin(1, 64);
  ATOMIC(.pc = 1, .mask = ALL_LANES, .stride = 4);
  LOAD(.pc = 2, .warp = 1, .mask = ALL_LANES, .stride = 4);
  expect_race(run, KIND(atomic), 1, 2, SIMT_RELATION_BLOCK);
  race_launch(run, 1, 64, false); // the histogram without the barrier after its zeroing
  STORE(.pc = 3, .mask = ALL_LANES, .stride = 4);
  ATOMIC(.pc = 4, .warp = 1, .mask = ALL_LANES, .stride = 4);
  expect_race(run, KIND(atomic), 3, 4, SIMT_RELATION_BLOCK);
  race_free(run);
}
END_TEST

// What a thread zeroes and then adds to itself, others may not add to without an order.
START_TEST(own_atomics_do_not_hide_a_plain_store)
{
  race_run *run = race_begin(2, 32);
  STORE(.pc = 1, .global = true);
  race_barrier(run, 0);
  ATOMIC(.pc = 2, .global = true, .mask = ALL_LANES);
  run->o->block_end(run->o, 0);
  expect_clean(run);
  ATOMIC(.pc = 2, .global = true, .block = 1);
  expect_race(run, KIND(atomic), 1, 2, SIMT_RELATION_GRID);
  race_free(run);
}
END_TEST

// ---- main --------------------------------------------------------------------------------------

static void add_block(Suite *suite) {
  TCase *t = tcase_create("block");
  tcase_add_test(t, one_thread_is_ordered_with_itself);
  tcase_add_test(t, read_after_write_across_warps);
  tcase_add_test(t, write_after_read_across_warps);
  tcase_add_test(t, barrier_orders_the_block);
  tcase_add_test(t, many_readers_then_a_write);
  tcase_add_test(t, two_writes_and_the_same_value);
  tcase_add_test(t, values_are_those_of_elements);
  tcase_add_test(t, two_lanes_of_one_store);
  tcase_add_test(t, fold_without_syncwarp_races);
  tcase_add_test(t, fold_with_syncwarp_is_ordered);
  tcase_add_test(t, partial_masks_order_their_lanes_only);
  tcase_add_test(t, partial_masks_are_transitive);
  tcase_add_test(t, lanes_that_left_count_when_named);
  tcase_add_test(t, other_collectives_order_nothing);
  tcase_add_test(t, counted_barrier_orders_its_warps_only);
  tcase_add_test(t, arriving_without_waiting_orders_one_way);
  tcase_add_test(t, neighbouring_bytes_do_not_race);
  tcase_add_test(t, halves_and_words_overlap_exactly);
  tcase_add_test(t, vectors_cover_all_their_words);
  suite_add_tcase(suite, t);
}

static void add_strong(Suite *suite) {
  TCase *t = tcase_create("strong");
  tcase_add_test(t, flag_in_shared_memory_after_a_fence);
  tcase_add_test(t, volatile_without_a_fence_is_a_race);
  tcase_add_test(t, lock_of_atomic_and_volatile);
  tcase_add_test(t, release_and_acquire_instructions);
  tcase_add_test(t, atomics_do_not_race_with_each_other);
  tcase_add_test(t, atomic_and_plain_race);
  tcase_add_test(t, own_atomics_do_not_hide_a_plain_store);
  suite_add_tcase(suite, t);
}

int main(void) {
  Suite *suite = suite_create("race");
  add_block(suite);
  add_strong(suite);
  return run_suite(suite);
}
