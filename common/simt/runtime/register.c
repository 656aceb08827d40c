// SPDX-License-Identifier: MIT
// runtime/register.c - what compiled CUDA programs call before main: registration of their fat
// binaries, kernels and variables, and the host side of <<<…>>>.
//
// Two compilers, one ABI: clang (14 and later) embeds raw PTX text after the wrapper when simtcc
// tells it to; nvcc (13) embeds a container of images, of which the PTX one with the highest
// architecture is taken. Nothing is parsed here: PTX is read at first use, so that an unreadable
// module fails the call that needs it, with a CUDA error, and not the start of the program.
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC UINT32_C(0x466243b1)
#define CONTAINER_MAGIC UINT32_C(0xba55ed50)
enum { IMAGE_PTX = 1, FLAG_COMPRESSED_LZ4 = 0x2000, FLAG_COMPRESSED_ZSTD = 0x8000 };

typedef struct fatbin_wrapper {
  uint32_t magic, version;
  const void *data;
  void *unused;
} fatbin_wrapper;

typedef struct container_header {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t images_bytes;
} container_header;

typedef struct image_header {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t payload_bytes;
  uint32_t compressed_bytes, options_offset;
  uint16_t minor, major;
  uint32_t arch, name_offset, name_bytes;
  uint64_t flags, reserved, uncompressed_bytes;
} image_header;

// ---- Finding the PTX.

static simt_status container_text(const uint8_t *data, const char **text, size_t *bytes,
                                  simt_diag *diag) {
  container_header container;
  memcpy(&container, data, sizeof container);
  const uint8_t *at = data + container.header_bytes, *end = at + container.images_bytes;
  uint32_t best_arch = 0;
  bool compressed = false;
  *text = NULL;
  while ((size_t)(end - at) >= sizeof(image_header)) {
    image_header image;
    memcpy(&image, at, sizeof image);
    uint64_t left = (uint64_t)(end - at);
    if (image.header_bytes < sizeof image || image.header_bytes > left ||
        image.payload_bytes > left - image.header_bytes)
      return simt_fail(diag, SIMT_SYNTAX_ERROR, "the program's fat binary is damaged");
    const char *payload = (const char *)at + image.header_bytes;
    at += image.header_bytes + image.payload_bytes;
    if (image.kind != IMAGE_PTX) continue;
    if (image.compressed_bytes || image.flags & (FLAG_COMPRESSED_LZ4 | FLAG_COMPRESSED_ZSTD)) {
      compressed = true;
    } else if (!*text || image.arch > best_arch) {
      *text = payload;
      const char *nul = memchr(payload, '\0', (size_t)image.payload_bytes);
      *bytes = nul ? (size_t)(nul - payload) : (size_t)image.payload_bytes;
      best_arch = image.arch;
    }
  }
  if (*text) return SIMT_OK;
  if (compressed)
    return simt_fail(diag, SIMT_UNSUPPORTED,
                     "the program's PTX is compressed: compile with nvcc --no-compress");
  return simt_fail(diag, SIMT_NOT_FOUND,
                   "the program holds machine code but no PTX: compile with nvcc -arch=sm_75, or "
                   "add -gencode arch=compute_75,code=compute_75");
}

simt_status simt_rt_fatbin_text(const void *wrapper, const char **text, size_t *bytes,
                                simt_diag *diag) {
  fatbin_wrapper w;
  memcpy(&w, wrapper, sizeof w);
  if (w.magic != WRAPPER_MAGIC || !w.data)
    return simt_fail(diag, SIMT_SYNTAX_ERROR, "unknown fat binary wrapper 0x%08x", w.magic);
  uint32_t magic;
  memcpy(&magic, w.data, sizeof magic);
  if (magic == CONTAINER_MAGIC) return container_text(w.data, text, bytes, diag);
  *text = w.data;
  *bytes = strlen(w.data);
  if (strstr(w.data, ".version")) return SIMT_OK;
  return simt_fail(diag, SIMT_UNSUPPORTED,
                   "the program's device code is neither PTX text nor an nvcc fat binary: compile "
                   "with simtcc or nvcc");
}

// ---- Registration.

static void out_of_memory(void) { simt_rt_say("out of host memory while registering kernels"); }

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void simt_register_relocatable(void (*callback)(void **), void *wrapper, void *id,
                               void (*unused)(void *));
// nvcc ignores what this returns; clang declares an int, and where calls are checked it must be
// one.
int __cudaRegisterFunction(void **handle, const char *host_function, char *device_function,
                           const char *device_name, int thread_limit, void *tid, void *bid,
                           void *block, void *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host_variable, char *device_address,
                       const char *device_name, int is_extern, size_t size_bytes, int is_constant,
                       int is_global);
void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *device_address,
                              const char *device_name, int is_extern, size_t size_bytes,
                              int is_constant, int is_global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host_function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);

static rt_module *new_module(rt_context *context, const void *wrapper, const char *name) {
  rt_module *module = calloc(1, sizeof *module);
  if (!module) return NULL;
  module->wrapper = wrapper;
  module->name = simt_rt_copy_string(name);
  module->next = context->modules;
  context->modules = module;
  return module;
}

void **__cudaRegisterFatBinary(void *wrapper) {
  rt_context *context = simt_rt_enter_unstarted();
  rt_module *module = new_module(context, wrapper, "embedded PTX");
  if (!module) out_of_memory();
  simt_rt_leave(context, cudaSuccess);
  return (void **)(void *)module;
}

static bool is_loaded(const rt_module *whole) {
  for (uint32_t d = 0; d < SIMT_MAX_DEVICES; d++)
    if (whole->on[d].tried) return true;
  return false;
}

// The linked program that is still open: files that are registered later (by a shared library
// loaded at run time) form a program of their own.
static rt_module *open_whole(rt_context *context) {
  for (rt_module *m = context->modules; m; m = m->next)
    if (m->n_units && !is_loaded(m)) return m;
  return new_module(context, NULL, "linked PTX");
}

// What simtcc -dc and simt-nvcc -dc make of the compilers' __cudaRegisterLinkedBinary...: one file
// of a program with relocatable device code. `callback` registers its kernels and variables.
void simt_register_relocatable(void (*callback)(void **), void *wrapper, void *id,
                               void (*unused)(void *)) {
  (void)id, (void)unused;
  rt_context *context = simt_rt_enter_unstarted();
  rt_module *whole = open_whole(context);
  rt_module *module = whole ? new_module(context, wrapper, "embedded PTX") : NULL;
  if (module) {
    module->whole = whole;
    whole->n_units++;
  } else {
    out_of_memory();
  }
  simt_rt_leave(context, cudaSuccess);
  if (!module) return;
  callback((void **)(void *)module);
}

static bool has_managed(const rt_context *context, const rt_module *module) {
  for (const rt_variable *v = context->variables; v; v = v->next)
    if (v->module == module && !v->managed_pointer && simt_rt_is_managed(v->host_shadow))
      return true;
  return false;
}

// Managed variables that the host has need their values before main: the module is read now.
void __cudaRegisterFatBinaryEnd(void **handle) {
  rt_context *context = simt_rt_enter_unstarted();
  const bool is_wanted = handle && has_managed(context, (rt_module *)(void *)handle);
  simt_rt_leave(context, cudaSuccess);
  if (is_wanted) __cudaInitModule(handle);
}

// The same for relocatable device code, once all of its files are registered: the library is linked
// behind them, so that its constructors come last.
static void __attribute__((constructor)) load_managed(void) {
  rt_context *context = simt_rt_enter_unstarted();
  rt_module *module = context->modules;
  while (module && !(module->whole && has_managed(context, module))) module = module->next;
  simt_rt_leave(context, cudaSuccess);
  if (module) __cudaInitModule((void **)(void *)module);
}

// The program ends, or a shared library is unloaded: its kernels can no longer be launched.
void __cudaUnregisterFatBinary(void **handle) {
  rt_module *module = (rt_module *)(void *)handle;
  if (!module) return;
  rt_context *context = simt_rt_enter_unstarted();
  module->unregistered = true;
  simt_rt_leave(context, cudaSuccess);
}

int __cudaRegisterFunction(void **handle, const char *host_function, char *device_function,
                           const char *device_name, int thread_limit, void *tid, void *bid,
                           void *block, void *grid, int *warp_size) {
  (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
  (void)warp_size;
  rt_context *context = simt_rt_enter_unstarted();
  rt_module *module = (rt_module *)(void *)handle;
  if (!module || !simt_rt_kernel_new(context, module, host_function, device_name)) out_of_memory();
  simt_rt_leave(context, cudaSuccess);
  return 0;
}

static void register_variable(void **handle, const void *host_shadow, void **managed_pointer,
                              const char *device_name) {
  rt_context *context = simt_rt_enter_unstarted();
  rt_variable *variable = handle ? calloc(1, sizeof *variable) : NULL;
  char *name = variable ? simt_rt_copy_string(device_name) : NULL;
  if (!name) {
    out_of_memory();
    free(variable);
  } else {
    *variable = (rt_variable){.next = context->variables,
                              .module = (rt_module *)(void *)handle,
                              .host_shadow = host_shadow,
                              .managed_pointer = managed_pointer,
                              .name = name};
    context->variables = variable;
  }
  simt_rt_leave(context, cudaSuccess);
}

void __cudaRegisterVar(void **handle, char *host_variable, char *device_address,
                       const char *device_name, int is_extern, size_t size_bytes, int is_constant,
                       int is_global) {
  (void)device_address, (void)is_extern, (void)size_bytes, (void)is_constant, (void)is_global;
  register_variable(handle, host_variable, NULL, device_name);
}

void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *device_address,
                              const char *device_name, int is_extern, size_t size_bytes,
                              int is_constant, int is_global) {
  (void)device_address, (void)is_extern, (void)size_bytes, (void)is_constant, (void)is_global;
  register_variable(handle, host_pointer, host_pointer, device_name);
}

// nvcc's host code calls this before it touches a managed variable.
char __cudaInitModule(void **handle) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && handle) error = simt_rt_module_use(context, (rt_module *)(void *)handle);
  simt_rt_leave(context, error);
  return error == cudaSuccess;
}

// ---- Launches as the compilers write them.

// Only names the kernel: whether it can be loaded is known at the launch.
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host_function) {
  rt_context *context = simt_rt_enter_quietly();
  rt_kernel *k = context->kernels;
  while (k && k->host_function != host_function) k = k->next;
  *kernel = k;
  return simt_rt_leave(context, k ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}

enum { MAX_CONFIGURATIONS = 16 }; // nesting: a kernel's argument that launches a kernel
typedef struct configuration {
  dim3 grid, block;
  size_t shared_bytes;
  void *stream;
} configuration;
static _Thread_local configuration configurations[MAX_CONFIGURATIONS];
static _Thread_local int n_configurations;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream) {
  if (n_configurations == MAX_CONFIGURATIONS) return 1;
  configurations[n_configurations++] = (configuration){grid, block, shared_bytes, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                       void *stream) {
  if (!n_configurations) return cudaErrorMissingConfiguration;
  const configuration *c = &configurations[--n_configurations];
  *grid = c->grid;
  *block = c->block;
  *shared_bytes = c->shared_bytes;
  memcpy(stream, &c->stream, sizeof c->stream);
  return cudaSuccess;
}
