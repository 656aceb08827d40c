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
  // BLANK: better is: larger, or as large and at a lower index (a comparison with a NaN is false)
  if (other > *value || (other == *value && other_index < *index)) {
    *value = other;
    *index = other_index;
  }
  // STUB: (void)value;
  // STUB: (void)index;
  // STUB: (void)other;
  // STUB: (void)other_index;
  // END BLANK
}

// To be called by all 32 lanes. Afterwards lane 0 holds the best pair of the warp.
__device__ void warp_argmax(float *value, unsigned *index) {
  // BLANK: five steps; in each of them fetch the other lane's value and index and keep the better
  for (unsigned s = 16; s > 0; s /= 2) {
    const float other = __shfl_down_sync(0xffffffff, *value, s);
    const unsigned other_index = __shfl_down_sync(0xffffffff, *index, s);
    keep_better(value, index, other, other_index);
  }
  // STUB: (void)value;
  // STUB: (void)index;
  // END BLANK
}

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32]; // one slot per warp
  __shared__ unsigned places[32];
  // BLANK: start from the identity, (-INFINITY, n), and offer it the thread's element, if any
  // BLANK: every warp finds its best pair, and its lane 0 stores it; wait for all
  // BLANK: the first warp finds the best of these pairs (what do lanes without a slot hold?)
  // BLANK: thread 0 writes the block's pair
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = -INFINITY;
  unsigned index = n;
  if (i < n) keep_better(&value, &index, in[i], i);
  warp_argmax(&value, &index);
  if (lane == 0) {
    values[warp] = value;
    places[warp] = index;
  }
  __syncthreads();
  if (warp > 0) return;
  value = lane < n_warps ? values[lane] : -INFINITY;
  index = lane < n_warps ? places[lane] : n;
  warp_argmax(&value, &index);
  if (lane == 0) {
    maxima[blockIdx.x] = value;
    indices[blockIdx.x] = index;
  }
  // STUB: (void)in;
  // STUB: (void)maxima;
  // STUB: (void)indices;
  // STUB: (void)n;
  // STUB: (void)values;
  // STUB: (void)places;
  // END BLANK
}
