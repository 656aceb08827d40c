// SPDX-License-Identifier: MIT
// decode/texture.c - tex, tld4, suld and sust by texture or surface object.
// Refused: textures by name (.texref).
#include "decode/builder.h"

static uint32_t dimensions_of(isa_geometry geometry) {
  switch (geometry) {
  case ISA_GEOMETRY_1D: return 1;
  case ISA_GEOMETRY_3D: return 3;
  case ISA_GEOMETRY_CUBE: return 3;
  case ISA_GEOMETRY_ACUBE: return 4;
  case ISA_GEOMETRY_A2D: return 3; // with the layer
  default: return 2;
  }
}

// [object, {coordinates}]
static simt_status decode_place(const context *c, uint32_t index, ptx_type type, simt_instr *in) {
  const ptx_operand *place = index < c->instr->n_operands ? &c->instr->operands[index] : NULL;
  if (!place || place->kind != PTX_OPERAND_ADDRESS || place->base != PTX_OPERAND_REGISTER)
    return simt_decode_fail(c, SIMT_UNSUPPORTED,
                            "a texture or surface object in a register is needed; textures by name "
                            "(texture references) were removed in CUDA 12");
  const uint32_t n = dimensions_of(c->op.geometry);
  if (place->n_items < n || place->n_items > 4)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "%u coordinates are needed", n);
  in->texture.n_at = (uint8_t)n;
  for (uint32_t i = 0; i < n; i++)
    TRY(simt_decode_value(c, &place->items[i], type, &in->texture.at[i]));
  return simt_decode_register(c, place->reg, &in->a);
}

static simt_status decode_data(const context *c, uint32_t index, simt_instr *in) {
  const ptx_operand *data = index < c->instr->n_operands ? &c->instr->operands[index] : NULL;
  if (!data) return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "data registers are needed");
  const bool is_vector = data->kind == PTX_OPERAND_VECTOR;
  const ptx_operand *items = is_vector ? data->items : data;
  const uint32_t n = is_vector ? data->n_items : 1;
  if (n != c->op.vector || n > 4)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "%u registers are given where %u are needed", n,
                            c->op.vector);
  in->texture.n_data = (uint8_t)n;
  in->texture.width_bytes = (uint8_t)ptx_type_size_bytes(c->op.row->type);
  in->texture.data_bytes = simt_decode_lane_bytes(c->op.row->type);
  for (uint32_t i = 0; i < n; i++)
    TRY(simt_decode_value(c, &items[i], c->op.row->type, &in->texture.data[i]));
  return SIMT_OK;
}

// tex.level: the level. tex.grad: two vectors, the gradients of the coordinates. The
// instruction has room for those of one and two dimensions.
static simt_status decode_level(const context *c, simt_instr *in) {
  uint32_t *const slots[] = {&in->b, &in->c, &in->texture.at[2], &in->texture.at[3]};
  const bool is_grad = (c->op.row->required & M_GRAD) != 0;
  if (!is_grad && !(c->op.row->required & M_LEVEL)) return SIMT_OK;
  if (!is_grad) {
    in->texture.n_level = 1;
    return simt_decode_source(c, 2, PTX_B32, slots[0], NULL);
  }
  if (c->op.geometry != ISA_GEOMETRY_1D && c->op.geometry != ISA_GEOMETRY_2D)
    return simt_decode_fail(c, SIMT_UNSUPPORTED,
                            "gradients are supported for textures of one and two dimensions; "
                            "compute the level and pass it (tex3DLod and the like)");
  const uint32_t n = dimensions_of(c->op.geometry);
  for (uint32_t direction = 0; direction < 2; direction++) {
    const uint32_t index = 2 + direction;
    const ptx_operand *o = index < c->instr->n_operands ? &c->instr->operands[index] : NULL;
    const bool is_vector = o && o->kind == PTX_OPERAND_VECTOR;
    if (!o || (is_vector ? o->n_items : 1) != n)
      return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "%u gradients are needed", n);
    for (uint32_t i = 0; i < n; i++)
      TRY(simt_decode_value(c, is_vector ? &o->items[i] : o, PTX_B32, slots[direction * n + i]));
  }
  in->texture.n_level = (uint8_t)(2 * n);
  return SIMT_OK;
}

simt_status simt_decode_texture(const context *c) {
  simt_instr in = simt_decode_from_op(c);
  const isa_row *row = c->op.row;
  const bool is_store = row->form == ISA_SURFACE_STORE, is_texture = row->form == ISA_TEXTURE;
  in.texture.geometry = (uint8_t)c->op.geometry;
  in.texture.boundary = (uint8_t)c->op.boundary;
  in.texture.component = c->op.component;
  in.texture.is_gather =
      row->id == ISA_TLD4_F32_F32 || row->id == ISA_TLD4_S32_F32 || row->id == ISA_TLD4_U32_F32;
  in.texture.is_float = is_texture && row->source_type == PTX_F32;
  TRY(decode_place(c, is_store ? 0 : 1, PTX_B32, &in));
  TRY(decode_data(c, is_store ? 1 : 0, &in));
  TRY(decode_level(c, &in));
  if (is_store) c->b->kernel->order_matters = true;
  return simt_decode_emit(c->b, &in);
}
