// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
__device__ float block_sum(float value) {
  __shared__ float slots[32];
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int s = 16; s > 0; s >>= 1) value += __shfl_xor_sync(0xffffffffu, value, s);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  float sum = 0;
  if (lane < blockDim.x / 32) sum = slots[lane];
  for (int s = 16; s > 0; s >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, s);
  return sum;
}
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  const float *row = in + (size_t)blockIdx.x * columns;
  float *to = out + (size_t)blockIdx.x * columns;
  float squares = 0;
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) {
    const float x = row[c];
    squares += x * x;
  }
  const float r = sqrtf(block_sum(squares) / columns + epsilon); // wrong: operator
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) to[c] = row[c] * r * weight[c];
}
