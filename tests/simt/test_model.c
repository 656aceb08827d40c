// SPDX-License-Identifier: MIT
// test_model.c - the timing model on small kernels: caches by hand, limits, and what must hold
// whatever a device's numbers are (more work is never faster). bench/blind measures how close it is
// to a GPU.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "profile/cache.h"
#include "profile/plan.h"
#include "profile/touches.h"
#include "run_suite.h"

static const simt_model_device *h200(void) { return simt_model_find("h200"); }

// ---- kernels: (x, y, n). A thread has the element of its number.

#define HEAD(name)                                                                                 \
  ".visible .entry " name "(.param .u64 p_x, .param .u64 p_y, .param .u32 p_n) {\n"                \
  ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 %rd<16>;\n"                     \
  "ld.param.u64 %rd1, [p_x]; ld.param.u64 %rd2, [p_y]; ld.param.u32 %r1, [p_n];\n"                 \
  "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"                            \
  "mad.lo.s32 %r5, %r2, %r3, %r4; mul.wide.u32 %rd3, %r5, 4;\n"                                    \
  "add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; mov.f32 %f1, 0f3F800000;\n"
#define TAIL "st.global.f32 [%rd5], %f1; ret; }\n"
#define LOOP(body)                                                                                 \
  "mov.u32 %r6, 0;\n$loop: " body                                                                  \
  "add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra $loop;\n"

static const char *const texts[] = {
    ".version 7.0\n.target sm_80\n.address_size 64\n",
    HEAD("copy") "ld.global.f32 %f1, [%rd4];\n" TAIL,
    HEAD("apart") "mul.wide.u32 %rd6, %r5, 64; cvt.u64.u32 %rd7, %r1; add.s64 %rd6, %rd6, %rd7;\n"
                  "add.s64 %rd6, %rd6, %rd1; ld.global.f32 %f1, [%rd6];\n" TAIL, // at byte n of 64
    HEAD("compute") LOOP("fma.rn.f32 %f1, %f1, %f1, %f1;\n") TAIL,
    HEAD("divide") LOOP("div.u32 %r7, %r1, %r3; add.s32 %r3, %r3, 1;\n") TAIL,
    HEAD("again") LOOP("ld.global.f32 %f2, [%rd4]; add.f32 %f1, %f1, %f2;\n") TAIL,
    HEAD("follow") "mov.u64 %rd6, %rd1;\n" LOOP("ld.global.u64 %rd7, [%rd6]; "
                                                "add.s64 %rd6, %rd1, %rd7;\n") TAIL,
    HEAD("matches") "and.b32 %r7, %r4, %r1; mov.u32 %r6, 0;\n$loop: " // n + 1 different values
                    "match.any.sync.b32 %r8, %r7, 0xffffffff; add.s32 %r7, %r7, 32;\n"
                    "add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 64; @%p1 bra $loop;\n" TAIL,
    HEAD("match_chain") "and.b32 %r7, %r4, %r1; mov.u32 %r6, 0;\n$loop: " // each after the last
                        "match.any.sync.b32 %r8, %r7, 0xffffffff; and.b32 %r8, %r8, 0;\n"
                        "add.s32 %r7, %r7, %r8; add.s32 %r6, %r6, 1;\n"
                        "setp.lt.u32 %p1, %r6, 64; @%p1 bra $loop;\n" TAIL,
    HEAD("barriers") LOOP("bar.sync 0;\n") TAIL,
    HEAD("wait_for") "$spin: ld.volatile.global.u32 %r7, [%rd1]; setp.eq.u32 %p1, %r7, 1;\n"
                     "@%p1 bra $spin;\n" TAIL,
    HEAD("add_one") "red.global.add.f32 [%rd2], %f1; ret; }\n",
    HEAD("add_own") "red.global.add.f32 [%rd5], %f1; ret; }\n",
    HEAD("uneven") "setp.eq.u32 %p2, %r2, 300; @!%p2 mov.u32 %r1, 1;\n" LOOP(
        "fma.rn.f32 %f1, %f1, %f1, %f1;\n") TAIL};

static char ptx[16384];
static simt_engine *gpu;
static simt_module *module;
static uint64_t x, y;
static simt_diag diag;
enum { ELEMENTS = 1 << 20 };

#define OK(call) ck_assert_msg((call) == SIMT_OK, "%s: %s", #call, diag.text)

static void set_up(void) {
  ptx[0] = '\0';
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    strncat(ptx, texts[i], sizeof ptx - strlen(ptx) - 1);
  OK(simt_engine_create(&gpu, &(simt_engine_options){0}, &diag));
  OK(simt_engine_load(gpu, "kernels.ptx", ptx, strlen(ptx), &module, &diag));
  OK(simt_engine_alloc(gpu, ELEMENTS * 4, &x, &diag));
  OK(simt_engine_alloc(gpu, ELEMENTS * 4, &y, &diag));
  OK(simt_engine_set(gpu, x, 0, ELEMENTS * 4, &diag));
}

static void tear_down(void) {
  simt_engine_unload(gpu, module);
  simt_engine_destroy(gpu);
}

// Runs a kernel, with caches as they were left.
static simt_model_time go_on(const char *kernel, uint32_t blocks, uint32_t threads, uint32_t n) {
  const void *arguments[] = {&x, &y, &n};
  simt_launch launch = {.kernel = simt_module_kernel(module, kernel),
                        .grid = {blocks, 1, 1},
                        .block = {threads, 1, 1}};
  simt_run *run;
  OK(simt_run_begin(&run, gpu, &launch, arguments, 3, &diag));
  simt_run_advance(run, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  OK(simt_run_end(run));
  return *simt_engine_last_time(gpu);
}

// The same with cold caches.
static simt_model_time run(const char *kernel, uint32_t blocks, uint32_t threads, uint32_t n) {
  simt_engine_clear_total(gpu);
  return go_on(kernel, blocks, threads, n);
}

static double ms_of(const char *kernel, uint32_t blocks, uint32_t threads, uint32_t n) {
  return run(kernel, blocks, threads, n).total_ms;
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
    ck_assert(d->latency_l1 < d->latency_l2 && d->latency_l2 < d->latency_dram);
    for (int op = 0; op < SIMT_OP_COUNT; op++)
      ck_assert_msg(d->op[op].latency > 0 && d->op[op].interval > 0, "%s: operation %d", d->key,
                    op);
    ck_assert(d->dram_read_gb_per_s < d->l2_gb_per_s);
    ck_assert(d->n_sms > 0 && d->clock_hz > 0 && d->launch_ns > 0 && d->launch_gap_ns > 0);
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

// ---- caches ------------------------------------------------------------------------------------

START_TEST(cache_by_hand)
{
  simt_cache cache;
  simt_cache_line *entry;
  ck_assert(simt_cache_create(&cache, SIMT_CACHE_WAYS << SIMT_LINE_SHIFT)); // one set
  ck_assert_uint_eq(simt_cache_touch(&cache, 7, 3, true, false, &entry), 0);
  ck_assert_ptr_nonnull(entry);
  ck_assert_uint_eq(simt_cache_touch(&cache, 7, 6, true, false, NULL), 2); // one of two sectors
  ck_assert_uint_eq(simt_cache_touch(&cache, 7, 15, false, false, NULL), 7);
  ck_assert_uint_eq(simt_cache_touch(&cache, 8, 15, false, false, &entry), 0); // and is not kept
  ck_assert_ptr_null(entry);
  ck_assert_uint_eq(simt_cache_touch(&cache, 9, 15, true, true, NULL), 0);
  for (uint64_t line = 100; line < 100 + SIMT_CACHE_WAYS - 2; line++)
    simt_cache_touch(&cache, line, 1, true, false, NULL);
  ck_assert_uint_eq(simt_cache_touch(&cache, 7, 1, true, false, NULL), 1); // 9 is now the oldest
  ck_assert_uint_eq(cache.evicted_dirty, 0);
  simt_cache_touch(&cache, 200, 1, true, false, NULL);
  ck_assert_uint_eq(cache.evicted_dirty, 4);
  ck_assert_uint_eq(simt_cache_touch(&cache, 9, 15, true, false, NULL), 0);
  ck_assert_uint_eq(simt_cache_touch(&cache, 7, 1, true, false, NULL), 1);
  simt_cache_clear(&cache);
  ck_assert_uint_eq(simt_cache_touch(&cache, 7, 1, true, false, NULL), 0);
  simt_cache_destroy(&cache);
}
END_TEST

// Of 17 lines read over and over, in a cache with room for 16, how many in 100 hit.
static unsigned percent_of_a_little_too_much(bool replaces_any) {
  enum { ROUNDS = 1000, LINES = SIMT_CACHE_WAYS + 1 };
  simt_cache cache;
  unsigned hits = 0;
  ck_assert(simt_cache_create(&cache, SIMT_CACHE_WAYS << SIMT_LINE_SHIFT)); // one set
  cache.replaces_any = replaces_any;
  for (int i = 0; i < ROUNDS * LINES; i++)
    hits += simt_cache_touch(&cache, (uint64_t)i % LINES, 1, true, false, NULL);
  simt_cache_destroy(&cache);
  return 100 * hits / (ROUNDS * LINES);
}

START_TEST(only_the_l1_survives_a_loop_that_is_a_little_too_large)
{
  ck_assert_uint_eq(percent_of_a_little_too_much(false), 0); // the oldest goes: always the next one
  unsigned percent = percent_of_a_little_too_much(true);     // 1 - m, where m = 1 - exp(-17/16 m)
  ck_assert_msg(percent >= 80 && percent <= 94, "%u %% hit", percent);
}
END_TEST

START_TEST(l1_keeps_what_a_loop_reads_again)
{
  simt_model_time t = run("again", 132, 128, 64);
  ck_assert(t.l1_sectors > 0 && t.l1_hits > 0.9 * t.l1_sectors);
  t = run("copy", 132, 128, 1);
  ck_assert_double_eq(t.l1_hits, 0.0);
}
END_TEST

START_TEST(l2_keeps_what_a_launch_left)
{
  const double bytes = 132 * 256 * 4;
  simt_model_time cold = run("copy", 132, 256, 1), warm = go_on("copy", 132, 256, 1);
  ck_assert_double_eq(cold.dram_read_bytes, bytes);
  ck_assert_double_eq(warm.dram_read_bytes, 0.0);
  ck_assert_double_eq(warm.l2_hits, warm.l2_sectors);
  ck_assert(warm.total_ms < cold.total_ms);
  ck_assert_double_eq(run("copy", 132, 256, 1).dram_read_bytes, bytes); // cleared: cold again
  ck_assert(!cold.is_sampled);
}
END_TEST

START_TEST(dram_gives_pairs_of_sectors)
{
  const double bytes = 132 * 256 * 64;
  simt_model_time first = run("apart", 132, 256, 0), second = go_on("apart", 132, 256, 32);
  ck_assert_double_eq(first.dram_read_bytes, bytes); // a sector of each pair, and the other with it
  ck_assert_double_eq(second.dram_read_bytes, 0.0);
  ck_assert_double_eq(second.l2_hits, second.l2_sectors);
  ck_assert_double_eq(run("apart", 132, 256, 32).dram_read_bytes, bytes);
}
END_TEST

START_TEST(a_load_of_many_lines_by_hand)
{
  const simt_model_device *d = h200();
  double near = run("copy", 132, 256, 1).l1_ms, far = run("apart", 132, 256, 0).l1_ms;
  double store = d->l1_line_cycles, one = d->l1_line_cycles;
  double look_up = one + 15 * d->l1_next_line_cycles; // 16 lines
  double banks = 16 * d->l1_pass_cycles;              // 16 words apart: two of 32 banks
  ck_assert(look_up < banks);
  ck_assert_double_eq_tol(far / near, (store + banks) / (store + one), 1e-6);
}
END_TEST

START_TEST(a_sample_stands_for_all)
{
  simt_model_time t = run("copy", ELEMENTS / 256, 256, 1);
  ck_assert(t.is_sampled);
  ck_assert(fabs(t.dram_read_bytes / (ELEMENTS * 4.0) - 1.0) < 0.1);
}
END_TEST

// A launch of which few lines were sampled, then one of which all are: in the second, the L2 holds
// what the first left there, and nothing that it did not touch.
START_TEST(a_larger_sample_finds_what_a_smaller_one_left)
{
  uint64_t other, old_x = x;
  OK(simt_engine_alloc(gpu, ELEMENTS * 4, &other, &diag));
  ck_assert(run("copy", ELEMENTS / 256, 256, 1).is_sampled);
  simt_model_time warm = go_on("copy", 132, 256, 1);
  x = other;
  simt_model_time cold = go_on("copy", 132, 256, 1);
  x = old_x;
  const double bytes = 132 * 256 * 4;
  ck_assert_double_eq(warm.dram_read_bytes, 0.0);
  ck_assert_double_eq_tol(cold.dram_read_bytes, bytes, 0.1 * bytes);
  ck_assert_double_eq(cold.l2_sectors, bytes / 32);
}
END_TEST

START_TEST(exact_models_sample_nothing)
{
  tear_down();
  OK(simt_engine_create(&gpu, &(simt_engine_options){.exact_model = true}, &diag));
  OK(simt_engine_load(gpu, "kernels.ptx", ptx, strlen(ptx), &module, &diag));
  OK(simt_engine_alloc(gpu, ELEMENTS * 4, &x, &diag));
  OK(simt_engine_alloc(gpu, ELEMENTS * 4, &y, &diag));
  simt_model_time t = run("copy", ELEMENTS / 256, 256, 1);
  ck_assert(!t.is_sampled);
  ck_assert_double_eq(t.dram_read_bytes, ELEMENTS * 4.0);
  ck_assert_double_eq(t.l2_sectors, ELEMENTS * 4.0 / 32);
}
END_TEST

enum { MOST_LINES = 1 << 10 };
static const uint64_t LINES = 5 * MOST_LINES;

static void add_lines(simt_touches *touches, uint64_t first, uint64_t end) {
  ck_assert(simt_touches_begin(touches, 4, 0, MOST_LINES));
  for (uint64_t line = first; line < end; line++)
    simt_touches_add_run(touches, line * 4, line * 4 + 3, 1, (uint32_t)(line / 64), 0);
}

START_TEST(touches_beyond_the_limit_are_sampled)
{
  simt_touches t = {0};
  add_lines(&t, 0, LINES);
  ck_assert_uint_gt(t.shift, 0);
  ck_assert_uint_le(t.n, MOST_LINES);
  uint64_t line = 0;
  for (size_t i = 0; i < t.n; i++, line++) { // all lines of the sample, in order
    while (simt_cache_hash(line) & ((UINT64_C(1) << t.shift) - 1)) line++;
    ck_assert_uint_eq(t.touches[i].word, line << 4 | 15);
  }
  while (line < LINES) ck_assert(simt_cache_hash(line++) & ((UINT64_C(1) << t.shift) - 1));
  ck_assert_uint_eq(t.accesses[1].requests, LINES);
  ck_assert_uint_eq(t.accesses[1].sectors, 4 * LINES);
  simt_touches_free(&t);
}
END_TEST

START_TEST(few_touches_are_left_at_the_end)
{
  simt_touches t = {0};
  add_lines(&t, 0, LINES);
  simt_touches_settle(&t, 200); // more than one in 64
  ck_assert(t.n <= 200 && t.n > 50);
  simt_touches_settle(&t, 1);
  ck_assert(t.n <= LINES / 64 && t.n > LINES / 256);
  for (size_t i = 0; i < t.n; i++)
    ck_assert(!(simt_cache_hash(t.touches[i].word >> 4) & ((UINT64_C(1) << t.shift) - 1)));
  ck_assert(simt_touches_begin(&t, 4, 0, SIZE_MAX));
  for (uint64_t line = 0; line < 100; line++) simt_touches_add_run(&t, line, line, 0, 0, 0);
  simt_touches_settle(&t, 1);
  ck_assert_uint_eq(t.n, 100);
  simt_touches_free(&t);
}
END_TEST

START_TEST(touches_do_not_depend_on_how_blocks_are_shared_out)
{
  simt_touches whole = {0}, sum = {0}, part = {0};
  add_lines(&whole, 0, LINES);
  add_lines(&sum, 0, 64);
  for (uint64_t first = 64; first < LINES; first = first * 7 / 64 * 64) {
    add_lines(&part, first, first * 7 / 64 * 64 < LINES ? first * 7 / 64 * 64 : LINES);
    simt_touches_join(&sum, &part);
  }
  ck_assert_uint_eq(sum.shift, whole.shift);
  ck_assert_uint_eq(sum.n, whole.n);
  for (size_t i = 0; i < whole.n; i++)
    ck_assert_uint_eq(sum.touches[i].word, whole.touches[i].word);
  ck_assert_uint_eq(sum.accesses[1].sectors, whole.accesses[1].sectors);
  simt_touches_free(&whole);
  simt_touches_free(&sum);
  simt_touches_free(&part);
}
END_TEST

START_TEST(touches_that_are_alike_are_one)
{
  simt_touches t = {0};
  ck_assert(simt_touches_begin(&t, 4, 0, MOST_LINES));
  for (int i = 0; i < 5; i++) simt_touches_add_run(&t, 8, 8, 2, 0, 0);
  simt_touches_add_run(&t, 8, 8, 2, 1, 0); // another block
  simt_touches_add_run(&t, 7, 8, 2, 1, 0); // two lines
  ck_assert_uint_eq(t.n, 4);
  ck_assert_uint_eq(t.touches[0].times, 5);
  ck_assert_uint_eq(t.touches[1].times, 1);
  ck_assert_uint_eq(t.touches[2].word, 1 << 4 | 8);
  ck_assert_uint_eq(t.touches[3].word, 2 << 4 | 1);
  simt_touches_free(&t);
}
END_TEST

// ---- time --------------------------------------------------------------------------------------

START_TEST(nothing_is_faster_than_memory)
{
  simt_model_time t = run("copy", ELEMENTS / 256, 256, 1);
  ck_assert(t.total_ms - t.launch_ms > ELEMENTS * 4.0 / h200()->dram_read_gb_per_s * 1e-6);
  ck_assert(t.total_ms >= t.launch_ms + t.dram_ms);
}
END_TEST

START_TEST(more_work_is_never_faster)
{
  static const char *const kernels[] = {"compute", "divide", "again", "follow", "barriers"};
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    double before = 0.0;
    for (uint32_t n = 8; n <= 128; n *= 4) {
      double now = ms_of(kernels[k], 264, 256, n);
      ck_assert_msg(now > before, "%s, %u turns: %g ms instead of %g", kernels[k], n, now, before);
      before = now;
    }
    ck_assert(ms_of(kernels[k], 2640, 256, 8) > ms_of(kernels[k], 264, 256, 8));
  }
}
END_TEST

// A chain of loads takes its latency per link; the L1's where the link is there.
START_TEST(latencies)
{
  double turns = 96, cycle_ms = 1e3 / (double)h200()->clock_hz;
  double link = (ms_of("follow", 1, 32, 128) - ms_of("follow", 1, 32, 32)) / turns / cycle_ms;
  ck_assert(link > h200()->latency_l1 && link < 2 * h200()->latency_l1);
  double barrier = (ms_of("barriers", 1, 1024, 128) - ms_of("barriers", 1, 1024, 32)) / turns;
  ck_assert(barrier / cycle_ms > h200()->latency_barrier[5]);
  ck_assert(ms_of("divide", 132, 1024, 64) > 2 * ms_of("compute", 132, 1024, 64));
}
END_TEST

// A division or a square root takes longer than a multiplication of the same type, whatever class
// its instruction is counted in.
START_TEST(quotients_and_roots_are_no_products)
{
  const isa_operation operations[] = {ISA_OPERATION_DIVIDE, ISA_OPERATION_RECIPROCAL,
                                      ISA_OPERATION_SQUARE_ROOT, ISA_OPERATION_RECIPROCAL_ROOT};
  uint32_t doubles = 0;
  for (uint32_t id = 0; id < ISA_ID_COUNT; id++) {
    const simt_instr in = {.id = (uint16_t)id, .form = ISA_LANES};
    bool asked = false;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
      asked |= isa_rows[id].operation == operations[i] && isa_rows[id].form == ISA_LANES;
    if (!asked) continue;
    const simt_machine_op op = simt_machine_op_of(&in);
    ck_assert_msg(op < SIMT_OP_COUNT, "%s", isa_rows[id].name);
    ck_assert_msg(h200()->op[op].latency > 1.5 * h200()->op[SIMT_OP_fp64].latency, "%s",
                  isa_rows[id].name);
    doubles += op == SIMT_OP_div_f64 || op == SIMT_OP_sqrt_f64;
  }
  ck_assert_uint_ge(doubles, 3); // div, rcp and sqrt
}
END_TEST

START_TEST(a_match_costs_by_its_different_values)
{
  enum { BLOCKS = 132 * 2 };
  double one = ms_of("matches", BLOCKS, 256, 0), two = ms_of("matches", BLOCKS, 256, 1),
         half = ms_of("matches", BLOCKS, 256, 15), all = ms_of("matches", BLOCKS, 256, 31);
  ck_assert_msg(one <= two && two < half && half < all, "%g %g %g %g", one, two, half, all);
  // 16 warps of an SM, 64 matches each; the launch aside.
  double cycles = h200()->op[SIMT_OP_match].interval * 16 * 64;
  ck_assert_double_eq_tol(all - half, cycles / 2 / (double)h200()->clock_hz * 1e3, 0.1 * all);
}
END_TEST

// A chain of matches grows with its values as it was measured on an H100.
START_TEST(a_chain_of_matches_is_as_long_as_measured)
{
  static const uint32_t values[] = {1, 2, 4, 8, 16, 32};
  double measured[33] = {0};
  FILE *file = fopen(MATCH_DATA, "r");
  ck_assert_msg(file != NULL, "%s", MATCH_DATA);
  char line[256];
  unsigned k;
  double cycles;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "%u,0,%lf", &k, &cycles) == 2 && k <= 32) measured[k] = cycles;
  fclose(file);
  double one = ms_of("match_chain", 1, 32, 0);
  for (size_t i = 1; i < sizeof values / sizeof *values; i++) {
    double longer = (ms_of("match_chain", 1, 32, values[i] - 1) - one) * (double)h200()->clock_hz;
    double wanted = measured[values[i]] - measured[1]; // of a missing row: below zero
    ck_assert_msg(fabs(longer * 1e-3 / 64 - wanted) < 0.02 * wanted + 1, "%u values: %g cycles, %g",
                  values[i], longer * 1e-3 / 64, wanted);
  }
}
END_TEST

// One block of 1,024 has a thousand times as much to do: all others are done long before.
START_TEST(a_long_block_counts)
{
  double uneven = ms_of("uneven", 1024, 128, 4000), short_ones = ms_of("uneven", 1024, 128, 4);
  double alone = ms_of("compute", 1, 128, 4000);
  ck_assert(uneven > 5 * short_ones);
  ck_assert_msg(uneven > 0.4 * alone && uneven < 2.0 * alone, "%g and %g ms", uneven, alone);
}
END_TEST

// Float additions to one address go one after another, as fast as was measured.
START_TEST(same_address_atomics)
{
  double serial = 1024.0 * 256 / h200()->atomic_same_float_g_per_s * 1e-6;
  double one = ms_of("add_one", 1024, 256, 1), own = ms_of("add_own", 1024, 256, 1);
  ck_assert(one > serial && one < 1.1 * serial);
  ck_assert(own < 0.1 * one);
}
END_TEST

START_TEST(waiting_for_blocks_is_not_judged)
{
  ck_assert(run("copy", 4, 64, 1).is_judged);
  ck_assert(run("again", 4, 64, 4).is_judged);
  ck_assert(!run("wait_for", 4, 64, 1).is_judged);
  ck_assert_int_eq(simt_engine_beyond(gpu), SIMT_BLOCKS_WAIT);
}
END_TEST

START_TEST(limits_have_names)
{
  ck_assert_str_eq(run("copy", 4, 64, 1).limiter, "grid");
  ck_assert_str_eq(run("copy", 8192, 32, 1).limiter, "blocks");
  simt_model_time t = run("copy", 4096, 256, 1);
  ck_assert_str_eq(t.limiter, "threads");
  ck_assert_uint_eq(t.resident_blocks, 8);
}
END_TEST

START_TEST(an_empty_launch_costs_the_gap)
{
  simt_model_time t = run("compute", 1, 32, 0);
  ck_assert(t.total_ms > t.launch_ms && t.total_ms < 3 * t.launch_ms);
}
END_TEST

START_TEST(copies)
{
  const size_t gib = (size_t)1 << 30;
  double device = simt_model_copy_ms(h200(), gib, SIMT_COPY_DEVICE_TO_DEVICE);
  double copy_ms = 2.0 * (double)gib / h200()->copy_gb_per_s * 1e-6;
  ck_assert(device > copy_ms && device < 1.05 * copy_ms);
  ck_assert(simt_model_copy_ms(h200(), gib, SIMT_COPY_HOST_TO_DEVICE) > 10 * device);
  ck_assert(simt_model_copy_ms(h200(), gib, SIMT_COPY_SET) < device);
  ck_assert(simt_model_copy_ms(h200(), 0, SIMT_COPY_DEVICE_TO_DEVICE) > 0.0);
}
END_TEST

static Suite *suite(void) {
  const TTest *const tests[] = {devices,
                                occupancy,
                                cache_by_hand,
                                only_the_l1_survives_a_loop_that_is_a_little_too_large,
                                l1_keeps_what_a_loop_reads_again,
                                l2_keeps_what_a_launch_left,
                                dram_gives_pairs_of_sectors,
                                a_load_of_many_lines_by_hand,
                                a_sample_stands_for_all,
                                a_larger_sample_finds_what_a_smaller_one_left,
                                exact_models_sample_nothing,
                                touches_beyond_the_limit_are_sampled,
                                few_touches_are_left_at_the_end,
                                touches_do_not_depend_on_how_blocks_are_shared_out,
                                touches_that_are_alike_are_one,
                                nothing_is_faster_than_memory,
                                more_work_is_never_faster,
                                latencies,
                                quotients_and_roots_are_no_products,
                                a_match_costs_by_its_different_values,
                                a_chain_of_matches_is_as_long_as_measured,
                                a_long_block_counts,
                                same_address_atomics,
                                waiting_for_blocks_is_not_judged,
                                limits_have_names,
                                an_empty_launch_costs_the_gap,
                                copies};
  Suite *s = suite_create("model");
  TCase *c = tcase_create("model");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_set_timeout(c, 60);
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) tcase_add_test(c, tests[i]);
  suite_add_tcase(s, c);
  return s;
}

int main(void) { return run_suite(suite()); }
