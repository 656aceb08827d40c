// SPDX-License-Identifier: MIT
// stderr: cudaErrorInvalidPc: fault_call.cu:10
// stderr: which is not the address of a function of this module
//
// The host's address of a device function is of no use on the device.
#include <cstdio>

typedef int (*operation)(int);
__host__ __device__ int twice(int x) { return 2 * x; }
__global__ void run(operation f, int *out) { *out = f(3); }

int main() {
  int *out;
  cudaMallocManaged(&out, sizeof *out);
  run<<<1, 1>>>(twice, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
