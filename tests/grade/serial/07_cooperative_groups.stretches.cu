// SPDX-License-Identifier: MIT
// Each thread takes a stretch of the row for itself: neighbours read and write far apart.
#include <cooperative_groups.h>
#include <math.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __launch_bounds__(512)
    softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  const unsigned row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= n_rows) return;
  const float *x = in + (size_t)row * n_columns;
  float *y = out + (size_t)row * n_columns;
  const unsigned each = (n_columns + 31) / 32, begin = tile.thread_rank() * each;
  float high = -INFINITY, sum = 0;
  for (unsigned c = begin; c < begin + each && c < n_columns; c++) {
    const float next = fmaxf(high, x[c]);
    if (next == -INFINITY) continue;
    sum = sum * expf(high - next) + expf(x[c] - next);
    high = next;
  }
  for (unsigned s = 16; s > 0; s /= 2) {
    const float h = tile.shfl_xor(high, s), u = tile.shfl_xor(sum, s), next = fmaxf(high, h);
    if (next == -INFINITY) continue;
    sum = sum * expf(high - next) + u * expf(h - next);
    high = next;
  }
  for (unsigned c = begin; c < begin + each && c < n_columns; c++) y[c] = expf(x[c] - high) / sum;
}
