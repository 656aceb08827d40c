// SPDX-License-Identifier: MIT
// Shuffles, but of one lane after the other: 32 steps where five do.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32];
  __shared__ unsigned places[32];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const float x = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  float best = x;
#pragma unroll
  for (unsigned k = 0; k < 32; k++) best = fmaxf(best, __shfl_sync(0xffffffff, x, k));
  const unsigned where = __ballot_sync(0xffffffff, i < n && in[i] == best);
  if (t % 32 == 0) {
    values[t / 32] = best;
    places[t / 32] = where ? i + __ffs(where) - 1 : n;
  }
  __syncthreads();
  if (t > 0) return;
  unsigned place = places[0];
  for (unsigned w = 1; w < blockDim.x / 32; w++)
    if (values[w] > best || (values[w] == best && places[w] < place))
      best = values[w], place = places[w];
  maxima[blockIdx.x] = best;
  indices[blockIdx.x] = place;
}
