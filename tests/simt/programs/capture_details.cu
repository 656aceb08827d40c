// SPDX-License-Identifier: MIT
//
// Captures in detail: dependencies set, events from outside, external ones. The expected output
// is an H100's.
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
__global__ void add(int *p, int v) { *p += v; }
int main() {
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  int *d, h;
  cudaMalloc(&d, 4);
  cudaMemset(d, 0, 4);
  cudaStreamCaptureStatus st;
  unsigned long long id = 77, id2 = 0;
  cudaGraph_t g, g2;
  const cudaGraphNode_t *deps;
  size_t n;
  E(cudaStreamGetCaptureInfo(s, &st, &id, &g, &deps, nullptr, &n));
  printf("%d\n", st);
  E(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  E(cudaStreamGetCaptureInfo(s, &st, &id, &g, &deps, nullptr, &n));
  printf("%d %zu\n", st, n);
  add<<<1, 1, 0, s>>>(d, 1);
  E(cudaStreamGetCaptureInfo(s, &st, &id2, &g, &deps, nullptr, &n));
  printf("%d %zu %d\n", st, n, id == id2);
  cudaGraphNode_t k, dep = deps[0];
  cudaKernelNodeParams p = {};
  int v = 10;
  void *args[] = {&d, &v};
  p.func = (void *)add;
  p.gridDim = p.blockDim = 1;
  p.kernelParams = args;
  E(cudaGraphAddKernelNode(&k, g, &dep, 1, &p));
  E(cudaStreamUpdateCaptureDependencies(s, &k, nullptr, 1, cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, s>>>(d, 100);
  E(cudaStreamUpdateCaptureDependencies(s, &dep, nullptr, 1, cudaStreamAddCaptureDependencies));
  E(cudaStreamGetCaptureInfo(s, &st, &id2, &g, &deps, nullptr, &n));
  printf("%zu\n", n);
  E(cudaStreamUpdateCaptureDependencies(s, &dep, nullptr, 1, 9));
  E(cudaStreamEndCapture(s, &g2));
  printf("%d\n", g == g2);
  E(cudaStreamUpdateCaptureDependencies(s, &dep, nullptr, 1, 0));
  cudaGraphExec_t e;
  E(cudaGraphInstantiate(&e, g2, 0));
  E(cudaGraphLaunch(e, s));
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  printf("%d\n", h);
  cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed;
  E(cudaThreadExchangeStreamCaptureMode(&m));
  printf("%d\n", m);
  E(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  void *q;
  E(cudaMalloc(&q, 4));
  E(cudaThreadExchangeStreamCaptureMode(&m));
  printf("%d\n", m);
  E(cudaStreamEndCapture(s, &g2));
  E(cudaGraphGetNodes(g2, nullptr, &n));
  printf("%zu\n", n);
  E(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  E(cudaStreamIsCapturing(0, &st));
  E(cudaStreamIsCapturing(s, nullptr));
  E(cudaStreamIsCapturing(t, &st));
  printf("%d\n", st);
  cudaEvent_t ev;
  E(cudaEventCreate(&ev));
  E(cudaEventRecord(ev, t));
  E(cudaStreamWaitEvent(s, ev, 0));
  E(cudaStreamEndCapture(s, &g2));
  E(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  E(cudaStreamWaitEvent(s, ev, cudaEventWaitExternal));
  E(cudaEventRecordWithFlags(ev, s, cudaEventRecordExternal));
  E(cudaStreamEndCapture(s, &g2));
  E(cudaGraphGetNodes(g2, nullptr, &n));
  printf("%zu\n", n);
  E(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  E(cudaEventRecord(ev, s));
  float ms;
  E(cudaEventElapsedTime(&ms, ev, ev));
  E(cudaEventSynchronize(ev));
  E(cudaStreamEndCapture(s, &g2));
  E(cudaStreamDestroy(s));
  E(cudaGetLastError());
}
