// SPDX-License-Identifier: MIT
//
// Changes of an executable graph: children (of the same shape only), host functions, events;
// edges that make a circle.
#include <cuda_runtime.h>
#include "runtime_calls.h"

static void CUDART_CB say(void *p) { printf("say %s\n", (const char *)p); }
__global__ void put(int *p, int v) { *p = v; }
int main() {
  cudaGraph_t g, c1, c2;
  CK(cudaGraphCreate(&g, 0));
  CK(cudaGraphCreate(&c1, 0));
  CK(cudaGraphCreate(&c2, 0));
  cudaHostNodeParams hp = {say, (void *)"one"};
  cudaGraphNode_t h1, ch, n1, n2, w, r;
  E(cudaGraphAddHostNode(&h1, g, nullptr, 0, &hp));
  cudaHostNodeParams ha = {say, (void *)"child-a"}, hb = {say, (void *)"child-b"};
  E(cudaGraphAddHostNode(&n1, c1, nullptr, 0, &ha));
  E(cudaGraphAddHostNode(&n2, c2, nullptr, 0, &hb));
  E(cudaGraphAddChildGraphNode(&ch, g, &h1, 1, c1));
  cudaEvent_t e1, e2, got;
  CK(cudaEventCreate(&e1));
  CK(cudaEventCreate(&e2));
  E(cudaGraphAddEventRecordNode(&r, g, &ch, 1, e1));
  E(cudaGraphAddEventWaitNode(&w, g, &r, 1, e1));
  cudaGraphExec_t x;
  CK(cudaGraphInstantiate(&x, g, 0));
  CK(cudaGraphLaunch(x, 0));
  CK(cudaDeviceSynchronize());
  E(cudaGraphExecChildGraphNodeSetParams(x, ch, c2));
  hp.userData = (void *)"two";
  E(cudaGraphExecHostNodeSetParams(x, h1, &hp));
  E(cudaGraphExecEventRecordNodeSetEvent(x, r, e2));
  E(cudaGraphExecEventWaitNodeSetEvent(x, w, e2));
  CK(cudaGraphLaunch(x, 0));
  CK(cudaDeviceSynchronize());
  E(cudaEventQuery(e2));
  E(cudaGraphEventWaitNodeGetEvent(w, &got));
  printf("%d\n", got == e1);
  E(cudaGraphEventWaitNodeSetEvent(w, e2));
  E(cudaGraphEventRecordNodeSetEvent(r, e2));
  E(cudaGraphEventRecordNodeGetEvent(r, &got));
  printf("%d\n", got == e2);
  hp.userData = (void *)"three";
  E(cudaGraphHostNodeSetParams(h1, &hp));
  cudaHostNodeParams back;
  E(cudaGraphHostNodeGetParams(h1, &back));
  printf("%s\n", (const char *)back.userData);
  CK(cudaGraphExecDestroy(x));
  CK(cudaGraphInstantiate(&x, g, 0));
  CK(cudaGraphLaunch(x, 0));
  CK(cudaDeviceSynchronize());
  // a child with another shape is refused
  cudaGraphNode_t extra;
  E(cudaGraphAddHostNode(&extra, c2, &n2, 1, &hb));
  E(cudaGraphExecChildGraphNodeSetParams(x, ch, c2));
  E(cudaGraphRemoveDependencies(g, &h1, &ch, nullptr, 1));
  size_t roots = 0;
  CK(cudaGraphGetRootNodes(g, nullptr, &roots));
  printf("roots %zu\n", roots);
  E(cudaGraphAddDependencies(g, &h1, &ch, nullptr, 1));
  E(cudaGraphAddDependencies(g, &w, &h1, nullptr, 1));
  E(cudaGraphInstantiate(&x, g, 0));
  E(cudaGetLastError());
  E(cudaGraphRemoveDependencies(g, &w, &h1, nullptr, 1));
  E(cudaGraphDestroyNode(ch));
  CK(cudaGraphGetRootNodes(g, nullptr, &roots));
  printf("roots %zu\n", roots);
  return 0;
}
