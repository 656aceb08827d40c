// SPDX-License-Identifier: MIT
// divide.h - what clang has no code for on a GPU, under the names by which it calls it: conversions
// between 128-bit integers and floats, and for clang 14 and 15 division. simtcc includes it in
// files that need it.
#ifndef SIMT_CUDA_DIVIDE_H
#define SIMT_CUDA_DIVIDE_H

#define SIMT_DIVIDE extern "C" __attribute__((device, used, weak))
typedef unsigned __int128 simt_wide;

// One bit of the quotient after the other, from the first that may be 1.
static __inline__ __attribute__((device)) simt_wide simt_divide(simt_wide a, simt_wide b,
                                                                simt_wide *rest) {
  simt_wide quotient = 0, r = 0;
  const unsigned long long high = (unsigned long long)(a >> 64);
  for (int bit = high ? 127 : 63; bit >= 0; bit--) {
    const bool carry = r >> 127;
    r = r << 1 | (a >> bit & 1);
    quotient <<= 1;
    if (carry || r >= b) {
      r -= b;
      quotient |= 1;
    }
  }
  *rest = r;
  return quotient;
}
SIMT_DIVIDE simt_wide __udivti3(simt_wide a, simt_wide b) { return simt_divide(a, b, &a); }
SIMT_DIVIDE simt_wide __umodti3(simt_wide a, simt_wide b) {
  simt_divide(a, b, &a);
  return a;
}
static __inline__ __attribute__((device)) simt_wide simt_size_of(__int128 a) {
  return a < 0 ? -(simt_wide)a : (simt_wide)a;
}
SIMT_DIVIDE __int128 __divti3(__int128 a, __int128 b) {
  simt_wide rest, quotient = simt_divide(simt_size_of(a), simt_size_of(b), &rest);
  return (__int128)((a < 0) != (b < 0) ? -quotient : quotient);
}
SIMT_DIVIDE __int128 __modti3(__int128 a, __int128 b) {
  simt_wide rest;
  simt_divide(simt_size_of(a), simt_size_of(b), &rest);
  return (__int128)(a < 0 ? -rest : rest);
}

// To nearest: of the 64 bits that count, the last one says whether anything but zeros follows.
#define SIMT_TO_FLOAT(T, name, name_unsigned)                                                      \
  SIMT_DIVIDE T name_unsigned(simt_wide a) {                                                       \
    const unsigned long long high = (unsigned long long)(a >> 64);                                 \
    if (high == 0) return (T)(unsigned long long)a;                                                \
    const int shift = 64 - __builtin_clzll(high);                                                  \
    const bool rest = (a & (((simt_wide)1 << shift) - 1)) != 0;                                    \
    const unsigned long long top = (unsigned long long)(a >> shift) | rest;                        \
    return (T)top * (shift < 64 ? (T)(1ull << shift) : (T)0x1p64);                                 \
  }                                                                                                \
  SIMT_DIVIDE T name(__int128 a) {                                                                 \
    return a < 0 ? -name_unsigned(simt_size_of(a)) : name_unsigned((simt_wide)a);                  \
  }
SIMT_TO_FLOAT(double, __floattidf, __floatuntidf)
SIMT_TO_FLOAT(float, __floattisf, __floatuntisf)
#undef SIMT_TO_FLOAT

// Towards zero; what does not fit has no value.
SIMT_DIVIDE simt_wide __fixunsdfti(double x) {
  if (!(x >= 1.0)) return 0;
  if (x < 0x1p64) return (unsigned long long)x;
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  const int shift = (int)(bits >> 52) - 1075;
  const simt_wide digits = (bits & ((1ull << 52) - 1)) | 1ull << 52;
  return shift > 75 ? ~(simt_wide)0 : digits << shift;
}
SIMT_DIVIDE __int128 __fixdfti(double x) {
  if (x >= 0x1p127) return (__int128)(~(simt_wide)0 >> 1);
  if (x <= -0x1p127) return -(__int128)(~(simt_wide)0 >> 1) - 1;
  return x < 0 ? -(__int128)__fixunsdfti(-x) : (__int128)__fixunsdfti(x);
}
SIMT_DIVIDE simt_wide __fixunssfti(float x) { return __fixunsdfti(x); }
SIMT_DIVIDE __int128 __fixsfti(float x) { return __fixdfti(x); }
#undef SIMT_DIVIDE
#endif
