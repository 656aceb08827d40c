// SPDX-License-Identifier: MIT
// runtime/outside.c - what belongs to other programs and to graphics libraries, and is refused
// (include/simt_cuda/outside.h).
#include "runtime/runtime.h"

// Nothing can have been imported or registered: what a program gives back is no handle.
static cudaError_t no_handle(const void *handle) {
  (void)handle;
  return simt_rt_answer(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *memory,
                                     const struct cudaExternalMemoryHandleDesc *desc) {
  return simt_rt_answer(memory && desc ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t *semaphore,
                                        const struct cudaExternalSemaphoreHandleDesc *desc) {
  return simt_rt_answer(semaphore && desc ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
cudaError_t cudaExternalMemoryGetMappedBuffer(void **pointer, cudaExternalMemory_t memory,
                                              const struct cudaExternalMemoryBufferDesc *desc) {
  (void)pointer, (void)desc;
  return no_handle(memory);
}
cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap, cudaExternalMemory_t memory,
                                          const struct cudaExternalMemoryMipmappedArrayDesc *desc) {
  (void)mipmap, (void)desc;
  return no_handle(memory);
}
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t memory) { return no_handle(memory); }
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore) {
  return no_handle(semaphore);
}
cudaError_t
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                  const struct cudaExternalSemaphoreSignalParams *params,
                                  unsigned int n, cudaStream_t stream) {
  (void)params, (void)n, (void)stream;
  return no_handle(semaphores);
}
cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                            const struct cudaExternalSemaphoreWaitParams *params,
                                            unsigned int n, cudaStream_t stream) {
  (void)params, (void)n, (void)stream;
  return no_handle(semaphores);
}

cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
  return no_handle(resource);
}
cudaError_t cudaGraphicsMapResources(int n, cudaGraphicsResource_t *resources,
                                     cudaStream_t stream) {
  (void)n, (void)stream;
  return no_handle(resources);
}
cudaError_t cudaGraphicsUnmapResources(int n, cudaGraphicsResource_t *resources,
                                       cudaStream_t stream) {
  (void)n, (void)stream;
  return no_handle(resources);
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void **pointer, size_t *bytes,
                                                 cudaGraphicsResource_t resource) {
  (void)pointer, (void)bytes;
  return no_handle(resource);
}
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                  cudaGraphicsResource_t resource,
                                                  unsigned int index, unsigned int level) {
  (void)array, (void)index, (void)level;
  return no_handle(resource);
}
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags) {
  (void)flags;
  return no_handle(resource);
}
