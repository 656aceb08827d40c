// SPDX-License-Identifier: MIT
//
// A handle of a condition without its node: the graph cannot be instantiated. The expected
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
__global__ void dec(int *p, cudaGraphConditionalHandle h) {
  int v = --*p;
  cudaGraphSetConditional(h, v > 0);
}
__global__ void work(int *p) { p[1] += 3; }
__global__ void set(cudaGraphConditionalHandle h, int v) { cudaGraphSetConditional(h, v); }
int main() {
  int *d, init[3] = {5, 0, 0}, h[3];
  cudaMalloc(&d, 12);
  cudaMemcpy(d, init, 12, cudaMemcpyHostToDevice);
  cudaGraph_t g;
  cudaGraphCreate(&g, 0);
  cudaGraphConditionalHandle handle, hi;
  E(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
  E(cudaGraphConditionalHandleCreate(&hi, g));
  cudaGraphNodeParams cp = {};
  cp.type = cudaGraphNodeTypeConditional;
  cp.conditional.handle = handle;
  cp.conditional.type = cudaGraphCondTypeWhile;
  cp.conditional.size = 1;
  cudaGraphNode_t node, node2, setn;
  E(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &cp));
  cudaGraph_t body = cp.conditional.phGraph_out[0];
  cudaStream_t s;
  cudaStreamCreate(&s);
  E(cudaStreamBeginCaptureToGraph(s, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  work<<<1, 1, 0, s>>>(d);
  dec<<<1, 1, 0, s>>>(d, handle);
  E(cudaStreamEndCapture(s, nullptr));
  E(cudaGetLastError());
  cudaGraphExec_t e;
  E(cudaGraphInstantiate(&e, g, 0));
  E(cudaGraphLaunch(e, s));
  E(cudaStreamSynchronize(s));
  cudaMemcpy(h, d, 12, cudaMemcpyDeviceToHost);
  printf("%d %d\n", h[0], h[1]);
  cudaGraphNodeType t;
  E(cudaGraphNodeGetType(node, &t));
  printf("%d\n", t);
  for (int v = 0; v < 2; v++) {
    cudaGraph_t q;
    cudaGraphCreate(&q, 0);
    E(cudaGraphConditionalHandleCreate(&hi, q, 0, cudaGraphCondAssignDefault));
    cudaKernelNodeParams k = {};
    void *args[] = {&hi, &v};
    k.func = (void *)set;
    k.gridDim = k.blockDim = 1;
    k.kernelParams = args;
    E(cudaGraphAddKernelNode(&setn, q, nullptr, 0, &k));
    cudaGraphNodeParams ip = {};
    ip.type = cudaGraphNodeTypeConditional;
    ip.conditional.handle = hi;
    ip.conditional.type = cudaGraphCondTypeIf;
    ip.conditional.size = 2;
    E(cudaGraphAddNode(&node2, q, &setn, nullptr, 1, &ip));
    for (int b = 0; b < 2; b++) {
      cudaGraphNode_t m;
      cudaMemsetParams mp = {};
      mp.dst = d + 2;
      mp.value = b ? 222 : 111;
      mp.elementSize = 4;
      mp.width = mp.height = 1;
      E(cudaGraphAddMemsetNode(&m, ip.conditional.phGraph_out[b], nullptr, 0, &mp));
    }
    E(cudaGraphInstantiate(&e, q, 0));
    E(cudaGraphLaunch(e, s));
    E(cudaStreamSynchronize(s));
    cudaMemcpy(h, d, 12, cudaMemcpyDeviceToHost);
    printf("%d\n", h[2]);
  }
  E(cudaGetLastError());
}
