// SPDX-License-Identifier: MIT
// A host's own file, compiled as C++, allocates the states that kernels of other files draw from.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cstdio>

int main() {
  curandState *states = nullptr;
  curandStatePhilox4_32_10_t *counters = nullptr;
  curandStateMRG32k3a *recurrences = nullptr;
  printf("%zu %zu %zu\n", sizeof *states, sizeof *counters, sizeof *recurrences);
  printf("%s\n", cudaGetErrorString(cudaMalloc(&states, 64 * sizeof *states)));
  cudaFree(states);
}
