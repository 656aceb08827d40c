// SPDX-License-Identifier: MIT
// runtime/driver_memory.c - memory of the driver API beyond the plain calls: pinned and pitched
// memory, copies of planes and boxes, sets in streams, pools, what a pointer is.
#include "runtime/driver.h"

#include <string.h>

static void *pointer_of(CUdeviceptr address) { return (void *)(uintptr_t)address; }

// ---- Allocations.

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                         unsigned int element_bytes) {
  if (address) *address = 0;
  if (!address || !pitch || !width || !height ||
      (element_bytes != 4 && element_bytes != 8 && element_bytes != 16))
    return CUDA_ERROR_INVALID_VALUE;
  IN_CONTEXT(cudaMallocPitch((void **)(void *)address, pitch, width, height));
}
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  IN_CONTEXT(cudaHostAlloc(pointer, bytes, flags));
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *pointer, unsigned int flags) {
  IN_CONTEXT(cudaHostGetDevicePointer((void **)(void *)address, pointer, flags));
}
CUresult cuMemHostGetFlags(unsigned int *flags, void *pointer) {
  IN_CONTEXT(cudaHostGetFlags(flags, pointer));
}
CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned int flags) {
  IN_CONTEXT(cudaHostRegister(pointer, bytes, flags));
}
CUresult cuMemHostUnregister(void *pointer) { IN_CONTEXT(cudaHostUnregister(pointer)); }
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  IN_CONTEXT(cudaMallocAsync((void **)(void *)address, bytes, stream));
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  IN_CONTEXT(cudaMallocFromPoolAsync((void **)(void *)address, bytes, pool, stream));
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  IN_CONTEXT(cudaFreeAsync(pointer_of(address), stream));
}
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props) {
  CHECKED(cudaMemPoolCreate(pool, (const struct cudaMemPoolProps *)(const void *)props));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) { CHECKED(cudaMemPoolDestroy(pool)); }
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  CHECKED(cudaMemPoolTrimTo(pool, bytes));
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  CHECKED(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  CHECKED(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  CHECKED(cudaDeviceGetDefaultMemPool(pool, device));
}
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  CHECKED(cudaDeviceGetMemPool(pool, device));
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  CHECKED(cudaDeviceSetMemPool(device, pool));
}

// ---- Copies.

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  IN_CONTEXT(cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream) {
  if (!to_context) to_context = simt_drv_current();
  if (!from_context) from_context = simt_drv_current();
  if (!simt_drv_is_context(to_context) || !simt_drv_is_context(from_context))
    return CUDA_ERROR_INVALID_CONTEXT;
  IN_CONTEXT(cudaMemcpyPeerAsync(pointer_of(to), to_context->device, pointer_of(from),
                                 from_context->device, bytes, stream));
}

// One side of a copy, as the runtime's structure has it. An array's x counts elements there.
typedef struct side {
  CUmemorytype type;
  void *host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch, height, x, y, z;
} side;

size_t simt_drv_texel_bytes(cudaArray_const_t array) {
  struct cudaChannelFormatDesc d;
  if (INSIDE(cudaGetChannelDesc(&d, array)) != cudaSuccess) return 0;
  return (size_t)(d.x + d.y + d.z + d.w) / 8;
}

static bool set_side(const side *s, size_t width, struct cudaPitchedPtr *memory, cudaArray_t *array,
                     struct cudaPos *pos) {
  *pos = (struct cudaPos){s->x, s->y, s->z};
  if (s->type == CU_MEMORYTYPE_ARRAY) {
    *array = (cudaArray_t)(void *)s->array;
    const size_t bytes = simt_drv_texel_bytes(*array);
    if (bytes) pos->x = s->x / bytes;
    return bytes != 0;
  }
  char *at = s->type == CU_MEMORYTYPE_HOST ? s->host : pointer_of(s->device);
  if (!at) return false;
  pos->x = 0; // bytes here, which the runtime would take for elements of an array
  *memory = (struct cudaPitchedPtr){at + s->x, s->pitch ? s->pitch : width, width, s->height};
  return true;
}

static bool box_of(const side *from, const side *to, struct cudaExtent bytes,
                   struct cudaMemcpy3DParms *p) {
  *p = (struct cudaMemcpy3DParms){.extent = bytes, .kind = cudaMemcpyDefault};
  if (!set_side(from, bytes.width, &p->srcPtr, &p->srcArray, &p->srcPos) ||
      !set_side(to, bytes.width, &p->dstPtr, &p->dstArray, &p->dstPos))
    return false;
  if (p->srcArray || p->dstArray)
    p->extent.width /= simt_drv_texel_bytes(p->srcArray ? p->srcArray : p->dstArray);
  return true;
}

static CUresult copy_box(const struct cudaMemcpy3DParms *p, bool waits, CUstream stream) {
  IN_CONTEXT(waits ? cudaMemcpy3D(p) : cudaMemcpy3DAsync(p, stream));
}

static CUresult copy_plane(const CUDA_MEMCPY2D *c, bool waits, CUstream stream) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  const side from = {c->srcMemoryType,
                     (void *)(uintptr_t)c->srcHost,
                     c->srcDevice,
                     c->srcArray,
                     c->srcPitch,
                     c->Height,
                     c->srcXInBytes,
                     c->srcY,
                     0};
  const side to = {c->dstMemoryType, c->dstHost,  c->dstDevice,
                   c->dstArray,      c->dstPitch, c->Height,
                   c->dstXInBytes,   c->dstY,     0};
  struct cudaMemcpy3DParms p;
  if (!box_of(&from, &to, (struct cudaExtent){c->WidthInBytes, c->Height, 1}, &p))
    return CUDA_ERROR_INVALID_VALUE;
  return copy_box(&p, waits, stream);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy) { return copy_plane(copy, true, NULL); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy) { return copy_plane(copy, true, NULL); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copy_plane(copy, false, stream);
}

bool simt_drv_copy_params(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *out) {
  if (!c) return false;
  const side from = {c->srcMemoryType, (void *)(uintptr_t)c->srcHost,
                     c->srcDevice,     c->srcArray,
                     c->srcPitch,      c->srcHeight,
                     c->srcXInBytes,   c->srcY,
                     c->srcZ};
  const side to = {c->dstMemoryType, c->dstHost,     c->dstDevice, c->dstArray, c->dstPitch,
                   c->dstHeight,     c->dstXInBytes, c->dstY,      c->dstZ};
  return box_of(&from, &to, (struct cudaExtent){c->WidthInBytes, c->Height, c->Depth}, out);
}
static CUresult copy_3d(const CUDA_MEMCPY3D *c, bool waits, CUstream stream) {
  struct cudaMemcpy3DParms p;
  return simt_drv_copy_params(c, &p) ? copy_box(&p, waits, stream) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy) { return copy_3d(copy, true, NULL); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return copy_3d(copy, false, stream);
}

// ---- Memory sets, as graph nodes do them: rows of elements.

static CUresult set_rows(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes,
                         size_t width, size_t height, CUstream stream, bool waits) {
  if (!to || to % element_bytes) return CUDA_ERROR_INVALID_VALUE;
  const struct cudaMemsetParams p = {pointer_of(to), pitch, value, element_bytes, width, height};
  IN_CONTEXT(simt_rt_set_rows(&p, stream, waits));
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
  return set_rows(to, n, value, 1, n, 1, stream, false);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream) {
  return set_rows(to, n * 2, value, 2, n, 1, stream, false);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t n, CUstream stream) {
  return set_rows(to, n * 4, value, 4, n, 1, stream, false);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                      size_t height) {
  return set_rows(to, pitch, value, 1, width, height, NULL, true);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                       size_t height) {
  return set_rows(to, pitch, value, 2, width, height, NULL, true);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                       size_t height) {
  return set_rows(to, pitch, value, 4, width, height, NULL, true);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return set_rows(to, pitch, value, 1, width, height, stream, false);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return set_rows(to, pitch, value, 2, width, height, stream, false);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                            size_t height, CUstream stream) {
  return set_rows(to, pitch, value, 4, width, height, stream, false);
}

// ---- Attributes of pointers.

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  void *start = NULL;
  size_t size = 0;
  if (atomic_load(&simt_drv_is_initialised) && simt_drv_needs_context())
    return simt_drv_needs_context();
  if (INSIDE(simt_rt_range_of(pointer_of(address), &start, &size)) != cudaSuccess)
    return CUDA_ERROR_NOT_FOUND;
  if (base) *base = (CUdeviceptr)(uintptr_t)start;
  if (bytes) *bytes = size;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  struct cudaPointerAttributes a;
  void *start = NULL;
  size_t bytes = 0;
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!data) return CUDA_ERROR_INVALID_VALUE;
  const bool is_range = attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                        attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE;
  if (is_range) memset(data, 0, 8); // also where nothing is known of the pointer
  const cudaError_t error = INSIDE(cudaPointerGetAttributes(&a, pointer_of(address)));
  if (error != cudaSuccess) return simt_drv_result(error);
  if (a.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
  INSIDE(simt_rt_range_of(pointer_of(address), &start, &bytes));
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: simt_drv_primary(data, a.device); break;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(unsigned *)data = a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = address; break;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!a.hostPointer) return CUDA_ERROR_INVALID_VALUE;
    *(void **)data = a.hostPointer;
    break;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(int *)data = 0; break;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)data = (uintptr_t)start; break;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)data = a.type == cudaMemoryTypeManaged; break;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = a.device; break;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(void **)data = start; break;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)data = bytes; break;
  case CU_POINTER_ATTRIBUTE_MAPPED: *(int *)data = 1; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

// For an unknown pointer every attribute is zero.
CUresult cuPointerGetAttributes(unsigned int n, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr address) {
  if (!n || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < n; i++) {
    const bool is_narrow = attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
                           attributes[i] == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
                           attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
                           attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ||
                           attributes[i] == CU_POINTER_ATTRIBUTE_MAPPED;
    memset(data[i], 0, is_narrow ? 4 : 8);
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) *(int *)data[i] = -2;
    cuPointerGetAttribute(data[i], attributes[i], address);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUmemLocation location,
                            unsigned int flags, CUstream stream) {
  const struct cudaMemLocation to = {(enum cudaMemLocationType)location.type, location.id};
  IN_CONTEXT(cudaMemPrefetchAsync(pointer_of(address), bytes, to, flags, stream));
}
CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                     CUmemLocation location) {
  const struct cudaMemLocation to = {(enum cudaMemLocationType)location.type, location.id};
  IN_CONTEXT(cudaMemAdvise(pointer_of(address), bytes, (enum cudaMemoryAdvise)advice, to));
}
