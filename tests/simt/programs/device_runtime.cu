// SPDX-License-Identifier: MIT
// Functions of the runtime in device code that is compiled without -rdc=true: some only return an
// error. (device_questions has what they answer with it.)
// unmeasured: what nvcc's build prints on the software GPU
#include <cstdio>

__global__ void ask(int number) {
  int *memory = nullptr, value = -1;
  const cudaError_t allocated = cudaMalloc((void **)&memory, 64);
  printf("%d %d\n", (int)allocated, memory == nullptr);
  const cudaError_t asked = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
  printf("%d %d\n", (int)asked, value);
  cudaFuncAttributes attributes;
  printf("%d\n", (int)cudaFuncGetAttributes(&attributes, (const void *)nullptr));
  printf("%s %s\n", cudaGetErrorName((cudaError_t)number), cudaGetErrorString((cudaError_t)number));
}

int main() {
  ask<<<1, 1>>>(cudaErrorMemoryAllocation);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int *memory;
  const cudaError_t allocated = cudaMalloc(&memory, 4); // the host's are as they were
  const cudaError_t freed = cudaFree(memory);
  printf("%s %s\n", cudaGetErrorName(allocated), cudaGetErrorName(freed));
}
