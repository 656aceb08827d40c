// SPDX-License-Identifier: MIT
// The fastest kernel of lesson 02 in a whole program: the sum of a million floats by a tree in the
// shared memory of each block, without bank conflicts.
//
//   nvcc minimal.cu -o minimal && ./minimal                               with a GPU
//   ../../build/common/simt/simtcc minimal.cu -o minimal && ./minimal     without one
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

// in[n] to one partial sum per block, out[gridDim.x]; blockDim.x is a power of two. Shared memory:
// one float per thread.
extern "C" __global__ void sequential_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f; // load: beyond the end of the array zeros
  __syncthreads();                // the tile is complete
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s];
    __syncthreads(); // what this step wrote is there before the next one reads it
  }
  if (t == 0) out[blockIdx.x] = tile[0]; // the partial sum of the block
}

int main() {
  // The input: small whole numbers, whose sum a float holds exactly.
  const unsigned n = 1000003;
  float *x = (float *)malloc(n * sizeof(float)), sum, expected = 0.0f;
  if (!x) return 1;
  for (unsigned i = 0; i < n; i++) {
    x[i] = (float)(i % 10);
    expected += x[i];
  }

  // Device memory: the input, and room for the partial sums of all passes.
  const unsigned block = 256, per_block = block, most_sums = 2 * (n / per_block + 1);
  float *x_device, *sums_device;
  check(cudaMalloc(&x_device, n * sizeof(float)), "allocating the input");
  check(cudaMalloc(&sums_device, most_sums * sizeof(float)), "allocating the sums");
  check(cudaMemcpy(x_device, x, n * sizeof(float), cudaMemcpyHostToDevice), "copying the input");

  // Pass after pass: the partial sums of one are the input of the next, until one is left.
  const float *in = x_device;
  float *out = sums_device;
  for (unsigned left = n; left > 1;) {
    const unsigned n_blocks = (left + per_block - 1) / per_block;
    sequential_tree<<<n_blocks, block, block * sizeof(float)>>>(in, out, left);
    check(cudaGetLastError(), "launching");
    in = out;
    out += n_blocks;
    left = n_blocks;
  }
  check(cudaDeviceSynchronize(), "the kernels");

  // The last pass left one number.
  check(cudaMemcpy(&sum, in, sizeof(float), cudaMemcpyDeviceToHost), "copying the sum");
  printf("sum of %u numbers: %.0f, expected %.0f\n", n, sum, expected);
  check(cudaFree(x_device), "freeing");
  check(cudaFree(sums_device), "freeing");
  free(x);
  return sum == expected ? 0 : 1;
}
