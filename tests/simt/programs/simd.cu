// SPDX-License-Identifier: MIT
// Two and four numbers in a word, and dot products of bytes.
// clang-format off
#define TWO_WORDS(X) \
  X(__vadd2) X(__vadd4) X(__vsub2) X(__vsub4) X(__vaddss2) X(__vaddss4) X(__vsubss2) \
  X(__vsubss4) X(__vaddus2) X(__vaddus4) X(__vsubus2) X(__vsubus4) X(__vhaddu2) X(__vhaddu4) \
  X(__vavgu2) X(__vavgu4) X(__vavgs2) X(__vmins2) X(__vmins4) X(__vminu2) X(__vminu4) \
  X(__vmaxs2) X(__vmaxs4) X(__vmaxu2) X(__vmaxu4) X(__vcmpeq2) X(__vcmpeq4) X(__vcmpne2) \
  X(__vcmpne4) X(__vcmpgts2) X(__vcmpgts4) X(__vcmpgtu2) X(__vcmpgtu4) X(__vcmpges2) \
  X(__vcmpges4) X(__vcmpgeu2) X(__vcmpgeu4) X(__vcmplts2) X(__vcmplts4) X(__vcmpltu2) \
  X(__vcmpltu4) X(__vcmples2) X(__vcmples4) X(__vcmpleu2) X(__vcmpleu4) X(__vseteq2) \
  X(__vseteq4) X(__vsetne2) X(__vsetne4) X(__vsetgts2) X(__vsetgts4) X(__vsetgtu2) X(__vsetgtu4) \
  X(__vsetges2) X(__vsetges4) X(__vsetgeu2) X(__vsetgeu4) X(__vsetlts2) X(__vsetlts4) \
  X(__vsetltu2) X(__vsetltu4) X(__vsetles2) X(__vsetles4) X(__vsetleu2) X(__vsetleu4) \
  X(__vsads2) X(dots)
#define ONE_WORD(X) \
  X(__vabs2) X(__vabsss2) X(__vneg2) X(__vneg4) X(__vnegss2) X(__vnegss4)
// clang-format on

static __device__ unsigned dots(unsigned a, unsigned b) {
  const unsigned c = 0x12345678u * (a ^ b);
  char4 x, y;
  x.x = (char)a, x.y = (char)(a >> 8), x.z = (char)(a >> 16), x.w = (char)(a >> 24);
  y.x = (char)b, y.y = (char)(b >> 8), y.z = (char)(b >> 16), y.w = (char)(b >> 24);
  const unsigned first = (unsigned)__dp4a((int)a, (int)b, (int)c), second = __dp4a(a, b, c);
  const unsigned third = (unsigned)__dp2a_lo((int)a, (int)b, (int)c), fourth = __dp2a_hi(a, b, c);
  return first ^ second * 3 ^ third * 5 ^ fourth * 7 ^ (unsigned)__dp4a(x, y, 11) * 13;
}
#include "simd.h"
