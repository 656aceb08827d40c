// SPDX-License-Identifier: MIT
// test_access.c - loads, stores and atomics of every state space and width, the faults they raise,
// and launches on several host threads, which must be indistinguishable from running in order.
#include "core_fixture.h"
#include "run_suite.h"

#define ADDRESS "mul.wide.u32 %rd4, %me, 4;\nadd.u64 %rd5, %rd1, %rd4;\n" // %rd5: in + 4 * tid

// ---- data --------------------------------------------------------------------------------------

START_TEST(narrow_loads_extend)
{
  core_run run =
      core_load(KERNEL_HEAD "ld.global.u8 %r0, [%rd1];\nld.global.s8 %r1, [%rd1];\nld.global.u16 "
                            "%r2, [%rd1+2];\nld.global.s16 %r3, [%rd1+2];\n"
                            "ld.global.s32 %rd6, [%rd1+4];\nld.global.u32 %rd7, [%rd1+4];\n"
                            "st.global.v4.u32 [%rd0], {%r0, %r1, %r2, %r3};\nst.global.v2.u64 "
                            "[%rd0+16], {%rd6, %rd7};\n" KERNEL_TAIL);
  run.in_host[0] = 0x8001ff80, run.in_host[1] = 0x80000000;
  core_launch(&run, (core_options){.block = 1});
  ck_assert_int_eq(run.status, SIMT_OK);
  const uint32_t expect[] = {0x80,       0xffffff80, 0x8001,     0xffff8001,
                             0x80000000, 0xffffffff, 0x80000000, 0};
  for (int i = 0; i < 8; i++) ck_assert_uint_eq(run.out_host[i], expect[i]);
  core_free(&run);
}
END_TEST

START_TEST(narrow_stores_touch_only_their_bytes)
{
  core_run run = core_ok(KERNEL_HEAD "mov.u32 %r0, 0x11223344;\nst.global.u8 [%rd0+1], "
                                     "%r0;\nst.global.u16 [%rd0+6], %r0;\n" KERNEL_TAIL,
                         (core_options){.block = 1});
  ck_assert_uint_eq(run.out_host[0], 0xdead44ef);
  ck_assert_uint_eq(run.out_host[1], 0x3344beef);
  core_free(&run);
}
END_TEST

START_TEST(gather_with_a_partial_mask)
{ // odd lanes read in[7 * tid], even ones keep 3
  core_run run = core_ok(
      KERNEL_HEAD
      "mov.u32 %r0, 3;\nmul.lo.u32 %r1, %me, 28;\ncvt.u64.u32 %rd4, %r1;\nadd.u64 %rd5, %rd1, "
      "%rd4;\n"
      "and.b32 %r2, %me, 1;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 ld.global.u32 %r0, [%rd5];\n" STORE_R0
          KERNEL_TAIL,
      (core_options){.block = 64});
  for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(run.out_host[i], i & 1 ? 7 * i : 3);
  core_free(&run);
}
END_TEST

START_TEST(local_memory_is_per_thread)
{
  core_run run =
      core_ok(KERNEL_HEAD ".local .align 4 .b8 stack[64];\nmov.u64 %rd4, stack;\ncvta.local.u64 "
                          "%rd5, %rd4;\nst.local.u32 [%rd4+8], %me;\n"
                          "bar.sync 0;\nld.u32 %r0, [%rd5+8];\n" STORE_R0 KERNEL_TAIL,
              (core_options){.block = 70});
  for (uint32_t i = 0; i < 70; i++) ck_assert_uint_eq(run.out_host[i], i);
  core_free(&run);
}
END_TEST

START_TEST(generic_addresses_reach_every_space)
{ // lanes of one load point to shared and to global memory
  core_run run = core_ok(
      KERNEL_HEAD
      ".shared .align 4 .b8 s[256];\nmov.u64 %rd4, s;\ncvta.shared.u64 %rd5, %rd4;\nmul.wide.u32 "
      "%rd6, %me, 4;\n"
      "add.u64 %rd7, %rd4, %rd6;\nmul.lo.u32 %r1, %me, 100;\nst.shared.u32 [%rd7], %r1;\nbar.sync "
      "0;\n"
      "add.u64 %rd8, %rd5, %rd6;\nadd.u64 %rd9, %rd1, %rd6;\nsetp.lt.u32 %p1, %me, 16;\nselp.b64 "
      "%rd10, %rd8, %rd9, %p1;\n"
      "ld.u32 %r0, [%rd10];\nisspacep.shared %p2, %rd10;\n@%p2 add.u32 %r0, %r0, 1;\n" STORE_R0
          KERNEL_TAIL,
      (core_options){.n = 0});
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], i < 16 ? 100 * i + 1 : i);
  core_free(&run);
}
END_TEST

START_TEST(dynamic_shared_memory_lies_behind_the_static_part)
{
  core_run run = core_ok(
      ".version 7.8\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n"
      ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n.shared .align 4 "
      ".b8 fixed[20];\n"
      ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd0, [k_0];\nmov.u32 %r1, "
      "7;\nst.shared.u32 [fixed+16], %r1;\n"
      "mov.u64 %rd1, dynamic;\ncvt.u32.u64 %r0, %rd1;\nst.shared.u32 [%rd1+60], "
      "%r0;\nld.shared.u32 %r2, [fixed+16];\n"
      "st.global.v2.u32 [%rd0], {%r0, %r2};\nret;\n}\n",
      (core_options){.block = 1, .dynamic_shared_bytes = 64});
  ck_assert_uint_eq(run.out_host[0], 32);
  ck_assert_uint_eq(run.out_host[1], 7);
  core_free(&run);
}
END_TEST

START_TEST(parameters_of_every_width)
{
  core_run run = core_ok(
      ".version 7.8\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 k_0, .param .align 8 .b8 k_1[12])\n{\n.reg .b32 %r<9>;\n.reg "
      ".b64 %rd<4>;\n.reg .b16 %h<3>;\n"
      "ld.param.u64 %rd0, [k_0];\nld.param.u32 %r0, [k_1+8];\nld.param.u8 %h1, "
      "[k_1+8];\ncvt.u32.u16 %r1, %h1;\n"
      "ld.param.v2.u32 {%r2, %r3}, [k_1];\nmov.b64 %rd1, k_1;\nld.param.s16 %r4, [%rd1+8];\n"
      "st.global.v4.u32 [%rd0], {%r0, %r1, %r2, %r4};\nret;\n}\n",
      (core_options){.block = 1, .n = 0x1234fedc});
  ck_assert_uint_eq(run.out_host[0], 0x1234fedc);
  ck_assert_uint_eq(run.out_host[1], 0xdc);
  ck_assert_uint_eq(run.out_host[2], (uint32_t)run.in);
  ck_assert_uint_eq(run.out_host[3], 0xfffffedc);
  core_free(&run);
}
END_TEST

START_TEST(atomics_serialise_lanes)
{ // 4 blocks x 64 threads count; every old value is seen once
  core_run run =
      core_load(KERNEL_HEAD
                "atom.global.add.u32 %r0, [%rd1], 1;\nred.global.max.u32 [%rd1+4], %me;\n" STORE_R0
                    KERNEL_TAIL);
  run.in_host[0] = run.in_host[1] = 0;
  core_launch(&run, (core_options){.grid = 4, .block = 64});
  ck_assert_uint_eq(run.in_host[0], 256);
  ck_assert_uint_eq(run.in_host[1], 63);
  for (uint32_t i = 0; i < 256; i++)
    ck_assert_uint_eq(run.out_host[i], i); // in order, as we define it
  core_free(&run);
}
END_TEST

START_TEST(float_atomic_add_rounds_each_step)
{
  core_run run = core_load(
      KERNEL_HEAD "mov.f32 %f1, 0f3F800000;\nred.global.add.f32 [%rd1], %f1;\n" KERNEL_TAIL);
  float start = 16777216.0f; // 2^24 + 1 is no float: the sum sticks
  memcpy(run.in_host, &start, 4);
  core_launch(&run, (core_options){.block = 32});
  ck_assert(memcmp(run.in_host, &start, 4) == 0);
  core_free(&run);
}
END_TEST

// ---- faults ------------------------------------------------------------------------------------

START_TEST(out_of_bounds_is_explained)
{ // thread 5 of block 1 reads past the end of the array
  core_fails(
      KERNEL_HEAD
      "mov.u32 %r1, %ntid.x;\nmad.lo.u32 %r1, %cb, %r1, %me;\nsetp.eq.u32 %p1, %r1, "
      "37;\nmul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd5, %rd1, %rd4;\n"
      "@%p1 add.u64 %rd5, %rd1, 262152;\n.loc 1 23 7\nld.global.f32 %f1, [%rd5];\n" KERNEL_TAIL,
      (core_options){.grid = 4, .block = 32}, SIMT_ILLEGAL_ADDRESS,
      TEXTS("t.cu:23", "load of 4 bytes", "8 bytes past the end of allocation #2 (262144 bytes",
            "kernel k, block (1,0,0), thread (5,0,0)"));
}
END_TEST

START_TEST(faults_of_other_kinds)
{
  core_fails(KERNEL_HEAD "ld.global.u32 %r0, [%rd1+2];\n" KERNEL_TAIL, (core_options){.block = 1},
             SIMT_MISALIGNED_ADDRESS, TEXTS("misaligned load of 4 bytes", "multiple of 4"));
  core_fails(KERNEL_HEAD "ld.global.v4.u32 {%r0,%r1,%r2,%r3}, [%rd1+8];\n" KERNEL_TAIL,
             (core_options){.block = 1}, SIMT_MISALIGNED_ADDRESS, TEXTS("16 bytes"));
  core_fails(KERNEL_HEAD
             "mov.b32 %f1, 0;\nred.global.add.v4.f32 [%rd1+8], {%f1,%f1,%f1,%f1};\n" KERNEL_TAIL,
             (core_options){.block = 1}, SIMT_MISALIGNED_ADDRESS,
             TEXTS("misaligned atomic of 16 bytes"));
  core_fails(KERNEL_HEAD "mov.u64 %rd4, 0;\nst.global.u32 [%rd4+12], %me;\n" KERNEL_TAIL,
             (core_options){.block = 1}, SIMT_ILLEGAL_ADDRESS,
             TEXTS("null pointer plus 12 bytes", "store"));
  core_fails(KERNEL_HEAD ".shared .align 4 .b8 s[64];\nmov.u64 %rd4, s;\n"
                         "mul.wide.u32 %rd5, %me, 4;\nadd.u64 %rd4, %rd4, %rd5;\nst.shared.u32 "
                         "[%rd4], %me;\n" KERNEL_TAIL,
             (core_options){.block = 17}, SIMT_ILLEGAL_ADDRESS,
             TEXTS("shared store", "offset 64", "64 bytes of shared memory", "thread (16,0,0)"));
  core_fails(
      KERNEL_HEAD
      ".local .align 4 .b8 s[16];\nmov.u64 %rd4, s;\nld.local.u32 %r0, [%rd4+16];\n" KERNEL_TAIL,
      (core_options){.block = 1}, SIMT_ILLEGAL_ADDRESS, TEXTS("local load"));
  core_fails(KERNEL_HEAD "trap;\n" KERNEL_TAIL, (core_options){.block = 1}, SIMT_TRAP,
             TEXTS("trap"));
}
END_TEST

// The same load first reads the array, so that its reach is known, then 32 neighbouring words of
// which the first half lies below address 0 and wraps around.
START_TEST(addresses_that_wrap_around_fault)
{
  core_fails(KERNEL_HEAD ADDRESS
             "mov.u32 %r1, 0;\nAGAIN:\nld.global.u32 %r0, [%rd5];\nadd.u32 %r1, %r1, 1;\n"
             "add.u64 %rd5, %rd4, -64;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra AGAIN;\n" KERNEL_TAIL,
             (core_options){.block = 32}, SIMT_ILLEGAL_ADDRESS,
             TEXTS("load of 4 bytes", "0xffffffffffffffc0", "thread (0,0,0)"));
}
END_TEST

// A generic store: lanes below 16 to shared memory (256 bytes), the others to `out`. `shared_lane`
// is 244 bytes further, `global_lane` 2^40; 99: none.
static core_run store_to_two_spaces(uint32_t shared_lane, uint32_t global_lane) {
  char text[8192];
  snprintf(text, sizeof text,
           "%s.shared .align 4 .b8 s[256];\nmov.u64 %%rd4, s;\ncvta.shared.u64 %%rd5, %%rd4;\n"
           "mul.wide.u32 %%rd6, %%me, 4;\nadd.u64 %%rd8, %%rd5, %%rd6;\n"
           "add.u64 %%rd9, %%rd0, %%rd6;\nsetp.lt.u32 %%p1, %%me, 16;\n"
           "selp.b64 %%rd10, %%rd8, %%rd9, %%p1;\n"
           "setp.eq.u32 %%p2, %%me, %u;\n@%%p2 add.u64 %%rd10, %%rd10, 244;\n"
           "setp.eq.u32 %%p3, %%me, %u;\n@%%p3 add.u64 %%rd10, %%rd10, 1099511627776;\n"
           "st.u32 [%%rd10], %%me;\n%s",
           KERNEL_HEAD, shared_lane, global_lane, KERNEL_TAIL);
  core_run run = core_load(text);
  ck_assert_msg(run.status == SIMT_OK, "%s", run.diag.text);
  core_launch(&run, (core_options){.n = 0});
  return run;
}

START_TEST(the_lowest_wrong_lane_of_several_spaces_is_named)
{
  core_run run = store_to_two_spaces(3, 20);
  ck_assert_int_eq(run.status, SIMT_ILLEGAL_ADDRESS);
  ck_assert_msg(strstr(run.diag.text, "thread (3,0,0)") != NULL, "%s", run.diag.text);
  ck_assert_msg(strstr(run.diag.text, "shared store") != NULL, "%s", run.diag.text);
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], 0xdeadbeef);
  core_free(&run);
  run = store_to_two_spaces(99, 20);
  ck_assert_msg(strstr(run.diag.text, "thread (20,0,0)") != NULL, "%s", run.diag.text);
  core_free(&run);
  run = store_to_two_spaces(3, 99); // the right lanes are not stored either
  ck_assert_msg(strstr(run.diag.text, "thread (3,0,0)") != NULL, "%s", run.diag.text);
  for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(run.out_host[i], 0xdeadbeef);
  core_free(&run);
  run = store_to_two_spaces(99, 99);
  ck_assert_int_eq(run.status, SIMT_OK);
  ck_assert_uint_eq(run.out_host[31], 31);
  core_free(&run);
}
END_TEST

// Lanes in different allocations: lane 5 in constant memory, lane 9 in none.
START_TEST(the_lowest_wrong_lane_of_several_allocations_is_named)
{
  core_run run =
      core_load(".version 7.8\n.target sm_80\n.address_size 64\n.const .align 4 .b8 table[64];\n"
                ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n"
                ".reg .pred %p<4>;\n.reg .b32 %me;\n.reg .b64 %rd<9>;\n"
                "ld.param.u64 %rd0, [k_0];\nmov.u32 %me, %tid.x;\nmul.wide.u32 %rd1, %me, 4;\n"
                "add.u64 %rd2, %rd0, %rd1;\nsetp.eq.u32 %p1, %me, 5;\nmov.u64 %rd3, table;\n"
                "cvta.const.u64 %rd3, %rd3;\n@%p1 mov.u64 %rd2, %rd3;\nsetp.eq.u32 %p2, %me, 9;\n"
                "@%p2 add.u64 %rd2, %rd2, 1099511627776;\nst.u32 [%rd2], %me;\nret;\n}\n");
  ck_assert_msg(run.status == SIMT_OK, "%s", run.diag.text);
  core_launch(&run, (core_options){.n = 0});
  ck_assert_int_eq(run.status, SIMT_READ_ONLY_MEMORY);
  ck_assert_msg(strstr(run.diag.text, "thread (5,0,0)") != NULL, "%s", run.diag.text);
  ck_assert_uint_eq(run.out_host[0], 0xdeadbeef);
  core_free(&run);
}
END_TEST

START_TEST(parameters_are_read_only)
{
  core_fails(KERNEL_HEAD "mov.b64 %rd4, k_2;\ncvta.param.u64 %rd5, %rd4;\nld.u32 %r0, [%rd5];\n"
                         "st.u32 [%rd5], %r0;\n" KERNEL_TAIL,
             (core_options){.block = 1}, SIMT_ILLEGAL_ADDRESS,
             TEXTS("parameters cannot be written"));
}
END_TEST

// A printf whose format asks for a field of 10^9 characters; `result` is where it puts its own.
// `first` stores the first argument at [%rd2].
#define PRINTF_OF(format, first, result)                                                           \
  ".version 7.8\n.target sm_80\n.address_size 64\n.global .align 1 .b8 s[] = " format ";\n"        \
  ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"                         \
  ".visible .entry k()\n{\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.local .align 8 .b8 a[16];\n"      \
  ".local .align 1 .b8 last[16];\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 p2;\n"             \
  "mov.u64 %rd1, s;\nmov.u64 %rd2, a;\ncvta.local.u64 %rd2, %rd2;\n" first                         \
  "st.param.b64 [p0], %rd1;\nst.param.b64 [p1], %rd2;\n"                                           \
  "call (" result "), vprintf, (p0, p1);\nret;\n}\n"
#define PRINTF_KERNEL(format, result) PRINTF_OF(format, "", result)

START_TEST(printf_is_kept_within_bounds)
{
  core_fails(PRINTF_KERNEL("{37, 57, 57, 57, 57, 57, 57, 57, 57, 57, 100, 0}", "p2"),
             (core_options){.block = 1}, SIMT_ILLEGAL_ADDRESS, TEXTS("do not match the format"));
  core_fails(PRINTF_KERNEL("{37, 100, 0}", "s"), (core_options){.block = 1}, SIMT_UNSUPPORTED,
             TEXTS(".param variables"));
  core_run run = core_ok(PRINTF_KERNEL("{37, 100, 0}", "p2"), (core_options){.block = 1});
  core_free(&run);
}
END_TEST

START_TEST(printf_looks_for_strings_where_memory_is)
{
#define PRINT_STRING_AT(address)                                                                   \
  PRINTF_OF("{37, 115, 0}", "mov.u64 %rd3, " address ";\nst.u64 [%rd2], %rd3;\n", "p2")
  core_fails(PRINT_STRING_AT("0x1234"), (core_options){.block = 1}, SIMT_ILLEGAL_ADDRESS,
             TEXTS("0x1234, where no string is"));
  core_run run = core_ok(PRINT_STRING_AT("0"), (core_options){.block = 1}); // "(null)"
  core_free(&run);
  run = core_ok(PRINT_STRING_AT("s"), (core_options){.block = 1});
  core_free(&run);
}
END_TEST

START_TEST(label_behind_the_last_exit)
{
  core_run run =
      core_ok(KERNEL_HEAD "mov.u32 %r0, 7;\n" STORE_R0
                          "setp.lt.u32 %p1, %me, 3;\n@%p1 bra END;\nmov.u32 %r0, 9;\n" STORE_R0
                          "ret;\nEND:\n}\n",
              (core_options){.block = 8});
  for (uint32_t i = 0; i < 8; i++) ck_assert_uint_eq(run.out_host[i], i < 3 ? 7 : 9);
  core_free(&run);
}
END_TEST

START_TEST(code_that_runs_off_its_end_exits)
{
  core_run run =
      core_ok(KERNEL_HEAD "mov.u32 %r0, 5;\n" STORE_R0 "}\n", (core_options){.block = 40});
  ck_assert_uint_eq(run.out_host[39], 5);
  core_free(&run);
}
END_TEST

START_TEST(a_clock_is_read_by_mov_only)
{
  core_run run = core_ok(KERNEL_HEAD
                         "mov.u64 %rd4, %clock64;\nmov.u64 %rd5, %clock64;\n"
                         "sub.u64 %rd4, %rd5, %rd4;\ncvt.u32.u64 %r0, %rd4;\n" STORE_R0 KERNEL_TAIL,
                         (core_options){.block = 1});
  ck_assert_uint_ne(run.out_host[0], 0xdeadbeef);
  core_free(&run);
  core_fails(KERNEL_HEAD "add.u32 %r0, %r1, %clock;\n" KERNEL_TAIL, (core_options){.n = 0},
             SIMT_UNSUPPORTED, TEXTS("%clock", "mov"));
  core_fails(KERNEL_HEAD "cvt.rn.f32.u32 %f1, %clock;\n" KERNEL_TAIL, (core_options){.n = 0},
             SIMT_UNSUPPORTED, TEXTS("%clock", "mov"));
}
END_TEST

START_TEST(load_time_refusals)
{
  core_fails(KERNEL_HEAD "frobnicate.u32 %r0, %r1;\n" KERNEL_TAIL, (core_options){.n = 0},
             SIMT_UNSUPPORTED, TEXTS("t.ptx:18", "frobnicate"));
  core_fails(KERNEL_HEAD "add.u64 %rd4, %rd5, %r1;\n" KERNEL_TAIL, (core_options){.n = 0},
             SIMT_UNSUPPORTED, TEXTS("t.ptx:18", "%r1"));
  core_fails(KERNEL_HEAD "bra NOWHERE;\n" KERNEL_TAIL, (core_options){.n = 0}, SIMT_SYNTAX_ERROR,
             TEXTS("NOWHERE"));
  core_fails(KERNEL_HEAD "membar.gl 3;\n" KERNEL_TAIL, (core_options){.n = 0}, SIMT_SYNTAX_ERROR,
             TEXTS("t.ptx:18", "'membar' takes 0 operands, 1 are given"));
  core_fails(KERNEL_HEAD "nanosleep.u32 3, 4;\n" KERNEL_TAIL, (core_options){.n = 0},
             SIMT_SYNTAX_ERROR, TEXTS("'nanosleep' takes 1 operands, 2 are given"));
  core_fails(KERNEL_HEAD "trap 3;\n" KERNEL_TAIL, (core_options){.n = 0}, SIMT_SYNTAX_ERROR,
             TEXTS("'trap' takes 0 operands"));
  core_fails(KERNEL_HEAD "mov.u32 %r0, %pm0;\n" KERNEL_TAIL, (core_options){.n = 0},
             SIMT_UNSUPPORTED, TEXTS("%pm0"));
  core_fails(".version 7.8\n.target sm_80\n.address_size 64\n.func f()\n{\ncall f, "
             "();\nret;\n}\n.visible .entry k()\n{\ncall f, ();\nret;\n}\n",
             (core_options){.n = 0}, SIMT_STACK_OVERFLOW, TEXTS("stack overflow: 'f'"));
  core_fails(".version 7.8\n.target sm_80\n.address_size 64\n.extern .func g();\n.visible .entry "
             "k()\n{\ncall g, ();\nret;\n}\n",
             (core_options){.n = 0}, SIMT_UNSUPPORTED, TEXTS("'g'", "defined nowhere"));
}
END_TEST

START_TEST(malformed_operands_are_refused)
{
  static const struct {
    const char *code, *said;
  } cases[] = {
      {"add.u32 _, %r1, %r2;\n", "may not go to _"},
      {"add.u32 %r0, _, %r2;\n", "may not be _"},
      {"mov.u64 _, %clock64;\n", "may not go to _"},
      {"activemask.b32 _;\n", "may not go to _"},
      {"isspacep.shared _, %rd1;\n", "may not go to _"},
      {"ld.param.u32 _, [k_2];\n", "may not go to _"},
      {"mov.b64 %rd4, {%r0, _};\n", "must be a register"},
      {"cvta.shared.u64 %r0, %rd1;\n", ".b64 is needed"},
      {"atom.global.add.u64 %r0, [%rd0], %rd1;\n", ".u64 is needed"},
      {"setp.eq.u32 %p1|%r1, %r2, %r3;\n", "second destination"},
      {"add.u32 %r0.b1, %r1, %r2;\n", "only video instructions take a part"},
      {"add.u32 %r0, %r1, -%r2;\n", "only video instructions take a register with a sign"},
      {"st.global.v2.u32 [%rd0], {%r1, %r2.h0};\n", "only video instructions take a part"},
      {"vadd.u32.u32.u32 %r0.b1, %r1, %r2;\n", "takes 4 operands here, 3 are given"},
      {"vadd.u32.u32.u32 %r0, %r1;\n", "takes 3 operands here, 2 are given"},
      {"vadd.u32.u32.u32.add %r0.h1, %r1, %r2, %r3;\n", "a second operation"},
      {"vadd.u32.u32.u32.add %r0, %r1, %r2, %r3.b0;\n", "must be a whole register"},
      {"vadd.u32.u32.u32 %r0, -%r1, %r2;\n", "may not have a sign"},
      {"vmad.u32.u32.u32.po %r0, -%r1, %r2, %r3;\n", "may not have a sign"},
      {"vmad.u32.u32.u32 %r0.b0, %r1, %r2, %r3;\n", "must be a whole register"},
      {".reg .b128 %q<2>;\nld.global.u64 %q0, [%rd1];\n", "16 bytes"},
      {".reg .b128 %q<2>;\nst.global.u64 [%rd0], %q0;\n", "16 bytes"},
      {".shared .align 4 .b8 huge[1099511627776];\nst.shared.u32 [huge], %r0;\n", "shared memory"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", KERNEL_HEAD, cases[i].code, KERNEL_TAIL);
    core_run run = core_load(text);
    ck_assert_msg(run.status != SIMT_OK, "accepted: %s", cases[i].code);
    ck_assert_msg(strstr(run.diag.text, cases[i].said), "%s says: %s", cases[i].code,
                  run.diag.text);
    core_free(&run);
  }
}
END_TEST

// f0 calls f1 twice, which calls f2 twice, …: 2^40 calls without a single instruction.
START_TEST(calls_that_multiply_are_refused)
{
  enum { DEEP = 40 };
  char text[8192];
  int n = snprintf(text, sizeof text, ".version 7.8\n.target sm_80\n.address_size 64\n");
  for (int i = DEEP; i >= 0; i--) {
    n += snprintf(text + n, sizeof text - (size_t)n, i ? ".func f%d() {" : ".entry k() {", i);
    for (int k = 0; k < 2 && i < DEEP; k++)
      n += snprintf(text + n, sizeof text - (size_t)n, "call f%d, ();", i + 1);
    n += snprintf(text + n, sizeof text - (size_t)n, "}\n");
  }
  core_fails(text, (core_options){.n = 0}, SIMT_OUT_OF_RESOURCES, TEXTS("'k'", "calls"));
}
END_TEST

// ---- several host threads ----------------------------------------------------------------------

enum { WIDE = 200, BLOCK = 256 }; // 51,200 threads: worth splitting

static void same_on_threads(const char *body, simt_status status) {
  char text[8192];
  snprintf(text, sizeof text, "%s%s%s", KERNEL_HEAD, body, KERNEL_TAIL);
  core_run one = core_load(text), many = core_load(text);
  ck_assert_msg(one.status == SIMT_OK, "%s", one.diag.text);
  core_launch(&one, (core_options){.grid = WIDE, .block = BLOCK, .n_host_threads = 1});
  core_launch(&many, (core_options){.grid = WIDE, .block = BLOCK, .n_host_threads = 4});
  ck_assert_int_eq(one.status, status);
  ck_assert_int_eq(many.status, status);
  if (status != SIMT_OK) ck_assert_str_eq(one.diag.text, many.diag.text);
  ck_assert(memcmp(one.out_host, many.out_host, CORE_WORDS * 4) == 0);
  ck_assert(memcmp(one.in_host, many.in_host, CORE_WORDS * 4) == 0);
  core_free(&one);
  core_free(&many);
}

#define GLOBAL_INDEX                                                                               \
  "mov.u32 %r1, %ntid.x;\nmad.lo.u32 %r1, %cb, %r1, %me;\nmul.wide.u32 %rd4, %r1, 4;\nadd.u64 "    \
  "%rd5, %rd1, %rd4;\nadd.u64 %rd6, %rd0, %rd4;\n"

START_TEST(threads_independent_blocks)
{
  same_on_threads(
      GLOBAL_INDEX
      "ld.global.u32 %r2, [%rd5];\nmul.lo.u32 %r2, %r2, 3;\nst.global.u32 [%rd6], %r2;\n",
      SIMT_OK);
}
END_TEST

START_TEST(threads_last_writer_wins)
{ same_on_threads("st.global.u32 [%rd0], %cb;\n", SIMT_OK); }
END_TEST

START_TEST(threads_chain_through_memory)
{ // every block continues from what the block before left
  same_on_threads("setp.ne.u32 %p1, %me, 0;\n@%p1 exit;\nld.global.u32 %r1, [%rd0];\nmad.lo.u32 "
                  "%r1, %r1, 5, 1;\nst.global.u32 [%rd0], %r1;\n",
                  SIMT_OK);
}
END_TEST

static unsigned n_attempts; // at running blocks on several host threads

static void counted_run(void *data, uint32_t n, void (*work)(void *, uint32_t), void *argument) {
  n_attempts++;
  simt_host_platform()->run(data, n, work, argument);
}

// How often `n_launches` of a kernel were tried on several host threads; n of the last is `last_n`.
static unsigned count_attempts(const char *body, unsigned n_launches, uint32_t last_n) {
  char text[8192];
  snprintf(text, sizeof text, "%s%s%s", KERNEL_HEAD, body, KERNEL_TAIL);
  simt_platform platform = *simt_host_platform();
  platform.run = counted_run;
  n_attempts = 0;
  core_run run = core_load_on(&platform, text);
  for (unsigned i = 1; i <= n_launches; i++)
    core_launch(&run, (core_options){.grid = WIDE,
                                     .block = BLOCK,
                                     .n_host_threads = 4,
                                     .n = i < n_launches ? 0 : last_n});
  ck_assert_msg(run.status == SIMT_OK, "%s", run.diag.text);
  core_free(&run);
  return n_attempts;
}

#define ADD_IN_PLACE                                                                               \
  "ld.global.u32 %r2, [%rd5];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd5], %r2;\n"

START_TEST(threads_are_seldom_tried_again_where_blocks_depend)
{
  if (getenv("CORE_SLICE")) return; // a launch in pieces runs on one host thread
  const char *copy = GLOBAL_INDEX "ld.global.u32 %r2, [%rd5];\nst.global.u32 [%rd6], %r2;\n";
  ck_assert_uint_eq(count_attempts(copy, 20, 0), 20);
  const char *in_place = GLOBAL_INDEX ADD_IN_PLACE;
  ck_assert_uint_eq(count_attempts(in_place, 1, 0), 1);
  ck_assert_uint_eq(count_attempts(in_place, 20, 0), 4); // the 1st, 3rd, 7th and 15th
  // Works in place while n is 0. The 7th launch does not, and holds: so the 8th is tried as well.
  const char *mixed = GLOBAL_INDEX "setp.ne.u32 %p1, %nn, 0;\n@%p1 exit;\n" ADD_IN_PLACE;
  ck_assert_uint_eq(count_attempts(mixed, 7, 1), 3);
}
END_TEST

START_TEST(threads_fault_in_a_late_block)
{
  same_on_threads(GLOBAL_INDEX "st.global.u32 [%rd6], %r1;\nsetp.eq.u32 %p1, %r1, 40000;\n@%p1 "
                               "add.u64 %rd5, %rd5, 1000000;\n@%p1 ld.global.u32 %r2, [%rd5];\n",
                  SIMT_ILLEGAL_ADDRESS);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("access");
  TCase *data = tcase_create("data"), *faults = tcase_create("faults"),
        *threads = tcase_create("threads");
  tcase_add_test(data, narrow_loads_extend);
  tcase_add_test(data, narrow_stores_touch_only_their_bytes);
  tcase_add_test(data, gather_with_a_partial_mask);
  tcase_add_test(data, local_memory_is_per_thread);
  tcase_add_test(data, generic_addresses_reach_every_space);
  tcase_add_test(data, dynamic_shared_memory_lies_behind_the_static_part);
  tcase_add_test(data, parameters_of_every_width);
  tcase_add_test(data, atomics_serialise_lanes);
  tcase_add_test(data, float_atomic_add_rounds_each_step);
  tcase_add_test(faults, out_of_bounds_is_explained);
  tcase_add_test(faults, faults_of_other_kinds);
  tcase_add_test(faults, code_that_runs_off_its_end_exits);
  tcase_add_test(faults, addresses_that_wrap_around_fault);
  tcase_add_test(faults, the_lowest_wrong_lane_of_several_spaces_is_named);
  tcase_add_test(faults, the_lowest_wrong_lane_of_several_allocations_is_named);
  tcase_add_test(faults, parameters_are_read_only);
  tcase_add_test(faults, printf_is_kept_within_bounds);
  tcase_add_test(faults, printf_looks_for_strings_where_memory_is);
  tcase_add_test(faults, label_behind_the_last_exit);
  tcase_add_test(faults, a_clock_is_read_by_mov_only);
  tcase_add_test(faults, load_time_refusals);
  tcase_add_test(faults, malformed_operands_are_refused);
  tcase_add_test(faults, calls_that_multiply_are_refused);
  tcase_add_test(threads, threads_independent_blocks);
  tcase_add_test(threads, threads_last_writer_wins);
  tcase_add_test(threads, threads_chain_through_memory);
  tcase_add_test(threads, threads_are_seldom_tried_again_where_blocks_depend);
  tcase_add_test(threads, threads_fault_in_a_late_block);
  TCase *all[] = {data, faults, threads};
  for (size_t i = 0; i < 3; i++) suite_add_tcase(suite, all[i]);
  return run_suite(suite);
}
