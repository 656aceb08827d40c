// SPDX-License-Identifier: MIT
// simt_kernels.cu - the two kernels of the speed benchmark on the software GPU: a shared-memory
// tree of 256-thread blocks (one element per thread) and a grid-stride sum (64 elements per
// thread). Usage: bench_simt_kernels KERNEL N. Prints one JSON object: what was run, how long it
// took by the host's clock, whether the sum was right, what was executed. The kernels in kernels.cl
// are the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <cuda_runtime.h>
#include "simt.h"

enum { BLOCK = 256, ELEMENTS_PER_THREAD = 64 };

__device__ static float block_sum(float *s, float v) {
  uint32_t t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (uint32_t d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  return s[0];
}

extern "C" __global__ void tree(const float *x, float *partial, uint32_t n) {
  __shared__ float s[BLOCK];
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = block_sum(s, i < n ? x[i] : 0.0f);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void grid_stride(const float *x, float *partial, uint32_t n) {
  __shared__ float s[BLOCK];
  float v = 0.0f;
  uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t i = first; i < n; i += gridDim.x * blockDim.x) v += x[i];
  float sum = block_sum(s, v);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

static double now_s() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double launch(bool is_tree, const float *x, float *partial, uint32_t n, uint32_t blocks) {
  double begin = now_s();
  if (is_tree) tree<<<blocks, BLOCK>>>(x, partial, n);
  else grid_stride<<<blocks, BLOCK>>>(x, partial, n);
  if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return -1.0;
  return now_s() - begin;
}

// Integer-valued inputs: any order of addition gives the same, exact sum of a block.
static bool is_right(const float *host, const float *partial, uint32_t n, uint32_t blocks,
                     bool is_tree) {
  for (uint32_t b = 0; b < blocks; b++) {
    double sum = 0.0;
    uint64_t step = is_tree ? n : (uint64_t)blocks * BLOCK;
    for (uint64_t i = (uint64_t)b * BLOCK; i < n; i += step)
      for (uint32_t t = 0; t < BLOCK && i + t < n; t++) sum += host[i + t];
    if (!(partial[b] == (float)sum)) return false;
  }
  return true;
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: %s tree|grid_stride N\n", argv[0]), 2;
  bool is_tree = strcmp(argv[1], "tree") == 0;
  uint32_t n = (uint32_t)strtoul(argv[2], nullptr, 0);
  uint32_t blocks = is_tree ? (n + BLOCK - 1) / BLOCK : (n - 1) / (BLOCK * ELEMENTS_PER_THREAD) + 1;
  float *host = (float *)malloc((size_t)n * sizeof(float)), *x, *partial;
  float *host_partial = (float *)malloc(blocks * sizeof(float));
  if (!host || !host_partial || cudaMalloc(&x, (size_t)n * sizeof(float)) != cudaSuccess ||
      cudaMalloc(&partial, blocks * sizeof(float)) != cudaSuccess)
    return 1;
  for (uint32_t i = 0; i < n; i++) host[i] = (float)((i * 2654435761u >> 24) % 5u);
  cudaMemcpy(x, host, (size_t)n * sizeof(float), cudaMemcpyHostToDevice);
  launch(is_tree, x, partial, n < BLOCK ? n : BLOCK, 1);
  double seconds = launch(is_tree, x, partial, n, blocks);
  simt_counters c;
  simt_counters_last_launch(&c);
  cudaMemcpy(host_partial, partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(partial);
  bool ok = seconds > 0.0 && is_right(host, host_partial, n, blocks, is_tree);
  printf(
      "{\"kernel\":\"%s\",\"n\":%u,\"seconds\":%.9f,\"correct\":%s,\"warp_instructions\":%llu}\n",
      argv[1], n, seconds, ok ? "true" : "false", (unsigned long long)c.warp_instructions);
  return ok ? 0 : 1;
}
