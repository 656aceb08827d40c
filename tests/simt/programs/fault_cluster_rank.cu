// SPDX-License-Identifier: MIT
// stderr: cudaErrorLaunchFailure: fault_cluster_rank.cu:16
// stderr: store of 4 bytes in the shared memory of block 8 of the cluster
// stderr: there is no such block: the cluster has 4, ranks 0 to 3
// flags: -arch=sm_90
//
// A rank that the cluster does not have. The error code is an H200's.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) store(int offset) {
  __shared__ int value;
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  *cluster.map_shared_rank(&value, cluster.block_rank() + offset) = 7;
  cluster.sync();
}

int main() {
  store<<<4, 32>>>(5);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
