// SPDX-License-Identifier: MIT
// Functions and arithmetic of __half and __nv_bfloat16 for all 65,536 arguments: a hash of the
// results for each.
// nvcc: -arch=sm_90
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned long long u64;

// clang-format off
#define ONE(X)                                                                                     \
  X(hsin) X(hcos) X(hexp) X(hexp2) X(hexp10) X(hlog) X(hlog2) X(hlog10) X(hsqrt) X(hrsqrt) X(hrcp) \
  X(hceil) X(hfloor) X(hrint) X(htrunc) X(htanh) X(htanh_approx) X(__habs) X(__hneg)
#define PAIR(X)                                                                                    \
  X(h2sin) X(h2cos) X(h2exp) X(h2exp2) X(h2exp10) X(h2log) X(h2log2) X(h2log10) X(h2sqrt)          \
  X(h2rsqrt) X(h2rcp) X(h2tanh) X(h2tanh_approx) X(__habs2) X(__hneg2)
#define TWO(X)                                                                                     \
  X(add, a + b) X(mul, a * b) X(sub, a - b) X(div, a / b) X(fma, __hfma(a, b, a))                  \
  X(fmasat, __hfma_sat(a, b, a)) X(addsat, __hadd_sat(a, b)) X(max, __hmax(a, b))                  \
  X(min, __hmin(a, b)) X(maxn, __hmax_nan(a, b)) X(minn, __hmin_nan(a, b))                         \
  X(relu, __hfma_relu(a, b, a)) X(mad, a * b + a) X(rn, __hmul_rn(a, b))
// clang-format on

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __half half_of(unsigned bits) { return __ushort_as_half((unsigned short)bits); }
__device__ __nv_bfloat16 bfloat_of(unsigned bits) {
  return __ushort_as_bfloat16((unsigned short)bits);
}
__device__ unsigned short bits_of(__half x) { return __half_as_ushort(x); }
__device__ unsigned short bits_of(__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }
__device__ unsigned short bits_of(__half2 x) {
  return __half_as_ushort(__low2half(x)) ^ __half_as_ushort(__high2half(x)) * 3;
}
__device__ unsigned short bits_of(__nv_bfloat162 x) {
  return __bfloat16_as_ushort(__low2bfloat16(x)) ^ __bfloat16_as_ushort(__high2bfloat16(x)) * 3;
}

#define ONE_KERNEL(f)                                                                              \
  __global__ void h_##f(unsigned short *out) { out[index()] = bits_of(f(half_of(index()))); }      \
  __global__ void b_##f(unsigned short *out) { out[index()] = bits_of(f(bfloat_of(index()))); }
#define PAIR_KERNEL(f)                                                                             \
  __global__ void h_##f(unsigned short *out) {                                                     \
    const unsigned i = index();                                                                    \
    out[i] = bits_of(f(__halves2half2(half_of(i), half_of(i ^ 0x1234))));                          \
  }                                                                                                \
  __global__ void b_##f(unsigned short *out) {                                                     \
    const unsigned i = index();                                                                    \
    out[i] = bits_of(f(__halves2bfloat162(bfloat_of(i), bfloat_of(i ^ 0x1234))));                  \
  }
#define TWO_KERNEL(name, value)                                                                    \
  __global__ void hp_##name(unsigned short *out) {                                                 \
    const unsigned i = index();                                                                    \
    const __half a = half_of(i), b = half_of(i * 40503u ^ i >> 3);                                 \
    out[i] = bits_of(value);                                                                       \
  }                                                                                                \
  __global__ void bp_##name(unsigned short *out) {                                                 \
    const unsigned i = index();                                                                    \
    const __nv_bfloat16 a = bfloat_of(i), b = bfloat_of(i * 40503u ^ i >> 3);                      \
    out[i] = bits_of(value);                                                                       \
  }
ONE(ONE_KERNEL)
PAIR(PAIR_KERNEL)
TWO(TWO_KERNEL)

static u64 hashed(u64 hash, u64 word) { return (hash ^ word) * 0x100000001b3ull; }
static void show(const char *name, void (*kernel)(unsigned short *)) {
  static unsigned short results[65536];
  unsigned short *out;
  cudaMalloc(&out, sizeof results);
  kernel<<<256, 256>>>(out);
  cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
  cudaFree(out);
  u64 total = 0xcbf29ce484222325ull;
  for (int part = 0; part < 64; part++) {
    u64 hash = 0xcbf29ce484222325ull;
    for (int i = 0; i < 1024; i++) hash = hashed(hash, results[part * 1024 + i]);
    total = hashed(total, hash);
  }
  printf("%s %016llx\n", name, total);
}

int main() {
#define SHOW(f) show("h_" #f, h_##f), show("b_" #f, b_##f);
#define SHOW_TWO(f, value) show("hp_" #f, hp_##f), show("bp_" #f, bp_##f);
  ONE(SHOW)
  PAIR(SHOW)
  TWO(SHOW_TWO)
  return cudaDeviceSynchronize();
}
