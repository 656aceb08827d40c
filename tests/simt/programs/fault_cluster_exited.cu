// SPDX-License-Identifier: MIT
// stderr: cudaErrorLaunchFailure: fault_cluster_exited.cu:21
// stderr: load of 4 bytes in the shared memory of block 1 of the cluster
// stderr: have left the kernel
// stderr: cluster.sync()
// flags: -arch=sm_90
//
// A block reads the shared memory of another one that has left the kernel: a barrier is missing
// before its end. The error code is an H200's.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) read_late(int *out) {
  __shared__ int value;
  cg::cluster_group cluster = cg::this_cluster();
  value = 7;
  cluster.sync();
  if (cluster.block_rank() == 1) return;
  for (int i = 0; i < 100000; i++) __nanosleep(100); // as long as the other one takes
  out[threadIdx.x] = *cluster.map_shared_rank(&value, 1);
}

int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof *out);
  read_late<<<2, 32>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
