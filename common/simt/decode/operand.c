// SPDX-License-Identifier: MIT
// decode/operand.c - operands of PTX instructions as virtual operands: registers, constants,
// special registers and addresses. Everything becomes a 32-lane vector in the register file, so
// that no instruction asks at run time what kind of operand it has.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decode/builder.h"
#include "decode/layout.h"

simt_status simt_decode_fail(const context *c, simt_status status, const char *format, ...) {
  char what[1024], where[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  const ptx_module *ptx = c->b->module->ptx;
  ptx_describe_loc(ptx, c->instr->loc, c->instr->line, where, sizeof where);
  return simt_fail(c->b->diag, status, "%s:%u: %s (in '%.*s', from %s)", ptx->name, c->instr->line,
                   what, SIMT_STR_ARG(c->function->name), where);
}

// ---- symbols -----------------------------------------------------------------------------------

static bool find_param(const context *c, simt_str name, ptx_space *space, uint64_t *value) {
  const ptx_function *f = c->function;
  for (uint32_t i = 0; i < f->n_params; i++) {
    if (!simt_str_equal(f->params[i].name, name)) continue;
    *space = PTX_SPACE_PARAM; // a kernel's parameter block, or the caller's stack
    *value = c->site ? c->site->param_offset[i] : f->params[i].offset_bytes;
    if (c->site) *space = PTX_SPACE_LOCAL;
    return true;
  }
  for (uint32_t i = 0; c->site && i < f->n_returns; i++) {
    if (!simt_str_equal(f->returns[i].name, name)) continue;
    *space = PTX_SPACE_LOCAL;
    *value = c->site->return_offset[i];
    return true;
  }
  return false;
}

simt_status simt_decode_symbol(const context *c, simt_str name, ptx_space *space, uint64_t *value) {
  const ptx_function *f = c->function;
  // Call sequences reuse names such as `param0`; the parser makes names unique, so the last match
  // is the only one.
  for (uint32_t i = f->n_variables; i-- > 0;) {
    const ptx_variable *v = &f->variables[i];
    if (!simt_str_equal(v->name, name)) continue;
    if (v->space == PTX_SPACE_SHARED && v->is_extern) break;
    *space = v->space == PTX_SPACE_PARAM ? PTX_SPACE_LOCAL : v->space;
    *value = c->frame->variable_offset[i];
    return SIMT_OK;
  }
  if (find_param(c, name, space, value)) return SIMT_OK;
  // A name of the body comes first: in another unit of the module it may mean something else.
  const ptx_variable *v = ptx_find_variable(f->variables, f->n_variables, name);
  if (!v) v = simt_module_find_variable(c->b->module, name, value);
  if (!v && (*value = simt_function_address(c->b->module, name))) // what a pointer to it holds
    return *space = PTX_SPACE_GENERIC, SIMT_OK;
  if (!v && ptx_find_function(c->b->module->ptx, name))
    return simt_decode_fail(c, SIMT_NOT_FOUND, "launches '%.*s', which is defined %s",
                            SIMT_STR_ARG(name), simt_decode_nowhere(c));
  if (!v) return simt_decode_fail(c, SIMT_NOT_FOUND, "'%.*s' is not declared", SIMT_STR_ARG(name));
  *space = v->space;
  if (v->space == PTX_SPACE_SHARED) {
    const shared_place *place = simt_decode_shared_place(c->b, v);
    *value = place ? place->offset : c->b->dynamic_base;
  } else if (v->is_extern) {
    return simt_decode_fail(c, SIMT_NOT_FOUND, "'%.*s' is declared extern and defined %s",
                            SIMT_STR_ARG(name), simt_decode_nowhere(c));
  }
  return SIMT_OK;
}

// ---- special registers -------------------------------------------------------------------------

static const struct {
  const char *name;
  uint8_t kind;
  uint64_t constant;
} specials[] = {
    {"%tid.x", SIMT_FILL_TID_X, 0},
    {"%tid.y", SIMT_FILL_TID_Y, 0},
    {"%tid.z", SIMT_FILL_TID_Z, 0},
    {"%ctaid.x", SIMT_FILL_CTAID_X, 0},
    {"%ctaid.y", SIMT_FILL_CTAID_Y, 0},
    {"%ctaid.z", SIMT_FILL_CTAID_Z, 0},
    {"%ntid.x", SIMT_FILL_NTID_X, 0},
    {"%ntid.y", SIMT_FILL_NTID_Y, 0},
    {"%ntid.z", SIMT_FILL_NTID_Z, 0},
    {"%nctaid.x", SIMT_FILL_NCTAID_X, 0},
    {"%nctaid.y", SIMT_FILL_NCTAID_Y, 0},
    {"%nctaid.z", SIMT_FILL_NCTAID_Z, 0},
    {"%laneid", SIMT_FILL_LANEID, 0},
    {"%warpid", SIMT_FILL_WARPID, 0},
    {"%nwarpid", SIMT_FILL_NWARPID, 0},
    {"%smid", SIMT_FILL_SMID, 0},
    {"%nsmid", SIMT_FILL_NSMID, 0},
    {"%gridid", SIMT_FILL_GRIDID, 0},
    {"%lanemask_eq", SIMT_FILL_LANEMASK_EQ, 0},
    {"%lanemask_lt", SIMT_FILL_LANEMASK_LT, 0},
    {"%lanemask_le", SIMT_FILL_LANEMASK_LE, 0},
    {"%lanemask_gt", SIMT_FILL_LANEMASK_GT, 0},
    {"%lanemask_ge", SIMT_FILL_LANEMASK_GE, 0},
    {"%dynamic_smem_size", SIMT_FILL_DYNAMIC_SHARED, 0},
    {"%total_smem_size", SIMT_FILL_TOTAL_SHARED, 0},
    {"%aggr_smem_size", SIMT_FILL_TOTAL_SHARED, SIMT_RESERVED_SHARED_BYTES},
    {"%current_graph_exec", SIMT_FILL_CONSTANT, 0}, // of graphs that kernels launch
    {"%reserved_smem_offset_begin", SIMT_FILL_RESERVED_SHARED, 0},
    {"%reserved_smem_offset_0", SIMT_FILL_RESERVED_SHARED, 0},
    {"%reserved_smem_offset_1", SIMT_FILL_RESERVED_SHARED, SIMT_RESERVED_SHARED_BYTES / 2},
    {"%reserved_smem_offset_cap", SIMT_FILL_RESERVED_SHARED, SIMT_RESERVED_SHARED_BYTES},
    {"%reserved_smem_offset_end", SIMT_FILL_RESERVED_SHARED, SIMT_RESERVED_SHARED_BYTES},
    {"%envreg1", SIMT_FILL_WORKSPACE_HIGH, 0},
    {"%envreg2", SIMT_FILL_WORKSPACE_LOW, 0},
    {"%clock", SIMT_FILL_CLOCK, 0},
    {"%clock64", SIMT_FILL_CLOCK, 0},
    {"%clock_hi", SIMT_FILL_CLOCK_HI, 0},
    {"%globaltimer", SIMT_FILL_GLOBALTIMER, 0},
    {"%globaltimer_lo", SIMT_FILL_GLOBALTIMER, 0},
    {"%is_explicit_cluster", SIMT_FILL_IS_CLUSTER, 0},
    {"%cluster_ctarank", SIMT_FILL_CLUSTER_RANK, 0},
    {"%cluster_nctarank", SIMT_FILL_CLUSTER_SIZE, 0},
    {"%cluster_ctaid.x", SIMT_FILL_CLUSTER_CTAID_X, 0},
    {"%cluster_ctaid.y", SIMT_FILL_CLUSTER_CTAID_Y, 0},
    {"%cluster_ctaid.z", SIMT_FILL_CLUSTER_CTAID_Z, 0},
    {"%cluster_nctaid.x", SIMT_FILL_CLUSTER_NCTAID_X, 0},
    {"%cluster_nctaid.y", SIMT_FILL_CLUSTER_NCTAID_Y, 0},
    {"%cluster_nctaid.z", SIMT_FILL_CLUSTER_NCTAID_Z, 0},
    {"%clusterid.x", SIMT_FILL_CLUSTERID_X, 0},
    {"%clusterid.y", SIMT_FILL_CLUSTERID_Y, 0},
    {"%clusterid.z", SIMT_FILL_CLUSTERID_Z, 0},
    {"%nclusterid.x", SIMT_FILL_NCLUSTERID_X, 0},
    {"%nclusterid.y", SIMT_FILL_NCLUSTERID_Y, 0},
    {"%nclusterid.z", SIMT_FILL_NCLUSTERID_Z, 0},
    {"WARP_SZ", SIMT_FILL_CONSTANT, SIMT_LANES},
};

static simt_status special_fill(const context *c, simt_str name, uint8_t bytes, uint32_t *id) {
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
    if (!simt_str_is(name, specials[i].name)) continue;
    // A clock advances while the kernel runs, so a slot that is filled beforehand cannot hold it.
    if (specials[i].kind >= SIMT_FILL_CLOCK)
      return simt_decode_fail(c, SIMT_UNSUPPORTED,
                              "'%.*s' is supported as the source of a mov only",
                              SIMT_STR_ARG(name));
    if (specials[i].kind == SIMT_FILL_RESERVED_SHARED) c->b->kernel->uses_reserved_shared = true;
    simt_fill fill = {.kind = specials[i].kind, .bytes = bytes, .value = specials[i].constant};
    return simt_builder_fill(c->b, fill, id);
  }
  return simt_decode_fail(c, SIMT_UNSUPPORTED, "special register '%.*s' is not supported",
                          SIMT_STR_ARG(name));
}

// ---- values ------------------------------------------------------------------------------------

uint8_t simt_decode_lane_bytes(ptx_type type) {
  if (type == PTX_PRED) return 0;
  uint32_t size = ptx_type_size_bytes(type);
  return size <= 4 ? 4 : (uint8_t)size;
}

static uint64_t float_bits(const ptx_operand *operand, ptx_type type) {
  if (operand->kind == PTX_OPERAND_F32) return operand->bits;
  if (type != PTX_F32) return operand->bits;
  double wide;
  memcpy(&wide, &operand->bits, sizeof wide);
  float narrow = (float)wide;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

simt_status simt_decode_register(const context *c, int32_t reg, uint32_t *id) {
  if (reg < 0) return *id = SIMT_NO_SLOT, SIMT_OK;
  *id = c->frame->register_base + (uint32_t)reg;
  return SIMT_OK;
}

uint8_t simt_decode_register_bytes(const context *c, const ptx_operand *operand) {
  if (operand->kind != PTX_OPERAND_REGISTER) return 0;
  return simt_decode_lane_bytes(c->function->registers[operand->reg].type);
}

static simt_status register_value(const context *c, const ptx_operand *operand, ptx_type type,
                                  uint32_t *id) {
  const ptx_register *reg = &c->function->registers[operand->reg];
  uint8_t have = simt_decode_lane_bytes(reg->type), want = simt_decode_lane_bytes(type);
  if (type != PTX_NO_TYPE && have != want)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "register %.*s is .%s where .%s is needed",
                            SIMT_STR_ARG(reg->name), ptx_type_name(reg->type), ptx_type_name(type));
  return simt_decode_register(c, operand->reg, id);
}

static simt_status symbol_value(const context *c, const ptx_operand *operand, ptx_type type,
                                uint32_t *id) {
  ptx_space space;
  uint64_t value;
  if (simt_str_is(operand->name, "WARP_SZ"))
    return simt_builder_constant(c->b, SIMT_LANES, simt_decode_lane_bytes(type), id);
  simt_status status = simt_decode_symbol(c, operand->name, &space, &value);
  if (status != SIMT_OK) return status;
  const uint8_t bytes = simt_decode_lane_bytes(type);
  if (space == PTX_SPACE_LOCAL)
    return simt_decode_local_address(c, value + (uint64_t)operand->offset, bytes, id);
  return simt_builder_address(c->b, space, value, operand->offset, bytes, id);
}

simt_status simt_decode_value(const context *c, const ptx_operand *operand, ptx_type type,
                              uint32_t *id) {
  uint8_t bytes = simt_decode_lane_bytes(type);
  switch (operand->kind) {
  case PTX_OPERAND_REGISTER: return register_value(c, operand, type, id);
  case PTX_OPERAND_SPECIAL: return special_fill(c, operand->name, bytes, id);
  case PTX_OPERAND_INTEGER:
    if (type == PTX_PRED)
      return simt_builder_constant(c->b, operand->bits ? SIMT_FULL_MASK : 0, 0, id);
    return simt_builder_constant(c->b, operand->bits, bytes, id);
  case PTX_OPERAND_F32:
  case PTX_OPERAND_F64: return simt_builder_constant(c->b, float_bits(operand, type), bytes, id);
  case PTX_OPERAND_SYMBOL: return symbol_value(c, operand, type, id);
  case PTX_OPERAND_SINK: return *id = SIMT_NO_SLOT, SIMT_OK;
  default:
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "this kind of operand is not supported here");
  }
}

static simt_status need_operand(const context *c, uint32_t index) {
  if (index < c->instr->n_operands) return SIMT_OK;
  return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "'%.*s' needs at least %u operands and has %u",
                          SIMT_STR_ARG(c->instr->opcode), index + 1, c->instr->n_operands);
}

simt_status simt_decode_source(const context *c, uint32_t index, ptx_type type, uint32_t *id,
                               bool *negated) {
  simt_status status = need_operand(c, index);
  if (status != SIMT_OK) return status;
  const ptx_operand *operand = &c->instr->operands[index];
  if (operand->kind == PTX_OPERAND_SINK)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "operand %u is read: it may not be _", index + 1);
  if (operand->negated && !negated)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "operand %u may not be negated", index + 1);
  if (negated) *negated = operand->negated;
  return simt_decode_value(c, operand, type, id);
}

simt_status simt_decode_destination(const context *c, uint32_t index, uint32_t *id) {
  simt_status status = need_operand(c, index);
  if (status != SIMT_OK) return status;
  const ptx_operand *operand = &c->instr->operands[index];
  if (operand->kind == PTX_OPERAND_SINK) return *id = SIMT_NO_SLOT, SIMT_OK;
  if (operand->kind != PTX_OPERAND_REGISTER)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "operand %u must be a register", index + 1);
  return simt_decode_register(c, operand->reg, id);
}

simt_status simt_decode_result(const context *c, ptx_type type, uint32_t *id) {
  simt_status status = simt_decode_destination(c, 0, id);
  if (status != SIMT_OK) return status;
  const ptx_operand *operand = &c->instr->operands[0];
  if (operand->kind == PTX_OPERAND_SINK)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "the result may not go to _");
  ptx_type have = c->function->registers[operand->reg].type;
  if (simt_decode_lane_bytes(have) == simt_decode_lane_bytes(type)) return SIMT_OK;
  return simt_decode_fail(c, SIMT_UNSUPPORTED, "destination is a .%s register where .%s is needed",
                          ptx_type_name(have), ptx_type_name(type));
}

// ---- addresses ---------------------------------------------------------------------------------

static simt_status symbol_address(const context *c, const ptx_operand *operand, simt_instr *in) {
  ptx_space space;
  uint64_t value;
  simt_status status = simt_decode_symbol(c, operand->name, &space, &value);
  if (status != SIMT_OK) return status;
  bool stack = space == PTX_SPACE_LOCAL && in->memory.space == PTX_SPACE_PARAM;
  bool plain_global = in->memory.space == PTX_SPACE_GLOBAL && space == PTX_SPACE_CONST;
  if (in->memory.space == PTX_SPACE_GENERIC || stack) in->memory.space = (uint8_t)space;
  else if (in->memory.space == PTX_SPACE_SHARED_CLUSTER && space == PTX_SPACE_SHARED)
    in->memory.space = (uint8_t)space; // a variable is the block's own
  else if (in->memory.space != space && !plain_global)
    return simt_decode_fail(c, SIMT_UNSUPPORTED,
                            "'%.*s' does not lie in the state space the instruction names",
                            SIMT_STR_ARG(operand->name));
  in->memory.address_bits = 64;
  in->memory.offset = operand->offset;
  in->memory.names_variable = true;
  if (space == PTX_SPACE_LOCAL && c->b->root) {
    in->memory.offset += (int64_t)value;
    return simt_decode_frame_base(c, &in->a);
  }
  return simt_builder_address(c->b, space, value, 0, 8, &in->a);
}

simt_status simt_decode_address(const context *c, uint32_t index, simt_instr *in) {
  simt_status status = need_operand(c, index);
  if (status != SIMT_OK) return status;
  const ptx_operand *operand = &c->instr->operands[index];
  if (operand->kind != PTX_OPERAND_ADDRESS)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "operand %u must be an address in brackets",
                            index + 1);
  if (operand->n_items)
    return simt_decode_fail(c, SIMT_UNSUPPORTED,
                            "only texture and surface instructions take coordinates");
  in->memory.space = (uint8_t)c->op.space;
  in->memory.offset = operand->offset;
  if (operand->base == PTX_OPERAND_SYMBOL) return symbol_address(c, operand, in);
  if (operand->base == PTX_OPERAND_INTEGER) {
    in->memory.address_bits = 64;
    return simt_builder_constant(c->b, operand->bits, 8, &in->a);
  }
  const ptx_register *reg = &c->function->registers[operand->reg];
  uint8_t bytes = simt_decode_lane_bytes(reg->type);
  if (bytes != 4 && bytes != 8)
    return simt_decode_fail(c, SIMT_UNSUPPORTED, "%.*s cannot hold an address",
                            SIMT_STR_ARG(reg->name));
  in->memory.address_bits = (uint8_t)(bytes * 8);
  if (in->memory.space == PTX_SPACE_PARAM && c->site)
    in->memory.space = PTX_SPACE_LOCAL; // address of a stack slot
  return simt_decode_register(c, operand->reg, &in->a);
}
