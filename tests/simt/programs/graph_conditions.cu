// SPDX-License-Identifier: MIT
//
// Conditional nodes: a loop, a choice of two, a choice of many, set by kernels.
#include <cstdio>

__global__ void count_down(cudaGraphConditionalHandle handle, int *left, int *done) {
  ++*done;
  cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void choose(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}
__global__ void note(int *out, int value) { *out = *out * 10 + value; }

static const char *name(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}

static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *behind, void *function,
                              void **arguments) {
  cudaKernelNodeParams p = {};
  cudaGraphNode_t node = nullptr;
  p.func = function;
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = arguments;
  cudaError_t error = cudaGraphAddKernelNode(&node, graph, behind, behind ? 1 : 0, &p);
  if (error != cudaSuccess) printf("kernel: %s\n", name(error));
  return node;
}

static void run(const char *what, cudaGraph_t graph, int *out) {
  cudaGraphExec_t executable;
  int value = -1;
  printf("%s: %s", what, name(cudaGraphInstantiate(&executable, graph, 0)));
  printf(", %s", name(cudaGraphLaunch(executable, 0)));
  printf(", %s", name(cudaDeviceSynchronize()));
  cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
  printf(": %d\n", value);
  cudaGraphExecDestroy(executable);
}

static void loop(int *left, int *out) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  int five = 5;
  cudaGraphCreate(&graph, 0);
  printf("handle: %s\n",
         name(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault)));
  cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
  p.conditional.handle = handle;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 1;
  printf("while: %s\n", name(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p)));
  void *arguments[] = {&handle, &left, &out};
  kernel(p.conditional.phGraph_out[0], nullptr, (void *)count_down, arguments);
  cudaMemcpy(left, &five, sizeof five, cudaMemcpyHostToDevice);
  run("five times", graph, out);
  cudaGraphDestroy(graph);
}

// A kernel chooses which of `size` bodies runs.
static void choice(cudaGraphConditionalNodeType type, unsigned size, unsigned value, int *out) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
  void *choose_arguments[] = {&handle, &value};
  cudaGraphNode_t chosen = kernel(graph, nullptr, (void *)choose, choose_arguments);
  cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  cudaGraphAddNode(&node, graph, &chosen, nullptr, 1, &p);
  for (int i = 0; i < (int)size; i++) {
    int digit = i + 1;
    void *arguments[] = {&out, &digit};
    kernel(p.conditional.phGraph_out[i], nullptr, (void *)note, arguments);
  }
  int nine = 9;
  void *last[] = {&out, &nine};
  kernel(graph, &node, (void *)note, last);
  cudaMemset(out, 0, sizeof *out);
  char what[32];
  snprintf(what, sizeof what, "type %d, value %u", type, value);
  run(what, graph, out);
  cudaGraphDestroy(graph);
}

int main() {
  int *left, *out;
  cudaMalloc(&left, sizeof *left);
  cudaMalloc(&out, sizeof *out);
  cudaMemset(out, 0, sizeof *out);
  loop(left, out);
  choice(cudaGraphCondTypeIf, 1, 1, out);
  choice(cudaGraphCondTypeIf, 1, 0, out);
  choice(cudaGraphCondTypeIf, 2, 0, out);
  choice(cudaGraphCondTypeSwitch, 3, 2, out);
  choice(cudaGraphCondTypeSwitch, 3, 7, out);
  cudaFree(left);
  cudaFree(out);
}
