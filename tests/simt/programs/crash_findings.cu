// SPDX-License-Identifier: MIT
// env: SIMT_CHECK=all
// exit: -6
// stderr: racecheck: race
// stderr: simt: 2 errors and 0 notes in 1 launch
//
// A program that an assertion of its own ends says at the end what the checkers found until then:
// here why the assertion failed.
#include <cassert>
#include <cstdio>
__global__ void shift(int *out) {
  __shared__ int shared[64];
  shared[threadIdx.x] = (int)threadIdx.x;
  out[threadIdx.x] = shared[(threadIdx.x + 33) % 64]; // lacks __syncthreads()
}

int main() {
  int *out, first = 0;
  cudaMalloc(&out, 64 * sizeof(int));
  shift<<<1, 64>>>(out);
  cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
  puts("judged");
  fflush(stdout);
  cudaFree(out);
  assert(first == -1);
}
