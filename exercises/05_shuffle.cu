// SPDX-License-Identifier: MIT
// Exercise 05: find the largest value, and where it is, by shuffles.
//
// Block b looks at in[b * blockDim.x .. (b + 1) * blockDim.x). It writes the largest of these
// elements to maxima[b] and the index of that element, counted from in[0], to indices[b].
//
// What must hold after the launch of block_argmax:
//   - The block size is a multiple of 32, up to 1024; it need not be a power of two.
//   - If the largest value stands in several places, the lowest index is wanted. -0 equals +0.
//   - A NaN never wins. A block with nothing but NaNs, or with nothing at all (n may be 0),
//     gives -INFINITY and the index n, where no element is.
//   - The last block may have fewer elements than threads. The input stays as it is.
//   - Values travel by shuffles: each warp stores two words in shared memory at most, and the block
//     has two barriers at most. No atomics.
//
//   float other = __shfl_down_sync(0xffffffff, mine, s);   // of the lane s places further on
//
// `mine` may also be an unsigned. The mask 0xffffffff promises that all 32 lanes of the
// warp execute this line; a lane that has left the kernel cannot.
#include <cuda_runtime.h>
#include <math.h>

// Replaces *value and *index by the other pair where that one is better.
__device__ void keep_better(float *value, unsigned *index, float other, unsigned other_index) {
  // TODO 1: better is: larger, or as large and at a lower index (a comparison with a NaN is false)
  (void)value;
  (void)index;
  (void)other;
  (void)other_index;
}

// To be called by all 32 lanes. Afterwards lane 0 holds the best pair of the warp.
__device__ void warp_argmax(float *value, unsigned *index) {
  // TODO 2: five steps; in each of them fetch the other lane's value and index and keep the better
  (void)value;
  (void)index;
}

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32]; // one slot per warp
  __shared__ unsigned places[32];
  // TODO 3: start from the identity, (-INFINITY, n), and offer it the thread's element, if any
  //   every warp finds its best pair, and its lane 0 stores it; wait for all
  //   the first warp finds the best of these pairs (what do lanes without a slot hold?)
  //   thread 0 writes the block's pair
  (void)in;
  (void)maxima;
  (void)indices;
  (void)n;
  (void)values;
  (void)places;
}
