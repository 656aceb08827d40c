// SPDX-License-Identifier: MIT
// runtime/launch.c - launches: geometry checks with CUDA's error codes, packing of arguments, the
// run itself with its counters and modelled time, and function attributes.
//
// A launch runs at once, but behind host functions (runtime/queue.h). Errors of its configuration
// are returned by the launch; a device fault is not: it sticks to the context and every later call
// returns it (with CUDA_LAUNCH_BLOCKING=1 the launch does too). Grids that kernels launch belong to
// the launch that the host has made: runtime/children.c.
#include "decode/decode.h"
#include "device/memory_tables.h"
#include "runtime/children.h"
#include "runtime/cluster.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_BLOCK_THREADS = 1024,
  MAX_BLOCK_Z = 64,
  MAX_GRID_YZ = 65535,
  DEFAULT_SHARED = 48 * 1024
};

// ---- Checks.

static cudaError_t check_geometry(const rt_context *context, const rt_launch *l) {
  const dim3 *g = &l->grid, *b = &l->block;
  uint64_t threads = (uint64_t)b->x * b->y * b->z;
  const char *why = NULL;
  if (!g->x || !g->y || !g->z || !b->x || !b->y || !b->z) why = "a dimension is zero";
  else if (b->x > MAX_BLOCK_THREADS || b->y > MAX_BLOCK_THREADS || b->z > MAX_BLOCK_Z ||
           threads > MAX_BLOCK_THREADS)
    why = "a block has at most 1024 threads (and 64 in z)";
  else if (g->x > INT32_MAX || g->y > MAX_GRID_YZ || g->z > MAX_GRID_YZ)
    why = "a grid has at most 2147483647 x 65535 x 65535 blocks";
  if (!why) return cudaSuccess;
  simt_rt_note(context, "launch of %s with grid (%u,%u,%u) and block (%u,%u,%u): %s",
               l->kernel->name, g->x, g->y, g->z, b->x, b->y, b->z, why);
  return cudaErrorInvalidValue; // CUDA 13: no longer cudaErrorInvalidConfiguration
}

static cudaError_t check_resources(const rt_context *context, const rt_launch *l,
                                   const simt_kernel_info *info) {
  uint32_t threads = l->block.x * l->block.y * l->block.z;
  if (threads > info->max_threads) {
    simt_rt_note(context, "launch of %s with %u threads per block: compiled for at most %u",
                 info->name, threads, info->max_threads);
    return cudaErrorInvalidValue;
  }
  uint64_t dynamic_limit =
      DEFAULT_SHARED > info->static_shared_bytes ? DEFAULT_SHARED - info->static_shared_bytes : 0;
  const int set = simt_rt_kernel_on(context, l->kernel)->max_dynamic_shared;
  if (set >= 0) dynamic_limit = (uint64_t)set; // which may be less, as on an H100
  if (l->shared_bytes > dynamic_limit) {
    simt_rt_note(context,
                 "launch of %s with %zu bytes of dynamic shared memory (and %" PRIu64
                 " static): the "
                 "limit is %" PRIu64 "; raise it up to %u in all with cudaFuncSetAttribute(kernel, "
                 "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
                 info->name, l->shared_bytes, info->static_shared_bytes, dynamic_limit,
                 context->device->shared_bytes_opt_in);
    return l->cooperative ? cudaErrorCooperativeLaunchTooLarge : cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

// How many blocks the device runs at the same time, in whole clusters.
static uint64_t fitting_blocks(const rt_context *context, const rt_launch *l) {
  uint32_t size[3];
  simt_rt_cluster_of(context, l, size);
  const uint64_t cluster = size[0] ? (uint64_t)size[0] * size[1] * size[2] : 1;
  return cluster * simt_rt_clusters_fit(context, l);
}

static cudaError_t check_cooperative(const rt_context *context, const rt_launch *l) {
  uint32_t threads = l->block.x * l->block.y * l->block.z;
  uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
  int per_sm = simt_rt_blocks_per_sm(context, l->kernel, threads, l->shared_bytes);
  uint64_t fit = fitting_blocks(context, l);
  if (blocks <= fit) return cudaSuccess;
  simt_rt_note(context,
               "cooperative launch of %s with %" PRIu64 " blocks of %u threads: all blocks must be "
               "resident at once, and %" PRIu64 " fit (%d per multiprocessor x %u multiprocessors)",
               l->kernel->name, blocks, threads, fit, per_sm, context->device->n_sms);
  return cudaErrorCooperativeLaunchTooLarge;
}

cudaError_t simt_rt_launch_check(rt_context *context, const rt_launch *l) {
  cudaError_t error = check_geometry(context, l);
  if (error) return error;
  simt_kernel_info info;
  simt_kernel_describe(simt_rt_kernel_on(context, l->kernel)->kernel, &info);
  error = check_resources(context, l, &info);
  if (!error) error = simt_rt_cluster_check(context, l);
  if (!error && l->cooperative) error = check_cooperative(context, l);
  return error;
}

// ---- The run.

// The modelled time of the launch that has just ended. Its overhead is hidden where the launch may
// be submitted while the previous one is running.
static double last_ms(const rt_context *context, const rt_launch *l) {
  double ms = simt_engine_last_ms(context->engine);
  return l->overlaps ? ms - simt_engine_last_time(context->engine)->launch_ms : ms;
}

// In lockstep or as SIMT_SCHEDULE says, then, when a sweep is on, under hostile schedules.
static simt_status run_and_sweep(rt_context *context, rt_stream *stream, const rt_launch *asked,
                                 simt_launch *launch, simt_child **children, simt_diag *diag,
                                 simt_fault_record *fault) {
  rt_sweep *sweep = simt_rt_sweep_begin(context, launch);
  simt_run *run;
  simt_status status = simt_run_begin(&run, context->engine, launch, NULL, 0, diag);
  if (status == SIMT_OK) {
    const simt_launch_info *info = simt_run_info(run);
    rt_sweep_launch l = {info->kernel, info->launch};
    launch->number = info->launch;
    if (simt_run_advance(run, SIMT_UNTIL_END, SIMT_NO_BUDGET) == SIMT_EXECUTION_FAULTED)
      *diag = *simt_run_diag(run), *fault = *simt_run_fault(run);
    *children = simt_run_take_children(run);
    status = simt_run_end(run);
    if (launch->n_pending) simt_rt_stream_work(context, stream, last_ms(context, asked));
    else simt_rt_stream_launch(context, stream, last_ms(context, asked));
    if (sweep && status == SIMT_OK)
      status = simt_rt_sweep_run(context, sweep, launch, &l, diag, fault);
  }
  simt_rt_sweep_end(sweep);
  return status;
}

static uint32_t resident_blocks(const rt_context *context, const rt_launch *l) {
  const uint64_t fit = fitting_blocks(context, l);
  return fit ? (uint32_t)fit : context->device->n_sms;
}

// A kernel that waits for memory may wait for what a GPU does beside it: the host, a kernel of
// another stream or device. Not where there are none of these.
static void note_order(const rt_context *context, simt_status status, const simt_fault_info *info) {
  if (status != SIMT_DEADLOCK || info->wait != SIMT_WAIT_MEMORY) return;
  const simt_allocation *a = simt_memory_find(context->memory, info->address, 1);
  if (!context->streams && context->options.n_devices == 1 && !(a && simt_is_host_kind(a->kind)))
    return;
  simt_rt_note(context, "a kernel is carried out before the call that launches it returns, one "
                        "after the other: one that waits for the host, or for a kernel launched "
                        "later in another stream or on another device, does not end here");
}

cudaError_t simt_rt_grid_run(rt_context *context, rt_stream *stream, const rt_launch *l,
                             uint32_t n_pending, simt_child **children) {
  rt_device *on = context->on;
  rt_asker asker = {.context = context, .module = l->kernel->module};
  simt_launch launch = {
      .kernel = simt_rt_kernel_on(context, l->kernel)->kernel,
      .grid = {l->grid.x, l->grid.y, l->grid.z},
      .block = {l->block.x, l->block.y, l->block.z},
      .dynamic_shared_bytes = l->shared_bytes,
      .params = l->params,
      .cooperative = l->cooperative,
      .max_warp_instructions = context->options.max_warp_instructions,
      .max_print_bytes = context->options.max_print_bytes,
      .schedule = context->options.schedule,
      .device = on->ordinal,
      .n_devices = context->options.n_devices,
      .peers = on->peers,
      .n_host_threads = context->options.n_host_threads,
      .stack_bytes = on->limits[cudaLimitStackSize],
      .heap_bytes = on->limits[cudaLimitMallocHeapSize],
      .max_resident_blocks = resident_blocks(context, l),
      .print = simt_rt_print,
      .printed_otherwise = simt_rt_note_conversion,
      .print_data = context,
      .ask = simt_rt_device_answer,
      .ask_data = &asker,
      .n_pending = n_pending,
      .max_pending = (uint32_t)on->limits[cudaLimitDevRuntimePendingLaunchCount],
  };
  *children = NULL;
  simt_rt_cluster_of(context, l, launch.cluster);
  simt_diag diag = {.text = ""};
  simt_fault_record fault = {.block = 0};
  on->has_used_heap |= launch.kernel->uses_heap;
  on->has_printed |= launch.kernel->prints;
  simt_status status = run_and_sweep(context, stream, l, &launch, children, &diag, &fault);
  simt_rt_findings_print(context);
  if (status == SIMT_OK) return cudaSuccess;
  if (!simt_status_is_fault(status)) { // the launch itself fails
    simt_rt_say("%s: %s", cudaGetErrorName(simt_rt_error_of(status)), diag.text);
    return simt_rt_error_of(status);
  }
  diag.status = status;
  simt_rt_fault(context, &diag, &fault);
  note_order(context, status, &fault.info);
  return context->options.launch_blocking ? simt_rt_notice_fault(context) : cudaSuccess;
}

// A grid launched by the host, and all that it launches.
static cudaError_t run_here(rt_context *context, rt_stream *stream, const rt_launch *l) {
  simt_child *children;
  const cudaError_t error = simt_rt_grid_run(context, stream, l, 0, &children);
  if (!children) return error;
  if (error || simt_rt_has_fault(context)) return simt_children_free(children), error;
  return simt_rt_children_run(context, stream, l, children);
}

// A node of a graph may belong to another device than the one that is current.
cudaError_t simt_rt_launch_run(rt_context *context, rt_stream *stream, const rt_launch *l) {
  const uint32_t current = context->on->ordinal;
  if (simt_rt_has_fault(context)) return cudaSuccess; // which the host will notice
  simt_rt_switch(context, l->device);
  cudaError_t error = run_here(context, stream, l);
  simt_rt_switch(context, current);
  return error;
}

// ---- The calls.

// The packed parameter block of a kernel from pointers to its arguments. NULL: out of memory, or
// *error is set.
void *simt_rt_launch_pack(const simt_kernel *kernel, void **arguments, cudaError_t *error) {
  simt_kernel_info info;
  simt_kernel_describe(kernel, &info);
  if (info.n_params && !arguments) return *error = cudaErrorInvalidValue, NULL;
  uint8_t *block = calloc(1, (size_t)info.param_bytes + 1);
  if (!block) return *error = cudaErrorMemoryAllocation, NULL;
  if (simt_pack_arguments(kernel, (const void *const *)arguments, info.n_params, block, NULL) !=
      SIMT_OK) {
    free(block);
    return *error = cudaErrorInvalidValue, NULL;
  }
  return block;
}

void *simt_rt_launch_pack_bytes(const simt_kernel *kernel, const void *packed, size_t bytes,
                                cudaError_t *error) {
  simt_kernel_info info;
  simt_kernel_describe(kernel, &info);
  uint8_t *block = calloc(1, (size_t)info.param_bytes + 1);
  if (!block) return *error = cudaErrorMemoryAllocation, NULL;
  memcpy(block, packed, bytes < info.param_bytes ? bytes : info.param_bytes);
  return block;
}

// The stream's device is the one that is current.
static cudaError_t launch_there(rt_context *context, const void *function, rt_launch *l,
                                void **arguments, rt_stream *stream) {
  cudaError_t error = simt_rt_kernel_find(context, function, &l->kernel);
  if (!error) error = simt_rt_launch_check(context, l);
  if (!error) error = simt_rt_capture_forbids_legacy(context, stream);
  if (error) return error;
  l->params = simt_rt_launch_pack(simt_rt_kernel_on(context, l->kernel)->kernel, arguments, &error);
  if (!l->params) return error;
  if (stream->capture) {
    rt_node n = {.kind = RT_NODE_LAUNCH, .launch = *l};
    error = simt_rt_capture_add(stream, &n);
    if (error) free(l->params);
    return error;
  }
  if (simt_rt_queue_is_behind(context, stream)) {
    error = simt_rt_queue_node(context, stream, &(rt_node){.kind = RT_NODE_LAUNCH, .launch = *l});
    if (!error && context->options.launch_blocking) error = simt_rt_queue_wait(context, stream);
    return error;
  }
  error = simt_rt_launch_run(context, stream, l);
  free(l->params);
  return error;
}

// A kernel runs on the device of its stream, whichever device is current.
static cudaError_t launch(rt_context *context, const void *function, rt_launch *l, void **arguments,
                          cudaStream_t handle) {
  l->shared_bytes = (uint32_t)l->shared_bytes; // of which the hardware sees 32 bits
  rt_stream *stream = simt_rt_stream_of(context, handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  const uint32_t current = context->on->ordinal;
  l->device = stream->device;
  simt_rt_switch(context, l->device);
  const cudaError_t error = launch_there(context, function, l, arguments, stream);
  simt_rt_switch(context, current);
  return error;
}

static cudaError_t launch_call(const void *function, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream, bool cooperative) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_launch l = {
      .grid = grid, .block = block, .shared_bytes = shared_bytes, .cooperative = cooperative};
  if (!error) error = launch(context, function, &l, arguments, stream);
  return simt_rt_leave_unheard(context, error); // `<<<>>>` drops it
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  return launch_call(function, grid, block, arguments, shared_bytes, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                        void **arguments, size_t shared_bytes,
                                        cudaStream_t stream) {
  return launch_call(function, grid, block, arguments, shared_bytes, stream, true);
}

// Attributes that only steer performance are accepted; those that change what a kernel can do and
// that the software GPU lacks are refused.
static cudaError_t read_attributes(rt_context *context, const cudaLaunchConfig_t *config,
                                   rt_launch *l) {
  if (config->numAttrs && !config->attrs) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttribute *a = &config->attrs[i];
    switch (a->id) {
    case cudaLaunchAttributeCooperative: l->cooperative = a->val.cooperative != 0; break;
    case cudaLaunchAttributeProgrammaticStreamSerialization: // permits overlap, demands none
      l->overlaps = a->val.programmaticStreamSerializationAllowed != 0;
      break;
    case cudaLaunchAttributeClusterDimension:
      l->cluster[0] = a->val.clusterDim.x;
      l->cluster[1] = a->val.clusterDim.y;
      l->cluster[2] = a->val.clusterDim.z;
      l->has_cluster = true;
      break;
    case cudaLaunchAttributeProgrammaticEvent: // record_events()
    case cudaLaunchAttributeLaunchCompletionEvent:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredSharedMemoryCarveout: break;
    default:
      simt_rt_note(context, "cudaLaunchKernelEx: launch attribute %d is not supported", (int)a->id);
      return cudaErrorInvalidValue;
    }
  }
  return cudaSuccess;
}

cudaError_t simt_rt_launch_configure(rt_context *context, const cudaLaunchConfig_t *config,
                                     rt_launch *out) {
  cudaError_t error = read_attributes(context, config, out);
  out->grid = config->gridDim;
  out->block = config->blockDim;
  out->shared_bytes = config->dynamicSmemBytes;
  return error;
}

// Events that a launch is to record when its blocks begin, or say so: here it is over by then.
static cudaError_t record_events(const cudaLaunchConfig_t *config) {
  cudaError_t error = cudaSuccess;
  for (unsigned i = 0; i < config->numAttrs && !error; i++) {
    const cudaLaunchAttribute *a = &config->attrs[i];
    if (a->id == cudaLaunchAttributeProgrammaticEvent)
      error = cudaEventRecord(a->val.programmaticEvent.event, config->stream);
    if (a->id == cudaLaunchAttributeLaunchCompletionEvent)
      error = cudaEventRecord(a->val.launchCompletionEvent.event, config->stream);
  }
  return error;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **arguments) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_launch l = {0};
  if (!error && !config) error = cudaErrorInvalidValue;
  if (!error) error = simt_rt_launch_configure(context, config, &l);
  if (!error) error = launch(context, function, &l, arguments, config->stream);
  error = simt_rt_leave(context, error);
  return error ? error : record_events(config);
}
