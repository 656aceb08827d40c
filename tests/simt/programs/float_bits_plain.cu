// SPDX-License-Identifier: MIT
// As float_bits.cu, without fused multiply-add on the device: it computes what the host does.
// flags: -fmad=false
#include "float_bits.h"
