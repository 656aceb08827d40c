// SPDX-License-Identifier: MIT
// two_walks.cu - exercise 06 in its plainest form: the row is read to add up and again to write.
// Right, and worth all points; many mutants are made of it, because most beginnings look like this.
#include <cuda_runtime.h>

// The sum of all threads' values, to every thread of the block.
__device__ float block_sum(float value) {
  __shared__ float slots[32]; // one per warp
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffff, value, s);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  value = lane < n_warps ? slots[lane] : 0.0f;
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffff, value, s);
  return value;
}

// __restrict__ says that `out` overlaps neither `in` nor `weight`: a load may overtake a store.
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  const size_t first = (size_t)blockIdx.x * columns;
  float squares = 0.0f;
#pragma unroll 8
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) {
    squares += in[first + c] * in[first + c];
  }
  const float mean = block_sum(squares) / (float)columns;
  const float factor = rsqrtf(mean + epsilon);
#pragma unroll 8
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) {
    out[first + c] = in[first + c] * factor * weight[c];
  }
}
