// SPDX-License-Identifier: MIT
// device/instruction.h - the dense instruction and the register file: the contract between the
// decoder, the lane-wise functions (exec_*.c) and the warp machinery (core/warp.c).
//
// Register file of one warp: a byte array `regs`, lane-SoA. A register of up to 32 bits occupies
// 32 x 4 bytes (16- and 8-bit values zero-extended in their 4-byte lane unless the instruction
// says otherwise: the upper bits of a lane are undefined for 16-bit registers and must be ignored
// by readers), a 64-bit register 32 x 8 bytes, a 128-bit one 32 x 16. A predicate is one uint32_t,
// bit l for lane l. Every slot is 64-byte aligned (predicates: 4-byte). Immediates and special
// registers are slots too, filled before the warp runs, so that an operand is always a vector.
//
// Invariants: a lane-wise function writes only lanes of `mask` (bits of `mask` for predicates),
// never faults, never allocates, and gives the same bits on every host (no FMA contraction, no
// reassociation; NaN results are, as on the hardware, 0x7fffffff for f32 and 0x7fff for f16, bf16
// arithmetic; in f64 a NaN operand comes out quieted and an invalid operation gives
// 0xfff8000000000000; moves keep payloads).
// Not modelled: flags of the floating-point unit, denormal speed.
#ifndef SIMT_EXEC_H
#define SIMT_EXEC_H

#include "device/lane.h"
#include "isa/isa.h"

#define SIMT_NO_SLOT 0xffffffffu

// The first 64 bytes of every register file are reserved: offset 0 holds the carry flags that
// add.cc, sub.cc and mad.cc write and addc, subc and madc read, bit l for lane l.
enum { SIMT_CARRY_SLOT = 0 };

typedef struct simt_instr simt_instr;

// What one instruction does to the lanes of `mask`; `regs` is the warp's register file.
typedef void (*simt_lane_function)(uint8_t *regs, const simt_instr *in, uint32_t mask);

struct simt_instr {
  simt_lane_function lanes; // ISA_LANES / ISA_SETP
  uint32_t d;               // byte offset of the destination slot, or SIMT_NO_SLOT
  uint32_t a, b, c;         // byte offsets of the source slots, or SIMT_NO_SLOT
  uint32_t guard;           // byte offset of the guard predicate, or SIMT_NO_SLOT
  uint32_t e;    // second destination (setp's q, shfl's p), or fourth source; SIMT_NO_SLOT
  uint16_t id;   // isa_id
  uint8_t form;  // isa_form
  uint8_t klass; // simt_class
  bool guard_negated;
  uint8_t a_negated, b_negated, c_negated; // source predicate is !p (setp's c, selp's c, …)
  uint8_t rounding;                        // isa_rounding
  uint8_t ftz, saturate;
  uint8_t rounds_to_integer; // cvt between floats: .rni .rzi .rmi .rpi
  uint8_t compare, boolean;
  uint8_t mode;        // prmt mode; testp: isa_test; shf: bit 0 wrap, bit 1 left
  uint8_t width_bytes; // memory, pack, unpack: bytes per element; cvt: lane size of d (4 or 8)
  uint8_t vector;      // memory: 1, 2, 4; pack, unpack: elements in v[]
  uint8_t space;       // ptx_space
  uint8_t sub;         // isa_atomic / isa_shuffle / isa_vote / isa_redux / barrier reduction
  uint8_t order, scope;
  uint8_t sign_extend;  // loads of s8/s16 (and s32 into b64)
  uint8_t address_bits; // 32 or 64: width of the address register
  uint8_t data_bytes;   // memory: lane size of the data registers (4, 8 or 16); cvt: of a (4 or 8)
  uint8_t discards;     // atom whose result goes nowhere
  uint32_t target;      // branch: dense pc
  uint32_t pc;          // own index
  uint32_t reconverge;  // branch: index of its immediate post-dominator's marker, or ~0u
  int64_t offset;       // memory: byte offset added to the address; barrier: id; …
  uint32_t v[4];        // memory: data slots of a vector (v[0] == d for loads)
  int32_t loc;          // index into module->locs
  uint32_t ptx_line;
};

#endif
