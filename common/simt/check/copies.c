// SPDX-License-Identifier: MIT
// check/copies.c - see check/copies.h. A short list: copies of uninitialised bytes are rare, and an
// entry goes when its lanes load something else or its block ends.
#include "check/copies.h"

#include <stdlib.h>

simt_copied *simt_copies_find(const simt_copies *self, uint32_t block, uint32_t warp, uint32_t pc) {
  for (uint32_t i = 0; i < self->n; i++) {
    simt_copied *c = &self->at[i];
    if (c->pc == pc && c->warp == warp && c->block == block) return c;
  }
  return NULL;
}

simt_copied *simt_copies_of(simt_copies *self, uint32_t block, uint32_t warp, uint32_t pc) {
  simt_copied *known = simt_copies_find(self, block, warp, pc);
  if (known) return known;
  if (self->n == self->capacity) {
    uint32_t capacity = self->capacity ? 2 * self->capacity : 16;
    simt_copied *grown = realloc(self->at, capacity * sizeof *grown);
    if (!grown) return NULL;
    self->at = grown;
    self->capacity = capacity;
  }
  self->at[self->n] = (simt_copied){.block = block, .warp = warp, .pc = pc};
  return &self->at[self->n++];
}

void simt_copies_forget(simt_copies *self, uint32_t block, uint32_t warp, uint32_t pc,
                        uint32_t lanes) {
  simt_copied *c = simt_copies_find(self, block, warp, pc);
  if (!c) return;
  c->lanes &= ~lanes;
  if (!c->lanes) *c = self->at[--self->n];
}

void simt_copies_end_block(simt_copies *self, uint32_t block) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < self->n; i++)
    if (self->at[i].block != block) self->at[kept++] = self->at[i];
  self->n = kept;
}

void simt_copies_free(simt_copies *self) {
  free(self->at);
  *self = (simt_copies){0};
}
