// SPDX-License-Identifier: MIT
// runtime/answers.c - questions whose answers are fixed on a software GPU: what arrays need, what
// is flushed, which atomics a link carries (include/simt_cuda/more_api.h).
#include <string.h>

#include "runtime/arrays.h"

// Those that hardware answers of arrays that may be mapped later only.
cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements,
                                           cudaArray_t array, int device) {
  (void)requirements, (void)array, (void)device;
  return simt_rt_answer(cudaErrorInvalidValue);
}
cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements,
                                        cudaMipmappedArray_t mipmap, int device) {
  (void)requirements, (void)mipmap, (void)device;
  return simt_rt_answer(cudaErrorInvalidValue);
}
cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                                         cudaArray_t array) {
  (void)properties, (void)array;
  return simt_rt_answer(cudaErrorInvalidValue);
}
cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                                                  cudaMipmappedArray_t mipmap) {
  (void)properties, (void)mipmap;
  return simt_rt_answer(cudaErrorInvalidValue);
}
cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned int index) {
  (void)plane, (void)array, (void)index;
  return simt_rt_answer(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                 const struct cudaChannelFormatDesc *desc,
                                                 int device) {
  enum { WIDEST_TEXEL_BYTES = 16 };
  int most = 0;
  const size_t bytes = desc ? simt_rt_texel_bytes(desc) : 0;
  if (!width || !bytes) return simt_rt_answer(cudaErrorInvalidValue);
  if (bytes & (bytes - 1))
    return simt_rt_answer(cudaErrorInvalidChannelDescriptor); // three channels
  const cudaError_t error =
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxTexture1DLinearWidth, device);
  if (!error) *width = (size_t)most * (WIDEST_TEXEL_BYTES / (bytes < 4 ? 4 : bytes));
  return error;
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope) {
  const bool is_known = target == cudaFlushGPUDirectRDMAWritesTargetCurrentDevice &&
                        (scope == cudaFlushGPUDirectRDMAWritesToOwner ||
                         scope == cudaFlushGPUDirectRDMAWritesToAllDevices);
  return is_known ? cudaSuccess
                  : simt_rt_answer(cudaErrorInvalidValue); // nothing is written past us
}

static cudaError_t no_atomics(unsigned *capabilities, const enum cudaAtomicOperation *operations,
                              unsigned count, int device) {
  int n = 0;
  cudaError_t error = cudaGetDeviceCount(&n);
  if (!error && (!capabilities || !operations || !count)) error = cudaErrorInvalidValue;
  if (!error && (device < 0 || device >= n)) error = cudaErrorInvalidDevice;
  if (error) return simt_rt_answer(error);
  memset(capabilities, 0, count * sizeof *capabilities);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                const enum cudaAtomicOperation *operations,
                                                unsigned int count, int device) {
  return no_atomics(capabilities, operations, count, device);
}
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                               const enum cudaAtomicOperation *operations,
                                               unsigned int count, int from, int to) {
  if (from == to) return simt_rt_answer(cudaErrorInvalidDevice);
  const cudaError_t error = no_atomics(capabilities, operations, count, to);
  return error ? error : no_atomics(capabilities, operations, count, from);
}

cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library,
                                          const char *symbol) {
  (void)function, (void)library, (void)symbol;
  return simt_rt_answer(cudaErrorInvalidValue);
}
