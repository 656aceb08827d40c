// SPDX-License-Identifier: MIT
// decode/contraction.h - private to contract.c, which plans what of a function is fused, and
// fused.c, which decodes it.
#ifndef SIMT_DECODE_CONTRACTION_H
#define SIMT_DECODE_CONTRACTION_H

#include "decode/builder.h"

typedef enum simt_quotient_kind {
  QUOTIENT_NONE,
  QUOTIENT_APPROX,    // div.approx
  QUOTIENT_FULL,      // div.full
  QUOTIENT_RECIPROCAL // rcp.approx without .ftz
} simt_quotient_kind;

typedef enum contraction_kind {
  KIND_OTHER,
  KIND_ARITHMETIC, // lane by lane
  KIND_JUMP,       // or a call: what follows may be reached from elsewhere
  KIND_TABLE,      // a jump by table
  KIND_MUL,        // or a quotient that ends in one
  KIND_ADD,
  KIND_SUB
} contraction_kind;

// What matters here of one instruction. Only equal traits (type, subnormals) are fused.
typedef struct instr_facts {
  uint8_t kind, traits;
  uint8_t quotient; // simt_quotient_kind
  bool is_call;     // nvcc has a call for it
  bool branches;    // ptxas makes code of it that branches: what follows is another block
  uint8_t taken;    // of a sum: the operand whose product is fused; 0: none
} instr_facts;

typedef struct fused_type {
  ptx_type type;
  uint8_t bytes; // of a lane
  uint16_t mul, add, sub, fma, neg, mov;
} fused_type;

#define FUSED(T, bytes, mov)                                                                       \
  { PTX_##T, bytes, ISA_MUL_##T, ISA_ADD_##T, ISA_SUB_##T, ISA_FMA_##T, ISA_NEG_##T, mov }
static const fused_type fused_types[] = {
    FUSED(F32, 4, ISA_MOV_B32),   FUSED(F64, 8, ISA_MOV_B64),  FUSED(F16, 4, ISA_MOV_B32),
    FUSED(F16X2, 4, ISA_MOV_B32), FUSED(BF16, 4, ISA_MOV_B32), FUSED(BF16X2, 4, ISA_MOV_B32),
};
enum { N_FUSED_TYPES = sizeof fused_types / sizeof fused_types[0] };

static inline bool is_sum(instr_facts facts) {
  return facts.kind == KIND_ADD || facts.kind == KIND_SUB;
}

static inline const fused_type *fused_type_of(instr_facts facts) {
  return &fused_types[(facts.traits - 1) / 2];
}

// What is known of a register of the function.
typedef struct register_facts {
  uint32_t n_mentions, n_sums; // in all; as a source of an addition or subtraction
  uint32_t n_adds;             // as a source of an addition
  uint32_t n_doublings;        // additions that read it twice, which the others are without
  int32_t product;             // the multiplication that gives its value, or -1
  uint32_t rank;               // how late its value is there
  int32_t latest;              // the register of the value that it has waited for
  uint32_t vector;             // of a register loaded with others: by which instruction, or 0
  uint8_t traits, n_products;
  bool is_called; // of a function, to nvcc
  bool is_quotient;
  bool is_rounded; // a use cannot take the product in: none does
  bool is_blocked; // a sum has taken in another one: later sums do not take in this one
  bool is_needed;  // the rounded product is read
  bool is_fused;   // its factors are
} register_facts;

struct simt_contraction {
  instr_facts *instrs;       // [n_instrs]
  register_facts *registers; // [n_registers]
  uint32_t (*factors)[2];    // [n_registers] operand ids, once the multiplication has been decoded
  // [n_registers] copies of the factors are made where the multiplication stood, since their
  // registers may have changed by the time of an addition.
  bool *keeps_factors;
};

#endif
