// SPDX-License-Identifier: MIT
// The fastest kernel of lesson 04 in a whole program: the sum of a million floats by a tree that
// the compiler unrolls and whose last steps synchronise a single warp.
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

static const unsigned WARP_SIZE = 32; // lanes

static __device__ float first_add(const float *in, unsigned n, unsigned block_size) {
  const unsigned i = blockIdx.x * (2 * block_size) + threadIdx.x;
  float sum = i < n ? in[i] : 0.0f;
  if (i + block_size < n) sum += in[i + block_size];
  return sum;
}

// in[n] to one partial sum per block, out[gridDim.x]; blockDim.x is block_size, a power of two.
template <unsigned block_size>
__global__ void __launch_bounds__(block_size) unrolled(const float *in, float *out, unsigned n) {
  __shared__ float tile[block_size];
  const unsigned t = threadIdx.x;
  tile[t] = first_add(in, n, block_size);
#pragma unroll
  for (unsigned s = block_size / 2; s >= WARP_SIZE; s /= 2) { // several warps add
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t >= WARP_SIZE) return; // warp 0 is left, and synchronises with itself alone
#pragma unroll
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) {
    __syncwarp();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
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
  const unsigned block = 256, per_block = 2 * block, most_sums = 2 * (n / per_block + 1);
  float *x_device, *sums_device;
  check(cudaMalloc(&x_device, n * sizeof(float)), "allocating the input");
  check(cudaMalloc(&sums_device, most_sums * sizeof(float)), "allocating the sums");
  check(cudaMemcpy(x_device, x, n * sizeof(float), cudaMemcpyHostToDevice), "copying the input");

  // Pass after pass: the partial sums of one are the input of the next, until one is left.
  const float *in = x_device;
  float *out = sums_device;
  for (unsigned left = n; left > 1;) {
    const unsigned n_blocks = (left + per_block - 1) / per_block;
    unrolled<block><<<n_blocks, block>>>(in, out, left);
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
