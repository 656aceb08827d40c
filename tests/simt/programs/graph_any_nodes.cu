// SPDX-License-Identifier: MIT
//
// Nodes of several kinds through cudaGraphAddNode(): added, changed in the graph and in an
// executable graph, refused.
#include <cuda_runtime.h>
#include "runtime_calls.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void mul(int *p, int v) { p[threadIdx.x] *= v; }
static void CUDART_CB hostfn(void *u) { printf("host node %d\n", *(int *)u); }
int main() {
  int *d, h[4];
  CK(cudaMalloc(&d, 16));
  cudaGraph_t g;
  CK(cudaGraphCreate(&g, 0));
  cudaGraphNode_t ms, k1, k2, cp, hn;
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeMemset;
  p.memset.dst = d;
  p.memset.elementSize = 4;
  p.memset.width = 4;
  p.memset.height = 1;
  p.memset.value = 5;
  p.memset.pitch = 0;
  E(cudaGraphAddNode(&ms, g, nullptr, nullptr, 0, &p));
  int v = 3;
  void *args[] = {&d, &v};
  cudaGraphNodeParams k = {};
  k.type = cudaGraphNodeTypeKernel;
  k.kernel.func = (void *)add;
  k.kernel.gridDim = dim3(1);
  k.kernel.blockDim = dim3(4);
  k.kernel.kernelParams = args;
  E(cudaGraphAddNode(&k1, g, &ms, nullptr, 1, &k));
  int w = 10;
  void *args2[] = {&d, &w};
  k.kernel.func = (void *)mul;
  k.kernel.kernelParams = args2;
  E(cudaGraphAddNode(&k2, g, &k1, nullptr, 1, &k));
  cudaGraphNodeParams c = {};
  c.type = cudaGraphNodeTypeMemcpy;
  c.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(d, 16, 16, 1);
  c.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(h, 16, 16, 1);
  c.memcpy.copyParams.extent = make_cudaExtent(16, 1, 1);
  c.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  E(cudaGraphAddNode(&cp, g, &k2, nullptr, 1, &c));
  int tag = 42;
  cudaGraphNodeParams hp = {};
  hp.type = cudaGraphNodeTypeHost;
  hp.host.fn = hostfn;
  hp.host.userData = &tag;
  E(cudaGraphAddNode(&hn, g, &cp, nullptr, 1, &hp));
  cudaGraphExec_t x;
  CK(cudaGraphInstantiate(&x, g, 0));
  CK(cudaGraphLaunch(x, 0));
  CK(cudaDeviceSynchronize());
  printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
  w = 7;
  E(cudaGraphNodeSetParams(k2, &k));
  v = 100;
  cudaGraphNodeParams u = {};
  u.type = cudaGraphNodeTypeKernel;
  u.kernel.func = (void *)add;
  u.kernel.gridDim = dim3(1);
  u.kernel.blockDim = dim3(2);
  u.kernel.kernelParams = args;
  E(cudaGraphExecNodeSetParams(x, k1, &u));
  CK(cudaGraphLaunch(x, 0));
  CK(cudaDeviceSynchronize());
  printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
  u.type = cudaGraphNodeTypeMemset;
  E(cudaGraphExecNodeSetParams(x, k1, &u));
  CK(cudaGraphExecDestroy(x));
  CK(cudaGraphInstantiate(&x, g, 0));
  CK(cudaGraphLaunch(x, 0));
  CK(cudaDeviceSynchronize());
  printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
  size_t n = 0;
  CK(cudaGraphGetNodes(g, nullptr, &n));
  printf("nodes %zu\n", n);
  cudaGraphNodeParams bad = {};
  cudaGraphNode_t q;
  E(cudaGraphAddNode(&q, g, nullptr, nullptr, 0, &bad));
  E(cudaGraphAddNode(&q, g, nullptr, nullptr, 0, nullptr));
  return 0;
}
