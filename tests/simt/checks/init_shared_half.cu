// SPDX-License-Identifier: MIT
// Half precision: only half of the lanes store a value, but all of them are read.
//
// FINDS: uninitialised_shared @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include <cuda_fp16.h>

#include "case.h"

__global__ void mirror(const float *in, float *out) {
  __shared__ __half tile[32];
  const unsigned t = threadIdx.x;
  if (MENDED || t < 16) tile[t] = __float2half(in[t]);
  __syncwarp();
  out[t] = __half2float(tile[31 - t]); // @load
}

int main() {
  float *in = case_numbers<float>(32), *out = case_unwritten<float>(32);
  mirror<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[1] == 30.0f);
}
