// SPDX-License-Identifier: MIT
// judge_device.c - the child half of the judge: gives the module under test guarded memory,
// launches its kernels and looks at what they wrote where they must not.
//
// Invariants: what the judge allocates hangs off the judge and is freed by wb_judge_release. Device
// memory is freed by the end of the process when a check fails.
// Not here: loading the module and finding its kernels (judge_module.c), how a check ends
// (judge_verdict.c), what a failed call means (judge_fault.c), causes of wrong values
// (judge_diagnose.c).
#include "judge_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 256, PAYLOAD_ALIGN_BYTES = 256, SPACE_BYTES = 1 << 16 };

// Ends the check when a CUDA call of the judge's own failed while doing `what`.
static void must(wb_judge *judge, cudaError_t error, const char *what) {
  wb_judge_must(judge, error, what, false);
}

static void out_of_host_memory(wb_judge *judge) {
  wb_judge_break(judge, WB_CAUSE_NO_MEMORY, "the judge ran out of host memory");
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
  judge->guards = true; // a GPU's allocations have no bounds of their own worth the name
#endif
}

// --- buffers ----------------------------------------------------------------------------------

static void fill_words(unsigned char *at, size_t size_bytes, uint32_t word) {
  for (size_t i = 0; i < size_bytes; i++) at[i] = (unsigned char)(word >> 8 * (i % 4));
}

// An index that is too large must not lead into the next array by chance: between two arrays lies
// memory that is not theirs. (On a GPU there are guard zones, whose size has to do.)
static void leave_space(wb_judge *judge) {
#ifdef WORKBOOK_SIMT
  void *space;
  must(judge, cudaMalloc(&space, SPACE_BYTES), "cudaMalloc failed");
  must(judge, cudaFree(space), "cudaFree failed");
#else
  (void)judge;
#endif
}

static wb_buffer *add_buffer(wb_judge *judge, const char *name, size_t size_bytes,
                             size_t offset_bytes) {
  if (judge->n_buffers == WB_MAX_BUFFERS)
    wb_judge_break(judge, WB_CAUSE_SUITE, "the suite uses too many buffers");
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
  leave_space(judge);
  buffer->payload = buffer->allocation + buffer->front_bytes;
#ifdef WORKBOOK_SIMT
  simt_name_array(buffer->payload, name);
#endif
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
  wb_judge_break(judge, WB_CAUSE_SUITE, "the suite asks for a buffer it never made");
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
    wb_judge_fail_why(judge,
                      (wb_why){WB_CAUSE_WROTE_BEFORE_START,
                               "a negative index, or an unsigned one that wrapped below 0", NULL},
                      "the kernel wrote %zu bytes before the start of `%s`",
                      buffer->front_bytes - at_byte, buffer->name);
  if (at_byte >= end)
    wb_judge_fail_why(judge,
                      (wb_why){WB_CAUSE_WROTE_PAST_END, "a thread that should write nothing writes",
                               "Check the condition under which a thread writes."},
                      "the kernel wrote past the end of `%s` (element %zu of %zu)", buffer->name,
                      (at_byte - buffer->front_bytes) / 4, buffer->size_bytes / 4);
  size_t element = (at_byte - buffer->front_bytes) / sizeof(float);
  wb_judge_fail_why(judge,
                    (wb_why){WB_CAUSE_CHANGED_INPUT, "the kernel writes to its input",
                             "Keep partial results in shared memory."},
                    "the kernel changed its input: %s[%zu] was %.9g, now it is %.9g", buffer->name,
                    element, element_value(buffer, buffer->expected, element),
                    element_value(buffer, now, element));
}

// Bytes [begin, end) must be as they were.
static void check_range(wb_judge *judge, const wb_buffer *buffer, const unsigned char *now,
                        size_t begin, size_t end) {
  if (begin == end || memcmp(now + begin, buffer->expected + begin, end - begin) == 0) return;
  while (now[begin] == buffer->expected[begin]) begin++;
  report_stray_write(judge, buffer, now, begin);
}

#ifdef WORKBOOK_SIMT
// An input that was overwritten and put back: the bytes are as they were, but a launch wrote them.
// Known where initcheck is on.
static void check_untouched(wb_judge *judge, const wb_buffer *buffer) {
  const unsigned char *first = simt_first_written(buffer->payload, buffer->size_bytes);
  if (!first) return;
  wb_judge_fail_why(judge,
                    (wb_why){WB_CAUSE_CHANGED_INPUT, "the kernel writes to its input",
                             "keep partial results in shared memory"},
                    "the kernel wrote to its input, %s[%zu], and put the value back", buffer->name,
                    (size_t)(first - buffer->payload) / sizeof(float));
}
#endif

wb_written wb_judge_written(const wb_judge *judge, const char *name, uint64_t index) {
#ifdef WORKBOOK_SIMT
  for (size_t i = 0; i < judge->n_buffers; i++) {
    const wb_buffer *buffer = &judge->buffers[i];
    if (buffer->is_input || strcmp(buffer->name, name) != 0) continue;
    if (simt_last_writer_launch(buffer->payload + 4 * index)) return WB_WRITTEN_HERE;
    if (simt_first_written(buffer->payload, buffer->size_bytes)) return WB_WRITTEN_ELSEWHERE;
  }
#else
  (void)judge, (void)name, (void)index;
#endif
  return WB_WRITTEN_UNKNOWN;
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
#ifdef WORKBOOK_SIMT
    check_untouched(judge, buffer);
#endif
  } else {
    check_range(judge, buffer, now, 0, buffer->front_bytes);
    check_range(judge, buffer, now, end, total_bytes);
  }
  free(now);
}

void wb_judge_experiment(wb_judge *judge) {
#ifdef WORKBOOK_SIMT
  judge->is_experimenting = true;
#else
  (void)judge; // nothing is compared on a GPU
#endif
}

static void launch(wb_judge *judge, const wb_kernel *kernel, unsigned grid, unsigned block,
                   size_t shared_bytes, void **arguments, bool cooperative, unsigned cluster) {
  const void *function = (const void *)kernel->handle;
  dim3 blocks = {grid, 1, 1}, threads = {block, 1, 1};
  char how[32] = "";
  judge->launch_grid = grid;
  judge->launch_block = block;
  if (cluster > 0) snprintf(how, sizeof how, " in clusters of %u", cluster);
  snprintf(judge->launch_text, sizeof judge->launch_text, "%s<<<%u, %u>>>%s", kernel->name, grid,
           block, cooperative ? " together" : how);
  judge->launched = true;
  wb_output_begin(judge);
  cudaLaunchAttribute size = {.id = cudaLaunchAttributeClusterDimension};
  size.val.clusterDim.x = cluster, size.val.clusterDim.y = size.val.clusterDim.z = 1;
  const cudaLaunchConfig_t config = {.gridDim = blocks,
                                     .blockDim = threads,
                                     .dynamicSmemBytes = shared_bytes,
                                     .attrs = &size,
                                     .numAttrs = 1};
  cudaError_t error =
      cluster > 0 ? cudaLaunchKernelExC(&config, function, arguments)
      : cooperative
          ? cudaLaunchCooperativeKernel(function, blocks, threads, arguments, shared_bytes, NULL)
          : cudaLaunchKernel(function, blocks, threads, arguments, shared_bytes, NULL);
  wb_judge_must(judge, error, "the launch was refused", true);
  error = cudaDeviceSynchronize();
  wb_output_end(judge);
  wb_judge_must(judge, error, "the kernel failed", true);
  wb_output_limit(judge);
#ifdef WORKBOOK_SIMT
  simt_counters_last_launch(&judge->counters);
  if (!judge->is_experimenting) wb_rules_launch(judge, kernel->name, grid, block);
#endif
  for (size_t i = 0; i < judge->n_buffers; i++) check_buffer(judge, &judge->buffers[i]);
}

#ifdef WORKBOOK_SIMT
void *wb_judge_managed(wb_judge *judge, size_t size_bytes) {
  void *memory = NULL;
  must(judge, cudaMallocManaged(&memory, size_bytes, cudaMemAttachGlobal),
       "there is no memory that host and device share");
  return memset(memory, 0, size_bytes);
}

bool wb_judge_launch_waits(wb_judge *judge, const wb_kernel *kernel, unsigned grid, unsigned block,
                           void **arguments) {
  const dim3 blocks = {grid, 1, 1}, threads = {block, 1, 1};
  simt_fault_info fault;
  wb_judge_heed_checkers(judge);
  snprintf(judge->launch_text, sizeof judge->launch_text, "%s<<<%u, %u>>>", kernel->name, grid,
           block);
  wb_output_begin(judge);
  cudaError_t error =
      cudaLaunchKernel((const void *)kernel->handle, blocks, threads, arguments, 0, NULL);
  wb_judge_must(judge, error, "the launch was refused", true);
  error = cudaDeviceSynchronize();
  wb_output_end(judge);
  if (error == cudaSuccess || !simt_last_fault(&fault)) return false;
  const bool waits = fault.kind == SIMT_FAULT_INSTRUCTION_LIMIT ||
                     (fault.kind == SIMT_FAULT_DEADLOCK && fault.wait == SIMT_WAIT_MEMORY);
  if (!waits) wb_judge_must(judge, error, "the kernel failed", true);
  return judge->has_waited = true;
}
#endif

void wb_judge_launch(wb_judge *judge, const wb_kernel *kernel, unsigned grid, unsigned block,
                     size_t shared_bytes, void **arguments) {
  launch(judge, kernel, grid, block, shared_bytes, arguments, false, 0);
}

void wb_judge_launch_together(wb_judge *judge, const wb_kernel *kernel, unsigned grid,
                              unsigned block, size_t shared_bytes, void **arguments) {
  launch(judge, kernel, grid, block, shared_bytes, arguments, true, 0);
}

void wb_judge_launch_clusters(wb_judge *judge, const wb_kernel *kernel, unsigned grid,
                              unsigned block, size_t shared_bytes, unsigned cluster,
                              void **arguments) {
  launch(judge, kernel, grid, block, shared_bytes, arguments, false, cluster);
}
