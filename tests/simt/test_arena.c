// SPDX-License-Identifier: MIT
// test_arena.c - arenas, string views, statuses and diagnostics.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/status.h"
#include "run_suite.h"

START_TEST(gives_zeroed_aligned_memory)
{
  simt_arena arena = {0};
  for (size_t size = 0; size < 300; size++) {
    for (size_t align = 1; align <= 256; align *= 2) {
      unsigned char *at = simt_arena_alloc(&arena, size, align);
      ck_assert_ptr_nonnull(at);
      ck_assert_uint_eq((uintptr_t)at % align, 0);
      for (size_t i = 0; i < size; i++) ck_assert_uint_eq(at[i], 0);
      memset(at, 0xff, size); // what comes next must still be zero
    }
  }
  simt_arena_free(&arena);
}
END_TEST

START_TEST(counts_requests_without_padding)
{
  simt_arena arena = {0};
  simt_arena_alloc(&arena, 3, 1);
  simt_arena_alloc(&arena, 8, 8);
  ck_assert_uint_eq(arena.used_bytes, 11);
  simt_arena_free(&arena);
  ck_assert_uint_eq(arena.used_bytes, 0);
  ck_assert_ptr_null(arena.chunks);
}
END_TEST

START_TEST(limit_is_exact_and_survives_free)
{
  simt_arena arena = {0};
  simt_arena_limit(&arena, 100);
  ck_assert_ptr_nonnull(simt_arena_alloc(&arena, 99, 1));
  ck_assert_ptr_null(simt_arena_alloc(&arena, 2, 1));
  ck_assert_ptr_nonnull(simt_arena_alloc(&arena, 1, 1));
  ck_assert_ptr_null(simt_arena_alloc(&arena, 1, 1));
  ck_assert_uint_eq(arena.used_bytes, 100);
  simt_arena_free(&arena);
  ck_assert_ptr_null(simt_arena_alloc(&arena, 101, 1));
  ck_assert_ptr_nonnull(simt_arena_alloc(&arena, 100, 1));
  simt_arena_free(&arena);
}
END_TEST

START_TEST(refuses_impossible_requests)
{
  simt_arena arena = {0};
  ck_assert_ptr_null(simt_arena_alloc(&arena, SIZE_MAX, 1));
  ck_assert_ptr_null(simt_arena_alloc(&arena, SIZE_MAX - 8, 16));
  ck_assert_ptr_null(simt_arena_alloc(&arena, 8, 0));
  ck_assert_ptr_null(simt_arena_alloc(&arena, 8, 24)); // not a power of two
  ck_assert_ptr_null(SIMT_ARENA_ARRAY(&arena, uint64_t, SIZE_MAX / 4));
  ck_assert_uint_eq(arena.used_bytes, 0);
  ck_assert_ptr_nonnull(simt_arena_alloc(&arena, 1, 1));
  ck_assert_ptr_null(simt_arena_alloc(&arena, SIZE_MAX, 1)); // used + size overflows
  simt_arena_free(&arena);
}
END_TEST

START_TEST(large_blocks_and_small_ones_do_not_overlap)
{
  simt_arena arena = {0};
  enum { N = 64 };
  unsigned char *blocks[N];
  size_t sizes[N];
  for (int i = 0; i < N; i++) {
    sizes[i] = i % 8 == 0 ? 3000000 : (size_t)(i * 100 + 1);
    blocks[i] = simt_arena_alloc(&arena, sizes[i], 8);
    ck_assert_ptr_nonnull(blocks[i]);
    memset(blocks[i], i + 1, sizes[i]);
  }
  for (unsigned i = 0; i < N; i++) {
    ck_assert_uint_eq(blocks[i][0], i + 1);
    ck_assert_uint_eq(blocks[i][sizes[i] - 1], i + 1);
  }
  simt_arena_free(&arena);
}
END_TEST

START_TEST(string_views_compare_and_copy)
{
  simt_arena arena = {0};
  simt_str add = SIMT_STR("add"), added = SIMT_STR("added"), empty = {NULL, 0};
  ck_assert(simt_str_equal(add, simt_str_of("add")));
  ck_assert(!simt_str_equal(add, added));
  ck_assert(simt_str_equal(empty, SIMT_STR("")));
  ck_assert(simt_str_is(add, "add") && !simt_str_is(add, "ad") && !simt_str_is(add, "addx"));
  ck_assert(simt_str_starts(added, "add") && !simt_str_starts(add, "added"));
  ck_assert(simt_str_starts(empty, ""));
  simt_str middle = {added.at + 1, 2};
  ck_assert_str_eq(simt_str_copy(&arena, middle), "dd");
  ck_assert_str_eq(simt_str_copy(&arena, empty), "");
  simt_arena_limit(&arena, arena.used_bytes + 3);
  ck_assert_ptr_null(simt_str_copy(&arena, add)); // four bytes with the NUL
  simt_arena_free(&arena);
}
END_TEST

START_TEST(every_status_has_its_own_name)
{
  for (int i = 0; i < SIMT_STATUS_COUNT; i++) {
    ck_assert_ptr_nonnull(simt_status_name((simt_status)i));
    ck_assert_str_ne(simt_status_name((simt_status)i), "unknown status");
    for (int j = 0; j < i; j++)
      ck_assert_str_ne(simt_status_name((simt_status)i), simt_status_name((simt_status)j));
  }
  ck_assert(!simt_status_is_fault(SIMT_OK) && !simt_status_is_fault(SIMT_TOO_LARGE));
  ck_assert(simt_status_is_fault(SIMT_ILLEGAL_ADDRESS) && simt_status_is_fault(SIMT_TRAP));
  ck_assert(!simt_status_is_fault(SIMT_STATUS_COUNT));
  ck_assert_str_eq(simt_status_name(SIMT_ILLEGAL_ADDRESS), "illegal address");
  ck_assert_str_eq(simt_status_name(SIMT_STATUS_COUNT), "unknown status");
  ck_assert_str_eq(simt_status_name((simt_status)-1), "unknown status");
}
END_TEST

START_TEST(diagnostics_are_formatted_and_cut)
{
  simt_diag diag;
  ck_assert_int_eq(simt_fail(&diag, SIMT_TRAP, "%s:%d", "k.ptx", 7), SIMT_TRAP);
  ck_assert_int_eq(diag.status, SIMT_TRAP);
  ck_assert_str_eq(diag.text, "k.ptx:7");
  simt_diag_append(&diag, "in kernel %s", "f");
  ck_assert_str_eq(diag.text, "k.ptx:7\nin kernel f");
  ck_assert_int_eq(simt_fail(NULL, SIMT_ASSERT, "x"), SIMT_ASSERT);
  simt_diag_append(NULL, "x");

  char text[5000];
  memset(text, 'a', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  simt_fail(&diag, SIMT_TRAP, "%s", text);
  ck_assert_uint_eq(strlen(diag.text), sizeof diag.text - 1);
  ck_assert_str_eq(diag.text + sizeof diag.text - 5, "a...");
  simt_diag_append(&diag, "more"); // no room: unchanged
  ck_assert_str_eq(diag.text + sizeof diag.text - 5, "a...");
  text[sizeof diag.text - 10] = '\0';
  simt_fail(&diag, SIMT_TRAP, "%s", text);
  simt_diag_append(&diag, "0123456789");
  ck_assert_uint_eq(strlen(diag.text), sizeof diag.text - 1);
  ck_assert_str_eq(diag.text + sizeof diag.text - 5, "4...");
}
END_TEST

// ---- base/map.h

START_TEST(map_finds_what_was_added)
{
  enum { N = 20000 };
  static char names[N][8];
  simt_arena arena = {0};
  simt_map map = {0};
  uint32_t value = 77;
  ck_assert(!simt_map_find(&map, SIMT_STR("absent"), &value));
  for (uint32_t i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "k%u", i);
    ck_assert(simt_map_add(&map, &arena, simt_str_of(names[i]), i));
  }
  for (uint32_t i = 0; i < N; i++) {
    ck_assert(simt_map_find(&map, simt_str_of(names[i]), &value));
    ck_assert_uint_eq(value, i);
  }
  ck_assert(!simt_map_find(&map, SIMT_STR("k20000"), &value));
  ck_assert(!simt_map_find(&map, (simt_str){"k1", 1}, &value));
  ck_assert_uint_eq(value, N - 1);
  simt_arena_free(&arena);
}
END_TEST

START_TEST(map_keeps_the_first_value_of_a_name)
{
  simt_arena arena = {0};
  simt_map map = {0};
  uint32_t value;
  ck_assert(simt_map_add(&map, &arena, SIMT_STR("x"), 1));
  ck_assert(simt_map_add(&map, &arena, SIMT_STR("x"), 2));
  ck_assert(simt_map_add(&map, &arena, (simt_str){NULL, 0}, 3)); // the empty name is one, too
  ck_assert(simt_map_find(&map, SIMT_STR("x"), &value));
  ck_assert_uint_eq(value, 1);
  ck_assert(simt_map_find(&map, SIMT_STR(""), &value));
  ck_assert_uint_eq(value, 3);
  ck_assert_uint_eq(map.n, 2);
  simt_arena_free(&arena);
}
END_TEST

START_TEST(map_without_memory_is_unchanged)
{
  simt_arena arena = {0};
  simt_map map = {0};
  uint32_t value;
  char names[64][4];
  uint32_t n = 0;
  simt_arena_limit(&arena, 16 * sizeof(simt_map_entry));
  for (; n < 64; n++) {
    snprintf(names[n], sizeof names[n], "%u", n);
    if (!simt_map_add(&map, &arena, simt_str_of(names[n]), n)) break;
  }
  ck_assert_uint_eq(n, 8); // half of 16
  ck_assert_uint_eq(map.n, 8);
  for (uint32_t i = 0; i < n; i++) ck_assert(simt_map_find(&map, simt_str_of(names[i]), &value));
  ck_assert(!simt_map_find(&map, SIMT_STR("8"), &value));
  simt_arena_free(&arena);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("arena");
  TCase *tcase = tcase_create("arena");
  tcase_add_test(tcase, gives_zeroed_aligned_memory);
  tcase_add_test(tcase, counts_requests_without_padding);
  tcase_add_test(tcase, limit_is_exact_and_survives_free);
  tcase_add_test(tcase, refuses_impossible_requests);
  tcase_add_test(tcase, large_blocks_and_small_ones_do_not_overlap);
  tcase_add_test(tcase, string_views_compare_and_copy);
  tcase_add_test(tcase, every_status_has_its_own_name);
  tcase_add_test(tcase, diagnostics_are_formatted_and_cut);
  tcase_add_test(tcase, map_finds_what_was_added);
  tcase_add_test(tcase, map_keeps_the_first_value_of_a_name);
  tcase_add_test(tcase, map_without_memory_is_unchanged);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
