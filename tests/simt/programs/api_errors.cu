// SPDX-License-Identifier: MIT
// What the runtime API answers to good and bad calls. The expected output is that of an NVIDIA
// H200 with CUDA 13.
// found: is not the start of an allocation
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__constant__ float table[8];
__device__ int cell = 42;
static int not_a_symbol;

__global__ void empty() {}
__global__ void store(int *p, int v) { p[threadIdx.x] = v; }
__global__ void __launch_bounds__(64) bounded(int *p) { p[threadIdx.x] = 1; }
__global__ void dynamic(int *p) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void fixed_shared(int *p) {
  __shared__ int s[4096];
  extern __shared__ int d[];
  s[threadIdx.x] = d[threadIdx.x] = 1;
  __syncthreads();
  p[0] = s[0] + d[0];
}

static void show(const char *what, cudaError_t error) {
  cudaError_t last = cudaGetLastError();
  printf("%-44s %s%s%s\n", what, cudaGetErrorName(error), last == error ? "" : ", last ",
         last == error ? "" : cudaGetErrorName(last));
}
#define CALL(call) show(#call, call)
#define LAUNCH(...)                                                                                \
  do {                                                                                             \
    __VA_ARGS__;                                                                                   \
    show(#__VA_ARGS__, cudaPeekAtLastError());                                                     \
  } while (0)

int main() {
  int *d = nullptr, *e = nullptr, host[64] = {0}, count = -1;
  void *nothing = nullptr;
  CALL(cudaMalloc((void **)&d, 256));
  CALL(cudaMalloc((void **)&e, 256));
  CALL(cudaMalloc((void **)nullptr, 256));
  CALL(cudaMalloc(&nothing, 0));
  printf("0 bytes: %s\n", nothing ? "pointer" : "null");
  CALL(cudaMalloc(&nothing, (size_t)1 << 50));
  CALL(cudaFree(nullptr));
  CALL(cudaFree(d + 1));
  CALL(cudaFree(host));
  CALL(cudaFreeHost(d));
  CALL(cudaMemcpy(d, host, 256, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(d, host, 0, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(nullptr, host, 0, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(d, host, 4, (cudaMemcpyKind)9));
  CALL(cudaMemcpy(host, d, 4, cudaMemcpyDefault));
  CALL(cudaMemcpy(d, e, 4, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy2D(d, 4, host, 8, 8, 2, cudaMemcpyHostToDevice));
  CALL(cudaMemset(d, 0, 256));
  CALL(cudaMemset(nullptr, 0, 4));
  CALL(cudaMemset(host, 0, 4));
  CALL(cudaMemset2D(d, 50, 0, 100, 2));
  CALL(cudaMemcpy(d, e, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(host, host + 8, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(host, host + 8, 4, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpy(host, host + 8, 4, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpy(host, host + 8, 4, cudaMemcpyDefault));
  CALL(cudaMemcpy(host, d, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(host, d, 4, cudaMemcpyHostToHost));
  CALL(cudaMemcpy(host, d, 1 << 10, cudaMemcpyDeviceToHost));
  CALL(cudaMallocHost(&nothing, 64));
  CALL(cudaFree(nothing));
  CALL(cudaMemset(nothing, 0, 4));
  CALL(cudaMemcpy(nothing, host, 4, cudaMemcpyHostToDevice));
  CALL(cudaFreeHost(nothing));
  CALL(cudaFreeHost(nothing));
  CALL(cudaMallocManaged(&nothing, 64));
  CALL(cudaFreeHost(nothing));
  CALL(cudaFree(nothing));
  CALL(cudaMallocAsync(&nothing, 64, 0));
  CALL(cudaFreeAsync(nothing, 0));
  CALL(cudaMemcpyToSymbol(table, host, 32));
  CALL(cudaMemcpyToSymbol(table, host, 36));
  CALL(cudaMemcpyToSymbol(table, host, 8, 28));
  CALL(cudaMemcpyToSymbol(not_a_symbol, host, 4));
  CALL(cudaMemcpyFromSymbol(host, cell, 4));
  CALL(cudaMemcpyFromSymbol(host, cell, 4, 0, cudaMemcpyHostToDevice));
  CALL(cudaGetSymbolSize((size_t *)&nothing, table));
  CALL(cudaSetDevice(0));
  CALL(cudaSetDevice(99));
  CALL(cudaGetDeviceCount(nullptr));
  CALL(cudaGetDeviceCount(&count));
  CALL(cudaDeviceGetAttribute(&count, cudaDevAttrWarpSize, 0));
  CALL(cudaDeviceGetAttribute(&count, (cudaDeviceAttr)0, 0));
  CALL(cudaDeviceGetAttribute(&count, cudaDevAttrWarpSize, 7));
  cudaPointerAttributes a;
  CALL(cudaPointerGetAttributes(&a, host));
  printf("host: type %d, device %d, device pointer %s, host pointer %s\n", a.type, a.device,
         a.devicePointer ? "set" : "null", a.hostPointer ? "set" : "null");
  CALL(cudaPointerGetAttributes(&a, d + 3));
  printf("device: type %d, device %d, device pointer %s, host pointer %s\n", a.type, a.device,
         a.devicePointer == d + 3 ? "same" : "other", a.hostPointer ? "set" : "null");

  LAUNCH(empty<<<1, 1>>>());
  LAUNCH(empty<<<0, 1>>>());
  LAUNCH(empty<<<1, 0>>>());
  LAUNCH(empty<<<1, 1025>>>());
  LAUNCH(empty<<<1, dim3(1, 1, 65)>>>());
  LAUNCH(empty<<<dim3(1, 65536), 1>>>());
  LAUNCH(empty<<<1, 1, 48 * 1024>>>());
  LAUNCH(empty<<<1, 1, 48 * 1024 + 1>>>());
  LAUNCH(fixed_shared<<<1, 1, 32 * 1024>>>(d));
  LAUNCH(fixed_shared<<<1, 1, 32 * 1024 + 4>>>(d));
  CALL(cudaDeviceSynchronize());
  LAUNCH(bounded<<<1, 64>>>(d));
  LAUNCH(bounded<<<1, 65>>>(d));
  LAUNCH(dynamic<<<1, 32, 100 * 1024>>>(d));
  CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
  LAUNCH(dynamic<<<1, 32, 100 * 1024>>>(d));
  CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 400 * 1024));
  CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  cudaFuncAttributes f;
  CALL(cudaFuncGetAttributes(&f, fixed_shared));
  printf("shared %zu, dynamic %d, threads %d\n", f.sharedSizeBytes, f.maxDynamicSharedSizeBytes,
         f.maxThreadsPerBlock);
  CALL(cudaFuncGetAttributes(&f, bounded));
  printf("shared %zu, dynamic %d, threads %d\n", f.sharedSizeBytes, f.maxDynamicSharedSizeBytes,
         f.maxThreadsPerBlock);
  CALL(cudaFuncGetAttributes(&f, (const void *)host));
  CALL(cudaLaunchKernel((const void *)host, dim3(1), dim3(1), nullptr, 0, 0));
  CALL(cudaLaunchKernel((const void *)nullptr, dim3(1), dim3(1), nullptr, 0, 0));
  int n_blocks = -1;
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, empty, 1024, 0));
  printf("blocks per SM: %d\n", n_blocks);
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, empty, 32, 0));
  printf("blocks per SM: %d\n", n_blocks);
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, empty, 0, 0));
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, fixed_shared, 128, 0));
  printf("blocks per SM: %d\n", n_blocks);
  CALL(cudaLaunchCooperativeKernel((const void *)empty, dim3(1), dim3(32), nullptr, 0, 0));
  CALL(cudaLaunchCooperativeKernel((const void *)empty, dim3(1 << 20), dim3(32), nullptr, 0, 0));

  cudaStream_t s, none = (cudaStream_t)host;
  CALL(cudaStreamCreate(&s));
  CALL(cudaStreamCreate(nullptr));
  CALL(cudaStreamCreateWithFlags(&none, 77));
  CALL(cudaStreamQuery(s));
  CALL(cudaStreamSynchronize(s));
  cudaEvent_t x, y;
  float ms;
  CALL(cudaEventCreate(&x));
  CALL(cudaEventCreateWithFlags(&y, cudaEventDisableTiming));
  CALL(cudaEventQuery(x));
  CALL(cudaEventSynchronize(x));
  CALL(cudaEventElapsedTime(&ms, x, x));
  CALL(cudaEventRecord(x, s));
  CALL(cudaEventRecord(y, s));
  CALL(cudaEventSynchronize(y));
  CALL(cudaEventElapsedTime(&ms, x, x));
  CALL(cudaEventElapsedTime(&ms, x, y));
  CALL(cudaEventDestroy(x));
  CALL(cudaStreamDestroy(nullptr));

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CALL(cudaStreamEndCapture(s, &graph));
  CALL(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
  CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  LAUNCH(store<<<1, 4, 0, s>>>(d, 7));
  CALL(cudaMemcpyAsync(host, d, 16, cudaMemcpyDeviceToHost, s));
  CALL(cudaStreamEndCapture(s, &graph));
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  host[3] = -1;
  CALL(cudaGraphLaunch(exec, s));
  CALL(cudaStreamSynchronize(s));
  printf("graph wrote %d\n", host[3]);
  CALL(cudaGraphExecDestroy(exec));
  CALL(cudaGraphDestroy(graph));
  CALL(cudaStreamDestroy(s));

  cudaLibrary_t library;
  cudaKernel_t kernel;
  CALL(cudaLibraryLoadFromFile(&library, "/nonexistent.ptx", nullptr, nullptr, 0, nullptr, nullptr,
                               0));
  // The text of the call is printed, blanks and all.
  // clang-format off
  CALL(cudaLibraryLoadData(&library,
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n",
      nullptr, nullptr, 0, nullptr, nullptr, 0));
  // clang-format on
  CALL(cudaLibraryGetKernel(&kernel, library, "absent"));
  CALL(cudaLibraryGetKernel(&kernel, library, "k"));
  CALL(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), nullptr, 0, 0));
  CALL(cudaLibraryGetGlobal(&nothing, nullptr, library, "absent"));
  CALL(cudaLibraryUnload(library));
  CALL(cudaDeviceSynchronize());

  LAUNCH(store<<<1, 32>>>((int *)16, 1));
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  CALL(cudaMalloc((void **)&d, 256));
  CALL(cudaFree(e));
  LAUNCH(empty<<<1, 1>>>());
  CALL(cudaMemcpy(host, e, 4, cudaMemcpyDeviceToHost));
  CALL(cudaGetDeviceCount(&count));
  CALL(cudaSetDevice(0));
  CALL(cudaStreamQuery(0));
  CALL(cudaDeviceReset());
  return 0;
}
