// SPDX-License-Identifier: MIT
// cudart_kernels.h - a few kernels for the tests of the runtime's API, and a launch that faults.
#ifndef CUDART_KERNELS_H
#define CUDART_KERNELS_H

#include "cudart_fixture.h"

static const char *const kernels_text =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 cell = 7;\n"
    ".visible .const .align 4 .b8 table[12] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};\n"
    // store(char pad, double value, int *at, short last): out[0..2] = the arguments
    ".visible .entry store(.param .u8 a, .param .f64 b, .param .u64 c, .param .u16 d)\n"
    "{ .reg .b64 %rd<4>; .reg .f64 %fd<2>; .reg .b32 %r<4>; .reg .b16 %rs<3>;\n"
    "  ld.param.u8 %rs1, [a]; ld.param.f64 %fd1, [b]; ld.param.u64 %rd1, [c];\n"
    "  ld.param.u16 %rs2, [d]; cvta.to.global.u64 %rd2, %rd1;\n"
    "  cvt.u32.u16 %r1, %rs1; cvt.s32.s16 %r2, %rs2;\n"
    "  st.global.f64 [%rd2], %fd1; st.global.u32 [%rd2+8], %r1; st.global.u32 [%rd2+12], %r2;\n"
    "  ret; }\n"
    ".visible .entry poke(.param .u64 at)\n"
    "{ .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [at]; mov.u32 %r1, 5;\n"
    "  st.global.u32 [%rd1], %r1; ret; }\n"
    ".visible .entry nothing() { ret; }\n";

static inline void fault_once(void) {
  uint64_t bad = 16;
  OK(launch(kernel_of(load(kernels_text), "poke"), (void *[]){&bad}));
}

#endif
