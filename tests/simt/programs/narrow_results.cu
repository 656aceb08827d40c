// SPDX-License-Identifier: MIT
// simtcc: -arch=sm_90
// nvcc: -arch=sm_90
//
// Conversions to less than a register: to tf32, and of two integers side by side.
#include <cstdio>

__global__ void shortened() {
  const unsigned v[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                        0x7fc00000, 0x7fffffff, 0xff800001, 0xffffffff, 0x7f7fffff, 0x7f7ff000,
                        0x7f7fefff, 0x3f801000, 0x3f803000, 0xbf801000, 0x3f800fff, 0x00000fff,
                        0x00001000, 0x80001000, 0x12345678, 0xfedcba98};
  for (unsigned x : v) {
    unsigned r[5];
    const float f = __uint_as_float(x);
    asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[0]) : "f"(f));
    asm volatile("cvt.rn.tf32.f32 %0, %1;" : "=r"(r[1]) : "f"(f));
    asm volatile("cvt.rz.tf32.f32 %0, %1;" : "=r"(r[2]) : "f"(f));
    asm volatile("cvt.rn.relu.tf32.f32 %0, %1;" : "=r"(r[3]) : "f"(f));
    asm volatile("cvt.rz.relu.tf32.f32 %0, %1;" : "=r"(r[4]) : "f"(f));
    printf("%08x: %08x %08x %08x %08x %08x\n", x, r[0], r[1], r[2], r[3], r[4]);
  }
}

__global__ void packed() {
  const int v[] = {0, 1, -1, 2, -2, 7, -8, 8, 127, -129, 300, 70000, -70000, 0x7fffffff};
  for (int a : v)
    for (int b : {5, -3, 1000}) {
      const unsigned c = 0x89abcdef;
      unsigned r[8];
      asm volatile("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r[0]) : "r"(a), "r"(b));
      asm volatile("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(r[1]) : "r"(a), "r"(b));
#define PACK(i, type)                                                                              \
  asm volatile("cvt.pack.sat." type ".s32.b32 %0, %1, %2, %3;"                                     \
               : "=r"(r[i])                                                                        \
               : "r"(a), "r"(b), "r"(c))
      PACK(2, "s8");
      PACK(3, "u8");
      PACK(4, "s4");
      PACK(5, "u4");
      PACK(6, "s2");
      PACK(7, "u2");
      printf("%d %d:", a, b);
      for (unsigned x : r) printf(" %08x", x);
      printf("\n");
    }
}

int main() {
  shortened<<<1, 1>>>();
  packed<<<1, 1>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
