// SPDX-License-Identifier: MIT
// The fastest kernel of lesson 07 in a whole program: the sum of a million floats in one
// cooperative launch, whose blocks wait for each other at a barrier of the whole grid.
//
//   nvcc minimal.cu -o minimal && ./minimal                               with a GPU
//   ../../build/common/simt/simtcc minimal.cu -o minimal && ./minimal     without one
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
namespace cg = cooperative_groups;

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

// The share of thread `me` of `n_threads` in the sum of in[n].
template <typename number>
static __device__ inline number unrolled_sum(const number *in, unsigned n, unsigned me,
                                             unsigned n_threads) {
  number sum = 0, item[8];
  unsigned i = me;
  for (; i + 7 * n_threads < n; i += 8 * n_threads) {
#pragma unroll
    for (unsigned j = 0; j < 8; j++) item[j] = in[i + j * n_threads];
#pragma unroll
    for (unsigned j = 0; j < 8; j++) sum += item[j];
  }
  for (; i < n; i += n_threads) sum += in[i];
  return sum;
}

template <typename Group> // a block or the whole grid: the loop need not know
static __device__ float share_of_sum(const Group &group, const float *x, unsigned n) {
  return unrolled_sum(x, n, (unsigned)group.thread_rank(), (unsigned)group.size());
}

typedef cg::thread_block_tile<32> warp_tile;
static __device__ float by_library(const warp_tile &tile, float value) {
  return cg::reduce(tile, value, cg::plus<float>());
}

template <float (*sum_of_tile)(const warp_tile &tile, float value)>
static __device__ float block_sum(const cg::thread_block &block, float value) {
  __shared__ float slots[32];
  const warp_tile tile = cg::tiled_partition<32>(block);
  const unsigned rank = tile.thread_rank();
  value = sum_of_tile(tile, value);
  block.sync(); // threads may still be reading the slots, from the call before
  if (rank == 0) slots[tile.meta_group_rank()] = value;
  block.sync(); // every slot is written
  return sum_of_tile(tile, rank < tile.meta_group_size() ? slots[rank] : 0.0f);
}

// in[n] to partials[gridDim.x], one per block, and to their sum, *out.
extern "C" __global__ void grid_sum(const float *in, float *partials, float *out, unsigned n) {
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  float sum = block_sum<by_library>(block, share_of_sum(grid, in, n));
  if (block.thread_rank() == 0) partials[blockIdx.x] = sum;
  grid.sync(); // every partial sum is written, and every block can read it
  if (blockIdx.x > 0) return;
  sum = block_sum<by_library>(block, share_of_sum(block, partials, gridDim.x));
  if (block.thread_rank() == 0) *out = sum;
}

int main() {
  // The input: small whole numbers, whose sum a float holds exactly.
  unsigned n = 1000003;
  float *x = (float *)malloc(n * sizeof(float)), sum, expected = 0.0f;
  if (!x) return 1;
  for (unsigned i = 0; i < n; i++) {
    x[i] = (float)(i % 10);
    expected += x[i];
  }

  float *x_device, *sums;
  check(cudaMalloc(&x_device, n * sizeof(float)), "allocating the input");
  check(cudaMemcpy(x_device, x, n * sizeof(float), cudaMemcpyHostToDevice), "copying the input");

  // As many blocks as the device holds at once, and no more: none may wait for one to end.
  int n_multiprocessors, each, block = 256;
  check(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, 0), "asking");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, grid_sum, block, 0), "asking");
  const int n_blocks = n_multiprocessors * each;
  check(cudaMalloc(&sums, (n_blocks + 1) * sizeof(float)), "allocating the sums");

  float *out = sums + n_blocks; // the sum of all, after the partial sums
  void *arguments[] = {&x_device, &sums, &out, &n};
  check(cudaLaunchCooperativeKernel(grid_sum, n_blocks, block, arguments), "launching");
  check(cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost), "the kernel");
  printf("sum of %u numbers: %.0f, expected %.0f\n", n, sum, expected);
  check(cudaFree(x_device), "freeing");
  check(cudaFree(sums), "freeing");
  free(x);
  return sum == expected ? 0 : 1;
}
