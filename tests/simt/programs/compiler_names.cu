// SPDX-License-Identifier: MIT
//
// Names by which programs know the compiler, in host and device code.
// flags: --extended-lambda --expt-relaxed-constexpr
#include <cstdio>

#ifndef __CUDACC_EXTENDED_LAMBDA__
#error "--extended-lambda is not defined"
#endif
#ifndef __CUDACC_RELAXED_CONSTEXPR__
#error "--expt-relaxed-constexpr is not defined"
#endif

#ifdef __NVCC__
#define IS_NVCC 1
#else
#define IS_NVCC 0
#endif

__global__ void report(int *seen) {
  seen[0] = __CUDACC_VER_MAJOR__ >= 13;
  seen[1] = IS_NVCC;
#ifdef __CUDA_ARCH__
  seen[2] = __CUDA_ARCH__ >= 700;
#endif
}

int main() {
  int *seen, host[3];
  cudaMalloc(&seen, sizeof host);
  report<<<1, 1>>>(seen);
  cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost);
  printf("device: %d %d %d\n", host[0], host[1], host[2]);
#ifdef __CUDA_ARCH__
  printf("the host has an architecture\n");
#endif
  printf("host: %d %d %d %d\n", __CUDACC_VER_MAJOR__ >= 13, __CUDACC_VER_MINOR__ >= 0, IS_NVCC,
         CUDART_VERSION >= 13000);
  cudaFree(seen);
}
