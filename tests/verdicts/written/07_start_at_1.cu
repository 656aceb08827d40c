// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <math.h>

namespace cg = cooperative_groups;

// A part of a row: its largest element, and the sum of exp(x - max) over it. One element x is the
// part {x, 1}; nothing at all is {-INFINITY, 0}.
struct part {
  float max, sum;
};

static __device__ part merge(part a, part b) {
  part r;
  r.max = a.max > b.max ? a.max : b.max;
  r.sum = 0;
  if (a.sum > 0) r.sum += a.sum * expf(a.max - r.max);
  if (b.sum > 0) r.sum += b.sum * expf(b.max - r.max);
  return r;
}
extern "C" __global__ void __launch_bounds__(512)
    softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  part whole = {-INFINITY, 0.0f};
  unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= n_rows) return;
  const float *src = in + (size_t)row * n_columns;
  float *dst = out + (size_t)row * n_columns;
  for (unsigned c = tile.thread_rank() + 1; c < n_columns; c += 32) { // wrong: index
    part p = {src[c], src[c] == -INFINITY ? 0.0f : 1.0f};
    whole = merge(whole, p);
  }
  for (int d = 1; d < 32; d *= 2) {
    part p;
    p.max = tile.shfl_xor(whole.max, d);
    p.sum = tile.shfl_xor(whole.sum, d);
    whole = merge(whole, p);
  }
  for (unsigned c = tile.thread_rank(); c < n_columns; c += 32)
    dst[c] = expf(src[c] - whole.max) / whole.sum;
}
