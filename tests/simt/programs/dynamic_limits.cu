// SPDX-License-Identifier: MIT
//
// Dynamic shared memory: the attribute is the limit, also a lower one; sizes as kernels see
// them. The expected output is an H100's.
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
__global__ void rev(const int *in, int *out, int n) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[n - 1 - i];
}
__global__ void sizes(unsigned *o) {
  unsigned d, t;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(d));
  asm("mov.u32 %0, %%total_smem_size;" : "=r"(t));
  o[0] = d;
  o[1] = t;
}
__global__ void two(int *o) {
  __shared__ char a[100];
  extern __shared__ double q[];
  a[threadIdx.x] = threadIdx.x;
  q[threadIdx.x] = 2 * threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = a[31 - threadIdx.x] + (int)q[31 - threadIdx.x];
}
int main() {
  const int n = 50000;
  std::vector<int> h(n), r(n);
  for (int i = 0; i < n; i++) h[i] = i * 3;
  int *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
  for (int m : {1000, 12288, 12289, 25600, 50000, 58112}) {
    int k = m < n ? m : n;
    rev<<<1, 256, m * 4>>>(a, b, k);
    cudaError_t e1 = cudaGetLastError();
    cudaError_t e2 = cudaFuncSetAttribute(rev, cudaFuncAttributeMaxDynamicSharedMemorySize, m * 4);
    rev<<<1, 256, m * 4>>>(a, b, k);
    cudaError_t e3 = cudaGetLastError();
    cudaMemcpy(r.data(), b, n * 4, cudaMemcpyDeviceToHost);
    printf("%d %s %s %s %d %d\n", m, cudaGetErrorName(e1), cudaGetErrorName(e2),
           cudaGetErrorName(e3), r[0], r[k - 1]);
  }
  E(cudaFuncSetAttribute(rev, cudaFuncAttributeMaxDynamicSharedMemorySize, 58113 * 4));
  rev<<<1, 256, 58113 * 4>>>(a, b, 10);
  E(cudaGetLastError());
  E(cudaFuncSetAttribute(rev, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
  rev<<<1, 256, 4000>>>(a, b, 10);
  E(cudaGetLastError());
  E(cudaDeviceSynchronize());
  unsigned o[2];
  for (int m : {0, 4, 100, 1000, 48000}) {
    sizes<<<1, 1, m>>>((unsigned *)b);
    E(cudaMemcpy(o, b, 8, cudaMemcpyDeviceToHost));
    printf("%u %u\n", o[0], o[1]);
  }
  two<<<1, 32, 32 * 8>>>(b);
  cudaMemcpy(r.data(), b, 128, cudaMemcpyDeviceToHost);
  printf("%d %d %s\n", r[0], r[31], cudaGetErrorName(cudaGetLastError()));
}
