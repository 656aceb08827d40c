// SPDX-License-Identifier: MIT
// test_schedule.c - hostile schedules: each gives visibly wrong results for a kernel that relies on
// an order which the schedule does not keep, and right ones for its mended twin. Kernels are
// hand-written PTX; expected results are worked out by hand.
#include "schedule_fixture.h"
#include "run_suite.h"

#define SHARED_SLOT                                                                                \
  ".shared .align 4 .b8 s[4096];\nmov.u64 %rd4, s;\nmul.wide.u32 %rd5, %me, 4;\nadd.u64 %rd6, "    \
  "%rd4, %rd5;\n"

// ---- names -------------------------------------------------------------------------------------

START_TEST(names_are_read_and_written)
{
  static const struct {
    const char *text, *printed;
    uint8_t kind;
    uint64_t seed;
  } good[] = {{"lockstep", "lockstep", SIMT_SCHEDULE_LOCKSTEP, 0},
              {"reverse", "reverse", SIMT_SCHEDULE_REVERSE, 0},
              {"lane-serial", "lane-serial", SIMT_SCHEDULE_LANE_SERIAL, 0},
              {"delayed-stores", "delayed-stores", SIMT_SCHEDULE_DELAYED_STORES, 0},
              {"random", "random:1", SIMT_SCHEDULE_RANDOM, 1},
              {"random:0", "random:0", SIMT_SCHEDULE_RANDOM, 0},
              {"random:18446744073709551615", "random:18446744073709551615", SIMT_SCHEDULE_RANDOM,
               UINT64_MAX}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    simt_schedule s;
    char text[32];
    ck_assert_msg(simt_schedule_parse(good[i].text, &s), "%s", good[i].text);
    ck_assert_uint_eq(s.kind, good[i].kind);
    ck_assert_uint_eq(s.seed, good[i].seed);
    ck_assert_str_eq(simt_schedule_print(s, text, sizeof text), good[i].printed);
  }
  static const char *const bad[] = {"",          "lock",     "lockstep ",
                                    "reverse:1", "random:",  "random:x",
                                    "random:-1", "randomly", "random:18446744073709551616",
                                    "sweep:4"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    simt_schedule s = seeded(77);
    ck_assert_msg(!simt_schedule_parse(bad[i], &s), "%s", bad[i]);
    ck_assert_uint_eq(s.seed, 77);
  }
}
END_TEST

// ---- lanes of one warp -------------------------------------------------------------------------

// Neighbours swap words through shared memory, with `sync` between the store and the load.
#define SWAP(sync)                                                                                 \
  KERNEL_HEAD SHARED_SLOT                                                                          \
      "st.shared.u32 [%rd6], %me;\n" sync                                                          \
      "xor.b32 %r1, %me, 1;\nmul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd6, %rd4, %rd5;\n"              \
      "ld.shared.u32 %r0, [%rd6];\n" STORE_R0 KERNEL_TAIL

START_TEST(a_missing_syncwarp_shows)
{
  expectation e = {SWAP(""), {.block = 64}, 64, neighbour};
  ck_assert_uint_eq(count_wrong(&e, LOCKSTEP), 0); // that is why it goes unnoticed
  ck_assert_uint_eq(count_wrong(&e, LANE_SERIAL), 32);
  ck_assert_uint_eq(count_wrong(&e, DELAYED), 64);
  ck_assert(wrong_for_a_seed(&e));
  e.text = SWAP("bar.warp.sync 0xffffffff;\n");
  right_everywhere(&e);
  e.text = SWAP("bar.sync 0;\n");
  right_everywhere(&e);
}
END_TEST

// Votes and shuffles make lanes wait but order no memory: the stores are still on their way.
START_TEST(votes_and_shuffles_publish_nothing)
{
  expectation e = {
      SWAP("shfl.sync.bfly.b32 %r5, %me, 1, 31, 0xffffffff;\n"), {.block = 64}, 64, neighbour};
  ck_assert_uint_eq(count_wrong(&e, LANE_SERIAL), 0);
  ck_assert_uint_eq(count_wrong(&e, DELAYED), 64);
  e.text = SWAP("vote.sync.ballot.b32 %r5, 1, 0xffffffff;\n");
  ck_assert_uint_eq(count_wrong(&e, DELAYED), 64);
}
END_TEST

START_TEST(lanes_run_one_by_one_and_diverge_again_after_reconvergence)
{
  expectation e = {KERNEL_HEAD
                   "activemask.b32 %r1;\nbar.warp.sync 0xffffffff;\nactivemask.b32 %r2;\n"
                   "mov.u32 %r3, 1;\nshl.b32 %r3, %r3, %ln;\nsub.u32 %r1, %r1, %r3;\n"
                   "sub.u32 %r2, %r2, %r3;\nadd.u32 %r0, %r1, %r2;\n" STORE_R0 KERNEL_TAIL,
                   {.block = 32},
                   32,
                   NULL};
  core_options o = e.options;
  o.schedule = LANE_SERIAL;
  core_run run = core_ok(e.text, o);
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], 0);
  core_free(&run);
}
END_TEST

// The lowest lane goes first: every lane takes a number.
START_TEST(order_of_the_lanes_of_an_atomic)
{
  const char *text =
      KERNEL_HEAD SHARED_SLOT "setp.ne.u32 %p1, %me, 0;\n@!%p1 st.shared.u32 [s], 0;\nbar.sync 0;\n"
                              "atom.shared.add.u32 %r0, [s], 1;\n" STORE_R0 KERNEL_TAIL;
  core_run run = core_ok(text, (core_options){.schedule = LANE_SERIAL});
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], i);
  core_free(&run);
  run = core_ok(text, (core_options){.schedule = REVERSE});
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], 31 - i);
  core_free(&run);
  run = core_ok(text, (core_options){.schedule = seeded(3)});
  uint32_t seen = 0, in_place = 0;
  for (uint32_t i = 0; i < 32; i++) seen |= 1u << run.out_host[i], in_place += run.out_host[i] == i;
  ck_assert_uint_eq(seen, 0xffffffff); // every number once, whatever the order
  ck_assert_uint_lt(in_place, 32);
  core_free(&run);
}
END_TEST

static uint32_t last_lane(uint32_t i) { return (void)i, 31; }

// All lanes store to one word: which one comes last is not promised.
START_TEST(order_of_the_lanes_of_a_store)
{
#define LAST_WINS(guard)                                                                           \
  KERNEL_HEAD SHARED_SLOT                                                                          \
      "setp.eq.u32 %p1, %ln, 31;\n" guard                                                          \
      "st.shared.u32 [s], %ln;\nbar.sync 0;\nld.shared.u32 %r0, [s];\n" STORE_R0 KERNEL_TAIL
  expectation e = {LAST_WINS(""), {.block = 32}, 32, last_lane};
  ck_assert_uint_eq(count_wrong(&e, LOCKSTEP), 0);
  ck_assert_uint_eq(count_wrong(&e, REVERSE), 32);
  ck_assert(wrong_for_a_seed(&e));
  e.text = LAST_WINS("@%p1 ");
  right_everywhere(&e);
}
END_TEST

static uint32_t high_half(uint32_t i) { return (void)i, 7; }

// Both sides of a branch store to one word.
START_TEST(order_of_the_sides_of_a_branch)
{
#define SIDES(value)                                                                               \
  KERNEL_HEAD SHARED_SLOT                                                                          \
      "setp.lt.u32 %p1, %ln, 16;\n@%p1 bra LOW;\nst.shared.u32 [s], 7;\nbra.uni DONE;\nLOW:\n"     \
      "st.shared.u32 [s], " value                                                                  \
      ";\nDONE:\nbar.sync 0;\nld.shared.u32 %r0, [s];\n" STORE_R0 KERNEL_TAIL
  expectation e = {SIDES("9"), {.block = 32}, 32, high_half};
  ck_assert_uint_ne(count_wrong(&e, LOCKSTEP), count_wrong(&e, REVERSE));
  ck_assert(wrong_for_a_seed(&e));
  e.text = SIDES("7");
  right_everywhere(&e);
}
END_TEST

// ---- warps and blocks --------------------------------------------------------------------------

// Thread t reads what thread t - 32 wrote; the first warp reads its own word.
static uint32_t one_warp_down(uint32_t i) { return i < 32 ? i : i - 32; }

#define SHIFT(sync)                                                                                \
  KERNEL_HEAD SHARED_SLOT                                                                          \
      "st.shared.u32 [%rd6], %me;\n" sync                                                          \
      "setp.ge.u32 %p1, %me, 32;\nmov.u32 %r1, %me;\n@%p1 sub.u32 %r1, %me, 32;\n"                 \
      "mul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd6, %rd4, %rd5;\nld.shared.u32 %r0, "                 \
      "[%rd6];\n" STORE_R0 KERNEL_TAIL

START_TEST(a_missing_barrier_shows)
{
  expectation e = {SHIFT(""), {.block = 256}, 256, one_warp_down};
  ck_assert_uint_eq(count_wrong(&e, LOCKSTEP), 0);
  ck_assert_uint_eq(count_wrong(&e, REVERSE), 224);
  ck_assert(wrong_for_a_seed(&e));
  e.text = SHIFT("bar.sync 0;\n");
  right_everywhere(&e);
}
END_TEST

// A warp overwrites what another has yet to read: the barrier at the end of a loop.
#define ROTATE(sync)                                                                               \
  KERNEL_HEAD SHARED_SLOT                                                                          \
      "st.shared.u32 [%rd6], %me;\nmov.u32 %r3, 0;\nadd.u32 %r1, %me, 32;\nmov.u32 %r4, "          \
      "%ntid.x;\n"                                                                                 \
      "rem.u32 %r1, %r1, %r4;\nmul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd7, %rd4, %rd5;\n"            \
      "LOOP:\nbar.sync 0;\nld.shared.u32 %r0, [%rd7];\n" sync                                      \
      "st.shared.u32 [%rd6], %r0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 8;\n@%p1 bra "      \
      "LOOP;\n" STORE_R0 KERNEL_TAIL

START_TEST(a_missing_second_barrier_shows)
{
  expectation e = {ROTATE(""), {.block = 256}, 256, own_index};
  ck_assert(wrong_for_a_seed(&e));
  ck_assert_uint_gt(count_wrong(&e, REVERSE), 0);
  e.text = ROTATE("bar.sync 0;\n");
  right_everywhere(&e); // eight rotations by 32 of 256: every thread has its own again
}
END_TEST

#define TICKETS KERNEL_HEAD "atom.global.add.u32 %r0, [%rd1], 1;\n" STORE_R0 KERNEL_TAIL

START_TEST(blocks_are_not_promised_an_order)
{
  expectation e = {TICKETS, {.grid = 64, .block = 1}, 64, own_index};
  ck_assert_uint_eq(count_wrong(&e, LOCKSTEP), 0);
  ck_assert_uint_eq(count_wrong(&e, REVERSE), 64);
  ck_assert(wrong_for_a_seed(&e));
  core_run run = core_ok(TICKETS, (core_options){.grid = 63, .block = 1, .schedule = seeded(5)});
  uint64_t seen = 0;
  for (uint32_t i = 0; i < 63; i++) seen |= UINT64_C(1) << run.out_host[i];
  ck_assert_uint_eq(seen, (UINT64_C(1) << 63) - 1); // every block ran once
  core_free(&run);
}
END_TEST

// x = x + 1 by one thread of each block, without an atomic: blocks lose each other's additions.
START_TEST(blocks_of_a_random_schedule_run_together)
{
  const char *text = KERNEL_HEAD "ld.global.u32 %r0, [%rd1];\nadd.u32 %r0, %r0, 1;\n"
                                 "st.global.u32 [%rd1], %r0;\n" KERNEL_TAIL;
  uint32_t least = 100;
  for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
    core_run run = core_ok(text, (core_options){.grid = 100, .block = 1, .schedule = seeded(seed)});
    if (run.in_host[0] < least) least = run.in_host[0];
    core_free(&run);
  }
  ck_assert_uint_lt(least, 100);
  core_run run = core_ok(text, (core_options){.grid = 100, .block = 1});
  ck_assert_uint_eq(run.in_host[0], 100);
  core_free(&run);
}
END_TEST

// ---- delayed stores ----------------------------------------------------------------------------

// A lane writes 16 bytes, then parts of them in other widths, and reads it all back: byte for byte.
static uint32_t patched(uint32_t i) {
  static const uint32_t word[4] = {0x0402ff01, 0xaabbccdd, 0x0c0b1234, 0x100f0e0d};
  return word[i % 4];
}

#define PATCH(space, base)                                                                         \
  KERNEL_HEAD                                                                                      \
  ".shared .align 16 .b8 s[4096];\nmul.wide.u32 %rd5, %me, 16;\n" base                             \
  "mov.u32 %r1, 0x04020301;\nmov.u32 %r2, 0x08070605;\nmov.u32 %r3, 0x0c0b0a09;\n"                 \
  "mov.u32 %r4, 0x100f0e0d;\nst" space ".v4.u32 [%rd6], {%r1, %r2, %r3, %r4};\n"                   \
  "mov.u32 %r5, 255;\nst" space ".u8 [%rd6+1], %r5;\nmov.u32 %r6, 0xaabbccdd;\n"                   \
  "st" space ".u32 [%rd6+4], %r6;\nmov.u32 %r7, 0x1234;\nst" space ".u16 [%rd6+8], %r7;\n"         \
  "ld" space ".v2.u32 {%r8, %r9}, [%rd6];\nld" space ".v2.u32 {%r10, %r11}, [%rd6+8];\n"           \
  "mul.wide.u32 %rd7, %me, 16;\nadd.u64 %rd8, %rd0, %rd7;\n"                                       \
  "st.global.v4.u32 [%rd8], {%r8, %r9, %r10, %r11};\n" KERNEL_TAIL
START_TEST(a_lane_sees_its_own_stores_byte_for_byte)
{
  expectation e = {PATCH(".shared", "mov.u64 %rd4, s;\nadd.u64 %rd6, %rd4, %rd5;\n"),
                   {.block = 64},
                   256,
                   patched};
  right_everywhere(&e);
  e.text = PATCH(".global", "add.u64 %rd6, %rd1, %rd5;\n");
  right_everywhere(&e);
}
END_TEST

// Thread 0 stores a value, raises a flag and waits for an answer; the second warp waits for the
// flag and reads the value. `order` stands between the two stores.
#define HAND_OVER(order)                                                                           \
  KERNEL_HEAD SHARED_SLOT                                                                          \
      "setp.eq.u32 %p1, %me, 0;\n@%p1 st.volatile.shared.u32 [s+8], 0;\n"                          \
      "@%p1 st.volatile.shared.u32 [s+12], 0;\nbar.sync 0;\nmov.u32 %r0, 55;\n"                    \
      "setp.ge.u32 %p2, %me, 32;\n@%p2 bra WAIT;\n@!%p1 bra DONE;\nst.shared.u32 [s+4], "          \
      "55;\n" order "st.volatile.shared.u32 [s+8], 1;\n"                                           \
      "ANSWER:\nld.volatile.shared.u32 %r1, [s+12];\nsetp.eq.u32 %p3, %r1, 0;\n@%p3 bra ANSWER;\n" \
      "bra.uni DONE;\nWAIT:\nld.volatile.shared.u32 %r1, [s+8];\nsetp.eq.u32 %p3, %r1, 0;\n"       \
      "@%p3 bra WAIT;\nld.shared.u32 %r0, [s+4];\nst.volatile.shared.u32 [s+12], 1;\n"             \
      "DONE:\n" STORE_R0 KERNEL_TAIL

static uint32_t handed(uint32_t i) { return (void)i, 55; }

START_TEST(a_flag_without_a_fence_shows)
{
  expectation e = {HAND_OVER(""), {.block = 64}, 64, handed};
  ck_assert_uint_eq(count_wrong(&e, LOCKSTEP), 0);
  ck_assert_uint_eq(count_wrong(&e, DELAYED), 32);
  e.text = HAND_OVER("membar.cta;\n");
  right_everywhere(&e);
  e.text = HAND_OVER("fence.acq_rel.gpu;\n");
  right_everywhere(&e);
}
END_TEST

// A lane that stores weakly and goes on with strong accesses to the same place finds its own value.
START_TEST(one_location_stays_coherent)
{
  expectation e = {KERNEL_HEAD SHARED_SLOT
                   "st.shared.u32 [%rd6], 100;\natom.shared.add.u32 %r1, [%rd6], %me;\n"
                   "ld.volatile.shared.u32 %r2, [%rd6];\nadd.u32 %r0, %r1, %r2;\n"
                   "st.shared.u32 [%rd6], %r0;\nld.shared.u32 %r3, [%rd6];\n"
                   "sub.u32 %r0, %r3, 200;\n" STORE_R0 KERNEL_TAIL,
                   {.block = 64},
                   64,
                   own_index};
  right_everywhere(&e);
}
END_TEST

// The last block adds up what every block has left in `in`. `fence` stands between the store and
// the counter, in front of the barrier or behind it.
#define LAST_BLOCK(store_by, before, after)                                                        \
  KERNEL_HEAD SHARED_SLOT                                                                          \
      "setp.eq.u32 %p2, %me, 0;\nsetp.eq.u32 %p1, %me, " store_by                                  \
      ";\nmul.wide.u32 %rd5, %cb, 4;\n"                                                            \
      "add.u64 %rd7, %rd1, %rd5;\nadd.u32 %r1, %cb, 1000;\n"                                       \
      "@%p1 st.global.u32 [%rd7+256], %r1;\n" before "bar.sync 0;\n@!%p2 bra END;\n" after         \
      "atom.global.add.u32 %r2, [%rd1], 1;\nmov.u32 %r3, %nctaid.x;\nsub.u32 %r3, %r3, 1;\n"       \
      "setp.ne.u32 %p3, %r2, %r3;\n@%p3 bra END;\nmembar.gl;\n"                                    \
      "mov.u32 %r0, 0;\nmov.u32 %r4, 0;\nmov.u64 %rd8, %rd1;\n"                                    \
      "SUM:\nld.global.u32 %r5, [%rd8+256];\nadd.u32 %r0, %r0, %r5;\nadd.u64 %rd8, %rd8, 4;\n"     \
      "add.u32 %r4, %r4, 1;\nsetp.le.u32 %p4, %r4, %r3;\n@%p4 bra SUM;\nst.global.u32 [%rd0], "    \
      "%r0;\n"                                                                                     \
      "END:\n" KERNEL_TAIL

static uint32_t sum_of_16(uint32_t i) { return (void)i, 16 * 1000 + 15 * 16 / 2; }

START_TEST(a_last_block_without_a_fence_shows)
{
  expectation e = {LAST_BLOCK("0", "", ""), {.grid = 16, .block = 64}, 1, sum_of_16};
  ck_assert_uint_eq(count_wrong(&e, LOCKSTEP), 0);
  ck_assert_uint_eq(count_wrong(&e, DELAYED), 1);
  e.text = LAST_BLOCK("5", "", ""); // stored by another thread than the one that counts
  ck_assert_uint_eq(count_wrong(&e, DELAYED), 1);
  e.text = LAST_BLOCK("5", "membar.cta;\n", ""); // the scope is too narrow
  ck_assert_uint_eq(count_wrong(&e, DELAYED), 1);
  e.text = LAST_BLOCK("5", "membar.gl;\n", "");
  right_everywhere(&e);
  e.text = LAST_BLOCK("5", "", "membar.gl;\n"); // the barrier hands the store on to the fence
  right_everywhere(&e);
}
END_TEST

START_TEST(releasing_atomics_publish)
{
  const char *text = LAST_BLOCK("0", "", "red.release.gpu.global.add.u32 [%rd1+128], 1;\n");
  expectation e = {text, {.grid = 16, .block = 64}, 1, sum_of_16};
  right_everywhere(&e);
  e.text = LAST_BLOCK("0", "", "red.relaxed.gpu.global.add.u32 [%rd1+128], 1;\n");
  ck_assert_uint_eq(count_wrong(&e, DELAYED), 1);
}
END_TEST

// Every thread of a large grid stores: more than is ever held at once.
START_TEST(everything_lands_in_the_end)
{
  expectation e = {KERNEL_HEAD
                   "mov.u32 %r18, %ntid.x;\nmad.lo.u32 %r0, %cb, %r18, %me;\n" STORE_R0 KERNEL_TAIL,
                   {.grid = 64, .block = 1024},
                   1 << 16,
                   own_index};
  right_everywhere(&e);
}
END_TEST

// ---- repetition --------------------------------------------------------------------------------

static void tickets_of(simt_schedule schedule, uint64_t number, uint32_t out[256]) {
  core_run run = core_ok(
      TICKETS, (core_options){.grid = 4, .block = 64, .schedule = schedule, .number = number});
  memcpy(out, run.out_host, 256 * sizeof *out);
  core_free(&run);
}

START_TEST(a_seed_repeats_and_others_differ)
{
  uint32_t x[256], y[256];
  for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
    tickets_of(seeded(seed), 1, x);
    tickets_of(seeded(seed), 1, y);
    ck_assert_mem_eq(x, y, sizeof x);
    tickets_of(seeded(seed + 1), 1, y);
    ck_assert_mem_ne(x, y, sizeof x);
    tickets_of(seeded(seed), 2, y); // every launch of a program is another one
    ck_assert_mem_ne(x, y, sizeof x);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("schedule");
  TCase *names = tcase_create("names"), *lanes = tcase_create("lanes"),
        *blocks = tcase_create("warps and blocks"), *stores = tcase_create("delayed stores");
  tcase_add_test(names, names_are_read_and_written);
  tcase_add_test(names, a_seed_repeats_and_others_differ);
  tcase_add_test(lanes, a_missing_syncwarp_shows);
  tcase_add_test(lanes, votes_and_shuffles_publish_nothing);
  tcase_add_test(lanes, lanes_run_one_by_one_and_diverge_again_after_reconvergence);
  tcase_add_test(lanes, order_of_the_lanes_of_an_atomic);
  tcase_add_test(lanes, order_of_the_lanes_of_a_store);
  tcase_add_test(lanes, order_of_the_sides_of_a_branch);
  tcase_add_test(blocks, a_missing_barrier_shows);
  tcase_add_test(blocks, a_missing_second_barrier_shows);
  tcase_add_test(blocks, blocks_are_not_promised_an_order);
  tcase_add_test(blocks, blocks_of_a_random_schedule_run_together);
  tcase_add_test(stores, a_lane_sees_its_own_stores_byte_for_byte);
  tcase_add_test(stores, a_flag_without_a_fence_shows);
  tcase_add_test(stores, one_location_stays_coherent);
  tcase_add_test(stores, a_last_block_without_a_fence_shows);
  tcase_add_test(stores, releasing_atomics_publish);
  tcase_add_test(stores, everything_lands_in_the_end);
  TCase *all[] = {names, lanes, blocks, stores};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    tcase_set_timeout(all[i], 120);
    suite_add_tcase(suite, all[i]);
  }
  return run_suite(suite);
}
