// SPDX-License-Identifier: MIT
// test_ptx_errors.c - what the PTX parser refuses: status, line and cause of every kind of error.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"
#include "run_suite.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n" // lines 1-3
#define KERNEL HEAD ".visible .entry k(.param .u64 a)\n{\n"    // lines 4-5; the body starts on 6
#define REGISTERS ".reg .pred %p<4>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n" // lines 6-8

static ptx_module *module;
static simt_diag diag;

static void setup(void) { module = NULL; }
static void teardown(void) { ptx_module_free(module); }

static void parse(const char *text) {
  simt_status status = ptx_parse(&module, "k.ptx", text, strlen(text), 1 << 24, &diag);
  ck_assert_msg(status == SIMT_OK, "%s", diag.text);
}

static void expect_error(const char *text, simt_status status, const char *message) {
  simt_status got = ptx_parse(&module, "k.ptx", text, strlen(text), 1 << 24, &diag);
  ck_assert_msg(got == status && got == diag.status, "%s: %s", simt_status_name(got), diag.text);
  ck_assert_msg(strncmp(diag.text, message, strlen(message)) == 0, "got '%s', not '%s'", diag.text,
                message);
  ck_assert_ptr_null(module);
}

typedef struct error_case {
  const char *text;
  simt_status status;
  const char *message; // how the diagnostic begins
} error_case;

static const error_case error_cases[] = {
    {"", SIMT_SYNTAX_ERROR, "k.ptx:1: expected '.version' as the first directive, found the end"},
    {"ELF", SIMT_SYNTAX_ERROR, "k.ptx:1: expected '.version' as the first directive, found 'ELF'"},
    {".version 5.0", SIMT_UNSUPPORTED, "k.ptx:1: PTX ISA 5.0 is not supported"},
    {".version 10.0", SIMT_UNSUPPORTED, "k.ptx:1: PTX ISA 10.0 is not supported"},
    {".version seven", SIMT_SYNTAX_ERROR, "k.ptx:1: expected a version such as 6.4, found 'seven'"},
    {".version 7e1", SIMT_SYNTAX_ERROR, "k.ptx:1: expected a version"},
    {".version 7.0\n.func", SIMT_SYNTAX_ERROR, "k.ptx:2: expected '.target' after '.version'"},
    {".version 7.0\n.target sm_999", SIMT_UNSUPPORTED, "k.ptx:2: unknown target 'sm_999'"},
    {".version 7.0\n.target compute_9", SIMT_UNSUPPORTED, "k.ptx:2: unknown target 'compute_9'"},
    {".version 7.0\n.target sm_", SIMT_UNSUPPORTED, "k.ptx:2: unknown target 'sm_'"},
    {".version 7.0\n.target map_f64_to_f32", SIMT_UNSUPPORTED, "k.ptx:2: target option"},
    {".version 7.0\n.target sm_70\n.address_size 48", SIMT_SYNTAX_ERROR,
     "k.ptx:3: an address size"},
    {HEAD "hello", SIMT_SYNTAX_ERROR, "k.ptx:4: expected a directive, found 'hello'"},
    {HEAD "\n.alias a, b;", SIMT_UNSUPPORTED, "k.ptx:5: directive '.alias' is not supported"},
    {HEAD ".global .texref t;", SIMT_UNSUPPORTED, "k.ptx:4: type '.texref' is not supported"},
    {HEAD ".tex .u32 t;", SIMT_UNSUPPORTED, "k.ptx:4: directive '.tex' is not supported"},
    {HEAD "/* open\n\n", SIMT_SYNTAX_ERROR, "k.ptx:4: comment is not closed"},
    {HEAD "\n  \x80", SIMT_SYNTAX_ERROR, "k.ptx:5: byte 0x80 at column 3 is not ASCII text"},
    {HEAD "#if", SIMT_SYNTAX_ERROR, "k.ptx:4: character '#' at column 1 cannot begin a token"},
    {HEAD ".file 1 \"open\n", SIMT_SYNTAX_ERROR, "k.ptx:4: string is not closed on its line"},
    {HEAD ".section .debug_info {\n{ }\n", SIMT_SYNTAX_ERROR, "k.ptx:4: section is not closed"},
    {HEAD ".loc 1 2", SIMT_SYNTAX_ERROR, "k.ptx:4: expected a column, found the end of the text"},
    {HEAD ".loc 4294967296 1 1", SIMT_SYNTAX_ERROR,
     "k.ptx:4: a file number is 4294967296, the maximum is"},
    {HEAD ".global .u32;", SIMT_SYNTAX_ERROR, "k.ptx:4: expected a variable name, found ';'"},
    {HEAD ".global x;", SIMT_SYNTAX_ERROR, "k.ptx:4: expected a type, found 'x'"},
    {HEAD ".global .u32 x\n.global .u32 y;", SIMT_SYNTAX_ERROR,
     "k.ptx:4: expected ';' after the variable, found '.global'"},
    {HEAD ".global .align 3 .u32 x;", SIMT_SYNTAX_ERROR, "k.ptx:4: an alignment must be a power"},
    {HEAD ".global .align 0 .u32 x;", SIMT_SYNTAX_ERROR, "k.ptx:4: an alignment must be a power"},
    {HEAD ".global .pred x;", SIMT_SYNTAX_ERROR, "k.ptx:4: a .pred can only be a register"},
    {HEAD ".global .u32 x, x;", SIMT_SYNTAX_ERROR, "k.ptx:4: 'x' is declared twice"},
    {HEAD ".global .u32 x[];", SIMT_SYNTAX_ERROR, "k.ptx:4: array 'x' has no size"},
    {HEAD ".global .u8 x[99999999999999];", SIMT_SYNTAX_ERROR, "k.ptx:4: an array size is"},
    {HEAD ".global .u8 x[0][1000000000][1000000000];", SIMT_UNSUPPORTED, "k.ptx:4: more than"},
    {HEAD ".global .u8 x[1][1][1][1][1][1][1][1][1];", SIMT_UNSUPPORTED,
     "k.ptx:4: more than 8 dim"},
    {HEAD ".global .u8 x[2] = {1,2,3};", SIMT_SYNTAX_ERROR, "k.ptx:4: more initialisers than"},
    {HEAD ".global .u8 x[2] = {{1},2};", SIMT_SYNTAX_ERROR, "k.ptx:4: more braces than dimensions"},
    {HEAD ".global .u8 x = 1.5;", SIMT_UNSUPPORTED, "k.ptx:4: a floating-point value cannot"},
    {HEAD ".global .u8 x = y;", SIMT_SYNTAX_ERROR, "k.ptx:4: an address needs 4 or 8 bytes, not 1"},
    {HEAD ".global .u8 x = 0xf0(y);", SIMT_SYNTAX_ERROR, "k.ptx:4: a mask of an address selects"},
    {HEAD ".global .u32 x[1000000000] = {1};", SIMT_OUT_OF_MEMORY,
     "k.ptx:4: the module needs more than its memory limit of 16777216 bytes"},
    {HEAD ".shared .u32 x = 1;", SIMT_SYNTAX_ERROR, "k.ptx:4: only .global and .const variables"},
    {HEAD ".entry k(.param .b8 x[40000]) { ret; }", SIMT_UNSUPPORTED,
     "k.ptx:4: more than 32764 byt"},
    {HEAD ".entry k(.param .b8 x[30000], .param .b8 y[3000]) { ret; }", SIMT_UNSUPPORTED,
     "k.ptx:4: more than 32764 bytes of parameters"},
    {HEAD ".entry k(.reg .b32 x) { ret; }", SIMT_SYNTAX_ERROR, "k.ptx:4: expected '.param'"},
    {HEAD ".entry k(.param .b32 x, .param .b32 x) { ret; }", SIMT_SYNTAX_ERROR,
     "k.ptx:4: 'x' is declared twice in this scope"},
    {HEAD ".entry k { ret; }\n.entry k { ret; }", SIMT_SYNTAX_ERROR,
     "k.ptx:5: 'k' is declared twice"},
    {HEAD ".func k(.param .b32 x);\n.func k { ret; }", SIMT_SYNTAX_ERROR,
     "k.ptx:5: 'k' differs from its declaration on line 4"},
    {HEAD ".entry k .reqnctapercluster 2, 0 { ret; }", SIMT_SYNTAX_ERROR,
     "k.ptx:4: a cluster of 0 blocks"},
    {HEAD ".entry k .minnctapercluster 2 { ret; }", SIMT_UNSUPPORTED,
     "k.ptx:4: directive '.minnctapercluster' is not supported"},
    {HEAD ".entry k .maxntid 0 { ret; }", SIMT_SYNTAX_ERROR, "k.ptx:4: a block of 0 threads"},
    {HEAD ".entry k\nret;", SIMT_SYNTAX_ERROR,
     "k.ptx:4: expected ';' or a body after the function's"},
    {KERNEL "ret;\n", SIMT_SYNTAX_ERROR, "k.ptx:5: the function's body is not closed"},
    {KERNEL "ret;\n}\n}", SIMT_SYNTAX_ERROR, "k.ptx:8: expected a directive, found '}'"},
    {KERNEL ".tex .u32 x;", SIMT_UNSUPPORTED,
     "k.ptx:6: directive '.tex' is not supported in a fun"},
    {KERNEL "add.u32 %r1, 1, 2;}", SIMT_SYNTAX_ERROR, "k.ptx:6: undeclared register '%r1'"},
    {KERNEL REGISTERS "add.s32 %r10, 1, 2;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: undeclared register '%r10"},
    {KERNEL REGISTERS "add.s32 %r01, 1, 2;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: undeclared register '%r01"},
    {KERNEL REGISTERS "{ .reg .b32 x; }\nmov.b32 x, 0;}", SIMT_SYNTAX_ERROR,
     "k.ptx:10: 'x' is not declared"},
    {KERNEL REGISTERS "bra END;\nret;}", SIMT_SYNTAX_ERROR, "k.ptx:9: 'END' is not declared"},
    {KERNEL REGISTERS "bra L;\n{ L: ret; }\n}", SIMT_SYNTAX_ERROR, "k.ptx:9: 'L' is not declared"},
    {KERNEL "L: L: ret;}", SIMT_SYNTAX_ERROR, "k.ptx:6: 'L' is declared twice in this scope"},
    {KERNEL ".reg .b32 %r<2>, %r<3>;}", SIMT_SYNTAX_ERROR, "k.ptx:6: '%r' is declared twice"},
    {KERNEL ".reg .v4 .b32 %r;}", SIMT_UNSUPPORTED, "k.ptx:6: vector registers are not supported"},
    {KERNEL REGISTERS "add.s32 %r1, %r2\nret;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: expected ';' after operand 2 of 'add', found 'ret'"},
    {KERNEL REGISTERS "add.s32 %r1,;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: expected an operand after ','"},
    {KERNEL REGISTERS "ld.u32 %r1, [%rd1+%r2];}", SIMT_SYNTAX_ERROR, "k.ptx:9: expected an offset"},
    {KERNEL REGISTERS "ld.u32 %r1, [%rd1;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: expected ']' after the add"},
    {KERNEL REGISTERS "ld.u32 %r1, [%rd1, %r1];}", SIMT_UNSUPPORTED,
     "k.ptx:9: an address with more"},
    {KERNEL REGISTERS "ld.u32 %r1, [%laneid];}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: '%laneid' cannot be an"},
    {KERNEL REGISTERS "mov.b64 %rd1, {%r1,{%r2}};}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: expected an operand"},
    {KERNEL REGISTERS "mov.u32 %r1, %tid;}", SIMT_UNSUPPORTED, "k.ptx:9: '%tid' needs a component"},
    {KERNEL REGISTERS "mov.u32 %r1, 0x1FFFFFFFFFFFFFFFF;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: integer literal does not fit in 64 bits"},
    {KERNEL REGISTERS "mov.u32 %r1, 18446744073709551616;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: integer literal does not fit in 64 bits"},
    {KERNEL REGISTERS "mov.u32 %r1, 09;}", SIMT_SYNTAX_ERROR, "k.ptx:9: malformed number"},
    {KERNEL REGISTERS "mov.u32 %r1, 0x;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: integer literal has no dig"},
    {KERNEL REGISTERS "mov.f32 %r1, 0f3F80;}", SIMT_SYNTAX_ERROR, "k.ptx:9: 0f needs exactly 8"},
    {KERNEL REGISTERS "mov.f32 %r1, 0f3F8000000;}", SIMT_SYNTAX_ERROR, "k.ptx:9: malformed number"},
    {KERNEL REGISTERS "mov.f64 %rd1, 1e999;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: floating-point literal is"},
    {KERNEL REGISTERS "mov.f64 %rd1, 1e+;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: malformed floating-point"},
    {KERNEL REGISTERS "@%r1 ret;}", SIMT_SYNTAX_ERROR, "k.ptx:9: guard '%r1' is not a predicate"},
    {KERNEL REGISTERS "@%p1 L: ret;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: expected an operand, found ':'"},
    {KERNEL REGISTERS "@%p1 { ret; }}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: expected an instruction, found"},
    {KERNEL REGISTERS "not.pred %p1, !%r1;}", SIMT_SYNTAX_ERROR, "k.ptx:9: '!' needs a predicate"},
    {KERNEL REGISTERS "setp.eq.s32 %p1|5, 1, 2;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: expected a register"},
    {KERNEL REGISTERS "%r1 = 5;}", SIMT_SYNTAX_ERROR,
     "k.ptx:9: expected an instruction, found '%r1'"},
    {KERNEL REGISTERS "f 1,2,3,4,5,6,7,8,9;}", SIMT_UNSUPPORTED,
     "k.ptx:9: 'f' with more than 8 oper"},
    {KERNEL REGISTERS "f.a.a.a.a.a.a.a.a.a.a.a.a.a;}", SIMT_UNSUPPORTED,
     "k.ptx:9: 'f' with more tha"},
    {KERNEL "p: .callprototype _ (.param .b32 _)\n}", SIMT_SYNTAX_ERROR, "k.ptx:7: expected ';'"},
};

START_TEST(errors_name_line_and_cause)
{
  const error_case *c = &error_cases[_i];
  expect_error(c->text, c->status, c->message);
}
END_TEST

START_TEST(bytes_that_are_not_text)
{
  static const char nul[] = HEAD "\n .global\0.u32 x;";
  ck_assert_int_eq(ptx_parse(&module, "k.ptx", nul, sizeof nul - 1, 0, &diag), SIMT_SYNTAX_ERROR);
  ck_assert_str_eq(diag.text, "k.ptx:5: NUL byte at column 9");
  static const char comment[] = HEAD "// \0\n";
  ck_assert_int_eq(ptx_parse(&module, "k.ptx", comment, sizeof comment - 1, 0, &diag),
                   SIMT_SYNTAX_ERROR);
  // File names and comments may hold what the user's directories do; quotes come escaped.
  parse(HEAD ".file 1 \"/user/zo\xc3\xab/\\\"k\\\".cu\"\n// \xc3\xab\n/* \xff */\n");
  ck_assert(simt_str_is(module->files[0].name, "/user/zo\xc3\xab/\"k\".cu"));
}
END_TEST

START_TEST(nesting_is_bounded)
{
  char text[4096] = KERNEL;
  for (int i = 0; i < 63; i++) strcat(text, "{");
  strcat(text, "ret;");
  size_t size = strlen(text);
  for (int i = 0; i < 64; i++) strcat(text, "}");
  parse(text);
  teardown();
  text[size] = '\0';
  strcat(text, "{");
  expect_error(text, SIMT_UNSUPPORTED, "k.ptx:6: scopes nest more than 64 deep");
  char vector[8192] = KERNEL "f {";
  for (int i = 0; i < 257; i++) strcat(vector, "1,");
  expect_error(vector, SIMT_UNSUPPORTED, "k.ptx:6: more than 256 items in one operand");
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

int main(void) {
  Suite *suite = suite_create("ptx_errors");
  TCase *tcase = tcase_create("ptx_errors");
  tcase_add_checked_fixture(tcase, setup, teardown);
  tcase_add_loop_test(tcase, errors_name_line_and_cause, 0, COUNT(error_cases));
  tcase_add_test(tcase, bytes_that_are_not_text);
  tcase_add_test(tcase, nesting_is_bounded);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
