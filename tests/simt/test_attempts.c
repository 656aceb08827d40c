// SPDX-License-Identifier: MIT
// test_attempts.c - plain loads that only decide whether an atomic on the same address is tried, in
// the forms that compilers give them.
#include "core_fixture.h"
#include "decode/decode.h"
#include "device/observer.h"
#include "run_suite.h"

// What is known of the first load of `word` in a kernel k(.u64 p, .u32 m) around `body`, which
// finds m in %r9, the global address p in %rd2 and a value of the thread's own in %r1 and %f1.
static uint32_t attempts(const char *body) {
  char text[4096];
  snprintf(text, sizeof text,
           ".version 7.8\n.target sm_80\n.address_size 64\n.global .align 8 .b8 word[8];\n"
           ".visible .entry k(.param .u64 p, .param .u32 m)\n{\n.reg .pred %%p<9>;\n"
           ".reg .b32 %%r<12>;\n.reg .f32 %%f<4>;\n.reg .b64 %%rd<12>;\n"
           "ld.param.u64 %%rd1, [p];\ncvta.to.global.u64 %%rd2, %%rd1;\nld.param.u32 %%r9, [m];\n"
           "mov.u32 %%r1, %%tid.x;\nmov.b32 %%f1, %%r1;\n%s\nret;\n}\n",
           body);
  core_run run = core_load(text);
  ck_assert_msg(run.status == SIMT_OK, "%s\n%s", body, run.diag.text);
  const simt_kernel *k = simt_module_kernel(run.module, "k");
  uint32_t found = 0;
  for (uint32_t pc = 0; pc < k->n_code && k->facts.attempts; pc++) {
    const simt_instr *in = &k->code[pc];
    if (in->form != ISA_LOAD || in->memory.space == PTX_SPACE_PARAM) continue;
    found = k->facts.attempts[pc];
    break;
  }
  core_free(&run);
  return found;
}

enum {
  MAX_SIGNED = 1 << ISA_ATOM_MAX,
  MIN_SIGNED = 1 << ISA_ATOM_MIN,
  MAX_UNSIGNED = 1 << (ISA_ATOM_MAX + SIMT_ATTEMPT_UNSIGNED),
  MIN_UNSIGNED = 1 << (ISA_ATOM_MIN + SIMT_ATTEMPT_UNSIGNED)
};
#define ANY UINT32_MAX

typedef struct attempt_case {
  const char *body;
  uint32_t operations; // 0: the load is to be ordered
} attempt_case;

static void expect_all(const attempt_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const uint32_t found = attempts(cases[i].body);
    ck_assert_msg(found == cases[i].operations, "%x, expected %x:\n%s", found, cases[i].operations,
                  cases[i].body);
  }
}
#define EXPECT(cases) expect_all(cases, sizeof(cases) / sizeof *(cases))

#define LOAD "ld.global.u32 %r2, [word];\n"
#define MAX "atom.global.max.s32 %r3, [word], %r1;\n"
#define MIN "atom.global.min.s32 %r3, [word], %r1;\n"
#define RED "red.global.max.s32 [word], %r1;\n"
#define SKIP "@%p1 bra OUT;\n"
#define STORE "st.global.u32 [%rd2], %r1;\n"

START_TEST(extremes)
{
  static const attempt_case cases[] = {
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX "OUT:", MAX_SIGNED},
      {LOAD "setp.lt.s32 %p1, %r1, %r2;\n" SKIP MAX "OUT:", MAX_SIGNED},
      {LOAD "setp.ge.s32 %p1, %r2, %r1;\n" SKIP RED "OUT:", MAX_SIGNED},
      {LOAD "setp.eq.s32 %p1, %r2, %r1;\n" SKIP RED "OUT:", MAX_SIGNED},
      {LOAD "setp.ge.s32 %p1, %r1, %r2;\n" SKIP MIN "OUT:", MIN_SIGNED},
      {LOAD "setp.gt.s32 %p1, %r1, %r2;\n@!%p1 bra OUT;\n" MAX "OUT:", MAX_SIGNED},
      {LOAD "setp.gt.s32 %p1, %r1, %r2;\n@%p1 red.global.max.s32 [word], %r1;\n", MAX_SIGNED},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n@%p1 exit;\n" MAX, MAX_SIGNED},
      // the atomic stands behind the end
      {LOAD "setp.gt.s32 %p1, %r1, %r2;\n@%p1 bra COLD;\nOUT: ret;\nCOLD:\n" MAX "bra OUT;\n",
       MAX_SIGNED},
      {LOAD "setp.ge.u32 %p1, %r1, %r2;\n" SKIP "red.global.min.u32 [word], %r1;\nOUT:",
       MIN_UNSIGNED},
      {"ld.global.u64 %rd3, [word];\nsetp.le.u64 %p1, %rd2, %rd3;\n" SKIP
       "red.global.max.u64 [word], %rd2;\nOUT:",
       MAX_UNSIGNED},
      // x + 1 > *most, as compilers write it
      {LOAD "setp.lt.s32 %p1, %r1, %r2;\n" SKIP
            "add.s32 %r4, %r1, 1;\nred.global.max.s32 [word], %r4;\nOUT:",
       MAX_SIGNED},
      {LOAD "setp.gt.s32 %p1, %r1, %r2;\n" SKIP
            "add.s32 %r4, %r1, -1;\nred.global.min.s32 [word], %r4;\nOUT:",
       MIN_SIGNED},
      // floats, by their bits
      {"ld.global.f32 %f2, [word];\nsetp.leu.f32 %p1, %f1, %f2;\n" SKIP
       "mov.b32 %r4, %f1;\nred.global.max.s32 [word], %r4;\nOUT:",
       MAX_SIGNED},
      {"ld.global.f32 %f2, [word];\nsetp.leu.f32 %p1, %f1, %f2;\n" SKIP
       "setp.lt.f32 %p2, %f1, 0f00000000;\nmov.b32 %r4, %f1;\n@%p2 bra BELOW;\n"
       "red.global.max.s32 [word], %r4;\nbra.uni OUT;\nBELOW:\nred.global.min.u32 [word], %r4;\n"
       "OUT:",
       MAX_SIGNED | MIN_UNSIGNED}};
  EXPECT(cases);
}
END_TEST

START_TEST(extremes_that_lack_something)
{
  static const attempt_case cases[] = {
      // the wrong way round
      {LOAD "setp.ge.s32 %p1, %r1, %r2;\n" SKIP MAX "OUT:", 0},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MIN "OUT:", 0},
      {LOAD "setp.lt.s32 %p1, %r1, %r2;\n@%p1 red.global.max.s32 [word], %r1;\n", 0},
      {LOAD "setp.gt.s32 %p1, %r1, %r2;\n@%p1 exit;\n" MAX, 0},
      // another order, another operand
      {LOAD "setp.le.u32 %p1, %r1, %r2;\n" SKIP MAX "OUT:", 0},
      {LOAD "setp.le.s32 %p1, %r9, %r2;\n" SKIP MAX "OUT:", 0},
      {LOAD "setp.gt.s32 %p1, %r2, 99;\n" SKIP MAX "OUT:", 0},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP
            "add.s32 %r4, %r1, 1;\nred.global.max.s32 [word], %r4;\nOUT:",
       0},
      {LOAD "add.s32 %r2, %r2, -1;\nsetp.le.s32 %p1, %r1, %r2;\n" SKIP MAX "OUT:", 0},
      // another address, another atomic there
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP "red.global.max.s32 [word+4], %r1;\nOUT:", 0},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX "OUT: red.global.add.u32 [word], 1;\n", 0},
      // an effect beside it
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX STORE "OUT:", 0},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n@%p1 bra ELSE;\n" MAX "bra OUT;\nELSE:\n" STORE "OUT:", 0},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX "bar.sync 0;\nOUT:", 0},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX "st.global.u32 [%rd2], %r3;\nOUT:", 0},
      {LOAD "mov.u32 %r4, 0;\nsetp.le.s32 %p1, %r1, %r2;\n" SKIP MAX
            "mov.u32 %r4, 1;\nOUT: st.global.u32 [%rd2], %r4;\n",
       0},
      // the value is used
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX "OUT: st.global.u32 [%rd2], %r2;\n", 0},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX "OUT: selp.u32 %r4, 1, 0, %p1;\n"
            "st.global.u32 [%rd2], %r4;\n",
       0},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX "OUT: @%p1 " STORE, 0},
      {LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX
            "bra AT;\nOUT: shfl.sync.idx.b32 %r3, %r2, 0, 31, "
            "-1;\nAT:",
       0}};
  EXPECT(cases);
}
END_TEST

START_TEST(several_conditions)
{
  static const attempt_case cases[] = {
      {LOAD
       "setp.le.s32 %p2, %r1, %r2;\nsetp.gt.s32 %p3, %r1, 999;\nor.pred %p1, %p3, %p2;\n" SKIP MAX
       "OUT:",
       MAX_SIGNED},
      {"mov.pred %p4, 0;\nsetp.eq.s32 %p5, %r1, %r9;\n@%p5 bra NEXT;\n" LOAD
       "setp.gt.s32 %p4, %r1, %r2;\nNEXT: setp.gt.s32 %p3, %r1, 999;\nnot.pred %p2, %p4;\n"
       "or.pred %p1, %p3, %p2;\n" SKIP MAX "OUT:",
       MAX_SIGNED},
      {LOAD "setp.eq.s32 %p2, %r9, 0;\nsetp.le.and.s32 %p1, %r1, %r2, %p2;\n" SKIP MAX "OUT:",
       MAX_SIGNED},
      {LOAD "setp.eq.s32 %p2, %r9, 0;\nsetp.le.xor.s32 %p1, %r1, %r2, %p2;\n" SKIP MAX "OUT:", 0},
      {LOAD
       "setp.le.s32 %p1, %r1, %r2;\nsetp.gt.s32 %p2, %r1, %r2;\nor.pred %p1, %p1, %p2;\n" SKIP MAX
       "OUT:",
       0}};
  EXPECT(cases);
}
END_TEST

// A loop's index, by itself or by way of another register; what the loop loads anew.
#define TURN "add.s32 %r1, %r1, 32;\nsetp.lt.s32 %p3, %r1, %r9;\n@%p3 bra TOP;\n"
#define LIMIT "add.s32 %r1, %r1, 32;\nsetp.lt.s32 %p3, %r1, %r4;\n@%p3 bra TOP;\n"
#define STEP "add.s32 %r1, %r1, %r9;\nsetp.lt.s32 %p3, %r1, 999;\n@%p3 bra TOP;\n"
START_TEST(loops)
{
  static const attempt_case cases[] = {
      {"TOP:\n" LOAD "setp.le.s32 %p1, %r1, %r2;\n@%p1 bra NEXT;\n" MAX "NEXT:\n" TURN, MAX_SIGNED},
      // the value is loaded again after the atomic alone, and so is a limit
      {LOAD "ld.global.u32 %r4, [%rd2];\nTOP: setp.le.s32 %p1, %r1, %r2;\n@%p1 bra NEXT;\n" MAX LOAD
            "ld.global.u32 %r4, [%rd2];\nNEXT:\n" LIMIT,
       MAX_SIGNED},
      {LOAD "ld.global.u32 %r4, [%rd2];\nTOP: setp.le.s32 %p1, %r1, %r2;\n@%p1 bra NEXT;\n" MAX LOAD
            "ld.global.u32 %r4, [%rd2+4];\nNEXT:\n" LIMIT,
       0},
      // which turn was the last shows in what it has loaded
      {"TOP:\n" LOAD "setp.ge.s32 %p1, %r1, %r2;\n" SKIP MIN "ld.global.u32 %r4, [%rd2];\n"
       "add.s64 %rd2, %rd2, 128;\n" TURN "OUT: st.global.u32 [%rd2], %r4;\n",
       0},
      // it ends the loop: later indices are worth less, later values may be worth more
      {"TOP:\n" LOAD "setp.ge.s32 %p1, %r1, %r2;\n" SKIP MIN TURN "OUT:", MIN_SIGNED},
      {"TOP:\n" LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX TURN "OUT:", 0},
      {"TOP:\n" LOAD "setp.ge.s32 %p1, %r1, %r2;\n" SKIP MIN
       "add.s32 %r4, %r1, 32;\nsetp.lt.s32 %p3, %r4, %r9;\nmov.u32 %r1, %r4;\n@%p3 bra TOP;\nOUT:",
       MIN_SIGNED},
      {"TOP: ld.global.u32 %r4, [%rd2];\n" LOAD "setp.le.s32 %p1, %r4, %r2;\n" SKIP
       "red.global.max.s32 [word], %r4;\n" TURN "OUT:",
       0},
      {"TOP:\n" LOAD "setp.ge.s32 %p1, %r1, %r2;\n" SKIP MIN STEP "OUT:", MIN_SIGNED},
      {"TOP:\n" LOAD "setp.le.s32 %p1, %r1, %r2;\n" SKIP MAX STEP "OUT:", 0},
      // pointers that move side by side
      {"add.s64 %rd3, %rd2, 8;\nTOP: ld.global.u32 %r2, [%rd2];\nsetp.le.s32 %p1, %r1, %r2;\n"
       "@%p1 bra NEXT;\nadd.s64 %rd4, %rd3, -8;\nred.global.max.s32 [%rd4], %r1;\nNEXT:\n"
       "add.s64 %rd3, %rd3, 128;\nadd.s64 %rd2, %rd2, 128;\n" TURN,
       MAX_SIGNED},
      {"add.s64 %rd3, %rd2, 8;\nTOP: ld.global.u32 %r2, [%rd2];\nsetp.le.s32 %p1, %r1, %r2;\n"
       "@%p1 bra NEXT;\nadd.s64 %rd4, %rd3, -8;\nred.global.max.s32 [%rd4], %r1;\nNEXT:\n"
       "add.s64 %rd3, %rd3, 64;\nadd.s64 %rd2, %rd2, 128;\n" TURN,
       0}};
  EXPECT(cases);
}
END_TEST

#define EXCH "atom.global.exch.b32 %r3, [word], 1;\n"
#define TAKE "atom.global.add.u32 %r3, [word], -1;\n"
START_TEST(results_that_are_compared)
{
  static const attempt_case cases[] = {
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP EXCH "setp.ne.s32 %p2, %r3, 0;\n@%p2 bra OUT;\n" STORE
            "OUT:",
       ANY},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP EXCH "setp.eq.s32 %p2, %r3, 0;\n@%p2 " STORE "OUT:",
       ANY},
      {LOAD "setp.lt.s32 %p1, %r2, 0;\n@%p1 exit;\n" TAKE "setp.lt.s32 %p2, %r3, 0;\n@%p2 exit;\n"
            "st.global.u32 [%rd2], %r3;\n",
       ANY},
      // a function that returns -1 or what the atomic returns
      {LOAD "setp.lt.s32 %p1, %r2, 0;\nmov.u32 %r3, -1;\n" SKIP TAKE
            "OUT: setp.lt.s32 %p2, %r3, 0;\n@%p2 bra END;\nst.global.u32 [%rd2], %r3;\nEND:",
       ANY},
      // a bool that is stored
      {LOAD "setp.ne.s32 %p1, %r2, 0;\nmov.pred %p2, 0;\n" SKIP EXCH
            "setp.eq.s32 %p2, %r3, 0;\nOUT: selp.u32 %r4, 1, 0, %p2;\nst.global.u32 [%rd2], %r4;\n",
       ANY},
      // the atomic is made again, and what was taken is counted
      {"mov.u32 %r4, 0;\n" LOAD "setp.lt.s32 %p1, %r2, 0;\n" SKIP "mov.u32 %r4, 0;\nTOP:\n" TAKE
       "setp.lt.s32 %p2, %r3, 0;\n@%p2 bra NEXT;\nadd.s32 %r4, %r4, 1;\nNEXT:\n" LOAD
       "setp.ge.s32 %p3, %r2, 0;\n@%p3 bra TOP;\nOUT: st.global.u32 [%rd2], %r4;\n",
       ANY},
      // likewise, with a sum of what was taken
      {"mov.u32 %r4, 0;\n" LOAD "setp.ge.s32 %p1, %r2, %r9;\n" SKIP "TOP:\n" TAKE
       "setp.ge.s32 %p2, %r3, %r9;\n@%p2 bra OUT;\nadd.s32 %r4, %r4, %r3;\n" LOAD
       "setp.lt.s32 %p3, %r2, %r9;\n@%p3 bra TOP;\nOUT: st.global.u32 [%rd2], %r4;\n",
       ANY},
      // not compared; compared, but not all depends on it
      {LOAD "setp.ge.s32 %p1, %r2, %r9;\n" SKIP TAKE "OUT:", 0},
      {LOAD "setp.ge.s32 %p1, %r2, %r9;\n" SKIP TAKE "st.global.u32 [%rd2], %r3;\nOUT:", 0},
      {LOAD "setp.ge.s32 %p1, %r2, %r9;\n" SKIP TAKE "mul.wide.u32 %rd3, %r3, 4;\n"
            "add.s64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r1;\nOUT:",
       0},
      {LOAD "mov.u32 %r3, %r9;\nsetp.ge.s32 %p1, %r2, %r9;\n" SKIP TAKE
            "OUT: st.global.u32 [%rd2], %r3;\n",
       0},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP EXCH STORE
            "setp.ne.s32 %p2, %r3, 0;\n@%p2 bra OUT;\n" STORE "OUT:",
       0},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra ELSE;\n" EXCH
            "setp.ne.s32 %p2, %r3, 0;\n@%p2 bra OUT;\n" STORE "bra OUT;\nELSE:\n" STORE "OUT:",
       0},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP "atom.global.add.u32 %r3, [%rd2], 1;\n"
            "setp.ne.s32 %p2, %r3, 0;\n@%p2 bra NEXT;\n" STORE
            "NEXT:\natom.global.exch.b32 %r4, [word], 1;\n"
            "OUT:",
       0}};
  EXPECT(cases);
}
END_TEST

START_TEST(waiting_is_no_attempt)
{
  static const attempt_case cases[] = {
      {"TOP:\n" LOAD "setp.eq.s32 %p1, %r2, 0;\n@%p1 bra TOP;\n" EXCH STORE, 0},
      {"TOP:\n" LOAD "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra TOP;\n" EXCH
       "setp.ne.s32 %p2, %r3, 0;\n@%p2 bra TOP;\n" STORE,
       0},
      {LOAD "setp.eq.s32 %p1, %r2, 0;\n" SKIP STORE "OUT:\n" EXCH, 0}};
  EXPECT(cases);
}
END_TEST

START_TEST(repetitions)
{
  static const attempt_case cases[] = {
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP EXCH "OUT:", 1 << ISA_ATOM_EXCH},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP "mov.u32 %r4, 1;\nmov.u32 %r5, 0;\n"
            "atom.global.cas.b32 %r3, [word], %r5, %r4;\nOUT:",
       1 << ISA_ATOM_CAS},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP "red.global.max.s32 [word], 1;\nOUT:", MAX_SIGNED},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP EXCH "OUT: atom.global.exch.b32 %r4, [word], 1;\n",
       1 << ISA_ATOM_EXCH},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP EXCH "OUT: atom.global.exch.b32 %r4, [word], 0;\n",
       0},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP "atom.global.exch.b32 %r3, [word], %r1;\nOUT:", 0},
      {LOAD "setp.ne.s32 %p1, %r2, 0;\n" SKIP "red.global.add.u32 [word], 1;\nOUT:", 0},
      {LOAD "and.b32 %r4, %r2, %r1;\nsetp.ne.s32 %p1, %r4, 0;\n" SKIP
            "red.global.or.b32 [word], %r1;\nOUT:",
       1 << ISA_ATOM_OR},
      {LOAD "and.b32 %r4, %r1, %r2;\nsetp.eq.s32 %p1, %r4, %r1;\n" SKIP
            "red.global.or.b32 [word], %r1;\nOUT:",
       1 << ISA_ATOM_OR},
      {LOAD "and.b32 %r4, %r2, %r1;\nsetp.eq.s32 %p1, %r4, 0;\n" SKIP
            "red.global.or.b32 [word], %r1;\nOUT:",
       0},
      {LOAD "and.b32 %r4, %r2, %r9;\nsetp.ne.s32 %p1, %r4, 0;\n" SKIP
            "red.global.or.b32 [word], %r1;\nOUT:",
       0}};
  EXPECT(cases);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("attempts");
  TCase *c = tcase_create("attempts");
  tcase_add_test(c, extremes);
  tcase_add_test(c, extremes_that_lack_something);
  tcase_add_test(c, several_conditions);
  tcase_add_test(c, loops);
  tcase_add_test(c, results_that_are_compared);
  tcase_add_test(c, waiting_is_no_attempt);
  tcase_add_test(c, repetitions);
  suite_add_tcase(suite, c);
  return run_suite(suite);
}
