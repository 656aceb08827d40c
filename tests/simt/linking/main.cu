// SPDX-License-Identifier: MIT
// A program of three files, linked on the device: see shared.h.
#include <cstdio>

#include "shared.h"

enum { N = 8 };

// functions.cu has a variable and a function of these names, too: they are each file's own.
static __device__ int hidden = 3;
static __device__ __noinline__ int own(int x) { return x + hidden; }

struct square : shape {
  int side;
  __device__ square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};

__global__ void combine(int *out) {
  const int i = threadIdx.x;
  scratch[i] = doubled(i) + own(10) + (int)weights[i % 4];
  atomicAdd(&counter, 1);
  __syncthreads();
  const square s(i);
  out[i] = scratch[N - 1 - i] + tripled(1) + operations[i % 2](100) + area_of(&s) +
           sum_of_digits(1000 * i + 23);
  if (i == 0) from_host += 1;
}

static void show(const char *what, const int *device) {
  int values[N];
  cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost);
  printf("%s:", what);
  for (int i = 0; i < N; i++) printf(" %d", values[i]);
  printf("\n");
}

int main() {
  int *out, count = 0, thirty = 30;
  printf("managed before any call: %d\n", from_host);
  cudaMalloc(&out, N * sizeof *out);
  combine<<<1, N, N * sizeof(int)>>>(out);
  show("combine", out);
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  printf("counter %d, managed %d\n", count, from_host);
  run_functions(out, N);
  show("functions", out);
  const cudaError_t error = cudaMemcpyToSymbol(hidden, &thirty, sizeof thirty);
  printf("own variable: %s\n", cudaGetErrorName(error));
  combine<<<1, N, N * sizeof(int)>>>(out);
  show("combine", out);
  run_functions(out, N);
  show("functions", out);
  cudaFree(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
