// SPDX-License-Identifier: MIT
// -rdc=true with one file.
// flags: -rdc=true -lcudadevrt
#ifndef __CUDACC_RDC__
#error "compiled as a whole"
#endif
#include <cassert>
#include <cstdio>

__device__ int factor = 3;
__device__ int scaled(int x) { return factor * x; }
__global__ void scale(int *data) {
  data[threadIdx.x] = scaled(threadIdx.x);
  assert(data[threadIdx.x] >= 0);
  if (threadIdx.x == 31) printf("device %d\n", data[31]);
}

int main() {
  int *data;
  if (cudaMallocManaged(&data, 32 * sizeof(int)) != cudaSuccess) return 1;
  scale<<<1, 32>>>(data);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  printf("host %d\n", data[5]);
  return cudaFree(data);
}
