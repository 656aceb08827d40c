// SPDX-License-Identifier: MIT
// Floating-point numbers of 8, 6 and 4 bits, on the device and on the host, which must agree: all
// bit patterns to all types, all halves and bfloat16s, floats, doubles and integers of all sizes to
// all formats, one, two and four together, in all ways of rounding.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cstdio>
#include <cstring>

typedef unsigned long long word;
#define BOTH __host__ __device__

struct mix {
  word hash = 0;
  BOTH void add(word x) { hash = hash * 6364136223846793005ull + x + 1; }
  template <class T> BOTH void add_bits(T x) {
    word bits = 0;
    memcpy(&bits, &x, sizeof x);
    add(x == x ? bits : 1); // a NaN is one for all
  }
};
BOTH word random(word i) {
  i = (i + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  i = (i ^ i >> 29) * 0x94d049bb133111ebull;
  return i ^ i >> 32;
}
// Of all sizes, or nearer to 1; often with few digits, as ties have them.
BOTH double a_double(word i) {
  const word r = random(3 * i), s = random(3 * i + 1);
  const word exponent = i % 4 ? 1023 - 20 + s % 40 : i % 8 ? 1023 - 150 + s % 300 : s % 2048;
  const word bits = (r & ~(2047ull << 52)) | exponent << 52;
  const word kept = bits & ~0ull << s / 64 % 53;
  double d;
  memcpy(&d, &kept, sizeof d);
  return d;
}

// What bit pattern i means, and what i and pseudo-random numbers become.
template <class N> BOTH word one(unsigned i) {
  mix m;
  N x;
  x.__x = (unsigned char)i;
  m.add_bits((float)x), m.add_bits((double)x);
  m.add_bits((__half)x), m.add_bits((__nv_bfloat16)x);
  m.add((word)(int)x), m.add((unsigned)x), m.add((word)(long)x), m.add((unsigned long)x);
  m.add((word)(long long)x), m.add((word)x), m.add((word)(short)x), m.add((unsigned short)x);
  m.add((word)(signed char)x), m.add((unsigned char)x), m.add((word)(char)x), m.add((bool)x);
  for (unsigned k = i; k < 65536; k += 256) {
    __half_raw h;
    __nv_bfloat16_raw b;
    h.x = b.x = (unsigned short)k;
    m.add(N(__half(h)).__x), m.add(N(__nv_bfloat16(b)).__x);
  }
  for (unsigned k = i; k < 2048; k += 256) {
    const double d = a_double(k);
    const unsigned shift = k / 256 * 8;
    m.add(N(d).__x), m.add(N((float)d).__x);
    m.add(N(random(k) >> shift).__x), m.add(N((long long)random(k) >> shift).__x);
    m.add(N((unsigned)random(k) >> shift % 32).__x), m.add(N((int)random(k) >> shift % 32).__x);
    m.add(N((unsigned short)k).__x), m.add(N((short)-k).__x);
    m.add(N((1ul << shift) + k % 2).__x), m.add(N(-(1l << shift) - (long)k % 2).__x);
  }
  return m.hash;
}
template <class P, class F> BOTH word more(unsigned i) {
  mix m;
  for (unsigned k = i; k < 65536; k += 5 * 256 + 1) {
    P pair;
    pair.__x = (decltype(pair.__x))k;
    const float2 f = (float2)pair;
    const __half2 h = (__half2)pair;
    m.add_bits(f.x), m.add_bits(f.y), m.add_bits(h.x), m.add_bits(h.y);
  }
  for (unsigned k = i; k < 2048; k += 256) {
    const double a = a_double(k), b = a_double(k + 4096), c = a_double(k + 8192), d = -a;
    const __half2 low = __floats2half2_rn((float)a, (float)b), high = __float2half2_rn((float)c);
    const __nv_bfloat162 first = __floats2bfloat162_rn((float)a, (float)b);
    const float4 wide = {(float)a, (float)b, (float)c, (float)d};
    const double4_16a wider = {a, b, c, d};
    const double4_32a widest = {d, c, b, a};
    m.add(P(make_float2(wide.x, wide.y)).__x), m.add(P(make_double2(a, b)).__x);
    m.add(P(low).__x), m.add(P(first).__x);
    m.add(F(wide).__x), m.add(F(wider).__x), m.add(F(widest).__x);
    m.add(F(low, high).__x), m.add(F(first, first).__x);
    const float4 back = (float4)F(wide);
    m.add_bits(back.x), m.add_bits(back.y), m.add_bits(back.z), m.add_bits(back.w);
  }
  return m.hash;
}
BOTH word calls(unsigned i) {
  mix m;
  for (unsigned k = i; k < 2048; k += 256) {
    const double d = a_double(k);
    const float f = (float)d;
    const __half_raw h = __float2half_rn(f);
    const __nv_bfloat162_raw b = __float2bfloat162_rn(f);
    for (cudaRoundMode mode : {cudaRoundNearest, cudaRoundZero}) {
      m.add(__nv_cvt_double_to_fp6(d, __NV_E2M3, mode)),
          m.add(__nv_cvt_float_to_fp6(f, __NV_E2M3, mode));
      m.add(__nv_cvt_double_to_fp6(d, __NV_E3M2, mode)),
          m.add(__nv_cvt_halfraw_to_fp6(h, __NV_E3M2, mode));
      m.add(__nv_cvt_double_to_fp4(d, __NV_E2M1, mode)),
          m.add(__nv_cvt_halfraw_to_fp4(h, __NV_E2M1, mode));
      m.add(__nv_cvt_bfloat16raw2_to_fp4x2(b, __NV_E2M1, mode));
      m.add(__nv_cvt_bfloat16raw2_to_fp6x2(b, __NV_E3M2, mode));
    }
    for (__nv_saturation_t saturate : {__NV_NOSAT, __NV_SATFINITE}) {
      m.add(__nv_cvt_double_to_fp8(d, saturate, __NV_E4M3));
      m.add(__nv_cvt_float_to_fp8(f, saturate, __NV_E5M2));
      m.add(__nv_cvt_bfloat16raw2_to_fp8x2(b, saturate, __NV_E5M2));
      for (cudaRoundMode mode : {cudaRoundPosInf, cudaRoundZero}) {
        m.add(__nv_cvt_double_to_e8m0(d, saturate, mode)),
            m.add(__nv_cvt_float_to_e8m0(f, saturate, mode));
        m.add(__nv_cvt_bfloat162raw_to_e8m0x2(b, saturate, mode));
      }
    }
  }
  const __half_raw h = __nv_cvt_fp6_to_halfraw((unsigned char)i, __NV_E3M2);
  const __half2_raw pair = __nv_cvt_fp4x2_to_halfraw2((unsigned char)i, __NV_E2M1);
  const __nv_bfloat162_raw scales = __nv_cvt_e8m0x2_to_bf162raw((unsigned short)(i * 257));
  m.add(h.x), m.add(pair.x), m.add(pair.y), m.add(scales.x), m.add(scales.y);
  return m.hash;
}

#define KERNEL(name, ...)                                                                          \
  __global__ void name(word *out) { out[threadIdx.x] = __VA_ARGS__(threadIdx.x); }                 \
  static word name##_host(unsigned i) { return __VA_ARGS__(i); }
KERNEL(e4m3, one<__nv_fp8_e4m3>)
KERNEL(e5m2, one<__nv_fp8_e5m2>)
KERNEL(e8m0, one<__nv_fp8_e8m0>)
KERNEL(e2m3, one<__nv_fp6_e2m3>)
KERNEL(e3m2, one<__nv_fp6_e3m2>)
KERNEL(e2m1, one<__nv_fp4_e2m1>)
KERNEL(more_e4m3, more<__nv_fp8x2_e4m3, __nv_fp8x4_e4m3>)
KERNEL(more_e5m2, more<__nv_fp8x2_e5m2, __nv_fp8x4_e5m2>)
KERNEL(more_e8m0, more<__nv_fp8x2_e8m0, __nv_fp8x4_e8m0>)
KERNEL(more_e2m3, more<__nv_fp6x2_e2m3, __nv_fp6x4_e2m3>)
KERNEL(more_e3m2, more<__nv_fp6x2_e3m2, __nv_fp6x4_e3m2>)
KERNEL(more_e2m1, more<__nv_fp4x2_e2m1, __nv_fp4x4_e2m1>)
KERNEL(all_calls, calls)

static void compare(const char *name, void (*kernel)(word *), word (*host)(unsigned)) {
  static word *out, found[256];
  if (!out && cudaMalloc(&out, sizeof found)) return;
  kernel<<<1, 256>>>(out);
  cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
  mix m;
  int n_equal = 0;
  for (unsigned i = 0; i < 256; i++) {
    m.add(found[i]);
    n_equal += found[i] == host(i);
  }
  printf("%-9s %016llx, %d of 256 equal the host's\n", name, m.hash, n_equal);
}
#define COMPARE(name) compare(#name, name, name##_host)

int main() {
  COMPARE(e4m3), COMPARE(e5m2), COMPARE(e8m0), COMPARE(e2m3), COMPARE(e3m2), COMPARE(e2m1);
  COMPARE(more_e4m3), COMPARE(more_e5m2), COMPARE(more_e8m0);
  COMPARE(more_e2m3), COMPARE(more_e3m2), COMPARE(more_e2m1), COMPARE(all_calls);
  const __nv_bfloat162 scales = (__nv_bfloat162)__nv_fp8x2_e8m0(make_float2(0.75f, 5.0f));
  printf("%g %g\n", (double)__low2float(scales), (double)__high2float(scales));
  printf("%d %d %d %d %d\n", (int)sizeof(__nv_fp4x4_e2m1), (int)alignof(__nv_fp6x2_e2m3),
         (int)sizeof(__nv_fp8x4_e8m0), (int)alignof(__nv_fp4_e2m1), (int)alignof(__nv_fp6x4_e3m2));
  return 0;
}
