// SPDX-License-Identifier: MIT
// fast_float.h - what -use_fast_math, -ftz, -prec-div and -prec-sqrt change of float, in bits: a
// line per operation with a hash of its results; denormals are frequent among the arguments.
#include <cstdio>
#include <cstring>

#define N 2048

__device__ float argument(unsigned i, unsigned k) {
  unsigned x = i * 2654435761u + k * 40503u;
  x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
  switch (i % 4) {
  case 0: return __uint_as_float(x & 0x807fffffu);                            // denormal
  case 1: return __uint_as_float((x & 0x807fffffu) | ((x >> 9) % 40) << 23);  // small
  case 2: return __uint_as_float((x & 0x807fffffu) | ((x >> 9) % 254) << 23); // any
  default: return __uint_as_float((x & 0x807fffffu) | (110 + (x >> 9) % 30) << 23);
  }
}

// clang-format off
#define OPERATIONS(X)                                                                              \
  X(add, a + b) X(subtract, a - b) X(multiply, a *b) X(divide, a / b) X(reciprocal, 1.0f / a)      \
  X(root, sqrtf(a)) X(root_of_quotient, sqrtf(a / b)) X(over_root, 1.0f / sqrtf(a))                \
  X(rsqrt, rsqrtf(a)) X( fma, fmaf(a, b, a)) X(product_and_sum, a *b + b) X(max, fmaxf(a, b))      \
  X(min, fminf(a, b)) X(less, a < b ? 1.0f : 2.0f) X(equal, a == b ? 1.0f : 0.0f)                  \
  X(to_int, (float)(int)a) X(to_double, (float)((double)a * (double)b))                            \
  X(fdividef, fdividef(a, b)) X(fast_fdividef, __fdividef(a, b)) X(fast_sin, __sinf(a))            \
  X(fast_exp, __expf(a)) X(fast_log, __logf(a)) X(fast_pow, __powf(fabsf(a), b))                   \
  X(add_rn, __fadd_rn(a, b)) X(multiply_rn, __fmul_rn(a, b)) X(divide_rn, __fdiv_rn(a, b))         \
  X(root_rn, __fsqrt_rn(a)) X(add_rz, __fadd_rz(a, b)) X(fma_ru, __fmaf_ru(a, b, a))               \
  X(floor, floorf(a)) X(rint, rintf(a)) X(trunc, truncf(a)) X(saturate, __saturatef(a))            \
  X(copysign, copysignf(a, b)) X(dim, fdimf(a, b))                                                 \
  X(kind, isnan(a)   ? 1.0f : isinf(a) ? 2.0f : 3.0f) X(to_long, (float)(long long)a) MORE(X)
// clang-format on

#define KERNEL(name, ...)                                                                          \
  __global__ void name##_kernel(float *out) {                                                      \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                      \
    const float a = argument(i, 1), b = argument(i, 2);                                            \
    (void)b;                                                                                       \
    out[i] = __VA_ARGS__;                                                                          \
  }
OPERATIONS(KERNEL)

static float results[N];

static void show(const char *name, void (*kernel)(float *)) {
  float *out;
  cudaMalloc(&out, sizeof results);
  kernel<<<N / 128, 128>>>(out);
  cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
  cudaFree(out);
  unsigned long long hash = 0xcbf29ce484222325ull;
  int n_denormal = 0;
  for (float result : results) {
    unsigned bits;
    memcpy(&bits, &result, 4);
    for (int k = 0; k < 4; k++) hash = (hash ^ (bits >> 8 * k & 255u)) * 0x100000001b3ull;
    n_denormal += (bits & 0x7f800000u) == 0 && (bits & 0x7fffffu) != 0;
  }
  printf("%s %016llx, %d denormal\n", name, hash, n_denormal);
}

int main() {
#define SHOW(name, ...) show(#name, name##_kernel);
  OPERATIONS(SHOW)
  return 0;
}
