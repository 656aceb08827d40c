// SPDX-License-Identifier: MIT
// What a GPU answers otherwise than one would guess: bytes in formats, occupancy beyond the launch
// bounds, the room for printf, linear filtering of integers, the end of a capture into a graph.
#include <cstdio>

__global__ void bytes() {
  printf("[%hd] [%hhd]\n", (short)-3, (signed char)-4); // what follows a byte is garbage there
}
__global__ void __launch_bounds__(128) bounded(int *p) { *p = 2; }
__global__ void add(int *p) { *p += 1; }

static void occupancy() {
  int blocks = -1;
  for (int threads : {128, 256, 1024, 2048}) {
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, threads, 0);
    printf("%d threads: %s, %d\n", threads, cudaGetErrorName(error), blocks);
  }
}

static void filter() {
  const cudaChannelFormatDesc whole = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  cudaMallocArray(&array, &whole, 16, 0);
  cudaResourceDesc from = {};
  from.resType = cudaResourceTypeArray;
  from.res.array.array = array;
  cudaTextureDesc how = {};
  how.filterMode = cudaFilterModeLinear;
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  cudaError_t error = cudaCreateTextureObject(&texture, &from, &how, nullptr);
  printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  cudaFreeArray(array);
}

static void capture(int *p) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  int value = -1;
  cudaStreamCreate(&stream);
  cudaGraphCreate(&graph, 0);
  cudaMemset(p, 0, sizeof *p);
  cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
  add<<<1, 1, 0, stream>>>(p);
  printf("%s\n", cudaGetErrorName(cudaStreamEndCapture(stream, nullptr)));
  printf("%s\n", cudaGetErrorName(cudaGraphInstantiate(&ready, graph, 0)));
  for (int i = 0; i < 3; i++) cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
  printf("%d\n", value);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); // what is captured is lost
  printf("%s\n", cudaGetErrorName(cudaStreamEndCapture(stream, nullptr)));
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(stream, &status);
  printf("%d\n", status);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

int main() {
  int *p, n_sms;
  size_t room;
  cudaMalloc(&p, sizeof *p);
  bytes<<<1, 1>>>();
  cudaDeviceSynchronize();
  occupancy();
  cudaDeviceGetLimit(&room, cudaLimitPrintfFifoSize);
  cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, 0);
  printf("%zu bytes per multiprocessor\n", room / n_sms);
  filter();
  capture(p);
  cudaFree(p);
}
