// SPDX-License-Identifier: MIT
// lesson_trees.h - what suites 01 to 03 share: how a lesson's own kernels are judged that add up
// block by block. To be included behind the suite's tables `trees` (of wb_blockwise) and
// `tree_blocks` (of block sizes), which it goes through.
#ifndef LESSON_TREES_H
#define LESSON_TREES_H

#include "judge_blockwise.h"

enum {
  N_TREES = sizeof trees / sizeof trees[0],
  N_TREE_BLOCKS = sizeof tree_blocks / sizeof(unsigned)
};

static unsigned per_thread(size_t k) { return trees[k].per_thread > 1 ? trees[k].per_thread : 1; }

static void lesson_sizes(wb_judge *judge) {
  for (size_t k = 0; k < N_TREES; k++)
    wb_blockwise_sizes(judge, &trees[k], tree_blocks, N_TREE_BLOCKS);
}
static void lesson_tails(wb_judge *judge) {
  for (size_t k = 0; k < N_TREES; k++)
    wb_blockwise_tails(judge, &trees[k], tree_blocks, N_TREE_BLOCKS);
}
// n is the square of a block's elements: where threads take several, up to 512 of them.
static void lesson_positions(wb_judge *judge) {
  for (size_t k = 0; k < N_TREES; k++)
    for (size_t b = 0; b < N_TREE_BLOCKS; b++)
      if (per_thread(k) == 1 || per_thread(k) * tree_blocks[b] <= 512)
        wb_blockwise_positions(judge, &trees[k], &tree_blocks[b], 1);
}
static void lesson_specials(wb_judge *judge) {
  for (size_t k = 0; k < N_TREES; k++) wb_blockwise_specials(judge, &trees[k], 64);
}
static void lesson_bounds(wb_judge *judge) {
  for (size_t k = 0; k < N_TREES; k++) wb_blockwise_bounds(judge, &trees[k], 128);
}
static void lesson_stale(wb_judge *judge) {
  for (size_t k = 0; k < N_TREES; k++) wb_blockwise_stale(judge, &trees[k], 128);
}

// Rows of the suite's table of checks.
// clang-format off
#define LESSON_TREE_CHECKS                                                                         \
  {"sizes", 1, "sizes, block sizes, exact and mixed inputs", NULL, lesson_sizes, false},           \
  {"tails", 1, "a last block with few elements", NULL, lesson_tails, false},                       \
  {"positions", 1, "every position counts", NULL, lesson_positions, false},                        \
  {"specials", 1, "infinities, NaN, -0", NULL, lesson_specials, false},                            \
  {"bounds", 1, "stays inside its arrays, input unchanged", NULL, lesson_bounds, false},           \
  {"stale_output", 1, "whatever the output held before", NULL, lesson_stale, false}
// clang-format on

#endif
