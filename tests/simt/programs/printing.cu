// SPDX-License-Identifier: MIT
// Device printf: conversions, order, and that it appears when the host synchronises.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void conversions() {
  printf("%d %i %u %x %X %o %c %%|%5d|%-5d|%05d|%+d\n", -1, 2, 3u, 255, 255, 8, 'A', 42, 42, 42,
         42);
  printf("%ld %lld %llu %llx %hd\n", -5l, 1ll << 40, ~0ull, 0xabcdefull << 20, (short)-3);
  printf("%f %.3f %10.2f %e %g %G %a\n", 1.5f, 3.14159, -2.5, 12345.678, 1e-10, 1e20, 0.5);
  printf("%s %10s|%-10s|%.3s %p\n", "text", "right", "left", "truncated", (void *)0x1234);
  printf("%*d|%-*d|\n", 6, 7, 6, 7);
  printf("no arguments\n");
}

__global__ void who(int only) {
  if (threadIdx.x == only || only < 0)
    printf("block %d thread %d\n", (int)blockIdx.x, (int)threadIdx.x);
}

// What all lanes print stands between what one of them prints.
__global__ void in_order() {
  int i = threadIdx.x;
  if (i == 0) printf("lanes:");
  printf(" %d", i);
  if (i == 0) printf("\n");
  if (i == 0) printf("twice:");
  printf(" %d", 2 * i);
  if (i == 0) printf("\n");
}

int main() {
  conversions<<<1, 1>>>();
  cudaDeviceSynchronize();
  who<<<1, 4>>>(-1);
  cudaStreamSynchronize(0);
  for (int b = 0; b < 3; b++) who<<<1, 64>>>(40);
  printf("host line, before the wait\n");
  fflush(stdout);
  cudaDeviceSynchronize();
  int x = printf("host line, after the wait\n");
  printf("%d\n", x);
  in_order<<<1, 8>>>();
  cudaDeviceSynchronize();
  return 0;
}
