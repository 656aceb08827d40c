// SPDX-License-Identifier: MIT
// found: free of what is not allocated
//
// Error codes of launches and calls that cannot work, and what the next calls return.
#include <cstdio>
__global__ void k(int *p) {
  if (p) *p = 1;
}
__global__ void __launch_bounds__(64) bounded() {}
extern __shared__ int dyn[];
__global__ void big(int i) { dyn[i] = 1; }
struct Large {
  char c[4000];
};
__global__ void args(Large) {}
static void say(const char *w) {
  cudaError_t a = cudaPeekAtLastError(), b = cudaGetLastError(), c = cudaGetLastError(),
              d = cudaDeviceSynchronize();
  printf("%s: %s %s %s %s\n", w, cudaGetErrorName(a), cudaGetErrorName(b), cudaGetErrorName(c),
         cudaGetErrorName(d));
}
int main() {
  k<<<1, 1025>>>(nullptr);
  say("1025 threads");
  k<<<0, 1>>>(nullptr);
  say("0 blocks");
  k<<<1, 0>>>(nullptr);
  say("0 threads");
  k<<<dim3(1, 65536), 1>>>(nullptr);
  say("y 65536");
  k<<<dim3(1, 1, 65536), 1>>>(nullptr);
  say("z 65536");
  k<<<1, dim3(1, 1, 65)>>>(nullptr);
  say("z threads 65");
  k<<<1, dim3(32, 33)>>>(nullptr);
  say("32x33");
  k<<<dim3(2147483647u, 1, 1), 0>>>(nullptr);
  say("max x");
  bounded<<<1, 65>>>();
  say("launch bounds");
  big<<<1, 1, 48 * 1024>>>(0);
  say("48 K");
  big<<<1, 1, 48 * 1024 + 1>>>(0);
  say("48 K + 1");
  printf("%s\n", cudaGetErrorName(cudaFuncSetAttribute(
                     big, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024)));
  big<<<1, 1, 227 * 1024>>>(0);
  say("227 K");
  printf("%s\n", cudaGetErrorName(cudaFuncSetAttribute(
                     big, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024)));
  say("228 K");
  args<<<1, 1>>>(Large());
  say("4000 bytes");
  void *q = nullptr;
  printf("%s %d\n", cudaGetErrorName(cudaMalloc(&q, 0)), q == nullptr);
  printf("%s\n", cudaGetErrorName(cudaFree(nullptr)));
  say("nothing");
  printf("%s\n", cudaGetErrorName(cudaMalloc(&q, (size_t)1 << 50)));
  say("1 PiB");
  int x;
  printf("%s\n", cudaGetErrorName(cudaFree(&x)));
  say("free of host");
  printf("%s\n", cudaGetErrorName(cudaMemcpy(&x, nullptr, 4, cudaMemcpyDeviceToHost)));
  say("null");
  printf("%s\n", cudaGetErrorName(cudaMemcpy(&x, nullptr, 0, cudaMemcpyDeviceToHost)));
  printf("%s\n", cudaGetErrorName(cudaMemcpy(&x, &x, 4, (cudaMemcpyKind)9)));
  say("kind 9");
  printf("%s\n", cudaGetErrorName(cudaMemset(nullptr, 0, 4)));
  say("memset null");
  cudaMalloc(&q, 16);
  printf("%s\n", cudaGetErrorName(cudaMemcpy(q, &x, 17 * 1000000, cudaMemcpyHostToDevice)));
  say("too many");
  cudaEvent_t e;
  cudaEventCreate(&e);
  float ms;
  printf("%s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, e, e)));
  say("elapsed");
  printf("%s\n", cudaGetErrorName(cudaEventQuery(e)));
  printf("%s\n", cudaGetErrorName(cudaStreamQuery(0)));
  printf("%s\n", cudaGetErrorName(cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1)));
  void *sym;
  printf("%s\n", cudaGetErrorName(cudaGetSymbolAddress(&sym, (const void *)&x)));
  say("no symbol");
  cudaFuncAttributes a;
  printf("%s\n", cudaGetErrorName(cudaFuncGetAttributes(&a, (const void *)&x)));
  say("no function");
  printf("%s\n", cudaGetErrorName(cudaFuncGetAttributes(&a, bounded)));
  printf("%d %zu %zu %d\n", a.maxThreadsPerBlock, a.sharedSizeBytes, a.constSizeBytes,
         a.maxDynamicSharedSizeBytes);
  printf("%s\n", cudaGetErrorName(cudaHostUnregister(&x)));
  say("unregister");
  printf("%s\n", cudaGetErrorName(cudaFreeHost(&x)));
  say("free host");
  printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 30)));
  say("stack");
  printf("%s\n", cudaGetErrorName(cudaStreamDestroy((cudaStream_t)0)));
  say("stream 0");
  printf("%s\n", cudaGetErrorName(cudaEventRecord((cudaEvent_t)0)));
  say("event 0");
  printf("%s\n", cudaGetErrorName(cudaMallocHost(&q, 0)));
  printf("%s\n", cudaGetErrorName(cudaMallocManaged(&q, 0)));
  say("managed 0");
  printf("%s\n", cudaGetErrorName(cudaDeviceReset()));
}
