// SPDX-License-Identifier: MIT
// A library's header of the toolkit includes the cuComplex.h that lies beside it, and the program
// the one that it finds: the first one counts. Its beginning stands for it here.
#include <cstdio>

#define CU_COMPLEX_H_
typedef float2 cuFloatComplex;
static __host__ __device__ cuFloatComplex make_cuFloatComplex(float x, float y) {
  return make_float2(x, 2 * y);
}

#include <cuComplex.h>

__global__ void make(cuFloatComplex *z) { *z = make_cuFloatComplex(1, 2); }

int main() {
  cuFloatComplex *device, z;
  cudaMalloc(&device, sizeof z);
  make<<<1, 1>>>(device);
  cudaMemcpy(&z, device, sizeof z, cudaMemcpyDeviceToHost);
  printf("%g %g\n", z.x, z.y);
}
