// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
// grid.sync() after the first thread of each block has left the kernel: what is left of a block
// goes on without waiting for another one.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void rest(int *out) {
  if (threadIdx.x == 0) return;
  cooperative_groups::this_grid().sync();
  atomicAdd(out, 1);
}

int main() {
  int *out, host = 0;
  cudaMalloc(&out, sizeof host);
  cudaMemset(out, 0, sizeof host);
  void *arguments[] = {&out};
  printf("%s\n",
         cudaGetErrorName(cudaLaunchCooperativeKernel((void *)rest, 3, 32, arguments, 0, 0)));
  printf("%s\n", cudaGetErrorName(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost)));
  printf("%d\n", host);
  cudaFree(out);
}
