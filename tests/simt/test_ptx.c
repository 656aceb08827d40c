// SPDX-License-Identifier: MIT
// test_ptx.c - the PTX parser: every construct, and limits. Real output of compilers is in
// test_ptx_compilers.c, errors are in test_ptx_errors.c.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_fixture.h"
#include "run_suite.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n" // lines 1-3
#define KERNEL HEAD ".visible .entry k(.param .u64 a)\n{\n"    // lines 4-5; the body starts on 6
#define REGISTERS ".reg .pred %p<4>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n" // lines 6-8

// The body of one kernel, parsed with the registers declared.
static const ptx_function *body(const char *statements) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s\n}\n", KERNEL REGISTERS, statements);
  parse(text);
  return function("k");
}

static const ptx_operand *operand(const char *instruction, uint32_t index) {
  const ptx_function *k = body(instruction);
  ck_assert_uint_ge(k->n_instrs, 1);
  ck_assert_uint_lt(index, k->instrs[k->n_instrs - 1].n_operands);
  return &k->instrs[k->n_instrs - 1].operands[index];
}

static void expect_register(const ptx_function *k, int32_t reg, const char *name, ptx_type type) {
  ck_assert_int_ge(reg, 0);
  ck_assert_uint_lt((uint32_t)reg, k->n_registers);
  expect_str(k->registers[reg].name, name);
  ck_assert_int_eq(k->registers[reg].type, type);
}

START_TEST(header_is_read)
{
  parse("// first\n/* second\n */ .version 8.3\r\n.target sm_90a, debug\n.address_size 64\n");
  ck_assert_uint_eq(module->version_major, 8);
  ck_assert_uint_eq(module->version_minor, 3);
  expect_str(module->target, "sm_90a");
  ck_assert_uint_eq(module->address_bits, 64);
  ck_assert_str_eq(module->name, "k.ptx");
  ck_assert_uint_eq(module->n_functions + module->n_variables + module->n_locs, 0);
}
END_TEST

START_TEST(trailing_nul_bytes_are_not_text)
{
  static const char text[] = HEAD "\0\0";
  ck_assert_int_eq(ptx_parse(&module, "k", text, sizeof text, 0, &diag), SIMT_OK);
  ck_assert_uint_eq(module->text_bytes, strlen(HEAD));
}
END_TEST

START_TEST(types_have_sizes_and_names)
{
  for (int i = PTX_PRED; i < PTX_TYPE_COUNT; i++) {
    ptx_type type;
    ck_assert(ptx_type_from_name(simt_str_of(ptx_type_name((ptx_type)i)), &type));
    ck_assert_int_eq(type, i);
  }
  ck_assert_uint_eq(ptx_type_size_bytes(PTX_B128), 16);
  ck_assert_uint_eq(ptx_type_size_bytes(PTX_F16X2), 4);
  ck_assert_uint_eq(ptx_type_size_bytes(PTX_PRED), 0);
  ck_assert_uint_eq(ptx_type_size_bytes(PTX_BF16), 2);
  ptx_type type = PTX_F32;
  ck_assert(!ptx_type_from_name(SIMT_STR("f33"), &type));
  ck_assert(!ptx_type_from_name(SIMT_STR(""), &type));
  ck_assert_int_eq(type, PTX_F32);
}
END_TEST

START_TEST(parameters_are_laid_out)
{
  parse(HEAD ".visible .entry k(\n.param .u8 a,\n.param .align 16 .b8 b[20],\n"
             ".param .u64 .ptr .global .align 256 c,\n.param .f32 d,\n.param .v2 .b32 e)\n"
             ".maxntid 256, 2\n.minnctapersm 2\n.maxnreg 32\n.pragma \"nounroll\";\n"
             ".reqntid 8,4,2 .explicitcluster .maxclusterrank 4 .reqnctapercluster 2, 3\n"
             "{\nret;\n}\n");
  const ptx_function *k = function("k");
  static const uint32_t offsets[] = {0, 16, 40, 48, 56}, sizes[] = {1, 20, 8, 4, 8},
                        aligns[] = {1, 16, 8, 4, 8};
  ck_assert_uint_eq(k->n_params, 5);
  for (int i = 0; i < 5; i++) {
    ck_assert_uint_eq(k->params[i].offset_bytes, offsets[i]);
    ck_assert_uint_eq(k->params[i].size_bytes, sizes[i]);
    ck_assert_uint_eq(k->params[i].align_bytes, aligns[i]);
    ck_assert_int_eq(k->params[i].reg, -1);
  }
  ck_assert_uint_eq(k->param_bytes, 64);
  ck_assert(k->is_entry && k->is_visible && k->has_body && !k->is_extern && !k->is_weak);
  ck_assert_uint_eq(k->line, 4);
  ck_assert_uint_eq(k->max_threads[0], 256);
  ck_assert_uint_eq(k->max_threads[1], 2);
  ck_assert_uint_eq(k->max_threads[2], 1);
  ck_assert_uint_eq(k->required_threads[2], 2);
  ck_assert_uint_eq(k->required_cluster[0], 2);
  ck_assert_uint_eq(k->required_cluster[1], 3);
  ck_assert_uint_eq(k->required_cluster[2], 1);
  ck_assert_uint_eq(k->max_cluster_blocks, 4);
  ck_assert(k->is_cluster_explicit);
}
END_TEST

START_TEST(functions_are_declared_and_defined)
{
  parse(HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 x, .param .b64 y)\n;\n"
             ".func (.param .b32 r) twice(.param .b32 x);\n.weak .func nothing .noreturn;\n"
             ".func (.reg .b32 %r1) registers(.reg .b64 %rd7, .reg .pred %p1) { mov.b32 %r1, 0; }\n"
             ".entry none { ret; }\n.entry empty() { ret; }\n"
             ".func (.param .b32 r) twice(.param .b32 x) { ret; }\n");
  ck_assert_uint_eq(module->n_functions, 6);
  ck_assert(function("vprintf")->is_extern && !function("vprintf")->has_body);
  ck_assert_uint_eq(function("vprintf")->n_returns, 1);
  ck_assert_uint_eq(function("vprintf")->param_bytes, 16);
  ck_assert(function("twice")->has_body);
  ck_assert_uint_eq(function("twice")->line, 11);
  ck_assert(function("nothing")->is_weak && !function("nothing")->has_body);
  const ptx_function *registers = function("registers");
  expect_register(registers, registers->returns[0].reg, "%r1", PTX_B32);
  expect_register(registers, registers->params[0].reg, "%rd7", PTX_B64);
  expect_register(registers, registers->params[1].reg, "%p1", PTX_PRED);
  ck_assert_int_eq(registers->instrs[0].operands[0].reg, registers->returns[0].reg);
  ck_assert_uint_eq(registers->param_bytes, 0);
  ck_assert_uint_eq(function("none")->n_params + function("empty")->n_params, 0);
}
END_TEST

START_TEST(registers_resolve_by_range_and_name)
{
  const ptx_function *k =
      body(".reg .f32 x, %y<3>, z;\n.reg .b128 %q<2>;\n.reg .b16 %r1<5>, %big<4000000000>;\n"
           "add.f32 x, %y0, %y2;\nmov.b16 %r14, %r13;\nmov.b32 %r9, %big3999999999;\nmov.b128 %q1, "
           "%q1;\nmov.f32 z, x;");
  const ptx_instr *in = k->instrs;
  expect_register(k, in[0].operands[0].reg, "x", PTX_F32);
  expect_register(k, in[0].operands[2].reg, "%y2", PTX_F32);
  expect_register(k, in[1].operands[0].reg, "%r14", PTX_B16);
  expect_register(k, in[2].operands[0].reg, "%r9", PTX_B32);
  expect_register(k, in[2].operands[1].reg, "%big3999999999", PTX_B16);
  expect_register(k, in[3].operands[0].reg, "%q1", PTX_B128);
  ck_assert_int_eq(in[3].operands[0].reg, in[3].operands[1].reg);
  ck_assert_int_eq(in[4].operands[1].reg, in[0].operands[0].reg);
  ck_assert_uint_eq(k->n_registers, 9); // x, z, and of the ranges what is used
}
END_TEST

START_TEST(scopes_hide_and_end)
{
  const ptx_function *k = body("mov.b32 %r1, 1;\n{ .reg .b64 %r1; .reg .b32 %r2; mov.b64 %r1, 2;\n"
                               "{ .reg .f32 %r<3>; mov.f32 %r1, %r2; }\nmov.b64 %r1, 3; mov.b32 "
                               "%r2, 4; }\nmov.b32 %r1, %r2;");
  static const ptx_type types[] = {PTX_B32, PTX_B64, PTX_F32, PTX_B64, PTX_B32, PTX_B32};
  ck_assert_uint_eq(k->n_instrs, 6);
  for (int i = 0; i < 6; i++)
    ck_assert_int_eq(k->registers[k->instrs[i].operands[0].reg].type, types[i]);
  ck_assert_int_eq(k->instrs[1].operands[0].reg, k->instrs[3].operands[0].reg);
  ck_assert_int_eq(k->instrs[0].operands[0].reg, k->instrs[5].operands[0].reg);
  ck_assert_int_ne(k->instrs[4].operands[0].reg, k->instrs[5].operands[1].reg);
}
END_TEST

START_TEST(repeated_names_are_made_unique)
{
  const ptx_function *k = body(
      "{ .param .b32 x; st.param.b32 [x+0], %r1; }\n{ .param .b64 x; st.param.b64 [x], %rd1; }\n"
      "{ L: bra L; }\n{ bra L; L: }\nbra L; L: ld.param.u64 %rd1, [a];");
  ck_assert_uint_eq(k->n_variables, 2);
  expect_str(k->variables[0].name, "x");
  expect_str(k->variables[1].name, "x@1");
  ck_assert_int_eq(k->variables[1].type, PTX_B64);
  ck_assert_int_eq(k->variables[0].space, PTX_SPACE_PARAM);
  expect_str(k->instrs[0].operands[0].name, "x");
  ck_assert_int_eq(k->instrs[0].operands[0].reg, 0);
  expect_str(k->instrs[1].operands[0].name, "x@1");
  ck_assert_int_eq(k->instrs[1].operands[0].reg, 1);
  static const int64_t targets[] = {2, 4, 5};
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(ptx_find_label(k, k->instrs[2 + i].operands[0].name), targets[i]);
  ck_assert_int_eq(ptx_find_label(k, SIMT_STR("M")), -1);
  expect_str(k->instrs[5].operands[1].name, "a"); // the kernel's parameter
  ck_assert_int_eq(k->instrs[5].operands[1].reg, -1);
}
END_TEST

START_TEST(a_local_name_does_not_take_a_global_one)
{
  parse(HEAD ".global .u32 g;\n.entry k { .reg .b64 %r; mov.u64 %r, g;\n{ .shared .b8 g[4];\n"
             "mov.u64 %r, g; } mov.u64 %r, g; }\n");
  const ptx_function *k = function("k");
  expect_str(k->instrs[0].operands[1].name, "g");
  expect_str(k->instrs[1].operands[1].name, "g@1");
  expect_str(k->instrs[2].operands[1].name, "g");
  expect_str(k->variables[0].name, "g@1");
}
END_TEST

START_TEST(constants_of_a_body_move_to_the_module)
{
  parse(HEAD ".entry k { .reg .b32 %r; .const .u32 c[2] = {5, 6}; ld.const.u32 %r, [c+4]; }\n"
             ".entry m { .reg .b32 %r; .const .u32 c = 7; ld.const.u32 %r, [c]; }\n");
  ck_assert_uint_eq(module->n_variables, 2);
  expect_str(function("k")->instrs[0].operands[1].name, "c@@1");
  expect_str(function("m")->instrs[0].operands[1].name, "c@@2");
  ck_assert_uint_eq(variable("c@@1")->init[4], 6);
  ck_assert_uint_eq(variable("c@@2")->init[0], 7);
}
END_TEST

START_TEST(instructions_keep_guard_suffixes_and_line)
{
  const ptx_function *k = body("@!%p1 ld.global.L2::128B.v4.f32\n{%r1,%r2 , _,%r3}, [%rd1+16];\n"
                               "@%p2 bra END;\n;;\nEND: ret;");
  const ptx_instr *in = &k->instrs[0];
  expect_register(k, in->guard, "%p1", PTX_PRED);
  ck_assert(in->guard_negated && !k->instrs[1].guard_negated);
  ck_assert_uint_eq(in->line, 9);
  expect_str(in->opcode, "ld");
  static const char *const suffixes[] = {"global", "L2::128B", "v4", "f32"};
  ck_assert_uint_eq(in->n_suffixes, 4);
  for (int i = 0; i < 4; i++) expect_str(in->suffixes[i], suffixes[i]);
  ck_assert_uint_eq(in->operands[0].n_items, 4);
  ck_assert_int_eq(in->operands[0].items[2].kind, PTX_OPERAND_SINK);
  ck_assert_uint_eq(k->instrs[1].line, 11);
  ck_assert_int_eq(k->instrs[2].guard, -1);
  ck_assert_uint_eq(k->instrs[2].n_operands, 0);
  ck_assert_int_eq(ptx_find_label(k, SIMT_STR("END")), 2);
}
END_TEST

typedef struct operand_case {
  const char *instruction;
  uint32_t index;
  ptx_operand_kind kind;
  uint64_t bits;
  int64_t offset;
  const char *name; // or NULL
} operand_case;

static const operand_case operand_cases[] = {
    {"mov.u32 %r1, 42;", 1, PTX_OPERAND_INTEGER, 42, 0, NULL},
    {"mov.u32 %r1, -1;", 1, PTX_OPERAND_INTEGER, UINT64_MAX, 0, NULL},
    {"mov.u32 %r1, ~5;", 1, PTX_OPERAND_INTEGER, ~UINT64_C(5), 0, NULL},
    {"mov.u32 %r1, 0xFfU;", 1, PTX_OPERAND_INTEGER, 255, 0, NULL},
    {"mov.u32 %r1, 0b101;", 1, PTX_OPERAND_INTEGER, 5, 0, NULL},
    {"mov.u32 %r1, 017;", 1, PTX_OPERAND_INTEGER, 15, 0, NULL},
    {"mov.u32 %r1, 0;", 1, PTX_OPERAND_INTEGER, 0, 0, NULL},
    {"mov.u64 %rd1, 18446744073709551615;", 1, PTX_OPERAND_INTEGER, UINT64_MAX, 0, NULL},
    {"mov.u64 %rd1, -9223372036854775808;", 1, PTX_OPERAND_INTEGER, UINT64_C(1) << 63, 0, NULL},
    {"mov.f32 %r1, 0f3F800000;", 1, PTX_OPERAND_F32, 0x3f800000, 0, NULL},
    {"mov.f32 %r1, -0F3f800000;", 1, PTX_OPERAND_F32, 0xbf800000, 0, NULL},
    {"mov.f64 %rd1, 0d3FF8000000000000;", 1, PTX_OPERAND_F64, 0x3ff8000000000000, 0, NULL},
    {"mov.f64 %rd1, 1.5;", 1, PTX_OPERAND_F64, 0x3ff8000000000000, 0, NULL},
    {"mov.f64 %rd1, -15e-1;", 1, PTX_OPERAND_F64, 0xbff8000000000000, 0, NULL},
    {"mov.f64 %rd1, .5;", 1, PTX_OPERAND_F64, 0x3fe0000000000000, 0, NULL},
    {"mov.f64 %rd1, 0.1;", 1, PTX_OPERAND_F64, 0x3fb999999999999a, 0, NULL},
    {"mov.u32 %r1, %tid.x;", 1, PTX_OPERAND_SPECIAL, 0, 0, "%tid.x"},
    {"mov.u32 %r1, %nctaid.z;", 1, PTX_OPERAND_SPECIAL, 0, 0, "%nctaid.z"},
    {"mov.u32 %r1, %envreg31;", 1, PTX_OPERAND_SPECIAL, 0, 0, "%envreg31"},
    {"mov.u32 %r1, %lanemask_lt;", 1, PTX_OPERAND_SPECIAL, 0, 0, "%lanemask_lt"},
    {"mov.u64 %rd1, %clock64;", 1, PTX_OPERAND_SPECIAL, 0, 0, "%clock64"},
    {"add.u32 %r1, %r1, WARP_SZ;", 2, PTX_OPERAND_SPECIAL, 0, 0, "WARP_SZ"},
    {"mov.u64 %rd1, a+8;", 1, PTX_OPERAND_SYMBOL, 0, 8, "a"},
    {"mov.u64 %rd1, a-8;", 1, PTX_OPERAND_SYMBOL, 0, -8, "a"},
    {"L: bra L;", 0, PTX_OPERAND_SYMBOL, 0, 0, "L"},
    {"atom.add.u32 _, [%rd1], %r1;", 0, PTX_OPERAND_SINK, 0, 0, NULL},
    {"ld.u32 %r1, [%rd1];", 1, PTX_OPERAND_ADDRESS, 0, 0, "%rd1"},
    {"ld.u32 %r1, [%rd1+-8];", 1, PTX_OPERAND_ADDRESS, 0, -8, "%rd1"},
    {"ld.u32 %r1, [ %rd1 - 8 ];", 1, PTX_OPERAND_ADDRESS, 0, -8, "%rd1"},
    {"ld.u32 %r1, [a+4];", 1, PTX_OPERAND_ADDRESS, 0, 4, "a"},
    {"ld.u32 %r1, [64];", 1, PTX_OPERAND_ADDRESS, 64, 0, NULL},
    {"call (a), k, (a, 4);", 2, PTX_OPERAND_LIST, 0, 0, NULL},
    {"mov.b64 %rd1, {%r1,%r2};", 1, PTX_OPERAND_VECTOR, 0, 0, NULL},
};

START_TEST(operands_of_every_form)
{
  const operand_case *c = &operand_cases[_i];
  const ptx_operand *got = operand(c->instruction, c->index);
  ck_assert_msg(got->kind == c->kind, "%s: kind %d", c->instruction, got->kind);
  ck_assert_msg(got->bits == c->bits, "%s: bits %llx", c->instruction,
                (unsigned long long)got->bits);
  ck_assert_msg(got->offset == c->offset, "%s: offset %lld", c->instruction,
                (long long)got->offset);
  if (c->name != NULL) expect_str(got->name, c->name);
}
END_TEST

START_TEST(addresses_know_their_base)
{
  ck_assert_int_eq(operand("ld.u32 %r1, [%rd1+4];", 1)->base, PTX_OPERAND_REGISTER);
  teardown();
  ck_assert_int_eq(operand("ld.u32 %r1, [a];", 1)->base, PTX_OPERAND_SYMBOL);
  teardown();
  ck_assert_int_eq(operand("ld.u32 %r1, [0x40];", 1)->base, PTX_OPERAND_INTEGER);
}
END_TEST

START_TEST(pairs_and_negation)
{
  const ptx_function *k =
      body("setp.eq.and.s32 %p1|%p2, %r1, 0, !%p3;\nshfl.sync.idx.b32 %r1|_, %r1, 0, 31, -1;\n"
           "setp.eq.s32 _|%p2, %r1, 0;");
  const ptx_operand *first = k->instrs[0].operands;
  ck_assert(first[0].has_second && !first[1].has_second);
  expect_register(k, first[0].second, "%p2", PTX_PRED);
  ck_assert(first[3].negated && !first[0].negated);
  ck_assert(k->instrs[1].operands[0].has_second);
  ck_assert_int_eq(k->instrs[1].operands[0].second, -1);
  ck_assert_int_eq(k->instrs[2].operands[0].kind, PTX_OPERAND_SINK);
  expect_register(k, k->instrs[2].operands[0].second, "%p2", PTX_PRED);
}
END_TEST

START_TEST(calls_direct_and_indirect)
{
  const ptx_function *k = body(
      ".param .b32 r;\ncall k;\ncall.uni\nk,\n(a,\n%r1, 5)\n;\n"
      "proto : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[4]);\n"
      "call (r), %rd1, (a), proto;\ntargets: .branchtargets A, B;\nA: brx.idx %r1, targets;\nB:");
  ck_assert_uint_eq(k->n_instrs, 4);
  expect_str(k->instrs[0].operands[0].name, "k");
  ck_assert_uint_eq(k->instrs[1].operands[1].n_items, 3);
  ck_assert_uint_eq(k->instrs[1].operands[1].items[2].bits, 5);
  const ptx_operand *indirect = k->instrs[2].operands;
  ck_assert_uint_eq(k->instrs[2].n_operands, 4);
  ck_assert_int_eq(indirect[0].kind, PTX_OPERAND_LIST);
  ck_assert_int_eq(indirect[1].kind, PTX_OPERAND_REGISTER);
  ck_assert_int_eq(indirect[3].kind, PTX_OPERAND_SYMBOL);
  expect_str(indirect[3].name, "proto");
  expect_str(k->instrs[3].operands[1].name, "targets");
  ck_assert_int_eq(ptx_find_label(k, SIMT_STR("B")), 4);
}
END_TEST

START_TEST(initialisers_of_numbers)
{
  parse(HEAD ".global .u32 a = 258, b = -1;\n.const .align 16 .f32 c[3] = {0f3F800000, 1.5, 2};\n"
             ".visible .global .u16 d[2][3] = {{1}, {2, 3}};\n.global .u8 e[] = {1, 300, -1,};\n"
             ".global .u8 f[][2] = {{1}, {2, 3}, {4}};\n.global .v2 .u16 g[2] = {{1, 2}, {3}};\n"
             ".global .u8 h[2][2] = {1, 2, 3};\n.global .f64 i = -0f3F800000;\n"
             ".global .f32 j = 0f7FA00001;\n.weak .global .u32 k;\n.global .u32 l = {9};\n"
             ".global .f32 m = 0d3FF0000000000000;\n.global .u64 n[1] = {};\n");
  expect_bytes("a", 4, "02010000");
  expect_bytes("b", 4, "ffffffff");
  expect_bytes("c", 12, "0000803f0000c03f00000040");
  ck_assert_uint_eq(variable("c")->align_bytes, 16);
  ck_assert_int_eq(variable("c")->space, PTX_SPACE_CONST);
  expect_bytes("d", 12, "010000000000020003000000");
  ck_assert(variable("d")->is_visible);
  expect_bytes("e", 3, "012cff");
  expect_bytes("f", 6, "010002030400");
  expect_bytes("g", 8, "0100020003000000");
  ck_assert_uint_eq(variable("g")->align_bytes, 4);
  expect_bytes("h", 4, "01020300");
  expect_bytes("i", 8, "000000000000f0bf");
  expect_bytes("j", 4, "0100a07f"); // a NaN keeps its payload
  ck_assert_ptr_null(variable("k")->init);
  ck_assert(variable("k")->is_weak);
  expect_bytes("l", 4, "09000000");
  expect_bytes("m", 4, "0000803f");
  expect_bytes("n", 8, "0000000000000000");
}
END_TEST

START_TEST(initialisers_of_addresses)
{
  parse(HEAD ".global .u32 x;\n.global .u64 p[4] = {x, x+4, generic(x)+-8, generic(x+2)+1};\n"
             ".global .u8 q[4] = {7, 0xff(x), 0xFF00(generic(x)+3), mask(0xff0000)(x)};\n");
  static const int64_t addends[] = {0, 4, -8, 3};
  const ptx_variable *p = variable("p"), *q = variable("q");
  ck_assert_uint_eq(p->n_relocs, 4);
  for (uint32_t i = 0; i < 4; i++) {
    ck_assert_uint_eq(p->relocs[i].at, 8 * i);
    ck_assert_uint_eq(p->relocs[i].size_bytes, 8);
    ck_assert_int_eq(p->relocs[i].addend, addends[i]);
    ck_assert_int_eq(p->relocs[i].generic, i >= 2);
    expect_str(p->relocs[i].symbol, "x");
  }
  ck_assert_uint_eq(q->n_relocs, 3);
  for (uint32_t i = 0; i < 3; i++) {
    ck_assert_uint_eq(q->relocs[i].at, i + 1);
    ck_assert_uint_eq(q->relocs[i].size_bytes, 1);
    ck_assert_uint_eq(q->relocs[i].shift_bits, 8 * i);
  }
  ck_assert_int_eq(q->relocs[1].addend, 3);
}
END_TEST

START_TEST(variables_outside_and_inside)
{
  parse(HEAD
        ".extern .shared .align 16 .b8 dynamic[];\n.global .attribute(.managed) .align 4 .u32 m;\n"
        ".extern .global .b8 later[4];\n.global .b8 later[4] = {1};\n.common .global .u32 c;\n"
        ".entry k { .local .align 8 .b8 __local_depot0[32]; .shared .align 4 .f32 s[2][3]; ret; }");
  ck_assert(variable("dynamic")->is_extern);
  ck_assert_uint_eq(variable("dynamic")->size_bytes, 0);
  ck_assert_uint_eq(variable("dynamic")->align_bytes, 16);
  ck_assert_int_eq(variable("dynamic")->space, PTX_SPACE_SHARED);
  ck_assert(variable("m")->is_managed && !variable("dynamic")->is_managed);
  ck_assert_uint_eq(module->n_variables, 4);
  ck_assert(!variable("later")->is_extern);
  expect_bytes("later", 4, "01000000");
  const ptx_function *k = function("k");
  ck_assert_uint_eq(k->n_variables, 2);
  ck_assert_int_eq(k->variables[0].space, PTX_SPACE_LOCAL);
  ck_assert_uint_eq(k->variables[0].size_bytes, 32);
  ck_assert_uint_eq(k->variables[1].size_bytes, 24);
}
END_TEST

// As compilers escape them; control characters for a terminal stay escaped.
START_TEST(file_names_are_those_of_the_file_system)
{
  parse(HEAD ".file 1 \"/x/J\\303\\274rgen/it's \\\"q\\\" \\\\.cu\"\n"
             ".file 2 \"a\\tb\\033\\1.cu\"\n.file 3 \"plain.cu\"\n.entry k { ret; }\n");
  static const char *const wanted[] = {"/x/J\303\274rgen/it's \"q\" \\.cu", "a\\tb\\033\\1.cu",
                                       "plain.cu"};
  ck_assert_uint_eq(module->n_files, 3);
  for (int i = 0; i < 3; i++)
    ck_assert_msg(simt_str_is(module->files[i].name, wanted[i]), "%.*s",
                  SIMT_STR_ARG(module->files[i].name));
}
END_TEST

START_TEST(locations_unwind_inlining)
{
  parse(HEAD ".file 1 \"/src/k.cu\", 123, 456\n.entry k {\nret;\n"
             ".loc 1 10 3\nret;\n"
             ".loc 2 20 1, function_name $L__info0, inlined_at 1 10 3\nret;\n"
             ".loc 2 30 1, function_name $L__info1+7, inlined_at 2 20 1\nret;\n"
             ".loc 1 0 0\nret;\n"
             ".loc 2 0 1, function_name $L__info0, inlined_at 1 10 3\nret;\n"
             ".loc 2 5 5, function_name $L__info0, inlined_at 1 99 1\nret;\n"
             ".loc 1 10 3\nret;\n}\n.file 2 \"h.h\"\n.section .debug_str { $L__info0: .b8 95, 0 }\n"
             ".section .debug_loc\t{\t}\n");
  static const char *const wanted[] = {
      "k.ptx:6",  "k.cu:10", "h.h:20 (inlined at k.cu:10)", "h.h:30 (inlined at h.h:20, k.cu:10)",
      "k.ptx:14", "k.cu:10", "h.h:5 (inlined at k.cu:99)",  "k.cu:10"};
  const ptx_function *k = function("k");
  char text[128];
  for (int i = 0; i < 8; i++)
    ck_assert_str_eq(
        ptx_describe_loc(module, k->instrs[i].loc, k->instrs[i].line, text, sizeof text),
        wanted[i]);
  ck_assert_int_eq(k->instrs[0].loc, -1);
  ck_assert_int_eq(k->instrs[1].loc, k->instrs[7].loc); // equal records are one
  ck_assert_str_eq(ptx_describe_loc(module, k->instrs[2].loc, 1, text, 6), "h.h:2");
  ck_assert_str_eq(ptx_describe_loc(module, 9999, 7, text, sizeof text), "k.ptx:7");
}
END_TEST

START_TEST(deep_inlining_is_cut)
{
  char text[8192];
  int n = snprintf(text, sizeof text, HEAD ".entry k {\n.loc 1 1 1\n");
  for (int i = 2; i < 100; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, ".loc 1 %d 1, inlined_at 1 %d 1\n", i, i - 1);
  snprintf(text + n, sizeof text - (size_t)n, "ret;\n}\n.file 1 \"k.cu\"\n");
  parse(text);
  char where[128];
  ptx_describe_loc(module, function("k")->instrs[0].loc, 1, where, sizeof where);
  ck_assert_str_eq(where, "k.cu:99 (inlined at k.cu:98, k.cu:97, ..., k.cu:65)");
}
END_TEST

START_TEST(long_functions_take_linear_time)
{
  enum { N = 100000 };
  char *text = malloc(64 * N + 4096);
  int n = sprintf(text, KERNEL ".reg .b32 %%r<%d>;\n", N + 1);
  for (int i = 0; i < N; i++) {
    n += sprintf(text + n, ".loc 1 %d 1\nL%d: add.s32 %%r%d, %%r%d, 1;\n", i + 1, i, i + 1, i);
    if (i % 2) n += sprintf(text + n, "bra L%d;\n", (i * 7919) % N);
  }
  sprintf(text + n, "}\n");
  ck_assert_int_eq(ptx_parse(&module, "k", text, strlen(text), 0, &diag), SIMT_OK);
  const ptx_function *k = function("k");
  ck_assert_uint_eq(k->n_instrs, N + N / 2);
  ck_assert_uint_eq(k->n_registers, N + 1);
  for (uint32_t i = 0; i < k->n_instrs; i++)
    if (simt_str_is(k->instrs[i].opcode, "bra"))
      ck_assert_int_ge(ptx_find_label(k, k->instrs[i].operands[0].name), 0);
  free(text);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

int main(void) {
  Suite *suite = suite_create("ptx");
  TCase *tcase = tcase_create("ptx");
  tcase_add_checked_fixture(tcase, setup, teardown);
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, header_is_read);
  tcase_add_test(tcase, trailing_nul_bytes_are_not_text);
  tcase_add_test(tcase, types_have_sizes_and_names);
  tcase_add_test(tcase, parameters_are_laid_out);
  tcase_add_test(tcase, functions_are_declared_and_defined);
  tcase_add_test(tcase, registers_resolve_by_range_and_name);
  tcase_add_test(tcase, scopes_hide_and_end);
  tcase_add_test(tcase, repeated_names_are_made_unique);
  tcase_add_test(tcase, a_local_name_does_not_take_a_global_one);
  tcase_add_test(tcase, constants_of_a_body_move_to_the_module);
  tcase_add_test(tcase, instructions_keep_guard_suffixes_and_line);
  tcase_add_loop_test(tcase, operands_of_every_form, 0, COUNT(operand_cases));
  tcase_add_test(tcase, addresses_know_their_base);
  tcase_add_test(tcase, pairs_and_negation);
  tcase_add_test(tcase, calls_direct_and_indirect);
  tcase_add_test(tcase, initialisers_of_numbers);
  tcase_add_test(tcase, initialisers_of_addresses);
  tcase_add_test(tcase, variables_outside_and_inside);
  tcase_add_test(tcase, file_names_are_those_of_the_file_system);
  tcase_add_test(tcase, locations_unwind_inlining);
  tcase_add_test(tcase, deep_inlining_is_cut);
  tcase_add_test(tcase, long_functions_take_linear_time);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
