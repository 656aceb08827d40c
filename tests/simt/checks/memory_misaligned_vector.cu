// SPDX-License-Identifier: MIT
// A float4 read from an address that is a multiple of 4 but not of 16.
//
// FINDS: misaligned @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void sums(const float *in, float *out) {
  const float4 x = *(const float4 *)(in + (MENDED ? 4 : 1) * (threadIdx.x + 1)); // @load
  out[threadIdx.x] = x.x + x.y + x.z + x.w;
}

int main() {
  float *in = case_numbers<float>(256), *out = case_unwritten<float>(32);
  sums<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[0] == 22);
}
