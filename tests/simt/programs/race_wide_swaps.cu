// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_90
// found: race: atomic and plain access
//
// A plain read of a half of what another block swaps as 16 bytes: it is used, so it is more than a
// guess for a compare-and-swap.
#include <cstdio>

typedef unsigned long long word;

__global__ void swap(word *p, word *seen) {
  const word a = p[0], b = p[1];
  word x, y;
  asm volatile("{ .reg .b128 c, v, o;\n"
               "mov.b128 c, {%3, %4}; mov.b128 v, {%5, %4};\n"
               "atom.global.cas.b128 o, [%2], c, v; mov.b128 {%0, %1}, o; }"
               : "=l"(x), "=l"(y)
               : "l"(p), "l"(a), "l"(b), "l"(a + 1)
               : "memory");
  seen[blockIdx.x] = b + x - x;
}

int main() {
  word *p;
  cudaMalloc(&p, 64);
  cudaMemset(p, 0, 64);
  swap<<<2, 1>>>(p, p + 2);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(p);
}
