// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Graphs of the driver API: kernels, copies, sets, host functions, children; read back, changed,
// updated, taken from a capture.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void scale(int *p, int by) { p[threadIdx.x] *= by; }

static const char *name_of(CUresult result) {
  const char *name = "?";
  cuGetErrorName(result, &name);
  return name;
}
#define SAY(call) printf("%s: %s\n", #call, name_of(call))

static void count(void *data) { ++*(int *)data; }

enum { N = 4 };
static CUcontext context;
static CUdeviceptr memory;
static int host[N], calls;

static void run(const char *what, CUgraphExec exec, CUstream stream) {
  for (int &value : host) value = 0;
  SAY(cuGraphLaunch(exec, stream));
  SAY(cuStreamSynchronize(stream));
  printf("%s: %d %d, %d calls\n", what, host[0], host[N - 1], calls);
}

int main() {
  CUdevice device;
  CUstream stream;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  cuMemAlloc(&memory, N * sizeof(int));
  cudaFunction_t function;
  cudaGetFuncBySymbol(&function, (const void *)scale);

  CUgraph graph, child, clone;
  CUgraphNode set, kernel, back, call, inner, empty;
  SAY(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS to_three = {memory, 0, 3, 4, N, 1};
  SAY(cuGraphAddMemsetNode(&set, graph, nullptr, 0, &to_three, context));
  int by = 7;
  void *arguments[] = {&memory, &by};
  CUDA_KERNEL_NODE_PARAMS k = {};
  k.func = (CUfunction)function;
  k.gridDimX = k.gridDimY = k.gridDimZ = 1;
  k.blockDimX = N;
  k.blockDimY = k.blockDimZ = 1;
  k.kernelParams = arguments;
  SAY(cuGraphAddKernelNode(&kernel, graph, &set, 1, &k));
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host;
  copy.WidthInBytes = sizeof host;
  copy.Height = copy.Depth = 1;
  SAY(cuGraphAddMemcpyNode(&back, graph, &kernel, 1, &copy, context));
  CUDA_HOST_NODE_PARAMS counts = {count, &calls};
  SAY(cuGraphAddHostNode(&call, graph, &back, 1, &counts));

  size_t n = 0, edges = 0;
  CUgraphNodeType type;
  cuGraphGetNodes(graph, nullptr, &n);
  cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cuGraphNodeGetType(back, &type);
  printf("%zu nodes, %zu edges, type %d\n", n, edges, (int)type);
  CUgraphExec exec;
  SAY(cuGraphInstantiate(&exec, graph, 0));
  run("three by seven", exec, stream);

  by = 5;
  SAY(cuGraphExecKernelNodeSetParams(exec, kernel, &k));
  run("three by five", exec, stream);
  CUDA_KERNEL_NODE_PARAMS read = {};
  SAY(cuGraphKernelNodeGetParams(kernel, &read));
  printf("block %u, function %d\n", read.blockDimX, read.func == k.func);
  CUDA_MEMCPY3D read_copy = {};
  SAY(cuGraphMemcpyNodeGetParams(back, &read_copy));
  printf("%zu bytes, from there: %d\n", read_copy.WidthInBytes, read_copy.srcDevice == memory);
  to_three.value = 4;
  SAY(cuGraphExecMemsetNodeSetParams(exec, set, &to_three, context));
  run("four by five", exec, stream);
  SAY(cuGraphNodeSetEnabled(exec, kernel, 0));
  run("without the kernel", exec, stream);

  by = 11;
  SAY(cuGraphKernelNodeSetParams(kernel, &k));
  CUgraphExecUpdateResultInfo info;
  SAY(cuGraphExecUpdate(exec, graph, &info));
  printf("update: %d\n", (int)info.result);

  SAY(cuGraphClone(&clone, graph));
  SAY(cuGraphCreate(&child, 0));
  SAY(cuGraphAddChildGraphNode(&inner, child, nullptr, 0, clone));
  SAY(cuGraphAddEmptyNode(&empty, child, nullptr, 0));
  SAY(cuGraphAddDependencies(child, &inner, &empty, nullptr, 1));
  CUgraphExec outer;
  SAY(cuGraphInstantiate(&outer, child, 0));
  run("as a child", outer, stream);

  CUgraph captured;
  CUgraphExec again;
  SAY(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  cuMemsetD32Async(memory, 6, N, stream);
  cuMemcpyDtoHAsync(host, memory, sizeof host, stream);
  SAY(cuStreamEndCapture(stream, &captured));
  SAY(cuGraphInstantiate(&again, captured, 0));
  run("captured", again, stream);

  CUgraph with_memory;
  CUgraphNode allocation, use, release;
  CUDA_MEM_ALLOC_NODE_PARAMS wanted = {}, got = {};
  CUDA_MEMSET_NODE_PARAMS read_set = {};
  CUdeviceptr freed = 0;
  wanted.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.bytesize = sizeof host;
  SAY(cuGraphCreate(&with_memory, 0));
  SAY(cuGraphAddMemAllocNode(&allocation, with_memory, nullptr, 0, &wanted));
  to_three.dst = wanted.dptr;
  SAY(cuGraphAddMemsetNode(&use, with_memory, &allocation, 1, &to_three, context));
  SAY(cuGraphAddMemFreeNode(&release, with_memory, &use, 1, wanted.dptr));
  SAY(cuGraphMemAllocNodeGetParams(allocation, &got));
  SAY(cuGraphMemsetNodeGetParams(use, &read_set));
  SAY(cuGraphMemFreeNodeGetParams(release, &freed));
  printf("%d: %zu bytes, set to %u, freed: %d\n", wanted.dptr != 0, got.bytesize, read_set.value,
         got.dptr == wanted.dptr && read_set.dst == wanted.dptr && freed == wanted.dptr);
  cuGraphDestroy(with_memory);

  const CUDA_KERNEL_NODE_PARAMS none = {};
  SAY(cuGraphAddKernelNode(&kernel, graph, nullptr, 0, &none));
  SAY(cuGraphDestroyNode(call));
  for (CUgraphExec e : {exec, outer, again}) cuGraphExecDestroy(e);
  for (CUgraph g : {graph, child, clone, captured}) cuGraphDestroy(g);
  cuMemFree(memory);
  cuStreamDestroy(stream);
}
