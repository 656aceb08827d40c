// SPDX-License-Identifier: MIT
//
// Dependencies given twice, cycles, changes of nodes and of executable graphs. The expected
// output is an H100's.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#define E(...)                                                                                     \
  do {                                                                                             \
    cudaError_t e_ = (__VA_ARGS__);                                                                \
    printf("%s -> %s\n", #__VA_ARGS__, cudaGetErrorName(e_));                                      \
  } while (0)
__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
static void CUDART_CB host(void *u) { *(int *)u += 100; }
int main() {
  cudaGraph_t g;
  E(cudaGraphCreate(&g, 0));
  E(cudaGraphCreate(&g, 1));
  E(cudaGraphCreate(nullptr, 0));
  int *d, h[32] = {}, value = 5, counter = 0;
  cudaMalloc(&d, 128);
  cudaGraphNode_t ms, k1, k2, cp, hn, em;
  cudaMemsetParams m = {};
  m.dst = d;
  m.value = 3;
  m.elementSize = 4;
  m.width = 32;
  m.height = 1;
  E(cudaGraphAddMemsetNode(&ms, g, nullptr, 0, &m));
  cudaKernelNodeParams k = {};
  void *args[] = {&d, &value};
  k.func = (void *)add;
  k.gridDim = dim3(1);
  k.blockDim = dim3(32);
  k.kernelParams = args;
  E(cudaGraphAddKernelNode(&k1, g, &ms, 1, &k));
  value = 7;
  E(cudaGraphAddKernelNode(&k2, g, &k1, 1, &k));
  E(cudaGraphAddMemcpyNode1D(&cp, g, &k2, 1, h, d, 128, cudaMemcpyDeviceToHost));
  cudaHostNodeParams hp = {host, &counter};
  E(cudaGraphAddHostNode(&hn, g, &cp, 1, &hp));
  E(cudaGraphAddEmptyNode(&em, g, &hn, 1));
  E(cudaGraphAddDependencies(g, &ms, &k1, nullptr, 1));
  E(cudaGraphAddDependencies(g, &em, &ms, nullptr, 1));
  E(cudaGraphAddDependencies(g, &ms, &ms, nullptr, 1));
  size_t n = 0, roots = 0, edges = 0;
  E(cudaGraphGetNodes(g, nullptr, &n));
  E(cudaGraphGetRootNodes(g, nullptr, &roots));
  E(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
  printf("%zu %zu %zu\n", n, roots, edges);
  std::vector<cudaGraphNode_t> nodes(n);
  E(cudaGraphGetNodes(g, nodes.data(), &n));
  for (auto x : nodes) {
    cudaGraphNodeType t;
    size_t in = 0, out = 0;
    cudaGraphNodeGetType(x, &t);
    cudaGraphNodeGetDependencies(x, nullptr, nullptr, &in);
    cudaGraphNodeGetDependentNodes(x, nullptr, nullptr, &out);
    printf("type %d in %zu out %zu\n", t, in, out);
  }
  cudaGraphExec_t e;
  cudaError_t err = cudaGraphInstantiate(&e, g, 0);
  printf("with a cycle: %s\n", cudaGetErrorName(err));
  E(cudaGraphRemoveDependencies(g, &em, &ms, nullptr, 1));
  E(cudaGraphInstantiate(&e, g, 0));
  for (int i = 0; i < 3; i++) E(cudaGraphLaunch(e, 0));
  E(cudaStreamSynchronize(0));
  printf("%d %d %d\n", h[0], h[31], counter);
  value = 50;
  E(cudaGraphExecKernelNodeSetParams(e, k2, &k));
  hp.userData = &value;
  E(cudaGraphExecHostNodeSetParams(e, hn, &hp));
  m.value = 1000;
  E(cudaGraphExecMemsetNodeSetParams(e, ms, &m));
  E(cudaGraphLaunch(e, 0));
  E(cudaStreamSynchronize(0));
  printf("%d %d %d\n", h[0], counter, value);
  k.blockDim = dim3(5000);
  E(cudaGraphKernelNodeSetParams(k1, &k));
  E(cudaGraphKernelNodeGetParams(k1, &k));
  printf("%d\n", k.blockDim.x);
  E(cudaGraphDestroyNode(em));
  E(cudaGraphDestroyNode(k1));
  E(cudaGraphGetNodes(g, nullptr, &n));
  printf("%zu\n", n);
  E(cudaGraphLaunch(nullptr, 0));
  E(cudaGraphInstantiate(nullptr, g, 0));
  E(cudaGraphExecDestroy(e));
  E(cudaGraphDestroy(g));
  E(cudaGraphDestroy(nullptr));
  E(cudaGraphExecDestroy(nullptr));
  E(cudaGetLastError());
}
