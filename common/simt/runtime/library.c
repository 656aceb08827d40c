// SPDX-License-Identifier: MIT
// runtime/library.c - the cudaLibrary… calls, which load modules at run time.
#include "runtime/platform.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget_kernels_of(rt_context *context, const rt_module *module) {
  rt_kernel **link = &context->kernels;
  while (*link) {
    rt_kernel *k = *link;
    if (k->module == module) {
      *link = k->next;
      free(k->name);
      free(k);
    } else {
      link = &k->next;
    }
  }
}

static void free_library(rt_context *context, rt_library *library) {
  forget_kernels_of(context, &library->module);
  simt_rt_module_release(context, &library->module);
  free(library->module.text);
  free(library->module.name);
  free(library);
}

void simt_rt_libraries_reset(rt_context *context) {
  while (context->libraries) {
    rt_library *library = context->libraries;
    context->libraries = library->next;
    free_library(context, library);
  }
}

// ---- Loading.

static bool looks_like_ptx(const char *text, size_t bytes) {
  // After white space and comments, PTX starts with its .version directive.
  for (size_t i = 0; i + 8 <= bytes; i++)
    if (!memcmp(text + i, ".version", 8)) return true;
  return false;
}

// Takes ownership of `text`.
static cudaError_t load_library(rt_context *context, rt_library **out, const char *name, char *text,
                                size_t bytes) {
  rt_library *library = calloc(1, sizeof *library);
  char *name_copy = library ? simt_rt_copy_string(name) : NULL;
  if (!name_copy) {
    free(text);
    free(library);
    return cudaErrorMemoryAllocation;
  }
  library->module = (rt_module){.text = text, .text_bytes = bytes, .name = name_copy};
  library->next = context->libraries;
  context->libraries = library;
  *out = library;
  return cudaSuccess;
}

enum { NEWEST_PTX_MAJOR = 9 };
static bool is_newer_ptx(const char *text) {
  const char *version = strstr(text, ".version");
  return version && strtol(version + sizeof ".version" - 1, NULL, 10) > NEWEST_PTX_MAJOR;
}

// The driver's modules are read at once.
cudaError_t simt_rt_library_read(cudaLibrary_t library) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !looks_like_ptx(library->module.text, library->module.text_bytes))
    error = cudaErrorInvalidKernelImage;
  if (!error) error = simt_rt_module_use(context, &library->module);
  if (error == cudaErrorInvalidPtx && is_newer_ptx(library->module.text))
    error = cudaErrorUnsupportedPtxVersion;
  if (error) {
    rt_library **link = &context->libraries;
    while (*link && *link != library) link = &(*link)->next;
    if (*link) *link = library->next;
    free_library(context, library);
  }
  return simt_rt_leave(context, error);
}

static cudaError_t refuse_options(rt_context *context, unsigned n_jit, unsigned n_library) {
  if (!n_jit && !n_library) return cudaSuccess;
  simt_rt_note(context, "cudaLibraryLoad…: JIT and library options are not supported; pass none");
  return cudaErrorNotSupported;
}

// PTX text given in memory: as it is, or in one of nvcc's containers. Copies it.
static cudaError_t text_of_data(rt_context *context, const void *code, char **text, size_t *bytes) {
  const char *found = code;
  uint32_t magic;
  memcpy(&magic, code, sizeof magic);
  if (magic == UINT32_C(0xba55ed50) || magic == UINT32_C(0x466243b1)) {
    struct {
      uint32_t magic, version;
      const void *data;
      void *unused;
    } wrapper = {UINT32_C(0x466243b1), 1, code, NULL};
    simt_diag diag = {.text = ""};
    if (simt_rt_fatbin_text(magic == wrapper.magic ? code : (void *)&wrapper, &found, bytes,
                            &diag)) {
      simt_rt_say("%s", diag.text);
      return cudaErrorNoKernelImageForDevice;
    }
  } else if (magic == UINT32_C(0x464c457f)) {
    simt_rt_note(context,
                 "cudaLibraryLoadData: this is machine code (cubin); the software GPU loads PTX");
    return cudaErrorNoKernelImageForDevice;
  } else {
    *bytes = strlen(found);
  }
  *text = malloc(*bytes + 1);
  if (!*text) return cudaErrorMemoryAllocation;
  memcpy(*text, found, *bytes);
  (*text)[*bytes] = '\0';
  return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jit,
                                void **jit_values, unsigned n_jit, enum cudaLibraryOption *options,
                                void **option_values, unsigned n_options) {
  (void)jit, (void)jit_values, (void)options, (void)option_values;
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!library || !code)) error = cudaErrorInvalidValue;
  if (!error) error = refuse_options(context, n_jit, n_options);
  char *text = NULL;
  size_t bytes = 0;
  if (!error) error = text_of_data(context, code, &text, &bytes);
  if (!error && !looks_like_ptx(text, bytes)) // known when something of it is asked for
    simt_rt_note(context, "cudaLibraryLoadData: this is not PTX text (no .version directive)");
  if (!error) error = load_library(context, library, "PTX in memory", text, bytes);
  return simt_rt_leave(context, error);
}

static cudaError_t read_file(rt_context *context, const char *path, char **text, size_t *bytes) {
  FILE *file = simt_rt_open_regular(path);
  if (!file) {
    simt_rt_note(context, "cudaLibraryLoadFromFile: cannot open %s", path);
    return cudaErrorFileNotFound;
  }
  size_t capacity = 1 << 16, n = 0, got;
  char *data = malloc(capacity + 1);
  while (data && (got = fread(data + n, 1, capacity - n, file)) > 0) {
    n += got;
    if (n < capacity) continue;
    char *grown = realloc(data, 2 * capacity + 1);
    if (!grown) free(data);
    data = grown;
    capacity *= 2;
  }
  bool failed = ferror(file) != 0;
  fclose(file);
  if (!data) return cudaErrorMemoryAllocation;
  data[n] = '\0';
  if (failed || !looks_like_ptx(data, n)) {
    simt_rt_note(context, "cudaLibraryLoadFromFile: %s %s", path,
                 failed ? "cannot be read" : "is not PTX text (no .version directive)");
    free(data);
    return failed ? cudaErrorFileNotFound : cudaErrorInvalidKernelImage;
  }
  *text = data;
  *bytes = n;
  return cudaSuccess;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                                    enum cudaJitOption *jit, void **jit_values, unsigned n_jit,
                                    enum cudaLibraryOption *options, void **option_values,
                                    unsigned n_options) {
  (void)jit, (void)jit_values, (void)options, (void)option_values;
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!library || !path)) error = cudaErrorInvalidValue;
  if (!error) error = refuse_options(context, n_jit, n_options);
  char *text = NULL;
  size_t bytes = 0;
  if (!error) error = read_file(context, path, &text, &bytes);
  if (!error) error = load_library(context, library, path, text, bytes);
  return simt_rt_leave(context, error);
}

static rt_library **find_library(rt_context *context, cudaLibrary_t library) {
  rt_library **link = &context->libraries;
  while (*link && *link != library) link = &(*link)->next;
  return link;
}

static cudaError_t library_check(rt_context *context, cudaLibrary_t library) {
  return *find_library(context, library) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = library_check(context, library);
  if (!error) {
    simt_rt_synchronize(context);
    rt_library **link = find_library(context, library);
    *link = library->next;
    free_library(context, library);
  }
  return simt_rt_leave(context, error);
}

// The one object that stands for a library's kernel, made when first requested.
static cudaError_t library_kernel(rt_context *context, rt_library *library, const char *name,
                                  cudaKernel_t *out) {
  for (rt_kernel *k = context->kernels; k; k = k->next)
    if (k->module == &library->module && !strcmp(k->name, name)) return *out = k, cudaSuccess;
  *out = simt_rt_kernel_new(context, &library->module, NULL, name);
  return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Every call about one library starts here: the library must exist, and the current device must
// know it.
static cudaError_t enter_library(rt_context **context, cudaLibrary_t library, bool has_arguments) {
  cudaError_t error = simt_rt_enter(context);
  if (!error && !has_arguments) error = cudaErrorInvalidValue;
  if (!error) error = library_check(*context, library);
  if (!error && !looks_like_ptx(library->module.text, library->module.text_bytes))
    error = cudaErrorInvalidKernelImage;
  return error ? error : simt_rt_module_use(*context, &library->module);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
  rt_context *context;
  cudaError_t error = enter_library(&context, library, kernel && name);
  if (!error && !simt_module_kernel(simt_rt_loaded(context, &library->module), name))
    error = cudaErrorSymbolNotFound;
  if (!error) error = library_kernel(context, library, name, kernel);
  return simt_rt_leave(context, error);
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library) {
  rt_context *context;
  cudaError_t error = enter_library(&context, library, count != NULL);
  if (!error) *count = simt_module_n_kernels(simt_rt_loaded(context, &library->module));
  return simt_rt_leave(context, error);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int n,
                                        cudaLibrary_t library) {
  rt_context *context;
  cudaError_t error = enter_library(&context, library, kernels != NULL);
  const simt_module *loaded = error ? NULL : simt_rt_loaded(context, &library->module);
  const uint32_t there = error ? 0 : simt_module_n_kernels(loaded);
  for (uint32_t i = 0; !error && i < n && i < there; i++) {
    simt_kernel_info info;
    simt_kernel_describe(simt_module_kernel_at(loaded, i), &info);
    error = library_kernel(context, library, info.name, &kernels[i]);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library,
                                 const char *name) {
  rt_context *context;
  cudaError_t error = enter_library(&context, library, name && (pointer || bytes));
  uint64_t address = 0, size = 0;
  if (!error && simt_module_variable(simt_rt_loaded(context, &library->module), name, &address,
                                     &size) != SIMT_OK)
    error = cudaErrorSymbolNotFound;
  if (!error && pointer) *pointer = (void *)(uintptr_t)address;
  if (!error && bytes) *bytes = (size_t)size;
  return simt_rt_leave(context, error);
}

cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library,
                                  const char *name) {
  void *address = NULL;
  size_t size = 0;
  cudaError_t error = cudaLibraryGetGlobal(&address, &size, library, name);
  if (error) return error;
  rt_context *context = simt_rt_enter_quietly();
  const simt_allocation *a = simt_memory_find(context->memory, (uintptr_t)address, size);
  if (!a || a->kind != SIMT_ALLOCATION_MANAGED)
    return simt_rt_leave(context, cudaErrorSymbolNotFound);
  if (pointer) *pointer = address;
  if (bytes) *bytes = size;
  return simt_rt_leave(context, cudaSuccess);
}
