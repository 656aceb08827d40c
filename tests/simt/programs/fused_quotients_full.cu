// SPDX-License-Identifier: MIT
// Quotients in sums with -prec-div=false: both operands are scaled, and the product is fused.
// flags: -prec-div=false
#include "quotients.h"
