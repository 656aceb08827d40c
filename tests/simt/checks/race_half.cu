// SPDX-License-Identifier: MIT
// A tree over halves, two bytes each, without the barrier after each step.
//
// FINDS: race_write_after_read @fold @fold
// MAY FIND: race_read_after_write @fold @fold
// SHOWS: lockstep reverse lane-serial delayed-stores
#include <cuda_fp16.h>

#include "case.h"

__global__ void sum(const float *in, float *out) {
  __shared__ __half tile[128];
  const unsigned t = threadIdx.x;
  tile[t] = __float2half(in[t] < 64.0f ? 1.0f : 0.5f);
  __syncthreads();
  for (unsigned s = 64; s > 0; s /= 2) {
    if (t < s) tile[t] = __hadd(tile[t], tile[t + s]); // @fold
    if (MENDED) __syncthreads();
  }
  if (t == 0) *out = __half2float(tile[0]);
}

int main() {
  float *in = case_numbers<float>(128), *out = case_unwritten<float>(1);
  sum<<<1, 128>>>(in, out);
  return case_end(*case_fetch(out, 1) == 96.0f);
}
