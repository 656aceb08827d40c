// SPDX-License-Identifier: MIT
// test_counters.c - the counting rules against hand-worked accesses and against what an H200 did
// (figures/data/h200-wavefronts.csv), and the observer against events made by hand.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/simt/profile/atomic_map.h"
#include "../../common/simt/profile/counters.h"
#include "run_suite.h"

enum { LANES = SIMT_LANES };
#define ALL UINT32_C(0xffffffff)
#define BASE UINT64_C(0x700000000)

static uint64_t lane_address[LANES];

// address[l] = base + l * step_bytes
static const uint64_t *strided(uint64_t base, int64_t step_bytes) {
  for (int l = 0; l < LANES; l++) lane_address[l] = base + (uint64_t)(l * step_bytes);
  return lane_address;
}

// Sectors found by marking every byte: slow, obvious.
static unsigned sectors_by_marking(const uint64_t *address, uint32_t mask, uint32_t width_bytes) {
  uint64_t seen[LANES * 33];
  unsigned n = 0;
  for (unsigned l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    for (uint64_t b = address[l]; b < address[l] + width_bytes; b++) {
      unsigned i = 0;
      while (i < n && seen[i] != b / 32) i++;
      if (i == n) seen[n++] = b / 32;
    }
  }
  return n;
}

// ---- sectors -----------------------------------------------------------------------------------

START_TEST(sectors_contiguous)
{
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 4), ALL, 4), 4); // 128 bytes
  ck_assert_uint_eq(simt_count_sectors(strided(BASE + 4, 4), ALL, 4), 5);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 16), ALL, 16), 16); // float4: 512 bytes
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 8), ALL, 8), 8);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 1), ALL, 1), 1);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE + 1, 1), ALL, 1), 2);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 2), ALL, 2), 2);
  ck_assert_uint_eq(simt_count_sectors(strided(0, 4), ALL, 4), 4); // address 0 is as good as any
}
END_TEST

START_TEST(sectors_strided)
{
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 8), ALL, 4), 8);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 32), ALL, 4), 32);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 4096), ALL, 4), 32);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 0), ALL, 4), 1); // all lanes one address
  ck_assert_uint_eq(simt_count_sectors(strided(BASE + 124, -4), ALL, 4), 4);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE + 4096, -64), ALL, 4), 32);
}
END_TEST

START_TEST(sectors_partial_masks)
{
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 4), 0, 4), 0);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 4), 1, 4), 1);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 4), 0x80000000u, 4), 1);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 4), 0x80000001u, 4), 2);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 4), 0x000000ffu, 4), 1);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 4), 0x000001ffu, 4), 2);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 4), 0x01010101u, 4), 4);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE, 16), 0x0000ffffu, 16), 8);
}
END_TEST

START_TEST(sectors_straddling)
{
  ck_assert_uint_eq(simt_count_sectors(strided(BASE + 30, 0), 1, 4), 2);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE + 30, 0), ALL, 4), 2);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE + 24, 0), 1, 16), 2);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE + 30, 64), ALL, 4), 64);
  ck_assert_uint_eq(simt_count_sectors(strided(BASE + 30, 32), ALL, 4), 33); // shared halves
}
END_TEST

START_TEST(sectors_random)
{
  uint64_t state = 88172645463325252u;
  for (int round = 0; round < 4000; round++) {
    uint32_t width = 1u << (round % 5), spread = 1u << (5 + round % 9), mask;
    uint64_t address[LANES];
    for (int l = 0; l < LANES; l++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      address[l] = BASE + state % spread;
      if (round % 3 != 0) address[l] &= ~(uint64_t)(width - 1);
    }
    mask = round % 4 == 0 ? ALL : (uint32_t)(state >> 20);
    ck_assert_uint_eq(simt_count_sectors(address, mask, width),
                      sectors_by_marking(address, mask, width));
  }
}
END_TEST

// ---- wavefronts --------------------------------------------------------------------------------

START_TEST(wavefronts_strides)
{
  for (int stride = 1; stride <= 32; stride *= 2)
    ck_assert_uint_eq(simt_count_wavefronts(strided(0, 4 * stride), ALL, 4), (unsigned)stride);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 4 * 64), ALL, 4), 32);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 4 * 33), ALL, 4), 1); // padded
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 4 * 3), ALL, 4), 1);  // odd: no conflict
  ck_assert_uint_eq(simt_count_wavefronts(strided(124, -4), ALL, 4), 1);
  ck_assert_uint_eq(simt_count_wavefronts(strided(31 * 128, -128), ALL, 4), 32);
  ck_assert_uint_eq(simt_count_wavefronts(strided(4, 4), ALL, 4), 1); // turned by one bank
}
END_TEST

// The tree with `i = 2 * d * t`: 2 d words between lanes, ever fewer active.
START_TEST(wavefronts_modulo_tree)
{
  for (unsigned d = 1; d <= 128; d *= 2) {
    unsigned active = 256 / (2 * d) < 32 ? 256 / (2 * d) : 32;
    uint32_t mask = active == 32 ? ALL : (1u << active) - 1u;
    unsigned degree = 2 * d < 32 ? 2 * d : 32; // lanes per bank, if all 32 were active
    unsigned expected = active * degree / 32 > 0 ? active * degree / 32 : 1;
    ck_assert_uint_eq(simt_count_wavefronts(strided(0, 8 * d), mask, 4), expected);
    ck_assert_uint_eq(simt_count_wavefronts(strided(4 * d, 8 * d), mask, 4), expected);
  }
}
END_TEST

START_TEST(wavefronts_broadcast)
{
  ck_assert_uint_eq(simt_count_wavefronts(strided(64, 0), ALL, 4), 1);
  for (int l = 0; l < LANES; l++) lane_address[l] = (uint64_t)(l % 2) * 128;
  ck_assert_uint_eq(simt_count_wavefronts(lane_address, ALL, 4), 2); // two words of one bank
  for (int l = 0; l < LANES; l++) lane_address[l] = (uint64_t)(l / 8) * 128;
  ck_assert_uint_eq(simt_count_wavefronts(lane_address, ALL, 4), 4);
  for (int l = 0; l < LANES; l++) lane_address[l] = l % 3 == 0 ? 0 : (uint64_t)l * 128;
  ck_assert_uint_eq(simt_count_wavefronts(lane_address, ALL, 4), 22); // 11 lanes share word 0
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 1), ALL, 1), 1); // bytes of 8 words
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 2), ALL, 2), 1);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 128), ALL, 1), 32);
}
END_TEST

START_TEST(wavefronts_masks)
{
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 4), 0, 4), 0);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 128), 0x1u, 4), 1);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 128), 0xfu, 4), 4);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 8), 0xffffu, 4), 1);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 8), 0x1ffffu, 4), 2);
}
END_TEST

START_TEST(wavefronts_wide)
{
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 8), ALL, 8), 2);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 16), ALL, 8), 4);
  ck_assert_uint_eq(simt_count_wavefronts(strided(64, 0), ALL, 8), 1); // merged
  ck_assert_uint_eq(simt_count_store_wavefronts(strided(64, 0), ALL, 8), 2);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 16), ALL, 16), 4);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 32), ALL, 16), 8);
  ck_assert_uint_eq(simt_count_wavefronts(strided(64, 0), ALL, 16), 2);
  ck_assert_uint_eq(simt_count_store_wavefronts(strided(64, 0), ALL, 16), 4);
  ck_assert_uint_eq(simt_count_wavefronts(strided(0, 8), 0xffu, 8), 2); // an idle half counts
}
END_TEST

START_TEST(wavefronts_ideal)
{
  ck_assert_uint_eq(simt_ideal_wavefronts(0, 4), 0);
  ck_assert_uint_eq(simt_ideal_wavefronts(1, 1), 1);
  ck_assert_uint_eq(simt_ideal_wavefronts(ALL, 4), 1);
  ck_assert_uint_eq(simt_ideal_wavefronts(ALL, 8), 2);
  ck_assert_uint_eq(simt_ideal_wavefronts(ALL, 16), 4);
}
END_TEST

// This file's folder, two levels up, then the stored measurements.
static FILE *open_measurements(void) {
  char path[1024];
  snprintf(path, sizeof path, "%s", __FILE__);
  char *slash = strrchr(path, '/');
  size_t at = slash != NULL ? (size_t)(slash - path) + 1 : 0;
  snprintf(path + at, sizeof path - at, "../../figures/data/h200-wavefronts.csv");
  return fopen(path, "r");
}

// Measured cycles per request, with 0.5 of noise, must round to the passes we count.
START_TEST(wavefronts_as_on_hardware)
{
  FILE *file = open_measurements();
  ck_assert_msg(file != NULL, "figures/data/h200-wavefronts.csv cannot be read");
  char line[1024], name[128];
  unsigned width, mask, n_rows = 0;
  double load, store;
  while (fgets(line, sizeof line, file) != NULL) {
    int at = 0;
    if (sscanf(line, "%127[^,],%u,%x,%lf,%lf,%n", name, &width, &mask, &load, &store, &at) != 5)
      continue;
    char *cursor = line + at;
    for (int l = 0; l < LANES; l++) lane_address[l] = strtoull(cursor, &cursor, 10);
    unsigned loads = simt_count_wavefronts(lane_address, mask, width);
    unsigned stores = simt_count_store_wavefronts(lane_address, mask, width);
    ck_assert_msg(load > loads - 0.5 && load < loads + 0.5, "%s, %u bytes: load %u, measured %.2f",
                  name, width, loads, load);
    // Measured stores run up to 2 % ahead of one pass a cycle: the last ones are still buffered.
    ck_assert_msg(store > 0.97 * stores - 0.5 && store < stores + 0.5,
                  "%s, %u bytes: store %u, measured %.2f", name, width, stores, store);
    n_rows++;
  }
  fclose(file);
  ck_assert_uint_ge(n_rows, 60);
}
END_TEST

START_TEST(same_address)
{
  ck_assert_uint_eq(simt_count_same_address(strided(0, 4), 0, 0), 0);
  ck_assert_uint_eq(simt_count_same_address(strided(0, 4), ALL, 0), 1);
  ck_assert_uint_eq(simt_count_same_address(strided(8, 0), ALL, 0), 32);
  ck_assert_uint_eq(simt_count_same_address(strided(8, 0), 0x10101u, 0), 3);
  for (int l = 0; l < LANES; l++) lane_address[l] = (uint64_t)(l < 20 ? l / 5 : 99) * 4;
  ck_assert_uint_eq(simt_count_same_address(lane_address, ALL, 0), 12);
}
END_TEST

// ---- the atomic map ----------------------------------------------------------------------------

START_TEST(atomic_map_counts)
{
  simt_atomic_map map = {0};
  simt_atomic_map_add(&map, 0, 3); // address 0 is a key like any other
  simt_atomic_map_add(&map, 0, 2);
  ck_assert_uint_eq(map.used, 1);
  ck_assert_uint_eq(map.max_count, 5);
  for (uint64_t i = 0; i < 100000; i++) simt_atomic_map_add(&map, BASE + i % 50000 * 4, 1);
  ck_assert_uint_eq(map.used, 50001);
  ck_assert_uint_eq(map.max_count, 5);
  ck_assert(map.used * 2 <= map.capacity);
  simt_atomic_map_clear(&map);
  ck_assert_uint_eq(map.used, 0);
  simt_atomic_map_add(&map, BASE, 1);
  ck_assert_uint_eq(map.max_count, 1);
  simt_atomic_map_clear(&map);
  simt_atomic_map_add(&map, BASE, 1);
  ck_assert_uint_eq(map.max_count, 1);
  simt_atomic_map_free(&map);
}
END_TEST

START_TEST(atomic_map_strides)
{
  for (uint64_t stride = 4; stride <= 1u << 20; stride *= 4) {
    simt_atomic_map map = {0};
    for (uint64_t i = 0; i < 20000; i++) simt_atomic_map_add(&map, BASE + i * stride, i + 1);
    ck_assert_uint_eq(map.used, 20000);
    ck_assert_uint_eq(map.max_count, 20000);
    simt_atomic_map_free(&map);
  }
}
END_TEST

START_TEST(atomic_map_merges)
{
  simt_atomic_map a = {0}, b = {0};
  for (uint64_t i = 0; i < 1000; i++) simt_atomic_map_add(&a, BASE + i * 4, 1);
  for (uint64_t i = 500; i < 1500; i++) simt_atomic_map_add(&b, BASE + i * 4, i == 700 ? 9 : 1);
  simt_atomic_map_merge(&a, &b);
  ck_assert_uint_eq(a.used, 1500);
  ck_assert_uint_eq(a.max_count, 10);
  simt_atomic_map_free(&a);
  simt_atomic_map_free(&b);
}
END_TEST

START_TEST(atomic_map_saturates)
{
  simt_atomic_map map = {0};
  for (uint64_t i = 0; i < SIMT_MAX_ATOMIC_ADDRESSES + 100u; i++)
    simt_atomic_map_add(&map, BASE + i * 4, 1);
  ck_assert_uint_eq(map.used, SIMT_MAX_ATOMIC_ADDRESSES);
  ck_assert(map.is_full);
  simt_atomic_map_add(&map, BASE, 7); // known addresses still count
  ck_assert_uint_eq(map.max_count, 8);
  simt_atomic_map_free(&map);
}
END_TEST

// ---- the observer ------------------------------------------------------------------------------

static const uint8_t code_class[] = {SIMT_CLASS_GLOBAL, SIMT_CLASS_GLOBAL, SIMT_CLASS_FP32, 0xff,
                                     SIMT_CLASS_SHARED, SIMT_CLASS_BRANCH};
static const simt_code_block code_blocks[] = {{.n_instrs = 3}, {.first_pc = 3, .n_instrs = 3}};
static const simt_launch_info info = {.grid = {10, 1, 1},
                                      .block = {64, 1, 1},
                                      .n_blocks = 10,
                                      .block_threads = 64,
                                      .warps_per_block = 2,
                                      .n_code = 6,
                                      .code_class = code_class,
                                      .code_blocks = code_blocks,
                                      .n_code_blocks = 2};

static uint32_t sending_block; // the block whose events `send` makes

static void send(simt_observer *o, uint8_t space, uint8_t kind, uint8_t pattern, uint32_t mask,
                 uint32_t width_bytes, const uint64_t *address) {
  simt_access a = {.pc = 1,
                   .block = sending_block,
                   .mask = mask,
                   .width_bytes = width_bytes,
                   .kind = kind,
                   .space = space,
                   .pattern = pattern,
                   .address = address};
  o->access(o, &a);
}

static void end(simt_observer *o) {
  uint64_t entries[] = {20, 5}, lanes[] = {640, 100};
  simt_profile profile = {entries, lanes};
  o->launch_end(o, &info, &profile);
}

START_TEST(observer_counts_memory)
{
  simt_observer *o = simt_counters_observer_create();
  o->launch_begin(o, &info);
  send(o, PTX_SPACE_GLOBAL, SIMT_LOAD, SIMT_PATTERN_CONTIGUOUS, ALL, 4, strided(BASE + 4, 4));
  send(o, PTX_SPACE_GLOBAL, SIMT_LOAD, SIMT_PATTERN_ANY, 0xff, 4, strided(BASE, 128));
  send(o, PTX_SPACE_GLOBAL, SIMT_LOAD, SIMT_PATTERN_UNIFORM, 0xf0, 8, strided(BASE, 0));
  send(o, PTX_SPACE_GLOBAL, SIMT_STORE, SIMT_PATTERN_ANY, 1, 4, strided(BASE, 4));
  send(o, PTX_SPACE_SHARED, SIMT_LOAD, SIMT_PATTERN_ANY, ALL, 4, strided(0, 8));
  send(o, PTX_SPACE_SHARED, SIMT_LOAD, SIMT_PATTERN_UNIFORM, ALL, 8, strided(0, 0));
  send(o, PTX_SPACE_SHARED, SIMT_STORE, SIMT_PATTERN_CONTIGUOUS, ALL, 16, strided(0, 16));
  send(o, PTX_SPACE_LOCAL, SIMT_STORE, SIMT_PATTERN_ANY, ALL, 4, strided(0, 0));
  end(o);
  const simt_counters *c = simt_counters_of(o);
  ck_assert_uint_eq(c->global_load_requests, 3);
  ck_assert_uint_eq(c->global_load_sectors, 5 + 8 + 1);
  ck_assert_uint_eq(c->global_load_bytes, 128 + 32 + 32);
  ck_assert_uint_eq(c->global_load_groups, 20); // both loads of basic block 0 are one group
  ck_assert_uint_eq(c->global_store_sectors, 1);
  ck_assert_uint_eq(c->global_store_bytes, 4);
  ck_assert_uint_eq(c->shared_load_requests, 2);
  ck_assert_uint_eq(c->shared_load_wavefronts, 2 + 1);
  ck_assert_uint_eq(c->shared_load_ideal, 1 + 1);
  ck_assert_uint_eq(c->shared_load_words, 32 + 64);
  ck_assert_uint_eq(c->shared_store_wavefronts, 4);
  ck_assert_uint_eq(c->shared_store_ideal, 4);
  ck_assert_uint_eq(c->shared_store_words, 128);
  ck_assert_uint_eq(c->local_requests, 1);
  o->launch_begin(o, &info); // the next launch starts from nothing
  end(o);
  ck_assert_uint_eq(simt_counters_of(o)->global_load_requests, 0);
  ck_assert_uint_eq(simt_counters_of(o)->global_load_groups, 0);
  simt_counters_observer_destroy(o);
}
END_TEST

START_TEST(observer_counts_instructions)
{
  simt_observer *o = simt_counters_observer_create();
  o->launch_begin(o, &info);
  o->branch(o, 5, 0xf, 0xff);
  o->branch(o, 5, 0xff, 0xff);
  o->branch(o, 5, 0, 0xff);
  for (int k = 0; k < 3; k++) o->sync(o, SIMT_SYNC_BLOCK_BARRIER, 0, 0, 0, ALL);
  o->sync(o, SIMT_SYNC_SHUFFLE, 0, 0, 0, ALL);
  o->sync(o, SIMT_SYNC_FENCE, 0, 0, 0, ALL);
  end(o);
  const simt_counters *c = simt_counters_of(o);
  ck_assert_uint_eq(c->launches, 1);
  ck_assert_uint_eq(c->blocks, 10);
  ck_assert_uint_eq(c->warps, 20);
  ck_assert_uint_eq(c->threads, 640);
  ck_assert_uint_eq(c->warp_instructions, 20 * 3 + 5 * 2); // the marker is not counted
  ck_assert_uint_eq(c->lane_instructions, 640 * 3 + 100 * 2);
  ck_assert_uint_eq(c->class_warp_instructions[SIMT_CLASS_GLOBAL], 40);
  ck_assert_uint_eq(c->class_warp_instructions[SIMT_CLASS_BRANCH], 5);
  ck_assert_uint_eq(c->branches, 3);
  ck_assert_uint_eq(c->divergent_branches, 1);
  ck_assert_uint_eq(c->block_barriers, 3);
  ck_assert_uint_eq(c->shuffles, 1);
  ck_assert_uint_eq(c->fences, 1);
  simt_counters_observer_destroy(o);
}
END_TEST

// The pattern is a short cut: with it or without, the numbers agree.
START_TEST(observer_pattern_is_only_a_short_cut)
{
  static const uint32_t widths[] = {1, 2, 4, 8, 16};
  for (int w = 0; w < 5; w++) {
    for (int offset = 0; offset < 3; offset++) {
      for (int space = PTX_SPACE_GLOBAL; space <= PTX_SPACE_SHARED; space++) {
        simt_counters got[2];
        for (int k = 0; k < 2; k++) {
          simt_observer *o = simt_counters_observer_create();
          uint64_t base = (uint64_t)offset * widths[w];
          o->launch_begin(o, &info);
          for (int kind = SIMT_LOAD; kind <= SIMT_ATOMIC; kind++) {
            send(o, (uint8_t)space, (uint8_t)kind, k ? SIMT_PATTERN_CONTIGUOUS : SIMT_PATTERN_ANY,
                 ALL, widths[w], strided(base, widths[w]));
            send(o, (uint8_t)space, (uint8_t)kind, k ? SIMT_PATTERN_UNIFORM : SIMT_PATTERN_ANY,
                 0xff0f0u, widths[w], strided(base, 0));
          }
          end(o);
          got[k] = *simt_counters_of(o);
          simt_counters_observer_destroy(o);
        }
        for (size_t i = 0; i < SIMT_COUNTER_COUNT; i++)
          ck_assert_msg(simt_counter_value(&got[0], i) == simt_counter_value(&got[1], i),
                        "%s, width %u, space %d", simt_counter_name(i), widths[w], space);
      }
    }
  }
}
END_TEST

// Every lane walks a row of its own: 8 floats of a sector one after another, then the next sector.
START_TEST(observer_repeated_sectors)
{
  simt_observer *o = simt_counters_observer_create();
  o->launch_begin(o, &info);
  for (uint64_t k = 0; k < 16; k++)
    send(o, PTX_SPACE_GLOBAL, SIMT_LOAD, SIMT_PATTERN_ANY, ALL, 4, strided(BASE + k * 4, 4096));
  for (uint64_t k = 0; k < 16; k++) // coalesced, or every time elsewhere: not counted
    send(o, PTX_SPACE_GLOBAL, SIMT_LOAD, SIMT_PATTERN_ANY, ALL, 4, strided(BASE, 4));
  for (uint64_t k = 0; k < 16; k++)
    send(o, PTX_SPACE_GLOBAL, SIMT_LOAD, SIMT_PATTERN_ANY, ALL, 4,
         strided(BASE + (1 << 20) + k * 32, 4096));
  end(o);
  ck_assert_uint_eq(simt_counters_of(o)->global_load_sectors, 16 * 32 + 16 * 4 + 16 * 32);
  // Two sectors per lane, each entered once and read seven times more.
  ck_assert_uint_eq(simt_counters_of(o)->global_load_repeated_sectors, 14 * 32);
  simt_counters_observer_destroy(o);
}
END_TEST

START_TEST(observer_atomics)
{
  simt_observer *o = simt_counters_observer_create();
  o->launch_begin(o, &info);
  send(o, PTX_SPACE_GLOBAL, SIMT_ATOMIC, SIMT_PATTERN_UNIFORM, ALL, 4, strided(BASE, 0));
  send(o, PTX_SPACE_GLOBAL, SIMT_ATOMIC, SIMT_PATTERN_ANY, 0xff, 4, strided(BASE, 4));
  send(o, PTX_SPACE_GLOBAL, SIMT_ATOMIC, SIMT_PATTERN_ANY, 0x3, 4, strided(BASE, 0));
  send(o, PTX_SPACE_SHARED, SIMT_ATOMIC, SIMT_PATTERN_ANY, 0xf, 4, strided(0, 128));
  send(o, PTX_SPACE_SHARED, SIMT_ATOMIC, SIMT_PATTERN_ANY, 0x7, 4, strided(0, 0));
  simt_access a = {.mask = ALL,
                   .width_bytes = 4,
                   .kind = SIMT_ATOMIC,
                   .space = PTX_SPACE_GLOBAL,
                   .pattern = SIMT_PATTERN_UNIFORM,
                   .is_float = true,
                   .address = strided(BASE, 0)};
  o->access(o, &a);
  end(o);
  const simt_counters *c = simt_counters_of(o);
  ck_assert_uint_eq(c->global_atomic_requests, 4);
  ck_assert_uint_eq(c->global_atomic_lanes, 32 + 8 + 2 + 32);
  ck_assert_uint_eq(c->global_atomic_float_lanes, 32);
  ck_assert_uint_eq(c->global_atomic_addresses, 8);
  ck_assert_uint_eq(c->global_atomic_max_degree, 32 + 1 + 2 + 32);
  ck_assert_uint_eq(c->shared_atomic_requests, 2);
  ck_assert_uint_eq(c->shared_atomic_lanes, 7);
  ck_assert_uint_eq(c->shared_atomic_passes, 4 + 3); // four words of one bank, three lanes on one
  ck_assert_uint_eq(c->shared_atomic_max_degree, 3);
  simt_counters_observer_destroy(o);
}
END_TEST

// Two workers see half the events each: the same numbers as one observer that sees them all.
START_TEST(observer_fork_and_join)
{
  simt_counters got[2];
  for (int n_workers = 1; n_workers <= 2; n_workers++) {
    simt_observer *o = simt_counters_observer_create(), *worker[2] = {NULL, NULL};
    o->launch_begin(o, &info);
    for (int k = 0; k < n_workers; k++) worker[k] = o->fork(o, (uint32_t)n_workers);
    for (int k = 0; k < 100; k++) {
      simt_observer *to = worker[k * n_workers / 100];
      sending_block = (uint32_t)k / 10;
      send(to, PTX_SPACE_GLOBAL, SIMT_ATOMIC, SIMT_PATTERN_ANY, ALL, 4,
           strided(BASE + (uint64_t)k * 8, 4));
      send(to, PTX_SPACE_GLOBAL, SIMT_LOAD, SIMT_PATTERN_ANY, ALL, 4, strided(BASE, 4 * k));
      send(to, PTX_SPACE_SHARED, SIMT_ATOMIC, SIMT_PATTERN_ANY, (2u << k % 31) - 1, 4,
           strided(0, 0));
      to->sync(to, SIMT_SYNC_VOTE, 0, 0, 0, ALL);
    }
    sending_block = 0;
    for (int k = 0; k < n_workers; k++) o->join(o, worker[k]);
    end(o);
    got[n_workers - 1] = *simt_counters_of(o);
    simt_counters_observer_destroy(o);
  }
  ck_assert_int_eq(memcmp(&got[0], &got[1], sizeof got[0]), 0);
  ck_assert_uint_eq(got[0].global_load_groups, 20);
  ck_assert_uint_eq(got[0].global_atomic_addresses, 32 + 99 * 2);
  ck_assert_uint_eq(got[0].global_atomic_max_degree, 16);
  ck_assert_uint_eq(got[0].shared_atomic_max_degree, 31);
}
END_TEST

START_TEST(totals)
{
  simt_counters total = {0}, launch = {0};
  launch.launches = 1;
  launch.global_atomic_max_degree = 7;
  launch.class_warp_instructions[SIMT_CLASS_FP32] = 5;
  simt_counters_add(&total, &launch);
  launch.global_atomic_max_degree = 3;
  simt_counters_add(&total, &launch);
  ck_assert_uint_eq(total.launches, 2);
  ck_assert_uint_eq(total.global_atomic_max_degree, 7);
  ck_assert_uint_eq(total.class_warp_instructions[SIMT_CLASS_FP32], 10);
}
END_TEST

START_TEST(names)
{
  for (int c = 0; c < SIMT_CLASS_COUNT; c++) ck_assert_ptr_nonnull(simt_class_name((simt_class)c));
  ck_assert_str_eq(simt_class_name(SIMT_CLASS_FP32), "fp32");
  ck_assert_ptr_null(simt_class_name(SIMT_CLASS_COUNT));
  ck_assert_str_eq(simt_counter_name(0), "launches");
  ck_assert_ptr_null(simt_counter_name(SIMT_COUNTER_COUNT));
  ck_assert_ptr_null(simt_counter_description(SIMT_COUNTER_COUNT));
  simt_counters c = {0};
  c.launches = 3;
  c.grid_syncs = 9;
  ck_assert_uint_eq(simt_counter_value(&c, 0), 3);
  ck_assert_uint_eq(simt_counter_value(&c, SIMT_COUNTER_COUNT - 1), 9);
  ck_assert_uint_eq(simt_counter_value(&c, SIMT_COUNTER_COUNT), 0);
}
END_TEST

static Suite *suite(void) {
  const TTest *const rules[] = {
      sectors_contiguous, sectors_strided,    sectors_partial_masks,  sectors_straddling,
      sectors_random,     wavefronts_strides, wavefronts_modulo_tree, wavefronts_broadcast,
      wavefronts_masks,   wavefronts_wide,    wavefronts_ideal,       wavefronts_as_on_hardware,
      same_address};
  const TTest *const others[] = {atomic_map_counts,
                                 atomic_map_strides,
                                 atomic_map_merges,
                                 atomic_map_saturates,
                                 observer_counts_memory,
                                 observer_counts_instructions,
                                 observer_pattern_is_only_a_short_cut,
                                 observer_repeated_sectors,
                                 observer_atomics,
                                 observer_fork_and_join,
                                 totals,
                                 names};
  Suite *s = suite_create("counters");
  TCase *rule_case = tcase_create("rules"), *other_case = tcase_create("observer");
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) tcase_add_test(rule_case, rules[i]);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    tcase_add_test(other_case, others[i]);
  tcase_set_timeout(other_case, 60);
  suite_add_tcase(s, rule_case);
  suite_add_tcase(s, other_case);
  return s;
}

int main(void) { return run_suite(suite()); }
