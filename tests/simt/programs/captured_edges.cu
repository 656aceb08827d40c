// SPDX-License-Identifier: MIT
//
// What a captured graph knows of its order: streams that fork and join by events become nodes with
// edges; work that never comes back to the first stream is an error at the end of the capture, and
// a graph cannot be launched into one.
#include <cstdio>
#include <initializer_list>

__global__ void add(int *a, int v) { atomicAdd(a, v); }

static const char *name(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}

static void describe(const char *what, cudaGraph_t graph) {
  size_t nodes = 0, edges = 0, roots = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cudaGraphGetRootNodes(graph, nullptr, &roots);
  printf("%s: %zu nodes, %zu edges, %zu roots\n", what, nodes, edges, roots);
}

int main() {
  int *a, value = 0;
  cudaStream_t s, t;
  cudaEvent_t fork, join;
  cudaGraph_t chain, diamond, outer = nullptr, lost;
  cudaGraphExec_t run_chain, run;
  cudaMalloc(&a, sizeof *a);
  cudaMemset(a, 0, sizeof *a);
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);

  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 3; i++) add<<<1, 1, 0, s>>>(a, 1);
  cudaStreamEndCapture(s, &chain);
  describe("chain", chain);

  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  add<<<1, 1, 0, s>>>(a, 10);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(t, fork, 0);
  add<<<1, 1, 0, t>>>(a, 100);
  add<<<1, 1, 0, s>>>(a, 100);
  cudaEventRecord(join, t);
  cudaStreamWaitEvent(s, join, 0);
  add<<<1, 1, 0, s>>>(a, 1000);
  printf("joined: %s\n", name(cudaStreamEndCapture(s, &diamond)));
  describe("diamond", diamond);

  cudaGraphInstantiate(&run_chain, chain, 0);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  add<<<1, 1, 0, s>>>(a, 10000);
  printf("launch of a graph: %s\n", name(cudaGraphLaunch(run_chain, s)));
  printf("end: %s\n", name(cudaStreamEndCapture(s, &outer)));
  printf("graph: %d\n", outer != nullptr);

  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(t, fork, 0);
  add<<<1, 1, 0, t>>>(a, 7);
  printf("not joined: %s\n", name(cudaStreamEndCapture(s, &lost)));

  for (cudaGraph_t graph : {chain, diamond}) {
    cudaGraphInstantiate(&run, graph, 0);
    cudaGraphLaunch(run, t);
    cudaGraphExecDestroy(run);
  }
  cudaStreamSynchronize(t);
  cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost);
  printf("%d\n", value);
  cudaGraphExecDestroy(run_chain);
  for (cudaGraph_t graph : {chain, diamond}) cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
  cudaFree(a);
}
