// SPDX-License-Identifier: MIT
// test_repeat.c - launches that come again do not run (engine/repeat.c): memory, counters and times
// are those of an engine in which every launch runs, and what may not be repeated runs.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "device/texture.h"
#include "engine/engine.h"
#include "run_suite.h"

// ---- kernels: (x, y, n). A thread has the element of its number, at %rd4 and %rd5, and has turned
// round often enough for its launch to be worth remembering (WORTH_IT).

#define LOOP(turns)                                                                                \
  "mov.u32 %r6, 0;\n$loop: add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, " turns "; @%p1 bra "        \
  "$loop;\n"
#define HEAD(name, turns)                                                                          \
  ".visible .entry " name "(.param .u64 p_x, .param .u64 p_y, .param .u32 p_n) {\n"                \
  ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;\n"                                       \
  "ld.param.u64 %rd1, [p_x]; ld.param.u64 %rd2, [p_y]; ld.param.u32 %r1, [p_n];\n"                 \
  "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"                            \
  "mad.lo.s32 %r5, %r2, %r3, %r4; mul.wide.u32 %rd3, %r5, 4;\n"                                    \
  "add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n" LOOP(turns)
#define ADD_N "ld.global.u32 %r8, [%rd4]; add.u32 %r8, %r8, %r1; st.global.u32 [%rd5], %r8;\n"

static const char *const texts[] = {
    ".version 7.0\n.target sm_80\n.address_size 64\n.const .u32 weight = 3;\n",
    HEAD("add", "16") ADD_N "ret; }\n",
    HEAD("add_briefly", "1") ADD_N "ret; }\n",
    HEAD("in_place", "16") "ld.global.u32 %r8, [%rd5]; add.u32 %r8, %r8, %r1;\n"
                           "st.global.u32 [%rd5], %r8; ret; }\n",
    HEAD("total", "16") "red.global.add.u32 [%rd2], %r1; ret; }\n",
    HEAD("every_second", "16") "and.b32 %r9, %r5, 1; setp.ne.u32 %p2, %r9, 0; @%p2 ret;\n" ADD_N
                               "ret; }\n",
    HEAD("weigh", "16") "ld.const.u32 %r8, [weight]; st.global.u32 [%rd5], %r8; ret; }\n",
    HEAD("clock", "16") "mov.u32 %r8, %clock; st.global.u32 [%rd5], %r8; ret; }\n",
    HEAD("poll", "16") "ld.volatile.global.u32 %r8, [%rd1]; st.global.u32 [%rd5], %r8; ret; }\n",
    HEAD("look", "16") "tex.1d.v4.u32.s32 {%r8, %r9, %r10, %r11}, [%rd1, {%r5}];\n"
                       "add.u32 %r8, %r8, %r1; st.global.u32 [%rd5], %r8; ret; }\n",
    HEAD("past_the_end", "16") "st.global.u32 [%rd5+1048576], %r1; ret; }\n"};

enum { BLOCKS = 16, THREADS = 128, N = BLOCKS * THREADS, BYTES = N * 4 };
enum { WORTH_IT = 2048 }; // warp instructions: less than all kernels have but add_briefly

typedef struct machine {
  simt_engine *gpu;
  simt_module *module;
  uint64_t x, y;
} machine;

static char ptx[8192];
static machine remembers, runs_all; // the same is done to both
static simt_diag diag;

#define OK(call) ck_assert_msg((call) == SIMT_OK, "%s: %s", #call, diag.text)
#define BOTH(m) (machine *m = &remembers; m; m = m == &remembers ? &runs_all : NULL)

static void fill(machine *m) {
  uint32_t *host = malloc(BYTES);
  ck_assert_ptr_nonnull(host);
  for (uint32_t i = 0; i < N; i++) host[i] = i * 2654435761u;
  OK(simt_engine_write(m->gpu, m->x, host, BYTES, &diag));
  OK(simt_engine_set(m->gpu, m->y, 0, BYTES, &diag));
  free(host);
}

static void make(machine *m, simt_engine_options options) {
  options.repeats_launches = m == &remembers;
  options.repeat_from = WORTH_IT;
  OK(simt_engine_create(&m->gpu, &options, &diag));
  OK(simt_engine_load(m->gpu, "kernels.ptx", ptx, strlen(ptx), &m->module, &diag));
  OK(simt_engine_alloc(m->gpu, BYTES, &m->x, &diag));
  OK(simt_engine_alloc(m->gpu, BYTES, &m->y, &diag));
  fill(m);
}

static void set_up(void) {
  ptx[0] = '\0';
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    strncat(ptx, texts[i], sizeof ptx - strlen(ptx) - 1);
  for
    BOTH(m) make(m, (simt_engine_options){0});
}

static void tear_down(void) {
  for
    BOTH(m) {
      simt_engine_unload(m->gpu, m->module);
      simt_engine_destroy(m->gpu);
    }
}

static simt_execution_state launch_on(machine *m, const char *kernel, uint32_t n, uint32_t blocks) {
  const void *arguments[] = {&m->x, &m->y, &n};
  simt_launch launch = {.kernel = simt_module_kernel(m->module, kernel),
                        .grid = {blocks, 1, 1},
                        .block = {THREADS, 1, 1}};
  simt_run *run;
  OK(simt_run_begin(&run, m->gpu, &launch, arguments, 3, &diag));
  const simt_execution_state state = simt_run_advance(run, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  simt_run_end(run);
  return state;
}

static void expect_same_memory(const char *kernel) {
  uint8_t *a = malloc(BYTES), *b = malloc(BYTES);
  ck_assert(a && b);
  OK(simt_engine_read(remembers.gpu, a, remembers.y, BYTES, &diag));
  OK(simt_engine_read(runs_all.gpu, b, runs_all.y, BYTES, &diag));
  for (uint32_t i = 0; i < BYTES; i++)
    ck_assert_msg(a[i] == b[i], "%s: byte %u is %u, not %u", kernel, i, a[i], b[i]);
  free(a);
  free(b);
}

static void expect_same_numbers(const char *kernel) {
  for (size_t i = 0; i < SIMT_COUNTER_COUNT; i++)
    ck_assert_msg(simt_counter_value(simt_engine_last(remembers.gpu), i) ==
                      simt_counter_value(simt_engine_last(runs_all.gpu), i),
                  "%s: %s", kernel, simt_counter_name(i));
  ck_assert_msg(simt_engine_last_ms(remembers.gpu) == simt_engine_last_ms(runs_all.gpu),
                "%s: %.17g and %.17g ms", kernel, simt_engine_last_ms(remembers.gpu),
                simt_engine_last_ms(runs_all.gpu));
}

// `times` launches, after each of which both machines are alike.
static void launch(const char *kernel, uint32_t n, uint32_t times) {
  for (uint32_t i = 0; i < times; i++) {
    for
      BOTH(m)
    ck_assert_int_eq(launch_on(m, kernel, n, BLOCKS), SIMT_EXECUTION_FINISHED);
    expect_same_numbers(kernel);
    expect_same_memory(kernel);
  }
}

static void put(bool into_y, uint32_t index, uint32_t value) {
  for
    BOTH(m)
  OK(simt_engine_write(m->gpu, (into_y ? m->y : m->x) + 4ull * index, &value, 4, &diag));
}

static void expect_repeated(uint64_t n) {
  ck_assert_uint_eq(simt_engine_n_repeated(remembers.gpu), n);
  ck_assert_uint_eq(simt_engine_n_repeated(runs_all.gpu), 0);
}

// ---- tests

START_TEST(the_same_launch_runs_twice)
{
  launch("add", 5, 9);
  expect_repeated(7);
}
END_TEST

START_TEST(a_changed_input_is_noticed)
{
  launch("add", 5, 4);
  put(false, N - 1, 77); // in the last page
  launch("add", 5, 8);
  expect_repeated(2 + 8 - 2); // the first finds other bytes, the second is the one to repeat
  put(true, 0, 77);           // what it overwrites is part of what it found
  launch("add", 5, 1);
  expect_repeated(8);
}
END_TEST

START_TEST(bytes_between_those_that_are_written_stay)
{
  launch("every_second", 5, 4);
  expect_repeated(2);
  put(true, 1, 99);
  launch("every_second", 5, 1); // the 99 is still there
  expect_repeated(2);
}
END_TEST

START_TEST(another_launch_between_does_not_matter)
{
  for (int i = 0; i < 5; i++) {
    launch("add", 5, 1);
    launch("weigh", 1, 1);
  }
  // The first "add" found zeros; from the second on both find what the other left.
  expect_repeated(3 + 3);
}
END_TEST

// Two arrays that the model's L2 holds together, and what pushes them out.
START_TEST(times_are_those_of_the_l2_as_it_is)
{
  launch("add", 5, 6);
  for
    BOTH(m) simt_engine_clear_total(m->gpu); // it is cold
  launch("add", 5, 6);
  launch("weigh", 1, 1);
  launch("every_second", 5, 3);
  launch("add", 5, 6);
}
END_TEST

START_TEST(work_in_place_always_runs)
{
  launch("in_place", 1, 6);
  expect_repeated(0);
}
END_TEST

START_TEST(sums_of_atomics_are_repeated_from_the_same_start)
{
  for (int i = 0; i < 6; i++) {
    put(true, 0, 0);
    launch("total", 3, 1);
  }
  expect_repeated(4);
  launch("total", 3, 1); // on the sum of the one before
  expect_repeated(4);
}
END_TEST

START_TEST(other_arguments_are_another_launch)
{
  launch("add", 5, 3);
  expect_repeated(1);
  launch("add", 6, 1);
  for
    BOTH(m) launch_on(m, "add", 5, BLOCKS - 1);
  expect_repeated(1);
}
END_TEST

// The other memory has been written as often as the first one: only which it is differs.
START_TEST(other_memory_at_the_same_address_is_noticed)
{
  uint32_t host[N / 4];
  for
    BOTH(m) m->x = simt_memory_reserve(simt_engine_memory(m->gpu), BYTES, 4096);
  for (uint32_t filling = 0; filling < 2; filling++) {
    for
      BOTH(m) {
        OK(simt_memory_map(simt_engine_memory(m->gpu), m->x, BYTES, NULL, &diag));
        for (uint32_t part = 0; part < 4; part++) {
          for (uint32_t i = 0; i < N / 4; i++) host[i] = filling + 4 * i + part;
          OK(simt_engine_write(m->gpu, m->x + part * sizeof host, host, sizeof host, &diag));
        }
      }
    launch("add", 5, 4);
    expect_repeated(filling == 0 ? 2 : 4);
    for
      BOTH(m) OK(simt_engine_free(m->gpu, m->x, &diag));
  }
}
END_TEST

START_TEST(a_constant_is_an_input)
{
  launch("weigh", 1, 4);
  expect_repeated(2);
  for
    BOTH(m) {
      uint64_t address, bytes;
      const uint32_t heavier = 4;
      OK(simt_module_variable(m->module, "weight", &address, &bytes));
      OK(simt_engine_write(m->gpu, address, &heavier, 4, &diag));
    }
  launch("weigh", 1, 1);
  expect_repeated(2);
}
END_TEST

// The texture object is in x, the texels are in memory that no argument of the kernel names.
START_TEST(texels_are_an_input)
{
  uint64_t texels[2];
  for
    BOTH(m) {
      uint64_t *at = &texels[m == &runs_all];
      OK(simt_engine_alloc(m->gpu, BYTES, at, &diag));
      OK(simt_engine_set(m->gpu, *at, 3, BYTES, &diag));
      const simt_texture object = {.magic = SIMT_TEXTURE_MAGIC,
                                   .level = {{*at, BYTES, BYTES, N, 1, 1}},
                                   .n_levels = 1,
                                   .n_layers = 1,
                                   .n_channels = 1,
                                   .channel_bytes = 4,
                                   .kind = SIMT_TEXEL_UNSIGNED,
                                   .address_mode = {SIMT_ADDRESS_CLAMP},
                                   .is_memory = true};
      OK(simt_engine_write(m->gpu, m->x, &object, sizeof object, &diag));
    }
  launch("look", 5, 5);
  expect_repeated(3);
  const uint32_t other = 77;
  for
    BOTH(m)
  OK(simt_engine_write(m->gpu, texels[m == &runs_all] + BYTES - 4, &other, 4, &diag));
  launch("look", 5, 1); // the last texel is another one
  expect_repeated(3);
}
END_TEST

START_TEST(short_launches_and_clocks_always_run)
{
  launch("add_briefly", 5, 5);
  for (int i = 0; i < 5; i++)
    for
      BOTH(m) launch_on(m, "clock", 5, BLOCKS);
  expect_repeated(0);
}
END_TEST

START_TEST(what_the_host_may_change_meanwhile_always_runs)
{
  launch("poll", 5, 4); // memory of the device: nothing changes it
  expect_repeated(2);
  for
    BOTH(m)
  OK(simt_memory_alloc(simt_engine_memory(m->gpu), BYTES, SIMT_ALLOCATION_PINNED, NULL, &m->x,
                       &diag));
  for (int i = 0; i < 4; i++) // the host's addresses, and so the sectors, differ
    for
      BOTH(m) launch_on(m, "poll", 5, BLOCKS);
  expect_repeated(2);
  for (int i = 0; i < 4; i++) // plain loads
    for
      BOTH(m) launch_on(m, "add", 5, BLOCKS);
  expect_repeated(4);
  expect_same_memory("add");
}
END_TEST

START_TEST(faults_come_again)
{
  for (int i = 0; i < 4; i++)
    for
      BOTH(m)
  ck_assert_int_eq(launch_on(m, "past_the_end", 5, BLOCKS), SIMT_EXECUTION_FAULTED);
  expect_repeated(0);
}
END_TEST

START_TEST(a_module_that_goes_is_forgotten)
{
  launch("add", 5, 3);
  for
    BOTH(m) {
      simt_engine_unload(m->gpu, m->module);
      OK(simt_engine_load(m->gpu, "kernels.ptx", ptx, strlen(ptx), &m->module, &diag));
    }
  launch("add", 5, 2);
  expect_repeated(1);
  launch("add", 5, 1);
  expect_repeated(2);
}
END_TEST

START_TEST(many_launches_are_forgotten_in_turn)
{
  for (uint32_t round = 0; round < 3; round++)
    for (uint32_t n = 0; n < 70; n++)
      for
        BOTH(m) launch_on(m, "total", n, BLOCKS);
  expect_same_memory("total");
  expect_repeated(0);
  launch("add", 5, 3);
  expect_repeated(1);
}
END_TEST

// Each phase keeps a copy of y and of the page that it changes, and there is room for two.
START_TEST(a_phase_that_is_over_makes_room)
{
  enum { PHASES = 5, TIMES = 20, PAGE = 4096 };
  tear_down();
  for
    BOTH(m) make(m, (simt_engine_options){.repeat_bytes = 2 * BYTES + 3 * PAGE});
  for (uint32_t phase = 1; phase <= PHASES; phase++)
    for (int i = 0; i < TIMES; i++) {
      put(true, 0, 0);
      launch("total", phase, 1);
    }
  expect_repeated(PHASES * (TIMES - 2));
}
END_TEST

START_TEST(too_little_room_is_no_harm)
{
  tear_down();
  for
    BOTH(m) make(m, (simt_engine_options){.repeat_bytes = BYTES / 2});
  for (int i = 0; i < 6; i++) {
    put(true, 0, 0);
    launch("total", 3, 1);
  }
  expect_repeated(0);
  launch("add", 3, 4); // nothing is copied of what stays as it is
  expect_repeated(2);
}
END_TEST

START_TEST(who_watches_sees_every_launch)
{
  const simt_engine_options watched[] = {{.checkers = SIMT_CHECK_ALL},
                                         {.lines = SIMT_LINES_COUNTED},
                                         {.work = true},
                                         {.locates_findings = true}};
  for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
    tear_down();
    for
      BOTH(m) make(m, watched[i]);
    launch("add", 5, 4);
    expect_repeated(0);
  }
}
END_TEST

START_TEST(without_counters_and_times)
{
  const simt_engine_options fast[] = {{.no_counters = true}, {.no_model = true}};
  for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
    tear_down();
    for
      BOTH(m) make(m, fast[i]);
    launch("add", 5, 4);
    expect_repeated(2);
  }
}
END_TEST

static Suite *suite(void) {
  const TTest *const tests[] = {the_same_launch_runs_twice,
                                a_changed_input_is_noticed,
                                bytes_between_those_that_are_written_stay,
                                another_launch_between_does_not_matter,
                                times_are_those_of_the_l2_as_it_is,
                                work_in_place_always_runs,
                                sums_of_atomics_are_repeated_from_the_same_start,
                                other_arguments_are_another_launch,
                                other_memory_at_the_same_address_is_noticed,
                                a_constant_is_an_input,
                                texels_are_an_input,
                                short_launches_and_clocks_always_run,
                                what_the_host_may_change_meanwhile_always_runs,
                                faults_come_again,
                                a_module_that_goes_is_forgotten,
                                many_launches_are_forgotten_in_turn,
                                a_phase_that_is_over_makes_room,
                                too_little_room_is_no_harm,
                                who_watches_sees_every_launch,
                                without_counters_and_times};
  Suite *s = suite_create("repeat");
  TCase *c = tcase_create("repeat");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_set_timeout(c, 60);
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) tcase_add_test(c, tests[i]);
  suite_add_tcase(s, c);
  return s;
}

int main(void) { return run_suite(suite()); }
