// SPDX-License-Identifier: MIT
// divide.h - division of 128-bit integers for clang 14 and 15, which call it by these names and
// bring no code for it to a GPU; simtcc includes it in files that need it.
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
#undef SIMT_DIVIDE
#endif
