// SPDX-License-Identifier: MIT
//
// Nodes of graphs read back, changed, switched off, removed; nodes of events and symbols; nodes
// made from one structure for all kinds; clones and child graphs; objects that live as long as
// graphs.
#include <cstdio>
#include <initializer_list>

__device__ int table[4];
__global__ void add(int *a, int v) { a[threadIdx.x] += v; }
__global__ void scale(int *a, int v) { a[threadIdx.x] *= v; }

static int called;
static void call(void *by) { called += *(int *)by; }
static void destroyed(void *what) { printf("destroyed: %s\n", (const char *)what); }

static const char *name(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}
static int *a, host[4];

static void launch(const char *what, cudaGraphExec_t run) {
  cudaMemset(a, 0, sizeof host);
  cudaError_t error = cudaGraphLaunch(run, 0);
  cudaDeviceSynchronize();
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s: %s, %d %d\n", what, name(error), host[0], host[3]);
}

static cudaKernelNodeParams kernel(void *function, void **arguments) {
  cudaKernelNodeParams p = {};
  p.func = function;
  p.gridDim = dim3(1);
  p.blockDim = dim3(4);
  p.kernelParams = arguments;
  return p;
}

static void params() {
  int one = 1, five = 5, ten = 10;
  void *add_arguments[] = {&a, &one}, *scale_arguments[] = {&a, &ten},
       *five_arguments[] = {&a, &five};
  cudaGraph_t graph;
  cudaGraphNode_t first, second, called_node, list[4];
  cudaGraphCreate(&graph, 0);
  cudaKernelNodeParams p = kernel((void *)add, add_arguments), got = {};
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p);
  p = kernel((void *)scale, scale_arguments);
  cudaGraphAddKernelNode(&second, graph, &first, 1, &p);
  cudaHostNodeParams h = {call, &five}, got_host = {};
  cudaGraphAddHostNode(&called_node, graph, &second, 1, &h);

  printf("kernel: %s", name(cudaGraphKernelNodeGetParams(second, &got)));
  printf(", its own %d, %u threads, argument %d\n", got.func == (void *)scale, got.blockDim.x,
         *(int *)got.kernelParams[1]);
  cudaGraphHostNodeGetParams(called_node, &got_host);
  printf("host: %d %d\n", got_host.fn == call, *(int *)got_host.userData);
  size_t n = 4;
  cudaGraphNodeGetDependencies(second, list, nullptr, &n);
  printf("second behind %zu, the first %d; ", n, list[0] == first);
  n = 4;
  cudaGraphNodeGetDependentNodes(second, list, nullptr, &n);
  printf("before %zu, the host's %d\n", n, list[0] == called_node);

  cudaGraphExec_t run;
  cudaGraphInstantiate(&run, graph, 0);
  launch("as made", run);
  unsigned enabled = 9;
  cudaGraphNodeSetEnabled(run, second, 0);
  cudaGraphNodeGetEnabled(run, second, &enabled);
  launch("second off", run);
  printf("enabled %u, host node: %s\n", enabled,
         name(cudaGraphNodeSetEnabled(run, called_node, 0)));
  cudaGraphNodeSetEnabled(run, second, 1);
  p = kernel((void *)add, five_arguments);
  cudaGraphExecKernelNodeSetParams(run, first, &p);
  launch("fives in the executable", run);
  cudaGraphKernelNodeSetParams(first, &p);
  cudaGraphExecDestroy(run);

  cudaGraph_t clone;
  cudaGraphNode_t in_clone;
  cudaGraphClone(&clone, graph);
  printf("clone: %s\n", name(cudaGraphNodeFindInClone(&in_clone, second, clone)));
  printf("removed: %s\n", name(cudaGraphDestroyNode(in_clone)));
  cudaGraphGetNodes(clone, nullptr, &n);
  printf("clone has %zu, ", n);
  cudaGraphGetEdges(clone, nullptr, nullptr, nullptr, &n);
  printf("%zu edges\n", n);
  cudaGraphInstantiate(&run, clone, 0);
  launch("clone without the second", run);
  cudaGraphExecDestroy(run);
  printf("edge gone: %s, again: ",
         name(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1)));
  printf("%s\n", name(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1)));

  cudaGraph_t outer, inside;
  cudaGraphNode_t child;
  cudaGraphCreate(&outer, 0);
  cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, clone);
  printf("child: %s", name(cudaGraphChildGraphNodeGetGraph(child, &inside)));
  cudaGraphGetNodes(inside, nullptr, &n);
  printf(", a copy %d, %zu nodes\n", inside != clone, n);
  cudaGraphInstantiate(&run, outer, 0);
  launch("child", run);
  cudaGraphExecDestroy(run);
  printf("host called: %d\n", called);
  cudaGraphDestroy(outer);
  cudaGraphDestroy(clone);
  cudaGraphDestroy(graph);
}

static void kinds() {
  cudaGraph_t graph;
  cudaGraphNode_t to, from, record, wait, set;
  cudaEvent_t event, other, got = nullptr;
  int values[4] = {7, 8, 9, 10}, out[4] = {};
  cudaEventCreate(&event);
  cudaEventCreate(&other);
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, table, values, sizeof values, 0,
                                 cudaMemcpyHostToDevice);
  cudaGraphAddEventRecordNode(&record, graph, &to, 1, event);
  cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event);
  cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &wait, 1, out, table, 2 * sizeof(int), 4,
                                   cudaMemcpyDeviceToHost);
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeMemset;
  p.memset.dst = a;
  p.memset.value = 3;
  p.memset.elementSize = 4;
  p.memset.width = 4;
  p.memset.height = 1;
  printf("any kind: %s\n", name(cudaGraphAddNode(&set, graph, &from, nullptr, 1, &p)));
  cudaMemsetParams m = {};
  cudaGraphMemsetNodeGetParams(set, &m);
  printf("set: %u, %u bytes, %zu\n", m.value, m.elementSize, m.width);
  cudaGraphEventRecordNodeGetEvent(record, &got);
  printf("event: %d, ", got == event);
  cudaGraphEventRecordNodeSetEvent(record, other);
  cudaGraphEventRecordNodeGetEvent(record, &got);
  printf("changed: %d\n", got == other);
  for (cudaGraphNode_t node : {to, record, wait, set}) {
    cudaGraphNodeType type;
    cudaGraphNodeGetType(node, &type);
    printf("%d ", type);
  }
  cudaGraphExec_t run;
  cudaGraphInstantiateParams with = {};
  printf("\ninstantiate: %s", name(cudaGraphInstantiateWithParams(&run, graph, &with)));
  printf(", %d\n", with.result_out);
  launch("kinds", run);
  printf("%d %d, event %s\n", out[0], out[1], name(cudaEventQuery(other)));
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
  cudaEventDestroy(event);
  cudaEventDestroy(other);
}

static void objects() {
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaUserObject_t object;
  cudaGraphNode_t empty;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddEmptyNode(&empty, graph, nullptr, 0);
  printf("object: %s, ", name(cudaUserObjectCreate(&object, (void *)"object", destroyed, 1,
                                                   cudaUserObjectNoDestructorSync)));
  printf("retained: %s\n",
         name(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove)));
  cudaGraphInstantiate(&run, graph, 0);
  cudaGraphDestroy(graph);
  printf("graph gone\n");
  cudaGraphExecDestroy(run);
  cudaDeviceSynchronize();
}

int main() {
  cudaMalloc(&a, sizeof host);
  params();
  kinds();
  objects();
  cudaFree(a);
}
