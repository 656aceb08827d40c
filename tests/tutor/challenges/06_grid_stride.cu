// SPDX-License-Identifier: MIT
// Exercise 06 with its challenge met: after the barrier each thread adds up the slots itself.
#include <cuda_runtime.h>

// The sum of all threads' values, to every thread of the block.
__device__ float block_sum(float value) {
  __shared__ float slots[32]; // one per warp
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffff, value, s);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  value = 0.0f;
  for (unsigned w = 0; w < n_warps; w++) value += slots[w]; // one word for all lanes
  return value;
}

// __restrict__ says that `out` overlaps neither `in` nor `weight`: a load may overtake a store.
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  enum { KEPT = 8 }; // steps whose elements stay in registers: all of a row of 8 * blockDim.x
  const size_t first = (size_t)blockIdx.x * columns;
  const unsigned rest = threadIdx.x + KEPT * blockDim.x; // this thread's first column not kept
  float kept[KEPT], squares = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) { // all loads under way at once
    const unsigned c = threadIdx.x + k * blockDim.x;
    kept[k] = c < columns ? in[first + c] : 0.0f;
  }
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) squares += kept[k] * kept[k];
#pragma unroll 4
  for (unsigned c = rest; c < columns; c += blockDim.x) squares += in[first + c] * in[first + c];
  const float mean = block_sum(squares) / (float)columns;
  const float factor = rsqrtf(mean + epsilon);
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) {
    const unsigned c = threadIdx.x + k * blockDim.x;
    if (c < columns) out[first + c] = kept[k] * factor * weight[c];
  }
#pragma unroll 4
  for (unsigned c = rest; c < columns; c += blockDim.x) // read again: there was no room for it
    out[first + c] = in[first + c] * factor * weight[c];
}
