// SPDX-License-Identifier: MIT
// stderr: fault_cluster_barrier.cu:22
// stderr: deadlock: not all threads arrive at the cluster's barrier
// stderr: 64 of 64 threads (0 to 63) wait at the cluster's barrier
// stderr: in block (1,0,0), rank 1 of the cluster, 0 of 64 threads have arrived
// stderr: 64 of 64 threads (0 to 63) wait at grid.sync()
// flags: -arch=sm_90
// nvcc: skip
// hardware: it would run until it is stopped
//
// NVIDIA's grid.sync() is a loop that waits for memory. One block waits for the whole grid, the
// other one for their cluster.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) meet(int *out) {
  cg::cluster_group cluster = cg::this_cluster();
  if (cluster.block_rank() == 1) {
    cg::this_grid().sync();
  } else {
    cluster.sync();
  }
  out[threadIdx.x] = 1;
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof *out);
  void *arguments[] = {&out};
  cudaLaunchCooperativeKernel(meet, 2, 64, arguments);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
