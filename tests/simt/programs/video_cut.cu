// SPDX-License-Identifier: MIT
// Video instructions where ptxas 13 computes otherwise than the PTX ISA says: a difference without
// a sign that saturates to a part of d has been cut off to 32 bits before, and c keeps its sign in
// a product and sum that are shifted. Sums over all triples of the numbers, each with a weight.
#include <cstdio>

#define NUMBERS 12

__constant__ unsigned number[NUMBERS] = {0,           1,           0x80000000u, 0xffffffffu,
                                         0x7fffffffu, 0x12345678u, 0xfedcba98u, 0x80ff7f01u,
                                         0x00ff00ffu, 0x8000,      33,          0xdeadbeefu};

__global__ void add_up(unsigned *sums) {
  const unsigned i = blockIdx.x * NUMBERS * NUMBERS + threadIdx.x, weight = i * 2654435761u | 1;
  const unsigned a = number[i / (NUMBERS * NUMBERS)], b = number[i / NUMBERS % NUMBERS];
  const unsigned c = number[i % NUMBERS];
  unsigned d;
  asm("vsub.u32.u32.u32.sat %0.b1, %1.h0, %2.b3, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  atomicAdd(&sums[0], d * weight);
  asm("vmad.u32.u32.u32.shr15 %0, %1.h0, %2.h1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  atomicAdd(&sums[1], d * weight);
}

int main() {
  unsigned *sums;
  cudaMallocManaged(&sums, 2 * sizeof *sums);
  sums[0] = sums[1] = 0;
  add_up<<<NUMBERS, NUMBERS * NUMBERS>>>(sums);
  cudaDeviceSynchronize();
  printf("vsub.sat %08x\nvmad.shr15 %08x\n", sums[0], sums[1]);
}
