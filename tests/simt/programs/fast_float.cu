// SPDX-License-Identifier: MIT
// -use_fast_math takes the intrinsics for math functions, too.
// flags: -use_fast_math
// clang-format off
#define MORE(X)                                                                                    \
  X(sin, sinf(a)) X(cos, cosf(a)) X(tan, tanf(a)) X(exp, expf(a)) X(exp10, exp10f(a))              \
  X(log, logf(a)) X(log2, log2f(a)) X(log10, log10f(a)) X(pow, powf(fabsf(a), b))                  \
  X(tanh, tanhf(a)) X(exp2, exp2f(a))
// clang-format on
#include "fast_float.h"
