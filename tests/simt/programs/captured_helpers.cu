// SPDX-License-Identifier: MIT
//
// A function that is captured makes a stream and events of its own, joins the stream again and
// destroys all three before the capture ends.
#include <cstdio>

__global__ void add(int *a, int v) { atomicAdd(a, v); }

static void helper(int *a, cudaStream_t stream) {
  cudaStream_t own;
  cudaEvent_t fork, join;
  cudaStreamCreate(&own);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(own, fork, 0);
  add<<<1, 1, 0, own>>>(a, 10);
  add<<<1, 1, 0, stream>>>(a, 100);
  cudaEventRecord(join, own);
  cudaStreamWaitEvent(stream, join, 0);
  printf("stream: %s\n", cudaGetErrorName(cudaStreamDestroy(own)));
  printf("event: %s\n", cudaGetErrorName(cudaEventDestroy(fork)));
  printf("event: %s\n", cudaGetErrorName(cudaEventDestroy(join)));
}

int main() {
  int *a, value = 0;
  cudaStream_t stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t run;
  size_t nodes = 0;
  cudaMalloc(&a, sizeof value);
  cudaMemset(a, 0, sizeof value);
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  helper(a, stream);
  add<<<1, 1, 0, stream>>>(a, 1000);
  helper(a, stream);
  printf("end: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphInstantiate(&run, graph, 0);
  for (int i = 0; i < 3; i++) cudaGraphLaunch(run, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost);
  printf("%zu nodes, %d\n", nodes, value);
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(a);
}
