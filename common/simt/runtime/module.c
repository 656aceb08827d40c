// SPDX-License-Identifier: MIT
// runtime/module.c - modules at their first use, linked where their device code is relocatable, and
// the look-up of kernels and variables.
//
// A module that cannot be loaded is reported once, naming opcode and line; every later use fails
// with the same error.
#include "runtime/platform.h"
#include "runtime/driver.h"
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

// Kernels may get the host's address of a managed variable.
static void share_address(rt_context *context, rt_variable *v, void *host, uint64_t bytes) {
  simt_diag diag;
  if (!v->is_known) simt_memory_adopt(context->memory, host, bytes, v->name, &diag);
  v->is_shared = v->is_known = true;
  v->size_bytes = (size_t)bytes;
}

static bool belongs_to(const rt_variable *v, const rt_module *module) {
  return v->module == module || v->module->whole == module;
}

// A further device, or the same after a reset, gets the values that the variables have now.
static void move_to_host(rt_context *context, rt_variable *v, uint64_t address, uint64_t bytes,
                         void *host) {
  memcpy(simt_memory_change(context->memory, address, bytes), host, (size_t)bytes);
  simt_memory_rehome(context->memory, address, host);
  share_address(context, v, host, bytes);
}

// From here on the device's variables share the host's bytes, whose address kernels may also get.
static void share_managed(rt_context *context, const rt_module *module) {
  for (rt_variable *v = context->variables; v; v = v->next) {
    uint64_t address, bytes;
    void *host = (void *)(uintptr_t)v->host_shadow;
    if (!belongs_to(v, module) || v->managed_pointer || !simt_rt_is_managed(host) ||
        simt_module_variable(simt_rt_loaded(context, module), v->name, &address, &bytes) != SIMT_OK)
      continue;
    if (v->is_shared) {
      move_to_host(context, v, address, bytes, host);
      continue;
    }
    simt_memory_rehome(context->memory, address, host);
    share_address(context, v, host, bytes);
  }
}

static void set_managed_pointers(rt_context *context, const rt_module *module) {
  for (rt_variable *v = context->variables; v; v = v->next) {
    uint64_t address, bytes;
    if (!belongs_to(v, module) || !v->managed_pointer ||
        simt_module_variable(simt_rt_loaded(context, module), v->name, &address, &bytes) != SIMT_OK)
      continue;
    if (v->is_shared) {
      move_to_host(context, v, address, bytes, *v->managed_pointer);
      continue;
    }
    share_address(context, v,
                  *v->managed_pointer = simt_memory_change(context->memory, address, bytes), bytes);
  }
}

static simt_status text_of(const rt_module *module, ptx_unit *unit, simt_diag *diag) {
  *unit = (ptx_unit){module->name, module->text, module->text_bytes};
  return module->wrapper
             ? simt_rt_fatbin_text(module->wrapper, &unit->text, &unit->text_bytes, diag)
             : SIMT_OK;
}

// The first source file that a text names, for diagnostics; else the module's own name.
static const char *name_of(const ptx_unit *unit, char *out, size_t out_bytes) {
  static const char mark[] = "// source file: "; // simtcc's
  if (!strncmp(unit->text, mark, sizeof mark - 1)) {
    const char *name = unit->text + sizeof mark - 1;
    snprintf(out, out_bytes, "%.*s", (int)strcspn(name, "\n"), name);
    return out;
  }
  for (const char *line = unit->text; line; line = strchr(line, '\n')) {
    line += strspn(line, "\n\t ");
    if (strncmp(line, ".file", 5) != 0) continue;
    const char *open = strchr(line, '"'), *close = open ? strchr(open + 1, '"') : NULL;
    if (!close || memchr(line, '\n', (size_t)(close - line))) continue;
    if (close - open < 4 || memcmp(close - 3, ".cu", 3) != 0) continue;
    const char *base = open + 1;
    for (const char *c = base; c < close; c++)
      if (*c == '/') base = c + 1;
    snprintf(out, out_bytes, "%.*s", (int)(close - base), base);
    return out;
  }
  return unit->name;
}

enum { UNIT_NAME = 128 };

// All units that have joined `whole`, in the order in which they were registered.
static simt_status link_units(rt_context *context, const rt_module *whole, simt_module **loaded,
                              simt_diag *diag) {
  uint32_t n = whole->n_units;
  ptx_unit *units = calloc(n + 1, sizeof *units);
  char(*names)[UNIT_NAME] = calloc(n + 1, sizeof *names);
  simt_status status =
      units && names ? SIMT_OK : simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to link");
  for (const rt_module *m = context->modules; m && status == SIMT_OK; m = m->next) { // latest first
    if (m->whole != whole) continue;
    n--;
    status = text_of(m, &units[n], diag);
    if (status == SIMT_OK) units[n].name = name_of(&units[n], names[n], UNIT_NAME);
  }
  if (status == SIMT_OK)
    status = simt_engine_link(context->engine, whole->name, units, whole->n_units, loaded, diag);
  free(units);
  free(names);
  return status;
}

// The texts that the driver API's linker has put together.
static simt_status link_texts(rt_context *context, const ptx_unit *all, simt_module **loaded,
                              simt_diag *diag) {
  enum { MOST = 64 };
  ptx_unit units[MOST];
  uint32_t n = 0;
  for (const char *at = all->text, *next; at && n < MOST; at = next) {
    next = strstr(at, SIMT_RT_NEXT_UNIT);
    const size_t bytes = next ? (size_t)(next - at) : strlen(at);
    units[n++] = (ptx_unit){.name = all->name, .text = at, .text_bytes = bytes};
    if (next) next += strlen(SIMT_RT_NEXT_UNIT);
  }
  return n == 1 ? simt_engine_load(context->engine, all->name, all->text, all->text_bytes, loaded,
                                   diag)
                : simt_engine_link(context->engine, all->name, units, n, loaded, diag);
}

// The program's text on the current device. On failure *loaded is NULL.
static simt_status load(rt_context *context, const rt_module *module, simt_module **loaded,
                        simt_diag *diag) {
  ptx_unit unit;
  *loaded = NULL;
  simt_status status = SIMT_OK;
  if (module->n_units) {
    status = link_units(context, module, loaded, diag);
  } else {
    status = text_of(module, &unit, diag);
    if (status == SIMT_OK && module->text) status = link_texts(context, &unit, loaded, diag);
    else if (status == SIMT_OK)
      status =
          simt_engine_load(context->engine, unit.name, unit.text, unit.text_bytes, loaded, diag);
  }
  if (status != SIMT_OK) *loaded = NULL;
  return status;
}

cudaError_t simt_rt_module_use(rt_context *context, rt_module *module) {
  if (module->whole) module = module->whole;
  rt_loaded *on = &module->on[context->on->ordinal];
  if (on->tried) return on->error;
  on->tried = true;
  simt_diag diag = {.status = SIMT_OK, .text = ""};
  simt_status status = load(context, module, &on->module, &diag);
  if (status != SIMT_OK) {
    on->error = load_error_of(status);
    if (module->wrapper || module->n_units) context->load_failed = true;
    if (!context->load_diag.status) context->load_diag = diag;
    simt_rt_say("%s: %s", cudaGetErrorName(on->error), diag.text);
    return on->error;
  }
  set_managed_pointers(context, module);
  share_managed(context, module);
  return on->error = cudaSuccess;
}

static void release_on(rt_context *context, rt_loaded *on) {
  simt_engine_unload(context->engine, on->module);
  *on = (rt_loaded){.tried = false};
}

void simt_rt_module_release(rt_context *context, rt_module *module) {
  for (uint32_t d = 0; d < SIMT_MAX_DEVICES; d++) release_on(context, &module->on[d]);
}

// ---- Kernels and variables.

cudaError_t simt_rt_kernel_resolve(rt_context *context, rt_kernel *kernel) {
  rt_kernel_on *on = simt_rt_kernel_on(context, kernel);
  if (on->kernel) return cudaSuccess;
  cudaError_t error = simt_rt_module_use(context, kernel->module);
  if (error) return error;
  on->kernel = simt_module_kernel(simt_rt_loaded(context, kernel->module), kernel->name);
  return on->kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

rt_kernel *simt_rt_kernel_new(rt_context *context, rt_module *module, const void *host_function,
                              const char *name) {
  rt_kernel *kernel = calloc(1, sizeof *kernel);
  char *copy = kernel ? simt_rt_copy_string(name) : NULL;
  if (!copy) return free(kernel), NULL;
  *kernel = (rt_kernel){
      .next = context->kernels, .module = module, .host_function = host_function, .name = copy};
  for (uint32_t d = 0; d < SIMT_MAX_DEVICES; d++)
    kernel->on[d].max_dynamic_shared = kernel->on[d].carveout = -1;
  return context->kernels = kernel;
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
    if (!v->module->unregistered &&
        (v->host_shadow == symbol || (v->managed_pointer && *v->managed_pointer == symbol)))
      return v;
  return NULL;
}

// Managed variables keep their values: their bytes move where they outlive the device's memory.
static void keep_managed(rt_variable *v) {
  v->is_known = false;
  if (!v->is_shared || !v->managed_pointer || v->is_kept) return;
  void *kept = malloc(v->size_bytes);
  if (!kept) return;
  memcpy(kept, *v->managed_pointer, v->size_bytes);
  *v->managed_pointer = kept;
  v->is_kept = true;
}

void simt_rt_modules_reset(rt_context *context, bool libraries) {
  if (libraries) simt_rt_libraries_reset(context);
  simt_findings_set_launch(context->findings, NULL); // it may point into a module
  for (rt_variable *v = context->variables; v && libraries; v = v->next) keep_managed(v);
  const uint32_t d = context->on->ordinal;
  for (rt_module *m = context->modules; m; m = m->next) release_on(context, &m->on[d]);
  for (rt_library *l = context->libraries; l; l = l->next) release_on(context, &l->module.on[d]);
  for (rt_kernel *k = context->kernels; k; k = k->next) k->on[d].kernel = NULL;
}

// ---- Kernel handles.

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !kernel) error = cudaErrorInvalidValue;
  rt_kernel *found = NULL;
  if (!error) error = simt_rt_kernel_find(context, function, &found);
  if (error == cudaErrorInvalidResourceHandle) error = cudaErrorInvalidDeviceFunction;
  if (!error) *kernel = found;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  cudaKernel_t kernel = NULL;
  cudaError_t error = function ? cudaGetKernel(&kernel, symbol) : cudaErrorInvalidValue;
  if (!error) *function = (cudaFunction_t)(void *)kernel;
  return error;
}
