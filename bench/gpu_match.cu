// SPDX-License-Identifier: MIT
// gpu_match.cu - asks a real GPU what __match_any_sync() costs among 1 to 32 different values. Not
// part of the build: compile it with `nvcc -O3 -arch=native bench/gpu_match.cu -o /tmp/match` and
// run it on a GPU. Its output for one H100 is figures/data/h100-match.csv, from which
// common/simt/profile/sm.c has what each further value adds; tests/simt/test_model.c compares them.
//
// Method: a chain of matches, each of which needs the result before it, in one warp (latency), and
// four such chains in each of 32 warps per SM (interval); cycles by clock64(), medians of 7 runs.
// Equal values lie side by side, or far apart (lane % values): the order must not matter.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { LENGTH = 32, ROUNDS = 16, CHAINS = 4, WARPS = 32, RUNS = 7 };
static const uint32_t FULL = 0xffffffffu;

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "gpu_match: %s\n", cudaGetErrorString(error));
  exit(1);
}

static __device__ uint32_t value_of(uint32_t lane, int values, bool apart) {
  return apart ? lane % (uint32_t)values : lane * (uint32_t)values / 32;
}

// `zero` is 0, which the compiler does not know: it ties each match to the one before.
static __global__ void latency(uint32_t zero, int values, bool apart, long long *cycles,
                               uint32_t *sink) {
  const uint32_t value = value_of(threadIdx.x, values, apart);
  uint32_t x = 0;
  long long begin = 0;
  for (int round = 0; round < ROUNDS + 1; round++) {
    if (round == 1) begin = clock64();
#pragma unroll
    for (int i = 0; i < LENGTH; i++) x = __match_any_sync(FULL, value + (x & zero));
  }
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - begin;
  if (x == 12345) *sink = 1;
}

static __global__ void __launch_bounds__(32 * WARPS)
    interval(uint32_t zero, int values, bool apart, long long *cycles, uint32_t *sink) {
  const uint32_t value = value_of(threadIdx.x % 32, values, apart);
  uint32_t x[CHAINS] = {};
  __syncthreads();
  const long long begin = clock64();
  for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
    for (int i = 0; i < LENGTH / CHAINS; i++)
#pragma unroll
      for (int c = 0; c < CHAINS; c++)
        x[c] = __match_any_sync(FULL, value + (uint32_t)c + (x[c] & zero));
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = end - begin;
  if (x[0] + x[1] + x[2] + x[3] == 12345) *sink = 1;
}

int main() {
  long long *cycles, longest[RUNS], most[RUNS];
  uint32_t *sink;
  cudaDeviceProp device;
  int driver, runtime;
  check(cudaGetDeviceProperties(&device, 0));
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  check(cudaMallocManaged(&cycles, sizeof *cycles));
  check(cudaMalloc(&sink, sizeof *sink));
  printf("# device: %s (%d SMs)\n# driver: CUDA %d.%d\n# toolkit: CUDA %d.%d\n"
         "# method: bench/gpu_match.cu; medians of %d runs\n"
         "values,apart,latency_cycles,interval_cycles_per_warp_and_sm\n",
         device.name, device.multiProcessorCount, driver / 1000, driver % 1000 / 10, runtime / 1000,
         runtime % 1000 / 10, RUNS);
  for (int apart = 0; apart < 2; apart++) {
    for (int values = 1; values <= 32; values++) {
      for (int run = 0; run < RUNS; run++) {
        latency<<<1, 32>>>(0, values, apart, cycles, sink);
        check(cudaDeviceSynchronize());
        longest[run] = *cycles;
        interval<<<device.multiProcessorCount, 32 * WARPS>>>(0, values, apart, cycles, sink);
        check(cudaDeviceSynchronize());
        most[run] = *cycles;
      }
      std::sort(longest, longest + RUNS);
      std::sort(most, most + RUNS);
      printf("%d,%d,%.3f,%.3f\n", values, apart, (double)longest[RUNS / 2] / (LENGTH * ROUNDS),
             (double)most[RUNS / 2] / (double)(WARPS * LENGTH * ROUNDS));
    }
  }
  return 0;
}
