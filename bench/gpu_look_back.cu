// SPDX-License-Identifier: MIT
// gpu_look_back.cu - where the time of a tile goes in lesson 10's scan, on a real GPU. Not part of
// the build: compile it with
// `nvcc -O3 -std=c++17 -arch=native -Ilessons/10_single_pass_scan -Icommon/workbook
// bench/gpu_look_back.cu`
// and run it on a GPU. Its output for one H200 is figures/data/h200-look-back.csv, from which the
// lesson's chapter quotes.
//
// Method: the lesson's variant `vectors`, and the same without looking back, each with the clock of
// the whole GPU (%globaltimer) read by one thread of each block when it begins, has its ticket, has
// published its aggregate, knows its exclusive prefix, and has stored. The stamps of all tiles
// show, for each tile, how much of its waiting was for the slowest of the tiles before it to
// publish its aggregate, and how much for messages after that. Stamps cost a few stores per tile;
// the times of whole scans are measured without them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "look_back.cuh"
#include "tile.cuh"

enum { ROWS = 8, BEGUN = 0, DRAWN, PUBLISHED, KNOWN, STORED, N_STAMPS };
static const unsigned n = 1u << 28;

#define OK(call)                                                                                   \
  do {                                                                                             \
    cudaError_t error = (call);                                                                    \
    if (error != cudaSuccess) {                                                                    \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                               \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static __device__ uint64_t now() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

template <bool LOOKS, bool STAMPS>
__global__ void __launch_bounds__(1024) scan(const float *in, float *out, status_word *state,
                                             unsigned n, uint64_t (*stamps)[N_STAMPS]) {
  __shared__ float warps[32];
  __shared__ status_word ticket;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool writes = STAMPS && threadIdx.x == 0;
  uint64_t at[N_STAMPS] = {writes ? now() : 0};
  if (threadIdx.x == 0) ticket = draw(state, tiles_of(n, ROWS, blockDim.x));
  __syncthreads();
  if (writes) at[DRAWN] = now();
  const turn my = turn_of(ticket);
  four<float> row[ROWS];
  load_tile(row, in, my.tile, n, true);
  const float warp_sum = scan_rows(row);
  if (lane == 0) warps[warp] = warp_sum;
  __syncthreads();
  if (warp == 0) {
    const share<float> mine = share_of(warps);
    publish(state + FIRST_TILE, my, AGGREGATE, mine.sum);
    if (writes) at[PUBLISHED] = now();
    const float before = LOOKS ? prefix_from_windows<float>(state + FIRST_TILE, my) : 0.0f;
    publish(state + FIRST_TILE, my, INCLUSIVE_PREFIX, before + mine.sum);
    if (writes) at[KNOWN] = now();
    warps[lane] = before + mine.before;
  }
  __syncthreads();
  store_tile<ROWS>(row, 1, warps[warp], out, my.tile, n, true);
  if (writes) at[STORED] = now();
  for (int k = 0; writes && k < N_STAMPS; k++) stamps[my.tile][k] = at[k];
}

static float *in, *out;
static status_word *state;
// Numbers in [0, 1), none of them special.
static __global__ void fill(float *x, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = (float)(i * 2654435761u >> 8) * 0x1p-24f;
}

typedef void (*kernel)(const float *, float *, status_word *, unsigned, uint64_t (*)[N_STAMPS]);

static double median_ms(kernel k, unsigned block) {
  std::vector<float> ms(15);
  cudaEvent_t begin, end;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  for (int i = -2; i < (int)ms.size(); i++) {
    OK(cudaEventRecord(begin));
    k<<<tiles_of(n, ROWS, block), block>>>(in, out, state, n, nullptr);
    OK(cudaEventRecord(end));
    OK(cudaEventSynchronize(end));
    if (i >= 0) OK(cudaEventElapsedTime(&ms[i], begin, end));
  }
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

static void print(const char *experiment, unsigned block, const char *quantity, double value,
                  const char *unit) {
  printf("%s,%u,%s,%.4g,%s\n", experiment, block, quantity, value, unit);
}

static void trace(unsigned block) {
  const unsigned tiles = tiles_of(n, ROWS, block);
  uint64_t(*device)[N_STAMPS];
  std::vector<uint64_t> at((size_t)tiles * N_STAMPS);
  OK(cudaMalloc(&device, at.size() * sizeof at[0]));
  for (int i = 0; i < 3; i++) scan<true, true><<<tiles, block>>>(in, out, state, n, device);
  OK(cudaMemcpy(at.data(), device, at.size() * sizeof at[0], cudaMemcpyDeviceToHost));
  double ticket = 0, fetch = 0, slowest = 0, messages = 0, store = 0;
  uint64_t last_published = 0;
  for (unsigned t = 0; t < tiles; t++) {
    const uint64_t *a = &at[(size_t)t * N_STAMPS];
    last_published = std::max(last_published, a[PUBLISHED]); // of all tiles up to this one
    const uint64_t from = std::min(last_published, a[KNOWN]);
    ticket += (double)(a[DRAWN] - a[BEGUN]);
    fetch += (double)(a[PUBLISHED] - a[DRAWN]);
    slowest += (double)(from - a[PUBLISHED]);
    messages += (double)(a[KNOWN] - from);
    store += (double)(a[STORED] - a[KNOWN]);
  }
  const double us = 1e-3 / tiles;
  print("trace", block, "ticket_us", us * ticket, "us");
  print("trace", block, "fetch_us", us * fetch, "us");
  print("trace", block, "slowest_us", us * slowest, "us");
  print("trace", block, "messages_us", us * messages, "us");
  print("trace", block, "store_us", us * store, "us");
  print("trace", block, "all_us", us * (ticket + fetch + slowest + messages + store), "us");
  OK(cudaFree(device));
}

int main() {
  OK(cudaMalloc(&in, n * sizeof *in));
  OK(cudaMalloc(&out, n * sizeof *out));
  OK(cudaMalloc(&state, (FIRST_TILE + tiles_of(n, ROWS, 256)) * sizeof *state));
  fill<<<1056, 256>>>(in, n);
  OK(cudaGetLastError());
  OK(cudaMemset(state, 0, (FIRST_TILE + tiles_of(n, ROWS, 256)) * sizeof *state));
  printf("# method: bench/gpu_look_back.cu; tiles of 32 elements per thread, 2^28 floats; whole "
         "scans: "
         "medians of 15 launches timed by events; trace: means over all tiles of one launch\n"
         "# key: experiment/block\nexperiment,block,quantity,value,unit\n");
  for (unsigned block = 256; block <= 1024; block *= 2) {
    const double looks = median_ms(scan<true, false>, block);
    const double not_at_all = median_ms(scan<false, false>, block);
    print("scan", block, "gb_per_s", 8e-6 * n / looks, "GB/s");
    print("no_look_back", block, "gb_per_s", 8e-6 * n / not_at_all, "GB/s");
    trace(block);
  }
}
