// SPDX-License-Identifier: MIT
// Scalar video instructions: signs, saturation, a second operation, parts of registers.
#include <cstdio>

// clang-format off
#define THREE(name, op)                                                                            \
  static __device__ int name(int a, int b, int c) {                                                \
    int r;                                                                                         \
    asm volatile(op : "=r"(r) : "r"(a), "r"(b), "r"(c));                                           \
    return r;                                                                                      \
  }
#define PLAIN(name, op) THREE(name, op " %0, %1, %2, %3;")
#define TWO(name, op) THREE(name, op " %0, %1, %2;")
PLAIN(sum_saturated, "vadd.s32.s32.s32.sat.add")
PLAIN(sum_or_more, "vadd.u32.u32.s32.max")
PLAIN(difference_or_less, "vsub.s32.u32.u32.min")
PLAIN(distance, "vabsdiff.u32.s32.s32.add")
PLAIN(least_or_more, "vmin.s32.s32.s32.max")
PLAIN(most, "vmax.u32.u32.u32.add")
PLAIN(left, "vshl.u32.u32.u32.wrap.add")
PLAIN(right, "vshr.s32.s32.u32.clamp.add")
PLAIN(product, "vmad.s32.s32.s32")
PLAIN(scaled, "vmad.s32.s32.s32.sat.shr7")
TWO(sum, "vadd.s32.s32.s32")
TWO(difference, "vsub.s32.s32.s32.sat")
TWO(unsigned_distance, "vabsdiff.u32.u32.u32")
TWO(is_less, "vset.s32.s32.lt")
THREE(merged, "vadd.s32.s32.s32 %0.b1, %1.b2, %2.h1, %3;")
THREE(parts, "vsub.s32.u32.s32 %0, %1.h0, %2.b3;")
THREE(products_parts, "vmad.s32.u32.s32 %0, %1.b0, %2.h1, %3;")

THREE(lower, "vmin.u32.u32.u32.sat %0.h0, %1.h1, %2.b1, %3;")
THREE(greater, "vset.u32.s32.ge %0.b3, %1.h0, %2.h1, %3;")
THREE(negative, "vmad.u32.u32.u32 %0, -%1, %2.b0, %3;")
THREE(plus_one, "vmad.u32.u32.u32.po.shr15 %0, %1, %2, %3;")
THREE(byte_saturated, "vadd.s32.s32.s32.sat %0.b2, %1.h0, %2.h0, %3;")
PLAIN(distance_or_more, "vabsdiff.u32.u32.u32.max")
// clang-format on

__global__ void measured() {
  const int v[] = {0, 5, -7, 0x7fffffff, (int)0x80000000, 0x12345678};
  for (int a : v)
    for (int b : v) {
      const int c = a ^ 0x55;
      printf("%08x %08x: %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x "
             "%08x %08x %08x\n",
             a, b, sum_saturated(a, b, c), sum_or_more(a, b, c), difference_or_less(a, b, c),
             distance(a, b, c), least_or_more(a, b, c), most(a, b, c), left(a, b, c),
             right(a, b, c), product(a, b, c), scaled(a, b, c), sum(a, b, c), difference(a, b, c),
             unsigned_distance(a, b, c), is_less(a, b, c), merged(a, b, c), parts(a, b, c),
             products_parts(a, b, c));
    }
}

__global__ void more() {
  const int v[] = {3, -9, 0x7f80fe01, (int)0x80ff0190};
  for (int a : v)
    for (int b : v)
      printf("more %08x %08x: %08x %08x %08x %08x %08x %08x\n", a, b, lower(a, b, 0x11223344),
             greater(a, b, 0x11223344), negative(a, b, 100), plus_one(a, b, 100),
             byte_saturated(a, b, 0x11223344), distance_or_more(a, b, (int)0x90000000));
}

int main() {
  measured<<<1, 1>>>();
  cudaDeviceSynchronize();
  more<<<1, 1>>>();
  printf("ends: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
