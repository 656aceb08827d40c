// SPDX-License-Identifier: MIT
// flags: --default-stream per-thread -lcuda
//
// Stream 0 of the driver API is the calling thread's default stream where a program asks for it:
// captures, attributes, copies, sets, events, launches, callbacks.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <thread>

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

static const char *name_of(CUresult result) {
  const char *name = "?";
  cuGetErrorName(result, &name);
  return name;
}
#define SAY(call) printf("%s: %s\n", #call, name_of(call))

static void work(CUcontext context, CUfunction kernel, int v, int *sum) {
  cuCtxSetCurrent(context);
  CUdeviceptr p, q;
  int host[32] = {};
  cuMemAlloc(&p, sizeof host);
  cuMemAllocAsync(&q, sizeof host, 0);
  cuMemsetD32Async(p, v, 32, 0);
  void *arguments[] = {&p, &v};
  cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0);
  cuMemcpyDtoDAsync(q, p, sizeof host, 0);
  cuMemcpyDtoHAsync(host, q, sizeof host, 0);
  cuStreamSynchronize(0);
  cuMemFreeAsync(q, 0);
  for (int x : host) *sum += x;
  cuMemFree(p);
}

static void count(void *data) { ++*(int *)data; }

int main() {
  cudaFree(0);
  CUcontext context;
  SAY(cuCtxGetCurrent(&context));
  cudaFunction_t kernel;
  cudaGetFuncBySymbol(&kernel, (const void *)add);
  int sums[3] = {}, calls = 0;
  std::thread threads[3];
  for (int i = 0; i < 3; i++)
    threads[i] = std::thread(work, context, (CUfunction)kernel, i + 1, &sums[i]);
  for (auto &t : threads) t.join();
  printf("%d %d %d\n", sums[0], sums[1], sums[2]);

  unsigned long long mine = 0, own = 0, legacy = 0;
  SAY(cuStreamGetId(0, &mine));
  SAY(cuStreamGetId(CU_STREAM_PER_THREAD, &own));
  SAY(cuStreamGetId(CU_STREAM_LEGACY, &legacy));
  printf("%d %d\n", mine == own, mine == legacy);
  CUdeviceptr p;
  cuMemAlloc(&p, 128);
  int v = 5, host[32];
  void *arguments[] = {&p, &v};
  CUgraph graph;
  size_t n = 0;
  SAY(cuStreamBeginCapture(0, CU_STREAM_CAPTURE_MODE_GLOBAL));
  SAY(cuMemsetD32Async(p, 1, 32, 0));
  SAY(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0));
  SAY(cuLaunchHostFunc(0, count, &calls));
  SAY(cuStreamEndCapture(0, &graph));
  SAY(cuGraphGetNodes(graph, nullptr, &n));
  printf("%zu nodes\n", n);
  CUgraphExec exec;
  SAY(cuGraphInstantiate(&exec, graph, 0));
  SAY(cuGraphLaunch(exec, 0));
  CUevent event;
  cuEventCreate(&event, CU_EVENT_DEFAULT);
  SAY(cuEventRecord(event, 0));
  SAY(cuEventSynchronize(event));
  SAY(cuMemcpyDtoH(host, p, 128));
  printf("%d %d\n", host[31], calls);
  CUlaunchConfig config;
  memset(&config, 0, sizeof config);
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;
  SAY(cuLaunchKernelEx(&config, (CUfunction)kernel, arguments, 0));
  SAY(cuStreamWaitEvent(0, event, 0));
  SAY(cuStreamQuery(0) == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : CUDA_SUCCESS);
  SAY(cuStreamSynchronize(0));
  SAY(cuMemcpy(p + 64, p, 64));
  SAY(cuMemcpyDtoH(host, p, 128));
  printf("%d %d\n", host[0], host[16]);
  return 0;
}
