// SPDX-License-Identifier: MIT
// The program's own memory, made known to the device and taken back.
#include <cstdio>
#include <cstdlib>

__global__ void triple(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 3;
}

enum { N = 4096 };
#define SAY(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

int main() {
  int *data = (int *)aligned_alloc(4096, N * sizeof(int)), *there = NULL, *copy;
  if (!data) return 1;
  for (int i = 0; i < N; i++) data[i] = i;
  SAY(cudaHostRegister(data, N * sizeof(int), cudaHostRegisterMapped));
  SAY(cudaHostGetDevicePointer(&there, data, 0));
  triple<<<N / 256, 256>>>(there, N);
  SAY(cudaDeviceSynchronize());
  long long sum = 0;
  for (int i = 0; i < N; i++) sum += data[i];
  printf("sum %lld\n", sum);

  SAY(cudaMalloc(&copy, N * sizeof(int)));
  SAY(cudaMemcpyAsync(copy, data, N * sizeof(int), cudaMemcpyHostToDevice, 0));
  triple<<<N / 256, 256>>>(copy, N);
  SAY(cudaMemcpy(data, copy, N * sizeof(int), cudaMemcpyDeviceToHost));
  printf("last %d\n", data[N - 1]);

  SAY(cudaHostRegister(data, N * sizeof(int), cudaHostRegisterDefault));
  SAY(cudaGetLastError());
  SAY(cudaHostUnregister(data));
  SAY(cudaHostUnregister(data));
  SAY(cudaGetLastError());
  SAY(cudaHostRegister(NULL, 64, 0));
  SAY(cudaFree(copy));
  free(data);
  return 0;
}
