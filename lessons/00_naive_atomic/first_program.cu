// SPDX-License-Identifier: MIT
// A whole CUDA program: adds up a million numbers on the GPU and prints the sum.
//
//   nvcc first_program.cu -o first_program && ./first_program              with a GPU
//   .../build/common/simt/simtcc first_program.cu -o first_program && ...  without one
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// Every CUDA call returns whether it worked. Here, one that did not ends the program.
static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

// The kernel: what each of the million threads does. Thread i adds element i to the sum.
extern "C" __global__ void add_to_one(const float *in, float *sum, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}

//! [main]
int main() {
  // 1. The input, in the CPU's memory: 1, 2, 3, 4, 1, 2, 3, 4 ...
  const unsigned n = 1000000;
  float *x = (float *)malloc(n * sizeof(float));
  if (!x) return 1;
  for (unsigned i = 0; i < n; i++) x[i] = (float)(i % 4 + 1);

  // 2. Room for it and for the sum, in the GPU's memory.
  float *x_device, *sum_device;
  check(cudaMalloc(&x_device, n * sizeof(float)), "no memory for the input");
  check(cudaMalloc(&sum_device, sizeof(float)), "no memory for the sum");

  // 3. The input goes there; the sum begins at 0.
  check(cudaMemcpy(x_device, x, n * sizeof(float), cudaMemcpyHostToDevice), "copying to the GPU");
  check(cudaMemset(sum_device, 0, sizeof(float)), "clearing the sum");

  // 4. The launch: blocks of 256 threads, and enough of them for n elements.
  const unsigned block = 256, n_blocks = (n + block - 1) / block;
  add_to_one<<<n_blocks, block>>>(x_device, sum_device, n);
  check(cudaGetLastError(), "launching");       // could it begin at all?
  check(cudaDeviceSynchronize(), "the kernel"); // wait for its end: did it crash?

  // 5. The sum comes back.
  float sum;
  check(cudaMemcpy(&sum, sum_device, sizeof(float), cudaMemcpyDeviceToHost), "copying back");
  printf("the sum of %u numbers is %.0f\n", n, sum);

  // 6. What was allocated is freed.
  check(cudaFree(x_device), "freeing the input");
  check(cudaFree(sum_device), "freeing the sum");
  free(x);
  return sum == 2500000.0f ? 0 : 1;
}
//! [main]
