// SPDX-License-Identifier: MIT
// flags: -arch=sm_90
// Code that is chosen for the host, for a device or for an architecture (nv/target), which is the
// one that the command line names.
#include <cstdio>
#include <nv/target>
__host__ __device__ int where() { NV_IF_TARGET(NV_IS_DEVICE, (return 1;), (return 2;)) }
__host__ __device__ int newest() {
  NV_DISPATCH_TARGET(NV_IS_HOST, (return 0;), NV_PROVIDES_SM_70, (return 70;), NV_PROVIDES_SM_60,
                     (return 60;))
  return -1;
}
__global__ void show() {
  int x = 0;
  NV_IF_TARGET(NV_IS_HOST, (x = 5;))
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_70, (x += 1;), (x += 2;))
  printf("%d %d %d\n", where(), newest(), x);
}
__global__ void architecture() {
#ifdef __CUDA_ARCH__
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (printf("%d\n", __CUDA_ARCH__);), (printf("older\n");))
  NV_IF_TARGET(NV_IS_EXACTLY_SM_80, (printf("sm_80\n");))
#endif
}
int main() {
  architecture<<<1, 1>>>();
  show<<<1, 1>>>();
  cudaDeviceSynchronize();
  printf("%d %d\n", where(), newest());
  return 0;
}
