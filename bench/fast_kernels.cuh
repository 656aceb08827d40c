// SPDX-License-Identifier: MIT
// fast_kernels.cuh - what the hardware allows where a solution is written to be read: kernels that
// gpu_targets.cu times beside the solutions of exercises 07 and 08.
//   softmax_kept  a row's elements stay in the warp's registers, so that memory is read once; the
//                 solution reads each element twice, and 2,048 rows under way do not fit in the L2
//   byte_lanes    a copy of the counts for each lane, in a bank of its own, and 32 bytes under way
//   a
//                 thread: no two lanes of a warp ever meet, so that nothing need be merged
// Inputs are aligned to 16 bytes and rows are of 2,048 columns: this is no library.
#ifndef FAST_KERNELS_CUH
#define FAST_KERNELS_CUH

#include <cmath>

enum { KEPT = 64, LANE_COPIES = 32, BYTE_BINS = 256 };

static __device__ float warp_fold(float value, bool largest) {
  for (unsigned s = 16; s > 0; s /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, value, s);
    value = largest ? fmaxf(value, other) : value + other;
  }
  return value;
}

__global__ void softmax_kept(const float *in, float *out, unsigned n_rows) {
  const unsigned lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= n_rows) return;
  const size_t first = (size_t)row * (32 * KEPT) + lane;
  float kept[KEPT], largest = -INFINITY, sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) kept[k] = in[first + 32 * k];
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) largest = fmaxf(largest, kept[k]);
  largest = warp_fold(largest, true);
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) sum += kept[k] = expf(kept[k] - largest);
  const float factor = 1.0f / warp_fold(sum, false);
#pragma unroll
  for (unsigned k = 0; k < KEPT; k++) out[first + 32 * k] = kept[k] * factor;
}

static __device__ void count_bytes(unsigned *mine, uint4 bytes) {
  const unsigned words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
  for (unsigned j = 0; j < 16; j++)
    atomicAdd(&mine[(words[j / 4] >> j % 4 * 8 & 255) * LANE_COPIES], 1u);
}

// n is a multiple of 16; the bins hold 0.
__global__ void byte_lanes(const uint4 *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[BYTE_BINS * LANE_COPIES];
  const unsigned step = gridDim.x * blockDim.x;
  unsigned *mine = &counts[threadIdx.x % LANE_COPIES];
  for (unsigned i = threadIdx.x; i < BYTE_BINS * LANE_COPIES; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + step < n / 16; i += 2 * step) { // two loads under way
    const uint4 bytes = in[i], more = in[i + step];
    count_bytes(mine, bytes);
    count_bytes(mine, more);
  }
  if (i < n / 16) count_bytes(mine, in[i]);
  __syncthreads();
  for (unsigned v = threadIdx.x; v < BYTE_BINS; v += blockDim.x) {
    unsigned count = 0;
    for (unsigned c = 0; c < LANE_COPIES; c++) // each thread begins with another bank
      count += counts[v * LANE_COPIES + (v + c) % LANE_COPIES];
    if (count > 0) atomicAdd(&bins[v], count);
  }
}

#endif
