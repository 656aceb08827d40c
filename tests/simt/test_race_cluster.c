// SPDX-License-Identifier: MIT
// test_race_cluster.c - racecheck in launches with clusters: whose shared memory it is, and what
// the barrier of a cluster orders.
#include "race_fixture.h"
#include "run_suite.h"

#define KIND(name) SIMT_FINDING_race_##name

// Clusters of two blocks.
static race_run *begin(uint32_t n_blocks, uint32_t threads) {
  race_run *run = race_begin(n_blocks, threads);
  run->info.cluster[0] = run->info.cluster_blocks = 2;
  run->info.cluster[1] = run->info.cluster[2] = 1;
  run->o->launch_begin(run->o, &run->info);
  for (uint32_t b = 0; b < n_blocks; b++) run->o->block_begin(run->o, b);
  return run;
}

static simt_cluster_event event(const race_run *run, uint32_t block, uint32_t warp) {
  return (simt_cluster_event){
      .block = block, .warp = warp, .mask = race_lanes(run, warp), .cluster = block / 2};
}

static void arrive(race_run *run, uint32_t block, bool is_relaxed) {
  for (uint32_t w = 0; w < run->info.warps_per_block; w++) {
    simt_cluster_event e = event(run, block, w);
    e.is_relaxed = is_relaxed;
    run->o->cluster_arrive(run->o, &e);
  }
}

static void leave(race_run *run, uint32_t block) {
  for (uint32_t w = 0; w < run->info.warps_per_block; w++) {
    simt_cluster_event e = event(run, block, w);
    run->o->cluster_leave(run->o, &e);
  }
}

// cluster.sync() of both blocks
static void barrier(race_run *run, uint32_t cluster) {
  arrive(run, 2 * cluster, false);
  arrive(run, 2 * cluster + 1, false);
  run->o->cluster_done(run->o, cluster);
  leave(run, 2 * cluster + 1);
  leave(run, 2 * cluster);
}

START_TEST(a_neighbours_memory_needs_the_barrier)
{
  race_run *run = begin(2, 64);
  STORE(.pc = 1, .at = 32); // block 0, its own
  LOAD(.pc = 2, .block = 1, .owner = 1, .at = 32);
  simt_finding f = expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_CLUSTER);
  ck_assert_int_eq(f.space, PTX_SPACE_SHARED);
  ck_assert_uint_eq(f.address, 32); // in the block whose memory it is
  ck_assert_uint_eq(f.first.block, 0);
  ck_assert_uint_eq(f.second.block, 1);
  race_free(run);

  run = begin(2, 64);
  STORE(.pc = 1, .at = 32);
  barrier(run, 0);
  LOAD(.pc = 2, .block = 1, .warp = 1, .owner = 1, .at = 32);
  expect_clean(run);
  STORE(.pc = 3, .at = 32); // what the neighbour has read may not be overwritten yet
  expect_race(run, KIND(write_after_read), 2, 3, SIMT_RELATION_CLUSTER);
  race_free(run);
}
END_TEST

START_TEST(each_block_has_its_own_memory)
{
  race_run *run = begin(4, 32);
  for (uint32_t b = 0; b < 4; b++) STORE(.pc = 1, .block = b, .at = 8);
  STORE(.pc = 2, .block = 0, .owner = 2, .at = 16); // block 1's
  STORE(.pc = 3, .block = 0, .at = 16);
  STORE(.pc = 4, .block = 2, .at = 16);
  expect_clean(run);
  STORE(.pc = 5, .block = 1, .at = 16, .value = 7);
  expect_race(run, KIND(write_after_write), 2, 5, SIMT_RELATION_CLUSTER);
  race_free(run);
}
END_TEST

START_TEST(a_relaxed_arrival_orders_nothing)
{
  for (int is_relaxed = 0; is_relaxed < 2; is_relaxed++) {
    race_run *run = begin(2, 32);
    STORE(.pc = 1, .at = 4);
    arrive(run, 0, is_relaxed);
    arrive(run, 1, false);
    run->o->cluster_done(run->o, 0);
    leave(run, 0);
    leave(run, 1);
    LOAD(.pc = 2, .block = 1, .owner = 1, .at = 4);
    if (is_relaxed) expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_CLUSTER);
    else expect_clean(run);
    race_free(run);
  }
}
END_TEST

START_TEST(between_arrival_and_wait_nothing_is_ordered)
{
  race_run *run = begin(2, 32);
  arrive(run, 0, false);
  STORE(.pc = 1, .at = 4); // too late for this phase
  arrive(run, 1, false);
  run->o->cluster_done(run->o, 0);
  leave(run, 1);
  LOAD(.pc = 2, .block = 1, .owner = 1, .at = 4);
  expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_CLUSTER);
  race_free(run);

  run = begin(2, 32);
  STORE(.pc = 1, .at = 4);
  arrive(run, 0, false);
  arrive(run, 1, false);
  run->o->cluster_done(run->o, 0);
  LOAD(.pc = 2, .block = 1, .owner = 1, .at = 4); // without having waited
  expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_CLUSTER);
  race_free(run);
}
END_TEST

START_TEST(barriers_of_blocks_do_not_reach_the_cluster)
{
  race_run *run = begin(2, 64);
  STORE(.pc = 1, .at = 4);
  race_barrier(run, 0);
  race_barrier(run, 1);
  LOAD(.pc = 2, .block = 1, .owner = 1, .at = 4);
  expect_race(run, KIND(read_after_write), 1, 2, SIMT_RELATION_CLUSTER);
  race_free(run);

  run = begin(2, 64); // inside a block they order its memory as ever, and what it reaches
  STORE(.pc = 1, .warp = 1, .owner = 2, .at = 4);
  race_barrier(run, 0);
  LOAD(.pc = 2, .owner = 2, .at = 4);
  STORE(.pc = 3, .warp = 1, .at = 8);
  expect_clean(run);
  LOAD(.pc = 4, .at = 8);
  expect_race(run, KIND(read_after_write), 3, 4, SIMT_RELATION_BLOCK);
  race_free(run);
}
END_TEST

START_TEST(clusters_do_not_order_each_other)
{
  race_run *run = begin(4, 32);
  STORE(.pc = 1, .global = true, .at = 64);
  barrier(run, 0);
  barrier(run, 1);
  LOAD(.pc = 2, .block = 1, .global = true, .at = 64); // of the same cluster
  expect_clean(run);
  LOAD(.pc = 3, .block = 2, .global = true, .at = 64);
  expect_race(run, KIND(read_after_write), 1, 3, SIMT_RELATION_GRID);
  race_free(run);
}
END_TEST

START_TEST(what_a_barrier_taught_is_handed_on)
{ // block 0 stores, block 1 learns of it at the barrier and tells block 2 by a flag
  for (int fences = 0; fences < 2; fences++) {
    race_run *run = begin(4, 32);
    STORE(.pc = 1, .global = true, .at = 64);
    barrier(run, 0);
    if (fences) race_fence(run, 1, 0, 1, ISA_SCOPE_GPU);
    ATOMIC(.pc = 2, .block = 1, .global = true, .order = ISA_RELAXED, .scope = ISA_SCOPE_GPU);
    ATOMIC(.pc = 3, .block = 2, .global = true, .order = ISA_RELAXED, .scope = ISA_SCOPE_GPU);
    LOAD(.pc = 4, .block = 2, .global = true, .at = 64);
    if (fences) expect_clean(run);
    else expect_race(run, KIND(read_after_write), 1, 4, SIMT_RELATION_GRID);
    race_free(run);
  }
}
END_TEST

START_TEST(threads_that_left_count_as_arrived)
{
  race_run *run = begin(2, 32);
  STORE(.pc = 1, .owner = 2, .at = 4); // into block 1's memory, and out
  run->o->exit(run->o, 9, 0, 0, ALL_LANES);
  arrive(run, 1, false);
  run->o->cluster_done(run->o, 0);
  leave(run, 1);
  LOAD(.pc = 2, .block = 1, .at = 4);
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(scopes_reach_the_cluster_or_not)
{
  static const isa_scope scopes[] = {ISA_SCOPE_CLUSTER, ISA_SCOPE_CTA};
  for (int i = 0; i < 2; i++) {
    race_run *run = begin(2, 32);
    ATOMIC(.pc = 1, .at = 4, .order = ISA_RELAXED, .scope = scopes[i]);
    ATOMIC(.pc = 2, .block = 1, .owner = 1, .at = 4, .order = ISA_RELAXED, .scope = scopes[i]);
    if (i) expect_race(run, KIND(scope), 1, 2, SIMT_RELATION_CLUSTER);
    else expect_clean(run);
    race_free(run);
  }
}
END_TEST

START_TEST(phases_follow_each_other)
{ // a value goes back and forth between two blocks
  race_run *run = begin(2, 64);
  for (uint32_t round = 0; round < 20; round++) {
    STORE(.pc = 1, .block = round % 2, .owner = 1, .at = 4);
    barrier(run, 0);
    LOAD(.pc = 2, .block = (round + 1) % 2, .owner = 1, .at = 4, .warp = 1);
    barrier(run, 0);
  }
  expect_clean(run);
  race_free(run);
}
END_TEST

START_TEST(nothing_is_left_of_the_cluster_before)
{ // blocks 0 and 1 end; 2 and 3 follow, and then another launch
  race_run *run = begin(4, 32);
  for (uint32_t b = 0; b < 2; b++) STORE(.pc = 1, .block = b, .at = 4);
  for (uint32_t b = 0; b < 2; b++) run->o->block_end(run->o, b);
  for (uint32_t b = 2; b < 4; b++) STORE(.pc = 2, .block = b, .at = 4);
  for (uint32_t b = 2; b < 4; b++) run->o->block_end(run->o, b);
  run->o->launch_begin(run->o, &run->info);
  for (uint32_t b = 0; b < 2; b++) STORE(.pc = 3, .block = b, .at = 4);
  expect_clean(run);
  race_free(run);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("race_cluster");
  TCase *memory = tcase_create("memory"), *order = tcase_create("order");
  tcase_add_test(memory, a_neighbours_memory_needs_the_barrier);
  tcase_add_test(memory, each_block_has_its_own_memory);
  tcase_add_test(memory, nothing_is_left_of_the_cluster_before);
  tcase_add_test(order, a_relaxed_arrival_orders_nothing);
  tcase_add_test(order, between_arrival_and_wait_nothing_is_ordered);
  tcase_add_test(order, barriers_of_blocks_do_not_reach_the_cluster);
  tcase_add_test(order, clusters_do_not_order_each_other);
  tcase_add_test(order, what_a_barrier_taught_is_handed_on);
  tcase_add_test(order, threads_that_left_count_as_arrived);
  tcase_add_test(order, scopes_reach_the_cluster_or_not);
  tcase_add_test(order, phases_follow_each_other);
  suite_add_tcase(suite, memory);
  suite_add_tcase(suite, order);
  return run_suite(suite);
}
