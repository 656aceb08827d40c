// SPDX-License-Identifier: MIT
// simd.h - the program of simd.cu and simd_differences.cu: functions of one and of two words (lists
// ONE_WORD and TWO_WORDS) on every pair of some words around the parts' limits.
#include <cstdio>

enum { N = 12, CASES = N * N };
__constant__ unsigned words[N] = {0x00000000, 0xffffffff, 0x80808080, 0x7f7f7f7f,
                                  0x80008000, 0x7fff7fff, 0x01020304, 0xfffefdfc,
                                  0x12345678, 0x8f7e0180, 0x00ff0100, 0xdeadbeef};

#define TWO_WORDS_KERNEL(name)                                                                     \
  __global__ void kernel_##name(unsigned *out) {                                                   \
    out[threadIdx.x] = name(words[threadIdx.x / N], words[threadIdx.x % N]);                       \
  }
#define ONE_WORD_KERNEL(name)                                                                      \
  __global__ void kernel_##name(unsigned *out) {                                                   \
    out[threadIdx.x] = name(words[threadIdx.x / N] ^ words[threadIdx.x % N]);                      \
  }
TWO_WORDS(TWO_WORDS_KERNEL)
ONE_WORD(ONE_WORD_KERNEL)

static void show(const char *name, const unsigned *out) {
  unsigned hash = 0;
  for (int i = 0; i < CASES; i++) hash = (hash ^ out[i]) * 0x01000193u;
  printf("%-14s %08x %08x %08x\n", name, out[8 * N + 9], out[9 * N + 11], hash);
}

int main() {
  unsigned *out;
  if (cudaMallocManaged(&out, CASES * sizeof *out) != cudaSuccess) return 1;
#define RUN(name)                                                                                  \
  kernel_##name<<<1, CASES>>>(out);                                                                \
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;                                            \
  show(#name, out);
  TWO_WORDS(RUN)
  ONE_WORD(RUN)
  cudaFree(out);
  return 0;
}
