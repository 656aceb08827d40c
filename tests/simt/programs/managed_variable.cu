// SPDX-License-Identifier: MIT
// Managed variables: the host and the device see the same bytes, from before the first call on.
#include <cstdio>

struct pair {
  int a;
  double b;
};
__managed__ int counter = 7;
__device__ __managed__ float table[4] = {1.5f, 2.5f};
__managed__ pair both;
static __managed__ int hidden = 3;

__global__ void count(int add) {
  atomicAdd(&counter, add);
  if (threadIdx.x < 4) table[threadIdx.x] += threadIdx.x;
  if (threadIdx.x == 0) both.a = hidden * 2, both.b = table[0] / 2, hidden++;
}
__global__ void by_address(int *number, const float *values) { *number += (int)values[3]; }

int main() {
  printf("before: %d %g %g %d %d\n", counter, table[0], table[1], both.a, hidden);
  counter = 10;
  table[3] = 8.25f;
  hidden += 20;
  count<<<1, 32>>>(2);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  printf("after: %d %g %g %g %g, %d %g %d\n", counter, table[0], table[1], table[2], table[3],
         both.a, both.b, hidden);
  by_address<<<1, 1>>>(&counter, table);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  printf("by address: %d\n", counter);
  return 0;
}
