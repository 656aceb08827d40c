// SPDX-License-Identifier: MIT
// runtime/device_answers.c - what device code asks of the runtime: whether a launch is possible,
// attributes of the device and of kernels, limits, texts of errors. As an H100 answers.
#include "decode/decode.h"
#include "runtime/children.h"

#include <string.h>

// The device runtime has a version of its own, which no longer changes.
enum { DEVICE_RUNTIME_VERSION = 6000 };

static const rt_module *whole_of(const rt_module *m) { return m->whole ? m->whole : m; }

rt_kernel *simt_rt_kernel_of(rt_context *context, rt_module *module, const simt_kernel *kernel) {
  for (rt_kernel *k = context->kernels; k; k = k->next)
    if (simt_rt_kernel_on(context, k)->kernel == kernel) return k;
  rt_kernel *found = NULL;
  for (rt_kernel *k = context->kernels; k && !found; k = k->next)
    if (whole_of(k->module) == whole_of(module) && !k->module->unregistered &&
        !strcmp(k->name, kernel->name))
      found = k;
  if (!found) found = simt_rt_kernel_new(context, module, NULL, kernel->name);
  return found && !simt_rt_kernel_resolve(context, found) ? found : NULL;
}

static int answer(simt_question *q, const void *value, size_t size_bytes) {
  memcpy(q->answer, value, size_bytes);
  q->answer_bytes = (uint32_t)size_bytes;
  return cudaSuccess;
}

static int answer_number(simt_question *q, int value) { return answer(q, &value, sizeof value); }

// The host's launch has codes of its own for what is wrong with a configuration. Why is said once
// for a grid: all of its threads may make the same mistake.
static int check_launch(rt_asker *who, const simt_question *q) {
  bool *notes = &who->context->options.notes;
  const bool is_explained = *notes;
  rt_launch l = {.kernel = simt_rt_kernel_of(who->context, who->module, q->kernel),
                 .device = who->context->on->ordinal,
                 .grid = {q->grid[0], q->grid[1], q->grid[2]},
                 .block = {q->block[0], q->block[1], q->block[2]},
                 .shared_bytes = q->shared_bytes};
  if (!l.kernel) return cudaErrorMemoryAllocation;
  *notes = is_explained && !who->has_failed;
  const cudaError_t error = simt_rt_launch_check(who->context, &l);
  *notes = is_explained;
  who->has_failed |= error != cudaSuccess;
  return (int)(error == cudaErrorInvalidValue ? cudaErrorInvalidConfiguration : error);
}

static int answer_attribute(const rt_context *context, simt_question *q) {
  int value;
  if (q->in[1] >= context->options.n_devices) return cudaErrorInvalidDevice;
  const cudaError_t error =
      simt_rt_read_attribute(context->device, (enum cudaDeviceAttr)q->in[0], &value);
  return error ? (int)error : answer_number(q, value);
}

static int answer_limit(const rt_context *context, simt_question *q) {
  size_t value = 0;
  const cudaError_t error = simt_rt_read_limit(context, (enum cudaLimit)q->in[0], &value);
  const uint64_t wide = value; // as the device has it
  return error ? (int)error : answer(q, &wide, sizeof wide);
}

static int answer_function(const rt_asker *who, simt_question *q) {
  struct cudaFuncAttributes a;
  rt_kernel *kernel = simt_rt_kernel_of(who->context, who->module, q->kernel);
  if (!kernel) return cudaErrorMemoryAllocation;
  simt_rt_function_describe(who->context, kernel, &a);
  a.maxDynamicSharedSizeBytes = a.preferredShmemCarveout = 0; // which the host sets
  _Static_assert(sizeof a <= SIMT_ANSWER_BYTES, "an answer holds them");
  return answer(q, &a, sizeof a);
}

static int answer_occupancy(const rt_asker *who, simt_question *q) {
  rt_kernel *kernel = simt_rt_kernel_of(who->context, who->module, q->kernel);
  const int threads = (int)q->in[0];
  if (!kernel) return cudaErrorMemoryAllocation;
  if (threads <= 0) return cudaErrorInvalidValue;
  return answer_number(
      q, simt_rt_occupancy(who->context, kernel, (uint32_t)threads, (size_t)q->in[1]));
}

int simt_rt_device_answer(void *asker, simt_question *q) {
  rt_asker *who = asker;
  const rt_context *context = who->context;
  switch ((simt_device_call)q->call) {
  case SIMT_DEVICE_LAUNCH_V2: return check_launch(who, q);
  case SIMT_DEVICE_ERROR_STRING:
    return q->text = cudaGetErrorString((cudaError_t)q->in[0]), cudaSuccess;
  case SIMT_DEVICE_ERROR_NAME:
    return q->text = cudaGetErrorName((cudaError_t)q->in[0]), cudaSuccess;
  case SIMT_DEVICE_GET_DEVICE: return answer_number(q, (int)context->on->ordinal);
  case SIMT_DEVICE_GET_DEVICE_COUNT: return answer_number(q, (int)context->options.n_devices);
  case SIMT_DEVICE_RUNTIME_VERSION: return answer_number(q, DEVICE_RUNTIME_VERSION);
  case SIMT_DEVICE_DEVICE_ATTRIBUTE: return answer_attribute(context, q);
  case SIMT_DEVICE_DEVICE_LIMIT: return answer_limit(context, q);
  case SIMT_DEVICE_CACHE_CONFIG: return answer_number(q, (int)context->on->cache_config);
  case SIMT_DEVICE_SHARED_CONFIG: return answer_number(q, cudaSharedMemBankSizeFourByte);
  case SIMT_DEVICE_FUNCTION_ATTRIBUTES: return answer_function(who, q);
  case SIMT_DEVICE_OCCUPANCY:
  case SIMT_DEVICE_OCCUPANCY_FLAGS: return answer_occupancy(who, q);
  default: return cudaErrorNotSupported;
  }
}
