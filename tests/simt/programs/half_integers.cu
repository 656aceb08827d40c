// SPDX-License-Identifier: MIT
// Every conversion between integers and the two 16-bit floating-point types, in all rounding modes,
// on values around each edge: one hash per function.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

__device__ unsigned hash_of(unsigned hash, unsigned long long value) {
  hash = (hash ^ (unsigned)value) * 16777619u;
  return (hash ^ (unsigned)(value >> 32)) * 16777619u;
}

// All 16-bit patterns but NaNs, which are no number to convert.
template <typename Half, typename F> __device__ unsigned to_integer(F convert) {
  unsigned hash = 2166136261u;
#pragma unroll 1
  for (unsigned i = 0; i < 65536; i += 61) {
    const unsigned short bits = (unsigned short)i;
    Half h;
    memcpy(&h, &bits, 2);
    if (h == h) hash = hash_of(hash, (unsigned long long)convert(h));
  }
  return hash;
}
// Integers around every power of two, of both signs.
template <typename Integer, typename F> __device__ unsigned from_integer(F convert) {
  unsigned hash = 2166136261u;
#pragma unroll 1
  for (int bit = 0; bit < 64; bit++)
#pragma unroll 1
    for (int near = -5; near <= 5; near++)
#pragma unroll 1
      for (int part = 0; part < 3; part++) {
        const long long value = (long long)((3ull << bit >> part) + (long long)near);
        const auto h = convert((Integer)(near & 1 ? value : -value));
        unsigned short bits;
        memcpy(&bits, &h, 2);
        hash = hash_of(hash, bits);
      }
  return hash;
}

#define TO(Half, word, name)                                                                       \
  out[i++] = to_integer<Half>([](Half h) { return __##word##2##name##_rn(h); });                   \
  out[i++] = to_integer<Half>([](Half h) { return __##word##2##name##_rz(h); });                   \
  out[i++] = to_integer<Half>([](Half h) { return __##word##2##name##_rd(h); });                   \
  out[i++] = to_integer<Half>([](Half h) { return __##word##2##name##_ru(h); })
#define FROM(word, name, Integer)                                                                  \
  out[i++] = from_integer<Integer>([](Integer x) { return __##name##2##word##_rn(x); });           \
  out[i++] = from_integer<Integer>([](Integer x) { return __##name##2##word##_rz(x); });           \
  out[i++] = from_integer<Integer>([](Integer x) { return __##name##2##word##_rd(x); });           \
  out[i++] = from_integer<Integer>([](Integer x) { return __##name##2##word##_ru(x); })
#define BOTH(Half, word, name, Integer)                                                            \
  TO(Half, word, name);                                                                            \
  FROM(word, name, Integer)
#define ALL(Half, word)                                                                            \
  BOTH(Half, word, int, int);                                                                      \
  BOTH(Half, word, uint, unsigned);                                                                \
  BOTH(Half, word, short, short);                                                                  \
  BOTH(Half, word, ushort, unsigned short);                                                        \
  BOTH(Half, word, ll, long long);                                                                 \
  BOTH(Half, word, ull, unsigned long long)

__global__ void convert(unsigned *out) {
  int i = 48 * threadIdx.x;
  if (threadIdx.x == 0) {
    ALL(__half, half);
  } else {
    ALL(__nv_bfloat16, bfloat16);
  }
}

int main() {
  unsigned *out, h[96];
  cudaMalloc(&out, sizeof h);
  convert<<<1, 2>>>(out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 96; i++) printf("%08x%c", h[i], i % 8 == 7 ? '\n' : ' ');
  const __half half = __float2half(-2.75f);
  const __nv_bfloat16 bfloat = __float2bfloat16(300.0f);
  printf("%d %d %d %d\n", __half2int_rz(half), __half2ushort_rz(half), __bfloat162short_rz(bfloat),
         (int)__bfloat162uchar_rz(bfloat));
  cudaFree(out);
  return 0;
}
