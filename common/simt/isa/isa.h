// SPDX-License-Identifier: MIT
// isa/isa.h - what each PTX opcode means: the table of isa/isa.def and its lookup.
//
// A row of isa/isa.def is one typed opcode ("add.f32", "shfl.sync.b32"). Modifiers that do not
// change the row (rounding, cache hints, spaces, comparison operators) are fields of isa_op, filled
// by the lookup. Whatever the table does not know is refused with the nearest supported forms.
// Source: PTX ISA, chapter 9.
#ifndef SIMT_ISA_H
#define SIMT_ISA_H

#include "include/simt.h"
#include "ptx/ptx.h"

// How the decoder reads the operands of a row and which part of the core executes it.
// clang-format off
typedef enum isa_form {
  ISA_LANES,     // d, a[, b[, c]]: lane-wise arithmetic, runs row->lanes
  ISA_SETP,      // p[|q], a, b[, c]: comparison into predicates, runs row->lanes
  ISA_PACK,      // mov d, {v[0], v[1][, v[2], v[3]]}: sources in v[], runs row->lanes
  ISA_UNPACK,    // mov {v[0], v[1][, v[2], v[3]]}, a: destinations in v[], runs row->lanes
  ISA_LOAD, ISA_STORE, ISA_ATOM, ISA_RED, // memory
  ISA_CVTA, ISA_ISSPACEP,
  ISA_BRANCH, ISA_CALL, ISA_RETURN, ISA_EXIT, ISA_TRAP, ISA_BRKPT,
  ISA_BARRIER, ISA_BARRIER_RED, ISA_BARRIER_ARRIVE, ISA_WARP_SYNC,
  ISA_SHUFFLE, ISA_VOTE, ISA_MATCH, ISA_REDUX, ISA_ACTIVEMASK,
  ISA_FENCE, ISA_NANOSLEEP, ISA_NOP
} isa_form;
// clang-format on

typedef enum isa_rounding { ISA_RN, ISA_RZ, ISA_RM, ISA_RP } isa_rounding; // also rni rzi rmi rpi
// clang-format off
typedef enum isa_compare {
  ISA_EQ, ISA_NE, ISA_LT, ISA_LE, ISA_GT, ISA_GE, // ordered: false when an operand is NaN
  ISA_EQU, ISA_NEU, ISA_LTU, ISA_LEU, ISA_GTU, ISA_GEU, // unordered; lo ls hi hs map to LT LE GT GE on u types
  ISA_NUM, ISA_NAN
} isa_compare;
typedef enum isa_bool { ISA_BOOL_NONE, ISA_BOOL_AND, ISA_BOOL_OR, ISA_BOOL_XOR } isa_bool;
typedef enum isa_atomic {
  ISA_ATOM_ADD, ISA_ATOM_MIN, ISA_ATOM_MAX, ISA_ATOM_AND, ISA_ATOM_OR, ISA_ATOM_XOR,
  ISA_ATOM_EXCH, ISA_ATOM_CAS, ISA_ATOM_INC, ISA_ATOM_DEC
} isa_atomic;
// clang-format on
typedef enum isa_shuffle { ISA_SHFL_UP, ISA_SHFL_DOWN, ISA_SHFL_BFLY, ISA_SHFL_IDX } isa_shuffle;
typedef enum isa_vote { ISA_VOTE_ALL, ISA_VOTE_ANY, ISA_VOTE_UNI, ISA_VOTE_BALLOT } isa_vote;
typedef enum isa_match { ISA_MATCH_ANY, ISA_MATCH_ALL } isa_match;
typedef enum isa_redux {
  ISA_REDUX_ADD,
  ISA_REDUX_MIN,
  ISA_REDUX_MAX,
  ISA_REDUX_AND,
  ISA_REDUX_OR,
  ISA_REDUX_XOR
} isa_redux;
typedef enum isa_order {
  ISA_WEAK,
  ISA_VOLATILE,
  ISA_RELAXED,
  ISA_ACQUIRE,
  ISA_RELEASE,
  ISA_ACQ_REL,
  ISA_SEQ_CST
} isa_order;
typedef enum isa_scope {
  ISA_SCOPE_NONE,
  ISA_SCOPE_CTA,
  ISA_SCOPE_CLUSTER,
  ISA_SCOPE_GPU,
  ISA_SCOPE_SYS
} isa_scope;

typedef enum isa_id {
#define ISA_ROW(id, ...) ISA_##id,
#include "isa/isa.def"
#undef ISA_ROW
  ISA_ID_COUNT
} isa_id;

// What testp asks.
// clang-format off
typedef enum isa_test {
  ISA_TEST_FINITE, ISA_TEST_INFINITE, ISA_TEST_NUMBER, ISA_TEST_NAN, ISA_TEST_NORMAL,
  ISA_TEST_SUBNORMAL
} isa_test;
// clang-format on

typedef struct isa_row {
  isa_id id;
  const char *name;     // "ADD_F32": unique, the key of the row's test
  const char *opcode;   // "add"
  ptx_type type;        // the (destination) type suffix, or PTX_NO_TYPE
  ptx_type source_type; // second type suffix (cvt, set, mul.wide's none), or PTX_NO_TYPE
  uint64_t required;    // modifier bits that must be present (isa/isa.c's table of modifier words)
  uint64_t allowed;     // further modifier bits that may be present
  simt_class klass;
  isa_form form;
  uint8_t n_sources;   // source operands (ISA_LANES, ISA_SETP), without the boolean operand of
                       // set/setp; a fourth one (bfi, lop3) is 32 bits wide
  ptx_type d, a, b, c; // register types of destination and sources (ISA_LANES, ISA_SETP)
} isa_row;

// One looked-up instruction: its row and the modifiers as numbers.
typedef struct isa_op {
  const isa_row *row;
  isa_rounding rounding;
  bool rounding_to_integer, ftz, saturate;
  isa_compare compare;
  isa_bool boolean;
  ptx_space space; // PTX_SPACE_GENERIC when none is written
  bool to_space;   // cvta.to
  uint8_t vector;  // 1, 2, 4 (8)
  isa_order order;
  isa_scope scope;
  isa_atomic atomic;
  isa_shuffle shuffle;
  isa_vote vote;
  isa_redux redux;
  isa_match match;
  bool uniform, aligned;
  isa_bool barrier_reduction; // AND, OR; NONE: popc
  uint8_t prmt_mode;          // 0: generic; f4e b4e rc8 ecl ecr rc16 = 1…6
  isa_test test;
} isa_op;

extern const isa_row isa_rows[ISA_ID_COUNT];

// Over the opcode table and the modifiers, so that an instruction is found without a search. To be
// made once by those who look up many; it can be shared, as it never changes.
enum { ISA_WORD_BUCKETS = 256, ISA_ROW_BUCKETS = 2048, ISA_MAX_WORDS = 192 };
typedef struct isa_index {
  uint16_t word_heads[ISA_WORD_BUCKETS], word_next[ISA_MAX_WORDS];
  uint16_t row_heads[ISA_ROW_BUCKETS], row_next[ISA_ID_COUNT];
} isa_index;
void isa_index_build(isa_index *index);

// Finds the row of `instr`. On failure: SIMT_UNSUPPORTED with module, PTX line, the instruction as
// written and up to three nearest supported forms.
simt_status isa_lookup(const isa_index *index, const ptx_module *module, const ptx_instr *instr,
                       isa_op *op, simt_diag *diag);

// Writes the canonical spelling of a row, e.g. "add{.rnd}{.ftz}{.sat}.f32"; returns `out`.
const char *isa_spelling(const isa_row *row, char *out, size_t out_bytes);

#endif
