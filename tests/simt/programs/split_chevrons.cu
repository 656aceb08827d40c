// SPDX-License-Identifier: MIT
// Launches as some editors lay them out, with <<< and >>> in two parts, which nvcc takes. Shifts,
// nested templates and strings look alike and stay what they are. And registers in assembly with
// one percent sign, which nvcc takes; %-d and %% of other strings, (asm ("%laneid: in a comment.
#include <cstdio>

#include "split_chevrons.h"

// clang-format off
template <typename T> struct box { T value; };

__global__ void store(int *x, int value) { x[threadIdx.x] = value + __LINE__; }

__device__ unsigned lane() {
  unsigned r;
  asm volatile("{\n\t.reg .u32 %mine;\n\tmov.u32 %mine, %laneid;\n\tadd.u32 %0, %mine, %%laneid;}"
               : "=r"(r) /* %tid: */);
  asm ("// %smid without operands");
  return r;
}

__global__ void lanes() {
  if (threadIdx.x == 5) printf("%u %%laneid %s\n", lane(), "%smid");
}

int main() {
  int *x, h[4];
  cudaMalloc(&x, sizeof h);
  store << <1, 4 >> >(x, 100);
  store << < 1, 4 >> > (x, 200);
  store<<< 1, 2 >> >(x, 3 * STEP);
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
  box<box<box<int> > > nested = {{{5 >> 1 << 3}}};
  auto made = box<box<box<int>> >();
  made.value.value.value = 7;
  printf("<< <%d>> >(%d) line %d\n", nested.value.value.value, made.value.value.value, __LINE__);
  cudaFree(x);
  lanes << <1, 32>> >();
  cudaDeviceSynchronize();
  return 0;
}
