// SPDX-License-Identifier: MIT
// Exercise 01: the maximum of each block's values, by a tree in shared memory.
//
// Block b looks at in[b * blockDim.x .. (b + 1) * blockDim.x) and writes the largest of these
// elements to maxima[b].
//
// What must hold after the launch of block_max:
//   - Any block size from 1 to 1024 works, also 48, 100 or 1000: when an odd number of values is
//     halved, none may be lost.
//   - The last block may have fewer elements than threads, or none at all (n may be 0). A thread
//     without an element holds the identity of the maximum, -INFINITY, which no value is below.
//   - fmaxf's rule for NaN: a NaN never wins. A block with nothing but NaNs gives the
//     identity. (C's fmaxf(x, y) is the larger of two floats. If one is a NaN, it is the other.)
//   - The input stays as it is. Every block writes its own result, whatever stood there before.
//   - At most one barrier per step of the tree, and two besides. Threads that still work are
//     neighbours, so that warps split in the last steps only.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[]; // [blockDim.x]
  // BLANK: every thread stores its element (or the identity) into values[]; wait for all
  // BLANK: while more than one value is left: fold the upper half onto the lower one; wait for all
  // BLANK: thread 0 writes the block's maximum
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  __syncthreads();
  unsigned left = blockDim.x;
  while (left > 1) {
    unsigned half = (left + 1) / 2; // an odd one stays in the lower half
    if (t + half < left) values[t] = fmaxf(values[t], values[t + half]);
    __syncthreads();
    left = half;
  }
  if (t == 0) maxima[blockIdx.x] = values[0];
  // STUB: (void)in;
  // STUB: (void)maxima;
  // STUB: (void)n;
  // STUB: (void)values;
  // END BLANK
}
