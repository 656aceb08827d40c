// SPDX-License-Identifier: MIT
//
// What a stream says of its capture, what a capture forbids, and what is left of it after that;
// capture into a graph that exists, and behind nodes that the program names.
#include <cstdio>

__global__ void add(int *a, int v) { atomicAdd(a, v); }

static const char *name(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}

static const char *state(cudaStream_t s) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(s, &status) != cudaSuccess) return "?";
  return status == cudaStreamCaptureStatusNone     ? "none"
         : status == cudaStreamCaptureStatusActive ? "active"
                                                   : "invalidated";
}

// What a call gave, and what the stream's capture is then.
static void say(const char *what, cudaError_t error, cudaStream_t s) {
  printf("%s: %s", what, name(error));
  printf(", %s\n", state(s));
}

static void end(cudaStream_t s) {
  cudaGraph_t graph = (cudaGraph_t)8;
  const char *error = name(cudaStreamEndCapture(s, &graph));
  printf("  end: %s, %s, now %s\n", error, graph ? "a graph" : "none", state(s));
  if (graph) cudaGraphDestroy(graph);
}

static void forbidden(int *a, cudaStream_t s, cudaStream_t free_stream) {
  int *b = nullptr, value = 0;
  cudaEvent_t event;
  cudaEventCreate(&event);
  printf("nothing captured: %s\n", name(cudaStreamEndCapture(s, nullptr)));
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  say("again", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), s);
  end(s);

  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  say("cudaMalloc", cudaMalloc(&b, 4), s);
  add<<<1, 1, 0, s>>>(a, 1);
  printf("  launch: %s\n", name(cudaGetLastError()));
  printf("  record: %s\n", name(cudaEventRecord(event, s)));
  end(s);
  cudaFree(b);

  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  b = nullptr;
  say("relaxed, cudaMalloc", cudaMalloc(&b, 4), s);
  end(s);
  cudaFree(b);

  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  say("cudaStreamSynchronize", cudaStreamSynchronize(s), s);
  end(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  say("cudaStreamQuery", cudaStreamQuery(s), s);
  end(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  say("cudaDeviceSynchronize", cudaDeviceSynchronize(), s);
  end(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(event, s);
  say("cudaEventQuery", cudaEventQuery(event), s);
  end(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  add<<<1, 1>>>(a, 1);
  say("launch in the default stream", cudaGetLastError(), s);
  end(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  say("cudaMemcpy", cudaMemcpy(&value, a, 4, cudaMemcpyDeviceToHost), s);
  end(s);
  cudaStreamBeginCapture(free_stream, cudaStreamCaptureModeGlobal);
  add<<<1, 1>>>(a, 1);
  say("default stream beside a non-blocking one", cudaGetLastError(), free_stream);
  say("cudaMemcpy", cudaMemcpy(&value, a, 4, cudaMemcpyDeviceToHost), free_stream);
  end(free_stream);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  printf("exchange: %s", name(cudaThreadExchangeStreamCaptureMode(&mode)));
  printf(", it was %d\n", mode);
  b = nullptr;
  say("cudaMalloc", cudaMalloc(&b, 4), s);
  printf("exchange: %s", name(cudaThreadExchangeStreamCaptureMode(&mode)));
  printf(", it was %d\n", mode);
  end(s);
  cudaFree(b);
  cudaEventDestroy(event);
}

static void named_nodes(int *a, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  cudaGraph_t graph, captured;
  const cudaGraphNode_t *nodes;
  size_t n = 9, edges = 0;
  printf("not capturing: %s", name(cudaStreamGetCaptureInfo(s, &status)));
  printf(", %d\n", status);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaError_t error = cudaStreamGetCaptureInfo(s, &status, &id, &graph, &nodes, nullptr, &n);
  printf("info: %s", name(error));
  printf(", %d, id %d, %zu nodes\n", status, id != 0, n);
  add<<<1, 1, 0, s>>>(a, 1);
  cudaStreamGetCaptureInfo(s, &status, &id, &graph, &nodes, nullptr, &n);
  cudaGraphNode_t first = nodes[0], own;
  printf("after a launch: %zu nodes\n", n);
  add<<<1, 1, 0, s>>>(a, 10);
  printf("behind the first again: %s\n",
         name(cudaStreamUpdateCaptureDependencies(s, &first, nullptr, 1,
                                                  cudaStreamSetCaptureDependencies)));
  cudaKernelNodeParams p = {};
  int hundred = 100;
  void *arguments[] = {&a, &hundred};
  p.func = (void *)add;
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = arguments;
  cudaGraphAddKernelNode(&own, graph, &first, 1, &p);
  cudaStreamUpdateCaptureDependencies(s, &own, nullptr, 1, cudaStreamAddCaptureDependencies);
  add<<<1, 1, 0, s>>>(a, 1000);
  printf("second left behind: %s\n", name(cudaStreamEndCapture(s, &captured)));

  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&own, graph, nullptr, 0, &p);
  printf("into a graph: %s\n", name(cudaStreamBeginCaptureToGraph(s, graph, &own, nullptr, 1,
                                                                  cudaStreamCaptureModeGlobal)));
  add<<<1, 1, 0, s>>>(a, 3);
  add<<<1, 1, 0, s>>>(a, 4);
  captured = nullptr;
  printf("end: %s, ", name(cudaStreamEndCapture(s, &captured)));
  cudaGraphGetNodes(graph, nullptr, &n);
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  printf("the same graph: %d, %zu nodes, %zu edges\n", captured == graph, n, edges);
  cudaGraphExec_t run;
  int value = 0;
  cudaMemset(a, 0, sizeof *a);
  cudaGraphInstantiate(&run, graph, 0);
  cudaGraphLaunch(run, s);
  cudaStreamSynchronize(s);
  cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost);
  printf("%d\n", value);
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}

int main() {
  int *a;
  cudaStream_t s, free_stream;
  cudaMalloc(&a, sizeof *a);
  cudaMemset(a, 0, sizeof *a);
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking);
  forbidden(a, s, free_stream);
  named_nodes(a, s);
  cudaStreamDestroy(s);
  cudaStreamDestroy(free_stream);
  cudaFree(a);
}
