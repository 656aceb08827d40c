// SPDX-License-Identifier: MIT
//
// Memory that a graph allocates belongs to one executable graph at a time, and is in no child.
#include <cuda_runtime.h>

#include <cstdio>

#define SAY(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  int *memory, *plain;
  cudaMalloc(&plain, 64);
  cudaGraph_t graph, parent, other;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync((void **)&memory, 64, s);
  cudaMemsetAsync(memory, 1, 64, s);
  cudaFreeAsync(memory, s);
  cudaStreamEndCapture(s, &graph);
  cudaGraphExec_t first, second;
  SAY(cudaGraphInstantiate(&first, graph, 0));
  SAY(cudaGraphInstantiate(&second, graph, 0));
  SAY(cudaGraphExecDestroy(first));
  SAY(cudaGraphInstantiate(&second, graph, 0));
  SAY(cudaGraphLaunch(second, s));
  SAY(cudaStreamSynchronize(s));
  cudaGraphCreate(&parent, 0);
  cudaGraphNode_t node;
  SAY(cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, graph));
  SAY(cudaGraphAddMemFreeNode(&node, parent, nullptr, 0, plain));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaFreeAsync(plain, s));
  SAY(cudaStreamEndCapture(s, &other));
  SAY(cudaGraphExecDestroy(second));
  SAY(cudaGraphDestroy(graph));
  cudaFree(plain);
  return 0;
}
