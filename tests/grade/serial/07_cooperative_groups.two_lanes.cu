// SPDX-License-Identifier: MIT
// Two lanes of the tile do the whole row.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <math.h>

namespace cg = cooperative_groups;

struct part {
  float max, sum;
};

static __device__ part merge(part a, part b) {
  if (a.sum == 0.0f) return b;
  if (b.sum == 0.0f) return a;
  part c;
  if (a.max > b.max) {
    c.max = a.max;
    c.sum = a.sum + b.sum * expf(b.max - a.max);
  } else {
    c.max = b.max;
    c.sum = b.sum + a.sum * expf(a.max - b.max);
  }
  return c;
}

extern "C" __global__ void __launch_bounds__(512)
    softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= n_rows) return;
  const float *x = in + (size_t)row * n_columns;
  float *y = out + (size_t)row * n_columns;
  part whole = {-INFINITY, 0.0f};
  for (unsigned c = tile.thread_rank() % 2; c < n_columns; c += 2) {
    if (tile.thread_rank() > 1) break;
    part one = {x[c], 1.0f};
    if (one.max == -INFINITY) continue;
    whole = merge(whole, one);
  }
  for (int d = 1; d < 32; d *= 2) {
    part other;
    other.max = tile.shfl_xor(whole.max, d);
    other.sum = tile.shfl_xor(whole.sum, d);
    whole = merge(whole, other);
  }
  for (unsigned c = tile.thread_rank(); c < n_columns; c += 32) {
    y[c] = expf(x[c] - whole.max) / whole.sum;
  }
}
