// SPDX-License-Identifier: MIT
// Exercise 07 with its challenge met: the tile finds its maximum first, each thread scales its sum
// once, and then the sums are added up.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <math.h>

namespace cg = cooperative_groups;

// A part of a row: its largest element, and the sum of exp(x - max) over it. One element x is the
// part {x, 1}; nothing at all is {-INFINITY, 0}.
struct part {
  float max, sum;
};

// Two parts of a row as one.
static __device__ part merge(part a, part b) {
  const float max = fmaxf(a.max, b.max);
  if (max == -INFINITY) return a;
  return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

// With no more than 512 threads in a block, each may have 128 of the 65,536 registers.
extern "C" __global__ void __launch_bounds__(512)
    softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  part whole = {-INFINITY, 0.0f}; // nothing yet
  const unsigned row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= n_rows) return;
  const size_t first = (size_t)row * n_columns;
  enum { KEPT = 64 }; // elements a thread keeps in registers: a tile, a row of 2,048
  const unsigned rest = tile.thread_rank() + KEPT * tile.size(); // first column not kept
  float kept[KEPT];
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) { // all loads under way at once
    const unsigned c = tile.thread_rank() + k * tile.size();
    kept[k] = c < n_columns ? in[first + c] : -INFINITY;
  }
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) whole.max = fmaxf(whole.max, kept[k]);
  const float own = whole.max;                      // of what this thread keeps
  const float base = own == -INFINITY ? 0.0f : own; // -INFINITY minus -INFINITY would be NaN
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) whole.sum += kept[k] = expf(kept[k] - base);
  for (unsigned c = rest; c < n_columns; c += tile.size())
    whole = merge(whole, {in[first + c], 1.0f});
  const float mine = whole.max;
  whole.max = cg::reduce(tile, whole.max, cg::greater<float>());
  whole.sum *= expf(mine == -INFINITY ? -INFINITY : mine - whole.max);
  whole.sum = cg::reduce(tile, whole.sum, cg::plus<float>());
  const float factor = expf(own - whole.max) / whole.sum; // what is kept is relative to own
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) {
    const unsigned c = tile.thread_rank() + k * tile.size();
    if (c < n_columns) out[first + c] = kept[k] * factor;
  }
  for (unsigned c = rest; c < n_columns; c += tile.size()) // read again: there was no room for it
    out[first + c] = expf(in[first + c] - whole.max) / whole.sum;
}
