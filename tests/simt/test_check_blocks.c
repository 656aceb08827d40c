// SPDX-License-Identifier: MIT
// test_check_blocks.c - states of running blocks by index: the table against a plain array.
#include <check.h>
#include <stdlib.h>

#include "check/blocks.h"
#include "run_suite.h"

enum { INDEXES = 4096, STEPS = 200000 };

typedef struct state {
  uint32_t block, unused;
} state;

static uint32_t random_state;
static uint32_t any(uint32_t below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

static void count(void *visited, void *data) {
  (void)visited;
  ++*(uint32_t *)data;
}

// `spread`: how far apart the indexes are; a few at a time or many.
static void compare(uint32_t seed, uint32_t spread, uint32_t removals) {
  static state *expected[INDEXES];
  simt_blocks blocks = {0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < INDEXES; i++) expected[i] = NULL;
  random_state = seed;
  simt_blocks_begin(&blocks, sizeof(state));
  for (uint32_t step = 0; step < STEPS; step++) {
    uint32_t at = any(INDEXES), block = at * spread;
    ck_assert_ptr_eq(simt_blocks_of(&blocks, block), expected[at]);
    if (any(removals + 1)) {
      n -= expected[at] != NULL;
      simt_blocks_remove(&blocks, block);
      expected[at] = NULL;
    } else {
      n += expected[at] == NULL;
      expected[at] = simt_blocks_add(&blocks, block);
      ck_assert_uint_eq(expected[at]->block, 0); // zeroed, also when it is used again
      expected[at]->block = block + 1;
    }
  }
  uint32_t visited = 0;
  simt_blocks_each(&blocks, count, &visited);
  ck_assert_uint_eq(visited, n);
  for (uint32_t i = 0; i < INDEXES; i++) {
    ck_assert_ptr_eq(simt_blocks_of(&blocks, i * spread), expected[i]);
    if (expected[i]) ck_assert_uint_eq(expected[i]->block, i * spread + 1);
  }
  simt_blocks_free(&blocks);
}

START_TEST(few_and_many_blocks)
{
  compare(1, 1, 1);
  compare(2, 1, 20);
  compare(3, 1 << 20, 3);
  compare(4, 65536 + 1, 0);
}
END_TEST

START_TEST(an_empty_table)
{
  simt_blocks blocks = {0};
  simt_blocks_begin(&blocks, 8);
  ck_assert_ptr_null(simt_blocks_of(&blocks, 0));
  simt_blocks_remove(&blocks, 7);
  ck_assert_ptr_nonnull(simt_blocks_add(&blocks, UINT32_MAX));
  ck_assert_ptr_nonnull(simt_blocks_of(&blocks, UINT32_MAX));
  simt_blocks_begin(&blocks, 16);
  ck_assert_ptr_null(simt_blocks_of(&blocks, UINT32_MAX));
  simt_blocks_free(&blocks);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("check_blocks");
  TCase *c = tcase_create("table");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, few_and_many_blocks);
  tcase_add_test(c, an_empty_table);
  suite_add_tcase(suite, c);
  return run_suite(suite);
}
