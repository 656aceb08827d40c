// SPDX-License-Identifier: MIT
// libdevice_bits.cu without fused products.
// toolkit: libdevice
// simtcc: --maths=toolkit
// flags: -fmad=false
#include "libdevice_bits.cu"
