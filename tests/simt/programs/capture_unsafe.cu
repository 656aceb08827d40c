// SPDX-License-Identifier: MIT
//
// What a capture in global mode allows and forbids, call by call. The expected output is an
// H100's.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#define E(...)                                                                                     \
  do {                                                                                             \
    cudaError_t e_ = (__VA_ARGS__);                                                                \
    printf("%s -> %s\n", #__VA_ARGS__, cudaGetErrorName(e_));                                      \
  } while (0)
__global__ void k(int *p) { *p += 1; }
static void show(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  cudaError_t e = cudaStreamIsCapturing(s, &st);
  printf("   %s %d\n", cudaGetErrorName(e), (int)st);
}
int main() {
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  int *d, h = 0;
  cudaMalloc(&d, 64);
  cudaMemset(d, 0, 64);
  cudaGraph_t g;
  cudaEvent_t e;
  cudaEventCreate(&e);
#define TRY(...)                                                                                   \
  do {                                                                                             \
    g = nullptr;                                                                                   \
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);                                        \
    k<<<1, 1, 0, s>>>(d);                                                                          \
    E(__VA_ARGS__);                                                                                \
    show(s);                                                                                       \
    cudaError_t x = cudaStreamEndCapture(s, &g);                                                   \
    printf("   end %s %d\n", cudaGetErrorName(x), g != nullptr);                                   \
    if (g) cudaGraphDestroy(g);                                                                    \
    cudaGetLastError();                                                                            \
  } while (0)
  TRY(cudaMalloc(&d, 0));
  void *p;
  TRY(cudaMalloc(&p, 64));
  TRY(cudaFree(nullptr));
  TRY(cudaMallocHost(&p, 64));
  TRY(cudaMallocManaged(&p, 64));
  TRY(cudaMemset(d, 0, 4));
  TRY(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, s));
  TRY(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, t));
  TRY(cudaMemsetAsync(d, 0, 4, 0));
  TRY(cudaEventRecord(e, s));
  TRY(cudaEventRecord(e, t));
  TRY(cudaEventQuery(e));
  TRY(cudaEventSynchronize(e));
  TRY(cudaStreamQuery(t));
  TRY(cudaStreamSynchronize(t));
  TRY(cudaStreamSynchronize(0));
  TRY(cudaDeviceSynchronize());
  TRY(cudaStreamWaitEvent(s, e, 0));
  cudaStream_t u;
  TRY(cudaStreamCreate(&u));
  cudaEvent_t f;
  TRY(cudaEventCreate(&f));
  // The text of the call is printed, blanks and all.
  // clang-format off
  TRY(cudaLaunchHostFunc(s, [](void *) {}, nullptr));
  TRY(cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 0));
  // clang-format on
  int n;
  TRY(cudaGetDevice(&n));
  TRY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
  cudaFuncAttributes fa;
  TRY(cudaFuncGetAttributes(&fa, k));
  size_t a, b;
  TRY(cudaMemGetInfo(&a, &b));
  cudaPointerAttributes pa;
  TRY(cudaPointerGetAttributes(&pa, d));
  TRY(cudaMemcpyToSymbolAsync(n, &n, 4, 0, cudaMemcpyHostToDevice, s));
  TRY(cudaMemPrefetchAsync(d, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, s));
  TRY(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
  E(cudaStreamEndCapture(t, &g));
  TRY(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
}
