// SPDX-License-Identifier: MIT
// Each thread rescales only when its maximum rises; two reductions of the tile.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <math.h>
namespace cg = cooperative_groups;
extern "C" __global__ void softmax_rows(const float *in, float *out, unsigned n_rows,
                                        unsigned n_columns) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= n_rows) return;
  const float *x = in + (size_t)row * n_columns;
  float *y = out + (size_t)row * n_columns, top = -INFINITY, sum = 0;
  for (unsigned c = tile.thread_rank(); c < n_columns; c += tile.size()) {
    const float v = x[c];
    if (v > top) {
      sum = top == -INFINITY ? 1.0f : sum * expf(top - v) + 1.0f;
      top = v;
    } else if (v == v && top != -INFINITY) sum += expf(v - top);
    else if (v != v) sum = v;
  }
  const float all = cg::reduce(tile, top, cg::greater<float>());
  const float total =
      cg::reduce(tile, top == -INFINITY ? sum : sum * expf(top - all), cg::plus<float>());
  for (unsigned c = tile.thread_rank(); c < n_columns; c += tile.size())
    y[c] = expf(x[c] - all) / total;
}
