// SPDX-License-Identifier: MIT
// test_analysis.c - the load-time analyses of a kernel's code: which atomics have one address per
// warp, whether the order of atomics may affect results, and which loads compilers may have
// hoisted. Provenance is tested with the accesses that it explains, in test_events.c.
#include "core_fixture.h"
#include "decode/decode.h"
#include "run_suite.h"

// A kernel k(.u64 p, .u32 m) around `body`, loaded.
static core_run loaded(const char *body) {
  char text[4096];
  snprintf(text, sizeof text,
           ".version 7.8\n.target sm_80\n.address_size 64\n.global .align 4 .u32 total[4];\n"
           ".visible .entry k(.param .u64 p, .param .u32 m)\n{\n.reg .pred %%p<6>;\n"
           ".reg .b32 %%r<12>;\n.reg .f32 %%f<4>;\n.reg .b64 %%rd<9>;\n"
           ".shared .align 16 .b8 s[64];\n%s\nret;\n}\n",
           body);
  core_run run = core_load(text);
  ck_assert_msg(run.status == SIMT_OK, "%s", run.diag.text);
  return run;
}

// ---- which atomics have one address per warp
// -----------------------------------------------------

static bool uniform(const char *body) {
  core_run run = loaded(body);
  bool result = simt_module_kernel(run.module, "k")->facts.atomics_are_uniform;
  core_free(&run);
  return result;
}

#define POINTER "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
#define ELEMENT "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"

START_TEST(uniform_atomics)
{
  ck_assert(uniform(POINTER "red.global.add.u32 [%rd2], 1;"));
  ck_assert(uniform(POINTER "atom.global.add.u32 %r1, [%rd2+4], 1;"));
  ck_assert(uniform("atom.global.add.u32 %r1, [total+4], 1;"));
  ck_assert(uniform(POINTER "mov.u32 %r1, %ctaid.x;\n" ELEMENT "red.global.add.u32 [%rd4], 1;"));
  ck_assert(uniform(POINTER "mov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\nadd.u32 %r3, %r2, %r1;\n"
                            "atom.shared.add.u32 %r4, [%r3], 1;"));
  ck_assert(uniform("mov.u32 %r1, %tid.x;")); // no atomics at all
}
END_TEST

START_TEST(atomics_that_differ_between_lanes)
{
  static const char *const sources[] = {
      "mov.u32 %r1, %tid.x;\n",
      "mov.u32 %r1, %laneid;\n",
      "mov.u32 %r1, %lanemask_lt;\n",
      "mov.u32 %r1, %clock;\n",
      "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;\n",
      "mov.u32 %r2, %tid.x;\nsetp.lt.u32 %p1, %r2, 3;\nmov.u32 %r1, 0;\n@%p1 mov.u32 %r1, 1;\n",
      "ld.global.u32 %r1, [%rd2];\n"};
  char body[1024];
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    snprintf(body, sizeof body, "%s%s%s", POINTER, sources[i],
             ELEMENT "red.global.add.u32 [%rd4], 1;");
    ck_assert_msg(!uniform(body), "%s", sources[i]);
  }
  ck_assert( // what makes the address differ comes later, in a loop
      !uniform("TOP:\natom.global.add.u32 %r1, [%rd2], 1;\nmul.wide.u32 %rd2, %r1, 4;\nbra TOP;"));
  ck_assert(!uniform(POINTER "mov.u32 %r1, %tid.x;\n" ELEMENT
                             "red.global.add.u32 [%rd2], 1;\nred.global.add.u32 [%rd4], 1;"));
}
END_TEST

// ---- may the order of atomics affect results?
// --------------------------------------------------------------

static bool shows_order(const char *body) {
  core_run run = loaded(body);
  bool result = simt_module_kernel(run.module, "k")->facts.atomics_show_order;
  core_free(&run);
  return result;
}

START_TEST(order_of_atomics)
{
  ck_assert(!shows_order("mov.u32 %r1, 1;"));
  ck_assert(!shows_order("red.global.add.u32 [total], 1;"));
  ck_assert(!shows_order("atom.global.add.u32 %r1, [total], 1;"));
  ck_assert(!shows_order("atom.global.add.u32 _, [total], 1;"));
  ck_assert(!shows_order("atom.global.add.u32 %r1, [total], 1;\nmov.u32 %r1, 2;"));
  ck_assert(shows_order("atom.global.add.u32 %r1, [total], 1;\nst.shared.u32 [s], %r1;"));
  ck_assert(shows_order("atom.global.add.u32 %r1, [total], %r1;"));
  ck_assert(shows_order("atom.shared.exch.b32 %r1, [s], 1;\nsetp.eq.u32 %p1, %r1, 0;"));
  ck_assert(shows_order("red.global.add.f32 [total], 0f3f800000;"));
  ck_assert(shows_order("red.shared.add.f32 [s], 0f3f800000;"));
}
END_TEST

// ---- loads that compilers hoist
// ----------------------------------------------------------------

// The sets of elements of the first load that it may load speculatively.
static unsigned speculative(const char *body) {
  core_run run = loaded(body);
  const simt_kernel *k = simt_module_kernel(run.module, "k");
  unsigned sets = 0;
  for (uint32_t pc = 0; pc < k->n_code && k->facts.speculative; pc++) {
    if (k->code[pc].form != ISA_LOAD) continue;
    sets = k->facts.speculative[pc];
    break;
  }
  core_free(&run);
  return sets;
}

#define CONDITION "ld.param.u32 %r9, [m];\nsetp.ne.u32 %p1, %r9, 0;\n"
#define LOAD "ld.shared.u32 %r1, [s+4];\n"
#define SELECT "selp.u32 %r2, %r1, 0, %p1;\n"
#define STORE "st.global.u32 [total], %r2;\n"

START_TEST(a_selection_asks_for_a_value)
{
  ck_assert_uint_eq(speculative(CONDITION LOAD SELECT STORE), 2); // the set of element 0
  ck_assert_uint_eq(speculative(CONDITION LOAD "add.u32 %r1, %r1, 5;\n" SELECT STORE), 2);
  ck_assert_uint_eq(speculative(CONDITION LOAD "@%p1 st.global.u32 [total], %r1;"), 2);
  ck_assert_uint_eq(speculative(CONDITION LOAD "@!%p1 bra OUT;\nmov.u32 %r2, 0;\n" STORE "OUT:"),
                    2);
  ck_assert_uint_eq(speculative(LOAD), 2); // no use at all
  ck_assert_uint_eq(speculative(LOAD "mov.u32 %r1, 0;\nmov.u32 %r2, %r1;\n" STORE), 2);
}
END_TEST

START_TEST(uses_without_a_condition)
{
  static const char *const bodies[] = {
      LOAD "mov.u32 %r2, %r1;\n" STORE, "ld.shared.u32 %r2, [s];\n" STORE,
      LOAD "setp.gt.u32 %p2, %r1, 3;\n@%p2 bra OUT;\nOUT:",
      LOAD "setp.gt.u32 %p1, %r1, 3;\n" SELECT STORE, // the predicate comes of the value
      LOAD "cvt.u64.u32 %rd3, %r1;\nadd.u64 %rd4, %rd2, %rd3;\nld.global.u32 %r3, [%rd4];\n",
      LOAD "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\n",
      // beyond a branch: such a load was written above it by the programmer
      CONDITION LOAD "@%p1 bra OUT;\nmov.u32 %r2, %r1;\n" STORE "OUT:",
      // a second use, of the value itself
      CONDITION LOAD SELECT STORE "st.global.u32 [total+4], %r1;\n"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    ck_assert_msg(speculative(bodies[i]) == 0, "%s", bodies[i]);
}
END_TEST

START_TEST(an_address_of_its_own_is_asked_for)
{
  ck_assert_uint_eq(
      speculative(CONDITION "mov.u64 %rd3, s;\nld.shared.u32 %r1, [%rd3];\n" SELECT STORE), 0);
  ck_assert_uint_eq(speculative(CONDITION "ld.shared.u32 %r1, [4];\n" SELECT STORE), 0);
}
END_TEST

START_TEST(elements_of_a_vector_are_distinguished)
{
  // element 1 is used at once, element 0 where a condition asks for it
  ck_assert_uint_eq(speculative(CONDITION "ld.shared.v2.u32 {%r1, %r3}, [s];\n" SELECT STORE
                                          "st.global.u32 [total+4], %r3;\n"),
                    1u << 1);
  ck_assert_uint_eq(speculative(CONDITION "ld.shared.v2.u32 {%r1, %r3}, [s];\n" SELECT STORE),
                    1u << 1 | 1u << 2 | 1u << 3);
}
END_TEST

// A function that is called is part of the kernel, as often as it is called.
START_TEST(calls_are_followed)
{
  static const char text[] =
      ".version 7.8\n.target sm_80\n.address_size 64\n.global .align 4 .u32 total;\n"
      ".func bump() { .reg .b32 %r<2>;\natom.global.add.u32 %r1, [total], 1;\n"
      "st.global.u32 [total], %r1;\nret; }\n"
      ".func unused() { red.global.add.f32 [total], 0f3f800000; ret; }\n"
      ".visible .entry k()\n{ call bump; call bump; ret; }\n"
      ".visible .entry quiet()\n{ red.global.add.u32 [total], 1; ret; }\n";
  core_run run = core_load(text);
  ck_assert_msg(run.status == SIMT_OK, "%s", run.diag.text);
  ck_assert(simt_module_kernel(run.module, "k")->facts.atomics_show_order);
  ck_assert(!simt_module_kernel(run.module, "quiet")->facts.atomics_show_order);
  core_free(&run);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("analysis");
  TCase *c = tcase_create("analysis");
  tcase_add_test(c, uniform_atomics);
  tcase_add_test(c, atomics_that_differ_between_lanes);
  tcase_add_test(c, order_of_atomics);
  tcase_add_test(c, a_selection_asks_for_a_value);
  tcase_add_test(c, uses_without_a_condition);
  tcase_add_test(c, an_address_of_its_own_is_asked_for);
  tcase_add_test(c, elements_of_a_vector_are_distinguished);
  tcase_add_test(c, calls_are_followed);
  suite_add_tcase(suite, c);
  return run_suite(suite);
}
