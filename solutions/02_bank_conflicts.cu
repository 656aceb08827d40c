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
  // BLANK: every thread stores its product (or the identity) into values[]; wait for all
  // BLANK: fold until one value is left, with consecutive threads at consecutive words; wait for
  // BLANK: all after each step
  // BLANK: thread 0 writes the block's partial sum
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? a[i] * b[i] : 0.0f;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) values[t] += values[t + half];
    __syncthreads();
  }
  if (t == 0) partials[blockIdx.x] = values[0];
  // STUB: (void)a;
  // STUB: (void)b;
  // STUB: (void)partials;
  // STUB: (void)n;
  // STUB: (void)values;
  // END BLANK
}
