// SPDX-License-Identifier: MIT
//
// Graphs built node by node: dependencies, all kinds of nodes, a child graph, questions, changes of
// an executable graph, an update, a clone.
#include <cstdio>

__global__ void fill(int *a, int value) { a[threadIdx.x] = value + threadIdx.x; }
__global__ void scale(int *a, int by) { a[threadIdx.x] *= by; }
__global__ void sum(const int *a, const int *b, int *out) {
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

static void count(void *data) { ++*(int *)data; }

static cudaKernelNodeParams kernel(void *function, void **arguments) {
  cudaKernelNodeParams p = {};
  p.func = function;
  p.gridDim = dim3(1);
  p.blockDim = dim3(8);
  p.kernelParams = arguments;
  return p;
}

static void show(const char *what, cudaError_t error, const int *values) {
  printf("%s: %s", what, cudaGetErrorName(error));
  for (int i = 0; i < 8; i++) printf(" %d", values[i]);
  printf("\n");
}

int main() {
  int *a, *b, *out, host[8] = {}, counted = 0, ten = 10, hundred = 100, two = 2, three = 3;
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);

  // fill a -> scale a -\
  //                      sum -> copy -> count
  // set b  -> (empty) --/
  cudaGraphNode_t filled, scaled, set, joined, summed, copied, called;
  void *fill_arguments[] = {&a, &ten}, *scale_arguments[] = {&a, &two},
       *sum_arguments[] = {&a, &b, &out};
  cudaKernelNodeParams p = kernel((void *)fill, fill_arguments);
  cudaGraphAddKernelNode(&filled, graph, nullptr, 0, &p);
  p = kernel((void *)sum, sum_arguments);
  cudaGraphAddKernelNode(&summed, graph, nullptr, 0, &p); // its dependencies come later
  p = kernel((void *)scale, scale_arguments);
  cudaGraphAddKernelNode(&scaled, graph, &filled, 1, &p);
  cudaMemsetParams m = {};
  m.dst = b;
  m.elementSize = 4;
  m.value = 1000;
  m.width = 8;
  m.height = 1;
  cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &m);
  cudaGraphAddEmptyNode(&joined, graph, &set, 1);
  cudaGraphNode_t from[] = {scaled, joined}, to[] = {summed, summed};
#if defined(CUDART_VERSION) && CUDART_VERSION >= 13000
  cudaError_t error = cudaGraphAddDependencies(graph, from, to, nullptr, 2);
#else
  cudaError_t error = cudaGraphAddDependencies(graph, from, to, 2);
#endif
  printf("dependencies: %s\n", cudaGetErrorName(error));
  cudaGraphAddMemcpyNode1D(&copied, graph, &summed, 1, host, out, sizeof host,
                           cudaMemcpyDeviceToHost);
  cudaHostNodeParams h = {count, &counted};
  cudaGraphAddHostNode(&called, graph, &copied, 1, &h);

  size_t n_nodes = 0, n_roots = 0, n_edges = 0;
  cudaGraphGetNodes(graph, nullptr, &n_nodes);
  cudaGraphGetRootNodes(graph, nullptr, &n_roots);
#if defined(CUDART_VERSION) && CUDART_VERSION >= 13000
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &n_edges);
#else
  cudaGraphGetEdges(graph, nullptr, nullptr, &n_edges);
#endif
  printf("nodes %zu, roots %zu, edges %zu\n", n_nodes, n_roots, n_edges);
  cudaGraphNode_t all[] = {filled, set, joined, copied, called};
  for (cudaGraphNode_t node : all) {
    cudaGraphNodeType type;
    cudaGraphNodeGetType(node, &type);
    printf("type %d\n", (int)type);
  }

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraphExec_t exec;
  error = cudaGraphInstantiate(&exec, graph, 0);
  printf("instantiate: %s\n", cudaGetErrorName(error));
  cudaGraphLaunch(exec, stream);
  error = cudaStreamSynchronize(stream);
  show("first", error, host);

  fill_arguments[1] = &hundred;
  p = kernel((void *)fill, fill_arguments);
  error = cudaGraphExecKernelNodeSetParams(exec, filled, &p);
  printf("set kernel: %s\n", cudaGetErrorName(error));
  m.value = 7;
  error = cudaGraphExecMemsetNodeSetParams(exec, set, &m);
  printf("set memset: %s\n", cudaGetErrorName(error));
  cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
  error = cudaStreamSynchronize(stream);
  show("changed", error, host);

  // The graph itself changes; the executable one follows by an update.
  scale_arguments[1] = &three;
  p = kernel((void *)scale, scale_arguments);
  cudaGraphKernelNodeSetParams(scaled, &p);
  cudaGraphExecUpdateResultInfo info = {};
  error = cudaGraphExecUpdate(exec, graph, &info);
  printf("update: %s %d\n", cudaGetErrorName(error), (int)info.result);
  cudaGraphLaunch(exec, stream);
  error = cudaStreamSynchronize(stream);
  show("updated", error, host);

  // A graph within a graph, of a clone.
  cudaGraph_t clone, outer;
  cudaGraphClone(&clone, graph);
  cudaGraphCreate(&outer, 0);
  cudaGraphNode_t child, last;
  cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, clone);
  cudaGraphAddHostNode(&last, outer, &child, 1, &h);
  cudaGraphExec_t outer_exec;
  error = cudaGraphInstantiate(&outer_exec, outer, 0);
  printf("outer: %s\n", cudaGetErrorName(error));
  cudaGraphLaunch(outer_exec, stream);
  error = cudaStreamSynchronize(stream);
  show("child", error, host);
  printf("counted %d\n", counted);
  cudaGraphExecDestroy(exec);
  cudaGraphExecDestroy(outer_exec);
  cudaGraphDestroy(graph);
  cudaGraphDestroy(clone);
  cudaGraphDestroy(outer);
  cudaStreamDestroy(stream);
  cudaFree(a);
  cudaFree(b);
  cudaFree(out);
}
