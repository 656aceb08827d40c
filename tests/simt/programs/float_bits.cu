// SPDX-License-Identifier: MIT
// Bits of sums of products, the same with both front ends: multiply and add fused on the device
// only.
#include "float_bits.h"
