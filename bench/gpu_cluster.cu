// SPDX-License-Identifier: MIT
// gpu_cluster.cu - asks a real GPU what it costs to get at the shared memory of another block of
// the cluster, and to wait for it. Not part of the build: compile it with `nvcc -O3 -arch=native
// bench/gpu_cluster.cu -o /tmp/cluster` and run it on a GPU of capability 9.0 or later. Its output
// for an H100 and an H200 is figures/data/h100-clusters.csv and h200-clusters.csv, from which
// common/scripts/calibrate.py has the model's constants of clusters; tests/simt/test_model.c
// compares the model with the other rows.
//
// Method: a chain of accesses in one thread, each of which needs the result before it (latency),
// and independent accesses by 32 warps per SM in as many clusters as fit (interval: cycles of one
// SM per access of a warp). Every block reads, writes or adds in the same pattern to the next block
// of its cluster (or to the one opposite, or each lane to any), so each SM sends as much as it
// receives. Cycles by clock64(), medians. A row's name: measure, kind, pattern, blocks of the
// cluster, which block is reached.
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

enum { WORDS = 8192, THREADS = 1024, LENGTH = 256, CHAIN = 256, RUNS = 7 };
enum kind { LOAD, LOAD_16, STORE, STORE_16, ADD, ADD_RESULT, ADD_FLOAT, KINDS };
enum pattern { NEIGHBOURS, ONE_WORD, EVERY_SECOND, EVERY_EIGHTH, ONE_BANK, ANY_WORD, PATTERNS };
static const char *const kind_names[KINDS] = {"load", "load_16",    "store",    "store_16",
                                              "add",  "add_result", "add_float"};
static const char *const pattern_names[PATTERNS] = {"neighbours", "one_word", "every_2nd",
                                                    "every_8th",  "one_bank", "any_word"};

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "gpu_cluster: %s\n", cudaGetErrorString(error));
  exit(1);
}

static __device__ uint32_t word_of(int pattern, uint32_t t, uint32_t i, uint32_t random) {
  const uint32_t lane = t % 32, warp = t / 32;
  switch (pattern) {
  case ONE_WORD: return warp * 32 + i * 32;
  case EVERY_SECOND: return warp * 64 + lane * 2 + i * 64;
  case EVERY_EIGHTH: return warp * 256 + lane * 8 + i * 4;
  case ONE_BANK: return lane * 32 + warp + i;
  case ANY_WORD: return random >> 8;
  default: return t + i * 32;
  }
}

// `rank_step`: how far away in the cluster the accessed block is; with `any_rank`, each lane
// chooses.
template <int KIND, int PATTERN>
static __global__ void __launch_bounds__(THREADS)
    interval(uint32_t rank_step, bool any_rank, long long *cycles, uint32_t *sink) {
  __shared__ __align__(16) uint32_t words[WORDS];
  cg::cluster_group cluster = cg::this_cluster();
  const uint32_t t = threadIdx.x, n = cluster.num_blocks();
  for (uint32_t i = t; i < WORDS; i += THREADS) words[i] = i;
  const uint32_t first = (cluster.block_rank() + rank_step) % n;
  uint32_t *other = cluster.map_shared_rank(words, first);
  uint32_t random = (blockIdx.x * THREADS + t) * 2654435761u + 12345u, sum = 0;
  cluster.sync();
  const long long begin = clock64();
#pragma unroll 8
  for (uint32_t i = 0; i < LENGTH; i++) {
    if (PATTERN == ANY_WORD) random = random * 1664525u + 1013904223u;
    uint32_t at = word_of(PATTERN, t, i, random) % WORDS;
    uint32_t *to = any_rank ? cluster.map_shared_rank(words, (random >> 4) % n) : other;
    if (KIND == LOAD_16 || KIND == STORE_16) at = at * 4 % WORDS;
    if (KIND == LOAD) sum += *(volatile uint32_t *)(to + at);
    if (KIND == LOAD_16) {
      const uint4 four = *(uint4 *)(to + at);
      sum += four.x + four.y + four.z + four.w;
    }
    if (KIND == STORE) *(volatile uint32_t *)(to + at) = i;
    if (KIND == STORE_16) *(uint4 *)(to + at) = make_uint4(i, i, i, i);
    if (KIND == ADD) atomicAdd(to + at, 1u);
    if (KIND == ADD_RESULT) sum += atomicAdd(to + at, 1u);
    if (KIND == ADD_FLOAT) atomicAdd((float *)(to + at), 1.0f);
  }
  if (sum == 0xfffffff1u) *sink = sum;
  cluster.sync();
  const long long end = clock64();
  if (t == 0) cycles[blockIdx.x] = end - begin;
}

template <int KIND>
static __global__ void latency(uint32_t zero, long long *cycles, uint32_t *sink) {
  __shared__ uint32_t words[WORDS];
  cg::cluster_group cluster = cg::this_cluster();
  for (uint32_t i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = 0;
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    uint32_t *other = cluster.map_shared_rank(words, cluster.num_blocks() - 1), x = 0;
    long long begin = 0;
    for (int round = 0; round < 2; round++) {
      if (round == 1) begin = clock64();
      for (int i = 0; i < CHAIN; i++)
        x = KIND == LOAD ? *(volatile uint32_t *)(other + x) : atomicAdd(other + x, zero);
    }
    *cycles = clock64() - begin;
    if (x == 12345) *sink = x;
  }
  cluster.sync();
}

static __global__ void barriers(long long *cycles) {
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  const long long begin = clock64();
  for (int i = 0; i < CHAIN; i++) cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) *cycles = clock64() - begin;
}

// Launches clusters of `size` blocks: one cluster, or one block on each SM that such clusters can
// use (by asking for more than half of an SM's shared memory). Returns the number of blocks; 0: no
// such cluster fits.
template <typename... ARGS>
static uint32_t launch(void (*kernel)(ARGS...), bool everywhere, uint32_t n_threads, uint32_t size,
                       ARGS... args) {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.gridDim = size;
  config.blockDim = n_threads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  if (everywhere) {
    config.dynamicSmemBytes = 96 << 10;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)config.dynamicSmemBytes));
  }
  int fit = 0;
  if (cudaOccupancyMaxActiveClusters(&fit, kernel, &config) != cudaSuccess || fit == 0) {
    cudaGetLastError();
    return 0;
  }
  if (everywhere) config.gridDim = (uint32_t)fit * size;
  check(cudaLaunchKernelEx(&config, kernel, args...));
  check(cudaDeviceSynchronize());
  return config.gridDim.x;
}

static double median(double *values) {
  std::sort(values, values + RUNS);
  return values[RUNS / 2];
}

template <int KIND> static void print_latency(long long *cycles, uint32_t *sink) {
  for (uint32_t size : {1u, 2u, 4u, 8u, 16u}) {
    double values[RUNS];
    for (int run = 0; run < RUNS; run++) {
      if (launch(latency<KIND>, false, 32, size, 0u, cycles, sink) == 0) return;
      values[run] = (double)*cycles / CHAIN;
    }
    printf("latency_%s_%u,%.5g,cycles\n", kind_names[KIND], size, median(values));
  }
}

template <int KIND, int PATTERN> static void print_interval(long long *cycles, uint32_t *sink) {
  for (uint32_t size : {1u, 2u, 4u, 8u, 16u}) {
    for (int which = 0; which < 3; which++) { // the next block, the one opposite, any
      if (which == 1 && size < 4) continue;
      if (which == 2 && (size == 1 || PATTERN != ANY_WORD)) continue;
      double values[RUNS];
      uint32_t n_blocks = 0;
      for (int run = 0; run < RUNS; run++) {
        n_blocks = launch(interval<KIND, PATTERN>, true, THREADS, size, which == 1 ? size / 2 : 1u,
                          which == 2, cycles, sink);
        if (n_blocks == 0) return;
        long long sum = 0;
        for (uint32_t b = 0; b < n_blocks; b++) sum += cycles[b];
        values[run] = (double)sum / n_blocks / (LENGTH * (THREADS / 32));
      }
      static const char *const names[] = {"next", "opposite", "any"};
      printf("interval_%s_%s_%u_%s,%.5g,cycles per warp\n", kind_names[KIND],
             pattern_names[PATTERN], size, names[which], median(values));
    }
  }
}

// Of every barrier in a row, by blocks of 32 to 1,024 threads.
static void print_barriers(long long *cycles) {
  for (uint32_t size : {1u, 2u, 4u, 8u, 16u}) {
    for (uint32_t n_threads : {32u, 256u, 1024u}) {
      double values[RUNS];
      for (int run = 0; run < RUNS; run++) {
        if (launch(barriers, false, n_threads, size, cycles) == 0) return;
        values[run] = (double)*cycles / CHAIN;
      }
      printf("latency_barrier_%u_threads_%u,%.5g,cycles\n", n_threads, size, median(values));
    }
  }
}

template <int KIND> static void print_kind(long long *cycles, uint32_t *sink) {
  if constexpr (KIND == LOAD || KIND == ADD_RESULT) print_latency<KIND>(cycles, sink);
  print_interval<KIND, NEIGHBOURS>(cycles, sink);
  print_interval<KIND, ONE_WORD>(cycles, sink);
  print_interval<KIND, EVERY_SECOND>(cycles, sink);
  print_interval<KIND, EVERY_EIGHTH>(cycles, sink);
  print_interval<KIND, ONE_BANK>(cycles, sink);
  print_interval<KIND, ANY_WORD>(cycles, sink);
  fflush(stdout);
}

int main() {
  long long *cycles;
  uint32_t *sink;
  cudaDeviceProp device;
  int driver, runtime;
  check(cudaGetDeviceProperties(&device, 0));
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  check(cudaMallocManaged(&cycles, 4096 * sizeof *cycles));
  check(cudaMalloc(&sink, sizeof *sink));
  printf("# device: %s (%d SMs)\n# driver: CUDA %d.%d\n# toolkit: CUDA %d.%d\n"
         "# method: bench/gpu_cluster.cu; medians of %d runs\n# key: name\nname,value,unit\n",
         device.name, device.multiProcessorCount, driver / 1000, driver % 1000 / 10, runtime / 1000,
         runtime % 1000 / 10, RUNS);
  print_kind<LOAD>(cycles, sink);
  print_kind<LOAD_16>(cycles, sink);
  print_kind<STORE>(cycles, sink);
  print_kind<STORE_16>(cycles, sink);
  print_kind<ADD>(cycles, sink);
  print_kind<ADD_RESULT>(cycles, sink);
  print_kind<ADD_FLOAT>(cycles, sink);
  print_barriers(cycles); // the last, when clocks have risen
  return 0;
}
