// SPDX-License-Identifier: MIT
// test_stepper.c - the engine as a debugger uses it: a kernel is run instruction by instruction,
// line by line and barrier by barrier, and queried at every stop: where it is, and what it holds.
// It is linked with the engine alone: no CUDA runtime, no host threads.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "run_suite.h"

enum { BLOCK = 128, N_WARPS = BLOCK / SIMT_LANES };

// Lines of warp_sum.ptx that the tests stop at.
enum {
  PTX_FIRST = 21,
  PTX_LOAD = 48,
  LINE_CHECK = 11,  // if (i < n)
  LINE_LOAD = 12,   //   sum = in[i]
  LINE_FOLD = 14,   // sum += __shfl_down_sync(…)
  LINE_STORE = 16,  // partial[warp] = sum
  LINE_BARRIER = 17 // __syncthreads()
};

// ---- Fixture.

static char ptx[16384];
static simt_engine *gpu;
static simt_module *module;
static uint64_t in, out;
static int32_t numbers[2 * BLOCK];
static simt_diag diag;

static void read_ptx(void) {
  FILE *file = fopen(ENGINE_TEST_DIR "/warp_sum.ptx", "r");
  ck_assert_ptr_nonnull(file);
  size_t n = fread(ptx, 1, sizeof ptx - 1, file);
  ptx[n] = '\0';
  fclose(file);
}

#define OK(call) ck_assert_msg((call) == SIMT_OK, "%s: %s", #call, diag.text)

static void make_gpu(unsigned checkers, const char *text) {
  OK(simt_engine_create(&gpu, &(simt_engine_options){.checkers = checkers}, &diag));
  OK(simt_engine_load(gpu, "warp_sum.ptx", text, strlen(text), &module, &diag));
  for (int i = 0; i < 2 * BLOCK; i++) numbers[i] = 3 * i + 1;
  OK(simt_engine_alloc(gpu, sizeof numbers, &in, &diag));
  OK(simt_engine_alloc(gpu, 2 * sizeof(int32_t), &out, &diag));
  OK(simt_engine_write(gpu, in, numbers, sizeof numbers, &diag));
}

static void set_up(void) {
  read_ptx();
  make_gpu(SIMT_CHECK_ALL, ptx);
}

static void tear_down(void) {
  simt_engine_unload(gpu, module);
  simt_engine_destroy(gpu);
}

static simt_run *begin(uint32_t n_blocks, int32_t n) {
  const void *arguments[] = {&in, &out, &n};
  simt_launch launch = {.kernel = simt_module_kernel(module, "warp_sum"),
                        .grid = {n_blocks, 1, 1},
                        .block = {BLOCK, 1, 1}};
  simt_run *run;
  OK(simt_run_begin(&run, gpu, &launch, arguments, 3, &diag));
  return run;
}

static simt_place where(const simt_run *run) {
  simt_place at;
  OK(simt_run_current(run, &at));
  return at;
}

static bool step(simt_run *run) {
  return simt_run_advance(run, SIMT_UNTIL_END, 1) == SIMT_EXECUTION_HELD;
}

// Runs on to the line of warp_sum.ptx, in block `resident`, warp `warp`.
static simt_place go_to(simt_run *run, uint32_t ptx_line, uint32_t warp) {
  simt_run_advance(run, SIMT_UNTIL_END, 0);
  while (where(run).ptx_line != ptx_line || where(run).warp != warp) ck_assert(step(run));
  return where(run);
}

static bool is_line(const simt_place *at, const char *file, uint32_t line) {
  return simt_str_is(at->file, file) && at->line == line;
}

// ---- The example of engine.h, as it stands there.

START_TEST(example_of_the_header)
{
  int32_t host[32], result, n = 32, n_shown = 0;
  uint64_t sum, values;
  simt_engine *device;
  simt_module *code;
  simt_run *run;
  for (int i = 0; i < 32; i++) host[i] = i;
  OK(simt_engine_create(&device, &(simt_engine_options){.checkers = SIMT_CHECK_ALL}, &diag));
  OK(simt_engine_load(device, "warp_sum.ptx", ptx, strlen(ptx), &code, &diag));
  OK(simt_engine_alloc(device, sizeof host, &values, &diag));
  OK(simt_engine_alloc(device, 4, &sum, &diag));
  OK(simt_engine_write(device, values, host, sizeof host, &diag));
  const void *arguments[] = {&values, &sum, &n};
  simt_launch launch = {
      .kernel = simt_module_kernel(code, "warp_sum"), .grid = {1, 1, 1}, .block = {32, 1, 1}};
  OK(simt_run_begin(&run, device, &launch, arguments, 3, &diag));
  while (simt_run_advance(run, SIMT_UNTIL_END, 1) == SIMT_EXECUTION_HELD) {
    simt_place at;
    simt_values r;
    OK(simt_run_current(run, &at));
    OK(simt_run_register(run, at.resident, at.warp, "%r16", &r));
    if (r.valid == SIMT_FULL_MASK) n_shown++;
  }
  OK(simt_run_end(run));
  OK(simt_engine_read(device, &result, sum, 4, &diag));
  ck_assert_int_eq(result, 31 * 32 / 2);
  ck_assert_int_eq(n_shown, 3); // in front of the shuffle of %r16, of the add, and of what follows
  simt_engine_unload(device, code);
  simt_engine_destroy(device);
}
END_TEST

// ---- Single steps: 32 lanes of a register after each shuffle.

typedef struct model { // what %r<folded> holds after the fold by `offset`
  const char *folded;
  uint32_t offset, behind_ptx_line;
} model;

START_TEST(registers_while_single_stepping)
{
  static const model folds[] = {
      {"%r16", 16, 53}, {"%r18", 8, 57}, {"%r20", 4, 61}, {"%r22", 2, 65}};
  simt_run *run = begin(1, BLOCK);
  for (uint32_t warp = 0; warp < N_WARPS; warp++) {
    uint32_t expected[SIMT_LANES];
    for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
      expected[lane] = (uint32_t)numbers[warp * SIMT_LANES + lane];
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
      simt_values r;
      go_to(run, folds[i].behind_ptx_line, warp);
      OK(simt_run_register(run, 0, warp, folds[i].folded, &r));
      ck_assert_uint_eq(r.valid, 0); // not yet
      ck_assert(step(run));
      OK(simt_run_register(run, 0, warp, folds[i].folded, &r));
      ck_assert_uint_eq(r.valid, SIMT_FULL_MASK);
      ck_assert_int_eq(r.type, PTX_B32);
      uint32_t before[SIMT_LANES];
      memcpy(before, expected, sizeof before);
      for (uint32_t lane = 0; lane < SIMT_LANES; lane++) {
        uint32_t from = lane + folds[i].offset < SIMT_LANES ? lane + folds[i].offset : lane;
        expected[lane] = before[lane] + before[from];
        ck_assert_uint_eq(r.value[lane], expected[lane]);
      }
    }
  }
  ck_assert_int_eq(simt_run_end(run), SIMT_OK); // given up half-way
}
END_TEST

START_TEST(every_step_is_one_instruction)
{
  simt_run *run = begin(2, 2 * BLOCK);
  ck_assert_int_eq(simt_run_state(run), SIMT_EXECUTION_BEGUN);
  simt_place at;
  ck_assert_int_eq(simt_run_current(run, &at), SIMT_NOT_FOUND);
  ck_assert_int_eq(simt_run_advance(run, SIMT_UNTIL_END, 0), SIMT_EXECUTION_HELD);
  at = where(run);
  ck_assert_uint_eq(at.ptx_line, PTX_FIRST);
  ck_assert(simt_str_starts(at.ptx, "ld.param.u32"));
  ck_assert_uint_eq(at.mask, SIMT_FULL_MASK);
  ck_assert_int_eq(simt_run_advance(run, SIMT_UNTIL_END, 0), SIMT_EXECUTION_HELD);
  ck_assert_uint_eq(where(run).pc, at.pc); // a budget of nothing changes nothing
  uint64_t n = 0;
  do n++;
  while (step(run));
  ck_assert_int_eq(simt_run_state(run), SIMT_EXECUTION_FINISHED);
  ck_assert_int_eq(simt_run_current(run, &at), SIMT_NOT_FOUND);
  ck_assert_uint_eq(simt_run_blocks_done(run), 2);
  simt_counters c;
  OK(simt_run_counters(run, &c));
  ck_assert_uint_eq(c.warp_instructions, n);
  ck_assert_int_eq(simt_run_end(run), SIMT_OK);
  ck_assert_uint_eq(simt_engine_last(gpu)->warp_instructions, n);
  int32_t sums[2], expected[2] = {0};
  OK(simt_engine_read(gpu, sums, out, sizeof sums, &diag));
  for (int i = 0; i < 2 * BLOCK; i++) expected[i / BLOCK] += numbers[i];
  ck_assert_mem_eq(sums, expected, sizeof sums);
  ck_assert_uint_eq(simt_findings_errors(simt_engine_findings(gpu)), 0);
}
END_TEST

// ---- Lines.

START_TEST(line_by_line)
{
  static const uint32_t lines[] = {6, 0, 8, 0, 9, 11, 12, 14, 15, 16, 15, 16, 17}; // 0: a header's
  simt_run *run = begin(1, BLOCK);
  simt_run_advance(run, SIMT_UNTIL_END, 0);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    simt_place at = where(run);
    ck_assert_uint_eq(at.warp, 0);
    if (lines[i])
      ck_assert_msg(is_line(&at, "warp_sum.cu", lines[i]), "stop %zu: line %u", i, at.line);
    else ck_assert(simt_str_is(at.file, "__clang_cuda_builtin_vars.h"));
    if (i + 1 < sizeof lines / sizeof *lines || lines[i] == LINE_BARRIER)
      simt_run_advance(run, SIMT_UNTIL_LINE, SIMT_NO_BUDGET);
    if (!lines[i] && simt_str_is(where(run).file, "__clang_cuda_builtin_vars.h"))
      simt_run_advance(run, SIMT_UNTIL_LINE, SIMT_NO_BUDGET); // two variables in a row
  }
  simt_place at = where(run); // the warp waits at the barrier: the next one begins
  ck_assert_uint_eq(at.warp, 1);
  ck_assert_uint_eq(at.ptx_line, PTX_FIRST);
  simt_run_end(run);
}
END_TEST

START_TEST(line_steps_have_a_budget)
{
  simt_run *run = begin(1, BLOCK);
  simt_run_advance(run, SIMT_UNTIL_END, 0);
  while (!is_line(&(simt_place){0}, "", 1) && where(run).line != LINE_FOLD) ck_assert(step(run));
  uint32_t pc = where(run).pc;
  simt_run_advance(run, SIMT_UNTIL_LINE, 3);
  ck_assert_uint_eq(where(run).pc, pc + 3);
  simt_run_end(run);
}
END_TEST

// ---- Barriers, and shared memory by bank.

START_TEST(barrier_and_banks)
{
  simt_run *run = begin(1, BLOCK);
  ck_assert_int_eq(simt_run_advance(run, SIMT_UNTIL_BARRIER, SIMT_NO_BUDGET), SIMT_EXECUTION_HELD);
  uint32_t words[2][SIMT_BANKS];
  ck_assert_uint_eq(simt_run_shared(run, 0, 0, 2, words), 1); // 32 words: one row
  for (uint32_t warp = 0; warp < N_WARPS; warp++) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < SIMT_LANES; i++) sum += (uint32_t)numbers[warp * SIMT_LANES + i];
    ck_assert_uint_eq(words[0][warp], sum);
  }
  for (uint32_t bank = N_WARPS; bank < SIMT_BANKS; bank++)
    ck_assert_uint_eq(words[0][bank], SIMT_POISON_WORD);
  ck_assert_uint_eq(words[1][0], 0); // beyond its end
  const simt_shared_variable *array = simt_run_shared_array(run, "_ZZ8warp_sumE7partial");
  ck_assert_ptr_nonnull(array);
  ck_assert_uint_eq(array->size_bytes, 128);
  ck_assert_ptr_null(simt_run_shared_array(run, "partial"));
  for (uint32_t warp = 0; warp < N_WARPS; warp++) { // all are behind it
    simt_warp_view w;
    OK(simt_run_warp(run, 0, warp, &w));
    ck_assert_uint_eq(w.n_groups, 1);
    ck_assert_int_eq(w.groups[0].state, SIMT_GROUP_READY);
    ck_assert(is_line(&w.groups[0].at, "warp_sum.cu", LINE_BARRIER + 1));
  }
  simt_counters c;
  OK(simt_run_counters(run, &c));
  ck_assert_uint_eq(c.block_barriers, 1);
  ck_assert_uint_eq(c.shared_store_requests, N_WARPS);
  ck_assert_uint_eq(c.shared_load_requests, 0);
  ck_assert_uint_eq(c.shuffles, 5 * N_WARPS);
  // There is no second one.
  ck_assert_int_eq(simt_run_advance(run, SIMT_UNTIL_BARRIER, SIMT_NO_BUDGET),
                   SIMT_EXECUTION_FINISHED);
  simt_run_end(run);
}
END_TEST

START_TEST(waiting_at_a_barrier)
{
  simt_run *run = begin(1, BLOCK);
  go_to(run, PTX_FIRST, 2); // warps 0 and 1 wait
  simt_warp_view w;
  for (uint32_t warp = 0; warp < 2; warp++) {
    OK(simt_run_warp(run, 0, warp, &w));
    ck_assert_uint_eq(w.n_groups, 1);
    ck_assert_int_eq(w.groups[0].state, SIMT_GROUP_AT_BARRIER);
    ck_assert_uint_eq(w.groups[0].barrier, 0);
    ck_assert(!w.groups[0].is_next);
    ck_assert(is_line(&w.groups[0].at, "warp_sum.cu", LINE_BARRIER));
  }
  OK(simt_run_warp(run, 0, 3, &w));
  ck_assert_int_eq(w.groups[0].state, SIMT_GROUP_READY);
  ck_assert_int_eq(simt_run_warp(run, 0, N_WARPS, &w), SIMT_NOT_FOUND);
  ck_assert_int_eq(simt_run_warp(run, 1, 0, &w), SIMT_NOT_FOUND);
  simt_run_end(run);
}
END_TEST

// ---- Divergence.

START_TEST(masks_of_diverged_lanes)
{
  simt_run *run = begin(1, 40); // of warp 1, lanes 0 to 7 have a number
  simt_place at = go_to(run, PTX_LOAD, 1);
  ck_assert_uint_eq(at.mask, 0xff);
  ck_assert(is_line(&at, "warp_sum.cu", LINE_LOAD));
  simt_warp_view w;
  OK(simt_run_warp(run, 0, 1, &w));
  ck_assert_uint_eq(w.lanes, SIMT_FULL_MASK);
  ck_assert_uint_eq(w.alive, SIMT_FULL_MASK);
  ck_assert_uint_eq(w.n_groups, 2);
  ck_assert(w.groups[0].is_next && !w.groups[1].is_next);
  ck_assert_uint_eq(w.groups[0].at.mask, 0xff);
  ck_assert_int_eq(w.groups[1].state, SIMT_GROUP_AT_RECONVERGENCE);
  ck_assert_uint_eq(w.groups[1].at.mask, 0xffffff00);
  ck_assert_uint_eq(w.groups[1].wait_mask, 0xff);
  ck_assert(is_line(&w.groups[1].at, "warp_sum.cu", LINE_FOLD));
  simt_values r; // a predicate over lanes that stand at two places
  OK(simt_run_register(run, 0, 1, "%p1", &r));
  ck_assert_int_eq(r.type, PTX_PRED);
  OK(simt_run_register(run, 0, 1, "%rd2", &r)); // only those on this side have the address
  ck_assert_uint_eq(r.valid & 0xff, 0xff);
  for (uint32_t lane = 0; lane < 8; lane++) ck_assert_uint_eq(r.value[lane], in + 4 * (32 + lane));
  ck_assert(step(run));
  ck_assert_uint_eq(where(run).mask, SIMT_FULL_MASK); // they have reconverged
  simt_run_end(run);
}
END_TEST

START_TEST(threads_that_have_left)
{
  simt_run *run = begin(1, BLOCK);
  simt_block_view b;
  ck_assert_int_eq(simt_run_block(run, 0, &b), SIMT_NOT_FOUND);
  ck_assert_uint_eq(simt_run_n_resident(run), 0);
  simt_run_advance(run, SIMT_UNTIL_BARRIER, SIMT_NO_BUDGET);
  ck_assert_uint_eq(simt_run_n_resident(run), 1);
  OK(simt_run_block(run, 0, &b));
  ck_assert(b.threads == BLOCK && b.n_warps == N_WARPS && b.exited == 0 && !b.is_done);
  while (b.exited < BLOCK - SIMT_LANES) {
    ck_assert(step(run));
    OK(simt_run_block(run, 0, &b));
  }
  simt_warp_view w;
  uint32_t n_gone = 0;
  for (uint32_t warp = 0; warp < N_WARPS; warp++) {
    OK(simt_run_warp(run, 0, warp, &w));
    n_gone += !w.alive && !w.n_groups;
  }
  ck_assert_uint_eq(n_gone, N_WARPS - 1);
  ck_assert_uint_eq(simt_run_blocks_done(run), 0);
  simt_run_end(run);
}
END_TEST

// ---- What goes wrong.

START_TEST(state_after_a_fault)
{
  simt_run *run = begin(3, 3 * BLOCK); // the third block reads past the end
  ck_assert_int_eq(simt_run_advance(run, SIMT_UNTIL_END, 100000), SIMT_EXECUTION_FAULTED);
  ck_assert_int_eq(simt_run_advance(run, SIMT_UNTIL_END, 1), SIMT_EXECUTION_FAULTED);
  ck_assert_int_eq(simt_run_diag(run)->status, SIMT_ILLEGAL_ADDRESS);
  ck_assert_ptr_nonnull(strstr(simt_run_diag(run)->text, "warp_sum.cu:12"));
  simt_place at = where(run);
  ck_assert(is_line(&at, "warp_sum.cu", LINE_LOAD));
  ck_assert_uint_eq(at.warp, 0);
  ck_assert_uint_eq(at.ptx_line, PTX_LOAD);
  simt_values address;
  OK(simt_run_register(run, at.resident, at.warp, "%rd2", &address));
  ck_assert_uint_eq(address.valid, SIMT_FULL_MASK);
  ck_assert_uint_eq(address.value[0], in + sizeof numbers);
  simt_block_view b;
  OK(simt_run_block(run, at.resident, &b));
  ck_assert_uint_eq(b.index, 2);
  ck_assert_int_eq(simt_run_end(run), SIMT_ILLEGAL_ADDRESS);
}
END_TEST

static void cut_out(char *text, const char *part) {
  char *at = strstr(text, part);
  ck_assert_ptr_nonnull(at);
  memset(at, ' ', strlen(part));
}

START_TEST(findings_while_it_runs)
{
  tear_down();
  cut_out(ptx, "bar.sync \t0;");
  make_gpu(SIMT_CHECK_ALL, ptx);
  simt_findings *findings = simt_engine_findings(gpu);
  simt_run *run = begin(1, BLOCK);
  while (!simt_findings_errors(findings)) ck_assert(step(run));
  ck_assert_int_eq(simt_run_state(run), SIMT_EXECUTION_HELD); // found when it happens
  char text[4096];
  simt_text_buffer buffer = {.text = text, .capacity_bytes = sizeof text};
  simt_sink to = simt_buffer_sink(&buffer);
  simt_findings_print_errors(findings, &to, 4);
  ck_assert_msg(strstr(text, "warp_sum.cu:20") != NULL, "%s", text);
  simt_run_end(run);
}
END_TEST

// ---- Names, arguments, memory.

START_TEST(names_and_arguments)
{
  simt_run *run = begin(1, 77);
  simt_run_advance(run, SIMT_UNTIL_END, 0);
  simt_values r;
  ck_assert_int_eq(simt_run_register(run, 0, 0, "%nothing", &r), SIMT_NOT_FOUND);
  ck_assert_int_eq(simt_run_register(run, 0, 99, "%r16", &r), SIMT_NOT_FOUND);
  bool seen = false;
  for (uint32_t i = 0; i < simt_run_n_registers(run); i++) {
    simt_str name;
    ptx_type type;
    OK(simt_run_register_name(run, i, &name, &type));
    seen |= simt_str_is(name, "%rd5") && ptx_type_size_bytes(type) == 8;
  }
  ck_assert(seen);
  const ptx_param *param;
  const uint8_t *bytes;
  int32_t n;
  OK(simt_run_argument(run, 2, &param, &bytes));
  memcpy(&n, bytes, sizeof n);
  ck_assert_int_eq(n, 77);
  ck_assert(simt_str_is(param->name, "warp_sum_param_2"));
  ck_assert_int_eq(simt_run_argument(run, 3, &param, &bytes), SIMT_NOT_FOUND);
  simt_run_end(run);
  const void *arguments[] = {&in, NULL, &n};
  simt_launch launch = {
      .kernel = simt_module_kernel(module, "warp_sum"), .grid = {1, 1, 1}, .block = {32, 1, 1}};
  ck_assert_int_eq(simt_run_begin(&run, gpu, &launch, arguments, 2, &diag), SIMT_INVALID_ARGUMENT);
  ck_assert_ptr_null(run);
  ck_assert_int_eq(simt_run_begin(&run, gpu, &launch, arguments, 3, &diag), SIMT_INVALID_ARGUMENT);
  launch.block[0] = 2048;
  arguments[1] = &out;
  ck_assert_int_eq(simt_run_begin(&run, gpu, &launch, arguments, 3, &diag),
                   SIMT_INVALID_CONFIGURATION);
}
END_TEST

START_TEST(memory_of_the_device)
{
  uint64_t a, b;
  uint8_t bytes[64];
  OK(simt_engine_alloc(gpu, 64, &a, &diag));
  OK(simt_engine_alloc(gpu, 64, &b, &diag));
  OK(simt_engine_set(gpu, a, 7, 64, &diag));
  OK(simt_engine_copy(gpu, b + 32, a, 32, &diag));
  OK(simt_engine_read(gpu, bytes, b + 32, 32, &diag));
  for (int i = 0; i < 32; i++) ck_assert_int_eq(bytes[i], 7);
  ck_assert_uint_eq(simt_findings_notes(simt_engine_findings(gpu)), 0);
  OK(simt_engine_read(gpu, bytes, b, 64, &diag)); // its first half is uninitialised: a note
  ck_assert_int_eq(bytes[0], SIMT_POISON_BYTE);
  ck_assert_uint_eq(simt_findings_notes(simt_engine_findings(gpu)), 1);
  ck_assert_int_eq(simt_engine_read(gpu, bytes, a + 1, 64, &diag), SIMT_ILLEGAL_ADDRESS);
  ck_assert_int_eq(simt_engine_write(gpu, a + 1, bytes, 64, &diag), SIMT_ILLEGAL_ADDRESS);
  ck_assert_int_eq(simt_engine_copy(gpu, a, b + 1, 64, &diag), SIMT_ILLEGAL_ADDRESS);
  ck_assert_int_eq(simt_engine_set(gpu, 0, 0, 1, &diag), SIMT_ILLEGAL_ADDRESS);
  OK(simt_engine_free(gpu, a, &diag));
  ck_assert_int_eq(simt_engine_free(gpu, a, &diag), SIMT_NOT_FOUND);
  ck_assert_int_eq(simt_engine_read(gpu, bytes, a, 1, &diag), SIMT_ILLEGAL_ADDRESS);
  ck_assert_uint_gt(simt_engine_device(gpu)->n_sms, 0);
}
END_TEST

// ---- Output, other clients' observers, two devices at once.

static void collect(void *data, const char *text, size_t bytes) { strncat(data, text, bytes); }

START_TEST(output_comes_through_the_callback)
{
  static const char text[] =
      ".version 7.1\n.target sm_80\n.address_size 64\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".global .align 1 .b8 hello[7] = {104, 101, 108, 108, 111, 10, 0};\n"
      ".visible .entry k()\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\n"
      "mov.u32 %r1, %laneid;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra END;\n"
      "mov.u64 %rd1, hello;\ncvta.global.u64 %rd2, %rd1;\n{\n"
      ".param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %rd2;\n"
      "mov.u64 %rd1, 0;\nst.param.b64 [a], %rd1;\ncall.uni (r), vprintf, (f, "
      "a);\n}\nEND:\nret;\n}\n";
  simt_module *code;
  OK(simt_engine_load(gpu, "print.ptx", text, strlen(text), &code, &diag));
  char seen[64] = "";
  simt_launch launch = {.kernel = simt_module_kernel(code, "k"),
                        .grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .print = collect,
                        .print_data = seen};
  simt_run *run;
  OK(simt_run_begin(&run, gpu, &launch, NULL, 0, &diag));
  while (step(run)) {}
  ck_assert_int_eq(simt_run_end(run), SIMT_OK);
  ck_assert_str_eq(seen, "hello\nhello\n");
  simt_engine_unload(gpu, code);
}
END_TEST

START_TEST(two_devices_side_by_side)
{
  simt_engine *first = gpu;
  simt_module *first_module = module;
  uint64_t first_out = out;
  simt_run *a = begin(1, BLOCK);
  make_gpu(0, ptx);
  simt_run *b = begin(1, 5);
  bool more = true;
  for (int turn = 0; more; turn++) {
    bool of_a = simt_run_advance(a, SIMT_UNTIL_END, 3) == SIMT_EXECUTION_HELD;
    bool of_b = simt_run_advance(b, SIMT_UNTIL_END, 2) == SIMT_EXECUTION_HELD;
    more = of_a || of_b;
  }
  simt_run_end(a);
  simt_run_end(b);
  int32_t sum_a, sum_b, expected = 0;
  OK(simt_engine_read(first, &sum_a, first_out, 4, &diag));
  OK(simt_engine_read(gpu, &sum_b, out, 4, &diag));
  for (int i = 0; i < BLOCK; i++) expected += numbers[i];
  ck_assert_int_eq(sum_a, expected);
  ck_assert_int_eq(sum_b, 1 + 4 + 7 + 10 + 13);
  ck_assert_uint_eq(simt_engine_n_launches(gpu), 1);
  simt_engine_unload(first, first_module);
  simt_engine_destroy(first);
}
END_TEST

START_TEST(reset_keeps_findings_and_counters)
{
  int32_t sums[2];
  simt_run *run = begin(1, BLOCK);
  simt_run_advance(run, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  simt_run_end(run);
  OK(simt_engine_read(gpu, sums, out, sizeof sums, &diag)); // the second one is uninitialised
  ck_assert_double_gt(simt_engine_last_ms(gpu), 0.0);
  simt_engine_unload(gpu, module);
  OK(simt_engine_reset(gpu, &diag));
  ck_assert_int_eq(simt_engine_read(gpu, sums, out, 4, &diag), SIMT_ILLEGAL_ADDRESS);
  ck_assert_uint_eq(simt_findings_notes(simt_engine_findings(gpu)), 1);
  ck_assert_uint_eq(simt_engine_total(gpu)->launches, 1);
  simt_engine_clear_total(gpu);
  ck_assert_uint_eq(simt_engine_total(gpu)->launches, 0);
  OK(simt_engine_load(gpu, "warp_sum.ptx", ptx, strlen(ptx), &module, &diag));
}
END_TEST

int main(void) {
  TCase *tests = tcase_create("stepper");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, example_of_the_header);
  tcase_add_test(tests, registers_while_single_stepping);
  tcase_add_test(tests, every_step_is_one_instruction);
  tcase_add_test(tests, line_by_line);
  tcase_add_test(tests, line_steps_have_a_budget);
  tcase_add_test(tests, barrier_and_banks);
  tcase_add_test(tests, waiting_at_a_barrier);
  tcase_add_test(tests, masks_of_diverged_lanes);
  tcase_add_test(tests, threads_that_have_left);
  tcase_add_test(tests, state_after_a_fault);
  tcase_add_test(tests, findings_while_it_runs);
  tcase_add_test(tests, names_and_arguments);
  tcase_add_test(tests, memory_of_the_device);
  tcase_add_test(tests, output_comes_through_the_callback);
  tcase_add_test(tests, two_devices_side_by_side);
  tcase_add_test(tests, reset_keeps_findings_and_counters);
  Suite *suite = suite_create("stepper");
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
