// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=2
//
// Copies between two devices while their streams are captured: cudaMemcpyPeerAsync() ends the
// capture, cudaMemcpyAsync() becomes a node, and the graph copies when it runs.
#include <cstdio>

enum { N = 64 };
static int *a, *b; // [N] of device 0 and of device 1
static cudaStream_t first, second;
static cudaEvent_t forked, joined;

__global__ void add(int *x, int v) { x[threadIdx.x] += v; }

static const char *name(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}

typedef cudaError_t copy(cudaStream_t stream);
static cudaError_t peer(cudaStream_t s) {
  return cudaMemcpyPeerAsync(b, 1, a, 0, sizeof(int[N]), s);
}
static cudaError_t peer_of_one(cudaStream_t s) {
  return cudaMemcpyPeerAsync(a, 0, a + N, 0, sizeof(int[N]), s);
}
static cudaError_t by_address(cudaStream_t s) {
  return cudaMemcpyAsync(b, a, sizeof(int[N]), cudaMemcpyDefault, s);
}
static cudaError_t device_to_device(cudaStream_t s) {
  return cudaMemcpyAsync(b, a, sizeof(int[N]), cudaMemcpyDeviceToDevice, s);
}
static cudaError_t nothing(cudaStream_t s) { return cudaMemcpyPeerAsync(b, 1, a, 0, 0, s); }

// A kernel on each device, and between them the copy, in the stream of device 1.
static void capture(const char *what, copy *copy) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t run = nullptr;
  cudaStreamCaptureStatus status;
  size_t n_nodes = 0;
  int values[N];
  cudaSetDevice(0);
  cudaMemset(a, 0, sizeof(int[2 * N]));
  cudaSetDevice(1);
  cudaMemset(b, 0, sizeof values);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed);
  add<<<1, N, 0, first>>>(a, 5);
  cudaEventRecord(forked, first);
  cudaSetDevice(1);
  cudaStreamWaitEvent(second, forked, 0);
  printf("%s: %s", what, name(copy(second)));
  cudaStreamIsCapturing(second, &status);
  printf(", the capture is %s", status == cudaStreamCaptureStatusActive ? "active" : "invalid");
  add<<<1, N, 0, second>>>(b, 1);
  printf(", a kernel: %s", name(cudaGetLastError()));
  cudaEventRecord(joined, second);
  cudaSetDevice(0);
  cudaStreamWaitEvent(first, joined, 0);
  printf(", its end: %s\n", name(cudaStreamEndCapture(first, &graph)));
  if (graph == nullptr) return;
  cudaGraphGetNodes(graph, nullptr, &n_nodes);
  printf("  %zu nodes, %s", n_nodes, name(cudaGraphInstantiate(&run, graph, 0)));
  for (int i = 0; i < 2 && run != nullptr; i++) cudaGraphLaunch(run, first);
  printf(", %s", name(cudaStreamSynchronize(first)));
  cudaMemcpy(values, b, sizeof values, cudaMemcpyDefault);
  printf(": %d\n", values[N - 1]);
  if (run != nullptr) cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}

int main() {
  cudaSetDevice(1);
  cudaMalloc(&b, sizeof(int[N]));
  cudaStreamCreate(&second);
  cudaEventCreate(&joined);
  cudaDeviceEnablePeerAccess(0, 0);
  cudaSetDevice(0);
  cudaMalloc(&a, sizeof(int[2 * N]));
  cudaStreamCreate(&first);
  cudaEventCreate(&forked);
  cudaDeviceEnablePeerAccess(1, 0);
  capture("peer", peer);
  capture("peer of one device", peer_of_one);
  capture("no bytes", nothing);
  capture("by address", by_address);
  capture("device to device", device_to_device);
  printf("outside a capture: %s\n", name(peer(first)));
  return 0;
}
