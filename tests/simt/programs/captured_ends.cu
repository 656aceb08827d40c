// SPDX-License-Identifier: MIT
//
// A stream is destroyed while it is captured: before it has joined the stream where the capture
// began, after it, and that stream itself.
#include <cstdio>

__global__ void store(int *p) { *p = 1; }

static void show(const char *what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorName(error));
}

// A capture that begins in `origin` and goes on in `other`.
static void fork(cudaStream_t origin, cudaStream_t other, cudaEvent_t event, int *p) {
  cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal);
  cudaEventRecord(event, origin);
  cudaStreamWaitEvent(other, event, 0);
  store<<<1, 1, 0, other>>>(p);
}

int main() {
  int *p;
  cudaStream_t a, b;
  cudaEvent_t event, joined;
  cudaGraph_t graph = nullptr;
  cudaMalloc(&p, sizeof *p);
  cudaStreamCreate(&a);
  cudaEventCreate(&event);
  cudaEventCreate(&joined);

  cudaStreamCreate(&b);
  fork(a, b, event, p);
  show("not joined", cudaStreamDestroy(b));
  show("end", cudaStreamEndCapture(a, &graph));
  show("last error", cudaGetLastError());

  cudaStreamCreate(&b);
  fork(a, b, event, p);
  cudaEventRecord(joined, b);
  cudaStreamWaitEvent(a, joined, 0);
  show("joined", cudaStreamDestroy(b));
  show("end", cudaStreamEndCapture(a, &graph));
  show("last error", cudaGetLastError());
  cudaGraphDestroy(graph);

  cudaStreamCreate(&b);
  cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);
  store<<<1, 1, 0, b>>>(p);
  show("where it began", cudaStreamDestroy(b));
  show("last error", cudaGetLastError());
  show("allocation", cudaFree(p));
  cudaMalloc(&p, sizeof *p);
  store<<<1, 1>>>(p);
  show("synchronise", cudaDeviceSynchronize());
  cudaFree(p);
}
