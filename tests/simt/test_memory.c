// SPDX-License-Identifier: MIT
// test_memory.c - the allocation table: addresses, bounds, freeing, and the sentences that explain
// a miss.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "device/memory.h"
#include "runtime/platform.h"
#include "run_suite.h"

static simt_memory *memory;

static void set_up(void) { ck_assert_int_eq(simt_memory_create(&memory, 1 << 20), SIMT_OK); }
static void tear_down(void) { simt_memory_destroy(memory); }

static uint64_t alloc(uint64_t size_bytes, simt_allocation_kind kind, const char *name) {
  uint64_t address;
  simt_diag diag;
  ck_assert_int_eq(simt_memory_alloc(memory, size_bytes, kind, name, &address, &diag), SIMT_OK);
  return address;
}

START_TEST(addresses_are_deterministic_aligned_and_apart)
{
  uint64_t a = alloc(1, SIMT_ALLOCATION_DEVICE, NULL),
           b = alloc(1000, SIMT_ALLOCATION_DEVICE, NULL);
  ck_assert_uint_eq(a, SIMT_DEVICE_BASE);
  ck_assert_uint_eq(a % 512, 0);
  ck_assert_uint_eq(b % 512, 0);
  ck_assert_uint_ge(b - (a + 1), 512); // a stray access just behind `a` never lands in `b`
}
END_TEST

START_TEST(zero_bytes_are_null)
{ ck_assert_uint_eq(alloc(0, SIMT_ALLOCATION_DEVICE, NULL), 0); }
END_TEST

START_TEST(ranges_are_exact)
{
  uint64_t a = alloc(100, SIMT_ALLOCATION_DEVICE, NULL);
  ck_assert_ptr_nonnull(simt_memory_find(memory, a, 100));
  ck_assert_ptr_nonnull(simt_memory_find(memory, a + 99, 1));
  ck_assert_ptr_null(simt_memory_find(memory, a, 101));
  ck_assert_ptr_null(simt_memory_find(memory, a + 100, 1));
  ck_assert_ptr_null(simt_memory_find(memory, a - 1, 1));
  ck_assert_ptr_null(simt_memory_find(memory, a + 50, UINT64_MAX));
}
END_TEST

START_TEST(new_memory_is_poisoned_and_variables_are_zero)
{
  ck_assert_uint_eq(*simt_memory_host(memory, alloc(4, SIMT_ALLOCATION_DEVICE, NULL), 4), 0xA5);
  ck_assert_uint_eq(*simt_memory_host(memory, alloc(4, SIMT_ALLOCATION_VARIABLE, "v"), 4), 0);
}
END_TEST

START_TEST(pinned_memory_has_the_host_address)
{
  uint64_t a = alloc(64, SIMT_ALLOCATION_PINNED, NULL);
  memset((void *)(uintptr_t)a, 7, 64);
  ck_assert_ptr_eq(simt_memory_host(memory, a, 64), (void *)(uintptr_t)a);
}
END_TEST

START_TEST(capacity_is_a_budget)
{
  uint64_t address, free_bytes, total_bytes;
  simt_diag diag;
  uint64_t a = alloc(1 << 19, SIMT_ALLOCATION_DEVICE, NULL);
  ck_assert_int_eq(
      simt_memory_alloc(memory, (1 << 19) + 1, SIMT_ALLOCATION_DEVICE, NULL, &address, &diag),
      SIMT_OUT_OF_MEMORY);
  ck_assert_ptr_nonnull(strstr(diag.text, "524289 bytes asked for"));
  ck_assert_int_eq(simt_memory_free(memory, a, &diag), SIMT_OK);
  simt_memory_info(memory, &free_bytes, &total_bytes);
  ck_assert_uint_eq(free_bytes, total_bytes);
}
END_TEST

START_TEST(the_hosts_memory_is_not_the_devices)
{
  uint64_t free_bytes, total_bytes;
  uint64_t managed = alloc(1 << 21, SIMT_ALLOCATION_MANAGED, NULL); // twice what the device has
  uint64_t pinned = alloc(1 << 19, SIMT_ALLOCATION_PINNED, NULL);
  alloc(1 << 20, SIMT_ALLOCATION_DEVICE, NULL);
  ck_assert_int_eq(simt_memory_free(memory, managed, NULL), SIMT_OK);
  ck_assert_int_eq(simt_memory_free(memory, pinned, NULL), SIMT_OK);
  simt_memory_info(memory, &free_bytes, &total_bytes);
  ck_assert_uint_eq(free_bytes, 0);
}
END_TEST

START_TEST(addresses_are_never_reused)
{
  uint64_t a = alloc(64, SIMT_ALLOCATION_DEVICE, NULL);
  ck_assert_int_eq(simt_memory_free(memory, a, NULL), SIMT_OK);
  ck_assert_uint_ne(alloc(64, SIMT_ALLOCATION_DEVICE, NULL), a);
}
END_TEST

// What a program has written and freed is in no new allocation, of whichever kind and size: device
// memory is handed out again by the host's platform, and poisoned.
START_TEST(what_was_freed_is_found_nowhere)
{
  static const simt_allocation_kind kinds[] = {SIMT_ALLOCATION_DEVICE, SIMT_ALLOCATION_PINNED,
                                               SIMT_ALLOCATION_MANAGED, SIMT_ALLOCATION_HEAP};
  simt_memory_destroy(memory);
  ck_assert_int_eq(simt_memory_create_on(&memory, 1 << 30, simt_host_platform()), SIMT_OK);
  for (uint64_t size_bytes = 1; size_bytes < 5 << 20; size_bytes = 3 * size_bytes + 1)
    for (size_t before = 0; before < 4; before++)
      for (size_t after = 0; after < 4; after++) {
        uint64_t old = alloc(size_bytes, kinds[before], NULL);
        memset(simt_memory_host(memory, old, size_bytes), 0x5e, size_bytes);
        ck_assert_int_eq(simt_memory_free(memory, old, NULL), SIMT_OK);
        uint64_t new_bytes = size_bytes - size_bytes / 3;
        uint64_t new = alloc(new_bytes, kinds[after], NULL);
        const uint8_t *bytes = simt_memory_host(memory, new, new_bytes);
        const uint8_t wanted = kinds[after] == SIMT_ALLOCATION_MANAGED ? 0 : SIMT_POISON_BYTE;
        ck_assert_uint_eq(bytes[0], wanted);
        ck_assert_int_eq(memcmp(bytes, bytes + 1, new_bytes - 1), 0); // all of them
        ck_assert_int_eq(simt_memory_free(memory, new, NULL), SIMT_OK);
      }
}
END_TEST

// A platform that counts what it lends.
static int n_lent, n_mapped;
static void *lend(void *data, uint64_t size_bytes) {
  (void)data;
  n_lent++;
  return malloc(size_bytes);
}
static void take_back(void *data, void *bytes, uint64_t size_bytes) {
  (void)data, (void)size_bytes;
  n_lent--;
  free(bytes);
}
static void *map(void *data, uint64_t size_bytes) {
  (void)data;
  n_mapped++;
  return calloc(1, size_bytes);
}
static void unmap(void *data, void *bytes, uint64_t size_bytes) {
  (void)data, (void)size_bytes;
  n_mapped--;
  free(bytes);
}

// The program has no pointer to device memory's bytes; to others it may have, and those that begin
// as zero are not written before they are used.
START_TEST(only_device_memory_is_lent)
{
  const simt_platform counting = {
      .map = map, .unmap = unmap, .borrow = lend, .give_back = take_back};
  simt_memory_destroy(memory);
  ck_assert_int_eq(simt_memory_create_on(&memory, 1 << 30, &counting), SIMT_OK);
  uint64_t device = alloc(64, SIMT_ALLOCATION_DEVICE, NULL);
  ck_assert_int_eq(n_lent, 1);
  ck_assert_int_eq(n_mapped, 0);
  alloc(64, SIMT_ALLOCATION_PINNED, NULL);
  alloc(64, SIMT_ALLOCATION_MANAGED, NULL);
  alloc(64, SIMT_ALLOCATION_VARIABLE, "v");
  ck_assert_int_eq(n_lent, 1);
  ck_assert_int_eq(n_mapped, 3);
  ck_assert_int_eq(simt_memory_free(memory, device, NULL), SIMT_OK);
  ck_assert_int_eq(n_lent, 0);
  alloc(64, SIMT_ALLOCATION_DEVICE, NULL);
  simt_memory_destroy(memory);
  ck_assert_int_eq(n_lent + n_mapped, 0);
  ck_assert_int_eq(simt_memory_create(&memory, 1 << 20), SIMT_OK); // for the end of the test
}
END_TEST

START_TEST(bad_frees_are_refused)
{
  simt_diag diag;
  uint64_t a = alloc(64, SIMT_ALLOCATION_DEVICE, NULL);
  ck_assert_int_eq(simt_memory_free(memory, a + 4, &diag), SIMT_NOT_FOUND);
  ck_assert_int_eq(simt_memory_free(memory, a, &diag), SIMT_OK);
  ck_assert_int_eq(simt_memory_free(memory, a, &diag), SIMT_NOT_FOUND);
  ck_assert_ptr_nonnull(strstr(diag.text, "has been freed"));
}
END_TEST

START_TEST(misses_are_explained)
{
  char why[256];
  uint64_t a = alloc(1024, SIMT_ALLOCATION_DEVICE, NULL),
           v = alloc(16, SIMT_ALLOCATION_VARIABLE, "table");
  ck_assert_str_eq(simt_memory_explain(memory, a + 1028, 4, why, sizeof why),
                   "4 bytes past the end of allocation #1 (1024 bytes at 0x700000000)");
  ck_assert_ptr_nonnull(strstr(simt_memory_explain(memory, v - 8, 4, why, sizeof why),
                               "8 bytes before variable 'table'"));
  ck_assert_ptr_nonnull(
      strstr(simt_memory_explain(memory, a + 1020, 8, why, sizeof why), "only 4 of its 8 bytes"));
  ck_assert_ptr_nonnull(
      strstr(simt_memory_explain(memory, 12, 4, why, sizeof why), "null pointer plus 12 bytes"));
  ck_assert_ptr_nonnull(
      strstr(simt_memory_explain(memory, 0x7fffdeadb000, 4, why, sizeof why), "host pointer"));
  ck_assert_str_eq(simt_memory_explain(memory, 0, 4, why, sizeof why), "a null pointer");
  ck_assert_ptr_nonnull(strstr(simt_memory_explain(memory, a + 4, 1, why, sizeof why),
                               "4 bytes from the start of allocation #1"));
  ck_assert_ptr_nonnull(strstr(
      simt_memory_explain(memory, UINT64_C(0x4142434445464748), 4, why, sizeof why), "never set"));
  ck_assert_ptr_nonnull(
      strstr(simt_memory_explain(memory, 0x404040, 4, why, sizeof why), "host pointer"));
  ck_assert_ptr_nonnull(strstr(
      simt_memory_explain(memory, a - (UINT64_C(1) << 33), 4, why, sizeof why), "bytes before"));
  // What malloc gives may lie beside pinned memory: only a nearby address is taken for a wrong
  // index.
  uint64_t p = alloc(4096, SIMT_ALLOCATION_PINNED, NULL);
  ck_assert_ptr_nonnull(
      strstr(simt_memory_explain(memory, p + 4100, 4, why, sizeof why), "4 bytes past the end"));
  ck_assert_ptr_nonnull(
      strstr(simt_memory_explain(memory, p + (9 << 20), 4, why, sizeof why), "host pointer"));
  simt_memory_free(memory, a, NULL);
  ck_assert_ptr_nonnull(
      strstr(simt_memory_explain(memory, a + 8, 4, why, sizeof why), "has been freed"));
}
END_TEST

START_TEST(many_allocations_are_found)
{
  uint64_t at[300];
  for (int i = 0; i < 300; i++)
    at[i] = alloc(16, i % 3 ? SIMT_ALLOCATION_DEVICE : SIMT_ALLOCATION_MANAGED, NULL);
  for (int i = 0; i < 300; i += 2) ck_assert_int_eq(simt_memory_free(memory, at[i], NULL), SIMT_OK);
  for (int i = 1; i < 300; i += 2)
    ck_assert_uint_eq(simt_memory_find(memory, at[i] + 15, 1)->address, at[i]);
}
END_TEST

// Of the other device's memory a kernel finds only what it may access; the host finds everything.
START_TEST(memory_belongs_to_a_device)
{
  char why[400];
  uint64_t own = alloc(64, SIMT_ALLOCATION_DEVICE, NULL);
  simt_memory_set_device(memory, 3);
  uint64_t other = alloc(64, SIMT_ALLOCATION_DEVICE, NULL);
  uint64_t pinned = alloc(64, SIMT_ALLOCATION_PINNED, NULL);
  ck_assert_int_eq(simt_memory_find(memory, other, 1)->device, 3);
  ck_assert_ptr_nonnull(simt_memory_find(memory, own, 64));
  simt_memory_set_device(memory, 0);
  simt_memory_set_visible(memory, 1);
  ck_assert_ptr_nonnull(simt_memory_find(memory, own, 64));
  ck_assert_ptr_nonnull(simt_memory_find(memory, pinned, 64));
  ck_assert_ptr_null(simt_memory_find(memory, other, 1));
  ck_assert_int_eq(simt_memory_fault_of(memory, other + 8), SIMT_PEER_MEMORY);
  ck_assert_ptr_nonnull(
      strstr(simt_memory_explain(memory, other + 8, 4, why, sizeof why), "memory of device 3"));
  simt_memory_set_visible(memory, 1 | 1 << 3);
  ck_assert_ptr_nonnull(simt_memory_find(memory, other, 1));
  ck_assert_int_eq(simt_memory_fault_of(memory, other + 64), SIMT_ILLEGAL_ADDRESS);
  simt_memory_set_visible(memory, 1);
  simt_memory_share(memory, other, 1);
  ck_assert_ptr_nonnull(simt_memory_find(memory, other, 1));
  simt_memory_set_visible(memory, UINT32_MAX);
}
END_TEST

static void count(const simt_allocation *a, void *data) {
  (void)a;
  ++*(int *)data;
}

START_TEST(every_device_has_the_capacity_and_is_freed_alone)
{
  uint64_t left, total, own = alloc(1 << 19, SIMT_ALLOCATION_DEVICE, NULL);
  int n = 0;
  simt_memory_set_device(memory, 1);
  simt_memory_info(memory, &left, &total);
  ck_assert_uint_eq(left, 1 << 20);
  uint64_t variable = alloc(4, SIMT_ALLOCATION_VARIABLE, "v");
  uint64_t other = alloc(1 << 19, SIMT_ALLOCATION_DEVICE, NULL);
  alloc(8, SIMT_ALLOCATION_MANAGED, NULL);
  simt_memory_free_all_of(memory, 1, count, &n);
  ck_assert_int_eq(n, 2);
  ck_assert_ptr_nonnull(simt_memory_find(memory, own, 1));
  ck_assert_ptr_nonnull(simt_memory_find(memory, variable, 1));
  ck_assert_ptr_null(simt_memory_find(memory, other, 1));
  simt_memory_info(memory, &left, &total);
  ck_assert_uint_eq(left, (1 << 20) - 4);
}
END_TEST

START_TEST(memory_can_be_placed_at_addresses_set_aside)
{
  simt_diag diag;
  uint8_t bytes[64] = {42};
  const uint64_t at = simt_memory_reserve(memory, 4096, 4096);
  ck_assert_uint_eq(at % 4096, 0);
  ck_assert_ptr_null(simt_memory_find(memory, at, 1)); // no memory yet
  ck_assert(alloc(8, SIMT_ALLOCATION_DEVICE, NULL) >= at + 4096);
  ck_assert_int_eq(simt_memory_map(memory, at, 64, NULL, &diag), SIMT_OK);
  ck_assert_int_eq(*simt_memory_host(memory, at + 63, 1), SIMT_POISON_BYTE);
  ck_assert_int_eq(simt_memory_map(memory, at + 63, 64, NULL, &diag), SIMT_INVALID_ARGUMENT);
  ck_assert_int_eq(simt_memory_map(memory, at + 64, 64, bytes, &diag), SIMT_OK);
  ck_assert_int_eq(*simt_memory_host(memory, at + 64, 1), 42);
  ck_assert_int_eq(simt_memory_free(memory, at, &diag), SIMT_OK);
  ck_assert_int_eq(simt_memory_map(memory, at, 64, NULL, &diag), SIMT_OK); // again
  const uint64_t large = simt_memory_reserve(memory, 1 << 21, 4096);
  ck_assert_int_eq(simt_memory_map(memory, large, 1 << 21, NULL, &diag), SIMT_OUT_OF_MEMORY);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("memory");
  TCase *c = tcase_create("table");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_test(c, addresses_are_deterministic_aligned_and_apart);
  tcase_add_test(c, zero_bytes_are_null);
  tcase_add_test(c, ranges_are_exact);
  tcase_add_test(c, new_memory_is_poisoned_and_variables_are_zero);
  tcase_add_test(c, pinned_memory_has_the_host_address);
  tcase_add_test(c, capacity_is_a_budget);
  tcase_add_test(c, the_hosts_memory_is_not_the_devices);
  tcase_add_test(c, addresses_are_never_reused);
  tcase_add_test(c, what_was_freed_is_found_nowhere);
  tcase_add_test(c, only_device_memory_is_lent);
  tcase_add_test(c, bad_frees_are_refused);
  tcase_add_test(c, misses_are_explained);
  tcase_add_test(c, many_allocations_are_found);
  tcase_add_test(c, memory_belongs_to_a_device);
  tcase_add_test(c, every_device_has_the_capacity_and_is_freed_alone);
  tcase_add_test(c, memory_can_be_placed_at_addresses_set_aside);
  suite_add_tcase(suite, c);
  return run_suite(suite);
}
