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
  // TODO 1: the larger maximum, and both sums made relative to it. When both are parts without an
  //   element, so is the result: mind that -INFINITY minus -INFINITY is NaN
  (void)b;
  return a;
}

// With no more than 512 threads in a block, each may have 128 of the 65,536 registers.
extern "C" __global__ void __launch_bounds__(512)
    softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  part whole = {-INFINITY, 0.0f}; // nothing yet
  // TODO 2: which row is this tile's? A tile without a row has nothing to do
  //   each thread merges its elements, columns rank, rank + tile.size() ..., into one part
  //   the tile merges its threads' parts, so that every thread holds that of the whole row
  //   each thread reads its elements once more and writes their results
  (void)in;
  (void)out;
  (void)n_rows;
  (void)n_columns;
  (void)tile;
  (void)merge(whole, whole);
}
