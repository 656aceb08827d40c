// SPDX-License-Identifier: MIT
// opcode_kernel.h - reads the table opcode_kernels.def: the frame around each body, and what a
// body's expected result may refer to. No dependency on the simulator.
//
// What a body finds: %r0 the thread's index t, %d0 the address of 4,096 zeroed bytes in global
// memory, %d1 = %d0 + 8 * t, %d2 the address of the thread's input, %d3 that input, %r1 and %r2
// its lower and upper half, %p0 true for odd t; registers %p1-7, %h0-7 (16 bits), %r3-15, %d4-15;
// smem (2,048 bytes of shared memory), lmem (64 bytes of local memory per thread), gvar (16 bytes
// of global memory: 1 2 … 16), cvar (the same in constant memory), the parameter `number`
// (0x89abcdef), the functions twice(x). What it leaves in %d15 is the thread's result; a thread
// that never gets to the end keeps UNREACHED.
#ifndef OPCODE_KERNEL_H
#define OPCODE_KERNEL_H

#include <stdint.h>

#define IN(t) (((uint64_t)(t) + 1) * 0x9e3779b97f4a7c15ull)
#define LO(t) ((uint32_t)IN(t))
#define HI(t) ((uint32_t)(IN(t) >> 32))
#define PAIR(low, high) ((uint64_t)(uint32_t)(low) | (uint64_t)(uint32_t)(high) << 32)
#define UNREACHED 0xaaaaaaaaaaaaaaaaull
#define NUMBER 0x89abcdefu

// Bodies that many rows share. Atomics: the thread's own word starts as its lower (or whole) input,
// the operand is its upper input (or five times it).
#define LOAD_BODY(type) "ld.global." type " %d15, [%d2];"
#define NARROW_LOAD(op, reg, move) op " " reg ", [%d2]; " move
#define ATOM_32(op)                                                                                \
  "st.global.b32 [%d1], %r1; atom.global." op " %r3, [%d1], %r2; ld.global.b32 %r4, [%d1];"        \
  "mov.b64 %d15, {%r4, %r3};"
#define ATOM_64(op)                                                                                \
  "st.global.b64 [%d1], %d3; mul.lo.u64 %d4, %d3, 5; atom.global." op " %d5, [%d1], %d4;"          \
  "ld.global.b64 %d6, [%d1]; mad.lo.u64 %d15, %d5, 31, %d6;"
#define RED_32(op)                                                                                 \
  "st.global.b32 [%d1], %r1; red.global." op " [%d1], %r2; ld.global.b32 %r4, [%d1];"              \
  "cvt.u64.u32 %d15, %r4;"
#define RED_64(op)                                                                                 \
  "st.global.b64 [%d1], %d3; mul.lo.u64 %d4, %d3, 5; red.global." op " [%d1], %d4;"                \
  "ld.global.b64 %d15, [%d1];"
#define OPERAND_64(t) (IN(t) * 5)
#define OLD_NEW(x, new_value) ((uint64_t)(x)*31 + (uint64_t)(new_value))

#define FIVE(t) (IN(t) * 5)
#define LOW(x) ((uint32_t)(x))
#define HIGH(x) ((uint32_t)((x) >> 32))
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define MOST(a, b) ((a) > (b) ? (a) : (b))

typedef struct opcode_kernel {
  const char *row;
  int sm, version; // 78: PTX ISA 7.8
  uint32_t n_threads;
  const char *body;
  int line; // of the table: names the expected result
} opcode_kernel;

static const opcode_kernel opcode_kernels[] = {
#define OPCODE_KERNEL(row, sm, version, n_threads, body, expected)                                 \
  {#row, sm, version, n_threads, body, __LINE__},
#include "opcode_kernels.def"
#undef OPCODE_KERNEL
};

enum { OPCODE_N_KERNELS = sizeof opcode_kernels / sizeof opcode_kernels[0] };

// Result that thread t of the kernel at `line` of the table must leave.
static inline uint64_t opcode_kernel_expected(int line, uint32_t t) {
  switch (line) {
#define OPCODE_KERNEL(row, sm, version, n_threads, body, expected)                                 \
  case __LINE__:                                                                                   \
    return (uint64_t)(expected);
#include "opcode_kernels.def"
#undef OPCODE_KERNEL
  default: (void)t; return 0;
  }
}

#endif
