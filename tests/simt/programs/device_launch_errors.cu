// SPDX-License-Identifier: MIT
// flags: -rdc=true -arch=sm_90 -lcudadevrt
// checked: a launch that fails does nothing
//
// Launches by device code that fail: the code is the calling thread's last error.
#include <cstdio>

#define SAY(call) printf(#call ": %s\n", cudaGetErrorName(call))

__global__ void nothing() {}
__global__ void __launch_bounds__(64) narrow() {}
__global__ void __cluster_dims__(2) pairs() {}
__global__ void large() {
  extern __shared__ int room[];
  room[0] = 1;
}
__global__ void count(int *n) { atomicAdd(n, 1); }

#define TRY(...)                                                                                   \
  nothing<<<__VA_ARGS__>>>();                                                                      \
  printf(#__VA_ARGS__ ": %d %d %d\n", (int)cudaPeekAtLastError(), (int)cudaGetLastError(),         \
         (int)cudaGetLastError())

__global__ void configurations() {
  TRY(1, 1024);
  TRY(1, 1025);
  TRY(0, 1);
  TRY(1, 0);
  TRY(dim3(1, 65536), 1);
  TRY(dim3(1, 1, 65536), 1);
  TRY(1, dim3(1, 1, 65));
  TRY(1, 1, 48 * 1024);
  TRY(1, 1, 48 * 1024 + 1);
  narrow<<<1, 65>>>();
  SAY(cudaGetLastError());
  large<<<1, 1, 100 * 1024>>>(); // which the host has permitted
  SAY(cudaGetLastError());
  pairs<<<3, 1>>>();
  SAY(cudaGetLastError());
}

__global__ void streams(int *n) {
  TRY(1, 1, 0, cudaStreamPerThread);
  TRY(1, 1, 0, cudaStreamLegacy);
  TRY(1, 1, 0, cudaStreamGraphTailLaunch);
  TRY(1, 1, 0, (cudaStream_t)0x1234560);
  cudaStream_t s = nullptr;
  cudaEvent_t e = nullptr;
  SAY(cudaStreamCreateWithFlags(&s, 77));
  SAY(cudaStreamCreateWithFlags(nullptr, cudaStreamNonBlocking));
  SAY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  SAY(cudaEventCreateWithFlags(&e, 0));
  SAY(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  SAY(cudaEventRecord(e, cudaStreamFireAndForget));
  SAY(cudaEventRecord(e, cudaStreamTailLaunch));
  SAY(cudaStreamWaitEvent(cudaStreamTailLaunch, e, 0));
  SAY(cudaStreamWaitEvent(s, nullptr, 0));
  SAY(cudaStreamWaitEvent(s, e, 0));
  SAY(cudaStreamDestroy(0));
  SAY(cudaStreamDestroy(s));
  count<<<1, 1, 0, s>>>(n); // a stream ends with its grid
  SAY(cudaGetLastError());
  SAY(cudaEventDestroy(e));
  SAY(cudaEventDestroy(nullptr));
}

__global__ void threads() {
  if (threadIdx.x == 1) nothing<<<1, 2000>>>();
  __syncthreads();
  printf("thread %d: %s\n", threadIdx.x, cudaGetErrorString(cudaGetLastError()));
}

__global__ void copies(int *data, int *host) {
  __shared__ int shared[4];
  int local[4] = {};
  shared[0] = 1;
  SAY(cudaMemcpyAsync(data, data + 4, 4, cudaMemcpyHostToDevice, 0));
  SAY(cudaMemcpyAsync(data, data + 4, 4, cudaMemcpyDefault, 0));
  SAY(cudaMemcpyAsync(data, host, 4, cudaMemcpyHostToDevice, 0));
  SAY(cudaMemcpyAsync(data, nullptr, 4, cudaMemcpyDeviceToDevice, 0));
  SAY(cudaMemcpyAsync(data, local, 4, cudaMemcpyDeviceToDevice, 0));
  SAY(cudaMemcpyAsync(data, shared, 4, cudaMemcpyDeviceToDevice, 0));
  SAY(cudaMemsetAsync(local, 0, 4, 0));
  SAY(cudaGetLastError());
}

__global__ void memory(void **kept) {
  void *p = nullptr;
  SAY(cudaMalloc(&p, 64));
  printf("%d\n", p != nullptr);
  *kept = p;
  SAY(cudaMalloc(&p, 0));
  SAY(cudaMalloc(&p, (size_t)1 << 40));
  SAY(cudaFree(nullptr));
  SAY(cudaFree(*kept));
  SAY(cudaGetLastError());
}

// Launches that wait for the end of this grid; a chain of grids none of which can be complete.
__global__ void many(int *n) {
  int failed = 0;
  for (int i = 0; i < 2100; i++) {
    count<<<1, 1, 0, cudaStreamTailLaunch>>>(n);
    failed += cudaGetLastError() == cudaErrorLaunchPendingCountExceeded;
  }
  printf("%d failed\n", failed);
}
__global__ void deep(int depth) {
  deep<<<1, 1>>>(depth + 1);
  const cudaError_t error = cudaGetLastError();
  if (error) printf("at depth %d: %s\n", depth, cudaGetErrorName(error));
}

int main() {
  int *data, *host;
  cudaMalloc(&data, 1024);
  cudaMemset(data, 0, 1024);
  cudaMallocHost(&host, 64);
  cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 * 1024);
  configurations<<<1, 1>>>();
  SAY(cudaDeviceSynchronize());
  streams<<<1, 1>>>(data);
  SAY(cudaDeviceSynchronize());
  threads<<<1, 3>>>();
  copies<<<1, 1>>>(data + 100, host);
  memory<<<1, 1>>>((void **)(data + 200));
  many<<<1, 1>>>(data);
  SAY(cudaDeviceSynchronize());
  deep<<<1, 1>>>(0);
  SAY(cudaDeviceSynchronize());
  int n;
  cudaMemcpy(&n, data, sizeof n, cudaMemcpyDeviceToHost);
  printf("%d ran\n", n);
  SAY(cudaGetLastError());
  cudaFree(data);
  cudaFreeHost(host);
  return 0;
}
