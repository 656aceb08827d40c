// SPDX-License-Identifier: MIT
// api_templates.h - the typed C++ forms of runtime calls, as in CUDA's cuda_runtime.h.
#ifndef SIMT_CUDA_API_TEMPLATES_H
#define SIMT_CUDA_API_TEMPLATES_H

#include "../cuda_runtime_api.h"

// ---- Memory of a typed pointer.
template <typename T> static inline cudaError_t cudaMalloc(T **pointer, size_t size) {
  return cudaMalloc((void **)(void *)pointer, size);
}
template <typename T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0) {
  return cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <typename T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags) {
  return cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <typename T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
  return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <typename T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)(void *)pointer, size, flags);
}
template <typename T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
  return cudaMallocAsync((void **)(void *)pointer, size, stream);
}
template <typename T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}
static inline cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size, pool, stream);
}
template <typename T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}
template <typename T, typename U>
static inline cudaError_t cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes,
                                               size_t count, struct cudaMemcpyAttributes *attrs,
                                               size_t *indexes, size_t n, cudaStream_t stream) {
  return cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count, attrs,
                              indexes, n, stream);
}
template <typename T, typename U>
static inline cudaError_t cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes,
                                               size_t count, struct cudaMemcpyAttributes attrs,
                                               cudaStream_t stream) {
  size_t index = 0;
  return cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count, &attrs,
                              &index, 1, stream);
}
template <typename T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}

// ---- Symbols: device and constant variables named directly.
template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <typename T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <typename T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count,
                                                  size_t offset, enum cudaMemcpyKind kind,
                                                  cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <typename T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count,
                                                    size_t offset, enum cudaMemcpyKind kind,
                                                    cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <typename T>
static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
  return cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <typename T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
  return cudaGetSymbolSize(size, (const void *)&symbol);
}

// ---- Events with flags.
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}

// ---- Kernels as typed functions.
template <typename T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                           size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return cudaLaunchKernel((const void *)function, grid, block, arguments, shared_bytes, stream);
}
template <typename T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block,
                                                      void **arguments, size_t shared_bytes = 0,
                                                      cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared_bytes,
                                     stream);
}
template <typename T> struct simt_same { typedef T type; };
template <typename... Params>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Params...),
                                             typename simt_same<Params>::type... values) {
  void *arguments[] = {(void *)&values..., nullptr};
  return cudaLaunchKernelExC(config, (const void *)kernel, arguments);
}
template <typename T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                                T *function) {
  return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <typename T>
static inline cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attribute,
                                               int value) {
  return cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <typename T>
static inline cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config) {
  return cudaFuncSetCacheConfig((const void *)function, config);
}
template <typename T> static inline cudaError_t cudaGetKernel(cudaKernel_t *kernel, T *function) {
  return cudaGetKernel(kernel, (const void *)function);
}

// ---- Occupancy.
template <typename T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
                                                                        int block_size,
                                                                        size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block_size,
                                                       shared_bytes);
}
template <typename T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int block_size,
                                                       size_t shared_bytes, unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function,
                                                                block_size, shared_bytes, flags);
}

// The block size with the highest occupancy (the largest of them), and the fewest blocks that fill
// the device with it. `shared_bytes_of(block_size)` gives a block's dynamic shared memory.
template <typename Function, typename SharedOf>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid, int *best_block,
                                                        Function function, SharedOf shared_bytes_of,
                                                        int limit = 0, unsigned int flags = 0) {
  if (!min_grid || !best_block || !function) return cudaErrorInvalidValue;
  struct cudaFuncAttributes attributes;
  int device, n_sm, threads_per_sm, best_threads = 0;
  cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)function);
  if (!error) error = cudaGetDevice(&device);
  if (!error) error = cudaDeviceGetAttribute(&n_sm, cudaDevAttrMultiProcessorCount, device);
  if (!error)
    error = cudaDeviceGetAttribute(&threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (error) return error;
  int most = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < most) most = limit;
  *min_grid = *best_block = 0;
  for (int rounded = (most + 31) / 32 * 32; rounded > 0; rounded -= 32) {
    int block = rounded < most ? rounded : most, blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, (const void *)function, block, (size_t)shared_bytes_of(block), flags);
    if (error) return error;
    if (block * blocks > best_threads) {
      best_threads = block * blocks;
      *best_block = block;
      *min_grid = blocks * n_sm;
    }
    if (best_threads == threads_per_sm) break;
  }
  return cudaSuccess;
}
template <typename Function>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                                    Function *function, int blocks,
                                                                    int threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)function, blocks, threads);
}
template <typename Function>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, Function *function,
                                                         const cudaLaunchConfig_t *config) {
  return cudaOccupancyMaxActiveClusters(clusters, (const void *)function, config);
}
template <typename Function>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *cluster_size,
                                                               Function *function,
                                                               const cudaLaunchConfig_t *config) {
  return cudaOccupancyMaxPotentialClusterSize(cluster_size, (const void *)function, config);
}
struct simt_fixed_shared_bytes {
  size_t bytes;
  size_t operator()(int) const { return bytes; }
};
template <typename Function, typename SharedOf>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *best_block, Function function,
                                               SharedOf shared_bytes_of, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, best_block, function,
                                                                 shared_bytes_of, limit);
}
template <typename Function>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *best_block, Function function,
                                   size_t shared_bytes = 0, int limit = 0) {
  simt_fixed_shared_bytes fixed = {shared_bytes};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, best_block, function,
                                                                 fixed, limit);
}

template <typename Function>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *best_block, Function function,
                                            size_t shared_bytes = 0, int limit = 0, unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSize(min_grid, best_block, function, shared_bytes, limit);
}

// As before CUDA 12: the place of an error had parameters of its own.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *error_node, char *log,
                                               size_t log_bytes) {
  if (error_node) *error_node = NULL;
  if (log && log_bytes) *log = '\0';
  return cudaGraphInstantiate(exec, graph, 0ull);
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                              cudaGraphNode_t *error_node,
                                              enum cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info;
  const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  if (error_node) *error_node = info.errorNode;
  if (result) *result = info.result;
  return error;
}

#endif
