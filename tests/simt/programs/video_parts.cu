// SPDX-License-Identifier: MIT
// Video instructions of two and four parts: signs, saturation, results that are added to c or
// replace parts of it, and parts chosen from both operands.
#include <cstdio>

// clang-format off
#define OPERATIONS(X)                                                                              \
  X("vadd2.u32.u32.u32.sat") X("vadd2.s32.s32.s32") X("vsub2.s32.s32.u32.add")                     \
  X("vavrg2.u32.u32.u32") X("vavrg2.s32.s32.s32.add") X("vabsdiff2.u32.s32.s32")                   \
  X("vabsdiff2.u32.u32.u32.add") X("vmin2.s32.s32.s32") X("vmax2.u32.u32.u32")                     \
  X("vmin2.s32.s32.s32.add") X("vset2.u32.u32.lt") X("vset2.s32.s32.ge.add")                       \
  X("vadd4.u32.u32.u32.sat") X("vadd4.s32.s32.s32.sat") X("vadd4.u32.u32.u32.add")                 \
  X("vsub4.u32.u32.u32") X("vsub4.s32.s32.s32.sat") X("vavrg4.u32.u32.u32")                        \
  X("vavrg4.s32.s32.s32") X("vabsdiff4.u32.u32.u32") X("vabsdiff4.u32.u32.u32.add")                \
  X("vabsdiff4.u32.s32.s32") X("vmin4.u32.u32.u32") X("vmax4.s32.s32.s32")                         \
  X("vmax4.s32.s32.s32.add") X("vset4.u32.u32.ne") X("vset4.s32.s32.gt.add")
#define CHOSEN(X)                                                                                  \
  X("vadd2.u32.u32.u32 %0.h10, %1.h12, %2.h30, %3;")                                               \
  X("vadd2.u32.u32.u32 %0.h0, %1.h10, %2.h32, %3;")                                                \
  X("vadd4.u32.u32.u32 %0.b10, %1.b7531, %2.b0246, %3;")                                           \
  X("vsub4.u32.u32.u32 %0.b3210, %1.b3210, %2.b7654, %3;")                                         \
  X("vmin4.u32.u32.u32.add %0, %1.b4321, %2.b3333, %3;")                                           \
  X("vmax4.s32.s32.s32.sat %0.b30, %1.b7654, %2.b0123, %3;")                                       \
  X("vset2.s32.u32.gt %0.h1, %1.h22, %2.h01, %3;")
// clang-format on

__global__ void all() {
  const unsigned v[] = {0, 0x7f80807f, 0x80008000, 0x7fff8000, 0xffffffff, 0x01ff00fe, 0x12345678};
  for (unsigned a : v)
    for (unsigned b : v) {
      const unsigned c = a * 3 ^ b ^ 0x00c0ffee;
      unsigned r;
      printf("%08x %08x:", a, b);
#define WHOLE(op)                                                                                  \
  asm volatile(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                          \
  printf(" %x", r);
#define PARTS(text)                                                                                \
  asm volatile(text : "=r"(r) : "r"(a), "r"(b), "r"(c));                                           \
  printf(" %x", r);
      OPERATIONS(WHOLE)
      CHOSEN(PARTS)
      printf("\n");
    }
}

// Scalar ones, where ptxas has its own ways: a sum without a sign that saturates at 0 only, and
// comparisons whose result has the sign of the first operand.
__global__ void scalar() {
  const unsigned v[] = {0, 1, 5, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678, 0xfedcba98};
  for (unsigned t = 0; t < 64; t += 5) {
    const unsigned a = v[t % 8], b = v[t / 8], c = v[(t * 3 + t / 8) % 8];
    unsigned r;
    printf("%08x %08x %08x:", a, b, c);
    WHOLE("vadd.u32.u32.u32.sat.add")
    WHOLE("vadd.u32.u32.u32.sat.min")
    WHOLE("vadd.u32.u32.s32.sat.add")
    WHOLE("vadd.s32.u32.u32.sat.add")
    WHOLE("vsub.u32.u32.u32.sat.add")
    WHOLE("vset.s32.s32.le.max")
    WHOLE("vset.s32.u32.gt.min")
    WHOLE("vset.u32.s32.ne.min")
    printf("\n");
  }
}

int main() {
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 22);
  all<<<1, 1>>>();
  scalar<<<1, 1>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
