// SPDX-License-Identifier: MIT
// Exercise 06: RMSNorm, one row per block.
//
// A matrix lies in memory row after row, and each row has `columns` floats. Bring its rows to the
// same scale: with r(row) = sqrt(mean of the squares of its elements + epsilon),
//
//   out[row][c] = in[row][c] / r(row) * weight[c]
//
// Block b does row b. There are as many blocks as rows.
//
// What must hold after the launch of rms_norm:
//   - columns is 1 or more, and has nothing to do with the block size: the threads walk over the
//     row side by side, a block's width at a time, once to add up and once to write.
//   - Each element is read twice at most. Begin with two walks. When they are right, try to read
//     once: what a thread has read it can keep, as much as its registers hold.
//   - The block size is a multiple of 32, up to 1024.
//   - Every thread needs the sum. At most three barriers per block; shared memory takes one word
//     from each warp and one more, no atomics.
//   - Rows may begin at any float. `in` and `weight` stay as they are.
//
//   float r = rsqrtf(x);   // 1 / sqrt(x)
#include <cuda_runtime.h>

// The sum of all threads' values, to every thread of the block.
__device__ float block_sum(float value) {
  __shared__ float slots[32]; // one per warp
  // BLANK: add up within the warp; one word per warp into slots[]; wait for all; then every warp
  // BLANK: adds up the slots (lanes without one hold 0), so that all its lanes have the sum
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffff, value, s);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  value = lane < n_warps ? slots[lane] : 0.0f;
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffff, value, s);
  return value;
  // STUB: (void)slots;
  // STUB: return value;
  // END BLANK
}

// __restrict__ says that `out` overlaps neither `in` nor `weight`: a load may overtake a store.
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  // BLANK: where does the row begin? add up the squares of this thread's columns
  // BLANK: from the sum over the block, the factor for the row
  // BLANK: write this thread's columns
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
  // STUB: (void)in;
  // STUB: (void)weight;
  // STUB: (void)out;
  // STUB: (void)columns;
  // STUB: (void)epsilon;
  // END BLANK
}
