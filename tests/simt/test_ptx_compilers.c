// SPDX-License-Identifier: MIT
// test_ptx_compilers.c - the parser on the real output of clang and nvcc (tests/simt/ptx), whole
// and with too little memory for it.
#include "ptx_fixture.h"
#include "run_suite.h"

static char *read_file(const char *name, size_t *size) {
  char path[1024];
  const char *slash = strrchr(__FILE__, '/');
  int folder = slash != NULL ? (int)(slash - __FILE__) + 1 : 0;
  snprintf(path, sizeof path, "%.*sptx/%s", folder, __FILE__, name);
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "cannot open %s", path);
  char *text = malloc(1 << 20);
  *size = fread(text, 1, 1 << 20, file);
  fclose(file);
  return text;
}

static void parse_file(const char *name) {
  size_t size;
  char *text = read_file(name, &size);
  simt_status status = ptx_parse(&module, name, text, size, 0, &diag);
  free(text); // the module keeps a copy
  ck_assert_msg(status == SIMT_OK, "%s", diag.text);
}

START_TEST(clang_output)
{
  parse_file("clang14.ptx");
  ck_assert_uint_eq(module->version_major * 10 + module->version_minor, 64);
  ck_assert_uint_eq(module->n_functions, 4);
  const ptx_function *sum = function("sum");
  ck_assert_uint_eq(sum->n_params, 4);
  ck_assert_uint_eq(sum->params[3].offset_bytes, 24);
  ck_assert_uint_eq(sum->param_bytes, 48);
  ck_assert_uint_eq(sum->variables[1].size_bytes, 128);
  ck_assert_int_eq(sum->variables[1].space, PTX_SPACE_SHARED);
  expect_bytes("scale", 16, "0000803f0000003f000000c000000000");
  expect_bytes("table", 24,
               "010000000200000003000000040000000500000"
               "0faffffff");
  expect_bytes("origin", 24, "07000000000000009a9999999999b93f6162000000000000");
  expect_str(variable("where")->relocs[0].symbol, "counter");
  ck_assert(variable("where")->relocs[0].generic);
  uint32_t n_calls = 0, n_shuffles = 0;
  for (uint32_t i = 0; i < sum->n_instrs; i++) {
    n_calls += simt_str_is(sum->instrs[i].opcode, "call");
    n_shuffles += simt_str_is(sum->instrs[i].opcode, "shfl");
  }
  ck_assert_uint_eq(n_calls, 2);
  ck_assert_uint_eq(n_shuffles, 10);
}
END_TEST

// clang writes no inlined_at; its debug sections say where calls were inlined.
START_TEST(clang_inlining_is_unwound)
{
  static const char *const files[] = {"clang14_inlined.ptx", "clang19_inlined.ptx"};
  parse_file(files[_i]);
  const ptx_function *k = function("_Z1kPKfPfi");
  uint32_t n_loads = 0, n_stores = 0;
  for (uint32_t i = 0; i < k->n_instrs; i++) {
    const ptx_instr *instr = &k->instrs[i];
    if (instr->n_suffixes == 0 || !simt_str_is(instr->suffixes[0], "global")) continue;
    bool is_load = simt_str_is(instr->opcode, "ld");
    char where[256];
    ptx_describe_loc(module, instr->loc, instr->line, where, sizeof where);
    ck_assert_str_eq(where, is_load ? "inlined.cu:5 (inlined at inlined.cu:10, inlined.cu:15)"
                                    : "inlined.cu:14");
    n_loads += is_load;
    n_stores += !is_load;
  }
  ck_assert_uint_eq(n_loads, 1);
  ck_assert_uint_eq(n_stores, 1);
}
END_TEST

START_TEST(nvcc_output)
{
  static const char *const files[] = {"nvcc_sm75.ptx", "nvcc_sm90.ptx"};
  parse_file(files[_i]);
  const ptx_function *sum = function("_Z3sumPKfPfi");
  ck_assert_uint_eq(sum->max_threads[0], 256);
  ck_assert_uint_eq(sum->param_bytes, 20);
  ck_assert(function("vprintf")->is_extern);
  ck_assert(variable("shared_counter")->is_managed);
  expect_bytes("shared_counter", 4, "07000000");
  ck_assert(variable("dynamic")->is_extern);
  const ptx_function *mixed = function("_Z5mixedP6__halfP7__half2PdPyPFiiE");
  uint32_t n_indirect = 0;
  for (uint32_t i = 0; i < mixed->n_instrs; i++)
    n_indirect += simt_str_is(mixed->instrs[i].opcode, "call") &&
                  mixed->instrs[i].operands[1].kind == PTX_OPERAND_REGISTER;
  ck_assert_uint_eq(n_indirect, 1);
  if (_i != 0) return;
  for (uint32_t i = 0; i < sum->n_instrs; i++) {
    if (sum->instrs[i].operands[1].kind != PTX_OPERAND_SPECIAL) continue;
    char where[256];
    ptx_describe_loc(module, sum->instrs[i].loc, sum->instrs[i].line, where, sizeof where);
    ck_assert_str_eq(where, "driver_abi.h:83 (inlined at driver_abi.h:66, driver_abi.h:92, ..., "
                            "nvcc_kernels.cu:21)");
    return;
  }
  ck_abort_msg("no special register is read");
}
END_TEST

START_TEST(exhausted_memory_is_a_status_everywhere)
{
  size_t size, needed = 0;
  char *text = read_file("nvcc_sm90.ptx", &size);
  for (size_t limit = 1; needed == 0; limit += limit < 40000 ? 101 : 997) {
    simt_status status = ptx_parse(&module, "k", text, size, limit, &diag);
    if (status == SIMT_OK) needed = limit;
    else ck_assert_int_eq(status, SIMT_OUT_OF_MEMORY);
  }
  ck_assert_uint_gt(needed, module->arena.used_bytes);
  ck_assert_uint_lt(needed, 4u << 20);
  free(text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ptx_compilers");
  TCase *tcase = tcase_create("compilers");
  tcase_add_checked_fixture(tcase, setup, teardown);
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, clang_output);
  tcase_add_loop_test(tcase, clang_inlining_is_unwound, 0, 2);
  tcase_add_loop_test(tcase, nvcc_output, 0, 2);
  tcase_add_test(tcase, exhausted_memory_is_a_status_everywhere);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
