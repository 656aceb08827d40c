// SPDX-License-Identifier: MIT
// Which products are fused with a sum: bits of small kernels whose rounding errors show it.
// nvcc: -arch=sm_90
#include <cuda_bf16.h>
#include <cuda_fp16.h>

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
// The product of one sum alone comes first; the other one is rounded for its earlier sum, too.
KERNEL(one_of_two, float t = a * b; o[0] = t + d; o[1] = t - c * d;)
KERNEL(more_of_two, float t = a * b; o[0] = t + d; o[1] = t - c; o[2] = c * d - t;)
KERNEL(both_of_two, float t = a * b; float u = b * d; o[0] = t - u; o[1] = u + d; o[2] = t - c;)
KERNEL(both_before, float t = a * b; float u = b * d; o[0] = u + d; o[1] = t - c; o[2] = t - u;)
KERNEL(added_twice, float t = a * b; float u = b * d; o[0] = t + d; o[1] = t + u;)
KERNEL(one_by_one, o[0] = __fsub_rn(c, __fmul_rn(a, b)); o[1] = __fmul_rn(a, b) - c;)
// After a store, of whatever type, nvcc loads anew, and so has two products.
__global__ void reloaded(const float *v, unsigned *o) {
  o[0] = __float_as_uint(v[0] * v[1] - v[2]);
  o[1] = __float_as_uint(v[0] * v[1]);
}
__global__ void doubles(const double *v, double *o) {
  o[0] = v[2] - v[0] * v[1];
  o[1] = v[0] * v[1] - v[2] * v[3];
}

template <class H> __device__ unsigned short bits(H h) { return *(unsigned short *)&h; }
template <class H, class H2> __device__ void halves_of(unsigned short *o, H a, H b, H c) {
  o[0] = bits(a * b - c);
  o[1] = bits(c - a * b);
  o[2] = bits(__hadd(__hmul(a, b), c));
  o[3] = bits(__hsub(__hmul_rn(a, b), c));
  const H2 p(a, b), q(b, a), r(c, c);
  const H2 fused = p * q - r, rounded = __hsub2(__hmul2_rn(p, q), r);
  o[4] = bits(fused.x), o[5] = bits(fused.y);
  o[6] = bits(rounded.x), o[7] = bits(rounded.y);
}
__global__ void halves(const float *v, unsigned short *o) {
  halves_of<__half, __half2>(o, __half(v[0]), __half(v[1]), __half(v[2]));
  halves_of<__nv_bfloat16, __nv_bfloat162>(o + 8, __nv_bfloat16(v[3]), __nv_bfloat16(v[4]),
                                           __nv_bfloat16(v[5]));
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
  RUN(one_of_two)
  RUN(more_of_two)
  RUN(both_of_two)
  RUN(both_before)
  RUN(added_twice)
  RUN(one_by_one)
  memset(o, 0, 8 * sizeof *o);
  reloaded<<<1, 1>>>(v, (unsigned *)o);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  show("reloaded", o);
  memset(dn, 0, 8 * sizeof *dn);
  doubles<<<1, 1>>>(dv, dn);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  show("doubles", dn);
  const float narrow[6] = {1 + 0x1p-9f, 1 - 0x1p-10f, 1, 1 + 0x1p-6f, 1 - 0x1p-7f, 1};
  unsigned short *h;
  float *hv;
  if (cudaMallocManaged(&h, 16 * sizeof *h) || cudaMallocManaged(&hv, sizeof narrow)) return 1;
  memcpy(hv, narrow, sizeof narrow);
  halves<<<1, 1>>>(hv, h);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  show("halves", h);
  show("bfloats", h + 8);
  cudaFree(h), cudaFree(hv);
  cudaFree(v), cudaFree(o), cudaFree(dv), cudaFree(dn);
  return 0;
}
