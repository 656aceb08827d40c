// SPDX-License-Identifier: MIT
// Lesson 13's peer_reads in a whole program: the sum of a million floats for each GPU there is.
//
//   nvcc minimal.cu -o minimal && ./minimal                                              with GPUs
//   ../../build/common/simt/simtcc minimal.cu -o minimal && SIMT_DEVICES=4 ./minimal     without
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

static const unsigned WARP_SIZE = 32, FULL_MASK = 0xffffffff; // lanes; one bit for each
enum { MAX_DEVICES = 8, N = 1000003, BLOCK = 256, N_BLOCKS = 528 };
struct pointers {
  const float *of[MAX_DEVICES];
};

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

// in[n] to one partial sum per block; in[] is this GPU's own memory.
extern "C" __global__ void sum_share(const float *in, float *partials, unsigned n) {
  const float sum = block_reduce(unrolled_sum(in, n, grid_rank(), grid_size()));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// One block: the partial sums of all GPUs, read where they were left.
extern "C" __global__ void add_partials(pointers partials, float *out, unsigned n_gpus,
                                        unsigned n) {
  float sum = 0.0f;
  for (unsigned d = 0; d < n_gpus; d++)
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += partials.of[d][i];
  sum = block_reduce(sum);
  if (threadIdx.x == 0) *out = sum;
}

int main() {
  static float x[N], *in[MAX_DEVICES], *sums[MAX_DEVICES], sum, expected;
  pointers partials;
  int n_gpus;
  for (unsigned i = 0; i < N; i++) expected += x[i] = (float)(i % 3); // a float holds all sums
  check(cudaGetDeviceCount(&n_gpus), "counting the GPUs");
  if (n_gpus > MAX_DEVICES) n_gpus = MAX_DEVICES;
  expected *= (float)n_gpus;
  for (int d = 0; d < n_gpus; d++) {
    check(cudaSetDevice(d), "choosing a GPU");
    check(cudaMalloc(&in[d], sizeof x), "allocating the input");
    check(cudaMalloc(&sums[d], (N_BLOCKS + 1) * sizeof(float)), "allocating the sums");
    check(cudaMemcpy(in[d], x, sizeof x, cudaMemcpyHostToDevice), "copying the input");
    partials.of[d] = sums[d];
    sum_share<<<N_BLOCKS, BLOCK>>>(in[d], sums[d], N); // does not wait for its end
    check(cudaGetLastError(), "launching");
  }
  for (int d = n_gpus; d-- > 0;) { // then all have ended, and GPU 0 is current
    check(cudaSetDevice(d), "choosing a GPU");
    check(cudaDeviceSynchronize(), "adding up");
    check(cudaFree(in[d]), "freeing");
  }
  for (int d = 1; d < n_gpus; d++) check(cudaDeviceEnablePeerAccess(d, 0), "peer access");
  add_partials<<<1, BLOCK>>>(partials, sums[0] + N_BLOCKS, (unsigned)n_gpus, N_BLOCKS);
  check(cudaGetLastError(), "launching");
  check(cudaMemcpy(&sum, sums[0] + N_BLOCKS, sizeof sum, cudaMemcpyDeviceToHost), "copying back");
  printf("%d GPUs, sum %.0f, expected %.0f\n", n_gpus, sum, expected);
  while (n_gpus-- > 0) check(cudaFree(sums[n_gpus]), "freeing");
  return sum == expected ? 0 : 1;
}
