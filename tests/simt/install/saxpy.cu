// SPDX-License-Identifier: MIT
// saxpy.cu - y = a x + y for 1,000 elements, and the version that was installed.
#include <cuda_runtime.h>
#include <simt.h>

#include <cstdio>

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  enum { N = 1000 };
  float *x, *y;
  cudaMallocManaged(&x, N * sizeof *x);
  cudaMallocManaged(&y, N * sizeof *y);
  for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1.0f;
  saxpy<<<(N + 255) / 256, 256>>>(N, 2.0f, x, y);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < N; i++)
    if (y[i] != 2.0f * (float)i + 1.0f) return 1;
  printf("saxpy with simt %s: all %d right\n", SIMT_VERSION, N);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
