// SPDX-License-Identifier: MIT
// device/instruction.h - the dense instruction and the register file: the contract between the
// decoder, the lane functions (lanes/) and the execution core (core/).
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
#ifndef SIMT_DEVICE_INSTRUCTION_H
#define SIMT_DEVICE_INSTRUCTION_H

#include "device/lane.h"
#include "isa/isa.h"

#define SIMT_NO_SLOT 0xffffffffu
#define SIMT_NO_PC 0xffffffffu
#define SIMT_ASYNC_ALL 0xffffffffu
#define SIMT_NO_BODY 0xffffffffu

// The first 64 bytes of every register file are reserved: offset 0 holds the carry flags that
// add.cc, sub.cc and mad.cc write and addc, subc and madc read, bit l for lane l. After sub.cc it
// is 1 where there was no borrow.
enum { SIMT_CARRY_SLOT = 0 };

typedef struct simt_instr simt_instr;

// What one instruction does to the lanes of `mask`; `regs` is the warp's register file.
typedef void (*simt_lane_function)(uint8_t *regs, const simt_instr *in, uint32_t mask);

// Forms that only the decoder creates, in addition to isa_form.
typedef enum simt_form {
  SIMT_FORM_MARKER = 128, // begins a basic block: counts the entry, reconverges lanes
  SIMT_FORM_PRINTF,       // vprintf: a = format, b = argument buffer
  SIMT_FORM_ASSERT,       // __assertfail: a = line
  SIMT_FORM_GRID_SYNC,    // grid.sync() of our cooperative_groups.h
  SIMT_FORM_CLOCK,        // reads a clock into d
  SIMT_FORM_CALL,         // to a separate body: recursion, or through a pointer in a
  SIMT_FORM_RETURN,       // from such a body
  SIMT_FORM_HEAP,         // malloc: d = address, a = size, b = alignment; free: a = address
  SIMT_FORM_DEVICE_CALL   // of CUDA's runtime: d = result; a, b and service.in: arguments
} simt_form;

// What an approximate division gives: the quotient, or one of the two factors that it is the
// product of.
typedef enum simt_quotient_part {
  SIMT_QUOTIENT_WHOLE,
  SIMT_QUOTIENT_DIVIDEND, // scaled as the divisor is
  SIMT_QUOTIENT_INVERSE   // of the scaled divisor
} simt_quotient_part;

// The payloads of simt_instr. A slot is a byte offset in the register file or SIMT_NO_SLOT.

typedef struct simt_arithmetic { // ISA_LANES, ISA_SETP
  uint32_t fourth;               // ISA_LANES: slot of a fourth source (bfi, lop3)
  uint32_t second_d;             // ISA_SETP: slot of q in p|q
  uint8_t rounding;              // isa_rounding
  bool ftz, saturate;
  bool rounds_to_integer;   // cvt between floats: .rni .rzi .rmi .rpi
  uint8_t compare, boolean; // isa_compare, isa_bool
  uint8_t prmt_mode;        // isa_op.prmt_mode
  uint8_t test;             // testp: isa_test
  uint8_t part;             // div.approx, div.full: simt_quotient_part
  uint8_t d_bytes, a_bytes; // cvt: lane sizes of d and a, 4 or 8
  isa_video video;          // scalar video instructions
} simt_arithmetic;

typedef struct simt_pack { // ISA_PACK, ISA_UNPACK
  uint32_t element[4];     // slots
  uint8_t n_elements, element_bytes;
} simt_pack;

typedef struct simt_memory_access { // ISA_LOAD, ISA_STORE, ISA_ATOM, ISA_RED; ISA_ISSPACEP: space
  int64_t offset;                   // added to the address in a
  uint32_t data[4];     // loads and stores: slots of the registers, data[0] == d for loads
  uint8_t width_bytes;  // per element
  uint8_t vector;       // elements: 1, 2 or 4
  uint8_t data_bytes;   // lane size of the data registers: 4, 8 or 16
  uint8_t address_bits; // of the register that holds the address: 32 or 64
  uint8_t space;        // ptx_space
  uint8_t from_space;   // ISA_BULK_COPY: ptx_space of what is copied
  uint8_t order, scope; // isa_order, isa_scope
  uint8_t operation;    // isa_atomic
  bool sign_extend;     // loads of s8, s16, and s32 into 64 bits
  bool discards;        // an atomic whose result goes to _, or that has none
  bool is_unread;       // an atomic whose result, if any, no instruction reads
  bool names_variable;  // the address is a variable's and a constant offset
} simt_memory_access;

typedef struct simt_texture_access { // ISA_TEXTURE, ISA_SURFACE_LOAD, ISA_SURFACE_STORE; a: object
  uint32_t data[4];                  // slots: what is read, or stored
  uint32_t at[4];                    // slots: coordinates; layers come first
  uint8_t geometry, boundary;        // isa_geometry, isa_boundary
  uint8_t n_data, n_at;
  uint8_t width_bytes; // surfaces: of an element
  uint8_t data_bytes;  // of a lane of data: 4 or 8
  bool is_float;       // coordinates are floats
  bool is_gather;      // tld4
  uint8_t component;   // tld4: which
  uint8_t n_level;     // in b, c, at[2], at[3]: 1: a level; 2 or 4: changes of coordinates; else 0
} simt_texture_access;

typedef struct simt_branch { // ISA_BRANCH
  uint32_t target;           // dense pc
  uint32_t reconverge;       // pc of its immediate post-dominator's marker, or SIMT_NO_PC
  bool is_pending;           // while decoding: target is still an index of PTX instructions
} simt_branch;

typedef struct simt_marker { // SIMT_FORM_MARKER
  uint32_t block, n_instrs;  // index of the basic block, its instructions without the marker
} simt_marker;

typedef struct simt_collective { // ISA_WARP_SYNC, ISA_SHUFFLE, ISA_VOTE, ISA_MATCH, ISA_REDUX
  uint32_t members;              // slot of the member mask
  uint32_t second_d;             // shuffle, match.all: slot of p in d|p
  uint8_t operation;             // isa_shuffle, isa_vote, isa_redux; match: isa_match
  uint8_t value_bytes;           // lane size of a
  bool is_signed;                // redux
} simt_collective;

struct simt_instr {
  simt_lane_function lanes; // forms that compute lane by lane: LANES, SETP, PACK, UNPACK
  uint32_t d;               // slot of the destination
  uint32_t a, b, c;         // slots of the sources
  uint32_t guard;           // slot of the guard predicate
  uint32_t pc;              // its own index
  uint16_t id;              // isa_id; ISA_ID_COUNT: made by the decoder
  uint8_t form;             // isa_form or simt_form: selects the payload
  uint8_t klass;            // simt_class
  bool guard_negated;
  bool a_negated, b_negated, c_negated; // the source predicate is !p
  union {
    simt_arithmetic arithmetic;
    simt_pack pack;
    simt_memory_access memory;
    simt_branch branch;
    simt_marker marker;
    simt_collective collective;
    struct {
      uint8_t reduction; // ISA_BARRIER_RED: isa_bool; NONE: popc
      bool is_aligned;   // all threads of a warp reach it together
      bool is_constant;  // barrier and count are constants
    } barrier;           // ISA_BARRIER, ISA_BARRIER_RED, ISA_BARRIER_ARRIVE
    struct {
      uint8_t order, scope; // isa_order, isa_scope
    } fence;                // ISA_FENCE
    struct {
      bool is_aligned, is_relaxed; // relaxed: orders nothing
    } cluster;                     // ISA_CLUSTER_ARRIVE, ISA_CLUSTER_WAIT
    simt_texture_access texture;
    struct {
      uint32_t keep; // groups that may still be in flight, or SIMT_ASYNC_ALL: wait for everything
    } async;         // ISA_ASYNC_WAIT
    struct {
      bool upper_half;
      uint8_t bytes; // lane size of d: 4 or 8
    } clock;         // SIMT_FORM_CLOCK
    struct {
      uint64_t result_offset; // in local memory, behind the frame that c holds
    } print;                  // SIMT_FORM_PRINTF
    struct {
      uint32_t body;        // index of the body, or SIMT_NO_BODY: a holds addresses of functions
      uint32_t frame_bytes; // of the caller: where the callee's frame begins
      uint32_t first_saved, n_saved; // registers that outlive the call, in kernel->saved
      uint32_t signature;            // sizes of arguments and results
    } call;                          // SIMT_FORM_CALL
    struct {
      uint32_t text[3]; // slots: message, file, function
    } assertion;        // SIMT_FORM_ASSERT
    struct {
      uint32_t in[8]; // slots: arguments behind the first two
      uint8_t call;   // simt_device_call
    } service;        // SIMT_FORM_DEVICE_CALL
  };
  int32_t loc; // index into module->locs
  uint32_t ptx_line;
};
_Static_assert(sizeof(simt_instr) <= 96, "instructions are read from cache: keep them small");

#endif
