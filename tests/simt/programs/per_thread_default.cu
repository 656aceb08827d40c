// SPDX-License-Identifier: MIT
// flags: --default-stream=per-thread
//
// Stream 0 as the calling thread's own: captures, threads, the legacy stream by its name. The
// expected output is an H100's.
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
#include <thread>
__global__ void add(int *p, int v) { atomicAdd(p, v); }
int main() {
  int *d, h = 0;
  cudaMalloc(&d, 16);
  cudaMemset(d, 0, 16);
  add<<<1, 8>>>(d, 2);
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  printf("%d\n", h);
  cudaStreamCaptureStatus st;
  cudaGraph_t g;
  E(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
  add<<<1, 1>>>(d, 5);
  E(cudaStreamIsCapturing(cudaStreamPerThread, &st));
  printf("%d\n", st);
  E(cudaStreamIsCapturing(0, &st));
  printf("%d\n", st);
  E(cudaStreamEndCapture(cudaStreamPerThread, &g));
  size_t n;
  E(cudaGraphGetNodes(g, nullptr, &n));
  printf("%zu\n", n);
  cudaGraphExec_t e;
  E(cudaGraphInstantiate(&e, g, 0));
  E(cudaGraphLaunch(e, 0));
  E(cudaStreamSynchronize(0));
  std::thread a([&] {
    for (int i = 0; i < 10; i++) add<<<1, 1>>>(d + 1, 1);
    cudaStreamSynchronize(0);
  });
  std::thread b([&] {
    for (int i = 0; i < 10; i++) add<<<1, 1>>>(d + 2, 2);
    cudaStreamSynchronize(cudaStreamPerThread);
  });
  a.join();
  b.join();
  int r[4];
  E(cudaMemcpy(r, d, 16, cudaMemcpyDeviceToHost));
  printf("%d %d %d %d\n", r[0], r[1], r[2], r[3]);
  unsigned fl;
  E(cudaStreamGetFlags(0, &fl));
  printf("%u\n", fl);
  cudaEvent_t ev;
  E(cudaEventCreate(&ev));
  E(cudaEventRecord(ev));
  E(cudaStreamWaitEvent(cudaStreamLegacy, ev, 0));
  add<<<1, 1, 0, cudaStreamLegacy>>>(d, 1);
  E(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, cudaStreamLegacy));
  E(cudaStreamSynchronize(cudaStreamLegacy));
  printf("%d\n", h);
  E(cudaStreamQuery(0));
  E(cudaGetLastError());
}
