// SPDX-License-Identifier: MIT
// test_load.c - modules with thousands of kernels, functions and variables: what they hold is
// found, and eight times as many take about eight times as long to load, not 64 times.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "decode/module.h"
#include "runtime/platform.h"
#include "run_suite.h"

static const char *const item =
    ".shared .align 4 .b8 shared%u[128];\n"
    ".global .align 4 .u32 global%u = %u;\n"
    ".const .align 4 .u32 constant%u = 7;\n"
    ".visible .func (.param .b32 r) function%u(.param .b32 a)\n{\n"
    "  .reg .b32 %%r<3>;\n  ld.param.u32 %%r1, [a];\n  add.u32 %%r2, %%r1, 1;\n"
    "  st.param.b32 [r], %%r2;\n  ret;\n}\n"
    ".visible .entry kernel%u(.param .u64 p)\n{\n"
    "  .reg .b64 %%rd<2>;\n  .reg .b32 %%r<8>;\n  .reg .pred %%p1;\n"
    "  ld.param.u64 %%rd1, [p];\n  mov.u32 %%r1, %%tid.x;\n"
    "  st.shared.u32 [shared%u], %%r1;\n  bar.sync 0;\n  ld.shared.u32 %%r3, [shared%u+4];\n"
    "  ld.global.u32 %%r4, [global%u];\n  ld.const.u32 %%r5, [constant%u];\n"
    "  {\n  .param .b32 p0;\n  .param .b32 q0;\n  st.param.b32 [p0], %%r3;\n"
    "  call.uni (q0), function%u, (p0);\n  ld.param.b32 %%r6, [q0];\n  }\n"
    "  setp.lt.u32 %%p1, %%r6, 5;\n  @%%p1 bra $L;\n  add.u32 %%r6, %%r6, %%r4;\n"
    "$L:\n  st.global.u32 [%%rd1], %%r6;\n  ret;\n}\n";

static char *module_text(uint32_t n, size_t *bytes) {
  const size_t room = 1024 * (size_t)n + 128;
  char *text = malloc(room);
  ck_assert(text != NULL);
  size_t at = (size_t)snprintf(text, room, ".version 7.8\n.target sm_80\n.address_size 64\n");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  for (uint32_t i = 0; i < n; i++)
    at += (size_t)snprintf(text + at, room - at, item, i, i, i, i, i, i, i, i, i, i, i);
#pragma GCC diagnostic pop
  ck_assert_uint_lt(at, room);
  return *bytes = at, text;
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check_contents(const simt_module *module, uint32_t n) {
  char name[32];
  ck_assert_uint_eq(simt_module_n_kernels(module), n);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t address, size;
    snprintf(name, sizeof name, "kernel%u", i);
    ck_assert(simt_module_kernel(module, name) == simt_module_kernel_at(module, i));
    snprintf(name, sizeof name, "global%u", i);
    ck_assert_int_eq(simt_module_variable(module, name, &address, &size), SIMT_OK);
    ck_assert_uint_eq(size, 4);
  }
  simt_kernel_info info;
  simt_kernel_describe(simt_module_kernel_at(module, n - 1), &info);
  ck_assert_uint_eq(info.static_shared_bytes, 128);
  ck_assert_uint_eq(info.const_bytes, 4 * (uint64_t)n);
  ck_assert(simt_module_kernel(module, "kernel") == NULL);
}

// Processor time for loading a module of n kernels, looking everything up and unloading it.
static double load_seconds(uint32_t n) {
  size_t bytes;
  char *text = module_text(n, &bytes);
  simt_memory *memory;
  simt_module *module;
  simt_diag diag = {0};
  ck_assert_int_eq(simt_memory_create_on(&memory, UINT64_C(1) << 30, simt_host_platform()),
                   SIMT_OK);
  const double before = cpu_seconds();
  ck_assert_msg(simt_module_load(&module, memory, "many.ptx", text, bytes, &diag) == SIMT_OK, "%s",
                diag.text);
  check_contents(module, n);
  simt_module_unload(module);
  const double seconds = cpu_seconds() - before;
  simt_memory_destroy(memory);
  free(text);
  return seconds;
}

static double least_of(uint32_t n) {
  double least = load_seconds(n);
  for (int i = 0; i < 2; i++) {
    const double again = load_seconds(n);
    if (again < least) least = again;
  }
  return least;
}

START_TEST(thousands_of_kernels_load_in_linear_time)
{
  const double few = least_of(500), many = least_of(4000);
  ck_assert_msg(many <= 20 * few, "500 kernels load in %.3f s, 4000 in %.3f s", few, many);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("load");
  TCase *tcase = tcase_create("load");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, thousands_of_kernels_load_in_linear_time);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
