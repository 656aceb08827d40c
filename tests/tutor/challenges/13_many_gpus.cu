// SPDX-License-Identifier: MIT
// Four elements per load, where both vectors lie alike; the ends one by one.
#include <cuda_runtime.h>

struct part {
  unsigned first, end;
};

static __device__ part part_of(unsigned rank, unsigned halvings, unsigned n) {
  part now = {0, n};
  for (unsigned k = 0; k < halvings; k++) {
    const unsigned middle = now.first + (now.end - now.first) / 2;
    if (rank >> k & 1) now.first = middle;
    else now.end = middle;
  }
  return now;
}

static __device__ float4 sum(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  const bool halving = step < levels;
  const unsigned k = halving ? step : 2 * levels - 1 - step;
  const part now = part_of(halving ? rank : rank ^ 1u << k, k + 1, n);
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float *to = mine + now.first;
  const float *from = other + now.first;
  const unsigned length = now.end - now.first;
  const bool alike = (size_t)to % 16 == (size_t)from % 16;
  const unsigned ahead = (unsigned)((16 - (size_t)to % 16) / 4 % 4);
  const unsigned head = alike && ahead < length ? ahead : length;
  const unsigned n_groups = (length - head) / 4, done = head + 4 * n_groups;
  float4 *sums = (float4 *)(to + head);
  const float4 *theirs = (const float4 *)(from + head);
  for (unsigned g = me; g < n_groups; g += all)
    sums[g] = halving ? sum(sums[g], theirs[g]) : theirs[g];
  for (unsigned i = me; i < head; i += all) to[i] = halving ? to[i] + from[i] : from[i];
  for (unsigned i = done + me; i < length; i += all) to[i] = halving ? to[i] + from[i] : from[i];
}
