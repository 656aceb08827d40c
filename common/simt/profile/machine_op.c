// SPDX-License-Identifier: MIT
// profile/machine_op.c - from a PTX instruction to the kind that has a cost (machine_ops.def).
#include <string.h>

#include "profile/plan.h"

static bool is_64(ptx_type type) {
  return type == PTX_B64 || type == PTX_U64 || type == PTX_S64 || type == PTX_F64;
}

static bool is_float(ptx_type type) { return ptx_type_is_float(type); }

static bool is_double(const isa_row *row) {
  return row->type == PTX_F64 || row->source_type == PTX_F64;
}

static bool is(const isa_row *row, const char *opcode) { return strcmp(row->opcode, opcode) == 0; }

static simt_machine_op conversion(const isa_row *row) {
  if (is_double(row)) return row->type == row->source_type ? SIMT_OP_fp64 : SIMT_OP_convert64;
  if (is_float(row->type) || is_float(row->source_type)) return SIMT_OP_convert;
  return is_64(row->type) || is_64(row->source_type) ? SIMT_OP_COUNT : SIMT_OP_narrow;
}

// Divisions, roots and approximate functions.
static simt_machine_op special(const isa_row *row) {
  bool is_signed = row->type == PTX_S32 || row->type == PTX_S16;
  bool rounds = row->klass == SIMT_CLASS_DIVISION;
  if (is(row, "div") || is(row, "rem")) {
    if (row->type == PTX_F64) return SIMT_OP_div_f64;
    if (is_float(row->type)) return rounds ? SIMT_OP_div_rn : SIMT_OP_div_full;
    if (is_64(row->type)) return SIMT_OP_div_u64;
    return is_signed ? SIMT_OP_div_s32 : is(row, "rem") ? SIMT_OP_rem_u32 : SIMT_OP_div_u32;
  }
  if (is(row, "sqrt"))
    return row->type == PTX_F64 ? SIMT_OP_sqrt_f64 : rounds ? SIMT_OP_sqrt_rn : SIMT_OP_sqrt;
  if (is(row, "rcp"))
    return row->type == PTX_F64 ? SIMT_OP_div_f64 : rounds ? SIMT_OP_rcp_rn : SIMT_OP_rcp;
  if (is(row, "rsqrt")) return row->type == PTX_F64 ? SIMT_OP_sqrt_f64 : SIMT_OP_rsqrt;
  if (is(row, "lg2")) return SIMT_OP_lg2;
  if (is(row, "sin") || is(row, "cos")) return SIMT_OP_sin;
  return SIMT_OP_ex2; // ex2, tanh
}

static simt_machine_op integer(const isa_row *row) {
  bool multiplies = is(row, "mul") || is(row, "mad") || is(row, "madc");
  if (multiplies && row->required & M_WIDE) return SIMT_OP_mul_wide;
  if (multiplies && is_64(row->type)) return SIMT_OP_mul64;
  if (multiplies && row->required & M_HI) return SIMT_OP_mul_hi;
  if (multiplies || is(row, "mul24") || is(row, "mad24") || is(row, "dp4a") || is(row, "dp2a"))
    return SIMT_OP_imad;
  if (is(row, "popc") || is(row, "clz") || is(row, "brev") || is(row, "bfind"))
    return SIMT_OP_count;
  if (is(row, "bfe") || is(row, "bfi")) return SIMT_OP_field;
  bool shifts = is(row, "shl") || is(row, "shr") || is(row, "shf") || is(row, "prmt");
  bool compares = is(row, "min") || is(row, "max");
  if (!is_64(row->type)) return shifts || compares ? SIMT_OP_compare : SIMT_OP_alu;
  return shifts ? SIMT_OP_shift64 : SIMT_OP_alu64;
}

static simt_machine_op arithmetic(const isa_row *row) {
  switch (row->klass) {
  case SIMT_CLASS_FP32:
  case SIMT_CLASS_FP16:
    return is(row, "min") || is(row, "max") || is(row, "abs") || is(row, "neg") ? SIMT_OP_compare
                                                                                : SIMT_OP_fp32;
  case SIMT_CLASS_FP64: return SIMT_OP_fp64;
  case SIMT_CLASS_SPECIAL:
  case SIMT_CLASS_DIVISION: return special(row);
  case SIMT_CLASS_CONVERT: return conversion(row);
  case SIMT_CLASS_COMPARE: return is_64(row->type) ? SIMT_OP_alu64 : SIMT_OP_compare;
  case SIMT_CLASS_INTEGER: return integer(row);
  default: return SIMT_OP_COUNT; // moves
  }
}

simt_machine_op simt_machine_op_of(const simt_instr *in) {
  if (in->id >= ISA_ID_COUNT) return SIMT_OP_COUNT;
  const isa_row *row = &isa_rows[in->id];
  switch (in->form) {
  case ISA_LANES: return arithmetic(row);
  case ISA_SETP: return is_64(row->a) ? SIMT_OP_alu64 : SIMT_OP_compare;
  case ISA_SHUFFLE: return SIMT_OP_shuffle;
  case ISA_VOTE:
  case ISA_ACTIVEMASK: return SIMT_OP_vote;
  case ISA_REDUX: return SIMT_OP_redux;
  case ISA_MATCH: return SIMT_OP_match;
  case ISA_BRANCH: return SIMT_OP_branch;
  case ISA_FENCE: return SIMT_OP_alu;
  default: return SIMT_OP_COUNT;
  }
}
