// SPDX-License-Identifier: MIT
// -ftz=true: denormals are zero.
// flags: -ftz=true
#define MORE(X)
#include "fast_float.h"
