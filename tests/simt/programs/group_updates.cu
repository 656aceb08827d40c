// SPDX-License-Identifier: MIT
//
// Cooperative groups: copies without waiting, large tiles, reductions and scans that update an
// atomic.
#include <cuda/barrier>
#include <cuda/atomic>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void k(const int *in, int *out, int n) {
  __shared__ alignas(16) int a[2][128];
  auto b = cg::this_thread_block();
  int s = 0;
  cg::memcpy_async(b, a[0], in, sizeof a[0]);
  for (int i = 1; i <= n; i++) {
    if (i < n) {
      cg::memcpy_async(b, a[i & 1], 128, in + i * 128, 128);
      cg::wait_prior<1>(b);
    } else cg::wait(b);
    s += a[(i - 1) & 1][127 - b.thread_rank()];
    b.sync();
  }
  out[b.thread_rank()] = s;
  auto w = cg::tiled_partition<32>(b);
  __shared__ int tb[4][32];
  cg::memcpy_async(w, tb[w.meta_group_rank()], in + w.meta_group_rank() * 32,
                   cuda::aligned_size_t<4>(128));
  cg::wait(w);
  out[128 + b.thread_rank()] = tb[w.meta_group_rank()][31 - w.thread_rank()];
}
__global__ void dims(int *o) {
  auto b = cg::this_thread_block();
  dim3 ti = b.thread_index(), gi = b.group_index(), d = b.dim_threads();
  if (b.thread_rank() == 13 && gi.x + gi.y == 0) {
    o[0] = ti.x + ti.y * 10 + ti.z * 100;
    o[2] = d.x * d.y * d.z;
    o[3] = b.size();
    o[4] = b.num_threads();
  }
  auto g = cg::this_grid();
  if (g.thread_rank() == 30) o[5] = g.size();
}
template <typename G> __device__ int gsum(G g, int *t, int v) {
  int l = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    t[l] = v;
    g.sync();
    if (l < i) v += t[l + i];
    g.sync();
  }
  return v;
}
__global__ void generic(int *o) {
  __shared__ int t[128];
  auto b = cg::this_thread_block();
  int r = gsum(b, t, b.thread_rank());
  if (b.thread_rank() == 0) o[0] = r;
  auto q = cg::tiled_partition<16>(b);
  r = gsum(q, t + q.meta_group_rank() * 16, b.thread_rank());
  if (q.thread_rank() == 0) o[1 + q.meta_group_rank()] = r;
  cg::thread_group tg = cg::tiled_partition(b, 8);
  r = gsum(tg, t + b.thread_rank() / 8 * 8, 1);
  if (b.thread_rank() == 40) o[20] = r;
}
__global__ void tiles64(int *o) {
  __shared__ cg::block_tile_memory<256> mem;
  auto b = cg::this_thread_block(mem);
  auto t = cg::tiled_partition<64>(b);
  int r = cg::reduce(t, (int)b.thread_rank(), cg::plus<int>());
  o[b.thread_rank()] = r + t.meta_group_rank();
  t.sync();
  int x = t.shfl(b.thread_rank(), 33);
  int any = t.any(b.thread_rank() == 70);
  o[256 + b.thread_rank()] = x * 10 + any;
}
__global__ void atomics(int *o) {
  auto w = cg::tiled_partition<32>(cg::this_thread_block());
  cuda::atomic_ref<int, cuda::thread_scope_block> r(o[0]);
  cg::reduce_store_async(w, r, (int)w.thread_rank(), cg::plus<int>());
  w.sync();
  cuda::atomic_ref<int, cuda::thread_scope_block> r2(o[1]);
  cg::reduce_update_async(w, r2, (int)w.thread_rank(), cg::greater<int>());
  w.sync();
  int e = cg::exclusive_scan_update(w, r2, 2, cg::plus<int>());
  o[2 + w.thread_rank()] = e;
}
int main() {
  int *in, *o;
  cudaMallocManaged(&in, 8192);
  cudaMallocManaged(&o, 4096);
  for (int i = 0; i < 2048; i++) in[i] = i * 7 % 53;
  k<<<1, 128>>>(in, o, 10);
  printf("%d\n", cudaDeviceSynchronize());
  for (int i = 0; i < 256; i += 17) printf("%d ", o[i]);
  printf("\n");
  dims<<<dim3(2, 2), dim3(4, 3, 2)>>>(o);
  cudaDeviceSynchronize();
  printf("%d %d %d %d %d\n", o[0], o[2], o[3], o[4], o[5]);
  generic<<<1, 128>>>(o);
  cudaDeviceSynchronize();
  printf("%d %d %d %d\n", o[0], o[1], o[8], o[20]);
  tiles64<<<1, 256>>>(o);
  printf("%d\n", cudaDeviceSynchronize());
  printf("%d %d %d %d\n", o[0], o[100], o[256], o[256 + 65]);
  o[0] = 0;
  o[1] = 5;
  atomics<<<1, 32>>>(o);
  printf("%d\n", cudaDeviceSynchronize());
  printf("%d %d %d %d\n", o[0], o[1], o[2], o[33]);
}
