// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <math.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __launch_bounds__(512)
    softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  const unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x % 32; // wrong: index
  if (row >= n_rows) return;
  const float *from = in + (size_t)row * n_columns;
  float *to = out + (size_t)row * n_columns;
  float max = -INFINITY, sum = 0;
  for (unsigned c = tile.thread_rank(); c < n_columns; c += 32) {
    const float x = from[c];
    if (x > max) {
      sum = sum * expf(max - x) + 1;
      max = x;
    } else if (x > -INFINITY) {
      sum += expf(x - max);
    }
  }
  const float whole = cg::reduce(tile, max, cg::greater<float>());
  sum = max == -INFINITY ? 0 : sum * expf(max - whole);
  const float total = cg::reduce(tile, sum, cg::plus<float>());
  for (unsigned c = tile.thread_rank(); c < n_columns; c += 32)
    to[c] = expf(from[c] - whole) / total;
}
