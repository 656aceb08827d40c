// SPDX-License-Identifier: MIT
// tree.cu - the program of the report in the book's chapter on checkers: its loop lacks a barrier.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void tree(const float *in, float *out) {
  __shared__ float sum[256];
  const unsigned t = threadIdx.x;
  sum[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) sum[t] += sum[t + stride];
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}

int main() {
  float values[256], sum, *in, *out;
  for (int i = 0; i < 256; i++) values[i] = 1.0f;
  cudaMalloc(&in, sizeof values);
  cudaMalloc(&out, sizeof sum);
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  tree<<<1, 256>>>(in, out);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  printf("%g\n", (double)sum);
  return 0;
}
