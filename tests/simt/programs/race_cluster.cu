// SPDX-License-Identifier: MIT
// found: race: write after read, in shared memory
// found: they are in different blocks of one
// found: Likely missing: cluster.sync() between line 18 and line 21
// flags: -arch=sm_90
//
// A block reads its neighbour's sum without waiting for it: __syncthreads() is not enough. The
// blocks do wait at the end, so that no memory goes before it is read.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) pass_on(int *out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = (int)cluster.block_rank();
  cluster.sync();
  if (threadIdx.x == 0) sum = 10 + rank;
  __syncthreads();
  const int *next = cluster.map_shared_rank(&sum, 1 - rank);
  if (threadIdx.x == 5) out[rank] = *next > 0;
  cluster.sync();
}

int main() {
  int *out;
  cudaMallocManaged(&out, 2 * sizeof *out);
  pass_on<<<2, 32>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
}
