// SPDX-License-Identifier: MIT
// Differences of two and four numbers in a word, of which nvcc makes vabsdiff instructions.
// clang-format off
#define TWO_WORDS(X) \
  X(__vavgs4) X(__vabsdiffs2) X(__vabsdiffs4) X(__vabsdiffu2) X(__vabsdiffu4) X(__vsads4) \
  X(__vsadu2) X(__vsadu4)
#define ONE_WORD(X) \
  X(__vabs4) X(__vabsss4)
// clang-format on
#include "simd.h"
