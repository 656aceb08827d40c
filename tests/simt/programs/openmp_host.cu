// SPDX-License-Identifier: MIT
//
// Host code with OpenMP: threads that launch kernels and call the runtime, however many there are.
// flags: -Xcompiler -fopenmp
#include <cstdio>
#include <omp.h>

enum { N = 64 };

__global__ void square(int *values, int i) { values[i] = i * i; }

int main() {
  int *values, host[N];
  cudaMalloc(&values, sizeof host);
  int n_errors = 0;
#pragma omp parallel for reduction(+ : n_errors)
  for (int i = 0; i < N; i++) {
    square<<<1, 1>>>(values, i);
    n_errors += cudaGetLastError() != cudaSuccess;
  }
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += host[i];
  int n_members = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    n_members += omp_get_thread_num() < omp_get_num_threads();
  }
  printf("%d errors, sum %ld, members %d\n", n_errors, sum, n_members);
  printf("outside: thread %d of %d\n", omp_get_thread_num(), omp_get_num_threads());
  cudaFree(values);
}
