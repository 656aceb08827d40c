// SPDX-License-Identifier: MIT
// runtime/driver_batches.c - what include/simt_cuda/driver_batches.h declares, in terms of the
// runtime.
#include "runtime/driver.h"

#include <string.h>

// A structure that the runtime has under another name, with the same members.
#define SAME(type, pointer) ((type *)(void *)(uintptr_t)(pointer))

// A list of addresses is a list of pointers, but not on a host of 32 bits (the book's pages).
enum { ARE_POINTERS = sizeof(CUdeviceptr) == sizeof(void *) };
#define NEEDS_POINTERS()                                                                           \
  if (!ARE_POINTERS) return CUDA_ERROR_NOT_SUPPORTED

_Static_assert(sizeof(CUmemcpyAttributes) == sizeof(struct cudaMemcpyAttributes), "the same");
_Static_assert(!ARE_POINTERS ||
                   sizeof(CUDA_MEMCPY3D_BATCH_OP) == sizeof(struct cudaMemcpy3DBatchOp),
               "the same");
_Static_assert(sizeof(CUmemLocation) == sizeof(struct cudaMemLocation), "the same");
_Static_assert(sizeof(CUdeviceptr) >= sizeof(void *), "an address is a number");

CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *indexes, size_t n,
                            CUstream stream) {
  NEEDS_POINTERS();
  IN_CONTEXT(cudaMemcpyBatchAsync(SAME(void *, dsts), SAME(const void *, srcs), sizes, count,
                                  SAME(struct cudaMemcpyAttributes, attributes), indexes, n,
                                  stream));
}
CUresult cuMemcpy3DBatchAsync(size_t n, CUDA_MEMCPY3D_BATCH_OP *list, unsigned long long flags,
                              CUstream stream) {
  NEEDS_POINTERS();
  IN_CONTEXT(cudaMemcpy3DBatchAsync(n, SAME(struct cudaMemcpy3DBatchOp, list), flags, stream));
}
CUresult cuMemPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count,
                                 CUmemLocation *places, size_t *indexes, size_t n,
                                 unsigned long long flags, CUstream stream) {
  NEEDS_POINTERS();
  IN_CONTEXT(cudaMemPrefetchBatchAsync(SAME(void *, pointers), sizes, count,
                                       SAME(struct cudaMemLocation, places), indexes, n, flags,
                                       stream));
}
CUresult cuMemDiscardBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count,
                                unsigned long long flags, CUstream stream) {
  NEEDS_POINTERS();
  IN_CONTEXT(cudaMemDiscardBatchAsync(SAME(void *, pointers), sizes, count, flags, stream));
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count,
                                           CUmemLocation *places, size_t *indexes, size_t n,
                                           unsigned long long flags, CUstream stream) {
  NEEDS_POINTERS();
  IN_CONTEXT(cudaMemDiscardAndPrefetchBatchAsync(SAME(void *, pointers), sizes, count,
                                                 SAME(struct cudaMemLocation, places), indexes, n,
                                                 flags, stream));
}

// All addresses are of one space, so that contexts add nothing but that they must be there.
static CUresult copy_peers(const CUDA_MEMCPY3D_PEER *p, CUstream stream, bool waits) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D copy = {.srcXInBytes = p->srcXInBytes,
                              .srcY = p->srcY,
                              .srcZ = p->srcZ,
                              .srcMemoryType = p->srcMemoryType,
                              .srcHost = p->srcHost,
                              .srcDevice = p->srcDevice,
                              .srcArray = p->srcArray,
                              .srcPitch = p->srcPitch,
                              .srcHeight = p->srcHeight,
                              .dstXInBytes = p->dstXInBytes,
                              .dstY = p->dstY,
                              .dstZ = p->dstZ,
                              .dstMemoryType = p->dstMemoryType,
                              .dstHost = p->dstHost,
                              .dstDevice = p->dstDevice,
                              .dstArray = p->dstArray,
                              .dstPitch = p->dstPitch,
                              .dstHeight = p->dstHeight,
                              .WidthInBytes = p->WidthInBytes,
                              .Height = p->Height,
                              .Depth = p->Depth};
  if (!simt_drv_is_context(p->srcContext) || !simt_drv_is_context(p->dstContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  return waits ? cuMemcpy3D(&copy) : cuMemcpy3DAsync(&copy, stream);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy) { return copy_peers(copy, NULL, true); }
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
  return copy_peers(copy, stream, false);
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *place,
                                CUmemAllocationType type) {
  CHECKED(cudaMemGetDefaultMemPool(pool, SAME(struct cudaMemLocation, place),
                                   (enum cudaMemAllocationType)type));
}
CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *place, CUmemAllocationType type) {
  CHECKED(cudaMemGetMemPool(pool, SAME(struct cudaMemLocation, place),
                            (enum cudaMemAllocationType)type));
}
CUresult cuMemSetMemPool(CUmemLocation *place, CUmemAllocationType type, CUmemoryPool pool) {
  CHECKED(cudaMemSetMemPool(SAME(struct cudaMemLocation, place), (enum cudaMemAllocationType)type,
                            pool));
}

// ---- Questions.

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format,
                                            unsigned int channels, CUdevice device) {
  const int low = (int)format & 7; // 1, 2, 3: 8, 16, 32 bits
  const int bits = format == CU_AD_FORMAT_HALF ? 16 : format == CU_AD_FORMAT_FLOAT ? 32 : 4 << low;
  const int next = channels > 1 ? bits : 0, last = channels > 2 ? bits : 0;
  const struct cudaChannelFormatDesc desc = {bits, next, last, last, cudaChannelFormatKindFloat};
  if (!width || !channels || channels > 4 || channels == 3) return CUDA_ERROR_INVALID_VALUE;
  if (format != CU_AD_FORMAT_HALF && format != CU_AD_FORMAT_FLOAT && (low < 1 || low > 3))
    return CUDA_ERROR_INVALID_VALUE;
  CHECKED(cudaDeviceGetTexture1DLinearMaxWidth(width, &desc, device));
}

CUresult cuDeviceGetProperties(CUdevprop *out, CUdevice device) {
  static const struct {
    size_t at;
    CUdevice_attribute attribute;
  } parts[] = {
      {offsetof(CUdevprop, maxThreadsPerBlock), CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {offsetof(CUdevprop, maxThreadsDim[0]), CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
      {offsetof(CUdevprop, maxThreadsDim[1]), CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
      {offsetof(CUdevprop, maxThreadsDim[2]), CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
      {offsetof(CUdevprop, maxGridSize[0]), CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
      {offsetof(CUdevprop, maxGridSize[1]), CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
      {offsetof(CUdevprop, maxGridSize[2]), CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
      {offsetof(CUdevprop, sharedMemPerBlock), CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
      {offsetof(CUdevprop, totalConstantMemory), CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY},
      {offsetof(CUdevprop, SIMDWidth), CU_DEVICE_ATTRIBUTE_WARP_SIZE},
      {offsetof(CUdevprop, memPitch), CU_DEVICE_ATTRIBUTE_MAX_PITCH},
      {offsetof(CUdevprop, regsPerBlock), CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
      {offsetof(CUdevprop, clockRate), CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
      {offsetof(CUdevprop, textureAlign), CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT}};
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; !result && i < sizeof parts / sizeof *parts; i++)
    result = cuDeviceGetAttribute((int *)(void *)((char *)out + parts[i].at), parts[i].attribute,
                                  device);
  return result;
}

CUresult cuDeviceGetExecAffinitySupport(int *is_supported, CUexecAffinityType type,
                                        CUdevice device) {
  int any = 0;
  if (!is_supported || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = cuDeviceGetAttribute(&any, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  if (!result) *is_supported = 0;
  return result;
}

// An identifier of Windows.
CUresult cuDeviceGetLuid(char *luid, unsigned int *mask, CUdevice device) {
  int any = 0;
  const CUresult result = cuDeviceGetAttribute(&any, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  (void)luid, (void)mask;
  return result ? result : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                    CUflushGPUDirectRDMAWritesScope scope) {
  IN_CONTEXT(cudaDeviceFlushGPUDirectRDMAWrites((enum cudaFlushGPUDirectRDMAWritesTarget)target,
                                                (enum cudaFlushGPUDirectRDMAWritesScope)scope));
}
