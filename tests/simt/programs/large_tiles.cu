// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
// checked: NVIDIA's headers rely on lanes in step
//
// Cooperative groups: tiles of several warps, barriers in two parts, results that one member stores
// or adds to an atomic, scans that continue from one.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

#include <cstdio>
#include <utility>

namespace cg = cooperative_groups;
typedef cuda::atomic<int, cuda::thread_scope_device> counter;

template <int N> __global__ void tiles(int *out, float *sums) {
  __shared__ cg::block_tile_memory<512> memory;
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<N>(block);
  const int v = (int)block.thread_rank();
  int *to = out + 8 * v;
  to[0] = cg::reduce(tile, v, cg::plus<int>());
  to[1] = cg::reduce(tile, v ^ 37, cg::greater<int>());
  to[2] = (int)(cg::reduce(tile, (long long)v << 20, cg::plus<long long>()) >> 20);
  to[3] = tile.shfl(v, N - 3);
  to[4] = 2 * tile.any(v == 100) + tile.all(v >= 0);
  to[5] = (int)(1000 * tile.meta_group_rank() + tile.meta_group_size());
  to[6] = (int)tile.thread_rank();
  tile.sync();
  if constexpr (N > 32) {
    const auto warp = cg::tiled_partition<32>(tile);
    to[7] = warp.shfl(v, 0) + (int)(10 * warp.meta_group_rank() + warp.meta_group_size());
  } else {
    to[7] = cg::inclusive_scan(tile, v) - cg::exclusive_scan(tile, v);
  }
  sums[v] = cg::reduce(tile, 0.1f * (float)v, cg::plus<float>());
}

__global__ void in_two_parts(int *out) {
  __shared__ int s[128];
  const auto block = cg::this_thread_block();
  const int t = (int)block.thread_rank();
  s[t] = 3 * t;
  auto token = block.barrier_arrive();
  const int local = 7 * t;
  block.barrier_wait(std::move(token));
  out[t] = s[127 - t] + local;
}

__global__ void grid_in_two_parts(int *in, int *out) {
  auto grid = cg::this_grid();
  in[grid.thread_rank()] = 5 * (int)grid.thread_rank();
  auto token = grid.barrier_arrive();
  grid.barrier_wait(std::move(token));
  out[grid.thread_rank()] = in[grid.num_threads() - 1 - grid.thread_rank()];
}

__global__ void updates(int *out, counter *total, counter *taken) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int t = (int)block.thread_rank();
  cg::reduce_update_async(tile, *total, t, cg::plus<int>());
  cg::reduce_store_async(tile, &out[tile.meta_group_rank()], t, cg::greater<int>());
  const int k = cg::invoke_one_broadcast(tile, [&] { return 42 + (int)tile.meta_group_rank(); });
  if (tile.meta_group_rank() == 0) { // one tile alone, so that the order is known
    out[16 + t] = cg::exclusive_scan_update(tile, *taken, t + 1, cg::plus<int>());
    out[32 + t] = cg::inclusive_scan_update(tile, *taken, 1, cg::plus<int>());
  }
  cg::invoke_one(tile, [&] { out[8 + tile.meta_group_rank()] = k; });
}

static int h[8 * 512], *d;

static void show(int n, int step) {
  cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i += step) printf("%d ", h[i]);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

template <int N> void run(float *sums) {
  float f[512];
  tiles<N><<<1, 512>>>(d, sums);
  show(8 * 512, 91);
  cudaMemcpy(f, sums, sizeof f, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 512; i += 67) printf("%.9g ", (double)f[i]);
  printf("\n");
}

int main() {
  float *sums;
  int *in;
  counter *counters;
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&sums, 512 * sizeof(float));
  cudaMalloc(&in, 256 * sizeof(int));
  cudaMallocManaged(&counters, 2 * sizeof *counters);
  new (counters) counter(5);
  new (counters + 1) counter(100);
  run<16>(sums);
  run<64>(sums);
  run<128>(sums);
  run<256>(sums);
  run<512>(sums);
  in_two_parts<<<1, 128>>>(d);
  show(128, 9);
  void *arguments[] = {&in, &d};
  cudaLaunchCooperativeKernel((void *)grid_in_two_parts, 4, 64, arguments, 0, 0);
  show(256, 19);
  cudaMemset(d, 0, sizeof h);
  updates<<<1, 64>>>(d, counters, counters + 1);
  show(48, 1);
  printf("%d %d\n", counters[0].load(), counters[1].load());
  cudaFree(d);
  cudaFree(in);
  cudaFree(sums);
  cudaFree(counters);
  return 0;
}
