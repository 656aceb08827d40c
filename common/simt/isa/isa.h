// SPDX-License-Identifier: MIT
// isa/isa.h - what each PTX opcode means: the table of isa/opcodes/*.def and its look-up.
//
// A row is one typed opcode ("add.f32", "shfl.sync.b32"). Modifiers that do not
// change the row (rounding, cache hints, spaces, comparison operators) are fields of isa_op, filled
// by the look-up. Whatever the table does not know is refused: isa_refusal says why.
// Source: PTX ISA, chapter 9.
#ifndef SIMT_ISA_H
#define SIMT_ISA_H

#include "include/simt.h"
#include "isa/modifiers.h"
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
  ISA_BRANCH, ISA_BRANCH_TABLE, ISA_CALL, ISA_RETURN, ISA_EXIT, ISA_TRAP, ISA_BRKPT,
  ISA_BARRIER, ISA_BARRIER_RED, ISA_BARRIER_ARRIVE, ISA_CLUSTER_ARRIVE, ISA_CLUSTER_WAIT,
  ISA_WARP_SYNC,
  ISA_SHUFFLE, ISA_VOTE, ISA_MATCH, ISA_REDUX, ISA_ACTIVEMASK,
  ISA_FENCE, ISA_NANOSLEEP, ISA_NOP,
  ISA_ASYNC_COPY, ISA_ASYNC_COMMIT, ISA_ASYNC_WAIT, // cp.async
  ISA_BULK_COPY,                                    // cp.async.bulk
  ISA_TEXTURE, ISA_SURFACE_LOAD, ISA_SURFACE_STORE,
  ISA_MBARRIER, ISA_ELECT, // decoded into other forms
  ISA_LOGIC                // likewise: lop3 d|p, a, b, c, table, q
} isa_form;
// clang-format on

typedef enum isa_rounding { ISA_RN, ISA_RZ, ISA_RM, ISA_RP } isa_rounding; // also rni rzi rmi rpi
// clang-format off
typedef enum isa_compare {
  ISA_EQ, ISA_NE, ISA_LT, ISA_LE, ISA_GT, ISA_GE, // ordered: false when an operand is NaN
  ISA_EQU, ISA_NEU, ISA_LTU, ISA_LEU, ISA_GTU, ISA_GEU, // unordered; lo ls hi hs: LT LE GT GE on u
  ISA_NUM, ISA_NAN
} isa_compare;
typedef enum isa_bool { ISA_BOOL_NONE, ISA_BOOL_AND, ISA_BOOL_OR, ISA_BOOL_XOR } isa_bool;
typedef enum isa_atomic {
  ISA_ATOM_ADD, ISA_ATOM_MIN, ISA_ATOM_MAX, ISA_ATOM_AND, ISA_ATOM_OR, ISA_ATOM_XOR,
  ISA_ATOM_EXCH, ISA_ATOM_CAS, ISA_ATOM_INC, ISA_ATOM_DEC,
  // of mbarriers (lanes/mbarrier.h); the last two change nothing
  ISA_ATOM_MBARRIER_ARRIVE, ISA_ATOM_MBARRIER_ARRIVE_EXPECT, ISA_ATOM_MBARRIER_DROP,
  ISA_ATOM_MBARRIER_EXPECT, ISA_ATOM_MBARRIER_COMPLETE,
  ISA_ATOM_MBARRIER_TEST, ISA_ATOM_MBARRIER_PARITY
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

// Shapes of textures and surfaces; a: layers of them.
typedef enum isa_geometry {
  ISA_GEOMETRY_1D,
  ISA_GEOMETRY_2D,
  ISA_GEOMETRY_3D,
  ISA_GEOMETRY_A1D,
  ISA_GEOMETRY_A2D,
  ISA_GEOMETRY_CUBE,
  ISA_GEOMETRY_ACUBE
} isa_geometry;
// What a surface access beyond the edge does.
typedef enum isa_boundary { ISA_BOUNDARY_TRAP, ISA_BOUNDARY_CLAMP, ISA_BOUNDARY_ZERO } isa_boundary;

// What testp asks.
// clang-format off
typedef enum isa_test {
  ISA_TEST_FINITE, ISA_TEST_INFINITE, ISA_TEST_NUMBER, ISA_TEST_NAN, ISA_TEST_NORMAL,
  ISA_TEST_SUBNORMAL
} isa_test;
// clang-format on

// What a row computes, in as much detail as is needed by code that follows values through a kernel
// (decode/analysis, core/undefined.c) or that assigns costs to instructions (profile/). An
// operation covers signed, unsigned and floating-point types.
typedef enum isa_operation {
  ISA_OPERATION_OTHER,
  ISA_OPERATION_MOVE, // also to and from vectors
  ISA_OPERATION_CONVERT,
  ISA_OPERATION_ADD,
  ISA_OPERATION_SUBTRACT,
  ISA_OPERATION_MULTIPLY,
  ISA_OPERATION_MULTIPLY_ADD,   // a * b + c, rounded once or twice
  ISA_OPERATION_MULTIPLY_SHORT, // of 24, 16 or 8 bits: mul24, mad24, dp2a, dp4a
  ISA_OPERATION_DIVIDE,
  ISA_OPERATION_REMAINDER,
  ISA_OPERATION_RECIPROCAL,
  ISA_OPERATION_SQUARE_ROOT,
  ISA_OPERATION_RECIPROCAL_ROOT,
  ISA_OPERATION_LOGARITHM,
  ISA_OPERATION_SINE,    // and cosine
  ISA_OPERATION_EXTREME, // minimum or maximum
  ISA_OPERATION_SIGN,    // changed or cleared: neg, abs
  ISA_OPERATION_AND,
  ISA_OPERATION_OR,
  ISA_OPERATION_SHIFT,      // also funnel shifts and permuted bytes
  ISA_OPERATION_BIT_FIELD,  // extract or insert
  ISA_OPERATION_COUNT_BITS, // also bit reversal and the position of the first bit
  ISA_OPERATION_SELECT      // c ? a : b
} isa_operation;

typedef struct isa_row {
  isa_id id;
  const char *name;       // "ADD_F32": unique, the key of the row's test
  const char *opcode;     // "add"
  ptx_type type;          // the (destination) type suffix, or PTX_NO_TYPE
  ptx_type source_type;   // second type suffix (cvt, set; none for mul.wide), or PTX_NO_TYPE
  isa_modifiers required; // that must be present
  isa_modifiers allowed;  // that may be present, too
  simt_class klass;
  isa_form form;
  uint8_t n_sources;   // source operands (ISA_LANES, ISA_SETP), without the boolean operand of
                       // set/setp; a fourth one (bfi, lop3) is 32 bits wide
  ptx_type d, a, b, c; // register types of destination and sources (ISA_LANES, ISA_SETP)
  isa_operation operation;
} isa_row;

// What a video instruction does with the result of its first operation and with c.
typedef enum isa_second {
  ISA_SECOND_NONE,
  ISA_SECOND_ADD,
  ISA_SECOND_MIN,
  ISA_SECOND_MAX
} isa_second;

// A video instruction. The look-up fills in what the suffixes say, the decoder the rest.
typedef struct isa_video {
  bool d_signed, a_signed, b_signed;
  bool wraps;                     // .wrap of a shift, else .clamp
  bool plus_one;                  // vmad.po
  uint8_t scale;                  // vmad: 7, 15 or 0
  uint8_t second;                 // isa_second
  uint8_t d_part, a_part, b_part; // ptx_part
  bool a_minus, b_minus, c_minus;
  // Of 2 or 4 parts: four bits each say which part of {b, a} it is, and a bit whether d has it.
  uint8_t n_parts, d_parts;
  uint16_t a_parts, b_parts;
} isa_video;

// One looked-up instruction: its row and the modifiers as numbers.
typedef struct isa_op {
  const isa_row *row;
  isa_rounding rounding;
  bool has_rounding; // a rounding is written; else it may be fused
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
  isa_geometry geometry;
  isa_boundary boundary;
  uint8_t component; // of a gather
  isa_video video;
} isa_op;

extern const isa_row isa_rows[ISA_ID_COUNT];

// An index over the opcode table and the modifiers, so that a look-up needs no search. Build it
// once for many look-ups; it never changes, so it can be shared.
enum { ISA_WORD_BUCKETS = 256, ISA_ROW_BUCKETS = 2048, ISA_MAX_WORDS = 256 };
typedef struct isa_index {
  uint16_t word_heads[ISA_WORD_BUCKETS], word_next[ISA_MAX_WORDS];
  uint16_t row_heads[ISA_ROW_BUCKETS], row_next[ISA_ID_COUNT];
} isa_index;
void isa_index_build(isa_index *index);

// Why an instruction is refused.
typedef enum isa_refusal_kind {
  ISA_REFUSED_NOTHING,
  ISA_REFUSED_OPCODE,         // no row has this opcode
  ISA_REFUSED_MODIFIER,       // unknown: `modifier`
  ISA_REFUSED_REPETITION,     // `modifier` repeats or contradicts one before it
  ISA_REFUSED_TYPES,          // more than two types
  ISA_REFUSED_COMBINATION,    // no row has these types and modifiers
  ISA_REFUSED_WITHOUT_SYNC,   // a warp-wide operation without .sync
  ISA_REFUSED_CONSTANT_STORE, // writes constant memory
  ISA_REFUSED_NO_SPACE,       // names no state space, or two, where one is needed
  ISA_REFUSED_TWO_SPACES,     // names two state spaces
  ISA_REFUSED_BARRIER_SCOPE   // a barrier of another scope than the block's or the cluster's
} isa_refusal_kind;

// A refused instruction, and what its suffixes were understood as.
typedef struct isa_refusal {
  isa_refusal_kind kind;
  const ptx_instr *instr; // its opcode, suffixes, line and source location
  simt_str modifier;      // the offending one, without its dot; empty: the instruction as a whole
  ptx_type type, source_type;
  isa_modifiers modifiers;
} isa_refusal;

// Finds the row of `instr`; SIMT_UNSUPPORTED and *refusal when there is none.
simt_status isa_lookup(const isa_index *index, const ptx_instr *instr, isa_op *op,
                       isa_refusal *refusal);

// Whether an instruction calls a function, before it is looked up.
bool isa_is_call(const ptx_instr *instr);

// Describes a refusal in `diag`: module, PTX line, the instruction as written, the reason and up to
// three nearest supported forms. `module` may be NULL. Returns SIMT_UNSUPPORTED.
simt_status isa_describe_refusal(const ptx_module *module, const isa_refusal *refusal,
                                 simt_diag *diag);

// Writes the canonical spelling of a row, e.g. "add{.rnd}{.ftz}{.sat}.f32"; returns `out`.
const char *isa_spelling(const isa_row *row, char *out, size_t out_bytes);

#endif
