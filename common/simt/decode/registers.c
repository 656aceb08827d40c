// SPDX-License-Identifier: MIT
// decode/registers.c - which PTX register is in which slot, and for how long: for inspecting a
// running kernel. The core itself does not need it.
#include "decode/builder.h"

static bool is_used(const simt_operand *o) { return o->is_register && o->first <= o->last; }

// Registers of one function; `out` NULL: only counts them.
static uint32_t list(const builder *b, const function_frame *frame, simt_register *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < frame->function->n_registers; i++) {
    const simt_operand *o = &b->operands[frame->register_base + i];
    if (!is_used(o)) continue;
    if (out)
      out[n] = (simt_register){.function = frame->function,
                               .name = frame->function->registers[i].name,
                               .type = frame->function->registers[i].type,
                               .bytes = o->bytes,
                               .slot = o->slot,
                               .first = o->first,
                               .last = o->last};
    n++;
  }
  return n;
}

simt_status simt_decode_registers(builder *b) {
  simt_kernel *k = b->kernel;
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n_frames; i++) n += list(b, b->frames[i], NULL);
  k->registers = SIMT_ARENA_ARRAY(b->arena, simt_register, n + 1);
  if (!k->registers)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%s'", k->name);
  for (uint32_t i = 0; i < b->n_frames; i++)
    k->n_registers += list(b, b->frames[i], k->registers + k->n_registers);
  return SIMT_OK;
}
