// SPDX-License-Identifier: MIT
// test_race.c - racecheck's rules one by one, each with a case that must be found and one that must
// not. Events are driven by hand (race_fixture.h); the last group runs real kernels. What goes on
// between blocks is in test_race_grid.c.
#include "race_fixture.h"

#include "core_fixture.h"

#define KIND(name) SIMT_FINDING_race_##name

// ---- inside a block ----------------------------------------------------------------------------

START_TEST(one_thread_is_ordered_with_itself) {
  race_run *run = race_begin(1, 64);
  STORE(.pc = 1, .mask = ALL_LANES, .stride = 4);
  LOAD(.pc = 2, .mask = ALL_LANES, .stride = 4);
  STORE(.pc = 3, .mask = ALL_LANES, .stride = 4);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(read_after_write_across_warps) {
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

START_TEST(write_after_read_across_warps) {
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

START_TEST(barrier_orders_the_block) {
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

START_TEST(many_readers_then_a_write) {
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

START_TEST(two_writes_and_the_same_value) {
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

START_TEST(values_are_those_of_elements) {
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

START_TEST(two_lanes_of_one_store) {
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

START_TEST(fold_without_syncwarp_races) {
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

START_TEST(fold_with_syncwarp_is_ordered) {
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

START_TEST(partial_masks_order_their_lanes_only) {
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

START_TEST(partial_masks_are_transitive) {
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

START_TEST(lanes_that_left_count_when_named) {
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

START_TEST(other_collectives_order_nothing) {
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

START_TEST(counted_barrier_orders_its_warps_only) {
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
START_TEST(arriving_without_waiting_orders_one_way) {
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

START_TEST(neighbouring_bytes_do_not_race) {
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

START_TEST(halves_and_words_overlap_exactly) {
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

START_TEST(vectors_cover_all_their_words) {
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

START_TEST(flag_in_shared_memory_after_a_fence) {
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

START_TEST(volatile_without_a_fence_is_a_race) {
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

START_TEST(lock_of_atomic_and_volatile) {
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

START_TEST(release_and_acquire_instructions) {
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

START_TEST(atomics_do_not_race_with_each_other) {
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

START_TEST(atomic_and_plain_race) {
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
START_TEST(own_atomics_do_not_hide_a_plain_store) {
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

// ---- bounds ------------------------------------------------------------------------------------

START_TEST(a_full_shadow_is_noted_and_silent) {
  race_run *run = race_begin(1, 64);
  simt_racecheck_limit(run->o, 1 << 20);
  race_launch(run, 1, 64, false);
  for (uint32_t i = 0; i < 64; i++) // 64 pages of 64 KiB
    STORE(.pc = 1, .mask = ALL_LANES, .global = true, .stride = 4, .at = (uint64_t)i << 16);
  for (uint32_t i = 0; i < 64; i++)
    LOAD(.pc = 2, .mask = ALL_LANES, .global = true, .stride = 4, .at = (uint64_t)i << 16);
  expect_clean(run);
  LOAD(.pc = 3, .warp = 1, .mask = ALL_LANES, .global = true, .stride = 4); // the first is watched
  expect_race(run, KIND(read_after_write), 1, 3, SIMT_RELATION_BLOCK);
  simt_observer *o = run->o;
  race_launch(run, 1, 64, false);
  for (uint32_t i = 0; i < 64; i++)
    LOAD(.pc = 2, .mask = ALL_LANES, .global = true, .stride = 4, .at = (uint64_t)i << 16);
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

START_TEST(resident_blocks_share_the_room_for_shared_memory) {
  race_run *run = race_begin(1, 64);
  simt_racecheck_limit(run->o, 1 << 20);
  uint64_t seen = races_of_blocks(run, 1000); // there is room for some of them
  ck_assert_uint_gt(seen, 0);
  ck_assert_uint_lt(seen, 1000);
  ck_assert_uint_eq(simt_findings_notes(run->findings), 1);
  ck_assert_uint_eq(races_of_blocks(run, 4), 4); // what those before left is no hindrance
  simt_racecheck_limit(run->o, 1 << 30);
  ck_assert_uint_eq(races_of_blocks(run, 1000), 1000);
  race_free(run);
}
END_TEST

START_TEST(exhausted_clocks_stop_the_launch_only) {
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

START_TEST(freed_memory_is_forgotten) {
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

// What workers found is the launch's when they are joined, and nobody's when they are discarded.
START_TEST(workers_are_merged_or_forgotten) {
  race_run *run = race_begin(2, 64);
  simt_observer *first = run->o;
  for (int round = 0; round < 2; round++) {
    simt_observer *worker = first->fork(first);
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

START_TEST(tree_with_and_without_its_barrier) {
  for (uint32_t threads = 1; threads <= 2; threads++) { // of the host
    core_options o = {.grid = 300, .block = 256, .n_host_threads = threads};
    ck_assert_uint_eq(check_kernel(TREE("bar.sync 0;\n"), o).errors, 0);
    ck_assert_uint_ge(check_kernel(TREE(""), o).errors, 1);
  }
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

START_TEST(last_block_kernel_needs_its_fence) {
  core_options o = {.grid = 8, .block = 64};
  ck_assert_uint_eq(check_kernel(LAST_BLOCK("membar.gl;\n"), o).errors, 0);
  ck_assert_uint_ge(check_kernel(LAST_BLOCK(""), o).errors, 1);
}
END_TEST

// Warp 0 hands `s` round among its own lanes; the compiler lets all warps load it and select.
#define SHARED_TOTAL(use)                                                                          \
  SHARED_HEAD "shr.u32 %r10, %r1, 5;\nsetp.ne.u32 %p1, %r10, 0;\nmov.u32 %r5, 3;\n"                \
              "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra MEET;\nst.shared.u32 [s], %r1;\n"                \
              "MEET:\nbar.warp.sync -1;\nld.shared.u32 %r6, [s];\n" use                            \
              "mul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"                            \
              "st.global.u32 [%rd1], %r5;\nret;\n}\n"

START_TEST(loads_moved_above_their_condition_are_no_race) {
  core_options o = {.block = 64};
  ck_assert_uint_eq(check_kernel(SHARED_TOTAL("selp.u32 %r5, 3, %r6, %p1;\n"), o).errors, 0);
  ck_assert_uint_ge(check_kernel(SHARED_TOTAL("add.u32 %r5, %r6, 1;\n"), o).errors, 1);
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

static void add_rest(Suite *suite) {
  TCase *t = tcase_create("bounds and kernels");
  tcase_add_test(t, a_full_shadow_is_noted_and_silent);
  tcase_add_test(t, resident_blocks_share_the_room_for_shared_memory);
  tcase_add_test(t, exhausted_clocks_stop_the_launch_only);
  tcase_add_test(t, freed_memory_is_forgotten);
  tcase_add_test(t, workers_are_merged_or_forgotten);
  tcase_add_test(t, tree_with_and_without_its_barrier);
  tcase_add_test(t, last_block_kernel_needs_its_fence);
  tcase_add_test(t, loads_moved_above_their_condition_are_no_race);
  suite_add_tcase(suite, t);
}

int main(void) {
  Suite *suite = suite_create("race");
  add_block(suite);
  add_strong(suite);
  add_rest(suite);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
