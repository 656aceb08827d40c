// SPDX-License-Identifier: MIT
// two_reads.cu - exercise 07 in its plainest form: online maximum and sum, then each element again.
// Right, and worth all points; many mutants are made of it, because most beginnings look like this.
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

extern "C" __global__ void softmax_rows(const float *in, float *out, unsigned n_rows,
                                        unsigned n_columns) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  part whole = {-INFINITY, 0.0f}; // nothing yet
  const unsigned row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= n_rows) return;
  const size_t first = (size_t)row * n_columns;
  for (unsigned c = tile.thread_rank(); c < n_columns; c += tile.size())
    whole = merge(whole, {in[first + c], 1.0f});
  for (unsigned distance = tile.size() / 2; distance > 0; distance /= 2) {
    const part other = {tile.shfl_xor(whole.max, distance), tile.shfl_xor(whole.sum, distance)};
    whole = merge(whole, other);
  }
  for (unsigned c = tile.thread_rank(); c < n_columns; c += tile.size())
    out[first + c] = expf(in[first + c] - whole.max) / whole.sum;
}
