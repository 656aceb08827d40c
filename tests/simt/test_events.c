// SPDX-License-Identifier: MIT
// test_events.c - what the core reports to observers: every event with its fields, their order,
// and the shared array that each access belongs to (its provenance). Events are written down as
// lines of text and compared with what was worked out by hand.
#include <inttypes.h>
#include <stdarg.h>

#include "core_fixture.h"
#include "isa/isa.h"
#include "run_suite.h"

typedef struct recorder {
  simt_observer observer; // first: hooks get a pointer to it
  const simt_launch_info *info;
  char text[16384];
  size_t n;
} recorder;

static void say(simt_observer *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(simt_observer *self, const char *format, ...) {
  recorder *r = (recorder *)(void *)self;
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(r->text + r->n, sizeof r->text - r->n, format, arguments);
  va_end(arguments);
  r->n += (size_t)n;
  ck_assert_uint_lt(r->n, sizeof r->text);
}

static void on_launch(simt_observer *self, const simt_launch_info *info) {
  ((recorder *)(void *)self)->info = info;
}
static void on_begin(simt_observer *self, uint32_t block) { say(self, "begin %u\n", block); }
static void on_end(simt_observer *self, uint32_t block) { say(self, "end %u\n", block); }
static void on_leave(simt_observer *self, uint32_t pc, uint32_t block, uint32_t warp,
                     uint32_t mask) {
  (void)pc;
  say(self, "exit %u.%u %08x\n", block, warp, mask);
}
static void on_barrier(simt_observer *self, const simt_barrier_event *e) {
  say(self, "barrier %u.%u %08x id %u of %u%s%s\n", e->block, e->warp, e->mask, e->id, e->expected,
      e->whole_block ? " whole" : "", e->waits ? "" : " passes");
}
static void on_done(simt_observer *self, uint32_t block, uint32_t id) {
  say(self, "done %u id %u\n", block, id);
}
static void on_fence(simt_observer *self, const simt_fence_event *e) {
  say(self, "fence %u.%u %08x order %u scope %u\n", e->block, e->warp, e->mask, e->order, e->scope);
}
static void on_collective(simt_observer *self, const simt_collective_event *e) {
  static const char *const kinds[] = {"syncwarp", "shuffle", "vote", "match", "redux"};
  say(self, "%s %u.%u members %08x lanes %08x existing %08x exited %08x\n", kinds[e->kind],
      e->block, e->warp, e->members, e->mask, e->existing, e->exited);
  ck_assert_int_eq(e->source != NULL, e->kind == SIMT_COLLECTIVE_SHUFFLE);
  if (e->source) say(self, "from %u %u %u\n", e->source[0], e->source[7], e->source[31]);
  if (e->pcs)
    say(self, "lanes 0 and 31 stand %s\n", e->pcs[0] == e->pcs[31] ? "together" : "apart");
  ck_assert(!e->pcs || e->pcs[__builtin_ctz(e->mask)] == e->pc);
}

static recorder all_but_accesses(void) {
  return (recorder){.observer = {.launch_begin = on_launch,
                                 .block_begin = on_begin,
                                 .block_end = on_end,
                                 .exit = on_leave,
                                 .barrier = on_barrier,
                                 .barrier_done = on_done,
                                 .fence = on_fence,
                                 .collective = on_collective}};
}

static void expect(const char *text, core_options o, const char *events) {
  recorder r = all_but_accesses();
  o.observer = &r.observer;
  core_run run = core_ok(text, o);
  ck_assert_str_eq(r.text, events);
  core_free(&run);
}

// ---- barriers, fences, exits -------------------------------------------------------------------

START_TEST(barriers_are_reported_arrival_by_arrival)
{
  expect(KERNEL_HEAD "bar.sync 0;\n" KERNEL_TAIL, (core_options){.block = 40},
         "begin 0\n"
         "barrier 0.0 ffffffff id 0 of 40 whole\n"
         "barrier 0.1 000000ff id 0 of 40 whole\n"
         "done 0 id 0\n"
         "exit 0.1 000000ff\nexit 0.0 ffffffff\nend 0\n"); // the last to arrive goes on at once
  expect(KERNEL_HEAD "setp.ge.u32 %p1, %me, 32;\n@%p1 bra B;\nbarrier.arrive 3, 64;\nret;\nB:\n"
                     "barrier.sync 3, 64;\n" KERNEL_TAIL,
         (core_options){.block = 64},
         "begin 0\n"
         "barrier 0.0 ffffffff id 3 of 64 passes\nexit 0.0 ffffffff\n"
         "barrier 0.1 ffffffff id 3 of 64\ndone 0 id 3\nexit 0.1 ffffffff\nend 0\n");
}
END_TEST

START_TEST(blocks_begin_and_end_one_after_the_other)
{
  expect(KERNEL_HEAD "setp.lt.u32 %p1, %ln, 4;\n@%p1 exit;\n" KERNEL_TAIL,
         (core_options){.grid = 2, .block = 32},
         "begin 0\nexit 0.0 0000000f\nexit 0.0 fffffff0\nend 0\n"
         "begin 1\nexit 1.0 0000000f\nexit 1.0 fffffff0\nend 1\n");
}
END_TEST

START_TEST(fences_say_order_and_scope)
{
  char events[512];
  snprintf(events, sizeof events,
           "begin 0\nfence 0.0 ffffffff order %u scope %u\nfence 0.0 00000001 order %u scope %u\n"
           "exit 0.0 ffffffff\nend 0\n",
           ISA_SEQ_CST, ISA_SCOPE_GPU, ISA_ACQ_REL, ISA_SCOPE_CTA);
  expect(KERNEL_HEAD "membar.gl;\nsetp.eq.u32 %p1, %ln, 0;\n@%p1 fence.acq_rel.cta;\n" KERNEL_TAIL,
         (core_options){.block = 32}, events);
}
END_TEST

// ---- warp-wide operations ----------------------------------------------------------------------

START_TEST(collectives_of_a_whole_warp)
{
  expect(KERNEL_HEAD "bar.warp.sync -1;\nshfl.sync.down.b32 %r1, %ln, 1, 0x181f, -1;\n"
                     "vote.sync.any.pred %p1, %p2, -1;\nmatch.any.sync.b32 %r2, %ln, -1;\n"
                     "redux.sync.add.u32 %r3, %ln, -1;\n" KERNEL_TAIL,
         (core_options){.block = 32},
         "begin 0\n"
         "syncwarp 0.0 members ffffffff lanes ffffffff existing ffffffff exited 00000000\n"
         "shuffle 0.0 members ffffffff lanes ffffffff existing ffffffff exited 00000000\n"
         "from 1 7 31\n" // the segment of 8 ends at lane 7
         "vote 0.0 members ffffffff lanes ffffffff existing ffffffff exited 00000000\n"
         "match 0.0 members ffffffff lanes ffffffff existing ffffffff exited 00000000\n"
         "redux 0.0 members ffffffff lanes ffffffff existing ffffffff exited 00000000\n"
         "exit 0.0 ffffffff\nend 0\n");
}
END_TEST

// The destination of a shuffle may be the register that says where to read.
START_TEST(sources_are_read_before_the_shuffle)
{
  expect(KERNEL_HEAD
         "xor.b32 %r1, %ln, 31;\nshfl.sync.idx.b32 %r1, %ln, %r1, 31, -1;\n" KERNEL_TAIL,
         (core_options){.block = 32},
         "begin 0\nshuffle 0.0 members ffffffff lanes ffffffff existing ffffffff exited 00000000\n"
         "from 31 24 0\nexit 0.0 ffffffff\nend 0\n");
}
END_TEST

START_TEST(collectives_know_who_left_and_who_never_was)
{
  expect(KERNEL_HEAD
         "setp.ge.u32 %p1, %ln, 8;\n@%p1 exit;\nbar.warp.sync 0xffffffff;\n" KERNEL_TAIL,
         (core_options){.block = 40},
         "begin 0\nexit 0.0 ffffff00\n"
         "syncwarp 0.0 members ffffffff lanes 000000ff existing ffffffff exited ffffff00\n"
         "exit 0.0 000000ff\n"
         "syncwarp 0.1 members ffffffff lanes 000000ff existing 000000ff exited 00000000\n"
         "exit 0.1 000000ff\nend 0\n");
}
END_TEST

START_TEST(lanes_that_leave_complete_a_collective)
{
  expect(KERNEL_HEAD "setp.ge.u32 %p1, %ln, 8;\n@%p1 bra OUT;\nbar.warp.sync 0xffffffff;\nret;\n"
                     "OUT:\n" KERNEL_TAIL,
         (core_options){.block = 32},
         "begin 0\nexit 0.0 ffffff00\n"
         "syncwarp 0.0 members ffffffff lanes 000000ff existing ffffffff exited ffffff00\n"
         "exit 0.0 000000ff\nend 0\n");
}
END_TEST

START_TEST(collectives_across_instructions_say_where_lanes_stand)
{
  expect(KERNEL_HEAD "setp.lt.u32 %p1, %ln, 16;\n@%p1 bra LOW;\n"
                     "shfl.sync.bfly.b32 %r0, %ln, 16, 31, -1;\nbra.uni DONE;\nLOW:\n"
                     "shfl.sync.bfly.b32 %r0, %ln, 8, 31, -1;\nDONE:\n" KERNEL_TAIL,
         (core_options){.block = 32},
         "begin 0\nshuffle 0.0 members ffffffff lanes ffffffff existing ffffffff exited 00000000\n"
         "from 8 15 15\nlanes 0 and 31 stand apart\nexit 0.0 ffffffff\nend 0\n");
}
END_TEST

START_TEST(tiles_are_reported_one_by_one)
{
  expect(KERNEL_HEAD "and.b32 %r1, %ln, 16;\nmov.u32 %r2, 0xffff;\nshl.b32 %r2, %r2, %r1;\n"
                     "bar.warp.sync %r2;\n" KERNEL_TAIL,
         (core_options){.block = 32},
         "begin 0\n"
         "syncwarp 0.0 members 0000ffff lanes 0000ffff existing ffffffff exited 00000000\n"
         "syncwarp 0.0 members ffff0000 lanes ffff0000 existing ffffffff exited 00000000\n"
         "exit 0.0 ffffffff\nend 0\n");
}
END_TEST

// ---- accesses ----------------------------------------------------------------------------------

// What lane 1 finds in memory and what it brings, as hexadecimal words.
static void on_access(simt_observer *self, const simt_access *a) {
  static const char *const kinds[] = {"load", "store", "atomic"};
  say(self, "%s of %u x%u order %u scope %u", kinds[a->kind], a->width_bytes, a->vector, a->order,
      a->scope);
  uint32_t found;
  ck_assert_ptr_nonnull(a->memory);
  memcpy(&found, a->memory + a->address[1], sizeof found);
  say(self, " finds %x", found);
  for (int i = 0; i < 4 && a->data[i]; i++) {
    uint32_t brought;
    memcpy(&brought, a->data[i] + 1 * a->lane_bytes, sizeof brought);
    say(self, " brings %x", brought);
  }
  say(self, "\n");
}

static void expect_accesses(const char *text, core_options o, const char *events) {
  recorder r = {.observer = {.launch_begin = on_launch, .access = on_access}};
  o.observer = &r.observer;
  core_run run = core_ok(text, o);
  ck_assert_str_eq(r.text, events);
  core_free(&run);
}

START_TEST(accesses_say_what_is_there_and_what_comes)
{
  char events[1024];
  snprintf(events, sizeof events,
           "store of 8 x2 order %u scope 0 finds a5a5a5a5 brings 1 brings 4d\n"
           "load of 4 x1 order %u scope 0 finds 1\n"
           "atomic of 4 x1 order %u scope %u finds 1 brings 5\n"
           "atomic of 4 x1 order %u scope %u finds 5 brings 9\n"
           "load of 4 x1 order %u scope %u finds e\n"
           "store of 2 x1 order %u scope 0 finds e brings 9\n",
           ISA_WEAK, ISA_WEAK, ISA_RELAXED, ISA_SCOPE_GPU, ISA_RELEASE, ISA_SCOPE_CTA, ISA_ACQUIRE,
           ISA_SCOPE_GPU, ISA_VOLATILE);
  expect_accesses(KERNEL_HEAD ".shared .align 8 .b8 s[256];\nmov.u64 %rd4, s;\n"
                              "mul.wide.u32 %rd5, %ln, 8;\nadd.u64 %rd6, %rd4, %rd5;\n"
                              "mov.u32 %r1, 77;\nmov.u32 %r2, 5;\nmov.u32 %r3, 9;\n"
                              "st.shared.v2.u32 [%rd6], {%ln, %r1};\nld.shared.u32 %r4, [%rd6];\n"
                              "atom.shared.cas.b32 %r5, [%rd6], %r4, %r2;\n"
                              "atom.release.cta.shared.add.u32 %r5, [%rd6], %r3;\n"
                              "ld.acquire.gpu.shared.u32 %r5, [%rd6];\n"
                              "st.volatile.shared.u16 [%rd6], %r3;\n" KERNEL_TAIL,
                  (core_options){.block = 32}, events);
}
END_TEST

START_TEST(global_accesses_show_memory_too)
{
  char events[256];
  snprintf(events, sizeof events,
           "load of 8 x1 order %u scope 0 finds 2\nstore of 4 x1 order %u scope 0 finds deadbeef "
           "brings 2\n",
           ISA_WEAK, ISA_WEAK);
  expect_accesses(KERNEL_HEAD "mul.wide.u32 %rd5, %ln, 8;\nadd.u64 %rd6, %rd1, %rd5;\n"
                              "ld.global.u64 %rd7, [%rd6];\nadd.u64 %rd6, %rd0, %rd5;\n"
                              "st.global.u32 [%rd6], %rd7;\n" KERNEL_TAIL,
                  (core_options){.block = 32}, events);
}
END_TEST

// ---- provenance --------------------------------------------------------------------------------

static void on_access_provenance(simt_observer *self, const simt_access *a) {
  const simt_launch_info *info = ((recorder *)(void *)self)->info;
  if (a->space != PTX_SPACE_SHARED) return;
  int array = info->facts.provenance ? info->facts.provenance[a->pc] : -2;
  const simt_shared_variable *v = array >= 0 ? &info->shared_variables[array] : NULL;
  if (!v) say(self, "%d\n", array);
  else
    say(self, "%.*s%s %" PRIu64 "+%" PRIu64 "\n", SIMT_STR_ARG(v->name),
        v->is_dynamic ? " dynamic" : "", v->offset_bytes, v->size_bytes);
}

static void expect_provenance(const char *body, uint64_t dynamic_bytes, const char *expected) {
  char text[4096];
  // Both arrays are used, so that both exist, s in front of t.
  snprintf(text, sizeof text,
           "%s.shared .align 4 .b8 s[256];\n.shared .align 4 .b8 t[64];\nmov.u64 %%rd4, s;\n"
           "mov.u64 %%rd5, t;\nmul.wide.u32 %%rd6, %%ln, 4;\nsetp.lt.u32 %%p1, %%nn, 7;\n%s%s",
           KERNEL_HEAD, body, KERNEL_TAIL);
  recorder r = {.observer = {.launch_begin = on_launch, .access = on_access_provenance}};
  core_run run = core_ok(
      text,
      (core_options){.block = 16, .dynamic_shared_bytes = dynamic_bytes, .observer = &r.observer});
  ck_assert_msg(!strcmp(r.text, expected), "%s\ngives %s", body, r.text);
  core_free(&run);
}

START_TEST(addresses_computed_from_one_array_belong_to_it)
{
  static const char *const bodies[] = {
      "st.shared.u32 [s], %ln;\n", "add.u64 %rd7, %rd4, %rd6;\nst.shared.u32 [%rd7+4], %ln;\n",
      "add.u64 %rd7, %rd6, %rd4;\nld.shared.u32 %r1, [%rd7];\n",
      "mad.wide.u32 %rd7, %ln, 4, %rd4;\nld.shared.u32 %r1, [%rd7];\n",
      "mov.u32 %r1, s;\nshl.b32 %r2, %ln, 2;\nadd.u32 %r1, %r1, %r2;\nld.shared.u32 %r3, [%r1];\n",
      "cvta.shared.u64 %rd7, %rd4;\nadd.u64 %rd7, %rd7, %rd6;\nst.u32 [%rd7], %ln;\n",
      "mov.u64 %rd7, %rd4;\nadd.u64 %rd7, %rd7, 4;\nsub.u64 %rd7, %rd7, 4;\nst.shared.u32 [%rd7], "
      "%ln;\n",
      "mov.u64 %rd7, s+8;\nst.shared.u32 [%rd7], %ln;\n",
      "selp.b64 %rd7, %rd4, %rd4, %p1;\nst.shared.u32 [%rd7], %ln;\n",
      "mov.u64 %rd7, %rd4;\n@%p1 add.u64 %rd7, %rd4, 8;\nst.shared.u32 [%rd7], %ln;\n",
      // a number loaded from memory is an index
      "ld.global.u64 %rd7, [%rd1+80];\nand.b64 %rd8, %rd7, 12;\nadd.u64 %rd9, %rd4, %rd8;\n"
      "atom.shared.add.u32 %r1, [%rd9], 1;\n",
      "sub.u64 %rd7, %rd4, %rd4;\nadd.u64 %rd8, %rd7, %rd4;\nst.shared.u32 [%rd8], %ln;\n"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    expect_provenance(bodies[i], 0, "s 0+256\n");
  expect_provenance("add.u64 %rd7, %rd5, %rd6;\nst.shared.u32 [%rd7], %ln;\n", 0, "t 256+64\n");
  // past its end: s is where it is meant to go all the same
  expect_provenance("add.u64 %rd7, %rd4, %rd6;\nst.shared.u32 [%rd7+252], %ln;\n", 0, "s 0+256\n");
}
END_TEST

START_TEST(addresses_of_several_origins_have_none)
{
  static const char *const bodies[] = {
      "selp.b64 %rd7, %rd4, %rd5, %p1;\nst.shared.u32 [%rd7], %ln;\n",
      "mov.u64 %rd7, %rd4;\n@%p1 mov.u64 %rd7, %rd5;\nst.shared.u32 [%rd7], %ln;\n",
      "xor.b64 %rd7, %rd4, %rd5;\nxor.b64 %rd8, %rd7, %rd5;\nst.shared.u32 [%rd8], %ln;\n",
      "sub.u64 %rd7, %rd5, %rd4;\nadd.u64 %rd8, %rd7, %rd4;\nst.shared.u32 [%rd8], %ln;\n",
      "mov.u64 %rd7, 16;\nst.shared.u32 [%rd7], %ln;\n"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    expect_provenance(bodies[i], 0, "-1\n");
}
END_TEST

// A constant that happens to equal an array's offset is not its address.
START_TEST(equal_numbers_are_not_addresses)
{
  expect_provenance("mov.u64 %rd7, 0;\nst.shared.u32 [%rd7], %ln;\nst.shared.u32 [s], %ln;\n", 0,
                    "-1\ns 0+256\n");
}
END_TEST

START_TEST(dynamic_shared_memory_is_one_array)
{
  char text[2048];
  snprintf(text, sizeof text, "%s%s", KERNEL_HEAD,
           ".shared .align 4 .b8 s[20];\nmov.u64 %rd4, d;\nst.shared.u32 [%rd4], %ln;\n"
           "st.shared.u32 [s], %ln;\n" KERNEL_TAIL);
  char *entry = strstr(text, ".visible");
  memmove(entry + 33, entry, strlen(entry) + 1);
  memcpy(entry, ".extern .shared .align 8 .b8 d[];", 33);
  recorder r = {.observer = {.launch_begin = on_launch, .access = on_access_provenance}};
  core_run run =
      core_ok(text, (core_options){.dynamic_shared_bytes = 100, .observer = &r.observer});
  ck_assert_str_eq(r.text, "d dynamic 32+100\ns 0+20\n");
  core_free(&run);
}
END_TEST

// ---- the launch itself -------------------------------------------------------------------------

static void on_launch_facts(simt_observer *self, const simt_launch_info *info) {
  say(self, "launch %" PRIu64 " variables %u provenance %s\n", info->launch,
      info->n_shared_variables, info->facts.provenance ? "known" : "none");
  for (uint32_t pc = 0; pc < info->n_code; pc++)
    if (info->code_class[pc] == SIMT_CLASS_BARRIER) say(self, "line %u\n", info->code_ptx_line[pc]);
}

START_TEST(launches_are_numbered_and_instructions_have_lines)
{
  recorder r = {.observer = {.launch_begin = on_launch_facts}};
  const char *text = KERNEL_HEAD "bar.sync 0;\n" KERNEL_TAIL;
  unsigned line = 1;
  for (const char *at = text; at < strstr(text, "bar.sync"); at++) line += *at == '\n';
  core_run run = core_ok(text, (core_options){.number = 42, .observer = &r.observer});
  char facts[128];
  snprintf(facts, sizeof facts, "launch 42 variables 0 provenance none\nline %u\n", line);
  ck_assert_str_eq(r.text, facts);
  core_free(&run);
}
END_TEST

// Lanes that run one by one arrive one by one, and take part together.
START_TEST(schedules_change_who_arrives_together)
{
  recorder r = {.observer = {.barrier = on_barrier, .collective = on_collective}};
  core_run run = core_ok(KERNEL_HEAD "bar.warp.sync 7;\nbar.sync 0;\n" KERNEL_TAIL,
                         (core_options){.block = 3,
                                        .schedule = {.kind = SIMT_SCHEDULE_LANE_SERIAL},
                                        .observer = &r.observer});
  ck_assert_str_eq(
      r.text, "syncwarp 0.0 members 00000007 lanes 00000007 existing 00000007 exited 00000000\n"
              "barrier 0.0 00000001 id 0 of 3 whole\n"
              "barrier 0.0 00000002 id 0 of 3 whole\n"
              "barrier 0.0 00000004 id 0 of 3 whole\n");
  core_free(&run);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("events");
  TCase *sync = tcase_create("synchronisation"), *accesses = tcase_create("accesses"),
        *provenance = tcase_create("provenance"), *launches = tcase_create("launches");
  tcase_add_test(sync, barriers_are_reported_arrival_by_arrival);
  tcase_add_test(sync, blocks_begin_and_end_one_after_the_other);
  tcase_add_test(sync, fences_say_order_and_scope);
  tcase_add_test(sync, collectives_of_a_whole_warp);
  tcase_add_test(sync, sources_are_read_before_the_shuffle);
  tcase_add_test(sync, collectives_know_who_left_and_who_never_was);
  tcase_add_test(sync, lanes_that_leave_complete_a_collective);
  tcase_add_test(sync, collectives_across_instructions_say_where_lanes_stand);
  tcase_add_test(sync, tiles_are_reported_one_by_one);
  tcase_add_test(sync, schedules_change_who_arrives_together);
  tcase_add_test(accesses, accesses_say_what_is_there_and_what_comes);
  tcase_add_test(accesses, global_accesses_show_memory_too);
  tcase_add_test(provenance, addresses_computed_from_one_array_belong_to_it);
  tcase_add_test(provenance, addresses_of_several_origins_have_none);
  tcase_add_test(provenance, equal_numbers_are_not_addresses);
  tcase_add_test(provenance, dynamic_shared_memory_is_one_array);
  tcase_add_test(launches, launches_are_numbered_and_instructions_have_lines);
  TCase *all[] = {sync, accesses, provenance, launches};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) suite_add_tcase(suite, all[i]);
  return run_suite(suite);
}
