// SPDX-License-Identifier: MIT
// The fastest kernel of lesson 06 that needs no launch attributes, in a whole program: the sum of a
// million floats, 16 bytes per load. No atomics: the same bits every time.
//
//   nvcc minimal.cu -o minimal && ./minimal                               with a GPU
//   ../../build/common/simt/simtcc minimal.cu -o minimal && ./minimal     without one
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

static const unsigned WARP_SIZE = 32, FULL_MASK = 0xffffffff; // lanes; one bit for each

static __device__ unsigned grid_rank() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ unsigned grid_size() { return gridDim.x * blockDim.x; }

static __device__ inline float warp_reduce(float value) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) value += __shfl_xor_sync(FULL_MASK, value, s);
  return value;
}

static __device__ inline float block_reduce(float value) {
  __shared__ float slots[WARP_SIZE]; // one per warp: a block has at most 32
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  value = warp_reduce(value);
  __syncthreads(); // threads may still be reading the slots, from the call before
  if (lane == 0) slots[warp] = value;
  __syncthreads(); // every slot is written
  return warp_reduce(lane < blockDim.x / WARP_SIZE ? slots[lane] : 0.0f);
}

static __device__ void write_partial(float sum, float *out) {
  sum = block_reduce(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

static __device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

static __device__ float vector_sum(const float *in, unsigned n, unsigned me, unsigned n_threads) {
  // A float4 lies at a multiple of 16 bytes: `head` elements come before the first one.
  const unsigned to_boundary = (unsigned)(-(uintptr_t)in / sizeof *in % 4);
  const unsigned head = to_boundary < n ? to_boundary : n, n_vectors = (n - head) / 4;
  const float4 *vectors = (const float4 *)(in + head);
  float sum = 0.0f;
  float4 item[4];
  unsigned i = me;
  for (; i + 3 * n_threads < n_vectors; i += 4 * n_threads) {
    for (unsigned j = 0; j < 4; j++) item[j] = vectors[i + j * n_threads]; // 64 bytes in flight
    for (unsigned j = 0; j < 4; j++) sum += sum_of(item[j]);
  }
  for (unsigned j = 0; j < 3; j++) // up to three are left: these in flight together as well
    item[j] = i + j * n_threads < n_vectors ? vectors[i + j * n_threads] : float4{0, 0, 0, 0};
  for (unsigned j = 0; j < 3; j++) sum += sum_of(item[j]);
  if (me < head) sum += in[me];                   // up to three before the boundary
  if (me < (n - head) % 4) sum += in[n - 1 - me]; // and up to three at the end
  return sum;
}

// in[n] to one partial sum per block, out[gridDim.x]; blockDim.x is a multiple of 32.
extern "C" __global__ void vectors(const float *in, float *out, unsigned n) {
  write_partial(vector_sum(in, n, grid_rank(), grid_size()), out);
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

  // As many threads as the device holds; one partial sum per block, and their sum.
  int n_multiprocessors;
  check(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, 0), "asking");
  const unsigned block = 256, n_blocks = (unsigned)n_multiprocessors * (2048 / block);
  float *x_device, *sums;
  check(cudaMalloc(&x_device, n * sizeof(float)), "allocating the input");
  check(cudaMalloc(&sums, (n_blocks + 1) * sizeof(float)), "allocating the sums");
  check(cudaMemcpy(x_device, x, n * sizeof(float), cudaMemcpyHostToDevice), "copying the input");

  vectors<<<n_blocks, block>>>(x_device, sums, n);
  vectors<<<1, block>>>(sums, sums + n_blocks, n_blocks);
  check(cudaGetLastError(), "launching");
  check(cudaMemcpy(&sum, sums + n_blocks, sizeof(float), cudaMemcpyDeviceToHost), "copying back");
  printf("sum of %u numbers: %.0f, expected %.0f\n", n, sum, expected);
  check(cudaFree(x_device), "freeing");
  check(cudaFree(sums), "freeing");
  free(x);
  return sum == expected ? 0 : 1;
}
