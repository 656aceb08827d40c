// SPDX-License-Identifier: MIT
// Source of nvcc_sm75.ptx (nvcc 13.0, -lineinfo) and nvcc_sm90.ptx; directories were removed from the
// .file lines.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

__constant__ float scale[4] = {1.0f, 0.5f, -2.0f, 0.0f};
__device__ int table[2][3] = {{1, 2, 3}, {4, 5, -6}};
__device__ int counter;
__device__ int *where = &counter;
__managed__ int shared_counter = 7;
extern __shared__ float dynamic[];

__device__ __noinline__ float weigh(float value, const int *row) {
  return value * scale[row[1] & 3];
}

__global__ void __launch_bounds__(256, 2) sum(const float *in, float *out, int n) {
  auto grid = cg::this_grid();
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float value = 0;
  for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) value += in[i];
  dynamic[threadIdx.x] = weigh(cg::reduce(warp, value, cg::plus<float>()), where);
  grid.sync();
  if (threadIdx.x == 0) {
    atomicAdd(out, dynamic[0]);
    printf("%d %d\n", n, shared_counter);
  }
}

__global__ void mixed(__half *h, __half2 *pairs, double *d, unsigned long long *u, int (*f)(int)) {
  unsigned t = threadIdx.x;
  h[t] = __hadd(h[t], h[t + 1]);
  atomicAdd(pairs, pairs[1]);
  atomicAdd(d, 1.5);
  u[0] = __ballot_sync(0xffffffff, t & 1);
  u[1] = (unsigned long long)f(table[1][t]);
  float4 *q = (float4 *)d;
  q[3] = q[t];
}
