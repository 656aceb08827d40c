// SPDX-License-Identifier: MIT
// Which NaN a result has when several operands are NaN, in double: the second operand's, then the
// third's, then the first's; of a quotient the first's.
#include <cstdio>

typedef unsigned long long u64;

// Operands a, b and c are each a NaN with its number as payload, a negative one, or a number.
#define OPERATIONS(X)                                                                              \
  X(add, "add.f64 %0, %1, %2;")                                                                    \
  X(sub, "sub.f64 %0, %1, %2;")                                                                    \
  X(mul, "mul.f64 %0, %1, %2;")                                                                    \
  X(fma, "fma.rn.f64 %0, %1, %2, %3;")                                                             \
  X(max, "max.f64 %0, %1, %2;")                                                                    \
  X(min, "min.f64 %0, %1, %2;")                                                                    \
  X(div, "div.rn.f64 %0, %1, %2;")                                                                 \
  X(add_rz, "add.rz.f64 %0, %1, %2;")                                                              \
  X(fma_neg_a, "{ .reg .f64 n; neg.f64 n, %1; fma.rn.f64 %0, n, %2, %3; }")                        \
  X(fma_neg_c, "{ .reg .f64 n; neg.f64 n, %3; fma.rn.f64 %0, %1, %2, n; }")

__device__ double operand(int kind, u64 payload, double number) {
  return kind == 0   ? __longlong_as_double(0x7ff8000000000000ull | payload)
         : kind == 1 ? __longlong_as_double(0xfff8000000000000ull | (payload + 1))
                     : number;
}
#define KERNEL(name, text)                                                                         \
  __global__ void name##_kernel(u64 *out) {                                                        \
    const int i = threadIdx.x;                                                                     \
    const double a = operand(i % 3, 1, 2), b = operand(i / 3 % 3, 3, 3), c = operand(i / 9, 5, 4); \
    double r;                                                                                      \
    asm volatile(text : "=d"(r) : "d"(a), "d"(b), "d"(c));                                         \
    out[i] = __double_as_longlong(r);                                                              \
  }
OPERATIONS(KERNEL)

static void show(const char *name, void (*kernel)(u64 *)) {
  u64 *out, results[27];
  cudaMalloc(&out, sizeof results);
  kernel<<<1, 27>>>(out);
  cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
  cudaFree(out);
  for (int i = 0; i < 27; i++)
    printf("%s a%d b%d c%d %016llx\n", name, i % 3, i / 3 % 3, i / 9, results[i]);
}

int main() {
#define SHOW(name, text) show(#name, name##_kernel);
  OPERATIONS(SHOW)
  return 0;
}
