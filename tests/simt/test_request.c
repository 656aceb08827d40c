// SPDX-License-Identifier: MIT
// test_request.c - the addresses of a warp access as every processor variant describes them, and
// what they cost by profile/request.h: the same as by the rules alone, whatever the description
// saves.
#include <check.h>
#include <string.h>

#include "device/operands.h"
#include "lanes/table.h"
#include "profile/request.h"
#include "profile/transactions.h"
#include "run_suite.h"

enum { LANES = 32, ROUNDS = 20000, SLOT_A = 64 };

static uint64_t random_state;
static uint64_t any(uint64_t below) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % below;
}

// Addresses as kernels have them: a line, one address, rows of a tile, runs, scattered; aligned.
static void random_addresses(uint64_t at[LANES], uint32_t width) {
  const uint64_t base = UINT64_C(0x700000000) + any(512) * width, far = any(2) ? 4096 : 128;
  const uint32_t row = 1u << any(6), step = (uint32_t)any(4);
  const uint64_t kind = any(3);
  for (uint32_t l = 0; l < LANES; l++) {
    if (kind == 0) at[l] = base + l / row * far + (uint64_t)(l % row) * step * width;
    else if (kind == 1) at[l] = l && any(4) ? at[l - 1] + any(3) * width : base + any(64) * width;
    else at[l] = base + any(far) * width;
  }
}

static uint32_t random_mask(void) {
  return any(2) ? UINT32_MAX : ((uint32_t)any(UINT32_MAX) | 1u << any(LANES));
}

static uint32_t is_same_sector(const uint64_t *at, uint32_t lane) {
  return (uint32_t)(lane > 0 && at[lane] / 32 == at[lane - 1] / 32) << lane;
}

static void check_addresses(simt_address_function describe, const uint64_t *at, uint32_t mask,
                            uint32_t width) {
  static _Alignas(64) uint8_t regs[SLOT_A + LANES * sizeof(uint64_t)];
  simt_instr in = simt_blank_instr(ISA_LOAD);
  in.a = SLOT_A;
  in.memory.address_bits = 64;
  in.memory.offset = -24;
  for (uint32_t l = 0; l < LANES; l++) {
    uint64_t address = (mask >> l & 1 ? at[l] : any(UINT64_MAX)) + 24;
    memcpy(regs + SLOT_A + l * sizeof address, &address, sizeof address);
  }
  simt_addresses got;
  describe(regs, &in, mask, width, &got);
  const uint64_t first = at[__builtin_ctz(mask)];
  uint64_t low = first, high = first, expected[LANES];
  bool is_line = mask == UINT32_MAX;
  for (uint32_t l = 0; l < LANES; l++) {
    expected[l] = mask >> l & 1 ? at[l] : first;
    is_line = is_line && at[l] == at[0] + l * width;
    low = expected[l] < low ? expected[l] : low;
    high = expected[l] > high ? expected[l] : high;
  }
  ck_assert_uint_eq(got.contiguous, is_line);
  ck_assert_uint_eq(got.uniform, low == high && !is_line);
  ck_assert_uint_eq(got.low, low);
  ck_assert_uint_eq(got.high, high);
  for (uint32_t l = 0; l < LANES; l++) {
    ck_assert_uint_eq(got.at[l], expected[l]);
    if (!got.uniform && !got.contiguous)
      ck_assert_uint_eq(got.same_sector & 1u << l, is_same_sector(expected, l));
  }
}

START_TEST(variants_describe_addresses_alike)
{
  for (int v = SIMT_LANES_BASE; v < SIMT_N_LANE_VARIANTS; v++) {
    if (!simt_lanes_run_here((simt_lane_variant)v)) continue;
    random_state = 88172645463325252u;
    for (int round = 0; round < ROUNDS; round++) {
      uint64_t at[LANES];
      const uint32_t width = 1u << any(5);
      random_addresses(at, width);
      check_addresses(simt_lanes_addresses_in((simt_lane_variant)v), at, random_mask(), width);
    }
  }
}
END_TEST

// An event with nothing but addresses, and the same as the core describes them.
static simt_access bare_event(const uint64_t *at, uint32_t mask, uint32_t width) {
  return (simt_access){.mask = mask,
                       .width_bytes = width,
                       .kind = any(2) ? SIMT_LOAD : SIMT_STORE,
                       .space = PTX_SPACE_GLOBAL,
                       .address = at};
}

static simt_access described(const simt_access *bare) {
  simt_access a = *bare;
  uint64_t low = UINT64_MAX, high = 0;
  for (uint32_t l = 0; l < LANES; l++) {
    if (!(a.mask >> l & 1)) continue;
    low = a.address[l] < low ? a.address[l] : low;
    high = a.address[l] > high ? a.address[l] : high;
  }
  a.span_bytes = (uint32_t)(high - low) + a.width_bytes;
  for (uint32_t l = 0; l < LANES; l++) a.same_sector |= is_same_sector(a.address, l);
  return a;
}

START_TEST(descriptions_change_no_cost)
{
  random_state = 88172645463325252u;
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t at[LANES], words[2][SIMT_MOST_LINES];
    const uint32_t width = 1u << any(5), mask = random_mask();
    random_addresses(at, width);
    const simt_access bare = bare_event(at, mask, width), full = described(&bare);
    ck_assert_uint_eq(simt_access_sectors(&full), simt_count_sectors(at, mask, width));
    ck_assert_uint_eq(simt_access_sectors(&bare), simt_count_sectors(at, mask, width));
    ck_assert_uint_eq(simt_access_wavefronts(&full),
                      bare.kind == SIMT_LOAD ? simt_count_wavefronts(at, mask, width)
                                             : simt_count_store_wavefronts(at, mask, width));
    const unsigned n = simt_access_lines(&bare, words[0]);
    ck_assert_uint_eq(simt_access_lines(&full, words[1]), n);
    ck_assert(memcmp(words[0], words[1], n * sizeof words[0][0]) == 0);
  }
}
END_TEST

// The description is believed: one that is wrong shows.
START_TEST(a_wrong_description_shows)
{
  uint64_t at[LANES], words[SIMT_MOST_LINES];
  for (uint32_t l = 0; l < LANES; l++) at[l] = l % 2 * 4096;
  simt_access a = bare_event(at, UINT32_MAX, 4);
  a.kind = SIMT_LOAD;
  ck_assert_uint_eq(simt_access_sectors(&a), 2);
  ck_assert_uint_eq(simt_access_lines(&a, words), 2);
  ck_assert_uint_eq(simt_access_wavefronts(&a), 2);
  a.same_sector = ~1u;
  a.span_bytes = 128;
  ck_assert_uint_eq(simt_access_sectors(&a), 1);
  ck_assert_uint_eq(simt_access_lines(&a, words), 1);
  ck_assert_uint_eq(simt_access_wavefronts(&a), 1);
  a.span_bytes = 129;
  ck_assert_uint_eq(simt_access_wavefronts(&a), 2);
}
END_TEST

START_TEST(lanes_that_share_an_address)
{
  random_state = 88172645463325252u;
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t at[LANES];
    const uint32_t mask = random_mask();
    const unsigned least = (unsigned)any(8);
    random_addresses(at, 4);
    const unsigned exact = simt_count_same_address(at, mask, 0);
    const unsigned above = simt_count_same_address(at, mask, least);
    if (exact > least) ck_assert_uint_eq(above, exact);
    else ck_assert_uint_le(above, least);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("request");
  TCase *c = tcase_create("request");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, variants_describe_addresses_alike);
  tcase_add_test(c, descriptions_change_no_cost);
  tcase_add_test(c, a_wrong_description_shows);
  tcase_add_test(c, lanes_that_share_an_address);
  suite_add_tcase(suite, c);
  return run_suite(suite);
}
