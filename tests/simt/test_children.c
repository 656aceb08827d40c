// SPDX-License-Identifier: MIT
// test_children.c - what kernels ask of CUDA's runtime, as the core records it: launches with their
// parameters, what each must wait for, the limit of pending ones, and what is refused.
#include "core_fixture.h"
#include "run_suite.h"

#define HEAD                                                                                       \
  ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"t.cu\"\n"                              \
  ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 a, .param .align 4 "   \
  ".b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);\n"                                        \
  ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);\n"        \
  ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"                                      \
  ".extern .func (.param .b32 r) __cudaCDP2StreamCreateWithFlags(.param .b64 a, .param .b32 b);\n" \
  ".extern .func (.param .b32 r) __cudaCDP2EventCreateWithFlags(.param .b64 a, .param .b32 b);\n"  \
  ".extern .func (.param .b32 r) __cudaCDP2EventRecord(.param .b64 a, .param .b64 b);\n"           \
  ".extern .func (.param .b32 r) __cudaCDP2StreamWaitEvent_ptsz(.param .b64 a, .param .b64 b, "    \
  ".param .b32 c);\n"                                                                              \
  ".visible .entry child(.param .u64 a, .param .u8 b, .param .f64 c)\n{\nret;\n}\n" GO             \
  ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2)\n{\n"                      \
  ".reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.local .align 8 .b8 room[16];\n"                         \
  "ld.param.u64 %rd0, [k_0];\nmov.u64 %rd1, child;\n"                                              \
  "mov.u32 %r8, %tid.x;\nmov.u64 %rd3, room;\ncvta.local.u64 %rd3, %rd3;\n"
#define TAIL "ret;\n}\n"

// go(kernel, threads, stream, mark, first): a launch of 2 x 3 x 4 blocks with 5 bytes of shared
// memory, whose arguments are first, mark and 2.5.
#define GO                                                                                         \
  ".func (.param .b32 r) go(.param .b64 f, .param .b32 t, .param .b64 s, .param .b32 m, "          \
  ".param .b64 o)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.b64 %rd0, [o];\n"              \
  "ld.param.b64 %rd1, [f];\nld.param.b64 %rd3, [s];\nld.param.b32 %r1, [t];\n"                     \
  "ld.param.b32 %r2, [m];\n"                                                                       \
  "{\n.param .b64 p0;\nst.param.b64 [p0], %rd1;\n.param .align 4 .b8 p1[12];\n"                    \
  "st.param.b32 [p1], 2;\nst.param.b32 [p1+4], 3;\nst.param.b32 [p1+8], 4;\n"                      \
  ".param .align 4 .b8 p2[12];\nst.param.b32 [p2], %r1;\nst.param.b32 [p2+4], 1;\n"                \
  "st.param.b32 [p2+8], 1;\n.param .b32 p3;\nst.param.b32 [p3], 5;\n.param .b64 r0;\n"             \
  "call.uni (r0), __cudaCDP2GetParameterBufferV2, (p0, p1, p2, p3);\n"                             \
  "ld.param.b64 %rd2, [r0];\n}\nst.u64 [%rd2], %rd0;\nst.u8 [%rd2+8], %r2;\n"                      \
  "mov.b64 %rd4, 0d4004000000000000;\nst.u64 [%rd2+16], %rd4;\n"                                   \
  "{\n.param .b64 p0;\nst.param.b64 [p0], %rd2;\n.param .b64 p1;\nst.param.b64 [p1], %rd3;\n"      \
  ".param .b32 r0;\ncall.uni (r0), __cudaCDP2LaunchDeviceV2, (p0, p1);\n"                          \
  "ld.param.b32 %r3, [r0];\n}\nst.param.b32 [r], %r3;\nret;\n}\n"

// The result is in %r1.
#define LAUNCH(kernel, threads, stream, mark)                                                      \
  "{\n.param .b64 p0;\nst.param.b64 [p0], " kernel                                                 \
  ";\n.param .b32 p1;\nst.param.b32 [p1], " threads                                                \
  ";\n.param .b64 p2;\nst.param.b64 [p2], " stream ";\n.param .b32 p3;\n"                          \
  "st.param.b32 [p3], " mark ";\n.param .b64 p4;\nst.param.b64 [p4], %rd0;\n.param .b32 r0;\n"     \
  "call.uni (r0), go, (p0, p1, p2, p3, p4);\nld.param.b32 %r1, [r0];\n}\n"

// name(first, second[, third]) of 64-bit and 32-bit arguments; the result is in %r1.
#define CALL2(name, first, type, second)                                                           \
  "{\n.param .b64 p0;\nst.param.b64 [p0], " first ";\n.param ." type " p1;\nst.param." type        \
  " [p1], " second ";\n.param .b32 r0;\ncall.uni (r0), " name ", (p0, p1);\n"                      \
  "ld.param.b32 %r1, [r0];\n}\n"
#define WAIT(stream, event)                                                                        \
  "{\n.param .b64 p0;\nst.param.b64 [p0], " stream ";\n.param .b64 p1;\nst.param.b64 [p1], " event \
  ";\n.param .b32 p2;\nst.param.b32 [p2], 0;\n.param .b32 r0;\n"                                   \
  "call.uni (r0), __cudaCDP2StreamWaitEvent_ptsz, (p0, p1, p2);\nld.param.b32 %r1, [r0];\n}\n"

enum { MAX_CHILDREN = 64, ANY_ERROR = 77 };

typedef struct outcome {
  core_run run;
  simt_child *child[MAX_CHILDREN + 1];
  uint32_t n;
} outcome;

static int answer(void *data, simt_question *q) {
  ++*(uint32_t *)data;
  ck_assert_int_eq(q->call, SIMT_DEVICE_LAUNCH_V2);
  ck_assert_uint_eq(q->grid[2], 4);
  ck_assert_uint_eq(q->shared_bytes, 5);
  return q->block[0] > 1024 ? ANY_ERROR : 0;
}

// Runs `k` around `body` and takes what it has asked for.
static outcome children_of(const char *body, uint32_t threads, uint32_t n_pending,
                           uint32_t max_pending) {
  char text[1 << 14];
  snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
  outcome o = {.run = core_load(text)};
  uint32_t n_asked = 0;
  const struct {
    uint64_t out, in;
    uint32_t n;
  } params = {o.run.out, o.run.in, 0};
  ck_assert_msg(o.run.status == SIMT_OK, "load: %s", o.run.diag.text);
  const simt_launch launch = {.kernel = simt_module_kernel(o.run.module, "k"),
                              .grid = {1, 1, 1},
                              .block = {threads, 1, 1},
                              .params = &params,
                              .ask = answer,
                              .ask_data = &n_asked,
                              .n_pending = n_pending,
                              .max_pending = max_pending};
  simt_execution *execution;
  ck_assert_int_eq(simt_execution_begin(&execution, o.run.memory, &launch, &o.run.diag), SIMT_OK);
  simt_execution_advance(execution, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  for (simt_child *c = o.child[0] = simt_execution_take_children(execution);
       c && o.n < MAX_CHILDREN; c = c->next)
    o.child[o.n++] = c;
  o.run.status = simt_execution_end(execution);
  return o;
}

static void end(outcome *o) {
  simt_children_free(o->child[0]);
  core_free(&o->run);
}

static uint8_t mark_of(const simt_child *c) { return ((const uint8_t *)c->params)[8]; }

START_TEST(launches_are_recorded_with_their_parameters)
{
  outcome o = children_of(LAUNCH("%rd1", "64", "0", "%r8"), 3, 0, 0);
  ck_assert_msg(o.run.status == SIMT_OK, "%s", o.run.diag.text);
  ck_assert_uint_eq(o.n, 3);
  for (uint32_t i = 0; i < 3; i++) {
    const simt_child *c = o.child[i];
    double third;
    memcpy(&third, (const uint8_t *)c->params + 16, sizeof third);
    ck_assert_int_eq(c->kind, SIMT_CHILD_LAUNCH);
    ck_assert_ptr_eq(c->kernel, simt_module_kernel(o.run.module, "child"));
    ck_assert(c->grid[0] == 2 && c->grid[1] == 3 && c->block[0] == 64 && c->shared_bytes == 5);
    ck_assert_int_eq(memcmp(c->params, &o.run.out, sizeof o.run.out), 0);
    ck_assert_uint_eq(mark_of(c), i); // a lane each
    ck_assert(third == 2.5);
    ck_assert_ptr_eq(c->after, i ? o.child[i - 1] : NULL); // the block's NULL stream
  }
  end(&o);
}
END_TEST

START_TEST(streams_events_and_the_tail)
{
  outcome o = children_of(
      LAUNCH("%rd1", "1", "3", "0") LAUNCH("%rd1", "1", "0", "1")
          CALL2("__cudaCDP2StreamCreateWithFlags", "%rd3", "b32",
                "1") "ld.local.u64 %rd5, [room];\n" LAUNCH("%rd1", "1", "%rd5", "2")
              LAUNCH("%rd1", "1", "4", "3") LAUNCH("%rd1", "1", "4", "4")
                  CALL2("__cudaCDP2EventCreateWithFlags", "%rd3", "b32",
                        "2") "ld.local.u64 %rd6, [room];\n" CALL2("__cudaCDP2EventRecord", "%rd6",
                                                                  "b64", "%rd5") WAIT("0", "%rd6")
                      LAUNCH("%rd1", "1", "0", "6") LAUNCH("%rd1", "1", "3", "7"),
      1, 0, 0);
  ck_assert_msg(o.run.status == SIMT_OK, "%s", o.run.diag.text);
  ck_assert_uint_eq(o.n, 8);
  simt_child *const *c = o.child;
  ck_assert(c[0]->is_tail && c[7]->is_tail && !c[1]->is_tail && !c[3]->is_tail);
  ck_assert_ptr_eq(c[7]->after, c[0]);
  ck_assert(!c[0]->after && !c[1]->after && !c[2]->after); // streams of their own
  ck_assert(!c[3]->after && !c[4]->after);                 // fire and forget
  ck_assert_int_eq(c[5]->kind, SIMT_CHILD_WAIT);
  ck_assert_ptr_eq(c[5]->event, c[2]);
  ck_assert_ptr_eq(c[5]->after, c[1]);
  ck_assert_ptr_eq(c[6]->after, c[5]);
  end(&o);
}
END_TEST

START_TEST(too_many_launches_are_pending)
{
  const char *three = LAUNCH("%rd1", "1", "3", "0") LAUNCH("%rd1", "1", "3", "1")
      LAUNCH("%rd1", "1", "0", "2") "st.global.u32 [%rd0], %r1;\n";
  outcome o = children_of(three, 1, 4, 6); // two of the tail fill it
  ck_assert_uint_eq(o.n, 2);
  ck_assert_uint_eq(o.run.out_host[0], 69); // cudaErrorLaunchPendingCountExceeded
  end(&o);
  o = children_of(three, 1, 4, 7);
  ck_assert_uint_eq(o.n, 3);
  ck_assert_uint_eq(o.run.out_host[0], 0);
  end(&o);
}
END_TEST

START_TEST(what_the_client_refuses_is_the_threads_error)
{
  outcome o =
      children_of(LAUNCH("%rd1", "1025", "0",
                         "0") "{\n.param .b32 r0;\ncall.uni (r0), __cudaCDP2GetLastError, ();\n"
                              "ld.param.b32 %r3, [r0];\n}\nst.global.u32 [%rd0], %r1;\n"
                              "st.global.u32 [%rd0+4], %r3;\n" LAUNCH(
                                  "%rd1", "1", "99", "0") "st.global.u32 [%rd0+8], %r1;\n",
                  1, 0, 0);
  ck_assert_uint_eq(o.n, 0);
  ck_assert_uint_eq(o.run.out_host[0], ANY_ERROR);
  ck_assert_uint_eq(o.run.out_host[1], ANY_ERROR);
  ck_assert_uint_eq(o.run.out_host[2], 1); // no such stream
  end(&o);
}
END_TEST

START_TEST(wrong_addresses_are_faults)
{
  outcome o = children_of(LAUNCH("%rd0", "1", "0", "0"), 1, 0, 0);
  ck_assert_int_eq(o.run.status, SIMT_ILLEGAL_ADDRESS);
  ck_assert_ptr_nonnull(strstr(o.run.diag.text, "which is not the address of a kernel"));
  end(&o);
  o = children_of(CALL2("__cudaCDP2LaunchDeviceV2", "%rd0", "b64", "0"), 1, 0, 0);
  ck_assert_int_eq(o.run.status, SIMT_ILLEGAL_ADDRESS);
  ck_assert_ptr_nonnull(strstr(o.run.diag.text, "cudaLaunchDeviceV2() is given"));
  end(&o);
}
END_TEST

// Memory that the core has taken for parameters goes back with the launch.
START_TEST(nothing_is_left_behind)
{
  outcome o = children_of(LAUNCH("%rd1", "1", "0", "0"), 32, 0, 0);
  uint64_t free_before, free_after, all;
  simt_memory_info(o.run.memory, &free_before, &all);
  core_options again = {.block = 32};
  core_launch(&o.run, again); // by a client that answers nothing
  ck_assert_int_eq(o.run.status, SIMT_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(o.run.diag.text, "kernel 'k' launches kernels"));
  simt_memory_info(o.run.memory, &free_after, &all);
  ck_assert_uint_eq(free_after, free_before);
  end(&o);
}
END_TEST

#define CALLS(name)                                                                                \
  ".version 7.8\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) " name "();\n"     \
  ".visible .entry k()\n{\n.reg .b32 %r<2>;\n{\n.param .b32 r0;\ncall.uni (r0), " name ", ();\n"   \
  "ld.param.b32 %r1, [r0];\n}\nret;\n}\n"

START_TEST(what_device_code_cannot_do_is_refused_by_name)
{
  static const struct {
    const char *text, *reason;
  } refused[] = {
      {CALLS("cudaDeviceSynchronize"), "a kernel cannot wait for kernels that it has launched"},
      {CALLS("cudaGraphLaunch"), "graphs are launched and changed by the host only"},
      {CALLS("__cudaCDP2Memcpy3DAsync"), "calls cudaMemcpy3DAsync()"},
      {CALLS("__cudaCDP2Else"), "calls '__cudaCDP2Else', which is defined nowhere"},
      {CALLS("__cudaCDP2GetDevice"), "which is defined nowhere"}, // with other arguments
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    core_run run = core_load(refused[i].text);
    ck_assert_int_eq(run.status, SIMT_UNSUPPORTED);
    ck_assert_msg(strstr(run.diag.text, refused[i].reason) != NULL, "%s", run.diag.text);
    core_free(&run);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("children");
  TCase *children = tcase_create("children");
  tcase_add_test(children, launches_are_recorded_with_their_parameters);
  tcase_add_test(children, streams_events_and_the_tail);
  tcase_add_test(children, too_many_launches_are_pending);
  tcase_add_test(children, what_the_client_refuses_is_the_threads_error);
  tcase_add_test(children, wrong_addresses_are_faults);
  tcase_add_test(children, nothing_is_left_behind);
  tcase_add_test(children, what_device_code_cannot_do_is_refused_by_name);
  suite_add_tcase(suite, children);
  return run_suite(suite);
}
