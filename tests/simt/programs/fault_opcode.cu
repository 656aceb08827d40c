// SPDX-License-Identifier: MIT
// exit: 86
// stderr: cudaErrorInvalidPtx
// stderr: movmatrix
//
// An instruction the software GPU does not know: refused when the module is first used, by name and
// line; the program's other calls work.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void unknown(unsigned *p) {
  unsigned r;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(p[threadIdx.x]));
  p[threadIdx.x] = r;
}

int main() {
  unsigned *p;
  printf("%s\n", cudaGetErrorName(cudaMalloc(&p, 128)));
  unknown<<<1, 32>>>(p);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  unknown<<<1, 32>>>(p); // said once
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
// hardware: a GPU has that instruction
