// SPDX-License-Identifier: MIT
// test_sample.c - launches of which some blocks stand for all: which may, that counters and times
// are then those of the whole, and that what may not runs whole and once.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "run_suite.h"

// ---- kernels: (x, y, n). A thread has the element of its number, at %rd4 and %rd5.

#define HEAD(name)                                                                                 \
  ".visible .entry " name "(.param .u64 p_x, .param .u64 p_y, .param .u32 p_n) {\n"                \
  ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 %rd<16>;\n"                     \
  "ld.param.u64 %rd1, [p_x]; ld.param.u64 %rd2, [p_y]; ld.param.u32 %r1, [p_n];\n"                 \
  "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mov.u32 %r15, %nctaid.x;\n"   \
  "mad.lo.s32 %r5, %r2, %r3, %r4; mul.wide.u32 %rd3, %r5, 4;\n"                                    \
  "add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; mov.u32 %r7, 1;\n"
#define ADD_TO_OWN "ld.global.u32 %r8, [%rd5]; add.u32 %r8, %r8, %r7; st.global.u32 [%rd5], %r8;\n"
#define TAIL ADD_TO_OWN "ret; }\n"
#define LOOP(turns)                                                                                \
  "mov.u32 %r6, 0;\n$loop: add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, " turns "; @%p1 bra "        \
  "$loop;\n"

static const char *const texts[] = {
    ".version 7.0\n.target sm_80\n.address_size 64\n",
    HEAD("add") "ld.global.u32 %r9, [%rd4];\n" TAIL, HEAD("add_in_turns") LOOP("64") TAIL,
    HEAD("one_address") "red.global.add.u32 [%rd2], %r7; ret; }\n",
    HEAD("own_address") "red.global.add.u32 [%rd5], %r7; ret; }\n",
    // what may not
    HEAD("tickets") "atom.global.add.u32 %r7, [%rd1], 0; add.u32 %r7, %r7, 1;\n" TAIL,
    HEAD("volatile") "ld.volatile.global.u32 %r9, [%rd4];\n" TAIL,
    HEAD("fence") "membar.gl;\n" TAIL,
    HEAD("every_second") "and.b32 %r10, %r2, 1; mul.lo.u32 %r10, %r10, 50;\n" LOOP("%r10") TAIL,
    HEAD("last_one") "sub.u32 %r11, %r15, 1; setp.eq.u32 %p2, %r2, %r11; mov.u32 %r10, 1;\n"
                     "@%p2 mov.u32 %r10, 500;\n" LOOP("%r10") TAIL,
    // two lanes to an address: more blocks may meet other addresses or the same
    HEAD("in_pairs") "shr.u32 %r10, %r5, 1; mul.wide.u32 %rd6, %r10, 4; add.s64 %rd7, %rd2, %rd6;\n"
                     "red.global.add.u32 [%rd7], %r7; ret; }\n",
    // what goes where a value from memory says
    HEAD("if_zero") "ld.global.u32 %r9, [%rd5]; setp.ne.u32 %p2, %r9, 0; @%p2 ret;\n" TAIL,
    HEAD("at_index") "ld.global.u32 %r9, [%rd5]; and.b32 %r9, %r9, 1; mul.wide.u32 %rd6, %r9, 4;\n"
                     "add.s64 %rd5, %rd5, %rd6;\n" TAIL};

static char ptx[32768];
static simt_engine *gpu;
static simt_module *module;
static uint64_t x, y;
static simt_diag diag;
enum { BLOCKS = 2048, THREADS = 256, ELEMENTS = BLOCKS * THREADS + 8 };

#define OK(call) ck_assert_msg((call) == SIMT_OK, "%s: %s", #call, diag.text)

static void make(const simt_engine_options *options) {
  OK(simt_engine_create(&gpu, options, &diag));
  OK(simt_engine_load(gpu, "kernels.ptx", ptx, strlen(ptx), &module, &diag));
  OK(simt_engine_alloc(gpu, ELEMENTS * 4, &x, &diag));
  OK(simt_engine_alloc(gpu, ELEMENTS * 4, &y, &diag));
  OK(simt_engine_set(gpu, x, 0, ELEMENTS * 4, &diag));
  simt_engine_sample_blocks(gpu, true);
}

static void set_up(void) {
  ptx[0] = '\0';
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    strncat(ptx, texts[i], sizeof ptx - strlen(ptx) - 1);
  make(&(simt_engine_options){0});
}

static void tear_down(void) {
  simt_engine_unload(gpu, module);
  simt_engine_destroy(gpu);
}

// ---- running: y is all zero before.

static void go_on(const char *kernel, uint32_t blocks) {
  const uint32_t n = 1;
  const void *arguments[] = {&x, &y, &n};
  simt_launch launch = {.kernel = simt_module_kernel(module, kernel),
                        .grid = {blocks, 1, 1},
                        .block = {THREADS, 1, 1}};
  simt_run *run;
  OK(simt_run_begin(&run, gpu, &launch, arguments, 3, &diag));
  ck_assert_int_eq(simt_run_advance(run, SIMT_UNTIL_END, SIMT_NO_BUDGET), SIMT_EXECUTION_FINISHED);
  OK(simt_run_end(run));
}

static simt_sampled run(const char *kernel, uint32_t blocks) {
  OK(simt_engine_set(gpu, y, 0, ELEMENTS * 4, &diag));
  simt_engine_clear_total(gpu);
  go_on(kernel, blocks);
  return simt_engine_sampled(gpu);
}

// Elements of y that are `value`.
static uint32_t count(uint32_t value) {
  uint32_t *host = malloc(ELEMENTS * 4), n = 0;
  ck_assert_ptr_nonnull(host);
  OK(simt_engine_read(gpu, host, y, ELEMENTS * 4, &diag));
  for (uint32_t i = 0; i < BLOCKS * THREADS; i++) n += host[i] == value;
  free(host);
  return n;
}

static void expect_whole(const char *kernel) {
  simt_sampled s = run(kernel, BLOCKS);
  ck_assert_msg(s.blocks == BLOCKS && s.blocks_run == BLOCKS && !s.is_void,
                "%s: %lu of %lu blocks ran", kernel, (unsigned long)s.blocks_run,
                (unsigned long)s.blocks);
}

static void expect_every_element_once(const char *kernel) {
  expect_whole(kernel);
  ck_assert_msg(count(1) == BLOCKS * THREADS, "%s: %u elements were added to once", kernel,
                count(1));
}

// ---- tests

START_TEST(some_blocks_stand_for_all)
{
  static const char *const kernels[] = {"add", "add_in_turns", "one_address", "own_address"};
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    simt_engine_sample_blocks(gpu, false);
    ck_assert_uint_eq(run(kernels[k], BLOCKS).blocks_run, BLOCKS);
    simt_counters whole = *simt_engine_last(gpu);
    double whole_ms = simt_engine_last_ms(gpu);
    simt_engine_sample_blocks(gpu, true);
    simt_sampled s = run(kernels[k], BLOCKS);
    ck_assert_uint_eq(s.blocks, BLOCKS);
    ck_assert_msg(s.blocks_run >= 64 && s.blocks_run < BLOCKS / 4, "%s: %lu", kernels[k],
                  (unsigned long)s.blocks_run);
    for (size_t i = 0; i < SIMT_COUNTER_COUNT; i++)
      ck_assert_msg(simt_counter_value(simt_engine_last(gpu), i) == simt_counter_value(&whole, i),
                    "%s: %s", kernels[k], simt_counter_name(i));
    ck_assert(simt_engine_last_time(gpu)->is_sampled && simt_engine_last_time(gpu)->is_judged);
    ck_assert_msg(fabs(simt_engine_last_ms(gpu) / whole_ms - 1.0) < 0.02, "%s: %g and %g ms",
                  kernels[k], simt_engine_last_ms(gpu), whole_ms);
  }
}
END_TEST

START_TEST(what_has_not_run_is_not_written)
{
  simt_sampled s = run("add", BLOCKS);
  ck_assert_uint_eq(count(1), s.blocks_run * THREADS);
  ck_assert_uint_eq(count(0), (BLOCKS - s.blocks_run) * THREADS);
}
END_TEST

START_TEST(the_sample_is_the_same_every_time)
{
  uint64_t ran = run("add", BLOCKS).blocks_run;
  double ms = simt_engine_last_ms(gpu);
  ck_assert_uint_eq(run("add", BLOCKS).blocks_run, ran);
  ck_assert_double_eq(simt_engine_last_ms(gpu), ms);
}
END_TEST

START_TEST(blocks_that_may_learn_of_each_other_all_run)
{
  expect_every_element_once("tickets");
  expect_every_element_once("volatile");
  expect_every_element_once("fence");
}
END_TEST

START_TEST(blocks_that_are_not_alike_all_run)
{
  expect_every_element_once("every_second");
  expect_every_element_once("last_one");
  expect_whole("in_pairs");
}
END_TEST

START_TEST(few_blocks_all_run)
{ ck_assert_uint_eq(run("add", 128).blocks_run, 128); }
END_TEST

// The blocks that were left out have not written what the second launch depends on.
static void expect_void(const char *kernel) {
  ck_assert(!run("add", BLOCKS).is_void);
  go_on(kernel, BLOCKS);
  ck_assert_msg(simt_engine_sampled(gpu).is_void, "%s", kernel);
  ck_assert(!run(kernel, BLOCKS).is_void); // alone it reads what is there
}

START_TEST(what_goes_by_missing_data_is_void)
{
  expect_void("if_zero");
  expect_void("at_index");
  run("add", BLOCKS);
  go_on("add_in_turns", BLOCKS); // adds to it, and goes nowhere by it
  ck_assert(!simt_engine_sampled(gpu).is_void);
  run("tickets", BLOCKS); // whole
  go_on("if_zero", BLOCKS);
  ck_assert(!simt_engine_sampled(gpu).is_void);
}
END_TEST

START_TEST(a_second_launch_finds_what_the_first_left_in_the_l2)
{
  run("add", BLOCKS);
  go_on("add", BLOCKS - 1); // other blocks than before
  const simt_model_time *t = simt_engine_last_time(gpu);
  ck_assert_msg(t->l2_hits > 0.98 * t->l2_sectors, "%g of %g", t->l2_hits, t->l2_sectors);
  simt_engine_clear_total(gpu);
  go_on("add", BLOCKS - 1);
  t = simt_engine_last_time(gpu);
  ck_assert_double_eq_tol(t->dram_read_bytes, 2.0 * 4 * THREADS * (BLOCKS - 1), 1e5);
}
END_TEST

START_TEST(checkers_and_stepping_see_every_block)
{
  tear_down();
  make(&(simt_engine_options){.checkers = SIMT_CHECK_ALL});
  expect_every_element_once("add");
  tear_down();
  make(&(simt_engine_options){.lines = SIMT_LINES_COUNTED});
  expect_every_element_once("add");
}
END_TEST

static Suite *suite(void) {
  const TTest *const tests[] = {some_blocks_stand_for_all,
                                what_has_not_run_is_not_written,
                                the_sample_is_the_same_every_time,
                                blocks_that_may_learn_of_each_other_all_run,
                                blocks_that_are_not_alike_all_run,
                                few_blocks_all_run,
                                what_goes_by_missing_data_is_void,
                                a_second_launch_finds_what_the_first_left_in_the_l2,
                                checkers_and_stepping_see_every_block};
  Suite *s = suite_create("sample");
  TCase *c = tcase_create("sample");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_set_timeout(c, 60);
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) tcase_add_test(c, tests[i]);
  suite_add_tcase(s, c);
  return s;
}

int main(void) { return run_suite(suite()); }
