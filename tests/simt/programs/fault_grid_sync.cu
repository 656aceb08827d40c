// SPDX-License-Identifier: MIT
// stderr: fault_grid_sync.cu
//
// grid.sync() in a kernel that was not launched cooperatively.
// nvcc: -arch=sm_80
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sync_all() { cooperative_groups::this_grid().sync(); }

int main() {
  sync_all<<<4, 32>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
