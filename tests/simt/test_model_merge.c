// SPDX-License-Identifier: MIT
// test_model_merge.c - which PTX instructions the model takes for one machine instruction: how many
// cycles of a scheduler the body of a loop costs, counted by hand.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "run_suite.h"

static const simt_model_device *h200(void) { return simt_model_find("h200"); }

typedef struct body {
  const char *what, *text;
  double slots; // of its warp's scheduler, a turn
} body;

// %r1: the number of turns; %r4, %r5: words that are there; %r10 ... %r13: what the body computes,
// of which %r13 is stored behind the loop. %p2: whether the thread's number is odd.
static const body bodies[] = {
    {"nothing", "", 0},
    {"a sum of two", "add.s32 %r10, %r10, %r4;\n", 1},
    {"a sum of three", "add.s32 %r11, %r10, %r4; add.s32 %r10, %r11, %r5;\n", 1},
    {"with a difference", "sub.u32 %r11, %r10, %r4; add.u32 %r10, %r5, %r11;\n", 1},
    {"a sum of four",
     "add.s32 %r11, %r10, %r4; add.s32 %r11, %r11, %r5; add.s32 %r10, %r11, %r1;\n", 2},
    {"a sum of five",
     "add.s32 %r11, %r10, %r4; add.s32 %r11, %r11, %r5; add.s32 %r11, %r11, %r1;\n"
     "add.s32 %r10, %r11, %r4;\n",
     2},
    {"two sums in one",
     "add.s32 %r11, %r10, %r4; add.s32 %r12, %r10, %r5; add.s32 %r10, %r11, %r12;\n", 2},
    {"read twice", "add.s32 %r11, %r10, %r4; add.s32 %r10, %r11, %r5; xor.b32 %r12, %r12, %r11;\n",
     3},
    {"read behind the loop", "add.s32 %r13, %r10, %r4; add.s32 %r10, %r13, %r5;\n", 2},
    {"only sometimes", "@%p2 add.s32 %r11, %r10, %r4; add.s32 %r10, %r11, %r5;\n", 2},
    {"three words' bits", "and.b32 %r11, %r10, %r4; xor.b32 %r10, %r11, %r5;\n", 1},
    {"not as well", "not.b32 %r11, %r4; and.b32 %r10, %r10, %r11;\n", 1},
    {"a sum and bits", "add.s32 %r11, %r10, %r4; xor.b32 %r10, %r11, %r5;\n", 2},
    {"bits and a sum", "and.b32 %r11, %r10, %r4; add.s32 %r10, %r11, %r5;\n", 2},
    {"a shift and a sum", "shl.b32 %r11, %r10, 3; add.s32 %r10, %r11, %r5;\n", 1},
    {"by how much is not known", "shl.b32 %r11, %r5, %r10; add.s32 %r10, %r11, %r5;\n", 2},
    {"of 64 bits", "add.s64 %rd3, %rd4, %rd5; add.s64 %rd4, %rd3, %rd5;\n", 2 * 4.0204},
    {"a known field", "bfe.u32 %r10, %r10, 6, 6;\n", 2},
    {"a signed one", "bfe.s32 %r10, %r10, 6, 6;\n", 2},
};

static simt_engine *gpu;
static simt_diag diag;

#define OK(call) ck_assert_msg((call) == SIMT_OK, "%s: %s", #call, diag.text)

// Cycles that a scheduler issues for one warp of 128 threads per SM, over that many turns.
static double issued(const char *text, uint32_t turns) {
  char ptx[2048];
  simt_module *module;
  uint64_t out;
  snprintf(ptx, sizeof ptx,
           ".version 7.8\n.target sm_80\n.address_size 64\n"
           ".visible .entry k(.param .u64 p_out, .param .u32 p_n) {\n"
           ".reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%rd<8>;\n"
           "ld.param.u64 %%rd1, [p_out]; ld.param.u32 %%r1, [p_n];\n"
           "mov.u32 %%r4, %%tid.x; mov.u32 %%r5, %%ntid.x; mov.u32 %%r6, 0; mov.u32 %%r10, %%r4;\n"
           "and.b32 %%r11, %%r4, 1; setp.eq.u32 %%p2, %%r11, 1; mov.u32 %%r12, 0;\n"
           "mov.u32 %%r13, 0; mov.u64 %%rd4, 0; mov.u64 %%rd5, 1;\n"
           "$loop:\n%s"
           "add.s32 %%r6, %%r6, 1; setp.lt.u32 %%p1, %%r6, %%r1; @%%p1 bra $loop;\n"
           "st.global.u32 [%%rd1], %%r13; ret; }\n",
           text);
  OK(simt_engine_create(&gpu, &(simt_engine_options){0}, &diag));
  OK(simt_engine_load(gpu, "k.ptx", ptx, strlen(ptx), &module, &diag));
  OK(simt_engine_alloc(gpu, 4, &out, &diag));
  const void *arguments[] = {&out, &turns};
  simt_launch launch = {.kernel = simt_module_kernel(module, "k"),
                        .grid = {h200()->n_sms, 1, 1},
                        .block = {128, 1, 1}};
  simt_run *run;
  OK(simt_run_begin(&run, gpu, &launch, arguments, 2, &diag));
  simt_run_advance(run, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  OK(simt_run_end(run));
  double cycles = simt_engine_last_time(gpu)->issue_ms * 1e-3 * (double)h200()->clock_hz;
  simt_engine_unload(gpu, module);
  simt_engine_destroy(gpu);
  return cycles;
}

static double slots_of(const char *text) { return (issued(text, 200) - issued(text, 100)) / 100; }

START_TEST(what_one_instruction_does)
{
  double loop = slots_of("");
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    double slots = slots_of(bodies[i].text) - loop;
    ck_assert_msg(fabs(slots - bodies[i].slots) < 0.01, "%s: %g, not %g", bodies[i].what, slots,
                  bodies[i].slots);
  }
}
END_TEST

static Suite *suite(void) {
  Suite *s = suite_create("model_merge");
  TCase *c = tcase_create("model_merge");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, what_one_instruction_does);
  suite_add_tcase(s, c);
  return s;
}

int main(void) { return run_suite(suite()); }
