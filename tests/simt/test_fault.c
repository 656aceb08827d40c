// SPDX-License-Identifier: MIT
// test_fault.c - device faults as records (simt_last_fault()): every kind, with its access, its
// nearest allocation, its lanes, its site and its wait. A test per kind asserts field by field, so
// that it can be read alone.
#define _DEFAULT_SOURCE 1 // setenv

#include <string.h>

#include "cudart_fixture.h"
#include "simt.h"
#include "run_suite.h"

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n.file 1 \"lib/kernel.cu\"\n"
#define GRID_SYNC "  {\n  call.uni __simt_grid_sync, ();\n  }\n"

// One kernel each, with a pointer as its first parameter, and the source line of its fault.
static const char kernels[] = HEAD
    ".const .align 4 .b8 limits[8];\n"
    ".extern .func __simt_grid_sync();\n"
    // p[tid] = 1 for every thread
    ".visible .entry _Z5storePj(.param .u64 p)\n"
    "{ .reg .b64 %d<4>; .reg .b32 %r<4>;\n"
    "  ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"
    "  .loc 1 12 3\n"
    "  st.global.u32 [%d3], 1; ret; }\n"
    ".visible .entry load(.param .u64 p)\n"
    "{ .reg .b64 %d<2>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %d1, [p];\n"
    "  .loc 1 20 3\n"
    "  ld.global.u32 %r1, [%d1]; ret; }\n"
    // s[p / 4] = 0
    ".visible .entry shared(.param .u64 p)\n"
    "{ .reg .b64 %d<4>; .reg .b32 %r<4>; .shared .align 4 .b8 _ZZ6sharedPiE3sum[128];\n"
    "  ld.param.u64 %d1, [p]; cvt.u32.u64 %r1, %d1; mov.u32 %r2, _ZZ6sharedPiE3sum;\n"
    "  add.u32 %r3, %r1, %r2;\n"
    "  .loc 1 31 3\n"
    "  st.shared.u32 [%r3], 0; ret; }\n"
    ".visible .entry constant(.param .u64 p)\n"
    "{ .reg .b64 %d<3>; mov.u64 %d1, limits; cvta.const.u64 %d2, %d1;\n"
    "  .loc 1 40 3\n"
    "  st.u32 [%d2+4], 0; ret; }\n"
    ".visible .entry barrier(.param .u64 p)\n"
    "{ .reg .b32 %r<2>; .reg .pred %p<2>; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 39;\n"
    "  .loc 1 50 3\n"
    "  @%p1 bra WAIT;\n"
    "SPIN: bar.sync 1; bra DONE;\n"
    "WAIT:\n"
    "  .loc 1 52 3\n"
    "  bar.sync 0; DONE: ret; }\n"
    ".visible .entry mask(.param .u64 p)\n"
    "{ .reg .b32 %r<2>; .reg .pred %p<2>; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 3;\n"
    "  @%p1 bra OTHERS;\n"
    "  .loc 1 60 3\n"
    "  bar.warp.sync 0xff; ret;\n"
    "OTHERS: bar.sync 0; ret; }\n"
    ".visible .entry unnamed(.param .u64 p)\n"
    "{ .reg .b32 %r<2>; .reg .pred %p<2>; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 29;\n"
    "  @%p1 bra OTHERS;\n"
    "  .loc 1 70 3\n"
    "  bar.warp.sync 0xfffffff0;\n"
    "OTHERS: bar.sync 0; ret; }\n"
    ".visible .entry spin(.param .u64 p)\n"
    "{ .reg .b64 %d<2>; .reg .b32 %r<2>; .reg .pred %p<2>; ld.param.u64 %d1, [p];\n"
    "  .loc 1 80 3\n"
    "AGAIN: ld.volatile.global.u32 %r1, [%d1]; setp.ne.u32 %p1, %r1, 7; @%p1 bra AGAIN; ret; }\n"
    ".visible .entry endless(.param .u64 p)\n"
    "{ .reg .b32 %r<2>;\n"
    "AGAIN:\n"
    "  .loc 1 90 3\n"
    "  add.u32 %r1, %r1, 1; bra AGAIN; ret; }\n"
    ".visible .entry stop(.param .u64 p)\n"
    "{\n"
    "  .loc 1 95 3\n"
    "  trap; ret; }\n"
    ".visible .entry number(.param .u64 p)\n"
    "{ .reg .b32 %r<2>; mov.u32 %r1, 16;\n"
    "  .loc 1 97 3\n"
    "  bar.sync %r1; ret; }\n"
    // the first warp of block 2 waits at another barrier
    ".visible .entry grid(.param .u64 p)\n"
    "{ .reg .b32 %r<3>; .reg .pred %p<3>; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n"
    "  setp.eq.u32 %p1, %r1, 2; setp.lt.and.u32 %p2, %r2, 32, %p1;\n"
    "  @%p2 bar.sync 3, 64;\n"
    "  .loc 1 99 3\n" GRID_SYNC "  ret; }\n";

static char *array; // 256 bytes on the device

static void set_up(void) { OK(cudaMalloc((void **)&array, 256)); }

static void run(const char *name, uint64_t argument, unsigned threads) {
  cudaKernel_t kernel = kernel_of(load(kernels), name);
  OK(cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){threads, 1, 1},
                      (void *[]){&argument}, 0, 0));
}

static simt_fault_info fault_of_grid(bool cooperative) {
  simt_fault_info f;
  uint64_t argument = 0;
  const void *kernel = (const void *)kernel_of(load(kernels), "grid");
  void *arguments[] = {&argument};
  const dim3 grid = {4, 1, 1}, block = {64, 1, 1};
  OK(cooperative ? cudaLaunchCooperativeKernel(kernel, grid, block, arguments, 0, 0)
                 : cudaLaunchKernel(kernel, grid, block, arguments, 0, 0));
  ck_assert_int_eq(simt_last_fault(&f), 1);
  return f;
}

static simt_fault_info fault_of(const char *name, uint64_t argument, unsigned threads) {
  simt_fault_info f;
  ck_assert_int_eq(simt_last_fault(&f), 0);
  ck_assert_int_eq(f.kind, SIMT_FAULT_NONE);
  run(name, argument, threads);
  ck_assert_int_eq(simt_last_fault(&f), 1);
  return f;
}

// A process with a fault that it leaves standing exits with 86.
static void end(void) {
  fflush(NULL);
  _exit(EXIT_SUCCESS);
}

#define AT(address) ((uint64_t)(uintptr_t)(address))

START_TEST(past_the_end)
{
  simt_fault_info f = fault_of("_Z5storePj", AT(array), 128);
  ck_assert_int_eq(f.kind, SIMT_FAULT_OUT_OF_BOUNDS);
  ck_assert_str_eq(simt_fault_name(f.kind), "out_of_bounds");
  ck_assert_int_eq(f.operation, SIMT_OPERATION_STORE);
  ck_assert_int_eq(f.space, SIMT_SPACE_GLOBAL);
  ck_assert_uint_eq(f.address, AT(array) + 256);
  ck_assert_uint_eq(f.width_bytes, 4);
  ck_assert(f.has_allocation && !f.is_freed);
  ck_assert_int_eq(f.distance_bytes, 1); // the byte behind the last one
  ck_assert_uint_eq(f.allocation_address, AT(array));
  ck_assert_uint_eq(f.allocation_bytes, 256);
  ck_assert_uint_eq(f.allocation_number, 1);
  ck_assert_str_eq(f.allocation_name, "");
  ck_assert_str_eq(f.kernel, "store");
  ck_assert_str_eq(f.function, "store");
  ck_assert_str_eq(f.file, "lib/kernel.cu");
  ck_assert_uint_eq(f.line, 12);
  ck_assert_uint_gt(f.ptx_line, 5);
  ck_assert_str_eq(f.schedule, "lockstep");
  ck_assert_uint_eq(f.launch, 1);
  ck_assert_uint_eq(f.thread[0], 64);
  ck_assert_uint_eq(f.warp, 2);
  ck_assert_int_eq(f.lane, 0);
  ck_assert_uint_eq(f.lanes, UINT32_MAX);
  ck_assert_uint_eq(f.faulting_lanes, UINT32_MAX);
  ck_assert_int_eq(f.wait, SIMT_WAIT_NONE);
  end();
}
END_TEST

START_TEST(some_lanes_only)
{
  simt_fault_info f = fault_of("_Z5storePj", AT(array) + 256 - 4 * 20, 32);
  ck_assert_int_eq(f.lane, 20);
  ck_assert_uint_eq(f.lanes, UINT32_MAX);
  ck_assert_uint_eq(f.faulting_lanes, 0xfff00000);
  ck_assert_int_eq(f.distance_bytes, 1);
  end();
}
END_TEST

START_TEST(before_the_start)
{
  simt_fault_info f = fault_of("load", AT(array) - 4, 1);
  ck_assert_int_eq(f.kind, SIMT_FAULT_OUT_OF_BOUNDS);
  ck_assert_int_eq(f.operation, SIMT_OPERATION_LOAD);
  ck_assert_int_eq(f.distance_bytes, -4);
  ck_assert_uint_eq(f.line, 20);
  end();
}
END_TEST

START_TEST(misaligned)
{
  simt_fault_info f = fault_of("_Z5storePj", AT(array) + 1, 1);
  ck_assert_int_eq(f.kind, SIMT_FAULT_MISALIGNED);
  ck_assert_int_eq(f.distance_bytes, 0);
  ck_assert_uint_eq(f.allocation_bytes, 256);
  end();
}
END_TEST

START_TEST(nothing_is_near)
{
  simt_fault_info f = fault_of("load", 0, 1);
  ck_assert_int_eq(f.kind, SIMT_FAULT_OUT_OF_BOUNDS);
  ck_assert(!f.has_allocation);
  ck_assert_uint_eq(f.address, 0);
  end();
}
END_TEST

START_TEST(freed_memory)
{
  OK(cudaFree(array));
  simt_fault_info f = fault_of("load", AT(array) + 8, 1);
  ck_assert_int_eq(f.kind, SIMT_FAULT_USE_AFTER_FREE);
  ck_assert(f.has_allocation && f.is_freed);
  ck_assert_int_eq(f.distance_bytes, 0);
  OK(cudaDeviceReset());
  ck_assert_int_eq(simt_last_fault(&f), 1); // it outlasts the reset
}
END_TEST

START_TEST(host_memory)
{
  int local = 0;
  simt_fault_info f = fault_of("load", AT(&local), 1);
  ck_assert_int_eq(f.kind, SIMT_FAULT_HOST_POINTER);
  ck_assert(!f.has_allocation);
  end();
}
END_TEST

START_TEST(shared_memory)
{
  simt_fault_info f = fault_of("shared", 130 * 4, 1);
  ck_assert_int_eq(f.kind, SIMT_FAULT_OUT_OF_BOUNDS);
  ck_assert_int_eq(f.space, SIMT_SPACE_SHARED);
  ck_assert_uint_eq(f.address, 520);
  ck_assert_int_eq(f.distance_bytes, 520 - 128 + 1);
  ck_assert_uint_eq(f.allocation_bytes, 128);
  ck_assert_str_eq(f.allocation_name, "sum");
  ck_assert_uint_eq(f.line, 31);
  end();
}
END_TEST

START_TEST(shared_memory_below_zero)
{
  simt_fault_info f = fault_of("shared", (uint64_t)-8, 1);
  ck_assert_int_eq(f.space, SIMT_SPACE_SHARED);
  ck_assert_int_eq(f.distance_bytes, -8); // also where the kernel computes in 32 bits
  end();
}
END_TEST

START_TEST(constant_memory)
{
  simt_fault_info f = fault_of("constant", 0, 1);
  ck_assert_int_eq(f.kind, SIMT_FAULT_READ_ONLY);
  ck_assert_int_eq(f.space, SIMT_SPACE_CONSTANT);
  ck_assert_str_eq(f.allocation_name, "limits");
  ck_assert_uint_eq(f.address, f.allocation_address + 4);
  ck_assert_uint_eq(f.width_bytes, 4);
  end();
}
END_TEST

START_TEST(threads_at_different_barriers)
{
  simt_fault_info f = fault_of("barrier", 0, 64);
  ck_assert_int_eq(f.kind, SIMT_FAULT_DEADLOCK);
  ck_assert_int_eq(f.wait, SIMT_WAIT_BARRIER);
  ck_assert_int_eq(f.operation, SIMT_OPERATION_BARRIER);
  ck_assert_uint_eq(f.expected_threads, 64);
  ck_assert_uint_lt(f.arrived_threads, 64);
  ck_assert_uint_gt(f.arrived_threads, 0);
  ck_assert_uint_eq(f.exited_threads, 0);
  end();
}
END_TEST

START_TEST(lanes_that_never_come)
{
  simt_fault_info f = fault_of("mask", 0, 32);
  ck_assert_int_eq(f.kind, SIMT_FAULT_DEADLOCK);
  ck_assert_int_eq(f.wait, SIMT_WAIT_WARP);
  ck_assert_uint_eq(f.member_mask, 0xff);
  ck_assert_uint_eq(f.faulting_lanes, 0xf);
  ck_assert_uint_eq(f.expected_threads, 8);
  ck_assert_uint_eq(f.arrived_threads, 4);
  ck_assert_uint_eq(f.line, 60);
  end();
}
END_TEST

START_TEST(a_lane_outside_the_mask)
{
  simt_fault_info f = fault_of("unnamed", 0, 32);
  ck_assert_int_eq(f.kind, SIMT_FAULT_UNNAMED_LANE);
  ck_assert_uint_eq(f.member_mask, 0xfffffff0);
  ck_assert_uint_eq(f.faulting_lanes, 0xf);
  ck_assert_uint_eq(f.lanes, 0x3fffffff);
  ck_assert_int_eq(f.operation, SIMT_OPERATION_SYNCWARP);
  end();
}
END_TEST

START_TEST(a_block_that_never_comes_to_the_grid_barrier)
{
  simt_fault_info f = fault_of_grid(true);
  ck_assert_int_eq(f.kind, SIMT_FAULT_DEADLOCK);
  ck_assert_int_eq(f.wait, SIMT_WAIT_GRID_SYNC);
  ck_assert_int_eq(f.operation, SIMT_OPERATION_GRID_SYNC);
  ck_assert_uint_eq(f.line, 99);
  end();
}
END_TEST

START_TEST(a_grid_barrier_in_an_ordinary_launch)
{
  simt_fault_info f = fault_of_grid(false);
  ck_assert_int_eq(f.kind, SIMT_FAULT_INVALID_GRID_SYNC);
  ck_assert_int_eq(f.wait, SIMT_WAIT_NONE);
  ck_assert_uint_eq(f.line, 99);
  ck_assert_int_eq(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  end();
}
END_TEST

START_TEST(a_wait_for_memory)
{
  simt_fault_info f = fault_of("spin", AT(array), 1);
  ck_assert_int_eq(f.kind, SIMT_FAULT_DEADLOCK);
  ck_assert_int_eq(f.wait, SIMT_WAIT_MEMORY);
  ck_assert_int_eq(f.space, SIMT_SPACE_GLOBAL);
  ck_assert_uint_eq(f.address, AT(array));
  ck_assert_uint_eq(f.line, 80);
  end();
}
END_TEST

START_TEST(trapped)
{
  simt_fault_info f = fault_of("stop", 0, 40);
  ck_assert_int_eq(f.kind, SIMT_FAULT_TRAP);
  ck_assert_uint_eq(f.line, 95);
  end();
}
END_TEST

START_TEST(no_such_barrier)
{
  simt_fault_info f = fault_of("number", 0, 32);
  ck_assert_int_eq(f.kind, SIMT_FAULT_INVALID_BARRIER);
  ck_assert_uint_eq(f.barrier, 16);
  end();
}
END_TEST

START_TEST(the_schedule_is_named)
{
  simt_fault_info f = fault_of("load", 4096, 1);
  ck_assert_str_eq(f.schedule, "reverse");
  end();
}
END_TEST

START_TEST(limit)
{
  simt_fault_info f = fault_of("endless", 0, 1);
  ck_assert_int_eq(f.kind, SIMT_FAULT_INSTRUCTION_LIMIT);
  ck_assert_uint_eq(f.line, 90);
  end();
}
END_TEST

START_TEST(names)
{
  ck_assert_str_eq(simt_fault_name(SIMT_FAULT_NONE), "none");
  for (int i = 0; i < SIMT_FAULT_COUNT; i++)
    for (int k = 0; k < i; k++)
      ck_assert_str_ne(simt_fault_name((simt_fault_kind)i), simt_fault_name((simt_fault_kind)k));
  ck_assert_str_eq(simt_fault_name(SIMT_FAULT_COUNT), "none");
}
END_TEST

static void in_reverse(void) {
  setenv("SIMT_SCHEDULE", "reverse", 1);
  set_up();
}

static void with_limit(void) {
  setenv("SIMT_MAX_WARP_INSTRUCTIONS", "10000", 1);
  set_up();
}

int main(void) {
  Suite *suite = suite_create("fault");
  TCase *all = tcase_create("fault"), *reverse = tcase_create("reverse"),
        *limited = tcase_create("limited");
  tcase_add_checked_fixture(all, set_up, NULL);
  tcase_add_checked_fixture(reverse, in_reverse, NULL);
  tcase_add_checked_fixture(limited, with_limit, NULL);
  tcase_add_test(all, past_the_end);
  tcase_add_test(all, some_lanes_only);
  tcase_add_test(all, before_the_start);
  tcase_add_test(all, misaligned);
  tcase_add_test(all, nothing_is_near);
  tcase_add_test(all, freed_memory);
  tcase_add_test(all, host_memory);
  tcase_add_test(all, shared_memory);
  tcase_add_test(all, shared_memory_below_zero);
  tcase_add_test(all, constant_memory);
  tcase_add_test(all, threads_at_different_barriers);
  tcase_add_test(all, lanes_that_never_come);
  tcase_add_test(all, a_lane_outside_the_mask);
  tcase_add_test(all, a_wait_for_memory);
  tcase_add_test(all, a_block_that_never_comes_to_the_grid_barrier);
  tcase_add_test(all, a_grid_barrier_in_an_ordinary_launch);
  tcase_add_test(all, no_such_barrier);
  tcase_add_test(all, names);
  tcase_add_test(all, trapped);
  tcase_add_test(reverse, the_schedule_is_named);
  tcase_add_test(limited, limit);
  suite_add_tcase(suite, all);
  suite_add_tcase(suite, reverse);
  suite_add_tcase(suite, limited);
  return run_suite(suite);
}
