// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
// Cooperative groups: tiles, coalesced groups, partitions, reductions and scans over them, and the
// grid's barrier; a grid that cannot be co-resident is refused.
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
struct pair_t {
  float v;
  int i;
};
__global__ void tiles(int *out, float *fo) {
  cg::thread_block b = cg::this_thread_block();
  auto t = cg::tiled_partition<8>(b);
  cg::thread_block_tile<32> w = cg::tiled_partition<32>(b);
  int r = b.thread_rank();
  out[r] = cg::reduce(t, r, cg::plus<int>());
  fo[r] = cg::reduce(w, (float)r, cg::greater<float>());
  out[64 + r] = cg::exclusive_scan(w, 1);
  pair_t p = {(float)(r * 7 % 13), r};
  auto best = cg::reduce(
      w, p, [](pair_t a, pair_t c) { return a.v > c.v || (a.v == c.v && a.i < c.i) ? a : c; });
  out[128 + r] = best.i;
  if (r % 3 == 0) {
    cg::coalesced_group g = cg::coalesced_threads();
    out[192 + r] = g.size() * 100 + g.thread_rank();
    out[256 + r] =
        cg::reduce(g, r, cg::plus<int>()) + (int)cg::reduce(g, (float)r, cg::plus<float>());
  } else {
    out[192 + r] = -1;
    out[256 + r] = 0;
  }
  out[320 + r] = t.meta_group_rank() * 1000 + t.meta_group_size() * 100 + t.ballot(r & 1);
  auto l = cg::labeled_partition(w, r % 5);
  out[384 + r] = l.meta_group_rank() * 100 + l.thread_rank();
  cg::sync(b);
  w.sync();
}
__global__ void grid(int *a, int *b, int n) {
  cg::grid_group g = cg::this_grid();
  int i = g.thread_rank();
  if (i < n) a[i] = i;
  g.sync();
  if (i < n) b[i] = a[n - 1 - i] + (g.is_valid() ? 1000 : 0);
}
int main() {
  int *out;
  float *fo;
  cudaMalloc(&out, 4 * 448);
  cudaMalloc(&fo, 256);
  tiles<<<1, 64>>>(out, fo);
  static int h[448];
  static float hf[64];
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(hf, fo, sizeof hf, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 7; k++) {
    for (int i = 0; i < 64; i += 5) printf("%d ", h[64 * k + i]);
    printf("\n");
  }
  printf("%g %g\n", hf[0], hf[63]);
  int *a, *b, n = 1000;
  cudaMalloc(&a, 4000);
  cudaMalloc(&b, 4000);
  void *args[] = {&a, &b, &n};
  printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel((void *)grid, 8, 128, args, 0, 0)));
  static int hb[1000];
  cudaMemcpy(hb, b, 4000, cudaMemcpyDeviceToHost);
  printf("%d %d %s\n", hb[0], hb[999], cudaGetErrorName(cudaGetLastError()));
  printf("%s\n",
         cudaGetErrorName(cudaLaunchCooperativeKernel((void *)grid, 1 << 20, 128, args, 0, 0)));
}
