// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
// grid.sync() after some threads of each block have left the kernel, but never its first one.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void ring(const int *in, int *out, int n) {
  int t = threadIdx.x, i = blockIdx.x * n + t;
  if (t >= n) return;
  out[i] = in[i] * 2;
  cg::this_grid().sync();
  int next = out[(i + n) % (gridDim.x * n)];
  cg::this_grid().sync();
  out[i] += next;
}

int main() {
  enum { BLOCKS = 6, PER_BLOCK = 20 };
  int host[BLOCKS * PER_BLOCK], *in, *out, n = PER_BLOCK;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  for (int i = 0; i < BLOCKS * PER_BLOCK; i++) host[i] = i;
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  void *arguments[] = {&in, &out, &n};
  printf("%s\n",
         cudaGetErrorName(cudaLaunchCooperativeKernel((void *)ring, BLOCKS, 64, arguments, 0, 0)));
  printf("%s\n", cudaGetErrorName(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)));
  for (int i = 0; i < BLOCKS * PER_BLOCK; i += 13) printf("%d ", host[i]);
  printf("\n");
  cudaFree(in);
  cudaFree(out);
}
