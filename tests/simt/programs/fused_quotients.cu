// SPDX-License-Identifier: MIT
// Quotients in sums, with divisions as they are by default: they end a basic block, so that a
// product before one is not fused with a sum behind it; __fdividef() ends in a product that is.
#include "quotients.h"
