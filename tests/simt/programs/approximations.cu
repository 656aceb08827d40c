// SPDX-License-Identifier: MIT
// What the .approx instructions give, to the bit: hashes over arguments of every sign and exponent,
// sixteen exponents a line for one operand. An H100 has printed the same for all 2^32 arguments.
// nvcc: -arch=sm_90
#include <cstdio>

typedef unsigned long long u64;

// clang-format off
#define UNARY(X)                                                                                   \
  X(rcp, "rcp.approx.f32") X(rcp_ftz, "rcp.approx.ftz.f32") X(sqrt, "sqrt.approx.f32")             \
  X(sqrt_ftz, "sqrt.approx.ftz.f32") X(rsqrt, "rsqrt.approx.f32")                                  \
  X(rsqrt_ftz, "rsqrt.approx.ftz.f32") X(ex2, "ex2.approx.f32") X(ex2_ftz, "ex2.approx.ftz.f32")   \
  X(lg2, "lg2.approx.f32") X(lg2_ftz, "lg2.approx.ftz.f32") X(sin, "sin.approx.f32")               \
  X(sin_ftz, "sin.approx.ftz.f32") X(cos, "cos.approx.f32") X(cos_ftz, "cos.approx.ftz.f32")       \
  X(tanh, "tanh.approx.f32")
#define BINARY(X)                                                                                  \
  X(div, "div.approx.f32") X(div_ftz, "div.approx.ftz.f32") X(full, "div.full.f32")                \
  X(full_ftz, "div.full.ftz.f32")
#define DOUBLE(X)                                                                                  \
  X(rcp_f64, "rcp.approx.ftz.f64") X(rsqrt_f64, "rsqrt.approx.f64")                                \
  X(rsqrt_ftz_f64, "rsqrt.approx.ftz.f64")
#define HALF(X)                                                                                    \
  X(ex2_f16, "ex2.approx.f16") X(ex2_bf16, "ex2.approx.ftz.bf16") X(tanh_f16, "tanh.approx.f16")   \
  X(tanh_bf16, "tanh.approx.bf16")
// clang-format on

__device__ u64 hash_of(u64 x, u64 y) {
  u64 h = (x + 0x9E3779B97F4A7C15ull) * 0xD1B54A32D192ED03ull ^ y;
  h *= 0x9E3779B97F4A7C15ull;
  return h ^ h >> 29;
}
__device__ unsigned mixed(unsigned i, unsigned k) {
  unsigned x = i * 2654435761u + k * 40503u + 12345u;
  x ^= x >> 15, x *= 2246822519u, x ^= x >> 13, x *= 3266489917u;
  return x ^ x >> 16;
}

// A block takes a sign and an exponent, its threads every 1021st mantissa.
#define UNARY_KERNEL(name, text)                                                                   \
  __global__ void name##_kernel(u64 *sums) {                                                       \
    u64 sum = 0;                                                                                   \
    for (unsigned m = threadIdx.x * 1021; m < 1u << 23; m += blockDim.x * 1021) {                  \
      const unsigned bits = blockIdx.x << 23 | m;                                                  \
      float y;                                                                                     \
      asm(text " %0, %1;" : "=f"(y) : "f"(__uint_as_float(bits)));                                 \
      sum += hash_of(bits, __float_as_uint(y));                                                    \
    }                                                                                              \
    atomicAdd(&sums[blockIdx.x / 16], sum);                                                        \
  }
UNARY(UNARY_KERNEL)

// Pairs: every other one of moderate exponents.
#define BINARY_KERNEL(name, text)                                                                  \
  __global__ void name##_kernel(u64 *sums) {                                                       \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                      \
    unsigned a = mixed(i, 1), b = mixed(i, 2);                                                     \
    if (i & 1) {                                                                                   \
      a = (a & 0x807fffffu) | (100 + (a >> 9) % 54) << 23;                                         \
      b = (b & 0x807fffffu) | (100 + (b >> 9) % 54) << 23;                                         \
    }                                                                                              \
    float y;                                                                                       \
    asm(text " %0, %1, %2;" : "=f"(y) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));         \
    atomicAdd(&sums[0], hash_of((u64)a << 32 | b, __float_as_uint(y)));                            \
  }
BINARY(BINARY_KERNEL)

#define DOUBLE_KERNEL(name, text)                                                                  \
  __global__ void name##_kernel(u64 *sums) {                                                       \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                      \
    u64 bits = (u64)mixed(i, 1) << 32 | mixed(i, 2);                                               \
    if (i % 64 == 0) bits &= 0x800fffffffffffffull;                                                \
    double y;                                                                                      \
    asm(text " %0, %1;" : "=d"(y) : "d"(__longlong_as_double(bits)));                              \
    atomicAdd(&sums[0], hash_of(bits, __double_as_longlong(y)));                                   \
  }
DOUBLE(DOUBLE_KERNEL)

#define HALF_KERNEL(name, text)                                                                    \
  __global__ void name##_kernel(u64 *sums) {                                                       \
    const unsigned short x = blockIdx.x * blockDim.x + threadIdx.x;                                \
    unsigned short y;                                                                              \
    asm(text " %0, %1;" : "=h"(y) : "h"(x));                                                       \
    atomicAdd(&sums[0], hash_of(x, y));                                                            \
  }
HALF(HALF_KERNEL)

static void show(const char *name, void (*kernel)(u64 *), int blocks, int threads, int lines) {
  u64 *device, sums[32] = {0};
  cudaMalloc(&device, sizeof sums);
  cudaMemset(device, 0, sizeof sums);
  kernel<<<blocks, threads>>>(device);
  cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
  cudaFree(device);
  for (int k = 0; k < lines; k++) printf("%s %d %016llx\n", name, k, sums[k]);
}

int main() {
#define SHOW_UNARY(name, text) show(#name, name##_kernel, 512, 256, 32);
#define SHOW_BINARY(name, text) show(#name, name##_kernel, 512, 256, 1);
#define SHOW_HALF(name, text) show(#name, name##_kernel, 256, 256, 1);
  UNARY(SHOW_UNARY)
  BINARY(SHOW_BINARY)
  DOUBLE(SHOW_BINARY)
  HALF(SHOW_HALF)
  return 0;
}
