// SPDX-License-Identifier: MIT
// checked: simtcc and nvcc
// found: race: atomic and plain access
// found: in kernel comes_back
// found: in kernel expects_another
// found: in kernel expects_any
// found: in kernel wrong_constant
// found: in kernel wrong_direction
// found: in kernel value_used
//
// Compare-and-swaps behind a plain read where the word may come back to what they expect, or where
// the read says something else. attempts_once.cu has the right ones.
#include <cstdio>

#define NONE (-1)

__device__ int me() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void comes_back(int *owner, int *) {
  if (*owner == NONE) atomicCAS(owner, NONE, me());
  if (me() % 3 == 0) atomicExch(owner, NONE);
}

__global__ void expects_another(int *owner, int *) {
  if (*owner == NONE) atomicCAS(owner, NONE, me());
  if (me() % 3 == 0) atomicCAS(owner, 3, NONE);
}

__global__ void expects_any(int *owner, int *) {
  if (*owner == NONE) atomicCAS(owner, me(), me() + 1);
}

__global__ void wrong_constant(int *owner, int *) {
  if (*owner == 7) atomicCAS(owner, NONE, me());
}

__global__ void wrong_direction(int *owner, int *) {
  if (*owner != NONE) atomicCAS(owner, NONE, me());
}

__global__ void value_used(int *owner, int *out) {
  const int seen = *owner;
  if (seen == NONE) atomicCAS(owner, NONE, me());
  out[me()] = seen;
}

static void run(void (*kernel)(int *, int *), int first, int *owner, int *out) {
  *owner = first;
  kernel<<<4, 64>>>(owner, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

int main() {
  int *owner, *out;
  cudaMallocManaged(&owner, sizeof *owner);
  cudaMallocManaged(&out, 256 * sizeof *out);
  run(comes_back, NONE, owner, out);
  run(expects_another, NONE, owner, out);
  run(expects_any, NONE, owner, out);
  run(wrong_constant, 7, owner, out);
  run(wrong_direction, 7, owner, out);
  run(value_used, NONE, owner, out);
  cudaFree(owner);
  cudaFree(out);
}
