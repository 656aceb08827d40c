// SPDX-License-Identifier: MIT
// test_slices.c - a launch that is run in pieces gives the same as one that is run at once: events
// in the same order, the same memory, the same counts, the same output, the same fault.
//
// Every kernel here is run at once, then in pieces of 1, 7 and 1000 warp instructions, by line, by
// barrier, and by a mixture of them, under every schedule; all are compared.
#include "../core_fixture.h"
#include "run_suite.h"

enum { BARRIERS_AND_STEPS = 3 };

// ---- What happened, as one number.

typedef struct witness {
  simt_observer hooks; // first
  uint64_t hash, n_events;
} witness;

static void mix(witness *w, uint64_t value) {
  w->hash = (w->hash ^ value) * UINT64_C(0x100000001b3);
  w->hash ^= w->hash >> 29;
  w->n_events++;
}
static witness *of(simt_observer *self) { return (witness *)(void *)self; }

static void on_access(simt_observer *self, const simt_access *a) {
  mix(of(self), a->pc | (uint64_t)a->mask << 32);
  mix(of(self), a->block | (uint64_t)a->warp << 32 | (uint64_t)a->kind << 60);
  for (SIMT_EACH_LANE(lane, a->mask)) mix(of(self), a->address[lane]);
}
static void on_branch(simt_observer *self, uint32_t pc, uint32_t taken, uint32_t active) {
  mix(of(self), pc), mix(of(self), taken | (uint64_t)active << 32);
}
static void on_sync(simt_observer *self, simt_sync_kind kind, uint32_t pc, uint32_t block,
                    uint32_t warp, uint32_t mask) {
  mix(of(self), pc | (uint64_t)kind << 32), mix(of(self), block | (uint64_t)warp << 32);
  mix(of(self), mask);
}
static void on_block(simt_observer *self, uint32_t block) { mix(of(self), block); }
static void on_barrier(simt_observer *self, const simt_barrier_event *e) {
  mix(of(self), e->pc | (uint64_t)e->mask << 32), mix(of(self), e->warp);
}
static void on_done(simt_observer *self, uint32_t block, uint32_t id) {
  mix(of(self), block | (uint64_t)id << 32);
}
static void on_collective(simt_observer *self, const simt_collective_event *e) {
  mix(of(self), e->pc | (uint64_t)e->mask << 32), mix(of(self), e->members);
}
static void on_undefined(simt_observer *self, const simt_undefined_event *e) {
  mix(of(self), e->pc | (uint64_t)e->lanes << 32), mix(of(self), e->shuffle_pc);
}
static void on_leave(simt_observer *self, uint32_t pc, uint32_t block, uint32_t warp,
                     uint32_t mask) {
  mix(of(self), pc | (uint64_t)mask << 32), mix(of(self), block | (uint64_t)warp << 32);
}
static void on_end(simt_observer *self, const simt_launch_info *info, const simt_profile *profile) {
  for (uint32_t i = 0; i < info->n_code_blocks; i++)
    mix(of(self), profile->entries[i]), mix(of(self), profile->lanes[i]);
}
static void on_print(void *data, const char *text, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) mix(data, (unsigned char)text[i]);
}

static witness make_witness(void) {
  return (witness){.hooks = {.access = on_access,
                             .branch = on_branch,
                             .sync = on_sync,
                             .block_begin = on_block,
                             .block_end = on_block,
                             .barrier = on_barrier,
                             .barrier_done = on_done,
                             .collective = on_collective,
                             .undefined = on_undefined,
                             .exit = on_leave,
                             .launch_end = on_end}};
}

// ---- How a launch is cut.

typedef struct cut {
  const char *name;
  simt_until until[BARRIERS_AND_STEPS]; // in turn
  uint64_t budget[BARRIERS_AND_STEPS];
} cut;

#define ALWAYS(until, budget)                                                                      \
  {until, until, until}, { budget, budget, budget }
static const cut cuts[] = {
    {"straight", ALWAYS(SIMT_UNTIL_END, SIMT_NO_BUDGET)},
    {"by 1", ALWAYS(SIMT_UNTIL_END, 1)},
    {"by 7", ALWAYS(SIMT_UNTIL_END, 7)},
    {"by 1000", ALWAYS(SIMT_UNTIL_END, 1000)},
    {"by line", ALWAYS(SIMT_UNTIL_LINE, SIMT_NO_BUDGET)},
    {"by barrier", ALWAYS(SIMT_UNTIL_BARRIER, SIMT_NO_BUDGET)},
    {"by barrier or 5", ALWAYS(SIMT_UNTIL_BARRIER, 5)},
    {"mixed", {SIMT_UNTIL_LINE, SIMT_UNTIL_END, SIMT_UNTIL_BARRIER}, {SIMT_NO_BUDGET, 0, 3}},
};
enum { N_CUTS = sizeof cuts / sizeof *cuts };

typedef struct result {
  witness seen;
  simt_status status;
  uint32_t out[1024];
  char text[2048];
  uint64_t n_pieces;
} result;

static void run_cut(const char *text, const simt_launch *plan, const cut *c, bool then_straight,
                    result *r) {
  core_run run = core_load(text);
  ck_assert_msg(run.status == SIMT_OK, "load: %s", run.diag.text);
  struct {
    uint64_t out, in;
    uint32_t n;
  } params = {run.out, run.in, 40};
  *r = (result){.seen = make_witness()};
  simt_observer *observer = &r->seen.hooks;
  simt_launch launch = *plan;
  launch.kernel = simt_module_kernel(run.module, "k");
  launch.params = &params;
  launch.print = on_print;
  launch.print_data = &r->seen;
  launch.observers = &observer;
  launch.n_observers = 1;
  simt_execution *e;
  ck_assert_int_eq(simt_execution_begin(&e, run.memory, &launch, &run.diag), SIMT_OK);
  simt_execution_state state = SIMT_EXECUTION_HELD;
  for (; state == SIMT_EXECUTION_HELD && !(then_straight && r->n_pieces == 20); r->n_pieces++)
    state = simt_execution_advance(e, c->until[r->n_pieces % BARRIERS_AND_STEPS],
                                   c->budget[r->n_pieces % BARRIERS_AND_STEPS]);
  if (state == SIMT_EXECUTION_HELD)
    state = simt_execution_advance(e, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  ck_assert_int_eq(simt_execution_advance(e, SIMT_UNTIL_END, 1), state); // nothing runs any more
  r->status = simt_execution_end(e);
  ck_assert_int_eq(state, r->status ? SIMT_EXECUTION_FAULTED : SIMT_EXECUTION_FINISHED);
  memcpy(r->out, run.out_host, sizeof r->out);
  memcpy(r->text, run.diag.text, sizeof r->text);
  core_free(&run);
}

static void compare(const result *a, const result *b, const char *kernel, const char *how,
                    const char *schedule) {
  ck_assert_msg(a->status == b->status && !strcmp(a->text, b->text), "%s %s %s: '%s' and '%s'",
                kernel, how, schedule, a->text, b->text);
  ck_assert_msg(!memcmp(a->out, b->out, sizeof a->out), "%s %s %s: memory differs", kernel, how,
                schedule);
  ck_assert_msg(a->seen.n_events == b->seen.n_events && a->seen.hash == b->seen.hash,
                "%s %s %s: other events", kernel, how, schedule);
}

// ---- Kernels.

typedef struct subject {
  const char *name, *body;
  uint32_t grid, block;
  bool cooperative;
  uint64_t max_warp_instructions;
  simt_status status; // in lockstep
} subject;

static const subject subjects[] = {
    {"divergent loop", // tid iterations each, and a nested branch
     "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\n.loc 1 2 0\nLOOP:\nsetp.ge.u32 %p0, %r1, %ln;\n"
     "@%p0 bra DONE;\n.loc 1 3 0\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\n"
     "add.u32 %r0, %r0, 100;\nbra NEXT;\nEVEN:\n.loc 1 4 0\nadd.u32 %r0, %r0, %r1;\nNEXT:\n"
     "add.u32 %r1, %r1, 1;\nbra LOOP;\nDONE:\n.loc 1 5 0\n" STORE_R0,
     3, 80, false, 0, SIMT_OK},
    {"barriers and shared memory",
     ".shared .align 4 .b8 s[512];\nmov.u32 %r1, s;\nshl.b32 %r2, %me, 2;\nadd.u32 %r3, %r1, %r2;\n"
     ".loc 1 2 0\nst.shared.u32 [%r3], %me;\nbar.sync 0;\n.loc 1 3 0\nxor.b32 %r4, %me, 33;\n"
     "shl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r1, %r4;\nld.shared.u32 %r0, [%r4];\nbar.sync 0;\n"
     ".loc 1 4 0\nadd.u32 %r0, %r0, 1;\nst.shared.u32 [%r3], %r0;\nbar.sync 0;\n"
     "ld.shared.u32 %r0, [%r4];\n" STORE_R0,
     2, 128, false, 0, SIMT_OK},
    {"shuffles in half warps, and a value from an inactive lane",
     "setp.lt.u32 %p0, %ln, 16;\nmov.u32 %r0, %ln;\n@!%p0 bra OTHER;\n"
     "shfl.sync.down.b32 %r1|%p1, %r0, 8, 31, 65535;\nadd.u32 %r0, %r0, %r1;\nbra JOIN;\nOTHER:\n"
     "shfl.sync.bfly.b32 %r1|%p1, %r0, 1, 31, -65536;\nadd.u32 %r0, %r0, %r1;\nJOIN:\n"
     "shfl.sync.idx.b32 %r2|%p2, %r0, 3, 31, -1;\nadd.u32 %r0, %r0, %r2;\n" STORE_R0,
     1, 64, false, 0, SIMT_OK},
    {"a lock that lanes of one warp take in turn",
     "SPIN:\natom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra SPIN;\n"
     "add.u64 %rd4, %rd0, 64;\nld.volatile.global.u32 %r0, [%rd4];\nadd.u32 %r0, %r0, 1;\n"
     "st.volatile.global.u32 [%rd4], %r0;\nmembar.gl;\natom.global.exch.b32 %r2, [%rd1], 0;\n",
     2, 40, false, 0, SIMT_OK},
    {"waiting for another warp, which comes later",
     "setp.ge.u32 %p0, %me, 32;\n@%p0 bra SIGNAL;\nWAIT:\nld.volatile.global.u32 %r1, [%rd1];\n"
     "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\nmov.u32 %r0, 7;\nbra JOIN;\nSIGNAL:\n"
     "mov.u32 %r3, 5;\nst.volatile.global.u32 [%rd1], %r3;\nmov.u32 %r0, 8;\nJOIN:\n" STORE_R0,
     1, 64, false, 0, SIMT_OK},
    {"a deadlock",
     "setp.lt.u32 %p0, %me, 40;\n@%p0 bra WAIT;\nbar.sync 1, 64;\nWAIT:\n"
     "bar.sync 2, 64;\n" STORE_R0,
     1, 64, false, 0, SIMT_DEADLOCK},
    {"a loop without end", "LOOP:\nadd.u32 %r0, %r0, 1;\nst.global.u32 [%rd0], %r0;\nbra LOOP;\n",
     1, 32, false, 3000, SIMT_TIMEOUT},
    {"an access out of bounds in the third block",
     "setp.lt.u32 %p0, %cb, 2;\n@%p0 bra FINE;\nmov.u64 %rd0, 64;\nFINE:\nmov.u32 %r0, "
     "3;\n" STORE_R0,
     4, 64, false, 0, SIMT_ILLEGAL_ADDRESS},
};
enum { N_SUBJECTS = sizeof subjects / sizeof *subjects };

static const char *const schedules[] = {"lockstep", "reverse",  "lane-serial",
                                        "random:1", "random:9", "delayed-stores"};
enum { N_SCHEDULES = sizeof schedules / sizeof *schedules };

static const char *whole_text(const subject *s) {
  static char text[8192];
  snprintf(text, sizeof text, "%s.loc 1 1 0\n%s%s", KERNEL_HEAD, s->body, KERNEL_TAIL);
  return text;
}

START_TEST(cut_as_one_likes)
{
  const subject *s = &subjects[_i / N_SCHEDULES];
  const char *schedule = schedules[_i % N_SCHEDULES], *text = whole_text(s);
  simt_launch plan = {.grid = {s->grid, 1, 1},
                      .block = {s->block, 1, 1},
                      .cooperative = s->cooperative,
                      .max_warp_instructions = s->max_warp_instructions,
                      .number = 1};
  if (strcmp(schedule, "lane-serial") == 0 && plan.max_warp_instructions)
    plan.max_warp_instructions *= 4;
  ck_assert(simt_schedule_parse(schedule, &plan.schedule));
  static result straight, other;
  run_cut(text, &plan, &cuts[0], false, &straight);
  ck_assert_uint_gt(straight.seen.n_events, 0);
  if (_i % N_SCHEDULES == 0) ck_assert_int_eq(straight.status, s->status);
  for (int i = 1; i < N_CUTS; i++) {
    run_cut(text, &plan, &cuts[i], false, &other);
    compare(&straight, &other, s->name, cuts[i].name, schedule);
    run_cut(text, &plan, &cuts[i], true, &other); // the beginning in pieces, the rest at once
    compare(&straight, &other, s->name, cuts[i].name, schedule);
  }
}
END_TEST

// A launch in pieces runs on one host thread, any other on several: the results are the same.
START_TEST(pieces_and_host_threads)
{
  const char *text = whole_text(&subjects[0]);
  simt_launch plan = {.grid = {12, 1, 1}, .block = {80, 1, 1}, .number = 1, .n_host_threads = 4};
  static result straight, other;
  run_cut(text, &plan, &cuts[0], false, &straight);
  run_cut(text, &plan, &cuts[2], false, &other);
  compare(&straight, &other, "host threads", "by 7", "lockstep");
  ck_assert_uint_gt(other.n_pieces, 100);
}
END_TEST

// A launch may be given up: nothing is lost, and the memory is free for the next one.
START_TEST(given_up_half_way)
{
  core_run run = core_load(whole_text(&subjects[1]));
  struct {
    uint64_t out, in;
    uint32_t n;
  } params = {run.out, run.in, 40};
  witness seen = make_witness();
  simt_observer *observer = &seen.hooks;
  simt_launch launch = {.kernel = simt_module_kernel(run.module, "k"),
                        .grid = {2, 1, 1},
                        .block = {128, 1, 1},
                        .params = &params,
                        .observers = &observer,
                        .n_observers = 1};
  simt_execution *e;
  ck_assert_int_eq(simt_execution_begin(&e, run.memory, &launch, &run.diag), SIMT_OK);
  ck_assert_int_eq(simt_execution_advance(e, SIMT_UNTIL_END, 11), SIMT_EXECUTION_HELD);
  ck_assert_int_eq(simt_execution_end(e), SIMT_OK);
  ck_assert_int_eq(simt_execution_begin(&e, run.memory, &launch, &run.diag), SIMT_OK);
  ck_assert_int_eq(simt_execution_end(e), SIMT_OK); // before it ran at all
  ck_assert_int_eq(simt_launch_run(run.memory, &launch, &run.diag), SIMT_OK);
  core_free(&run);
}
END_TEST

int main(void) {
  TCase *tests = tcase_create("slices");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, cut_as_one_likes, 0, N_SUBJECTS * N_SCHEDULES);
  tcase_add_test(tests, pieces_and_host_threads);
  tcase_add_test(tests, given_up_half_way);
  Suite *suite = suite_create("slices");
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
