// SPDX-License-Identifier: MIT
// Which products are fused with a sum: bits of small kernels whose rounding errors show it.
#include <cstdio>
#include <cstring>

#define KERNEL(name, ...)                                                                          \
  __global__ void name(const float *v, float *o, int n) {                                          \
    const float a = v[0], b = v[1], c = v[2], d = v[3];                                            \
    (void)a, (void)b, (void)c, (void)d, (void)n;                                                   \
    __VA_ARGS__                                                                                    \
  }
KERNEL(minus_product, o[0] = c - a * b;)
KERNEL(product_minus, o[0] = a * b - c;)
KERNEL(two_products, o[0] = a * b - c * d;)
KERNEL(two_sums, float t = a * b; o[0] = c - t; o[1] = d - t;)
KERNEL(product_stored, float t = a * b; o[0] = c - t; o[1] = t;)
KERNEL(product_compared, float t = a * b; o[0] = n > 3 ? c - t : t;)
KERNEL(product_used_again, float t = a * b; o[0] = c - t; o[1] = t * d;)
KERNEL(
    in_a_branch, float t = a * b; if (n > 3) {
      o[0] = c - t;
      o[1] = t + d;
    })
KERNEL(
    in_a_loop, float t = a * b; float s = c; for (int i = 0; i < n; i++) {
      s = s - t;
      o[i & 7] = s;
    })
KERNEL(one_by_one, o[0] = __fsub_rn(c, __fmul_rn(a, b)); o[1] = __fmul_rn(a, b) - c;)
__global__ void doubles(const double *v, double *o) {
  o[0] = v[2] - v[0] * v[1];
  o[1] = v[0] * v[1] - v[2] * v[3];
}

template <typename T> static void show(const char *name, const T *o) {
  printf("%s", name);
  for (int i = 0; i < 8; i++) {
    unsigned long long bits = 0;
    memcpy(&bits, &o[i], sizeof(T));
    printf(" %llx", bits);
  }
  printf("\n");
}

int main() {
  float *v, *o;
  double *dv, *dn;
  if (cudaMallocManaged(&v, 4 * sizeof *v) || cudaMallocManaged(&o, 8 * sizeof *o)) return 1;
  if (cudaMallocManaged(&dv, 4 * sizeof *dv) || cudaMallocManaged(&dn, 8 * sizeof *dn)) return 1;
  const float values[4] = {1.f + 0x1p-12f, 1.f - 0x1p-13f, 1.f, 1.f + 0x1p-23f};
  memcpy(v, values, sizeof values);
  for (int i = 0; i < 4; i++) dv[i] = 1. + (values[i] - 1.) * 0x1p-20;
#define RUN(name)                                                                                  \
  memset(o, 0, 8 * sizeof *o);                                                                     \
  name<<<1, 1>>>(v, o, 5);                                                                         \
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;                                            \
  show(#name, o);
  RUN(minus_product)
  RUN(product_minus)
  RUN(two_products)
  RUN(two_sums)
  RUN(product_stored)
  RUN(product_compared)
  RUN(product_used_again)
  RUN(in_a_branch)
  RUN(in_a_loop)
  RUN(one_by_one)
  memset(dn, 0, 8 * sizeof *dn);
  doubles<<<1, 1>>>(dv, dn);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  show("doubles", dn);
  cudaFree(v), cudaFree(o), cudaFree(dv), cudaFree(dn);
  return 0;
}
