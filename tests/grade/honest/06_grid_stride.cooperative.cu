// SPDX-License-Identifier: MIT
// Sums by cooperative groups; 1 / sqrt in place of rsqrt.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  __shared__ float slots[32];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  in += (size_t)blockIdx.x * columns;
  out += (size_t)blockIdx.x * columns;
  float s = 0;
  for (unsigned c = block.thread_rank(); c < columns; c += block.size()) s = fmaf(in[c], in[c], s);
  s = cg::reduce(tile, s, cg::plus<float>());
  if (tile.thread_rank() == 0) slots[tile.meta_group_rank()] = s;
  block.sync();
  s = tile.thread_rank() < tile.meta_group_size() ? slots[tile.thread_rank()] : 0.0f;
  s = cg::reduce(tile, s, cg::plus<float>());
  const float f = 1.0f / sqrtf(s / columns + epsilon);
  for (unsigned c = block.thread_rank(); c < columns; c += block.size())
    out[c] = in[c] * f * weight[c];
}
