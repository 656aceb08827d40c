// SPDX-License-Identifier: MIT
// runtime/symbol.c - variables of device code by the names of the host's: where they are, and
// copies to and from them.
#include "runtime/runtime.h"

static cudaError_t find_symbol(rt_context *context, const void *symbol, uint64_t *address,
                               uint64_t *bytes) {
  rt_variable *variable = simt_rt_variable_find(context, symbol);
  if (!variable) return cudaErrorInvalidSymbol;
  cudaError_t error = simt_rt_module_use(context, variable->module);
  if (error) return error;
  simt_status status = simt_module_variable(simt_rt_loaded(context, variable->module),
                                            variable->name, address, bytes);
  if (status == SIMT_OK && variable->is_shared) // managed: one address on both sides
    *address = variable->managed_pointer ? (uintptr_t)*variable->managed_pointer
                                         : (uintptr_t)variable->host_shadow;
  return status == SIMT_OK ? cudaSuccess : cudaErrorInvalidSymbol;
}

cudaError_t simt_rt_symbol_range(rt_context *context, const void *symbol, size_t count,
                                 size_t offset, void **address) {
  uint64_t start = 0, bytes = 0;
  cudaError_t error = find_symbol(context, symbol, &start, &bytes);
  if (error) return error;
  if (offset > bytes || count > bytes - offset) {
    simt_rt_note(context, "copy of %zu bytes at offset %zu of a symbol of %llu bytes", count,
                 offset, (unsigned long long)bytes);
    return cudaErrorInvalidValue;
  }
  *address = (void *)(uintptr_t)(start + offset);
  return cudaSuccess;
}

typedef struct symbol_copy {
  const void *symbol;
  void *host;
  size_t count, offset;
  enum cudaMemcpyKind kind;
  bool to_symbol, waits;
  cudaStream_t stream;
} symbol_copy;

static cudaError_t copy_symbol(const symbol_copy *s) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  enum cudaMemcpyKind against = s->to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
  if (!error && (s->kind == cudaMemcpyHostToHost || s->kind == against))
    error = cudaErrorInvalidMemcpyDirection;
  void *device = NULL;
  if (!error) error = simt_rt_symbol_range(context, s->symbol, s->count, s->offset, &device);
  if (!error) {
    void *dst = s->to_symbol ? device : s->host, *src = s->to_symbol ? s->host : device;
    error = simt_rt_copy_bytes(context, dst, src, s->count, s->kind, s->stream, s->waits);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
  return copy_symbol(
      &(symbol_copy){symbol, (void *)(uintptr_t)src, count, offset, kind, true, true, 0});
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind) {
  return copy_symbol(&(symbol_copy){symbol, dst, count, offset, kind, false, true, 0});
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol(
      &(symbol_copy){symbol, (void *)(uintptr_t)src, count, offset, kind, true, false, stream});
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol(&(symbol_copy){symbol, dst, count, offset, kind, false, false, stream});
}

// What is no symbol is none in any state of the device.
static cudaError_t enter_symbol(rt_context **context, const void *symbol) {
  const cudaError_t error = simt_rt_enter(context);
  return simt_rt_variable_find(*context, symbol) ? error : cudaErrorInvalidSymbol;
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  rt_context *context;
  cudaError_t error = enter_symbol(&context, symbol);
  if (!error && !pointer) error = cudaErrorInvalidValue;
  uint64_t address = 0, bytes = 0;
  if (!error) error = find_symbol(context, symbol, &address, &bytes);
  if (!error) *pointer = (void *)(uintptr_t)address;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  rt_context *context;
  cudaError_t error = enter_symbol(&context, symbol);
  if (!error && !size) error = cudaErrorInvalidValue;
  uint64_t address = 0, bytes = 0;
  if (!error) error = find_symbol(context, symbol, &address, &bytes);
  if (!error) *size = (size_t)bytes;
  return simt_rt_leave(context, error);
}
