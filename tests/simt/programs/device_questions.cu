// SPDX-License-Identifier: MIT
// flags: -rdc=true -arch=sm_90 -lcudadevrt
// checked: answers are written where they are asked for
//
// What device code asks of CUDA's runtime.
#include <cstdio>

#define SAY(call, value) SAY_AS(#call, call, value)
#define SAY_AS(text, call, value)                                                                  \
  do {                                                                                             \
    const cudaError_t said = call;                                                                 \
    printf(text ": %d, %lld\n", (int)said, (long long)(value));                                    \
  } while (0)

#define ASK_BLOCKS(threads, bytes)                                                                 \
  SAY_AS("cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, some, " #threads ", " #bytes ")",      \
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, some, threads, bytes), n)

__global__ void __launch_bounds__(256) some(int *p) {
  __shared__ int room[32];
  room[threadIdx.x % 32] = *p;
  __syncthreads();
  p[threadIdx.x] = room[(threadIdx.x + 1) % 32];
}

__global__ void ask(int *in_memory) {
  int n = -1;
  size_t size = 0;
  cudaFuncCache cache;
  cudaFuncAttributes a;
  SAY(cudaGetDevice(&n), n);
  SAY(cudaGetDeviceCount(&n), n);
  SAY(cudaRuntimeGetVersion(&n), n);
  SAY(cudaDeviceGetAttribute(in_memory, cudaDevAttrWarpSize, 0), *in_memory);
  SAY(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0), n);
  SAY(cudaDeviceGetAttribute(&n, cudaDevAttrComputeCapabilityMajor, 0), n);
  SAY(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0), 0);
  SAY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 7), 0);
  SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0), 0);
  SAY(cudaDeviceGetLimit(&size, cudaLimitStackSize), size);
  SAY(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize), size);
  SAY(cudaDeviceGetLimit(&size, cudaLimitDevRuntimePendingLaunchCount), size);
  SAY(cudaDeviceGetLimit(&size, cudaLimitDevRuntimeSyncDepth), 0);
  SAY(cudaDeviceGetCacheConfig(&cache), cache);
  SAY_AS("cudaFuncGetAttributes(&a, some)", cudaFuncGetAttributes(&a, some), a.sharedSizeBytes);
  printf("%d %d %d\n", a.maxThreadsPerBlock, a.binaryVersion, a.ptxVersion);
  SAY(cudaFuncGetAttributes(&a, (void *)nullptr), 0);
  ASK_BLOCKS(128, 0);
  ASK_BLOCKS(128, 40000);
  ASK_BLOCKS(512, 0);
  SAY(cudaGetLastError(), 0);
  printf("%s, %s\n", cudaGetErrorName(cudaErrorLaunchPendingCountExceeded),
         cudaGetErrorString(cudaErrorInvalidValue));
  printf("%s, %s\n", cudaGetErrorName((cudaError_t)4321), cudaGetErrorString((cudaError_t)4321));
}

__device__ double sum;
__global__ void two(int a, double b) { sum += a + b; }

// The functions that a launch is made of.
__global__ void by_hand() {
  char *b = (char *)cudaGetParameterBuffer(8, 16);
  *(int *)b = 5;
  *(double *)(b + 8) = 2.5;
  printf("%d\n", (int)cudaLaunchDevice((void *)two, b, dim3(1), dim3(1), 0, 0));
  b = (char *)cudaGetParameterBufferV2((void *)two, dim3(1), dim3(1), 0);
  *(int *)b = 6;
  *(double *)(b + 8) = 3.5;
  printf("%d\n", (int)cudaLaunchDeviceV2(b, cudaStreamTailLaunch));
  b = (char *)cudaGetParameterBufferV2((void *)two, dim3(1), dim3(2000), 0);
  printf("%d\n", (int)cudaLaunchDeviceV2(b, 0));
}

int main() {
  int *in_memory;
  cudaMalloc(&in_memory, 64);
  ask<<<1, 1>>>(in_memory);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  by_hand<<<1, 1>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  double result;
  cudaMemcpyFromSymbol(&result, sum, sizeof result);
  printf("%g\n", result);
  return cudaFree(in_memory);
}
