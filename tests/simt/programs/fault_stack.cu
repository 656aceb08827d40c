// SPDX-License-Identifier: MIT
// stderr: cudaErrorIllegalAddress: fault_stack.cu:9
// stderr: stack overflow: '_Z4downPii' is called when
// stderr: cudaLimitStackSize
//
// Recursion without an end. (The error is an H200's; CUDA has cudaErrorHardwareStackError for it.)
#include <cstdio>

__device__ __noinline__ int down(int *p, int n) { return p[n & 1] ? down(p, n + 1) * n + 1 : 0; }
__global__ void run(int *p, int *out) { *out = down(p, 1); }

int main() {
  int *p;
  cudaMallocManaged(&p, 3 * sizeof *p);
  p[0] = p[1] = 1;
  run<<<1, 1>>>(p, p + 2);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
