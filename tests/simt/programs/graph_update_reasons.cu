// SPDX-License-Identifier: MIT
//
// Why cudaGraphExecUpdate() refuses a graph, and which node it names.
#include <cuda_runtime.h>
#include "runtime_calls.h"

__global__ void a(int *p, int v) { *p = *p * 10 + v; }
__global__ void b(int *p, int v) { *p = *p * 10 + v + 5; }
static cudaGraph_t build(int *d, int v, bool second, bool memset_) {
  cudaGraph_t g;
  CK(cudaGraphCreate(&g, 0));
  cudaGraphNode_t n, m, q;
  void *args[] = {&d, &v};
  cudaKernelNodeParams kp = {};
  kp.func = second ? (void *)b : (void *)a;
  kp.gridDim = dim3(1);
  kp.blockDim = dim3(1);
  kp.kernelParams = args;
  CK(cudaGraphAddKernelNode(&n, g, nullptr, 0, &kp));
  if (memset_) {
    cudaMemsetParams mp = {};
    mp.dst = d;
    mp.elementSize = 4;
    mp.width = 1;
    mp.height = 1;
    mp.value = v;
    CK(cudaGraphAddMemsetNode(&m, g, &n, 1, &mp));
  } else {
    CK(cudaGraphAddEmptyNode(&m, g, &n, 1));
  }
  CK(cudaGraphAddKernelNode(&q, g, &m, 1, &kp));
  return g;
}
int main() {
  int *d, h;
  CK(cudaMalloc(&d, 4));
  cudaGraphExec_t x;
  cudaGraph_t g1 = build(d, 1, false, false);
  CK(cudaGraphInstantiate(&x, g1, 0));
  auto run = [&] {
    CK(cudaMemset(d, 0, 4));
    CK(cudaGraphLaunch(x, 0));
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    printf("= %d\n", h);
  };
  run();
  auto upd = [&](cudaGraph_t g) {
    cudaGraphExecUpdateResultInfo r = {};
    cudaError_t e = cudaGraphExecUpdate(x, g, &r);
    printf("%s result %d node %d from %d\n", cudaGetErrorName(e), r.result, r.errorNode != nullptr,
           r.errorFromNode != nullptr);
    cudaGetLastError();
    run();
  };
  upd(build(d, 2, false, false));
  upd(build(d, 3, true, false));
  upd(build(d, 4, false, true));
  cudaGraph_t g = build(d, 5, false, false);
  cudaGraphNode_t nodes[3], e;
  size_t n = 3;
  CK(cudaGraphGetNodes(g, nodes, &n));
  CK(cudaGraphAddEmptyNode(&e, g, nullptr, 0));
  upd(g);
  CK(cudaGraphDestroyNode(e));
  upd(g);
  cudaGraph_t c;
  CK(cudaGraphClone(&c, g));
  upd(c);
  E(cudaGraphAddDependencies(g, &nodes[0], &nodes[2], nullptr, 1));
  upd(g);
  CK(cudaGraphRemoveDependencies(g, &nodes[0], &nodes[2], nullptr, 1));
  cudaGraph_t ms1 = build(d, 1, false, true), ms2 = build(d, 2, false, true);
  CK(cudaGraphExecDestroy(x));
  CK(cudaGraphInstantiate(&x, ms1, 0));
  run();
  upd(ms2);
  n = 3;
  CK(cudaGraphGetNodes(ms2, nodes, &n));
  cudaGraphNodeType ty;
  for (size_t i = 0; i < n; i++) {
    CK(cudaGraphNodeGetType(nodes[i], &ty));
    printf("%d ", ty);
  }
  printf("\n");
  cudaMemsetParams mp;
  for (size_t i = 0; i < n; i++) {
    CK(cudaGraphNodeGetType(nodes[i], &ty));
    if (ty == cudaGraphNodeTypeMemset) {
      CK(cudaGraphMemsetNodeGetParams(nodes[i], &mp));
      mp.elementSize = 2;
      CK(cudaGraphMemsetNodeSetParams(nodes[i], &mp));
    }
  }
  upd(ms2);
  mp.elementSize = 3;
  for (size_t i = 0; i < n; i++) {
    CK(cudaGraphNodeGetType(nodes[i], &ty));
    if (ty == cudaGraphNodeTypeMemset) E(cudaGraphMemsetNodeSetParams(nodes[i], &mp));
  }
  E(cudaGraphExecUpdate(x, nullptr, nullptr));
  E(cudaGraphDestroy(ms2));
  E(cudaGetLastError());
  return 0;
}
