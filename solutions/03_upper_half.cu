// SPDX-License-Identifier: MIT
// Exercise 03: the smallest and the largest value of each block, in one pass.
//
// Block b looks at in[b * 2 * blockDim.x .. (b + 1) * 2 * blockDim.x), two elements for each of its
// threads, and writes the smallest of them to minima[b] and the largest to maxima[b].
//
// What must hold after the launch of block_min_max:
//   - The block size is a power of two from 32 to 1024.
//   - The last block may have fewer elements, or none at all (n may be 0). A thread may lack its
//     second element, or both. It then holds the identities, +INFINITY for the minimum
//     and -INFINITY for the maximum.
//   - The rule of fminf and fmaxf for NaN: a NaN never wins. A block with nothing but NaNs
//     gives the identities.
//   - The input stays as it is. Every block writes its own results, whatever stood there before.
//   - One pass: every element is loaded from global memory once, and neighbouring threads load
//     neighbouring elements.
//   - One tree: at most one barrier per step, and two besides; no atomics, no bank conflicts.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float values[]; // [2 * blockDim.x]
  // BLANK: every thread loads its two elements, those that exist, and stores the smaller one and
  // BLANK: the larger one into values[], which has room for two arrays; wait for all
  // BLANK: fold both arrays in the same steps; wait for all after each step
  // BLANK: thread 0 writes the block's minimum and maximum
  float *low = values, *high = values + blockDim.x;
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * (2 * blockDim.x) + t;
  float first = i < n ? in[i] : NAN; // NaN: neither a minimum nor a maximum
  float second = i + blockDim.x < n ? in[i + blockDim.x] : NAN;
  low[t] = fminf(fminf(INFINITY, first), second);
  high[t] = fmaxf(fmaxf(-INFINITY, first), second);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      low[t] = fminf(low[t], low[t + half]);
      high[t] = fmaxf(high[t], high[t + half]);
    }
    __syncthreads();
  }
  if (t == 0) {
    minima[blockIdx.x] = low[0];
    maxima[blockIdx.x] = high[0];
  }
  // STUB: (void)in;
  // STUB: (void)minima;
  // STUB: (void)maxima;
  // STUB: (void)n;
  // STUB: (void)values;
  // END BLANK
}
