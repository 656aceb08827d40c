// SPDX-License-Identifier: MIT
// Each thread takes a stretch of the row for itself: neighbours read and write far apart.
#include <cuda_runtime.h>

__device__ float block_sum(float value) {
  __shared__ float slots[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffff, value, s);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  value = lane < n_warps ? slots[lane] : 0.0f;
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffff, value, s);
  return value;
}
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  const size_t first = (size_t)blockIdx.x * columns;
  const unsigned each = (columns + blockDim.x - 1) / blockDim.x, begin = threadIdx.x * each;
  float squares = 0.0f;
  for (unsigned c = begin; c < begin + each && c < columns; c++)
    squares += in[first + c] * in[first + c];
  const float factor = rsqrtf(block_sum(squares) / (float)columns + epsilon);
  for (unsigned c = begin; c < begin + each && c < columns; c++)
    out[first + c] = in[first + c] * factor * weight[c];
}
