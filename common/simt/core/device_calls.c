// SPDX-License-Identifier: MIT
// core/device_calls.c - calls of CUDA's runtime by device code, lane by lane in ascending order: a
// kernel launches kernels, asks for copies and sets, creates streams and events, allocates memory.
//
// Nothing that is asked for begins before the blocks of the grid have ended, which CUDA permits: a
// grid cannot wait for what it has launched. What is wrong with a call is its result and the
// thread's last error, as on an H100, where a wrong configuration is cudaErrorInvalidConfiguration
// whatever is wrong with it. A launch is one too many where the launches by device code that cannot
// be complete yet reach the limit (cudaLimitDevRuntimePendingLaunchCount): those that this grid
// belongs to, and what waits for its end. Others may be complete on a GPU by then; here they count
// as if they were.
#include "core/device_calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "core/access_fault.h"
#include "core/fault.h"
#include "core/heap.h"
#include "core/requests.h"
#include "core/store_buffer.h"

enum { MAX_ARGUMENTS = 10, MAX_PENDING = 2048 };

// The kinds of a copy that device code may ask for, and flags, as CUDA numbers them.
enum { COPY_ON_DEVICE = 3, COPY_DEFAULT = 4, EVENT_WITHOUT_TIME = 2 };

typedef struct caller {
  simt_core *core;
  simt_warp *warp;
  const simt_instr *in;
  uint32_t lane;
  uint64_t argument[MAX_ARGUMENTS];
  uint64_t pointer; // the result of a call that returns one
  bool has_faulted;
} caller;

static int fault(caller *c, const char *what, uint64_t address) {
  c->has_faulted = true;
  simt_fault(c->core, c->warp, c->in, (int)c->lane, SIMT_ILLEGAL_ADDRESS,
             "cuda%s() is given 0x%" PRIx64 ", %s", simt_device_call_rows[c->in->service.call].name,
             address, what);
  return simt_cudaErrorInvalidValue;
}

// ---- what the program gives, and gets ----------------------------------------------------------

static uint64_t value_at(const simt_warp *w, uint32_t slot, uint32_t lane, bool is_wide) {
  return is_wide ? ((const uint64_t *)(const void *)(w->regs + slot))[lane]
                 : ((const uint32_t *)(const void *)(w->regs + slot))[lane];
}

static void read_arguments(caller *c) {
  const simt_instr *in = c->in;
  const char *arguments = simt_device_call_rows[in->service.call].arguments;
  for (uint32_t i = 0, n = 0; arguments[i]; i++)
    for (uint32_t part = 0; part < (arguments[i] == 'd' ? 3u : 1u); part++, n++)
      c->argument[n] = value_at(c->warp,
                                n == 0   ? in->a
                                : n == 1 ? in->b
                                         : in->service.in[n - 2],
                                c->lane, arguments[i] == 'p');
}

// Stores `n` bytes at a generic address, as an instruction of the program would.
static int give(caller *c, uint64_t address, const void *bytes, uint32_t n) {
  const uint32_t at = c->core->kernel->scratch_slot;
  const uint32_t data = at + SIMT_LANES * (uint32_t)sizeof(uint64_t);
  simt_instr store = *c->in;
  if (!address) return simt_cudaErrorInvalidValue;
  store.form = ISA_STORE;
  store.a = at;
  for (uint32_t done = 0, step; done < n; done += step) {
    step = n - done >= 8 ? 8 : 4;
    store.memory = (simt_memory_access){.width_bytes = (uint8_t)step,
                                        .data_bytes = (uint8_t)step,
                                        .data = {data},
                                        .vector = 1,
                                        .address_bits = 64,
                                        .space = PTX_SPACE_GENERIC};
    ((uint64_t *)(void *)(c->warp->regs + at))[c->lane] = address + done;
    memcpy(c->warp->regs + data + c->lane * step, (const uint8_t *)bytes + done, step);
    if (simt_exec_store(c->core, c->warp, &store, 1u << c->lane)) continue;
    c->has_faulted = true;
    break;
  }
  return simt_cudaSuccess;
}

static int give_handle(caller *c, uint64_t handle) {
  return handle ? give(c, c->argument[0], &handle, sizeof handle) : simt_cudaErrorMemoryAllocation;
}

static const simt_kernel *kernel_at(const caller *c, uint64_t address) {
  const simt_module *m = c->core->kernel->module;
  const ptx_function *f = simt_function_at(m, address);
  for (uint32_t i = 0; f && i < simt_module_n_kernels(m); i++)
    if (simt_module_kernel_at(m, i)->function == f) return simt_module_kernel_at(m, i);
  return NULL;
}

// ---- launches ----------------------------------------------------------------------------------

static void configure(const caller *c, uint32_t first, simt_buffer *b) {
  for (uint32_t i = 0; i < 3; i++) {
    b->grid[i] = (uint32_t)c->argument[first + i];
    b->block[i] = (uint32_t)c->argument[first + 3 + i];
  }
  b->shared_bytes = (uint32_t)c->argument[first + 6];
}

static int get_buffer(caller *c, simt_buffer *b) {
  if (!simt_requests_add_buffer(c->core, b)) return simt_cudaErrorMemoryAllocation;
  c->pointer = b->address;
  return simt_cudaSuccess;
}

static int get_kernels_buffer(caller *c) {
  simt_buffer b = {.kernel = kernel_at(c, c->argument[0])};
  simt_kernel_info info;
  if (!b.kernel) return fault(c, "which is not the address of a kernel", c->argument[0]);
  simt_kernel_describe(b.kernel, &info);
  b.size_bytes = info.param_bytes;
  configure(c, 1, &b);
  return get_buffer(c, &b);
}

static bool is_one_too_many(const simt_core *core) {
  const simt_launch *l = core->launch;
  return l->n_pending + core->n_tails >= (l->max_pending ? l->max_pending : MAX_PENDING);
}

// Whether the launch is possible on this device.
static int ask_for(const caller *c, const simt_buffer *b) {
  simt_question q = {
      .call = SIMT_DEVICE_LAUNCH_V2, .kernel = b->kernel, .shared_bytes = b->shared_bytes};
  memcpy(q.grid, b->grid, sizeof q.grid);
  memcpy(q.block, b->block, sizeof q.block);
  return c->core->launch->ask(c->core->launch->ask_data, &q);
}

static int launch(caller *c, const simt_buffer *b, uint64_t handle) {
  simt_core *core = c->core;
  simt_stream_end stream;
  simt_kernel_info info;
  if (!simt_requests_stream(core, c->warp->block, handle, &stream))
    return simt_cudaErrorInvalidValue;
  const int error = ask_for(c, b);
  if (error) return error;
  if (is_one_too_many(core)) return simt_cudaErrorLaunchPendingCountExceeded;
  simt_kernel_describe(b->kernel, &info);
  simt_child child = {
      .kind = SIMT_CHILD_LAUNCH, .kernel = b->kernel, .shared_bytes = b->shared_bytes};
  memcpy(child.grid, b->grid, sizeof child.grid);
  memcpy(child.block, b->block, sizeof child.block);
  child.params = calloc(1, (size_t)info.param_bytes + 1);
  if (!child.params) return simt_cudaErrorMemoryAllocation;
  const uint32_t size = b->size_bytes < info.param_bytes ? b->size_bytes : info.param_bytes;
  if (size) memcpy(child.params, simt_memory_host(core->memory, b->address, size), size);
  const int failed = simt_requests_add(core, &stream, &child);
  if (failed) free(child.params);
  return failed;
}

static int launch_buffer(caller *c) {
  simt_buffer b;
  if (!simt_requests_take_buffer(c->core, c->argument[0], &b) || !b.kernel)
    return fault(c, "which is no buffer of cudaGetParameterBufferV2()", c->argument[0]);
  return launch(c, &b, c->argument[1]);
}

static int launch_named(caller *c) {
  simt_buffer b;
  if (!simt_requests_take_buffer(c->core, c->argument[1], &b))
    return fault(c, "which is no buffer of cudaGetParameterBuffer()", c->argument[1]);
  b.kernel = kernel_at(c, c->argument[0]);
  if (!b.kernel) return fault(c, "which is not the address of a kernel", c->argument[0]);
  configure(c, 2, &b);
  return launch(c, &b, c->argument[9]);
}

// ---- copies and sets ---------------------------------------------------------------------------

// Memory that a copy reaches: global, of this device or one that it may access. Local and shared
// memory are refused, by the call's result.
static int check_range(caller *c, uint64_t at, uint64_t pitch, uint64_t width, uint64_t height) {
  const uint64_t size = pitch * (height - 1) + width;
  if (!at || simt_space_of(at) != PTX_SPACE_GLOBAL) return simt_cudaErrorInvalidValue;
  if (simt_memory_find(c->core->memory, at, size)) return simt_cudaSuccess;
  return fault(c, "where there is no memory of that size", at);
}

static int add_transfer(caller *c, const simt_child *child, uint64_t handle) {
  simt_stream_end stream;
  if (!simt_requests_stream(c->core, c->warp->block, handle, &stream))
    return simt_cudaErrorInvalidValue;
  if (!child->width || !child->height) return simt_cudaSuccess;
  if (child->height > 1 && (child->to_pitch < child->width || child->from_pitch < child->width))
    return simt_cudaErrorInvalidPitchValue;
  int error = check_range(c, child->to, child->to_pitch, child->width, child->height);
  if (!error && child->kind == SIMT_CHILD_COPY)
    error = check_range(c, child->from, child->from_pitch, child->width, child->height);
  return error ? error : simt_requests_add(c->core, &stream, child);
}

static int copy(caller *c) {
  const uint64_t *a = c->argument;
  const bool is_2d = c->in->service.call == SIMT_DEVICE_COPY_2D;
  const uint64_t kind = a[is_2d ? 6 : 3];
  simt_child child = {.kind = SIMT_CHILD_COPY, .to = a[0], .from = a[1], .width = a[2]};
  child.height = 1;
  if (is_2d)
    child = (simt_child){.kind = SIMT_CHILD_COPY,
                         .to = a[0],
                         .to_pitch = a[1],
                         .from = a[2],
                         .from_pitch = a[3],
                         .width = a[4],
                         .height = a[5]};
  if (kind != COPY_ON_DEVICE && kind != COPY_DEFAULT) return simt_cudaErrorInvalidMemcpyDirection;
  return add_transfer(c, &child, a[is_2d ? 7 : 4]);
}

static int set(caller *c) {
  const uint64_t *a = c->argument;
  simt_child child = {.kind = SIMT_CHILD_SET, .to = a[0], .height = 1};
  if (c->in->service.call == SIMT_DEVICE_SET) {
    child.value = (uint8_t)a[1];
    child.width = a[2];
    return add_transfer(c, &child, a[3]);
  }
  child.to_pitch = child.from_pitch = a[1];
  child.value = (uint8_t)a[2];
  child.width = a[3];
  child.height = a[4];
  return add_transfer(c, &child, a[5]);
}

// ---- streams and events ------------------------------------------------------------------------

static int create(caller *c) {
  const bool is_stream = c->in->service.call == SIMT_DEVICE_STREAM_CREATE;
  const uint64_t flags = c->argument[1];
  if (!c->argument[0] || (is_stream ? flags > 1 : flags != EVENT_WITHOUT_TIME))
    return simt_cudaErrorInvalidValue;
  return give_handle(c, is_stream ? simt_requests_new_stream(c->core)
                                  : simt_requests_new_event(c->core));
}

// A handle stays valid until the end of its grid, as an H100 has it.
static int destroy_stream(const caller *c) {
  simt_stream_end stream;
  const bool is_created = c->argument[0] > UINT32_MAX &&
                          simt_requests_stream(c->core, c->warp->block, c->argument[0], &stream);
  return is_created ? simt_cudaSuccess : simt_cudaErrorInvalidValue;
}

static int record(const caller *c) {
  simt_stream_end stream;
  simt_child **event = simt_requests_event(c->core, c->argument[0]);
  if (!event || !simt_requests_stream(c->core, c->warp->block, c->argument[1], &stream) ||
      !stream.last || stream.is_tail)
    return simt_cudaErrorInvalidValue;
  *event = *stream.last;
  return simt_cudaSuccess;
}

static int wait(const caller *c) {
  simt_stream_end stream;
  simt_child **event = simt_requests_event(c->core, c->argument[1]);
  if (!event || !simt_requests_stream(c->core, c->warp->block, c->argument[0], &stream) ||
      !stream.last || stream.is_tail)
    return simt_cudaErrorInvalidValue;
  if (!*event) return simt_cudaSuccess;
  return simt_requests_add(c->core, &stream,
                           &(simt_child){.kind = SIMT_CHILD_WAIT, .event = *event});
}

// ---- memory ------------------------------------------------------------------------------------

static int allocate(caller *c) {
  const uint64_t size = c->argument[1];
  const uint64_t address = size ? simt_heap_allocate(c->core, size, 1) : 0;
  const int error = give(c, c->argument[0], &address, sizeof address);
  if (error || address) return error;
  return size ? simt_cudaErrorMemoryAllocation : simt_cudaErrorInvalidValue;
}

static int release(caller *c) {
  c->has_faulted = !simt_heap_release(c->core, c->warp, c->in, c->lane, c->argument[0]);
  return simt_cudaSuccess;
}

// ---- questions ---------------------------------------------------------------------------------

static int ask_text(caller *c) {
  simt_question q = {.call = c->in->service.call, .in = {c->argument[0]}};
  const int error = c->core->launch->ask(c->core->launch->ask_data, &q);
  if (!error) c->pointer = simt_requests_text(c->core, q.text);
  return error;
}

static int ask(caller *c) {
  simt_question q = {.call = c->in->service.call, .in = {c->argument[1], c->argument[2]}};
  if (!c->argument[0]) return simt_cudaErrorInvalidValue;
  if (q.call == SIMT_DEVICE_FUNCTION_ATTRIBUTES || q.call == SIMT_DEVICE_OCCUPANCY ||
      q.call == SIMT_DEVICE_OCCUPANCY_FLAGS) {
    if (!c->argument[1]) return simt_cudaErrorInvalidValue;
    q.kernel = kernel_at(c, c->argument[1]);
    if (!q.kernel) return simt_cudaErrorInvalidDeviceFunction;
    memcpy(q.in, c->argument + 2, sizeof q.in);
  }
  const int error = c->core->launch->ask(c->core->launch->ask_data, &q);
  return error ? error : give(c, c->argument[0], q.answer, q.answer_bytes);
}

// ---- the call ----------------------------------------------------------------------------------

static int carry_out(caller *c) {
  switch ((simt_device_call)c->in->service.call) {
  case SIMT_DEVICE_GET_PARAMETER_BUFFER:
    return get_buffer(c, &(simt_buffer){.size_bytes = c->argument[1] < UINT32_MAX
                                                          ? (uint32_t)c->argument[1]
                                                          : UINT32_MAX});
  case SIMT_DEVICE_GET_PARAMETER_BUFFER_V2: return get_kernels_buffer(c);
  case SIMT_DEVICE_LAUNCH: return launch_named(c);
  case SIMT_DEVICE_LAUNCH_V2: return launch_buffer(c);
  case SIMT_DEVICE_STREAM_CREATE:
  case SIMT_DEVICE_EVENT_CREATE: return create(c);
  case SIMT_DEVICE_STREAM_DESTROY: return destroy_stream(c);
  case SIMT_DEVICE_STREAM_WAIT_EVENT: return wait(c);
  case SIMT_DEVICE_EVENT_RECORD:
  case SIMT_DEVICE_EVENT_RECORD_FLAGS: return record(c);
  case SIMT_DEVICE_EVENT_DESTROY:
    return simt_requests_event(c->core, c->argument[0]) ? simt_cudaSuccess
                                                        : simt_cudaErrorInvalidValue;
  case SIMT_DEVICE_MALLOC: return allocate(c);
  case SIMT_DEVICE_FREE: return release(c);
  case SIMT_DEVICE_COPY:
  case SIMT_DEVICE_COPY_2D: return copy(c);
  case SIMT_DEVICE_SET:
  case SIMT_DEVICE_SET_2D: return set(c);
  case SIMT_DEVICE_ERROR_STRING:
  case SIMT_DEVICE_ERROR_NAME: return ask_text(c);
  default: return ask(c);
  }
}

static uint64_t result_of(caller *c) {
  uint16_t *last = &c->warp->device_error[c->lane];
  const uint64_t before = *last;
  if (c->in->service.call == SIMT_DEVICE_PEEK_LAST_ERROR) return before;
  if (c->in->service.call == SIMT_DEVICE_GET_LAST_ERROR) return *last = 0, before;
  read_arguments(c);
  const int error = carry_out(c);
  if (error) *last = (uint16_t)error;
  return simt_device_call_rows[c->in->service.call].result == 'p' ? c->pointer : (uint64_t)error;
}

bool simt_exec_device_call(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  const bool is_wide = simt_device_call_rows[in->service.call].result == 'p';
  core->effects++;
  simt_held_publish(core, w, mask, ISA_SCOPE_GPU);
  for (SIMT_EACH_LANE(lane, mask)) {
    caller c = {.core = core, .warp = w, .in = in, .lane = lane};
    const uint64_t result = result_of(&c);
    if (c.has_faulted) return false;
    if (is_wide) ((uint64_t *)(void *)(w->regs + in->d))[lane] = result;
    else ((uint32_t *)(void *)(w->regs + in->d))[lane] = (uint32_t)result;
  }
  return true;
}
