// SPDX-License-Identifier: MIT
// Lesson 14: waves of 32 lanes and of 64.
//
// Question: a warp of NVIDIA has 32 lanes, a wavefront of AMD 64 or 32, by model. Which lines of
// the ladder know that?
//
// Idea: keep what depends on it in one place (wave.cuh), with the number of lanes as a template's
// parameter. The kernels (kernels.cuh) are the ladder's, once for all; here they run with warps,
// and with tiles of 64 threads, which no warp of this GPU is: every forgotten 32 shows.
//
//   tree          lessons 01 to 03: block barriers only
//   fold_32/_64   lesson 04: the last wave synchronises with itself
//   first_32/_64  lesson 05: every wave adds up its own values first
//   stride_32/_64 lesson 06: few blocks walk over the array
//   literal_32, half_sync  ported with an oversight: WRONG, only on request
//
// Predict before you run: with 256 threads, how many block barriers does fold take with waves of
// 32, and how many with 64? How many values go through the slots of first?
#include "passes.h"

#include "kernels.cuh"

//! [literal]
// DO NOT COPY. Lesson 05's kernel, ported: `lanes` wherever the number stood, but in two places.
template <unsigned lanes> __global__ void with_literals(const float *in, float *out, unsigned n) {
  __shared__ float slots[1024 / lanes];
  const unsigned lane = wave<lanes>::lane(), which = threadIdx.x / lanes;
  float sum = sum_of_pair(in, n);
  for (unsigned s = 16; s > 0; s /= 2) sum += wave<lanes>::across(sum, s);
  if (lane == 0) slots[which] = sum;
  __syncthreads();
  if (which > 0) return;
  sum = sum_of_wave<lanes>(lane < blockDim.x / 32 ? slots[lane] : 0.0f);
  if (lane == 0) out[blockIdx.x] = sum;
}
//! [literal]

//! [half]
// DO NOT COPY. Lesson 04's fold with waves of 64, and a barrier that half a wave waits at.
template <unsigned lanes> __global__ void with_half_sync(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  tile[t] = sum_of_pair(in, n);
  for (unsigned s = blockDim.x / 2; s >= lanes; s /= 2) {
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t >= lanes) return;
  for (unsigned s = lanes / 2; s > 0; s /= 2) {
    __syncwarp(); // enough for 32 lanes
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
//! [half]

static void in_passes(wb_block_sum kernel, wb_launch *l, unsigned shared_floats) {
  wb_sum_in_passes(kernel, l, 2 * l->block, shared_floats);
}
static void launch_tree(wb_launch *l) { in_passes(tree, l, l->block); }
static void launch_fold_32(wb_launch *l) { in_passes(fold<32>, l, l->block); }
static void launch_fold_64(wb_launch *l) { in_passes(fold<64>, l, l->block); }
static void launch_first_32(wb_launch *l) { in_passes(first<32>, l, 0); }
static void launch_first_64(wb_launch *l) { in_passes(first<64>, l, 0); }
static void launch_literal_32(wb_launch *l) { in_passes(with_literals<64>, l, 0); }
static void launch_half_sync(wb_launch *l) { in_passes(with_half_sync<64>, l, l->block); }

// As many threads as the device holds, but no thread with fewer than 32 elements (lesson 06).
static unsigned grid_for(unsigned n, unsigned block) {
  const unsigned fit = wb_multiprocessors() * (2048 / block), needed = wb_blocks(n, 32 * block);
  return needed < fit ? needed : fit;
}
static void two_passes(wb_block_sum kernel, wb_launch *l) {
  l->grid = grid_for(l->n, l->block);
  kernel<<<l->grid, l->block>>>(l->in, l->scratch, l->n);
  kernel<<<1, l->block>>>(l->scratch, (float *)l->out, l->grid);
}
static void launch_stride_32(wb_launch *l) { two_passes(stride<32>, l); }
static void launch_stride_64(wb_launch *l) { two_passes(stride<64>, l); }

static double depth(unsigned n, unsigned block) { return wb_depth_item_passes(n, block, 2); }
static double stride_depth(unsigned n, unsigned block) {
  const unsigned grid = grid_for(n, block);
  return n / (grid * block) + 1 + 10 + grid / block + 1 + 10;
}

// Each tile of 64 needs a barrier of its own, and __syncthreads() is one of the 16.
static const char *needs_tiles(unsigned, unsigned block) {
  const bool whole = (block & (block - 1)) == 0 && block >= 64 && block < 1024;
  return whole ? nullptr : "tiles of 64 need a block of 64, 128, 256 or 512";
}

// clang-format off
static const wb_variant variants[] = {
    {.name = "tree", .summary = "lessons 01 to 03: the block's barrier in every step",
     .launch = launch_tree, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "fold_32", .summary = "lesson 04: one wave of 32 is left, and needs no block barrier",
     .launch = launch_fold_32, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "fold_64", .summary = "the same template, with waves of 64",
     .launch = launch_fold_64, .depth = depth, .refuse = needs_tiles},
    {.name = "first_32", .summary = "lesson 05: waves of 32 first, one slot for each",
     .launch = launch_first_32, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "first_64", .summary = "the same template, with waves of 64",
     .launch = launch_first_64, .depth = depth, .refuse = needs_tiles},
    {.name = "stride_32", .summary = "lesson 06: few blocks walk, eight loads under way",
     .launch = launch_stride_32, .depth = stride_depth, .refuse = wb_needs_power_of_two},
    {.name = "stride_64", .summary = "the same template, with waves of 64",
     .launch = launch_stride_64, .depth = stride_depth, .refuse = needs_tiles},
    {.name = "literal_32", .summary = "WRONG ON PURPOSE: two 32s were forgotten in a wave of 64",
     .launch = launch_literal_32, .depth = depth, .refuse = needs_tiles, .on_request = true},
    {.name = "half_sync", .summary = "WRONG ON PURPOSE: only half a wave waits",
     .launch = launch_half_sync, .depth = depth, .refuse = needs_tiles, .on_request = true},
};

static const wb_lesson lesson = {
    .name = "14_portable",
    .title = "waves of 32 lanes and of 64, from one source",
    .taught = "The wave's size is a template's parameter.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"barriers", "block_barriers", nullptr},
                     {"warp instr", "warp_instructions", nullptr}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
