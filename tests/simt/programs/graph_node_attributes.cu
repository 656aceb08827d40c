// SPDX-License-Identifier: MIT
//
// Attributes of a graph's kernels, copied and read back; nodes that are switched off; neighbours.
#include <cuda_runtime.h>
#include <cstring>
#include "runtime_calls.h"

// launch attributes of graph kernel nodes; enabling and disabling; copy attributes
__global__ void who(int *p, int i) { p[i] += 1; }
int main() {
  int *d, h[3];
  CK(cudaMalloc(&d, 12));
  CK(cudaMemset(d, 0, 12));
  cudaGraph_t g;
  CK(cudaGraphCreate(&g, 0));
  cudaGraphNode_t n[3];
  for (int i = 0; i < 3; i++) {
    void *args[] = {&d, &i};
    cudaKernelNodeParams kp = {};
    kp.func = (void *)who;
    kp.gridDim = dim3(1);
    kp.blockDim = dim3(1);
    kp.kernelParams = args;
    CK(cudaGraphAddKernelNode(&n[i], g, i ? &n[i - 1] : nullptr, i ? 1 : 0, &kp));
  }
  cudaKernelNodeAttrValue v = {};
  v.priority = -2;
  E(cudaGraphKernelNodeSetAttribute(n[0], cudaKernelNodeAttributePriority, &v));
  memset(&v, 0, sizeof v);
  E(cudaGraphKernelNodeGetAttribute(n[0], cudaKernelNodeAttributePriority, &v));
  printf("%d\n", v.priority);
  E(cudaGraphKernelNodeCopyAttributes(n[1], n[0]));
  memset(&v, 0, sizeof v);
  E(cudaGraphKernelNodeGetAttribute(n[1], cudaKernelNodeAttributePriority, &v));
  printf("%d\n", v.priority);
  memset(&v, 0, sizeof v);
  v.cooperative = 1;
  E(cudaGraphKernelNodeSetAttribute(n[2], cudaKernelNodeAttributeCooperative, &v));
  memset(&v, 0, sizeof v);
  E(cudaGraphKernelNodeGetAttribute(n[2], cudaKernelNodeAttributeCooperative, &v));
  printf("%d\n", v.cooperative);
  memset(&v, 0, sizeof v);
  E(cudaGraphKernelNodeGetAttribute(n[0], cudaKernelNodeAttributeClusterDimension, &v));
  printf("%u %u %u\n", v.clusterDim.x, v.clusterDim.y, v.clusterDim.z);
  cudaGraphExec_t x;
  CK(cudaGraphInstantiate(&x, g, 0));
  unsigned on = 9;
  E(cudaGraphNodeGetEnabled(x, n[1], &on));
  printf("%u\n", on);
  E(cudaGraphNodeSetEnabled(x, n[1], 0));
  E(cudaGraphNodeGetEnabled(x, n[1], &on));
  printf("%u\n", on);
  CK(cudaGraphLaunch(x, 0));
  CK(cudaMemcpy(h, d, 12, cudaMemcpyDeviceToHost));
  printf("%d %d %d\n", h[0], h[1], h[2]);
  E(cudaGraphNodeSetEnabled(x, n[1], 1));
  E(cudaGraphNodeSetEnabled(x, n[0], 0));
  CK(cudaGraphLaunch(x, 0));
  CK(cudaMemcpy(h, d, 12, cudaMemcpyDeviceToHost));
  printf("%d %d %d\n", h[0], h[1], h[2]);
  cudaGraphNode_t deps[3];
  size_t count = 3;
  E(cudaGraphNodeGetDependencies(n[2], deps, nullptr, &count));
  printf("%zu %d\n", count, deps[0] == n[1]);
  count = 3;
  E(cudaGraphNodeGetDependentNodes(n[2], deps, nullptr, &count));
  printf("%zu\n", count);
  count = 3;
  E(cudaGraphNodeGetDependentNodes(n[0], deps, nullptr, &count));
  printf("%zu %d\n", count, deps[0] == n[1]);
  return 0;
}
