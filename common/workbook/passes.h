// SPDX-License-Identifier: MIT
/// @file passes.h
/// Adding up in passes, as lesson 01 spells it out: each pass leaves one partial sum per block,
/// which is the input of the next, until one block is enough. And what one thread adds up by
/// itself, as lesson 06 spells it out. For lessons from 02 on, .cu only.
#ifndef WB_PASSES_H
#define WB_PASSES_H

#include "lesson.h"

/// A kernel that reduces in[n] to one partial sum per block, out[gridDim.x].
typedef void (*wb_block_sum)(const float *in, float *out, unsigned n);
typedef void (*wb_int_block_sum)(const int *in, int *out, unsigned n);

template <typename number>
static inline void wb_enqueue_passes(void (*kernel)(const number *, number *, unsigned),
                                     const number *in, number *partial_sums, wb_launch *l,
                                     unsigned per_block, size_t shared_bytes) {
  unsigned left = l->n;
  l->grid = wb_blocks(left, per_block);
  for (;;) {
    const unsigned n_blocks = wb_blocks(left, per_block);
    number *out = n_blocks == 1 ? (number *)l->out : partial_sums;
    kernel<<<n_blocks, l->block, shared_bytes>>>(in, out, left);
    if (n_blocks == 1) return;
    in = out;
    partial_sums += n_blocks;
    left = n_blocks;
  }
}

/// Enqueues all passes of `kernel`, whose blocks take `per_block` elements each, with
/// `shared_floats` floats of dynamic shared memory. Partial sums lie one pass after the other in
/// the scratch memory, the last one in the output. No atomics: the same bits every time.
static inline void wb_sum_in_passes(wb_block_sum kernel, wb_launch *l, unsigned per_block,
                                    unsigned shared_floats) {
  wb_enqueue_passes(kernel, l->in, l->scratch, l, per_block, shared_floats * sizeof(float));
}

/// The same for a variant whose input and output are ints.
static inline void wb_int_sum_in_passes(wb_int_block_sum kernel, wb_launch *l, unsigned per_block,
                                        unsigned shared_ints) {
  wb_enqueue_passes(kernel, l->in_ints, (int *)l->scratch, l, per_block, shared_ints * sizeof(int));
}

/// Lesson 06's unrolled loop: the share of thread `me` of `n_threads` in the sum of in[n], eight
/// loads under way at a time. Any type of element.
template <typename number>
static __device__ inline number wb_unrolled_sum(const number *in, unsigned n, unsigned me,
                                                unsigned n_threads) {
  number sum = 0, item[8];
  unsigned i = me;
  for (; i + 7 * n_threads < n; i += 8 * n_threads) {
#pragma unroll
    for (unsigned j = 0; j < 8; j++) item[j] = in[i + j * n_threads];
#pragma unroll
    for (unsigned j = 0; j < 8; j++) sum += item[j];
  }
  for (; i < n; i += n_threads) sum += in[i];
  return sum;
}

/// wb_variant.refuse of a tree that halves its block.
static inline const char *wb_needs_power_of_two(unsigned n, unsigned block) {
  (void)n;
  return (block & (block - 1)) == 0 ? nullptr : "the tree needs a block of 32, 64, 128 ... 1024";
}

#endif
