// SPDX-License-Identifier: MIT
// Two threads add 3 and 5 to one number, for the picture "lost_update" of chapter 00. The plain
// addition is a data race, on purpose: what comes out depends on the schedule (SIMT_SCHEDULE).
//
//   lost_update ... --variant plain|atomic      prints {"sum": what the number is in the end}
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

enum { N_THREADS = 2, BEGINS_AT = 10 };

extern "C" __global__ void add_plain(const int *in, int *sum) { *sum += in[threadIdx.x]; }

extern "C" __global__ void add_atomically(const int *in, int *sum) {
  atomicAdd(sum, in[threadIdx.x]);
}

int main(int argc, char **argv) {
  const int wanted[N_THREADS + 1] = {3, 5, BEGINS_AT};
  int *numbers, sum = 0;
  bool is_atomic = false;
  for (int i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], "--variant") == 0) is_atomic = strcmp(argv[i + 1], "atomic") == 0;
  cudaMalloc(&numbers, sizeof wanted);
  cudaMemcpy(numbers, wanted, sizeof wanted, cudaMemcpyHostToDevice);
  if (is_atomic) add_atomically<<<1, N_THREADS>>>(numbers, numbers + N_THREADS);
  else add_plain<<<1, N_THREADS>>>(numbers, numbers + N_THREADS);
  cudaMemcpy(&sum, numbers + N_THREADS, sizeof sum, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  printf("{\"sum\": %d}\n", sum);
  cudaFree(numbers);
  return error != cudaSuccess;
}
