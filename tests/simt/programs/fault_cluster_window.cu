// SPDX-License-Identifier: MIT
// stderr: cudaErrorIllegalInstruction: fault_cluster_window.cu:21
// stderr: load of 4 bytes in the shared memory of block 1 of the cluster
// stderr: this instruction (.shared) reaches the memory of its own block only, rank 0
// flags: -arch=sm_90
//
// The address of another block's memory, in an instruction that reaches the block's own only. The
// error code is an H200's.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void __cluster_dims__(2) read(unsigned *out) {
  __shared__ unsigned value;
  unsigned rank, there, got = 0;
  value = 7;
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, 1;"
      : "=r"(there)
      : "r"((unsigned)__cvta_generic_to_shared(&value)));
  if (rank == 0) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(got) : "r"(there) : "memory");
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  out[blockIdx.x] = got;
}

int main() {
  unsigned *out;
  cudaMalloc(&out, 8);
  read<<<2, 1>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
