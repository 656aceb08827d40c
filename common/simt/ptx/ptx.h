// SPDX-License-Identifier: MIT
// ptx/ptx.h - PTX text as an immutable module: what the parser produces and all later
// stages read.
//
// The parser knows PTX's grammar (directives, scopes, operands) and nothing about what an opcode
// means: an instruction is an opcode word, its dotted suffixes and its operands. isa/isa.h gives
// them meaning and refuses what it does not know.
//
// Ownership: everything hangs off module->arena; string views point into module->text.
// Source: PTX ISA, chapters 4 (syntax), 5 (state spaces, types), 11 (directives).
#ifndef SIMT_PTX_H
#define SIMT_PTX_H

#include "base/arena.h"
#include "base/map.h"
#include "base/status.h"

typedef enum ptx_type {
  PTX_NO_TYPE,
  PTX_PRED,
  PTX_B8,
  PTX_U8,
  PTX_S8,
  PTX_B16,
  PTX_U16,
  PTX_S16,
  PTX_F16,
  PTX_BF16,
  PTX_E4M3X2, // two floats of 8 bits
  PTX_E5M2X2,
  PTX_TF32, // and these are parts of registers of 32 bits
  PTX_U2,
  PTX_S2,
  PTX_U4,
  PTX_S4,
  PTX_B32,
  PTX_U32,
  PTX_S32,
  PTX_F32,
  PTX_F16X2,
  PTX_BF16X2,
  PTX_U16X2,
  PTX_S16X2,
  PTX_B64,
  PTX_U64,
  PTX_S64,
  PTX_F64,
  PTX_B128,
  PTX_TYPE_COUNT
} ptx_type;

uint32_t ptx_type_size_bytes(ptx_type type);            // 0 for PTX_NO_TYPE and PTX_PRED
const char *ptx_type_name(ptx_type type);               // "f32"
bool ptx_type_is_float(ptx_type type);                  // also packed ones
bool ptx_type_from_name(simt_str name, ptx_type *type); // name without the dot

typedef enum ptx_space {
  PTX_SPACE_REG,
  PTX_SPACE_GENERIC,
  PTX_SPACE_GLOBAL,
  PTX_SPACE_SHARED,
  PTX_SPACE_LOCAL,
  PTX_SPACE_PARAM,
  PTX_SPACE_CONST,
  PTX_SPACE_SHARED_CLUSTER // shared memory of any block of the cluster
} ptx_space;

// One .loc record. Inlined code has a chain: the innermost frame first, `inlined_at` the index
// (in ptx_module.locs) of the call site's record, or -1.
typedef struct ptx_loc {
  uint32_t file; // .file number
  uint32_t line; // 1-based; 0: compiler-generated, no source line
  uint32_t column;
  int32_t inlined_at;
} ptx_loc;

typedef struct ptx_file {
  uint32_t number;
  simt_str name; // without quotes
} ptx_file;

typedef enum ptx_operand_kind {
  PTX_OPERAND_REGISTER, // `reg`: index into function->registers
  PTX_OPERAND_SPECIAL,  // `name`: "%tid.x", "%laneid", "%envreg1", "WARP_SZ"
  PTX_OPERAND_INTEGER,  // `bits` as two's complement
  PTX_OPERAND_F32,      // 0fXXXXXXXX: `bits` low 32
  PTX_OPERAND_F64,      // 0dXXXX… or a decimal literal: `bits` of the double
  PTX_OPERAND_SYMBOL,   // `name` (variable, function, label), plus `offset`
  PTX_OPERAND_ADDRESS,  // [base+offset]; `base` says what base is; `items`: coordinates
  PTX_OPERAND_VECTOR,   // {a,b,…}: `items`
  PTX_OPERAND_LIST,     // (a,b,…) of a call: `items`
  PTX_OPERAND_SINK      // _
} ptx_operand_kind;

// Which bits of a register an operand of a video instruction means: %r1.b2, %r1.h0.
typedef enum ptx_part {
  PTX_PART_ALL,
  PTX_PART_B0,
  PTX_PART_B1,
  PTX_PART_B2,
  PTX_PART_B3,
  PTX_PART_H0,
  PTX_PART_H1
} ptx_part;

typedef struct ptx_operand ptx_operand;
struct ptx_operand {
  ptx_operand_kind kind;
  ptx_operand_kind base; // ADDRESS: REGISTER, SYMBOL or INTEGER (absolute: `bits`)
  bool negated;          // !%p
  bool minus;            // -%r1: of a vmad
  uint8_t part;          // ptx_part of a register
  uint8_t n_parts;       // %r1.b7531, of video instructions: how many, four bits for each, the
  uint16_t parts;        // last one lowest
  char part_kind;        // 'b' or 'h'; 0: all of the register
  bool has_second;       // %p|%q: `second` is q (register index, or -1 for _)
  int32_t reg; // SYMBOL that names a body variable: its index in function->variables, else -1
  int32_t second;
  uint64_t bits;
  int64_t offset;
  simt_str name;
  ptx_operand *items; // [n_items]
  uint32_t n_items;
};

enum { PTX_MAX_SUFFIXES = 12, PTX_MAX_OPERANDS = 8 };

typedef struct ptx_instr {
  uint32_t line; // line in the PTX text, 1-based
  int32_t loc;   // index into module->locs, or -1
  int32_t guard; // predicate register, or -1
  bool guard_negated;
  simt_str opcode;                     // "ld"; also "call", "bra"
  simt_str suffixes[PTX_MAX_SUFFIXES]; // "global", "v4", "L2::128B", "f32" (no dots), in order
  uint32_t n_suffixes;
  ptx_operand *operands; // [n_operands]
  uint32_t n_operands;
} ptx_instr;

typedef struct ptx_register {
  simt_str name; // "%f12"; unique per scope, not per function. Of a range only the used ones exist
  ptx_type type; // PTX_PRED or as declared
} ptx_register;

typedef struct ptx_label {
  simt_str name;
  uint32_t instr; // index of the instruction the label stands before (may equal n_instrs)
} ptx_label;

// A piece of an initialiser that is an address: at byte `at`, `size_bytes` wide, the address of
// `symbol` + `addend`, shifted right by `shift_bits` and masked to the size.
typedef struct ptx_reloc {
  uint32_t at, size_bytes, shift_bits;
  simt_str symbol;
  int64_t addend;
  bool generic; // generic(symbol)
} ptx_reloc;

typedef struct ptx_variable {
  simt_str name;
  uint32_t line;
  ptx_space space;
  ptx_type type;        // element type
  uint32_t align_bytes; // never 0
  uint64_t size_bytes;  // whole array; 0 for `.extern .shared x[]`
  uint32_t unit;        // of ptx_link() that defines or declares it
  bool is_extern, is_visible, is_weak, is_managed;
  const uint8_t *init; // [size_bytes], or NULL: zero-initialised
  const ptx_reloc *relocs;
  uint32_t n_relocs;
} ptx_variable;

typedef struct ptx_param {
  simt_str name;
  ptx_type type;
  uint32_t align_bytes, size_bytes, offset_bytes; // offset in the parameter block
  int32_t reg; // functions may take and return registers (.reg .b32 x): its index, else -1
} ptx_param;

// NAME: .branchtargets A, B, C; what brx.idx chooses from.
typedef struct ptx_target_list {
  simt_str name;
  ptx_operand *items; // [n_items] SYMBOLs: labels of the function
  uint32_t n_items;
} ptx_target_list;

typedef struct ptx_function {
  simt_str name;
  uint32_t line;
  uint32_t unit; // of ptx_link() that defines or declares it
  bool is_entry, is_extern, is_weak, is_visible, has_body;
  ptx_param *params;
  uint32_t n_params;
  uint32_t param_bytes;
  ptx_param *returns;
  uint32_t n_returns;
  ptx_register *registers;
  uint32_t n_registers;
  // .local, .shared and call-sequence .param of the body; .global and .const move to the module.
  // A name that the function has twice, or that hides a module's, becomes `name@N`.
  ptx_variable *variables;
  uint32_t n_variables;
  ptx_instr *instrs;
  uint32_t n_instrs;
  ptx_label *labels;
  uint32_t n_labels; // sorted by name; names made unique like variables'
  ptx_target_list *target_lists;
  uint32_t n_target_lists;
  uint32_t max_threads[3];      // .maxntid; 0: not given
  uint32_t required_threads[3]; // .reqntid; 0: not given
  uint32_t required_cluster[3]; // .reqnctapercluster, in blocks; 0: not given
  uint32_t max_cluster_blocks;  // .maxclusterrank; 0: not given
  bool is_cluster_explicit;     // .explicitcluster: only launches that give a cluster's size
} ptx_function;

typedef struct ptx_module {
  simt_arena arena;
  const char *text; // NUL-terminated copy
  size_t text_bytes;
  char *name; // for diagnostics: a path, or "embedded PTX"
  uint32_t version_major, version_minor;
  simt_str target; // "sm_70"
  uint32_t address_bits;
  ptx_function *functions;
  uint32_t n_functions;
  ptx_variable *variables;
  uint32_t n_variables;
  ptx_file *files;
  uint32_t n_files;
  ptx_loc *locs;
  uint32_t n_locs;
  uint32_t n_units;                        // that it was linked from
  simt_map function_names, variable_names; // to indexes
} ptx_module;

// Parses `text` (need not be NUL-terminated). Labels and symbols used by instructions stay names
// in SYMBOL operands, except registers, which are resolved. Errors name module, line and cause:
// `k.ptx:12: expected ';' after operand 2 of 'add'`. *module is NULL on failure.
simt_status ptx_parse(ptx_module **module, const char *name, const char *text, size_t text_bytes,
                      size_t memory_limit_bytes, simt_diag *diag);
// One of several texts that use each other's functions and variables.
typedef struct ptx_unit {
  const char *name; // for diagnostics: the source file
  const char *text;
  size_t text_bytes;
} ptx_unit;
// The same for several units as one module, in their order. .visible, .weak and .extern names mean
// the same in all of them; others are each unit's own, and become `name@@N`. Of several weak
// definitions the first counts. SIMT_INVALID_ARGUMENT: two strong definitions, or conflicting
// declarations; the message names both units. Undefined names are reported when kernels are
// decoded.
simt_status ptx_link(ptx_module **module, const char *name, const ptx_unit *units, uint32_t n_units,
                     size_t memory_limit_bytes, simt_diag *diag);
void ptx_module_free(ptx_module *module);

// Look-ups by name; NULL when absent. Those in a module take constant time, the one in a list of
// variables is linear.
const ptx_function *ptx_find_function(const ptx_module *module, simt_str name);
const ptx_variable *ptx_find_global(const ptx_module *module, simt_str name);
const ptx_variable *ptx_find_variable(const ptx_variable *variables, uint32_t n, simt_str name);
// Whether an operand names a register, also as an address or inside a vector.
bool ptx_names_register(const ptx_operand *operand, int32_t reg);
// Index of the instruction a label stands before, or -1.
int64_t ptx_find_label(const ptx_function *function, simt_str name);

// Writes "k.cu:12 (inlined at k.cu:40)" for loc index `loc` into `out`; skips frames with line 0
// and falls back to "k.ptx:LINE" of the PTX text when there is no source line. Returns `out`.
const char *ptx_describe_loc(const ptx_module *module, int32_t loc, uint32_t ptx_line, char *out,
                             size_t out_bytes);
// Whether a file belongs to the CUDA toolkit or to the compiler. Its lines are the inside of
// atomicAdd() or threadIdx and mean nothing to the author of the kernel.
bool ptx_is_toolkit(simt_str file);
// The innermost frame of loc index `loc` with a line, outside the toolkit if there is one, and its
// file's name; NULL: no source line is known.
const ptx_loc *ptx_own_loc(const ptx_module *module, int32_t loc, simt_str *file);
// Whether the code at `loc` is in a file whose name contains `part`, or was inlined from one.
bool ptx_comes_from(const ptx_module *module, int32_t loc, const char *part);

#endif
