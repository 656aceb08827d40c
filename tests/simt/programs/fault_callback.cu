// SPDX-License-Identifier: MIT
// After a device fault callbacks are called with its error; host functions are not called.
// hardware: the function before the fault may run before the launch is reported, and the callback
//   after the synchronisation has returned
// stderr: cudaErrorIllegalAddress
#include <cuda_runtime.h>

#include <cstdio>

__global__ void store(int *p) { *p = 1; }

static void say(void *text) { printf("%s\n", (const char *)text); }
static void say_status(cudaStream_t, cudaError_t status, void *) {
  printf("callback: %s\n", cudaGetErrorName(status));
}

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaLaunchHostFunc(s, say, (void *)"before the fault");
  store<<<1, 1, 0, s>>>((int *)8);
  cudaLaunchHostFunc(s, say, (void *)"after the fault");
  cudaStreamAddCallback(s, say_status, nullptr, 0);
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("synchronised: %s\n", cudaGetErrorName(cudaStreamSynchronize(s)));
  return 0;
}
