// SPDX-License-Identifier: MIT
// test_store_buffer.c - the buffers of the schedule delayed-stores, driven by hand: how much room
// they may take together, and what memory holds in the end. What lanes see of them:
// test_schedule.c.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/store_buffer.h"
#include "run_suite.h"

enum { N_BLOCKS = 2, N_THREADS = 32, N_WORDS = (1 << 20) + 1024, WORD_BYTES = 8 };

typedef struct held_run {
  simt_core core;
  simt_memory *memory;
  simt_block blocks[N_BLOCKS], *resident[N_BLOCKS];
  simt_warp warps[N_BLOCKS];
  uint64_t address; // of N_WORDS words
} held_run;

static void begin(held_run *r) {
  memset(r, 0, sizeof *r);
  ck_assert_int_eq(simt_memory_create(&r->memory, UINT64_C(1) << 30), SIMT_OK);
  ck_assert_int_eq(simt_memory_alloc(r->memory, (uint64_t)N_WORDS * WORD_BYTES,
                                     SIMT_ALLOCATION_DEVICE, NULL, &r->address, NULL),
                   SIMT_OK);
  r->core.memory = r->memory;
  r->core.heap = r->memory;
  r->core.holds_stores = true;
  r->core.blocks = r->resident;
  r->core.n_resident = N_BLOCKS;
  r->core.block_threads = N_THREADS;
  for (uint32_t b = 0; b < N_BLOCKS; b++) {
    r->warps[b].block = &r->blocks[b];
    r->blocks[b].index = b;
    r->resident[b] = &r->blocks[b];
    ck_assert(simt_held_begin_block(&r->core, &r->blocks[b]));
  }
  ck_assert(simt_held_begin(&r->core));
}

static uint64_t address_of(const held_run *r, uint64_t word) {
  return r->address + word * WORD_BYTES;
}

static void hold(held_run *r, uint32_t block, uint32_t lane, uint64_t word, uint64_t value) {
  simt_hold(&r->core, &r->warps[block], lane, address_of(r, word), (const uint8_t *)&value,
            sizeof value);
}

static uint64_t in_memory(const held_run *r, uint64_t word) {
  uint64_t value;
  memcpy(&value, simt_memory_host(r->memory, address_of(r, word), sizeof value), sizeof value);
  return value;
}

static uint64_t seen(const held_run *r, uint32_t block, uint32_t lane, uint64_t word) {
  uint64_t value = in_memory(r, word);
  simt_held_overlay(&r->warps[block], lane, address_of(r, word), (uint8_t *)&value, sizeof value);
  return value;
}

static void end(held_run *r) { simt_held_end(&r->core); }

START_TEST(held_until_published)
{
  held_run r;
  begin(&r);
  hold(&r, 0, 3, 5, 77);
  ck_assert_uint_ne(in_memory(&r, 5), 77);
  ck_assert_uint_eq(seen(&r, 0, 3, 5), 77);
  ck_assert_uint_ne(seen(&r, 0, 4, 5), 77);
  simt_held_publish(&r.core, &r.warps[0], 1u << 3, ISA_SCOPE_CTA);
  ck_assert_uint_eq(seen(&r, 0, 4, 5), 77);
  ck_assert_uint_ne(seen(&r, 1, 4, 5), 77);
  simt_held_publish(&r.core, &r.warps[0], 1u << 3, ISA_SCOPE_GPU);
  ck_assert_uint_eq(in_memory(&r, 5), 77);
  end(&r);
  simt_memory_destroy(r.memory);
}
END_TEST

// Two lanes of each block hold a million words each, which take four times as many slots: more than
// there is room for.
START_TEST(a_launch_holds_no_more_than_its_slots)
{
  held_run r;
  begin(&r);
  for (uint32_t b = 0; b < N_BLOCKS; b++)
    for (uint32_t lane = 0; lane < 2; lane++)
      for (uint64_t w = 0; w < N_WORDS; w++) {
        hold(&r, b, lane, w, w << 2 | b << 1 | lane);
        if (w % 1024 == 0) ck_assert_uint_le(r.core.held_slots, SIMT_MAX_HELD_SLOTS);
        if (w % 65537 == 0) ck_assert_uint_eq(seen(&r, b, lane, w), w << 2 | b << 1 | lane);
      }
  ck_assert_uint_gt(r.core.held_slots, SIMT_MAX_HELD_SLOTS / 4); // and it did hold some
  end(&r);
  for (uint64_t w = 0; w < N_WORDS; w++) // whichever was stored last, but never a mixture of two
    ck_assert_uint_eq(in_memory(&r, w) >> 2, w);
  simt_memory_destroy(r.memory);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("store_buffer");
  TCase *stores = tcase_create("stores");
  tcase_set_timeout(stores, 60);
  tcase_add_test(stores, held_until_published);
  tcase_add_test(stores, a_launch_holds_no_more_than_its_slots);
  suite_add_tcase(suite, stores);
  return run_suite(suite);
}
