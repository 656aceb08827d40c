// SPDX-License-Identifier: MIT
// Programmatic dependent launch: each launch of a chain may begin while the one before it sleeps,
// and must still see all that it wrote. In a stream and in a graph.
// Without the line with cudaGridDependencySynchronize an H200 prints other sums.
// nvcc: -arch=sm_90
#include <cuda_runtime.h>

#include <cstdio>

enum { BLOCKS = 64, THREADS = 128, N = BLOCKS * THREADS, LINKS = 24 };

// Adds 1 to the element that another block wrote in the launch before.
__global__ void add_one(const unsigned *in, unsigned *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  __nanosleep(2000);
  out[i] = in[(i + N / 2 + 37) % N] + 1;
}

static void chain(unsigned *x, unsigned *y, cudaStream_t stream) {
  cudaLaunchAttribute overlap = {};
  cudaLaunchConfig_t config = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = dim3(BLOCKS);
  config.blockDim = dim3(THREADS);
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = 1;
  cudaMemsetAsync(x, 0, N * sizeof *x, stream);
  for (int link = 0; link < LINKS; link++)
    cudaLaunchKernelEx(&config, add_one, link % 2 ? y : x, link % 2 ? x : y);
}

static void show(const char *how, const unsigned *x, cudaStream_t stream) {
  static unsigned got[N];
  unsigned least = ~0u, most = 0;
  cudaStreamSynchronize(stream);
  cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < N; i++) {
    if (got[i] < least) least = got[i];
    if (got[i] > most) most = got[i];
  }
  printf("%s: %u to %u\n", how, least, most);
}

int main() {
  unsigned *x, *y;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&x, N * sizeof *x);
  cudaMalloc(&y, N * sizeof *y);
  chain(x, y, stream);
  show("stream", x, stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  chain(x, y, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int again = 0; again < 3; again++) cudaGraphLaunch(exec, stream);
  show("graph", x, stream);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
