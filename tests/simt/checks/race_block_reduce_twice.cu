// SPDX-License-Identifier: MIT
// A block-wide sum as a device function, called twice: the slots of the first call may still be
// being read.
//
// FINDS: race_write_after_read @slots_read @slots_write
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

static __device__ int warp_sum(int value) {
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffffu, value, s);
  return value;
}

static __device__ int block_sum(int value) {
  __shared__ int slots[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (MENDED) __syncthreads();
  if (lane == 0) slots[warp] = value; // @slots_write
  __syncthreads();
  return warp_sum(lane < blockDim.x / 32 ? slots[lane] : 0); // @slots_read
}

__global__ void mean_free(const int *in, int *out) {
  const int mean = block_sum(in[threadIdx.x]) / (int)blockDim.x;
  out[threadIdx.x] = block_sum(in[threadIdx.x] - mean + 1);
}

int main() {
  int *in = case_numbers<int>(256), *out = case_unwritten<int>(256);
  mean_free<<<1, 256>>>(in, out);
  const int *got = case_fetch(out, 256);
  bool right = true;
  for (int t = 0; t < 256; t++) right &= got[t] == 255 * 128 - 127 * 256 + 256;
  return case_end(right);
}
