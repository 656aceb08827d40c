// SPDX-License-Identifier: MIT
// -prec-div=false and -prec-sqrt=false: quotients and roots by approximation.
// flags: -prec-div=false -prec-sqrt=false
#define MORE(X)
#include "fast_float.h"
