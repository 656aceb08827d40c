// SPDX-License-Identifier: MIT
//
// Names by which programs know the compiler, in host and device code.
// unmeasured: by nvcc's reference, not yet run on a GPU
// flags: --extended-lambda --expt-relaxed-constexpr
#include <cstdio>

#ifndef __CUDACC_EXTENDED_LAMBDA__
#error "--extended-lambda is not told"
#endif
#ifndef __CUDACC_RELAXED_CONSTEXPR__
#error "--expt-relaxed-constexpr is not told"
#endif

#ifdef __NVCC__
#define IS_NVCC 1
#else
#define IS_NVCC 0
#endif

__global__ void tell(int *told) {
  told[0] = __CUDACC_VER_MAJOR__ >= 13;
  told[1] = IS_NVCC;
#ifdef __CUDA_ARCH__
  told[2] = __CUDA_ARCH__ >= 700;
#endif
}

int main() {
  int *told, host[3];
  cudaMalloc(&told, sizeof host);
  tell<<<1, 1>>>(told);
  cudaMemcpy(host, told, sizeof host, cudaMemcpyDeviceToHost);
  printf("device: %d %d %d\n", host[0], host[1], host[2]);
#ifdef __CUDA_ARCH__
  printf("the host has an architecture\n");
#endif
  printf("host: %d %d %d %d\n", __CUDACC_VER_MAJOR__ >= 13, __CUDACC_VER_MINOR__ >= 0, IS_NVCC,
         CUDART_VERSION >= 13000);
  cudaFree(told);
}
