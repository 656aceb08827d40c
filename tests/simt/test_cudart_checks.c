// SPDX-License-Identifier: MIT
// test_cudart_checks.c - the checkers and the sweep behind the CUDA runtime: what the host's calls
// tell them, which finding a device fault or a wrong call becomes, and when they make a program
// fail.
#define _DEFAULT_SOURCE 1 // mkstemp, setenv, dup

#include <string.h>

#include "cudart_fixture.h"
#include "simt.h"
#include "run_suite.h"

// In `text`, whose lines are joined: where it is broken does not matter here.
static bool says(const char *text, const char *what) {
  static char joined[16384];
  char *to = joined;
  for (const char *from = text; *from && to < joined + sizeof joined - 1; from++) {
    bool blank = *from == ' ' || *from == '\n';
    if (blank && to > joined && to[-1] == ' ') continue;
    *to++ = blank ? ' ' : *from;
  }
  *to = '\0';
  return strstr(joined, what) != NULL;
}

static bool found(const char *what) {
  static char text[16384];
  simt_findings_text(text, sizeof text, 10);
  return says(text, what);
}

// A test ends well although its process has findings, which make any other exit status 86.
static void end_with_findings(void) {
  fflush(NULL);
  _exit(EXIT_SUCCESS);
}

static void free_twice(void) {
  void *p = NULL;
  OK(cudaMalloc(&p, 64));
  OK(cudaFree(p));
  IS(cudaErrorInvalidValue, cudaFree(p));
}

START_TEST(wrong_frees_are_findings_of_memcheck)
{
  setenv("SIMT_NOTES", "1", 1);
  if (_i) setenv("SIMT_CHECK", "memcheck", 1);
  const char *said = stderr_of(free_twice);
  ck_assert_msg(says(said, "which has been freed"), "%s", said);
  ck_assert_uint_eq(simt_findings_error_count(), _i ? 1 : 0);
  ck_assert_int_eq(strstr(said, "memcheck: free of what is not allocated") != NULL, _i);
  end_with_findings();
}
END_TEST

static void leave_memory(void) {
  void *p = NULL;
  OK(cudaMalloc(&p, 64));
  OK(cudaMallocHost(&p, 64));
}
static void leave_no_memory(void) {
  void *p = NULL;
  OK(cudaMalloc(&p, 64));
  OK(cudaFree(p));
}
static void leave_memory_and_reset(void) {
  leave_memory();
  OK(cudaDeviceReset());
}

START_TEST(leaks_are_findings_of_memcheck)
{
  ck_assert_int_eq(exit_status_of(leave_memory, 0), 0);
  for (int i = 0; i < 2; i++) { // a note, which does not change the status; or an error
    setenv("SIMT_CHECK", i ? "racecheck,leak" : "memcheck", 1);
    ck_assert_int_eq(exit_status_of(leave_memory, 0), i ? 86 : 0);
    ck_assert_int_eq(exit_status_of(leave_memory, 3), 3);
    ck_assert_int_eq(exit_status_of(leave_no_memory, 0), 0);
    ck_assert_int_eq(exit_status_of(leave_memory_and_reset, 0), 0);
  }
  setenv("SIMT_CHECK", "racecheck", 1);
  ck_assert_int_eq(exit_status_of(leave_memory, 0), 0);
}
END_TEST

// copy(from, to): to[0] = from[0]. sum(at): float atomicAdd of every thread. last(at): every thread
// writes its index to one word.
static const char *const checked_text =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 cell = 7;\n"
    ".visible .entry copy(.param .u64 from, .param .u64 to)\n"
    "{ .reg .b64 %rd<3>; .reg .b32 %r<2>; ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];\n"
    "  ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1; ret; }\n"
    ".visible .entry last(.param .u64 at)\n"
    "{ .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [at]; mov.u32 %r1, %ctaid.x;\n"
    "  st.global.u32 [%rd1], %r1; ret; }\n"
    ".visible .entry ticket(.param .u64 at)\n"
    "{ .reg .b64 %rd<4>; .reg .b32 %r<4>; ld.param.u64 %rd1, [at]; mov.u32 %r1, %ctaid.x;\n"
    "  atom.global.add.u32 %r2, [%rd1], 1; add.u32 %r2, %r2, 1; mul.wide.u32 %rd2, %r2, 4;\n"
    "  add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret; }\n"
    ".visible .entry count(.param .u64 at)\n"
    "{ .reg .b64 %rd<2>; .reg .b32 %r<3>; ld.param.u64 %rd1, [at];\n"
    "  atom.global.add.u32 %r2, [%rd1], 1; ret; }\n"
    ".visible .entry late(.param .u64 at)\n" // block 1 needs block 0 to have been there
    "{ .reg .b64 %rd<2>; .reg .b32 %r<3>; .reg .pred %p<3>; ld.param.u64 %rd1, [at];\n"
    "  mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], 1;\n"
    "  ld.global.u32 %r2, [%rd1]; setp.ne.u32 %p2, %r2, 1; @%p2 trap; ret; }\n";

static cudaError_t launch_blocks(const char *name, unsigned blocks, void **arguments) {
  return cudaLaunchKernel((const void *)kernel_of(load(checked_text), name), (dim3){blocks, 1, 1},
                          (dim3){1, 1, 1}, arguments, 0, 0);
}

static void half_a_block_exits(void) {
  static const char *const text =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry f()\n"
      "{ .reg .b32 %r; .reg .pred %p; mov.u32 %r, %tid.x; setp.ge.u32 %p, %r, 32; @%p ret;\n"
      "  bar.sync 0; ret; }\n";
  OK(cudaLaunchKernel((const void *)kernel_of(load(text), "f"), (dim3){1, 1, 1}, (dim3){64, 1, 1},
                      NULL, 0, 0));
  OK(cudaDeviceSynchronize());
}

// A note when synccheck is on, an error where it is asked for.
START_TEST(threads_that_exit_before_a_barrier)
{
  static const struct {
    const char *check, *says;
    int status;
  } cases[] = {{"none", NULL, 0},
               {"racecheck", NULL, 0},
               {"synccheck", "synccheck: note: threads have left the kernel before a barrier", 0},
               {"exited", "synccheck: threads have left the kernel before a barrier", 86},
               {"all,exited", "synccheck: threads have left the kernel before a barrier", 86}};
  setenv("SIMT_CHECK", cases[_i].check, 1);
  ck_assert_int_eq(exit_status_of(half_a_block_exits, 0), cases[_i].status);
  const char *said = stderr_of(half_a_block_exits);
  ck_assert_msg(cases[_i].says ? says(said, cases[_i].says) : !says(said, "left the kernel"), "%s",
                said);
  end_with_findings();
}
END_TEST

// What the host does counts as writing: copies in both dimensions, sets, symbols, pinned memory.
START_TEST(initcheck_hears_what_the_host_writes)
{
  setenv("SIMT_CHECK", "initcheck", 1);
  freopen("/dev/null", "w", stderr);
  static const char words[64];
  void *from, *to, *pinned;
  uint32_t out;
  OK(cudaMalloc(&from, 64));
  OK(cudaMalloc(&to, 64));
  OK(cudaMallocHost(&pinned, 64));
  switch (_i) {
  case 0: OK(cudaMemcpy(from, words, 4, cudaMemcpyHostToDevice)); break;
  case 1: OK(cudaMemset(from, 0, 4)); break;
  case 2: OK(cudaMemcpy2D(from, 8, words, 8, 4, 2, cudaMemcpyHostToDevice)); break;
  case 3: OK(cudaMemset2DAsync(from, 16, 1, 4, 4, 0)); break;
  case 4: OK(cudaMemcpy(from, pinned, 4, cudaMemcpyDefault)); break;
  case 5: from = pinned; break;
  case 6: OK(cudaMemcpy((char *)from + 4, words, 60, cudaMemcpyHostToDevice)); break; // misses it
  default: break; // uninitialised
  }
  OK(launch_blocks("copy", 1, (void *[]){&from, &to}));
  OK(cudaMemcpy(&out, to, 4, cudaMemcpyDeviceToHost));
  ck_assert_uint_eq(simt_findings_error_count(), _i < 6 ? 0 : 1);
  if (_i >= 6) ck_assert(found("read of uninitialised global memory"));
  end_with_findings();
}
END_TEST

// A note, or an error where that is asked for.
START_TEST(initcheck_hears_what_the_host_reads)
{
  const bool is_error = _i;
  setenv("SIMT_CHECK", is_error ? "initcheck,output" : "initcheck", 1);
  freopen("/dev/null", "w", stderr);
  void *from, *to;
  uint32_t out[2];
  OK(cudaMalloc(&from, 8));
  OK(cudaMalloc(&to, 8));
  OK(cudaMemset(from, 0, 4));
  OK(cudaMemcpy(to, from, 8, cudaMemcpyDeviceToDevice)); // carries what is missing along
  ck_assert_uint_eq(simt_findings_error_count(), 0);
  OK(cudaMemcpy(out, to, 4, cudaMemcpyDeviceToHost));
  ck_assert_uint_eq(simt_findings_error_count(), 0);
  OK(cudaMemcpy(out, to, 8, cudaMemcpyDeviceToHost));
  ck_assert_uint_eq(simt_findings_error_count(), is_error);
  ck_assert(found("copy of uninitialised memory to the host") == is_error); // errors alone
  if (is_error) end_with_findings();
}
END_TEST

START_TEST(graphs_are_checked_when_they_run)
{
  setenv("SIMT_CHECK", "initcheck", 1);
  freopen("/dev/null", "w", stderr);
  void *from, *to;
  char out[4];
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaMalloc(&from, 8));
  OK(cudaMalloc(&to, 8));
  OK(cudaStreamCreate(&stream));
  cudaKernel_t copy = kernel_of(load(checked_text), "copy");
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(from, 0, _i ? 8 : 2, stream));
  OK(cudaLaunchKernel((const void *)copy, (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&from, &to},
                      0, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  ck_assert_uint_eq(simt_findings_error_count(), 0);
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaMemcpy(out, to, 4, cudaMemcpyDeviceToHost)); // the copy is used
  ck_assert_uint_eq(simt_findings_error_count(), _i ? 0 : 1);
  end_with_findings();
}
END_TEST

START_TEST(provenance_of_results)
{
  setenv("SIMT_CHECK", "initcheck", 1);
  void *from, *to;
  OK(cudaMalloc(&from, 64));
  OK(cudaMalloc(&to, 64));
  OK(cudaMemset(from, 0, 64));
  OK(launch_blocks("copy", 1, (void *[]){&from, &to}));
  ck_assert_uint_eq(simt_last_writer_launch(to), 1);
  ck_assert_uint_eq(simt_last_writer_launch((char *)to + 4), 0);
  ck_assert_uint_eq(simt_last_writer_launch(from), 0);
  ck_assert_ptr_eq(simt_first_written(to, 64), to);
  ck_assert_ptr_null(simt_first_written((char *)to + 4, 60));
  ck_assert_ptr_null(simt_first_written(from, 64));
  OK(launch_blocks("copy", 1, (void *[]){&from, &to}));
  ck_assert_uint_eq(simt_last_writer_launch(to), simt_launches());
  OK(cudaMemset(to, 0, 4));
  ck_assert_uint_eq(simt_last_writer_launch(to), 0);
  ck_assert_ptr_null(simt_first_written(to, 64));
}
END_TEST

// Far behind the beginning, in the middle of a word, and with pages between that nothing wrote.
START_TEST(the_first_written_byte_of_many)
{
  setenv("SIMT_CHECK", "initcheck", 1);
  char *from, *to, *late;
  const size_t n = 5 * 4096;
  OK(cudaMalloc((void **)&from, 64));
  OK(cudaMalloc((void **)&to, n));
  OK(cudaMemset(from, 0, 64));
  late = to + n - 8;
  OK(launch_blocks("copy", 1, (void *[]){&from, &late}));
  ck_assert_ptr_eq(simt_first_written(to, n), late);
  ck_assert_ptr_eq(simt_first_written(to + 3, n - 3), late);
  ck_assert_ptr_eq(simt_first_written(late + 2, 6), late + 2);
  ck_assert_ptr_null(simt_first_written(to, n - 8));
  ck_assert_ptr_null(simt_first_written(to, 0));
  ck_assert_ptr_null(simt_first_written(to, n + 1)); // not all of it lies in the allocation
}
END_TEST

START_TEST(findings_outlast_a_reset)
{
  setenv("SIMT_CHECK", "memcheck,initcheck", 1);
  freopen("/dev/null", "w", stderr);
  free_twice();
  OK(cudaDeviceReset());
  ck_assert_uint_eq(simt_findings_error_count(), 1);
  void *from, *to;
  OK(cudaMalloc(&from, 64)); // the new memory is checked from its beginning
  OK(cudaMalloc(&to, 64));
  OK(launch_blocks("copy", 1, (void *[]){&from, &to}));
  ck_assert_uint_eq(simt_findings_error_count(), 1); // a copy is no use
  char out[4];
  OK(cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost));
  ck_assert_uint_eq(simt_findings_error_count(), 2);
  end_with_findings();
}
END_TEST

// ---- Device faults: each status and situation that a kernel can end with has its kind.

static const struct {
  const char *kind, *act, *code;
  unsigned threads;
} faults[] = {
    {"out_of_bounds", "read", "ld.global.u32 %r1, [%rd1+4096];", 1},
    {"out_of_bounds", "atomic", "red.global.add.u32 [%rd1+4096], 1;", 1},
    {"out_of_bounds", "write", "st.u32 [48], 1;", 1},
    {"use_after_free", "write", "st.global.u32 [%rd0], 1;", 1},
    {"host_pointer", "read", "mov.u64 %rd2, 0x7f0012345678; ld.global.u32 %r1, [%rd2];", 1},
    {"constant_store", "write", "mov.u64 %rd2, table; cvta.const.u64 %rd2, %rd2; st.u32 [%rd2], 1;",
     1},
    {"misaligned", "read", "ld.global.u32 %r1, [%rd1+2];", 1},
    {"deadlock", "barrier", "setp.eq.u32 %p1, %r0, 0; @%p1 bar.sync 1; bar.sync 2;", 64},
    {"invalid_barrier", "barrier", "mov.u32 %r1, 17; bar.sync %r1;", 1},
    {"unnamed_lane", "syncwarp", "setp.eq.u32 %p1, %r0, 0; @%p1 bar.warp.sync 2; bar.sync 0;", 2},
    {"unnamed_lane", "shuffle",
     "setp.eq.u32 %p1, %r0, 0; @%p1 shfl.sync.idx.b32 %r1, %r0, 0, 31, 2; bar.sync 0;", 2},
    {"invalid_grid_sync", "barrier", "call.uni __simt_grid_sync, ();", 1},
    {"device_fault", "execute", "trap;", 1},
    {"invalid_grid_sync", "execute", ".loc 2 7 3\ntrap;", 1}, // NVIDIA's header traps
    {"device_fault", "execute", ".loc 1 7 3\ntrap;", 1},
    {"device_fault", "execute", ".loc 3 7 3\ntrap;", 1}, // a program that uses the header
};
enum { N_FAULTS = sizeof faults / sizeof *faults };
static unsigned the_fault;

static void fault(void) {
  char text[2048];
  snprintf(text, sizeof text,
           ".version 7.0\n.target sm_75\n.address_size 64\n.const .align 4 .u32 table = 1;\n"
           ".file 1 \"user.cu\"\n.file 2 \"/cuda/include/cooperative_groups.h\"\n"
           ".file 3 \"lessons/07_cooperative_groups/cooperative_groups.cu\"\n"
           ".extern .func __simt_grid_sync;\n"
           ".visible .entry f(.param .u64 at, .param .u64 freed) { .reg .b64 %%rd<3>; .reg .b32 "
           "%%r<3>; .reg .pred %%p<2>; ld.param.u64 %%rd1, [at]; ld.param.u64 %%rd0, [freed]; "
           "mov.u32 %%r0, %%tid.x;\n%s\nret; }\n",
           faults[the_fault].code);
  void *at, *freed;
  cudaMalloc(&at, 64);
  cudaMalloc(&freed, 64);
  cudaFree(freed);
  cudaLaunchKernel((const void *)kernel_of(load(text), "f"), (dim3){1, 1, 1},
                   (dim3){faults[the_fault].threads, 1, 1}, (void *[]){&at, &freed}, 0, 0);
}

static void expect_field(const char *json, const char *name, const char *value) {
  char want[64];
  snprintf(want, sizeof want, "\"%s\": \"%s\"", name, value);
  ck_assert_msg(strstr(json, want) != NULL, "no %s in %s", want, json);
}

START_TEST(device_faults_are_findings)
{
  the_fault = (unsigned)_i;
  const char *json = report_of(fault);
  expect_field(json, "kind", faults[the_fault].kind);
  ck_assert_ptr_nonnull(strstr(json, "\"errors\": 1,"));
  setenv("SIMT_CHECK", "memcheck", 1); // then with its place
  json = report_of(fault);
  expect_field(json, "kind", faults[the_fault].kind);
  expect_field(json, "act", faults[the_fault].act);
}
END_TEST

// Two warps write at line 2 what the other reads at line 3, three times over: a race in both
// directions, which are reported once. Then a second pair of lines, in one direction.
static const char *const racing_text =
    ".version 7.0\n.target sm_75\n.address_size 64\n.file 1 \"t.cu\"\n"
    ".visible .entry swap()\n"
    "{ .reg .b32 %r<6>; .reg .pred %p<2>; .shared .align 4 .b8 s[512];\n"
    "  mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r4, s;\n"
    "AGAIN:\n  shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r4;\n"
    "  .loc 1 2 1\n  st.shared.u32 [%r3], %r2; xor.b32 %r3, %r3, 128;\n"
    "  .loc 1 3 1\n  ld.shared.u32 %r5, [%r3]; add.u32 %r2, %r2, 1;\n"
    "  setp.lt.u32 %p1, %r2, 3; @%p1 bra AGAIN;\n"
    "  .loc 1 5 1\n  st.shared.u32 [%r3+256], %r1; xor.b32 %r3, %r3, 128;\n"
    "  .loc 1 6 1\n  ld.shared.u32 %r5, [%r3+256]; ret; }\n";

static void race_both_ways(void) {
  OK(cudaLaunchKernel((const void *)kernel_of(load(racing_text), "swap"), (dim3){1, 1, 1},
                      (dim3){64, 1, 1}, NULL, 0, 0));
  ck_assert_uint_eq(simt_findings_error_count(), 2);
}

static unsigned count_of(const char *text, const char *part) {
  unsigned n = 0;
  for (const char *at = text; (at = strstr(at, part)); at++) n++;
  return n;
}

START_TEST(the_report_counts_what_was_reported)
{
  setenv("SIMT_CHECK", "racecheck", 1);
  const char *json = report_of(race_both_ways);
  ck_assert_ptr_nonnull(strstr(json, "\"errors\": 2,"));
  ck_assert_uint_eq(count_of(json, "\"reported\": true"), 2);
  ck_assert_uint_ge(count_of(json, "\"reported\": false"), 1);
  ck_assert_uint_eq(count_of(stderr_of(race_both_ways), "simt: racecheck: race"), 2);
  end_with_findings();
}
END_TEST

// ---- Sweeps over schedules.

static uint32_t first_word(void *at) {
  uint32_t word = 99;
  OK(cudaMemcpy(&word, at, sizeof word, cudaMemcpyDeviceToHost));
  return word;
}

START_TEST(a_sweep_finds_what_depends_on_the_order)
{
  setenv("SIMT_SCHEDULE", "sweep:3", 1);
  freopen("/dev/null", "w", stderr);
  void *at;
  OK(cudaMalloc(&at, 64));
  OK(cudaMemset(at, 0, 64));
  OK(launch_blocks("last", 4, (void *[]){&at}));
  ck_assert_uint_eq(simt_findings_error_count(), 1);
  ck_assert(found("SIMT_SCHEDULE=reverse"));
  ck_assert(found("word 0 of allocation #"));
  ck_assert(found("is 3 when the threads run in lockstep, and 0 under"));
  ck_assert_uint_eq(first_word(at), 0); // what differs stays
  end_with_findings();
}
END_TEST

START_TEST(a_sweep_is_quiet_about_what_does_not)
{
  setenv("SIMT_SCHEDULE", "sweep:6", 1);
  simt_counters once, swept;
  void *at;
  OK(cudaMalloc(&at, 64));
  OK(cudaMemset(at, 0, 64));
  OK(launch_blocks("count", 4, (void *[]){&at})); // each run starts from the same memory
  ck_assert_uint_eq(first_word(at), 4);
  ck_assert_uint_eq(simt_findings_error_count(), 0);
  simt_counters_last_launch(&once);
  simt_counters_read(&swept);
  ck_assert_uint_eq(simt_launches(), 1); // hostile runs are no launches, and are not counted
  ck_assert_mem_eq(&once, &swept, sizeof once);
}
END_TEST

static void hand_out_tickets(void) {
  void *at;
  OK(cudaMalloc(&at, 64));
  OK(cudaMemset(at, 0, 64));
  OK(launch_blocks("ticket", 4, (void *[]){&at}));
}

START_TEST(order_of_atomics_is_a_note)
{
  setenv("SIMT_SCHEDULE", "sweep:3", 1);
  const char *said = stderr_of(hand_out_tickets);
  ck_assert_ptr_nonnull(strstr(said, "note: the result depends on the order of atomics"));
  ck_assert_uint_eq(simt_findings_error_count(), 0);
}
END_TEST

static void fault_in_reverse(void) {
  void *at;
  OK(cudaMalloc(&at, 64));
  OK(cudaMemset(at, 0, 64));
  OK(launch_blocks("late", 2, (void *[]){&at}));
  IS(cudaErrorLaunchFailure, cudaDeviceSynchronize());
}

START_TEST(a_fault_of_a_hostile_run_names_its_schedule)
{
  setenv("SIMT_SCHEDULE", "sweep:3", 1);
  ck_assert(says(stderr_of(fault_in_reverse), "only under the schedule reverse"));
  OK(cudaDeviceReset());
  end_with_findings();
}
END_TEST

static void sweep_too_much(void) {
  void *at;
  OK(cudaMalloc(&at, (size_t)3 << 20));
  OK(cudaMemset(at, 0, (size_t)3 << 20));
  OK(launch_blocks("last", 4, (void *[]){&at}));
}

START_TEST(too_much_memory_is_not_swept)
{
  setenv("SIMT_SCHEDULE", "sweep:3", 1);
  setenv("SIMT_SWEEP_MAX_MIB", _i ? "4" : "2", 1);
  setenv("SIMT_NOTES", "1", 1);
  const char *said = stderr_of(sweep_too_much);
  ck_assert_msg(says(said, "no sweep over schedules: 3 MiB") == !_i, "%s", said);
  ck_assert_uint_eq(simt_findings_error_count(), _i ? 1 : 0);
  end_with_findings();
}
END_TEST

START_TEST(large_launches_are_not_swept)
{
  setenv("SIMT_SCHEDULE", "sweep:3", 1);
  setenv("SIMT_SWEEP_MAX_THREADS", _i ? "4" : "3", 1);
  stderr_of(sweep_too_much); // four threads
  ck_assert_uint_eq(simt_findings_error_count(), _i ? 1 : 0);
  end_with_findings();
}
END_TEST

START_TEST(findings_make_the_exit_status)
{
  setenv("SIMT_SCHEDULE", "sweep:1", 1);
  ck_assert_int_eq(exit_status_of(sweep_too_much, 0), 86);
  ck_assert_int_eq(exit_status_of(sweep_too_much, 4), 4);
  ck_assert_int_eq(exit_status_of(hand_out_tickets, 0), 0); // notes do not
}
END_TEST

int main(void) {
  setenv("SIMT_NOTES", "0", 1);
  Suite *suite = suite_create("cudart_checks");
  TCase *checkers = tcase_create("checkers");
  tcase_add_loop_test(checkers, wrong_frees_are_findings_of_memcheck, 0, 2);
  tcase_add_test(checkers, leaks_are_findings_of_memcheck);
  tcase_add_loop_test(checkers, threads_that_exit_before_a_barrier, 0, 5);
  tcase_add_loop_test(checkers, initcheck_hears_what_the_host_writes, 0, 8);
  tcase_add_loop_test(checkers, initcheck_hears_what_the_host_reads, 0, 2);
  tcase_add_loop_test(checkers, graphs_are_checked_when_they_run, 0, 2);
  tcase_add_test(checkers, provenance_of_results);
  tcase_add_test(checkers, the_first_written_byte_of_many);
  tcase_add_test(checkers, findings_outlast_a_reset);
  tcase_add_loop_test(checkers, device_faults_are_findings, 0, N_FAULTS);
  tcase_add_test(checkers, the_report_counts_what_was_reported);
  tcase_add_test(checkers, a_sweep_finds_what_depends_on_the_order);
  tcase_add_test(checkers, a_sweep_is_quiet_about_what_does_not);
  tcase_add_test(checkers, order_of_atomics_is_a_note);
  tcase_add_test(checkers, a_fault_of_a_hostile_run_names_its_schedule);
  tcase_add_loop_test(checkers, too_much_memory_is_not_swept, 0, 2);
  tcase_add_loop_test(checkers, large_launches_are_not_swept, 0, 2);
  tcase_add_test(checkers, findings_make_the_exit_status);
  suite_add_tcase(suite, checkers);
  return run_suite(suite);
}
