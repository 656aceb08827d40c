// SPDX-License-Identifier: MIT
//
// Memory that graphs allocate: by nodes, by capture, freed by the graph or outside of it.
#include <cstdio>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
__global__ void sum(const int *p, int *out) { atomicAdd(out, p[threadIdx.x]); }

static const char *name(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}
static int *out;

static int result() {
  int value = -1;
  cudaDeviceSynchronize();
  cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}
static unsigned long long used(cudaGraphMemAttributeType what) {
  unsigned long long bytes = 99;
  cudaDeviceGetGraphMemAttribute(0, what, &bytes);
  return bytes;
}

static void captured(cudaStream_t s) {
  cudaGraph_t graph;
  cudaGraphExec_t run;
  int *p = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  printf("allocate: %s", name(cudaMallocAsync(&p, 128, s)));
  printf(", an address %d\n", p != nullptr);
  fill<<<1, 32, 0, s>>>(p, 3);
  sum<<<1, 32, 0, s>>>(p, out);
  printf("free: %s\n", name(cudaFreeAsync(p, s)));
  printf("end: %s\n", name(cudaStreamEndCapture(s, &graph)));
  cudaGraphNode_t nodes[8];
  size_t n = 8;
  cudaGraphGetNodes(graph, nodes, &n);
  for (size_t i = 0; i < n; i++) {
    cudaGraphNodeType type;
    cudaGraphNodeGetType(nodes[i], &type);
    printf("%d ", type);
  }
  cudaGraphInstantiate(&run, graph, 0);
  for (int i = 0; i < 3; i++) cudaGraphLaunch(run, s);
  printf(": %d\n", result());
  printf("used %llu, reserved some %d\n", used(cudaGraphMemAttrUsedMemCurrent),
         used(cudaGraphMemAttrReservedMemHigh) > 0);
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}

static void by_nodes(cudaStream_t s, unsigned long long flags) {
  cudaGraph_t graph;
  cudaGraphNode_t allocated, filled, summed;
  cudaGraphExec_t run;
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = 128;
  cudaGraphCreate(&graph, 0);
  printf("node: %s", name(cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &p)));
  printf(", an address %d\n", p.dptr != nullptr);
  int one = 1;
  void *fill_arguments[] = {&p.dptr, &one}, *sum_arguments[] = {&p.dptr, &out};
  cudaKernelNodeParams k = {};
  k.gridDim = dim3(1);
  k.blockDim = dim3(32);
  k.func = (void *)fill;
  k.kernelParams = fill_arguments;
  cudaGraphAddKernelNode(&filled, graph, &allocated, 1, &k);
  k.func = (void *)sum;
  k.kernelParams = sum_arguments;
  cudaGraphAddKernelNode(&summed, graph, &filled, 1, &k);
  cudaMemset(out, 0, sizeof *out);
  printf("instantiate: %s\n", name(cudaGraphInstantiate(&run, graph, flags)));
  printf("launch: %s, ", name(cudaGraphLaunch(run, s)));
  printf("%d\n", result());
  int first = 0;
  printf("still there: %s", name(cudaMemcpy(&first, p.dptr, sizeof first, cudaMemcpyDeviceToHost)));
  printf(", %d\n", first);
  printf("again: %s, ", name(cudaGraphLaunch(run, s)));
  printf("%d\n", result());
  printf("freed outside: %s\n", name(cudaFreeAsync(p.dptr, s)));
  printf("once more: %s, ", name(cudaGraphLaunch(run, s)));
  printf("%d\n", result());
  printf("freed: %s\n", name(cudaFree(p.dptr)));
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&out, sizeof *out);
  cudaMemset(out, 0, sizeof *out);
  captured(s);
  by_nodes(s, 0);
  by_nodes(s, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  printf("trim: %s, ", name(cudaDeviceGraphMemTrim(0)));
  printf("reserved %llu\n", used(cudaGraphMemAttrReservedMemCurrent));
  cudaFree(out);
  cudaStreamDestroy(s);
}
