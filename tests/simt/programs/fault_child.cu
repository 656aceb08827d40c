// SPDX-License-Identifier: MIT
// flags: -rdc=true -lcudadevrt
// exit: 1
// stderr: fault_child.cu:12
// stderr: in kernel store, block (1,0,0), thread (8,0,0)
//
// A fault in a kernel that a kernel has launched: the host's wait returns it, what was launched
// behind it does not begin, and the report names the child.
#include <cstdio>

__global__ void store(int *p, int n) {
  if (blockIdx.x * 32 + threadIdx.x >= 40) p[n] = 1;
}
__global__ void behind(int *) { printf("behind\n"); }
__global__ void middle(int *p) {
  store<<<2, 32>>>(nullptr, 4);
  behind<<<1, 1>>>(p);
  behind<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
}
__global__ void parent(int *p) {
  printf("parent\n");
  middle<<<1, 1>>>(p);
}

int main() {
  int *p;
  cudaMalloc(&p, 64);
  parent<<<1, 1>>>(p);
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  const cudaError_t error = cudaDeviceSynchronize();
  printf("wait: %s\n", cudaGetErrorName(error));
  return error != cudaSuccess;
}
