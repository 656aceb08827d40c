// SPDX-License-Identifier: MIT
// profile/machine_op.c - from a PTX instruction to the kind that has a cost (machine_ops.def).
#include "profile/plan.h"

static bool is_64(ptx_type type) {
  return type == PTX_B64 || type == PTX_U64 || type == PTX_S64 || type == PTX_F64;
}

static bool is_float(ptx_type type) { return ptx_type_is_float(type); }

static bool is_double(const isa_row *row) {
  return row->type == PTX_F64 || row->source_type == PTX_F64;
}

static simt_machine_op conversion(const isa_row *row) {
  if (is_double(row)) return row->type == row->source_type ? SIMT_OP_fp64 : SIMT_OP_convert64;
  if (is_float(row->type) || is_float(row->source_type)) return SIMT_OP_convert;
  return is_64(row->type) || is_64(row->source_type) ? SIMT_OP_COUNT : SIMT_OP_narrow;
}

static simt_machine_op division(const isa_row *row) {
  if (row->type == PTX_F64) return SIMT_OP_div_f64;
  if (is_float(row->type))
    return row->klass == SIMT_CLASS_DIVISION ? SIMT_OP_div_rn : SIMT_OP_div_full;
  if (is_64(row->type)) return SIMT_OP_div_u64;
  if (row->type == PTX_S32 || row->type == PTX_S16) return SIMT_OP_div_s32;
  return row->operation == ISA_OPERATION_REMAINDER ? SIMT_OP_rem_u32 : SIMT_OP_div_u32;
}

// Divisions, roots and approximate functions.
static simt_machine_op special(const isa_row *row) {
  bool is_f64 = row->type == PTX_F64, rounds = row->klass == SIMT_CLASS_DIVISION;
  switch (row->operation) {
  case ISA_OPERATION_DIVIDE:
  case ISA_OPERATION_REMAINDER: return division(row);
  case ISA_OPERATION_SQUARE_ROOT:
    return is_f64 ? SIMT_OP_sqrt_f64 : rounds ? SIMT_OP_sqrt_rn : SIMT_OP_sqrt;
  case ISA_OPERATION_RECIPROCAL:
    return is_f64 ? SIMT_OP_div_f64 : rounds ? SIMT_OP_rcp_rn : SIMT_OP_rcp;
  case ISA_OPERATION_RECIPROCAL_ROOT: return is_f64 ? SIMT_OP_sqrt_f64 : SIMT_OP_rsqrt;
  case ISA_OPERATION_LOGARITHM: return SIMT_OP_lg2;
  case ISA_OPERATION_SINE: return SIMT_OP_sin;
  default: return SIMT_OP_ex2; // ex2, tanh
  }
}

// The class of a row is what counters call it: of doubles it is the same for quotients and sums.
static bool is_quotient_or_root(const isa_row *row) {
  return row->operation == ISA_OPERATION_DIVIDE || row->operation == ISA_OPERATION_RECIPROCAL ||
         row->operation == ISA_OPERATION_SQUARE_ROOT ||
         row->operation == ISA_OPERATION_RECIPROCAL_ROOT;
}

static simt_machine_op multiplication(const isa_row *row) {
  if (row->required & M_WIDE) return SIMT_OP_mul_wide;
  if (is_64(row->type)) return SIMT_OP_mul64;
  return row->required & M_HI ? SIMT_OP_mul_hi : SIMT_OP_imad;
}

static simt_machine_op integer(const isa_row *row) {
  switch (row->operation) {
  case ISA_OPERATION_MULTIPLY:
  case ISA_OPERATION_MULTIPLY_ADD: return multiplication(row);
  case ISA_OPERATION_MULTIPLY_SHORT: return SIMT_OP_imad;
  case ISA_OPERATION_COUNT_BITS: return SIMT_OP_count;
  case ISA_OPERATION_BIT_FIELD: return SIMT_OP_field;
  case ISA_OPERATION_SHIFT: return is_64(row->type) ? SIMT_OP_shift64 : SIMT_OP_compare;
  case ISA_OPERATION_EXTREME: return is_64(row->type) ? SIMT_OP_alu64 : SIMT_OP_compare;
  default: return is_64(row->type) ? SIMT_OP_alu64 : SIMT_OP_alu;
  }
}

static simt_machine_op arithmetic(const isa_row *row) {
  bool compares = row->operation == ISA_OPERATION_EXTREME || row->operation == ISA_OPERATION_SIGN;
  switch (row->klass) {
  case SIMT_CLASS_FP32:
  case SIMT_CLASS_FP16: return compares ? SIMT_OP_compare : SIMT_OP_fp32;
  case SIMT_CLASS_FP64: return is_quotient_or_root(row) ? special(row) : SIMT_OP_fp64;
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
