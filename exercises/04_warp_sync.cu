// SPDX-License-Identifier: MIT
// Exercise 04: repair a fold that races.
//
// Block b looks at the elements x of in[b * blockDim.x .. (b + 1) * blockDim.x) and writes the sum
// of x to sums[b] and the sum of x * x to squares[b]: all one needs for mean and variance.
//
// The tree of this program is right as long as several warps take part. Its hand-over to
// the last warp and the fold in that warp are fast, and wrong.
//
// What must hold after the launch of block_moments:
//   - The block size is a power of two from 32 to 1024. A block of 32 has one warp and 32 values.
//   - The last block may have fewer elements than threads, or none at all (n may be 0).
//   - The input stays as it is. Every block writes its own results, whatever stood there before.
//   - Wherever a thread reads what another one wrote, they have synchronised in between: across
//     warps by __syncthreads(), within warp 0 by __syncwarp(). Luck does not count.
//   - With 64 threads or more: one block barrier before each step in which several warps take part
//     or hand over, log2(blockDim.x) - 5 in all, and no others. (256 threads: 3.)
//   - The warps other than the first have nothing to do with the fold. No atomics, no shuffles.
#include <cuda_runtime.h>

// Adds up values[0 .. count), count being 32 or 64, into values[0]. Called by warp 0, all lanes.
static __device__ void fold(float *values, unsigned count) {
  const unsigned t = threadIdx.x;
  // TODO 1: repair the fold: between two steps the lanes must wait for each other; and mind count
  (void)count;
  values[t] += values[t + 32];
  values[t] += values[t + 16];
  values[t] += values[t + 8];
  values[t] += values[t + 4];
  values[t] += values[t + 2];
  values[t] += values[t + 1];
}

extern "C" __global__ void block_moments(const float *in, float *sums, float *squares, unsigned n) {
  extern __shared__ float values[]; // [2 * blockDim.x]
  float *sum = values, *square = values + blockDim.x;
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  const float x = i < n ? in[i] : 0.0f;
  sum[t] = x;
  square[t] = x * x;
  for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
    __syncthreads();
    if (t < s) {
      sum[t] += sum[t + s];
      square[t] += square[t + s];
    }
  }
  // TODO 2: repair the hand-over: warp 0 goes on alone, with what the other warps have written
  if (t >= 32) return;
  fold(sum, 64);
  fold(square, 64);
  if (t == 0) {
    sums[blockIdx.x] = sum[0];
    squares[blockIdx.x] = square[0];
  }
}
