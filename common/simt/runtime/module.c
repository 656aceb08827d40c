// SPDX-License-Identifier: MIT
// runtime/module.c - modules at their first use, and the look-up of kernels and variables.
//
// A module that cannot be loaded is reported once, naming opcode and line; every later use fails
// with the same error.
#include "runtime/platform.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Loading.

static cudaError_t load_error_of(simt_status status) {
  if (status == SIMT_NOT_FOUND) return cudaErrorNoKernelImageForDevice;
  return simt_rt_error_of(status);
}

// Between these the linker puts what simtcc compiles as __managed__: variables of the host whose
// bytes the device's variables share.
extern char __start_simt_managed[] __attribute__((weak));
extern char __stop_simt_managed[] __attribute__((weak));
bool simt_rt_is_managed(const void *host_shadow) {
  const uintptr_t at = (uintptr_t)host_shadow;
  return at >= (uintptr_t)__start_simt_managed && at < (uintptr_t)__stop_simt_managed;
}

// Kernels may be given the address that the host has of a managed variable.
static void share_address(rt_context *context, const rt_variable *v, void *host, uint64_t bytes) {
  simt_diag diag;
  simt_memory_adopt(context->memory, host, bytes, v->name, &diag);
}

// From here on the device's variables have their bytes where the host has its own, which kernels
// may be given the address of, too.
static void share_managed(rt_context *context, const rt_module *module) {
  for (rt_variable *v = context->variables; v; v = v->next) {
    uint64_t address, bytes;
    void *host = (void *)(uintptr_t)v->host_shadow;
    if (v->module != module || v->managed_pointer || !simt_rt_is_managed(host) ||
        simt_module_variable(module->loaded, v->name, &address, &bytes) != SIMT_OK)
      continue;
    simt_memory_rehome(context->memory, address, host);
    share_address(context, v, host, bytes);
  }
}

static void set_managed_pointers(rt_context *context, const rt_module *module) {
  for (rt_variable *v = context->variables; v; v = v->next) {
    uint64_t address, bytes;
    if (v->module == module && v->managed_pointer &&
        simt_module_variable(module->loaded, v->name, &address, &bytes) == SIMT_OK)
      share_address(context, v,
                    *v->managed_pointer = simt_memory_host(context->memory, address, bytes), bytes);
  }
}

cudaError_t simt_rt_module_use(rt_context *context, rt_module *module) {
  if (module->tried) return module->load_error;
  module->tried = true;
  simt_diag diag = {.status = SIMT_OK, .text = ""};
  const char *text = module->text;
  size_t bytes = module->text_bytes;
  simt_status status = SIMT_OK;
  if (module->wrapper) status = simt_rt_fatbin_text(module->wrapper, &text, &bytes, &diag);
  if (status == SIMT_OK)
    status = simt_engine_load(context->engine, module->name, text, bytes, &module->loaded, &diag);
  if (status != SIMT_OK) {
    module->loaded = NULL;
    module->load_error = load_error_of(status);
    if (module->wrapper) context->load_failed = true;
    if (!context->load_diag.status) context->load_diag = diag;
    simt_rt_say("%s: %s", cudaGetErrorName(module->load_error), diag.text);
    return module->load_error;
  }
  set_managed_pointers(context, module);
  share_managed(context, module);
  return module->load_error = cudaSuccess;
}

void simt_rt_module_release(rt_module *module) {
  if (module->loaded) simt_module_unload(module->loaded);
  module->loaded = NULL;
  module->tried = false;
  module->load_error = cudaSuccess;
}

// ---- Kernels and variables.

cudaError_t simt_rt_kernel_resolve(rt_context *context, rt_kernel *kernel) {
  if (kernel->kernel) return cudaSuccess;
  cudaError_t error = simt_rt_module_use(context, kernel->module);
  if (error) return error;
  kernel->kernel = simt_module_kernel(kernel->module->loaded, kernel->name);
  return kernel->kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t simt_rt_kernel_find(rt_context *context, const void *function, rt_kernel **kernel) {
  if (!function) return cudaErrorInvalidDeviceFunction;
  rt_kernel **link = &context->kernels;
  for (rt_kernel *k = *link; k; link = &k->next, k = *link) {
    if ((const void *)k != function && k->host_function != function) continue;
    if (k->module->unregistered) continue;
    *link = k->next; // to the front: programs launch the same kernel again and again
    k->next = context->kernels;
    context->kernels = k;
    *kernel = k;
    return simt_rt_kernel_resolve(context, k);
  }
  return cudaErrorInvalidResourceHandle;
}

rt_variable *simt_rt_variable_find(rt_context *context, const void *symbol) {
  for (rt_variable *v = context->variables; v; v = v->next)
    if (v->host_shadow == symbol && !v->module->unregistered) return v;
  return NULL;
}

// Device state goes; registered kernels stay known and load again at their next use.
void simt_rt_modules_reset(rt_context *context) {
  simt_rt_libraries_reset(context);
  for (rt_module *m = context->modules; m; m = m->next) simt_rt_module_release(m);
  for (rt_kernel *k = context->kernels; k; k = k->next) {
    k->kernel = NULL;
    k->max_dynamic_shared = k->carveout = -1;
  }
}

// ---- Kernel handles.

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !kernel) error = cudaErrorInvalidValue;
  rt_kernel *found = NULL;
  if (!error) error = simt_rt_kernel_find(context, function, &found);
  if (!error) *kernel = found;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  cudaKernel_t kernel = NULL;
  cudaError_t error = function ? cudaGetKernel(&kernel, symbol) : cudaErrorInvalidValue;
  if (!error) *function = (cudaFunction_t)(void *)kernel;
  return error;
}
