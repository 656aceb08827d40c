// SPDX-License-Identifier: MIT
// Streams, events, callbacks and graphs: order of effects, and times that only grow.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void scale(float *x, int n, float f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= f;
}
__global__ void fill(float *x, int n, float v) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = v;
}

static void called(void *data) { ++*(int *)data; }

int main() {
  const int n = 1 << 16;
  float *a, *b, *h;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMallocHost(&h, n * sizeof(float));
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEvent_t begin, mid, end, ready;
  cudaEventCreate(&begin);
  cudaEventCreate(&mid);
  cudaEventCreate(&end);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);

  int calls = 0;
  cudaEventRecord(begin, s);
  fill<<<64, 256, 0, s>>>(a, n, 3.0f);
  cudaEventRecord(mid, s);
  scale<<<64, 256, 0, s>>>(a, n, 2.0f);
  scale<<<64, 256, 0, s>>>(a, n, 2.0f);
  cudaLaunchHostFunc(s, called, &calls);
  cudaEventRecord(end, s);
  cudaEventRecord(ready, s);
  cudaStreamWaitEvent(t, ready, 0);
  cudaMemcpyAsync(b, a, n * sizeof(float), cudaMemcpyDeviceToDevice, t);
  cudaMemcpyAsync(h, b, n * sizeof(float), cudaMemcpyDeviceToHost, t);
  cudaStreamSynchronize(t);
  cudaEventSynchronize(end);
  float first = 0, second = 0, both = 0;
  cudaEventElapsedTime(&first, begin, mid);
  cudaEventElapsedTime(&second, mid, end);
  cudaEventElapsedTime(&both, begin, end);
  printf("%g %g, calls %d, times %s, sum %s\n", h[0], h[n - 1], calls,
         first > 0 && second > 0 ? "grow" : "do not grow",
         both > 0.99f * (first + second) && both < 1.01f * (first + second) + 0.01f
             ? "adds up"
             : "does not add up");

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  fill<<<64, 256, 0, s>>>(a, n, 1.0f);
  cudaEventRecord(ready, s);
  cudaStreamWaitEvent(t, ready, 0);
  cudaMemsetAsync(b, 0, n * sizeof(float), t); // a fork
  cudaEventRecord(mid, t);
  scale<<<64, 256, 0, s>>>(a, n, 5.0f);
  cudaStreamWaitEvent(s, mid, 0); // and its join
  cudaMemcpyAsync(h, a, n * sizeof(float), cudaMemcpyDeviceToHost, s);
  cudaStreamEndCapture(s, &graph);
  printf("captured: h[0] still %g\n", h[0]);
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  for (int i = 0; i < 3; i++) cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  printf("replayed: %g, %zu nodes\n", h[n - 1], nodes);
  cudaMemcpy(h, b, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("forked: %g\n", h[5]);
  cudaGraphExecDestroy(exec);

  int low, high, priority;
  cudaDeviceGetStreamPriorityRange(&low, &high);
  cudaStream_t urgent;
  cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, high);
  cudaStreamGetPriority(urgent, &priority);
  printf("priority %s\n", priority == high ? "kept" : "lost");
  cudaStreamDestroy(urgent);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
