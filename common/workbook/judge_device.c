// SPDX-License-Identifier: MIT
// judge_device.c - the child half of the judge: loads the module under test, gives it guarded
// memory, launches its kernels and says what happened when that went wrong.
//
// Invariants: every way out of a failing check goes through wb_judge_fail, whose text the parent
// receives through Check; what the judge allocates hangs off the judge and is freed by
// wb_judge_release. Device memory is freed by the end of the process when a check fails.
// Not here: the plan and the report (judge.c), causes of wrong values (judge_diagnose.c).
#include "judge_internal.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD_BYTES = 256, PAYLOAD_ALIGN_BYTES = 256 };

// Enough for any exercise on the sizes the suites use; a runaway loop ends in well under a second.
#define WARP_INSTRUCTION_LIMIT "1000000"

// --- failing ----------------------------------------------------------------------------------

#ifdef WORKBOOK_SIMT
// What the software GPU's checkers found, or "": `title`, the first findings in full, and the first
// one's headline as the cause.
static const char *checkers_report(const char *title) {
  static char text[WB_REPORT_BYTES];
  char report[WB_REPORT_BYTES - 400], brief[256];
  if (simt_findings_text(report, sizeof report, 2) == 0) return "";
  simt_findings_text(brief, sizeof brief, 0); // begins with the first one's line
  brief[strcspn(brief, "\n")] = '\0';
  char *count = strstr(brief, " (seen "); // equal causes should read equal
  if (count) *count = '\0';
  const char *cause = strstr(brief, ": ");
  snprintf(text, sizeof text, "\n%s\n%s%slikely cause: %s", title, report,
           report[strlen(report) - 1] == '\n' ? "" : " ...\n", cause ? cause + 2 : brief);
  return text;
}
#else
static const char *checkers_report(const char *title) {
  (void)title;
  return "";
}
#endif

void wb_judge_fail(wb_judge *judge, const char *format, ...) {
  char text[WB_TEXT_BYTES], message[WB_TEXT_BYTES - WB_REPORT_BYTES - 600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  const char *report = judge->accused ? "" : checkers_report("the checkers found:");
  if (judge->launched)
    snprintf(text, sizeof text, "launched %s%s%s\n%s%s", judge->launch_text,
             *judge->case_text ? ": " : "", judge->case_text, message, report);
  else snprintf(text, sizeof text, "%s%s", message, report);
  ck_abort_msg("%s", text);
  abort(); // not reached: Check has ended this process
}

// What the runtime said about a failure: the fault's diagnostic, or else what it printed on stderr,
// which the parent directs into a file so that a student reads it once and in its place.
static const char *device_diagnostic(const wb_judge *judge) {
  static char said[2048];
#ifdef WORKBOOK_SIMT
  if (*simt_last_diagnostic()) return simt_last_diagnostic();
#endif
  ssize_t size = judge->said_from < 0 ? 0 : pread(2, said, sizeof said - 1, judge->said_from);
  said[size > 0 ? size : 0] = '\0';
  for (char *end = said + strlen(said); end > said && end[-1] == '\n';) *--end = '\0';
  return said;
}

typedef struct fault_rule {
  cudaError_t error;   // cudaSuccess: any
  const char *mention; // what the diagnostic must contain; "": nothing
  const char *cause;
} fault_rule;

static const fault_rule fault_rules[] = {
    {cudaSuccess, "a warp-wide operation with member mask",
     "a shuffle or __syncwarp() that waits for every lane in its mask, and some never come: it "
     "must not stand inside an `if`, or after a `return`, that only some of these lanes take"},
    {cudaSuccess, ": deadlock: ",
     "a __syncthreads() that some threads of the block never reach: it must not stand inside an "
     "`if` or a loop that threads leave at different times, nor after a `return` that only some "
     "of them take"},
    {cudaErrorIllegalInstruction, "member mask",
     "the mask must name every lane that executes this line, one bit a lane: 0xffffffff for "
     "all 32"},
    {cudaErrorIllegalAddress, "at offset -",
     "a negative index (a signed char, when it is above 127?), or an unsigned one that wrapped "
     "below 0"},
    {cudaErrorIllegalAddress, "bytes of shared memory",
     "an index past the block's shared memory, which holds what the exercise asks for and no more: "
     "is the partner's index (own + stride) still among the values?"},
    {cudaErrorIllegalAddress, "bytes before allocation",
     "a negative index, or an unsigned one that wrapped below 0"},
    {cudaErrorIllegalAddress, "",
     "a thread whose index is not below n reads or writes all the same: is the bound checked, and "
     "with < rather than <= ?"},
    {cudaErrorMisalignedAddress, "",
     "an access wider than the pointer's alignment: a float pointer is a multiple of 4 only"},
    {cudaErrorLaunchTimeout, "",
     "a loop that never ends. In a compare-and-swap loop: does the next try start from the value "
     "that atomicCAS returned, and does the loop end when the swap was made?"},
    {cudaErrorInvalidValue, "", "the kernel's parameters are not those the exercise asks for"},
    {cudaErrorLaunchOutOfResources, "", "more shared memory or registers than a block may have"},
};

const char *wb_fault_cause(cudaError_t error, const char *diagnostic) {
  for (size_t i = 0; i < sizeof fault_rules / sizeof *fault_rules; i++) {
    const fault_rule *rule = &fault_rules[i];
    if ((rule->error == cudaSuccess || rule->error == error) && strstr(diagnostic, rule->mention))
      return rule->cause;
  }
  return "";
}

// Ends the check when a CUDA call failed while doing `what`.
static void must(wb_judge *judge, cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  const char *diagnostic = device_diagnostic(judge), *cause = wb_fault_cause(error, diagnostic);
  wb_judge_fail(judge, "%s: %s (%s)%s%.2500s%s%s", what, cudaGetErrorString(error),
                cudaGetErrorName(error), *diagnostic ? "\n" : "", diagnostic,
                *cause ? "\nlikely cause: " : "", cause);
}

static void out_of_host_memory(wb_judge *judge) {
  wb_judge_fail(judge, "the judge ran out of host memory");
}

// --- one check's life -------------------------------------------------------------------------

#ifdef WORKBOOK_SIMT
// In an exercise all threads must reach a barrier: those that left before it are an error,
// whichever checkers are on.
static void demand_all_threads(void) {
  const char *checkers = getenv("SIMT_CHECK");
  char text[256];
  bool others = checkers && *checkers && strcmp(checkers, "none") != 0;
  snprintf(text, sizeof text, "%s%sexited", others ? checkers : "", others ? "," : "");
  setenv("SIMT_CHECK", text, 1);
}
#endif

void wb_judge_open(wb_judge *judge, const wb_suite *suite, const wb_check *check,
                   const char *module_path, uint64_t base_seed) {
  *judge = (wb_judge){.module_path = module_path,
                      .suite = suite,
                      .check = check,
                      .base_seed = base_seed,
                      .said_from = lseek(2, 0, SEEK_END)};
#ifdef WORKBOOK_SIMT
  setenv("SIMT_MAX_WARP_INSTRUCTIONS", WARP_INSTRUCTION_LIMIT, 0);
  demand_all_threads();
#endif
  wb_judge_guards(judge, false);
}

// Right results of a kernel that the checkers object to are luck.
static void heed_checkers(wb_judge *judge) {
  const char *report = checkers_report("all results were right, but the checkers object:");
  if (!*report) return;
  judge->accused = true;
  wb_judge_fail(judge, "%s", report + 1);
}

void wb_judge_close(wb_judge *judge) {
  heed_checkers(judge);
  wb_judge_release(judge);
  if (judge->loaded) cudaLibraryUnload(judge->library);
  judge->loaded = false;
}

void wb_judge_release(wb_judge *judge) {
  for (size_t i = 0; i < judge->n_buffers; i++) {
    cudaFree(judge->buffers[i].allocation);
    free(judge->buffers[i].expected);
  }
  judge->n_buffers = 0;
  for (wb_host_block *block = judge->host_blocks; block;) {
    wb_host_block *next = block->next;
    free(block);
    block = next;
  }
  judge->host_blocks = NULL;
}

uint64_t wb_judge_seed(const wb_judge *judge) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ judge->base_seed; // FNV-1a over both names
  const char *const names[] = {judge->suite->exercise, "/", judge->check->name};
  for (size_t i = 0; i < 3; i++)
    for (const char *c = names[i]; *c; c++)
      hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  return hash;
}

void *wb_judge_host(wb_judge *judge, size_t size_bytes) {
  wb_host_block *block = calloc(1, sizeof *block + size_bytes);
  if (!block) out_of_host_memory(judge);
  block->next = judge->host_blocks;
  judge->host_blocks = block;
  return block->data;
}

void wb_judge_case(wb_judge *judge, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(judge->case_text, sizeof judge->case_text, format, arguments);
  va_end(arguments);
}

void wb_judge_guards(wb_judge *judge, bool on) {
#ifdef WORKBOOK_SIMT
  judge->guards = on || getenv("WB_GUARDS");
#else
  (void)on;
  judge->guards = true;      // a GPU's allocations have no bounds of their own worth the name
#endif
}

// --- module and kernels -----------------------------------------------------------------------

static void load_module(wb_judge *judge) {
  char what[512];
  snprintf(what, sizeof what, "the module %.400s cannot be loaded", judge->module_path);
  cudaError_t error =
      cudaLibraryLoadFromFile(&judge->library, judge->module_path, NULL, NULL, 0, NULL, NULL, 0);
  must(judge, error, what);
  judge->loaded = true;
}

// Size of the parameter whose declaration begins at `text`; *next: after its comma, NULL at the
// end.
static size_t declared_bytes(const char *text, const char **next) {
  static const char *const wide[] = {"*", "size_t", "long", "double", "int64_t"};
  char one[64];
  size_t length = strcspn(text, ",)");
  snprintf(one, sizeof one, "%.*s", (int)length, text);
  *next = text[length] == ',' ? text + length + 1 : NULL;
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
    if (strstr(one, wide[i])) return 8;
  return 4;
}

static void refuse_signature(wb_judge *judge, const wb_kernel *kernel, const char *what) {
  wb_judge_fail(judge,
                "`%s` has other parameters than the exercise asks for: %s\n"
                "wanted: extern \"C\" __global__ void %s",
                kernel->name, what, kernel->signature);
}

// A launch hands over as many bytes as the kernel declares: the sizes must be the suite's.
static void check_signature(wb_judge *judge, const wb_kernel *kernel) {
#if CUDART_VERSION >= 13000
  const void *function = (const void *)kernel->handle;
  size_t index = 0, offset, size;
  char what[96];
  for (const char *at = strchr(kernel->signature, '(') + 1; at; index++) {
    size_t want = declared_bytes(at, &at);
    if (cudaFuncGetParamInfo(function, index, &offset, &size) != cudaSuccess) {
      snprintf(what, sizeof what, "it has %zu only", index);
      refuse_signature(judge, kernel, what);
    } else if (size != want) {
      snprintf(what, sizeof what, "parameter %zu has %zu bytes, not %zu", index + 1, size, want);
      refuse_signature(judge, kernel, what);
    }
  }
  if (cudaFuncGetParamInfo(function, index, &offset, &size) == cudaSuccess)
    refuse_signature(judge, kernel, "it has more");
  cudaGetLastError(); // the question for one parameter too many left an error behind
#else
  (void)judge, (void)kernel; // no way to ask
#endif
}

wb_kernel wb_judge_kernel(wb_judge *judge, const char *signature) {
  if (!judge->loaded) load_module(judge);
  wb_kernel kernel = {.signature = signature};
  size_t length = strcspn(signature, "(");
  snprintf(kernel.name, sizeof kernel.name, "%.*s", (int)length, signature);
  if (cudaLibraryGetKernel(&kernel.handle, judge->library, kernel.name) != cudaSuccess)
    wb_judge_fail(judge,
                  "the module has no kernel named `%s`.\nwanted: extern \"C\" __global__ void %s\n"
                  "likely cause: the kernel was renamed, or its `extern \"C\"` is missing",
                  kernel.name, signature);
  check_signature(judge, &kernel);
  return kernel;
}

// --- buffers ----------------------------------------------------------------------------------

static void fill_words(unsigned char *at, size_t size_bytes, uint32_t word) {
  for (size_t i = 0; i < size_bytes; i++) at[i] = (unsigned char)(word >> 8 * (i % 4));
}

static wb_buffer *add_buffer(wb_judge *judge, const char *name, size_t size_bytes,
                             size_t offset_bytes) {
  if (judge->n_buffers == WB_MAX_BUFFERS) wb_judge_fail(judge, "the suite uses too many buffers");
  wb_buffer *buffer = &judge->buffers[judge->n_buffers];
  size_t guard_bytes = judge->guards ? GUARD_BYTES : 0;
  *buffer = (wb_buffer){.name = name,
                        .front_bytes = guard_bytes + offset_bytes,
                        .size_bytes = size_bytes,
                        .back_bytes = guard_bytes};
  size_t total_bytes = buffer->front_bytes + size_bytes + guard_bytes;
  buffer->expected = malloc(total_bytes + 1);
  if (!buffer->expected) out_of_host_memory(judge);
  judge->n_buffers++;
  must(judge, cudaMalloc((void **)&buffer->allocation, total_bytes), "cudaMalloc failed");
  buffer->payload = buffer->allocation + buffer->front_bytes;
  fill_words(buffer->expected, total_bytes, WB_BAIT);
  return buffer;
}

static void upload(wb_judge *judge, const wb_buffer *buffer) {
  size_t total_bytes = buffer->front_bytes + buffer->size_bytes + buffer->back_bytes;
  if (total_bytes == 0) return;
  must(judge, cudaMemcpy(buffer->allocation, buffer->expected, total_bytes, cudaMemcpyHostToDevice),
       "copying an array to the device failed");
}

void *wb_judge_input(wb_judge *judge, const char *name, const void *data, size_t size_bytes,
                     size_t offset_bytes) {
  wb_buffer *buffer = add_buffer(judge, name, size_bytes, offset_bytes);
  buffer->is_input = true;
  if (size_bytes > 0) memcpy(buffer->expected + buffer->front_bytes, data, size_bytes);
  upload(judge, buffer);
  return buffer->payload;
}

void *wb_judge_output(wb_judge *judge, const char *name, size_t size_bytes) {
  wb_buffer *buffer = add_buffer(judge, name, size_bytes, 0);
  fill_words(buffer->expected + buffer->front_bytes, size_bytes, WB_POISON);
  upload(judge, buffer);
  return buffer->payload;
}

static wb_buffer *find_buffer(wb_judge *judge, const void *device) {
  for (size_t i = 0; i < judge->n_buffers; i++)
    if (judge->buffers[i].payload == device) return &judge->buffers[i];
  wb_judge_fail(judge, "the suite asks for a buffer it never made");
}

void wb_judge_put(wb_judge *judge, void *device, const void *data) {
  wb_buffer *buffer = find_buffer(judge, device);
  if (buffer->size_bytes > 0)
    must(judge, cudaMemcpy(device, data, buffer->size_bytes, cudaMemcpyHostToDevice),
         "copying an array to the device failed");
}

const void *wb_judge_get(wb_judge *judge, void *device) {
  wb_buffer *buffer = find_buffer(judge, device);
  void *copy = wb_judge_host(judge, buffer->size_bytes);
  if (buffer->size_bytes > 0)
    must(judge, cudaMemcpy(copy, device, buffer->size_bytes, cudaMemcpyDeviceToHost),
         "copying a result from the device failed");
  return copy;
}

// --- after a launch ---------------------------------------------------------------------------

static double element_value(const wb_buffer *buffer, const unsigned char *bytes, size_t element) {
  float value;
  memcpy(&value, bytes + buffer->front_bytes + element * sizeof value, sizeof value);
  return (double)value;
}

static void report_stray_write(wb_judge *judge, const wb_buffer *buffer, const unsigned char *now,
                               size_t at_byte) {
  size_t end = buffer->front_bytes + buffer->size_bytes;
  if (at_byte < buffer->front_bytes)
    wb_judge_fail(judge,
                  "the kernel wrote %zu bytes before the start of `%s`\n"
                  "likely cause: a negative index, or an unsigned one that wrapped below 0",
                  buffer->front_bytes - at_byte, buffer->name);
  if (at_byte >= end)
    wb_judge_fail(judge,
                  "the kernel wrote past the end of `%s` (element %zu of %zu)\n"
                  "likely cause: a thread that should write nothing writes; check its condition",
                  buffer->name, (at_byte - buffer->front_bytes) / 4, buffer->size_bytes / 4);
  size_t element = (at_byte - buffer->front_bytes) / sizeof(float);
  wb_judge_fail(judge,
                "the kernel changed its input: %s[%zu] was %.9g, now it is %.9g\n"
                "likely cause: it works in place; partial results belong into shared memory",
                buffer->name, element, element_value(buffer, buffer->expected, element),
                element_value(buffer, now, element));
}

// Bytes [begin, end) must be as they were.
static void check_range(wb_judge *judge, const wb_buffer *buffer, const unsigned char *now,
                        size_t begin, size_t end) {
  if (begin == end || memcmp(now + begin, buffer->expected + begin, end - begin) == 0) return;
  while (now[begin] == buffer->expected[begin]) begin++;
  report_stray_write(judge, buffer, now, begin);
}

static void check_buffer(wb_judge *judge, const wb_buffer *buffer) {
  size_t end = buffer->front_bytes + buffer->size_bytes, total_bytes = end + buffer->back_bytes;
  if (total_bytes == 0 || (!buffer->is_input && buffer->front_bytes + buffer->back_bytes == 0))
    return;
  unsigned char *now = malloc(total_bytes);
  if (!now) out_of_host_memory(judge);
  must(judge, cudaMemcpy(now, buffer->allocation, total_bytes, cudaMemcpyDeviceToHost),
       "copying an array from the device failed");
  if (buffer->is_input) {
    check_range(judge, buffer, now, 0, total_bytes);
  } else {
    check_range(judge, buffer, now, 0, buffer->front_bytes);
    check_range(judge, buffer, now, end, total_bytes);
  }
  free(now);
}

static void launch(wb_judge *judge, const wb_kernel *kernel, unsigned grid, unsigned block,
                   size_t shared_bytes, void **arguments, bool cooperative) {
  const void *function = (const void *)kernel->handle;
  dim3 blocks = {grid, 1, 1}, threads = {block, 1, 1};
  snprintf(judge->launch_text, sizeof judge->launch_text, "%s<<<%u, %u>>>%s", kernel->name, grid,
           block, cooperative ? " together" : "");
  judge->launched = true;
  cudaError_t error =
      cooperative
          ? cudaLaunchCooperativeKernel(function, blocks, threads, arguments, shared_bytes, NULL)
          : cudaLaunchKernel(function, blocks, threads, arguments, shared_bytes, NULL);
  must(judge, error, "the launch was refused");
  must(judge, cudaDeviceSynchronize(), "the kernel failed");
#ifdef WORKBOOK_SIMT
  simt_counters_last_launch(&judge->counters);
#endif
  for (size_t i = 0; i < judge->n_buffers; i++) check_buffer(judge, &judge->buffers[i]);
}

void wb_judge_launch(wb_judge *judge, const wb_kernel *kernel, unsigned grid, unsigned block,
                     size_t shared_bytes, void **arguments) {
  launch(judge, kernel, grid, block, shared_bytes, arguments, false);
}

void wb_judge_launch_together(wb_judge *judge, const wb_kernel *kernel, unsigned grid,
                              unsigned block, size_t shared_bytes, void **arguments) {
  launch(judge, kernel, grid, block, shared_bytes, arguments, true);
}

// --- counters ---------------------------------------------------------------------------------

#ifdef WORKBOOK_SIMT
bool wb_counts_hold(void) {
  const char *schedule = getenv("SIMT_SCHEDULE");
  return !schedule || !*schedule || strcmp(schedule, "lockstep") == 0 ||
         strncmp(schedule, "sweep", 5) == 0; // counts those of lockstep
}

const simt_counters *wb_judge_counters(wb_judge *judge) { return &judge->counters; }

static uint64_t counter_value(wb_judge *judge, const char *counter) {
  for (size_t i = 0; simt_counter_name(i); i++)
    if (strcmp(simt_counter_name(i), counter) == 0) return simt_counter_value(&judge->counters, i);
  wb_judge_fail(judge, "the suite asks for a counter that does not exist: %s", counter);
}

void wb_judge_counter_is(wb_judge *judge, const char *counter, uint64_t want, const char *meaning) {
  uint64_t got = counter_value(judge, counter);
  if (got != want && wb_counts_hold())
    wb_judge_fail(judge, "counter %s: expected %llu, counted %llu\n%s", counter,
                  (unsigned long long)want, (unsigned long long)got, meaning);
}

void wb_judge_counter_at_most(wb_judge *judge, const char *counter, uint64_t limit,
                              const char *meaning) {
  uint64_t got = counter_value(judge, counter);
  if (got > limit && wb_counts_hold())
    wb_judge_fail(judge, "counter %s: at most %llu allowed, counted %llu\n%s", counter,
                  (unsigned long long)limit, (unsigned long long)got, meaning);
}
#else
bool wb_counts_hold(void) { return false; }
#endif
