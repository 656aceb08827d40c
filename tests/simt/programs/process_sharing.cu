// SPDX-License-Identifier: MIT
// stderr: cudaMemPoolExportPointer: a software GPU belongs to its process; use threads,
// SIMT_DEVICES hardware: there memory can be given to other processes
//
// What one process gives to another one compiles, and each call is refused with a sentence.
#include <cstdio>
#define SHOW(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

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
  cudaFree(memory);
}
