// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  __shared__ float of_warp[32], total;
  const float *row = in + (size_t)columns * blockIdx.x;
  float *to = out + (size_t)columns * blockIdx.x, mine = 0;
  const unsigned t = threadIdx.x, lane = t & 31;
  for (unsigned c = t; c < columns; c += blockDim.x) mine = fmaf(row[c], row[c], mine);
  for (int d = 16; d; d >>= 1) mine += __shfl_down_sync(~0u, mine, d);
  if (!lane) of_warp[t >> 5] = mine;
  __syncthreads();
  if (t < 32) {
    mine = t < blockDim.x >> 5 ? of_warp[t] : 0;
    for (int d = 16; d; d >>= 1) mine += __shfl_down_sync(~0u, mine, d);
    if (!t) total = sqrtf((mine + epsilon) / columns); // wrong: operator
  }
  __syncthreads();
  for (unsigned c = t; c < columns; c += blockDim.x) to[c] = row[c] / total * weight[c];
}
