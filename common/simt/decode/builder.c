// SPDX-License-Identifier: MIT
// decode/builder.c - the tables that grow while a kernel is decoded: its virtual operands, of which
// equal constants share one, and the frames of its functions.
#include <inttypes.h>
#include <string.h>

#include "decode/builder.h"

// ---- the table of virtual operands -------------------------------------------------------------

void *simt_builder_grow(builder *b, void *list, uint32_t n, uint32_t *capacity, size_t item_bytes) {
  if (n < *capacity) return list;
  uint32_t wanted = *capacity ? *capacity * 2 : 16;
  void *bigger = simt_arena_alloc(&b->scratch, (size_t)wanted * item_bytes, 16);
  if (!bigger) return NULL;
  if (n) memcpy(bigger, list, (size_t)n * item_bytes);
  *capacity = wanted;
  return bigger;
}

simt_status simt_builder_operand(builder *b, simt_operand operand, uint32_t *id) {
  simt_operand *operands =
      simt_builder_grow(b, b->operands, b->n_operands, &b->operand_capacity, sizeof operand);
  if (!operands)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode the kernel");
  b->operands = operands;
  *id = b->n_operands;
  b->operands[b->n_operands++] = operand;
  return SIMT_OK;
}

static uint32_t hash_fill(const simt_fill *fill) {
  uint64_t h = fill->value * UINT64_C(0x9E3779B97F4A7C15);
  h ^= ((uint64_t)fill->kind << 16) ^ ((uint64_t)fill->bytes << 8) ^ fill->param_bytes ^ (h >> 29);
  return (uint32_t)(h * UINT64_C(0xBF58476D1CE4E5B9) >> 32);
}

static bool same_fill(const simt_fill *x, const simt_fill *y) {
  return x->kind == y->kind && x->bytes == y->bytes && x->param_bytes == y->param_bytes &&
         x->param_signed == y->param_signed && x->is_shared == y->is_shared &&
         x->provenance == y->provenance && x->value == y->value;
}

static bool grow_fill_index(builder *b) {
  uint32_t capacity = b->fill_capacity ? 2 * b->fill_capacity : 256;
  uint32_t *index = simt_arena_alloc(&b->scratch, capacity * sizeof *index, 4);
  if (!index) return false;
  for (uint32_t i = 0; i < b->fill_capacity; i++) {
    if (!b->fill_index[i]) continue;
    uint32_t at = hash_fill(&b->operands[b->fill_index[i] - 1].fill) & (capacity - 1);
    while (index[at]) at = (at + 1) & (capacity - 1);
    index[at] = b->fill_index[i];
  }
  b->fill_index = index;
  b->fill_capacity = capacity;
  return true;
}

simt_status simt_builder_fill(builder *b, simt_fill fill, uint32_t *id) {
  if (2 * b->n_fills >= b->fill_capacity && !grow_fill_index(b))
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode the kernel");
  uint32_t at = hash_fill(&fill) & (b->fill_capacity - 1);
  for (; b->fill_index[at]; at = (at + 1) & (b->fill_capacity - 1)) {
    *id = b->fill_index[at] - 1;
    if (same_fill(&b->operands[*id].fill, &fill)) return SIMT_OK;
  }
  simt_status status =
      simt_builder_operand(b, (simt_operand){.bytes = fill.bytes, .fill = fill}, id);
  if (status != SIMT_OK) return status;
  b->fill_index[at] = *id + 1;
  b->n_fills++;
  return SIMT_OK;
}

simt_status simt_builder_constant(builder *b, uint64_t value, uint8_t bytes, uint32_t *id) {
  if (bytes == 4) value &= UINT32_MAX;
  return simt_builder_fill(
      b, (simt_fill){.kind = SIMT_FILL_CONSTANT, .bytes = bytes, .value = value}, id);
}

// 1 + index of the shared variable at `offset`, 0 when there is none.
static uint16_t provenance_at(const builder *b, uint64_t offset) {
  const simt_kernel *k = b->kernel;
  for (uint32_t i = 0; i < k->n_shared_variables; i++)
    if (k->shared_variables[i].offset_bytes == offset) return (uint16_t)(i + 1);
  return 0;
}

simt_status simt_builder_address(builder *b, ptx_space space, uint64_t base, int64_t offset,
                                 uint8_t bytes, uint32_t *id) {
  simt_fill fill = {.kind = SIMT_FILL_CONSTANT,
                    .bytes = bytes,
                    .is_shared = space == PTX_SPACE_SHARED,
                    .provenance = space == PTX_SPACE_SHARED ? provenance_at(b, base) : 0,
                    .value = base + (uint64_t)offset};
  if (bytes == 4) fill.value &= UINT32_MAX;
  return simt_builder_fill(b, fill, id);
}

// ---- frames: fixed places for a function's registers and stack variables -----------------------

static uint64_t align_up(uint64_t value, uint64_t alignment) {
  return alignment ? (value + alignment - 1) / alignment * alignment : value;
}

// A function's frame in another root, where its shared variables have their places already.
static const function_frame *frame_elsewhere(const builder *b, const function_frame *frame) {
  for (uint32_t i = 0; i < b->n_frames; i++)
    if (b->frames[i] != frame && b->frames[i]->function == frame->function) return b->frames[i];
  return NULL;
}

// Lays out the variables a function declares in its body. Shared ones belong to the block, local
// and call-parameter ones to the thread's stack.
static simt_status place_variables(builder *b, function_frame *frame) {
  const ptx_function *f = frame->function;
  frame->variable_offset = SIMT_ARENA_ARRAY(&b->scratch, uint64_t, f->n_variables + 1);
  if (!frame->variable_offset)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%.*s'",
                     SIMT_STR_ARG(f->name));
  const function_frame *other = b->n_roots > 1 ? frame_elsewhere(b, frame) : NULL;
  for (uint32_t i = 0; i < f->n_variables; i++) {
    const ptx_variable *v = &f->variables[i];
    if (other && v->space == PTX_SPACE_SHARED) {
      frame->variable_offset[i] = other->variable_offset[i];
      continue;
    }
    if (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) continue;
    if (v->space == PTX_SPACE_SHARED && v->is_extern) {
      if (!b->dynamic_name.size) b->dynamic_name = v->name;
      continue;
    }
    uint64_t *end = v->space == PTX_SPACE_SHARED ? &b->shared_bytes : &b->local_bytes;
    *end = align_up(*end, v->align_bytes);
    frame->variable_offset[i] = *end;
    *end += v->size_bytes;
  }
  if (b->local_bytes > SIMT_LOCAL_WINDOW_BYTES)
    return simt_fail(b->diag, SIMT_OUT_OF_RESOURCES,
                     "'%.*s' needs %" PRIu64
                     " bytes of local memory per thread; the limit is %" PRIu64,
                     SIMT_STR_ARG(f->name), b->local_bytes, SIMT_LOCAL_WINDOW_BYTES);
  return SIMT_OK;
}

simt_status simt_builder_frame(builder *b, const ptx_function *function, function_frame **out) {
  for (uint32_t i = 0; i < b->n_frames; i++)
    if (b->frames[i]->function == function && b->frames[i]->root == b->root)
      return *out = b->frames[i], SIMT_OK;
  function_frame **frames =
      simt_builder_grow(b, b->frames, b->n_frames, &b->frame_capacity, sizeof *frames);
  function_frame *frame = *out = SIMT_ARENA_NEW(&b->scratch, function_frame);
  if (!frames || !frame)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode the kernel");
  b->frames = frames;
  b->frames[b->n_frames++] = frame;
  *frame = (function_frame){.function = function, .register_base = b->n_operands, .root = b->root};
  for (uint32_t i = 0; i < function->n_registers; i++) {
    uint32_t id;
    simt_operand reg = {.bytes = simt_decode_lane_bytes(function->registers[i].type),
                        .is_register = true};
    simt_status status = simt_builder_operand(b, reg, &id);
    if (status != SIMT_OK) return status;
  }
  return place_variables(b, frame);
}
