// SPDX-License-Identifier: MIT
// Quotients in sums, for the programs fused_quotients*.cu: each kernel's results for numbers of
// usual size, then for bits of every kind, as one hash. An H100 printed them.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 1 << 17, BLOCK = 256 };

#define KERNEL(name, ...)                                                                          \
  __global__ void name(const float *in, float *out) {                                              \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
    const float x = in[i], y = in[N + i], z = in[2 * N + i], q = x / y;                            \
    (void)z, (void)q;                                                                              \
    out[i] = __VA_ARGS__;                                                                          \
  }

KERNEL(plus, x / y + z)
KERNEL(minus, x / y - z)
KERNEL(from, z - x / y)
KERNEL(two, x / y + z / x)
KERNEL(two_of_one, x / y + x / z)
KERNEL(three, x / y + y / z + z / x)
KERNEL(plus_product, x / y + x * z)
KERNEL(product_plus, x *z + x / y)
KERNEL(product_minus, x *z - x / y)
KERNEL(minus_product, x / y - x * z)
KERNEL(sum_and_product, (q + z) * q)
KERNEL(two_sums, (q + z) * (q - z))
KERNEL(two_differences, (q + z) * (q - x))
KERNEL(in_fma, fmaf(q, z, x))
KERNEL(plus_one, x / y + 1.0f)
KERNEL(of_root, sqrtf(x) / y + z)
KERNEL(by_root, x / sqrtf(y) + z)
KERNEL(by_constant, x / 3.7f + z)
KERNEL(of_constant, 2.0f / x + z)
KERNEL(reciprocal, 1.0f / x + z)
KERNEL(root_below, 1.0f / sqrtf(x) + z)
KERNEL(times, x / y * z + x)
KERNEL(negated, -(x / y) + z)
KERNEL(magnitude, fabsf(x / y) + z)
KERNEL(of_sums, (x - y) / (x + y) + z * z)
KERNEL(again, x / y / z + x)
KERNEL(of_quotients, (x / y + z) / (x / z + y))
KERNEL(quick, __fdividef(x, y) + z)
KERNEL(quick_from, z - __fdividef(x, y))
KERNEL(quick_two, __fdividef(x, y) + __fdividef(y, z))
KERNEL(quick_product, __fdividef(x, y) - x * z)
KERNEL(chosen, x / y > 1.0f ? x / y + z : z)
KERNEL(as_double, (float)((double)(x / y) + z))
KERNEL(rounded, __fdiv_rn(x, y) + z)
#ifdef WITH_FUNCTIONS // only the quick ones have an H100's bits without a toolkit
KERNEL(sigmoid, x / (1.0f + expf(-y)) + z)
KERNEL(tangent, tanf(x) + z)
KERNEL(tangent_by_hand, sinf(x) / cosf(x) - z)
#endif

typedef void (*kernel)(const float *, float *);
static float host[3 * N];

static void fill(bool any_bits) {
  uint32_t s = 777;
  for (int i = 0; i < 3 * N; i++) {
    s = s * 1664525u + 1013904223u;
    host[i] = 0.01f + (s >> 8) * (1.0f / 16777216) * 4;
    if (!any_bits) continue;
    uint32_t bits = (s ^ s << 13) & 0xbfffffff;
    if (i % 7 == 0) bits &= 0x807fffff;
    if (i % 11 == 0) bits |= 0x7e800000;
    memcpy(host + i, &bits, sizeof bits);
  }
}

static void show(const char *name, kernel k, const float *in, float *out) {
  k<<<N / BLOCK, BLOCK>>>(in, out);
  cudaMemcpy(host, out, N * sizeof *out, cudaMemcpyDeviceToHost);
  uint64_t hash = 0;
  for (int i = 0; i < N; i++) {
    uint32_t bits;
    memcpy(&bits, host + i, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) bits = 0x7fffffff; // one NaN is like another
    hash = hash * 6364136223846793005ull + bits + 1;
  }
  printf("%-16s %016llx\n", name, (unsigned long long)hash);
}

#define SHOW(name) show(#name, name, in, out)

int main() {
  float *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, N * sizeof *out);
  for (int any_bits = 0; any_bits < 2; any_bits++) {
    fill(any_bits);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    printf("%s\n", any_bits ? "bits of every kind" : "numbers of usual size");
    SHOW(plus), SHOW(minus), SHOW(from), SHOW(two), SHOW(two_of_one), SHOW(three);
    SHOW(plus_product), SHOW(product_plus), SHOW(product_minus), SHOW(minus_product);
    SHOW(sum_and_product), SHOW(two_sums), SHOW(two_differences), SHOW(in_fma), SHOW(plus_one);
    SHOW(of_root), SHOW(by_root), SHOW(by_constant), SHOW(of_constant), SHOW(reciprocal);
    SHOW(root_below), SHOW(times), SHOW(negated), SHOW(magnitude);
    SHOW(of_sums), SHOW(again), SHOW(of_quotients), SHOW(quick);
    SHOW(quick_from), SHOW(quick_two), SHOW(quick_product), SHOW(chosen), SHOW(as_double);
    SHOW(rounded);
#ifdef WITH_FUNCTIONS
    SHOW(sigmoid), SHOW(tangent), SHOW(tangent_by_hand);
#endif
  }
  return 0;
}
