// SPDX-License-Identifier: MIT
// checked: simtcc and nvcc
// found: race: atomic and plain access
//
// A push on a list by compare-and-swap that stores the next element once, before the swap is tried,
// and not again when it fails: so its first read of the head is not only a guess. cas_loops.cu has
// it right.
#include <cstdio>

__global__ void push(int *head, int *next) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  int old = *head, assumed;
  next[me] = old;
  do {
    assumed = old;
    old = atomicCAS(head, assumed, me);
  } while (assumed != old);
}

int main() {
  int *head, *next, first = -1;
  cudaMalloc(&head, sizeof first);
  cudaMalloc(&next, 128 * sizeof *next);
  cudaMemcpy(head, &first, sizeof first, cudaMemcpyHostToDevice);
  push<<<2, 64>>>(head, next);
  cudaMemcpy(&first, head, sizeof first, cudaMemcpyDeviceToHost);
  printf("%d\n", first >= 0 && first < 128);
  cudaFree(head);
  cudaFree(next);
}
