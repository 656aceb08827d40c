// SPDX-License-Identifier: MIT
// The fastest kernel of lesson 05 in a whole program: the sum of a million floats, within each
// warp by shuffles, then one value per warp through shared memory.
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

static const unsigned WARP_SIZE = 32, FULL_MASK = 0xffffffff; // lanes; one bit for each

template <typename number>
static __device__ number first_add(const number *in, unsigned n, unsigned block_size) {
  const unsigned i = blockIdx.x * (2 * block_size) + threadIdx.x;
  number sum = i < n ? in[i] : 0;
  if (i + block_size < n) sum += in[i + block_size];
  return sum;
}

template <typename number> static __device__ number warp_sum(number value) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) value += __shfl_down_sync(FULL_MASK, value, s);
  return value; // the sum in lane 0; leftovers in the others
}

// in[n] to one partial sum per block, out[gridDim.x]; blockDim.x is a multiple of 32.
template <typename number>
static __device__ void warps_first(const number *in, number *out, unsigned n) {
  __shared__ number slots[WARP_SIZE]; // one per warp: a block has at most 32
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  number sum = warp_sum(first_add(in, n, blockDim.x)); // every warp for itself
  if (lane == 0) slots[warp] = sum;
  __syncthreads(); // every slot is written
  if (warp > 0) return;
  sum = warp_sum(lane < blockDim.x / WARP_SIZE ? slots[lane] : 0);
  if (lane == 0) out[blockIdx.x] = sum;
}

extern "C" __global__ void warp_first(const float *in, float *out, unsigned n) {
  warps_first(in, out, n);
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
    warp_first<<<n_blocks, block>>>(in, out, left);
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
