// SPDX-License-Identifier: MIT
// env: SIMT_CHECK=all
// nvcc: -arch=sm_80
// exit: 86
// stderr: read of uninitialised shared memory
// stderr: async_unwaited.cu:19
//
// Asynchronous copies that are committed and not waited for.
#include <cuda_pipeline.h>

#include <cstdio>

__global__ void reverse(const int *in, int *out, bool waits) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
  if (waits) __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 64; i++) in[i] = i;
  reverse<<<1, 64>>>(in, out, true);
  printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d\n", out[0]);
  reverse<<<1, 64>>>(in, out, false);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(in);
  cudaFree(out);
}
