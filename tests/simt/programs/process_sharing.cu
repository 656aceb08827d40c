// SPDX-License-Identifier: MIT
// stderr: cudaMemPoolExportPointer: a software GPU belongs to its process; use threads
// flags: -lcuda
// hardware: there memory can be given to other processes
//
// What one process gives to another one compiles. Handles can be had; what opens them, and those of
// pools, are refused with a sentence.
#include <cuda.h>
#include <cstdio>
#define SHOW(call) printf("%s: %s\n", #call, cudaGetErrorName(call))
static_assert(cudaMemHandleTypeWin32 == 2 && cudaMemHandleTypeWin32Kmt == 4 &&
                  cudaMemHandleTypeFabric == 8,
              "kinds of handles");

int main() {
  void *memory, *opened = nullptr;
  cudaMemPool_t pool, imported;
  cudaMalloc(&memory, 256);
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaIpcMemHandle_t memory_handle;
  cudaMemPoolPtrExportData data = {};
  int descriptor = -1;
  SHOW(cudaIpcGetMemHandle(&memory_handle, memory));
  SHOW(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor,
                                          0));
  SHOW(cudaMemPoolImportFromShareableHandle(&imported, &descriptor,
                                            cudaMemHandleTypePosixFileDescriptor, 0));
  SHOW(cudaMemPoolExportPointer(&data, memory));
  SHOW(cudaMemPoolImportPointer(&opened, pool, &data));
  printf("%zu %s\n", sizeof data, cudaGetErrorName(cudaGetLastError()));

  CUipcMemHandle driver_handle;
  CUmemGenericAllocationHandle generic = 0;
  printf("%d\n", cuIpcGetMemHandle(&driver_handle, (CUdeviceptr)memory));
  printf("%d\n", cuMemExportToShareableHandle(&descriptor, generic,
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  CUmemAllocationProp plain = {};
  plain.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;
  printf("%d\n", plain.allocFlags.compressionType);
  cudaFree(memory);
}
