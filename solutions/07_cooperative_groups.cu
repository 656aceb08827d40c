// SPDX-License-Identifier: MIT
// Exercise 07: the softmax of every row of a matrix, one tile of 32 threads to a row.
//
// in[n_rows][n_columns] lies in memory row after row, and so does out. With max the largest element
// of row r, and sum the sum of exp(in[r][k] - max) over that row:
//
//   out[r][c] = exp(in[r][c] - max) / sum
//
// What must hold after the launch of softmax_rows:
//   - Blocks consist of 1 to 16 whole tiles. Tile number r of the grid takes row r; the last block
//     may have tiles without a row. n_rows and n_columns may be anything, 0 as well.
//   - It is stable: exp is never taken of a number above 0, so that rows of 1000s or of -1000s are
//     as good as rows of small numbers.
//   - -INFINITY is allowed (a masked place); its share is 0. Each row has a finite element.
//   - It is online: every element is read twice at most, once for maximum *and* sum, once for its
//     result. When that is right, try to read once: what a thread has read it can keep, as much as
//     its registers hold.
//   - The tile needs no other thread: no shared memory, no block barrier, no atomics. What is in
//     one row (a NaN, say) does not reach another.
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
  // BLANK: the larger maximum, and both sums made relative to it. When both are parts without an
  // BLANK: element, so is the result: mind that -INFINITY minus -INFINITY is NaN
  const float max = fmaxf(a.max, b.max);
  if (max == -INFINITY) return a;
  return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
  // STUB: (void)b;
  // STUB: return a;
  // END BLANK
}

// With no more than 512 threads in a block, each may have 128 of the 65,536 registers.
extern "C" __global__ void __launch_bounds__(512)
    softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  part whole = {-INFINITY, 0.0f}; // nothing yet
  // BLANK: which row is this tile's? A tile without a row has nothing to do
  // BLANK: each thread merges its elements, columns rank, rank + tile.size() ..., into one part
  // BLANK: the tile merges its threads' parts, so that every thread holds that of the whole row
  // BLANK: each thread reads its elements once more and writes their results
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
  for (unsigned distance = tile.size() / 2; distance > 0; distance /= 2) {
    const part other = {tile.shfl_xor(whole.max, distance), tile.shfl_xor(whole.sum, distance)};
    whole = merge(whole, other);
  }
  const float factor = expf(own - whole.max) / whole.sum; // what is kept is relative to own
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) {
    const unsigned c = tile.thread_rank() + k * tile.size();
    if (c < n_columns) out[first + c] = kept[k] * factor;
  }
  for (unsigned c = rest; c < n_columns; c += tile.size()) // read again: there was no room for it
    out[first + c] = expf(in[first + c] - whole.max) / whole.sum;
  // STUB: (void)in;
  // STUB: (void)out;
  // STUB: (void)n_rows;
  // STUB: (void)n_columns;
  // STUB: (void)tile;
  // STUB: (void)merge(whole, whole);
  // END BLANK
}
