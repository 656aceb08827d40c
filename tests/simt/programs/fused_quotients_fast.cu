// SPDX-License-Identifier: MIT
// Quotients in sums with -use_fast_math: each ends in a product that is fused like any other.
// flags: -use_fast_math
#define WITH_FUNCTIONS
#include "quotients.h"
