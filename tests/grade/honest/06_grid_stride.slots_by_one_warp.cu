// SPDX-License-Identifier: MIT
// Warp 0 adds up the slots and leaves the sum in shared memory.
#include <cuda_runtime.h>

extern "C" __global__ void rms_norm(const float *in, const float *weight, float *out,
                                    unsigned columns, float epsilon) {
  __shared__ float slots[32], factor;
  const unsigned t = threadIdx.x, lane = t % 32;
  const float *row = in + (size_t)blockIdx.x * columns;
  float squares = 0.0f;
  for (unsigned c = t; c < columns; c += blockDim.x) squares += row[c] * row[c];
  for (unsigned s = 16; s > 0; s /= 2) squares += __shfl_down_sync(0xffffffff, squares, s);
  if (lane == 0) slots[t / 32] = squares;
  __syncthreads();
  if (t < 32) {
    squares = t < blockDim.x / 32 ? slots[t] : 0.0f;
    for (unsigned s = 16; s > 0; s /= 2) squares += __shfl_down_sync(0xffffffff, squares, s);
    if (t == 0) factor = rsqrtf(squares / (float)columns + epsilon);
  }
  __syncthreads();
  for (unsigned c = t; c < columns; c += blockDim.x)
    out[(size_t)blockIdx.x * columns + c] = row[c] * factor * weight[c];
}
