// SPDX-License-Identifier: MIT
// Exercise 02: a dot product without bank conflicts.
//
// Block b multiplies a[i] by b[i] for the i in [b * blockDim.x, (b + 1) * blockDim.x) and writes
// the sum of these products to partials[b]; a second pass, which is not yours, adds the partials.
//
// What must hold after the launch of dot_partials:
//   - The block size is a power of two from 32 to 1024.
//   - The last block may have fewer elements than threads, or none at all (n may be 0). A thread
//     without an element holds the identity of the sum, 0.
//   - Inputs stay as they are. Every block writes its own result, whatever stood there before.
//   - No bank conflicts: in every access to shared memory the 32 lanes of a warp meet 32 different
//     banks (or the same word). The bank of values[k] is k % 32.
//   - At most one barrier per step of the tree, and two besides; no atomics.
#include <cuda_runtime.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float values[]; // [blockDim.x]
  // TODO 1: every thread stores its product (or the identity) into values[]; wait for all
  //   fold until one value is left, with consecutive threads at consecutive words; wait for
  //   all after each step
  //   thread 0 writes the block's partial sum
  (void)a;
  (void)b;
  (void)partials;
  (void)n;
  (void)values;
}
