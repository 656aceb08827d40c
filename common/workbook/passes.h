// SPDX-License-Identifier: MIT
/// @file passes.h
/// Adding up in passes, as lesson 01 spells it out: each pass leaves one partial sum per block,
/// which is the input of the next, until one block is enough. For lessons from 03 on, .cu only.
#ifndef WB_PASSES_H
#define WB_PASSES_H

#include "lesson.h"

/// A kernel that reduces in[n] to one partial sum per block, out[gridDim.x].
typedef void (*wb_block_sum)(const float *in, float *out, unsigned n);

/// Enqueues all passes of `kernel`, whose blocks take `per_block` elements each, with
/// `shared_floats` floats of dynamic shared memory. Partial sums lie one pass after the other in
/// the scratch memory, the last one in the output. No atomics: the same bits every time.
static inline void wb_sum_in_passes(wb_block_sum kernel, wb_launch *l, unsigned per_block,
                                    unsigned shared_floats) {
  const float *in = l->in;
  float *partial_sums = l->scratch;
  unsigned left = l->n;
  l->grid = wb_blocks(left, per_block);
  for (;;) {
    const unsigned n_blocks = wb_blocks(left, per_block);
    float *out = n_blocks == 1 ? (float *)l->out : partial_sums;
    kernel<<<n_blocks, l->block, shared_floats * sizeof(float)>>>(in, out, left);
    if (n_blocks == 1) return;
    in = out;
    partial_sums += n_blocks;
    left = n_blocks;
  }
}

#endif
