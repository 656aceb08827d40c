// SPDX-License-Identifier: MIT
// core_fixture.h - runs small hand-written PTX kernels directly on the execution core, for the
// tests of memory, warps, barriers and launches. No CUDA runtime in between.
#ifndef CORE_FIXTURE_H
#define CORE_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/launch.h"
#include "runtime/platform.h"

// A kernel `k(.u64 out, .u64 in, .u32 n)` around `body`, which finds:
//   %rd0 out, %rd1 in (global addresses), %nn, %me, %ln, %cb and scratch registers
//   %r<20>, %rd<20> from %rd4 on, %f<10>, %p<10>. `.loc 1 LINE 0` gives lines of "t.cu".
#define KERNEL_HEAD                                                                                \
  ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"t.cu\"\n"                              \
  ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n"                      \
  ".reg .pred %p<10>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<10>;\n"                 \
  ".reg .b32 %me, %ln, %cb, %nn;\n"                                                                \
  "ld.param.u64 %rd0, [k_0];\nld.param.u64 %rd1, [k_1];\nld.param.u32 %nn, [k_2];\n"               \
  "mov.u32 %me, %tid.x;\nmov.u32 %ln, %laneid;\nmov.u32 %cb, %ctaid.x;\n"
// Stores %r0 to out[cta * ntid + tid] and ends.
#define STORE_R0                                                                                   \
  "mov.u32 %r18, %ntid.x;\nmad.lo.u32 %r19, %cb, %r18, %me;\n"                                     \
  "mul.wide.u32 %rd18, %r19, 4;\nadd.u64 %rd19, %rd0, %rd18;\nst.global.u32 [%rd19], %r0;\n"
#define KERNEL_TAIL "ret;\n}\n"

// A cooperative kernel: every block stores its number + 500 to in[block]; after the grid barrier,
// thread by thread, out[block] gets what the next block stored.
#define GRID_SYNC_KERNEL                                                                           \
  ".version 7.8\n.target sm_80\n.address_size 64\n.extern .func __simt_grid_sync();\n"             \
  ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n.reg .b32 "            \
  "%r<9>;\n.reg .b64 %d<9>;\n"                                                                     \
  "ld.param.u64 %d0, [k_0];\nld.param.u64 %d1, [k_1];\nmov.u32 %r0, %ctaid.x;\nmul.wide.u32 "      \
  "%d2, %r0, 4;\nadd.u64 %d3, %d1, %d2;\n"                                                         \
  "add.u32 %r1, %r0, 500;\nst.global.u32 [%d3], %r1;\n{\ncall.uni __simt_grid_sync, ();\n}\n"      \
  "add.u32 %r2, %r0, 1;\nmov.u32 %r3, %nctaid.x;\nrem.u32 %r2, %r2, %r3;\nmul.wide.u32 %d4, "      \
  "%r2, 4;\nadd.u64 %d5, %d1, %d4;\n"                                                              \
  "ld.global.u32 %r4, [%d5];\nadd.u64 %d6, %d0, %d2;\nst.global.u32 [%d6], %r4;\nret;\n}\n"

typedef struct core_run {
  simt_memory *memory;
  simt_module *module;
  simt_diag diag;
  simt_status status;
  uint64_t out, in;
  uint32_t *out_host, *in_host; // [1 << 16] words each
} core_run;

enum { CORE_WORDS = 1 << 16 };

static inline core_run core_load_on(const simt_platform *platform, const char *text) {
  core_run run = {0};
  ck_assert_int_eq(simt_memory_create_on(&run.memory, UINT64_C(1) << 28, platform), SIMT_OK);
  run.status = simt_module_load(&run.module, run.memory, "t.ptx", text, strlen(text), &run.diag);
  if (run.status != SIMT_OK) return run;
  simt_memory_alloc(run.memory, CORE_WORDS * 4, SIMT_ALLOCATION_DEVICE, NULL, &run.out, &run.diag);
  simt_memory_alloc(run.memory, CORE_WORDS * 4, SIMT_ALLOCATION_DEVICE, NULL, &run.in, &run.diag);
  run.out_host = (uint32_t *)(void *)simt_memory_host(run.memory, run.out, CORE_WORDS * 4);
  run.in_host = (uint32_t *)(void *)simt_memory_host(run.memory, run.in, CORE_WORDS * 4);
  for (uint32_t i = 0; i < CORE_WORDS; i++) run.in_host[i] = i, run.out_host[i] = 0xdeadbeef;
  return run;
}

static inline core_run core_load(const char *text) {
  return core_load_on(simt_host_platform(), text);
}

typedef struct core_options {
  uint32_t grid, block, n;
  uint32_t cluster; // blocks, 0: not asked for
  uint64_t dynamic_shared_bytes, max_warp_instructions;
  bool cooperative;
  uint32_t n_host_threads, max_resident_blocks;
  uint64_t number; // of the launch
  simt_schedule schedule;
  simt_observer *observer;
  void (*print)(void *, const char *, size_t);
  void *print_data;
} core_options;

// Runs a launch. With CORE_SLICE=N in the environment, in pieces of N warp instructions: whatever a
// test expects must hold then as well.
static inline simt_status core_run_launch(simt_memory *memory, const simt_launch *launch,
                                          simt_diag *diag) {
  const char *slice = getenv("CORE_SLICE");
  if (!slice) return simt_launch_run(memory, launch, diag);
  uint64_t budget = strtoull(slice, NULL, 10);
  simt_execution *execution;
  simt_status status = simt_execution_begin(&execution, memory, launch, diag);
  if (status != SIMT_OK) return status;
  simt_execution_state state;
  do {
    state = simt_execution_advance(execution, SIMT_UNTIL_END, budget);
  } while (state == SIMT_EXECUTION_HELD);
  ck_assert_int_ne(state, SIMT_EXECUTION_BEGUN);
  return simt_execution_end(execution);
}

static inline void core_launch(core_run *run, core_options o) {
  struct {
    uint64_t out, in;
    uint32_t n;
  } params = {run->out, run->in, o.n};
  simt_launch launch = {.kernel = simt_module_kernel(run->module, "k"),
                        .grid = {o.grid ? o.grid : 1, 1, 1},
                        .block = {o.block ? o.block : 32, 1, 1},
                        .cluster = {o.cluster, o.cluster != 0, o.cluster != 0},
                        .params = &params,
                        .cooperative = o.cooperative,
                        .dynamic_shared_bytes = o.dynamic_shared_bytes,
                        .n_host_threads = o.n_host_threads,
                        .max_resident_blocks = o.max_resident_blocks,
                        .number = o.number,
                        .schedule = o.schedule,
                        .max_warp_instructions = o.max_warp_instructions,
                        .print = o.print,
                        .print_data = o.print_data,
                        .observers = &o.observer,
                        .n_observers = o.observer ? 1 : 0};
  ck_assert_ptr_nonnull(launch.kernel);
  run->status = core_run_launch(run->memory, &launch, &run->diag);
}

static inline void core_free(core_run *run) {
  simt_module_unload(run->module);
  simt_memory_destroy(run->memory);
}

// Loads, launches and expects success.
static inline core_run core_ok(const char *text, core_options o) {
  core_run run = core_load(text);
  ck_assert_msg(run.status == SIMT_OK, "load: %s", run.diag.text);
  core_launch(&run, o);
  ck_assert_msg(run.status == SIMT_OK, "launch: %s", run.diag.text);
  return run;
}

// Loads, launches and expects `status` with every one of the NULL-terminated texts in the message.
static inline void core_fails(const char *text, core_options o, simt_status status,
                              const char *const *texts) {
  core_run run = core_load(text);
  if (run.status == SIMT_OK) core_launch(&run, o);
  ck_assert_msg(run.status == status, "status %s: %s", simt_status_name(run.status), run.diag.text);
  for (; *texts; texts++)
    ck_assert_msg(strstr(run.diag.text, *texts) != NULL, "'%s' is missing in: %s", *texts,
                  run.diag.text);
  core_free(&run);
}

#define TEXTS(...)                                                                                 \
  (const char *const[]) { __VA_ARGS__, NULL }

#endif
