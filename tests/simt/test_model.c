// SPDX-License-Identifier: MIT
// test_model.c - the timing model: limits by hand, and what must hold whatever its constants are
// (more work is never faster). How close it is to a GPU is the target model-accuracy's business.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../common/simt/profile/model.h"

static const simt_model_device *h200(void) { return simt_model_find("h200"); }

static simt_launch_info launch_of(uint64_t blocks, uint32_t threads) {
  simt_launch_info info = {.grid = {(uint32_t)blocks, 1, 1},
                           .block = {threads, 1, 1},
                           .n_blocks = blocks,
                           .block_threads = threads,
                           .warps_per_block = (threads + 31) / 32,
                           .shared_bytes = threads * 4};
  return info;
}

// A kernel that only reads `bytes`, coalesced, `per_group` loads of 4 bytes per lane in flight.
static simt_counters streaming(uint64_t bytes, uint64_t per_group) {
  simt_counters c = {0};
  c.launches = 1;
  c.global_load_bytes = bytes;
  c.global_load_sectors = bytes / 32;
  c.global_load_requests = bytes / 128;
  c.global_load_groups = c.global_load_requests / per_group;
  c.class_warp_instructions[SIMT_CLASS_GLOBAL] = c.global_load_requests;
  c.class_warp_instructions[SIMT_CLASS_FP32] = c.global_load_requests;
  c.warp_instructions = 2 * c.global_load_requests;
  return c;
}

// A block tree of 2^22 elements, roughly.
static simt_counters tree(void) {
  simt_counters c = streaming(UINT64_C(1) << 24, 1);
  c.shared_load_requests = c.shared_load_wavefronts = c.shared_load_ideal = 400000;
  c.shared_store_requests = c.shared_store_wavefronts = c.shared_store_ideal = 300000;
  c.block_barriers = 9 * 16384;
  c.class_warp_instructions[SIMT_CLASS_INTEGER] = 5000000;
  c.class_warp_instructions[SIMT_CLASS_COMPARE] = 1000000;
  return c;
}

START_TEST(devices)
{
  ck_assert_uint_ge(simt_model_count(), 4);
  ck_assert_ptr_eq(simt_model_find(NULL), h200());
  ck_assert_ptr_null(simt_model_find("h2000"));
  ck_assert_ptr_null(simt_model_find(""));
  ck_assert_ptr_null(simt_model_at(simt_model_count()));
  for (size_t i = 0; i < simt_model_count(); i++) {
    const simt_model_device *d = simt_model_at(i);
    ck_assert_ptr_eq(simt_model_find(d->key), d);
    ck_assert_ptr_eq(strstr(d->name, "modelled "), d->name);
    ck_assert(d->copy_gb_per_s <= d->dram_read_gb_per_s);
    ck_assert(d->dram_read_gb_per_s < d->l2_gb_per_s);
    ck_assert(d->n_sms > 0 && d->clock_hz > 0 && d->launch_ns > 0 && d->atomic_slices > 0);
    // The ceiling lies below what the memory's clock and width give: 2 transfers a clock (x4
    // GDDR6X).
    ck_assert(d->dram_read_gb_per_s < (double)d->memory_clock_hz * d->memory_bus_bits / 8 * 4e-9);
    ck_assert(d->shared_bytes_opt_in <= d->shared_bytes_per_sm);
  }
}
END_TEST

START_TEST(occupancy)
{
  ck_assert_uint_eq(simt_model_occupancy(h200(), 256, 1024, 0), 8);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 1024, 4096, 0), 2);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 128, 0, 0), 16);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 32, 0, 0), 32);  // the limit on blocks
  ck_assert_uint_eq(simt_model_occupancy(h200(), 33, 0, 0), 32);  // 2 warps each
  ck_assert_uint_eq(simt_model_occupancy(h200(), 1000, 0, 0), 2); // rounded up to 32 warps
  ck_assert_uint_eq(simt_model_occupancy(h200(), 256, 100 << 10, 0), 2);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 256, 227 << 10, 0), 1);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 256, (227 << 10) + 1, 0), 0);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 0, 0, 0), 0);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 1025, 0, 0), 0);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 256, 0, 32), 8);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 256, 0, 64), 4);
  ck_assert_uint_eq(simt_model_occupancy(h200(), 1024, 0, 255), 0); // 1,024 x 255 do not fit
  ck_assert_uint_eq(simt_model_occupancy(simt_model_find("t4"), 1024, 0, 0), 1);
  ck_assert_uint_eq(simt_model_occupancy(simt_model_find("rtx4090"), 256, 0, 0), 6);
}
END_TEST

// 2^30 bytes with many loads in flight: within 10 % of the read ceiling, and bound by DRAM.
START_TEST(streaming_is_bound_by_memory)
{
  simt_launch_info info = launch_of(1056, 256);
  simt_counters c = streaming(UINT64_C(1) << 30, 16);
  simt_model_time t = simt_model_explain(h200(), &info, &c);
  double floor_ms = (double)(UINT64_C(1) << 30) / 4656e6;
  ck_assert(t.total_ms >= floor_ms);
  ck_assert(t.total_ms < 1.1 * floor_ms);
  ck_assert_str_eq(t.bound, "dram");
  ck_assert_double_eq(t.total_ms, simt_model_launch_ms(h200(), &info, &c));
}
END_TEST

// One load in flight instead of sixteen, half the blocks, a quarter: ever slower.
START_TEST(bytes_in_flight)
{
  simt_launch_info info = launch_of(1056, 256);
  double before = 0.0;
  for (uint64_t per_group = 16; per_group >= 1; per_group /= 2) {
    simt_counters c = streaming(UINT64_C(1) << 30, per_group);
    double now = simt_model_launch_ms(h200(), &info, &c);
    ck_assert(now > before);
    before = now;
  }
  simt_counters c = streaming(UINT64_C(1) << 30, 1);
  for (uint32_t blocks = 528; blocks >= 33; blocks /= 2) {
    info = launch_of(blocks, 256);
    double now = simt_model_launch_ms(h200(), &info, &c);
    ck_assert(now > before);
    before = now;
  }
}
END_TEST

static uint64_t *counter_at(simt_counters *c, size_t index) { return (uint64_t *)c + index; }

// Whatever is counted: ten times as much of it is never faster. (Bytes and ideal passes only say
// how good the other numbers are; more of them is better, if anything.)
START_TEST(more_work_is_never_faster)
{
  simt_launch_info info = launch_of(16384, 256);
  simt_counters base = tree();
  base.global_atomic_requests = base.global_atomic_lanes = base.global_atomic_max_degree = 16384;
  base.global_atomic_addresses = 1;
  base.shuffles = base.votes = base.warp_syncs = base.grid_syncs = 10;
  base.shared_atomic_requests = base.shared_atomic_lanes = base.shared_atomic_passes = 1000;
  double before = simt_model_launch_ms(h200(), &info, &base);
  for (size_t i = 0; i < sizeof base / sizeof(uint64_t); i++) {
    const char *name = simt_counter_name(i);
    static const char *const better[] = {"global_load_bytes",       "global_store_bytes",
                                         "global_atomic_addresses", "global_atomic_lanes",
                                         "shared_atomic_lanes",     "shared_load_requests",
                                         "shared_atomic_requests"};
    bool is_better = false;
    for (size_t k = 0; name && k < sizeof better / sizeof better[0]; k++)
      is_better = is_better || !strcmp(name, better[k]);
    if (is_better) continue;
    simt_counters more = base;
    *counter_at(&more, i) *= 10;
    double now = simt_model_launch_ms(h200(), &info, &more);
    ck_assert_msg(now >= before, "ten times %s: %g ms instead of %g", name ? name : "a class", now,
                  before);
  }
}
END_TEST

START_TEST(conflicts_divisions_barriers_cost)
{
  simt_launch_info info = launch_of(16384, 256);
  simt_counters c = tree(), conflicts = c, divisions = c, barriers = c, scattered = c;
  double before = simt_model_launch_ms(h200(), &info, &c);
  conflicts.shared_load_wavefronts *= 16;
  ck_assert(simt_model_launch_ms(h200(), &info, &conflicts) > before);
  divisions.class_warp_instructions[SIMT_CLASS_DIVISION] = 8 * 16384 * 8;
  ck_assert(simt_model_launch_ms(h200(), &info, &divisions) > 1.2 * before);
  barriers.block_barriers *= 4;
  ck_assert(simt_model_launch_ms(h200(), &info, &barriers) > 1.2 * before);
  scattered.global_load_sectors *= 8;
  ck_assert(simt_model_launch_ms(h200(), &info, &scattered) > before);
}
END_TEST

// 2^24 atomic additions of floats to one address take what they took: 29.5 ms, +- 5 %.
START_TEST(same_address_atomics)
{
  const uint64_t n = UINT64_C(1) << 24;
  simt_launch_info info = launch_of(n / 256, 256);
  simt_counters c = streaming(4 * n, 1);
  c.global_atomic_requests = n / 32;
  c.global_atomic_lanes = c.global_atomic_float_lanes = c.global_atomic_max_degree = n;
  c.global_atomic_addresses = 1;
  double floats = simt_model_launch_ms(h200(), &info, &c);
  ck_assert(floats > 0.95 * 29.47 && floats < 1.05 * 29.47);
  c.global_atomic_float_lanes = 0;
  double ints = simt_model_launch_ms(h200(), &info, &c);
  ck_assert(ints > 0.95 * 12.29 && ints < 1.05 * 12.29);
  c.global_atomic_max_degree = n / 65536;
  c.global_atomic_addresses = 65536;
  ck_assert(simt_model_launch_ms(h200(), &info, &c) < ints / 50);
}
END_TEST

START_TEST(nothing_is_only_a_launch)
{
  simt_launch_info info = launch_of(1, 32);
  simt_counters c = {0};
  double ms = simt_model_launch_ms(h200(), &info, &c);
  ck_assert(ms >= h200()->launch_ns * 1e-6 && ms < 2 * h200()->launch_ns * 1e-6);
  info = launch_of(0, 32);
  ms = simt_model_launch_ms(h200(), &info, &c);
  ck_assert_double_eq(ms, h200()->launch_ns * 1e-6);
  info = launch_of(1, 1024);
  info.shared_bytes = UINT64_C(1) << 40; // cannot be launched at all: still a number
  ck_assert(isfinite(simt_model_launch_ms(h200(), &info, &c)));
}
END_TEST

START_TEST(devices_rank_by_bandwidth)
{
  simt_launch_info info = launch_of(1056, 256);
  simt_counters c = streaming(UINT64_C(1) << 30, 16);
  double before = 0.0;
  static const char *const order[] = {"h200", "h100", "a100", "v100", "t4"};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    double now = simt_model_launch_ms(simt_model_find(order[i]), &info, &c);
    ck_assert(now > before);
    before = now;
  }
}
END_TEST

START_TEST(copies)
{
  const size_t gib = (size_t)1 << 30;
  double device = simt_model_copy_ms(h200(), gib, SIMT_COPY_DEVICE_TO_DEVICE);
  ck_assert(device > 2.0 * (double)gib / 4272e6 && device < 2.1 * (double)gib / 4272e6);
  ck_assert(simt_model_copy_ms(h200(), gib, SIMT_COPY_HOST_TO_DEVICE) > 10 * device);
  ck_assert(simt_model_copy_ms(h200(), gib, SIMT_COPY_SET) < device);
  ck_assert(simt_model_copy_ms(h200(), 0, SIMT_COPY_DEVICE_TO_DEVICE) > 0.0);
}
END_TEST

static Suite *suite(void) {
  const TTest *const tests[] = {devices,
                                occupancy,
                                streaming_is_bound_by_memory,
                                bytes_in_flight,
                                more_work_is_never_faster,
                                conflicts_divisions_barriers_cost,
                                same_address_atomics,
                                nothing_is_only_a_launch,
                                devices_rank_by_bandwidth,
                                copies};
  Suite *s = suite_create("model");
  TCase *c = tcase_create("model");
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) tcase_add_test(c, tests[i]);
  suite_add_tcase(s, c);
  return s;
}

int main(void) {
  SRunner *runner = srunner_create(suite());
  srunner_run_all(runner, CK_ENV);
  int n_failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return n_failed != 0;
}
