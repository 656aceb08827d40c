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
  // TODO 1: add up within the warp; one word per warp into slots[]; wait for all; then every warp
  //   adds up the slots (lanes without one hold 0), so that all its lanes have the sum
  (void)slots;
  return value;
}

// __restrict__ says that `out` overlaps neither `in` nor `weight`: a load may overtake a store.
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  // TODO 2: where does the row begin? add up the squares of this thread's columns
  //   from the sum over the block, the factor for the row
  //   write this thread's columns
  (void)in;
  (void)weight;
  (void)out;
  (void)columns;
  (void)epsilon;
}
